"""What two networks say differently: variables, states, parents, and entry by entry their tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.finding import instance_words
from bnc2d.base.scales import scale_of
from bnc2d.errors import did_you_mean
from bnc2d.model.network import BayesianNetwork
from bnc2d.report.decisions import fraction_text

# Entries of one table that are named; all are counted.
_NAMED_ENTRIES = 5


@dataclass(frozen=True)
class Entry:
    """An entry that differs: of which table, at which states, and what it is in either network."""

    table: str
    states: str
    first: Fraction
    second: Fraction

    @property
    def gap(self) -> Fraction:
        """By how much."""
        return abs(self.first - self.second)


@dataclass(frozen=True)
class Differences:
    """What differs: sentences about ``variables``; about ``tables``, with their first ``entries``.

    ``gap`` is the largest difference of two entries, ``count`` how many differ.
    """

    variables: tuple[str, ...]
    tables: tuple[str, ...]
    entries: tuple[Entry, ...]
    count: int
    gap: Fraction


def differences(first: BayesianNetwork, second: BayesianNetwork, names: tuple[str, str]) -> Differences:
    """Return what differs; ``names`` is what sentences call the networks.

    The order of variables and of parents says nothing and does not count. That of states decides ties and
    which class a threshold is about by default, so it is a difference; entries are compared by name.
    """
    variables = list(_of_variables(first, second, names))
    tables: list[str] = []
    entries: list[Entry] = []
    count, gap = 0, Fraction(0)
    for name in [name for name in first.names if name in second.names]:
        checkpoint()
        mine, theirs = first.parents(name), second.parents(name)
        if set(mine) != set(theirs):
            both = f"{_listed(mine)} in {names[0]}, {_listed(theirs)} in {names[1]}"
            tables.append(f"{name!r} has the parents {both}")
            continue
        scope = [*mine, name]
        if any(set(first.variable(one).states) != set(second.variable(one).states) for one in scope):
            continue  # said of the variable
        table, other = first.cpt(name).exact, _in_the_order_of(first, second, name)
        differ = np.argwhere(table != other)
        if not len(differ):
            continue
        count += len(differ)
        found = [
            _entry(first, scope, at, table, other) for at in map(tuple, differ[:_NAMED_ENTRIES].tolist())
        ]
        entries += found
        largest = max(abs(table[at] - other[at]) for at in map(tuple, differ.tolist()))
        gap = max(gap, largest)
        are = "entry differs" if len(differ) == 1 else "entries differ"
        tables.append(f"{len(differ)} of {table.size} {are} in the table of {name!r}")
    return Differences(tuple(variables), tuple(tables), tuple(entries), count, gap)


def entry_text(value: Fraction) -> str:
    """Return an entry, exact where it is short."""
    return fraction_text(value) or f"{float(value):.17g}"


def _of_variables(first: BayesianNetwork, second: BayesianNetwork, names: tuple[str, str]) -> Iterator[str]:
    for one, other, where in ((first, second, names[0]), (second, first, names[1])):
        for name in one.names:
            if name not in other.names:
                hint = did_you_mean(name, [more for more in other.names if more not in one.names])
                yield f"{name!r} is in {where} only{hint}"
    for name in first.names:
        if name not in second.names:
            continue
        mine, theirs = first.variable(name).states, second.variable(name).states
        if mine != theirs:
            what = "the states" if set(mine) != set(theirs) else "its states in the order"
            yield f"{name!r} has {what} {_listed(mine)} in {names[0]}, {_listed(theirs)} in {names[1]}"
        scales = [scale_of(states) for states in (mine, theirs)]
        if all(scales) and len({str(one and one.to_data()) for one in scales}) > 1:
            yield f"{name!r} reads values of its column as other states in {names[0]} than in {names[1]}"


def _in_the_order_of(first: BayesianNetwork, second: BayesianNetwork, name: str) -> NDArray[np.object_]:
    """Return the second network's table with parents and states in the first one's order."""
    table = second.cpt(name).exact
    theirs = [*second.parents(name), name]
    scope = [*first.parents(name), name]
    table = table.transpose([theirs.index(one) for one in scope])
    for axis, one in enumerate(scope):
        listed = second.variable(one).states
        table = table.take([listed.index(state) for state in first.variable(one).states], axis=axis)
    return table


def _entry(
    network: BayesianNetwork,
    scope: list[str],
    at: tuple[int, ...],
    table: NDArray[np.object_],
    other: NDArray[np.object_],
) -> Entry:
    states = [network.variable(one).states[code] for one, code in zip(scope, at, strict=True)]
    named = dict(zip(scope, states, strict=True))
    child = instance_words({scope[-1]: named.pop(scope[-1])})
    given = f" | {instance_words(named)}" if named else ""
    return Entry(scope[-1], f"P({child}{given})", table[at], other[at])


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "(none)"
