"""States that nothing tells apart, made one before anything is computed.

Two states of a hidden variable are alike where every table of a child has equal entries for both: what they
lead to is the same, so the variable may as well be in the first whenever it is in one of them, with the sum
of their probabilities. Two states of a feature are alike where the entries of its table are proportional: a
positive factor of an instance changes no decision. Two classes of a target without parents that are alike
compare by their priors alone.

Tables of variables with many states are full of these (a dozen sorts of barley with the same numbers), and a
message has as many rows as its variables have states. Children come before parents, so that what is one in
a child can make states of a parent alike; one pass finds everything. Entries are compared as the rationals
that they are: floats only choose which to look at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import OBJECTS
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.masks import VariableId
from bnc2d.base.records import record
from bnc2d.compile.graph.pruning import Prepared, StateIds
from bnc2d.model.cpt import CPT, with_child, with_parent
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

# A state and its like make a variable of two states meaningless; such are rare, and looking for them is not.
_LEAST_STATES = 3
# New tables pay where a variable loses at least a fifth of its states; classes that are alike always matter.
_WORTHWHILE = 0.8
# Columns of floats are candidates where they are proportional within this share.
_CLOSE = 2.0**-40

# The entries of one or more tables, ``[state, entry]``.
_Values: TypeAlias = NDArray[np.float64]
_Exact: TypeAlias = NDArray[np.object_]


@record
class _Slices:
    """The entries of a table for each state of one of its variables."""

    cpt: CPT
    axis: int

    @property
    def values(self) -> _Values:
        """``[state, entry]`` in float64."""
        values = np.moveaxis(self.cpt.values, self.axis, 0)
        return np.ascontiguousarray(values.reshape(len(values), -1))

    def exact(self, state: int) -> _Exact:
        """Return the entries of a state as rationals."""
        return np.moveaxis(self.cpt.exact, self.axis, 0)[state : state + 1].reshape(-1)


def merge_alike_states(prepared: Prepared) -> Prepared:
    """Return the same classifier with states that are alike merged; ``prepared`` itself where none are.

    ``Prepared.merged`` says which state each state of a feature or of the target has become.
    """
    sizes = prepared.sizes
    if max(sizes) < _LEAST_STATES:
        return prepared
    cpts = list(prepared.network.cpts)
    users: dict[str, list[VariableId]] = {name: [] for name in prepared.network.names}
    for table, cpt in enumerate(cpts):
        for parent in cpt.parents:
            users[parent.name].append(table)
    merged: dict[VariableId, StateIds] = {}
    for variable in _children_first(prepared):
        if sizes[variable] < _LEAST_STATES:
            continue
        checkpoint()
        own = cpts[variable]
        if variable in prepared.feature_ids:
            state_ids = _proportional(_Slices(own, len(own.parents)))
        elif variable == prepared.target_id and own.parents:
            continue
        else:
            tables = [cpts[table] for table in users[own.child.name]]
            slices = [
                _Slices(cpt, cpt.parents.index(own.child)) for cpt in tables if own.child in cpt.parents
            ]
            state_ids = _equal(slices, sizes[variable])
        first = np.unique(state_ids, return_index=True)[1]
        worthwhile = 1.0 if variable == prepared.target_id else _WORTHWHILE
        if len(first) > worthwhile * sizes[variable] or len(first) == sizes[variable]:
            continue
        merged[variable] = state_ids
        fewer = Variable(own.child.name, tuple([own.child.states[state] for state in first.tolist()]))
        # With a single state left the parents do not matter.
        cpts[variable] = with_child(own, fewer, state_ids.tolist()) if len(fewer) > 1 else CPT(fewer, (), [1])
        for table in users[fewer.name]:
            if own.child in cpts[table].parents:
                cpts[table] = with_parent(cpts[table], own.child, fewer, first.tolist())
    if not merged:
        return prepared
    variables = [cpt.child for cpt in cpts]
    network = BayesianNetwork(variables, cpts, prepared.network.name)
    return replace(prepared, network=network, merged=merged)


def _children_first(prepared: Prepared) -> Iterator[VariableId]:
    """Yield the variables, each after all of its children."""
    network = prepared.network
    left = {name: len(network.children(name)) for name in network.names}
    pending = [name for name in network.names if not left[name]]
    while pending:
        name = pending.pop()
        yield prepared.ids[name]
        for parent in network.parents(name):
            left[parent] -= 1
            if not left[parent]:
                pending.append(parent)


def _numbered(representative: Sequence[int]) -> StateIds:
    """Return the group of each state, in the order of their first states, given the first state of each."""
    return np.unique(np.array(representative, dtype=np.intp), return_inverse=True)[1].reshape(-1)


def _equal(slices: Sequence[_Slices], states: int) -> StateIds:
    """Return which states have equal entries in all tables."""
    keys = [b""] * states
    for some in slices:
        values = some.values
        keys = [key + values[state].tobytes() for state, key in enumerate(keys)]
        if len(set(keys)) == states:
            return np.arange(states, dtype=np.intp)
    candidates: dict[bytes, list[int]] = {}
    representative = list(range(states))
    for state, key in enumerate(keys):
        others = candidates.setdefault(key, [])
        for other in others:
            if all(_are_equal(some.exact(other), some.exact(state)) for some in slices):
                representative[state] = other
                break
        else:
            others.append(state)
    return _numbered(representative)


def _are_equal(one: _Exact, other: _Exact) -> bool:
    return all(one[piece].tolist() == other[piece].tolist() for piece in pieces(len(one), OBJECTS))


def _proportional(slices: _Slices) -> StateIds:
    """Return which states have proportional entries; those without any positive entry are alike."""
    values = slices.values
    largest = values.argmax(axis=1)
    tops = values[np.arange(len(values)), largest]
    representative = list(range(len(values)))
    kept: list[int] = []
    for state in range(len(values)):
        checkpoint()
        scaled = values[state] * tops[kept, None]
        wanted = values[kept] * tops[state]
        close = (np.abs(scaled - wanted) <= _CLOSE * wanted).all(axis=1)
        for other in [kept[place] for place in np.flatnonzero(close).tolist()]:
            if _are_proportional(slices.exact(other), slices.exact(state), int(largest[other])):
                representative[state] = other
                break
        else:
            kept.append(state)
    return _numbered(representative)


def _are_proportional(one: _Exact, other: _Exact, at: int) -> bool:
    """Return whether two columns are proportional, with positive factors; at ``at`` the first is not zero."""
    if not one[at]:  # too small for float64, or zeros
        return not any(one.tolist()) and not any(other.tolist())
    if not other[at]:
        return False
    factor = other[at] / one[at]
    for piece in pieces(len(one), OBJECTS):
        if any(factor * a != b for a, b in zip(one[piece].tolist(), other[piece].tolist(), strict=True)):
            return False
    return True
