"""decide-negative and decide-positive of Zhang and Darwiche (2026), on arrays, for every decision rule.

At a feature-splitting edge with separator ``S`` the features fall into ``U`` and ``V``, and
``P(Y, u, v) = Σ_s M(Y, s) P(v | s)`` with ``M = P(Y, u, S)``. For class ``i`` the instance ``uv`` has to win
each pair ``(i, j)``: ``δ_ij(v) = Σ_s Δ_ij(s) P(v | s)``, ``Δ_ij = w_i M[i] - w_j M[j]``, must be positive,
or not negative where ``i`` wins ties against ``j``. The weights and ties of the rules:

- ``ties="lowest"``: weights 1; ``i`` wins ties against the states listed after it.
- ``ties="none"``: weights 1; no class wins a tie.
- threshold ``t``: the positive state has weight ``1 - t`` and loses ties, the other ``t`` and wins them.

Call ``v`` *possible* (given ``u``) when ``P(u, v) > 0``. For a possible ``v``:

- **Negative**: for some ``j`` and all ``s``, ``Δ_ij(s) < 0`` or ``M[i] = M[j] = 0`` at ``s``. If
  ``P(i, u, v)`` is zero, another class is above zero and wins. Otherwise some ``s`` with
  ``M(i, s) P(v | s) > 0`` has ``Δ_ij(s) < 0``, no other is above zero, so ``δ_ij(v) < 0``. Who wins ties
  does not matter.
- **Positive**: for all ``j`` and all ``s``, ``Δ_ij(s) > 0`` or ``M[i] = M[j] = 0``. Some ``s`` has
  ``P(v | s) > 0`` and ``M(k, s) > 0`` for some ``k``; then ``M(i, s) > 0`` too (by the pair ``(i, k)``), so
  ``Δ_ij(s) > 0`` for every ``j`` and ``δ_ij(v) > 0``. Again no ties.

An impossible ``v`` ties all classes at zero: class ``i`` has it iff it wins all its ties. So the verdicts
below speak of possible completions only, and the caller adds the impossible ones.

The paper's ``Δ_ij ≤ 0`` also admits exact ties between positive numbers. float64 cannot see those: an entry
counts as positive or negative only beyond a margin that bounds the rounding error, and a closer call makes
the verdict ``UNDECIDED``, which is always sound.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.records import record
from bnc2d.model.accounts import Floats
from bnc2d.model.decision import DecisionRule

Verdicts: TypeAlias = NDArray[np.int8]
Flags: TypeAlias = NDArray[np.bool_]

NO, YES, UNDECIDED = 0, 1, 2
_SMALLEST_WEIGHT = 1e-20


@record
class ClassTest:
    """What an instance of class ``index`` has to win: weights of the classes, and ties won against each."""

    index: int
    weights: Floats
    wins_tie: Flags  # by class; the entry of ``index`` itself is True

    @classmethod
    def of(cls, rule: DecisionRule, classes: int, index: int) -> ClassTest:
        """Return the test of a class under a rule (the table in the module's text)."""
        weights = np.ones(classes)
        wins_tie = np.zeros(classes, dtype=bool)
        if rule.threshold is not None:
            weights[:] = float(rule.threshold)
            weights[rule.positive] = float(1 - rule.threshold)
            wins_tie[:] = index != rule.positive
        elif rule.ties == "lowest":
            wins_tie[index:] = True
        wins_tie[index] = True
        return cls(index, weights, wins_tie)

    @property
    def has_impossible(self) -> bool:
        """Whether impossible instances, where all classes tie at zero, are in this class."""
        return bool(self.wins_tie.all())

    @property
    def trusted(self) -> bool:
        """Whether float64 can work with the weights."""
        return bool(self.weights.min() >= _SMALLEST_WEIGHT)


def decide_negative(joint: Floats, test: ClassTest, error: float) -> Verdicts:
    """Return for each ``M = joint[n]`` over ``[class, separator]`` whether possible completions are negative.

    ``YES``: none is in the class; ``NO``: all are; ``UNDECIDED``: not known.
    """
    below, above = _pairs(joint, test, error)
    verdicts = np.full(len(joint), UNDECIDED, dtype=np.int8)
    verdicts[np.all(above, axis=(1, 2))] = NO
    some_class_wins: Flags = np.any(np.all(below, axis=2), axis=1)
    verdicts[some_class_wins] = YES
    return verdicts


def decide_positive(joint: Floats, test: ClassTest, error: float) -> Verdicts:
    """Return for each ``M`` whether all possible completions are positive: decide-negative, tests flipped."""
    return flipped(decide_negative(joint, test, error))


def flipped(verdicts: Verdicts) -> Verdicts:
    """Return verdicts on "all positive" for those on "all negative", and the other way round."""
    return np.array([YES, NO, UNDECIDED], dtype=np.int8)[verdicts]


def decide_instances(joint: Floats, test: ClassTest, error: float) -> Verdicts:
    """Return for each row ``P(Y, x)`` of ``joint`` whether ``x`` is in the class; here ties at zero count."""
    below, above = _pairs(joint[:, :, None], test, error)
    ties = np.delete(test.wins_tie, test.index)[:, None]
    tied = below & above
    verdicts = np.full(len(joint), UNDECIDED, dtype=np.int8)
    verdicts[(above & (~tied | ties)).all(axis=(1, 2))] = YES
    verdicts[(below & (~tied | ~ties)).any(axis=(1, 2))] = NO
    return verdicts


def _pairs(joint: Floats, test: ClassTest, error: float) -> tuple[Flags, Flags]:
    """Return for each row, other class ``j`` and ``s`` if ``Δ_ij(s)`` is below zero, above; both at 0 - 0."""
    weighted = joint * test.weights[:, None]
    own = weighted[:, test.index, None, :]
    others = np.delete(weighted, test.index, axis=1)
    total = own + others
    close = error * total
    difference = own - others
    zero = total == 0
    return (difference < -close) | zero, (difference > close) | zero
