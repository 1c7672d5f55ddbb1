"""Which disjuncts may have a model in common, told from the states that they allow each feature.

A node *allows* the states of a feature that its literals leave: those in all conjuncts of an AND, those in
any disjunct of an OR. Disjuncts that allow a feature no common state have no common model. So every OR of a
decision diagram is seen to be deterministic.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, joined, take
from bnc2d.base.checkpoints import PIECE, checkpoint, pieces
from bnc2d.base.hashing import distinct
from bnc2d.logic.circuit.levels import Levels, Step
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.circuit.queries import is_constant
from bnc2d.logic.domain import Domain, FeatureId, StateMask

_WORD = 64


def overlapping_on_sight(manager: Manager, root: NodeId) -> list[tuple[NodeId, list[NodeId]]]:
    """Return disjuncts, each with later ones of its OR, that force no feature into disjoint states."""
    if is_constant(root):
        return []
    levels, states = manager.levels(root), _States(manager.domain)
    allowed = _allowed(manager, root, levels, states)
    found: list[Numbers] = []  # rows of positions: OR, disjunct, later disjunct
    for step in levels.steps:
        found += _overlaps(step, allowed, states) if step.is_or else []
    if not found:
        return []
    rows = take(levels.nodes, joined(found).reshape(-1)).reshape(-1, 3)
    rows = rows[np.lexsort((rows[:, 2], rows[:, 1], rows[:, 0]))]
    starts = np.flatnonzero((rows[1:, :2] != rows[:-1, :2]).any(axis=1)) + 1
    later = [part.tolist() for part in np.split(rows[:, 2], starts)]
    first: list[NodeId] = rows[np.concatenate([[0], starts]), 1].tolist()
    return list(zip(first, later, strict=True))


def gates_in_doubt(manager: Manager, root: NodeId, *, ors: bool) -> Numbers:
    """Return the ORs, as positions of ``manager.levels(root)``, that are not seen to be deterministic.

    Without ``ors``, the ANDs that are not seen to be so in the complement, where an AND is an OR: those with
    two conjuncts that some instance may fail together.
    """
    levels, states = manager.levels(root), _States(manager.domain)
    allowed = _allowed(manager, root, levels, states, dual=not ors)
    found = [np.zeros((0, 3), dtype=np.int64)]
    for step in levels.steps:
        found += _overlaps(step, allowed, states) if step.is_or == ors else []
    return joined(found)[:, 0]


class _States:
    """The states of all features as bits of words.

    Features of less than a word's states share words, each with a spare bit above its states: adding the mask
    of all states carries into the spare bit of exactly the features that have a state left. Each feature of
    more states has words of its own.
    """

    def __init__(self, domain: Domain) -> None:
        self._places: list[tuple[int, int]] = []  # word and shift of each feature
        self._wide: list[slice] = []
        spare = [0]
        end = 0
        for size in domain.cardinalities:
            if size < _WORD:
                if end + size + 1 > _WORD:
                    spare.append(0)
                    end = 0
                self._places.append((len(spare) - 1, end))
                end += size + 1
                spare[-1] |= 1 << end - 1
            else:
                words = -(-size // _WORD)
                self._places.append((len(spare), 0))
                self._wide.append(slice(len(spare), len(spare) + words))
                spare += [0] * words
                end = _WORD  # the next feature gets a word of its own
        self.words = len(spare)
        self._spare = np.array(spare, dtype=np.uint64)
        self.all = np.zeros(self.words, dtype=np.uint64)
        for feature in range(len(domain)):
            self.set(self.all, feature, domain.full(feature), domain.full(feature))
        self._ones = np.where(self._spare != 0, self.all, np.uint64(0))

    def set(self, row: NDArray[np.uint64], feature: FeatureId, full: StateMask, mask: StateMask) -> None:
        """Set the states of a feature in a row."""
        word, shift = self._places[feature]
        while full:
            low = (1 << _WORD) - 1
            row[word] = int(row[word]) & ~(full << shift) & low | (mask << shift & low)
            full, mask, word = full >> _WORD, mask >> _WORD, word + 1

    def possible(self, rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which rows leave every feature a state."""
        carried = rows + self._ones
        carried &= self._spare
        possible: NDArray[np.bool_] = (carried == self._spare).all(axis=1)
        for words in self._wide:
            possible &= rows[:, words].any(axis=1)
        return possible


def _allowed(
    manager: Manager, root: NodeId, levels: Levels, states: _States, dual: bool = False
) -> NDArray[np.uint64]:
    """Return the states that each node allows; none at all where some feature has none left.

    With ``dual``, those that the complement of each node allows.
    """
    allowed = np.empty((len(levels), states.words), dtype=np.uint64)
    allowed[: levels.leaves] = states.all
    for row, (_, feature, mask) in enumerate(manager.literals(root)):
        full = manager.domain.full(feature)
        states.set(allowed[row], feature, full, full & ~mask if dual else mask)
    for step in levels.steps:
        checkpoint()
        combine = np.bitwise_or if step.is_or != dual else np.bitwise_and
        gates = allowed[step.first : step.last]
        combine.reduceat(take(allowed, step.children), step.starts, axis=0, out=gates)
        if step.is_or == dual:
            gates[~states.possible(gates)] = 0
    return allowed


def _overlaps(step: Step, allowed: NDArray[np.uint64], states: _States) -> list[Numbers]:
    """Return the overlapping pairs of disjuncts of the ORs of a step, as rows of positions."""
    found = []
    for arity in distinct(step.arities)[0].tolist():
        ors = np.flatnonzero(step.arities == arity)
        disjuncts = step.children[step.starts[ors][:, None] + np.arange(arity)]
        for between in range(1, arity):
            left, right = disjuncts[:, :-between].reshape(-1), disjuncts[:, between:].reshape(-1)
            owners = (step.first + ors).repeat(arity - between)
            for piece in pieces(len(left), PIECE // states.words + 1):
                common = allowed[left[piece]]
                common &= allowed[right[piece]]
                hits = np.flatnonzero(states.possible(common)) + piece.start
                if len(hits):
                    found.append(np.stack([owners[hits], left[hits], right[hits]], axis=1))
    return found
