"""The decision rule: which class a row of joint probabilities belongs to, and whether float64 can tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.readers.choices import DecidedBy, Ties
from bnc2d.model.accounts import margin
from bnc2d.model.extended import rounded, unit_roundoff
from bnc2d.model.inference import Joint, JointQuery

Labels: TypeAlias = NDArray[np.intp]  # position of the class, or NO_CLASS

NO_CLASS = -1
# What is asked about a decision within a shorter time has this long to find the decision itself.
DECISION_SECONDS = 0.7
_SMALLEST_TOTAL = 2.0**-900


@dataclass(frozen=True)
class Basis:
    """What a decision rests on: whether the instance is possible, and what decided.

    ``decided_by`` is ``"posterior"`` where probabilities alone decide: one class is more probable than every
    other, or strictly above or below the threshold. Otherwise a convention does: the ``"tie rule"`` where
    the classes ``tied`` (by position) are equally probable, the ``"threshold rule"`` where the threshold is
    hit exactly. An impossible instance (``possible`` is False) is decided by such a rule too, with all
    classes tied at zero.
    """

    possible: bool
    decided_by: DecidedBy
    tied: tuple[int, ...] = ()


@dataclass(frozen=True)
class DecisionRule:
    """Argmax with a tie rule, or a threshold on one state of a binary target.

    ``threshold`` is None for argmax; otherwise ``positive`` is decided iff ``P(positive | x) > threshold``
    and the other class in every other case, impossible instances included: this rule has no ties.
    """

    ties: Ties
    threshold: Fraction | None
    positive: int

    @property
    def leaves_ties(self) -> bool:
        """Whether a tied instance is in no class."""
        return self.ties == "none" and self.threshold is None

    def weighted(self, priors: Iterable[Fraction]) -> list[Fraction]:
        """Return priors times weights that make the largest product decide as the rule does, but for ties."""
        weights = list(priors)
        if self.threshold is not None:
            weights[self.positive] *= 1 - self.threshold
            weights[1 - self.positive] *= self.threshold
        return weights

    def exact_label(self, joint: Sequence[int]) -> int:
        """Return the class for exact joint probabilities (integers over any common denominator)."""
        if self.threshold is not None:
            weight = self.threshold
            chosen, other = joint[self.positive], joint[1 - self.positive]
            above = chosen * (weight.denominator - weight.numerator) > other * weight.numerator
            return self.positive if above else 1 - self.positive
        best = max(joint)
        first = list(joint).index(best)
        return first if self.ties == "lowest" or list(joint).count(best) == 1 else NO_CLASS

    def exact_basis(self, joint: Sequence[int]) -> Basis:
        """Return what the decision rests on for exact joint probabilities, as in ``exact_label``."""
        best = max(joint)
        tied = tuple(state for state, weight in enumerate(joint) if weight == best)
        if self.threshold is not None:
            hit = joint[self.positive] == self.threshold * sum(joint)
            return Basis(best > 0, "threshold rule" if hit else "posterior", () if best else tied)
        return (
            Basis(best > 0, "posterior", ()) if len(tied) == 1 and best else Basis(best > 0, "tie rule", tied)
        )

    def labels(self, query: JointQuery, rows: Rows) -> tuple[Labels, int]:
        """Return the class of each row, proved or exactly decided, and how many were decided exactly."""
        labels, certain = self.proved_labels(query, rows)
        close = np.flatnonzero(~certain)
        if close.size:
            joint = query.joint(rows[close], exact=True)
            labels[close] = [self.exact_label(values) for values in joint.values.tolist()]
        return labels, len(close)

    def proved_labels(self, query: JointQuery, rows: Rows) -> tuple[Labels, NDArray[np.bool_]]:
        """Return the class of each row, and for which rows it is proved, by floats of either precision."""
        labels, certain = self.float_labels(query.joint(rows, exact=False))
        close = np.flatnonzero(~certain)
        if close.size and (extended := query.extended_joint(rows[close])) is not None:
            labels[close], certain[close] = self.float_labels(extended)
        return labels, certain

    def float_labels(self, joint: Joint) -> tuple[Labels, NDArray[np.bool_]]:
        """Return the class of each row, and for which rows the precision of the floats proves it.

        That is where values differ by more than the ``margin`` of their roundings. Rows of zeros are exact:
        nothing was rounded.
        """
        values = np.ldexp(joint.values, -np.frexp(joint.values.max(axis=1, initial=0.0))[1][:, None])
        dtype = joint.values.dtype
        share = margin(joint.roundings, unit_roundoff(dtype))
        impossible = ~values.any(axis=1)
        if self.threshold is not None:
            chosen = values[:, self.positive] * rounded(1 - self.threshold, dtype)
            other = values[:, 1 - self.positive] * rounded(self.threshold, dtype)
            labels = np.where(chosen > other, self.positive, 1 - self.positive)
            total = chosen + other
            certain = (np.abs(chosen - other) > share * total) & (total > _SMALLEST_TOTAL)
            return labels.astype(np.intp), joint.trusted & (certain | impossible)
        labels = values.argmax(axis=1).astype(np.intp)
        best = values.max(axis=1)
        others = values.copy()
        others[np.arange(len(values)), labels] = 0.0
        second = others.max(axis=1)
        certain = best - second > share * (best + second)
        if self.ties == "none" and values.shape[1] > 1:
            labels[impossible] = NO_CLASS
        return labels, joint.trusted & (certain | impossible)
