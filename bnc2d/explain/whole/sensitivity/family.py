"""The classifiers that one number runs through, all others staying what they are.

What a class weighs at an instance is a linear function of the number, from 0 to 1: of a table entry because
the probability of an instance is linear in each column; of the threshold ``t`` because
``P(positive | x) > t`` is ``(1 - t) P(positive, x) > t P(other, x)``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm, prod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.errors import LimitExceeded
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.decision import DecisionRule
from bnc2d.model.inference import MAX_TABLE_ENTRIES, Contraction, JointQuery, independent_parts
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

_EXACT_ENTRIES = 1 << 22
_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class Sheet:
    """What the classes weigh at rows: ``values[row, class, 0]`` where the number is 0, ``[..., 1]`` at 1.

    Each row is known up to a positive factor, in float64 (within ``roundings`` where ``trusted``) or, as
    Python integers, exactly.
    """

    values: NDArray[Any]
    trusted: NDArray[np.bool_]
    roundings: int


class Family(Protocol):
    """Classifiers that differ in one number; ``value`` is what it is now.

    ``closed`` says whether the number may be 0 and 1 themselves.
    """

    @property
    def value(self) -> Fraction:
        """What the number is."""

    @property
    def closed(self) -> bool:
        """Whether 0 and 1 are values."""

    @property
    def rule(self) -> DecisionRule:
        """How classes are compared."""

    @property
    def matters(self) -> bool:
        """Whether any decision can depend on the number."""

    def weigh(self, rows: Rows, exact: bool) -> Sheet:
        """Return what the classes weigh at rows."""

    def at(self, value: Fraction) -> BaseClassifier:
        """Return the classifier where the number has another value."""

    def gap(self) -> Fraction:
        """Return a distance below that between any two values at which some decision changes or may."""


class ThresholdFamily:
    """The thresholds of a classifier; they lie strictly between 0 and 1."""

    closed = False
    matters = True

    def __init__(self, classifier: BaseClassifier, threshold: Fraction) -> None:
        self.classifier = classifier
        self.value = threshold
        self.rule = classifier.rule
        self._query = JointQuery(classifier.network, classifier.target, classifier.features)

    def weigh(self, rows: Rows, exact: bool) -> Sheet:
        """Return what the classes weigh at rows: the positive one nothing at 1, the other nothing at 0."""
        joint = self._query.joint(rows, exact)
        values = np.zeros((*joint.values.shape, 2), dtype=joint.values.dtype)
        positive = self.rule.positive
        values[:, positive, 0] = joint.values[:, positive]
        values[:, 1 - positive, 1] = joint.values[:, 1 - positive]
        return Sheet(values, joint.trusted, joint.roundings)

    def at(self, value: Fraction) -> BaseClassifier:
        """Return the classifier with another threshold."""
        one = self.classifier
        return BaseClassifier(one.network, one.target, one.features, value, one.positive, one.ties)

    def gap(self) -> Fraction:
        """Return a distance below that of any two posteriors, and of one from the threshold."""
        return _gap(self.classifier.network.cpts, self.value)


class EntryFamily:
    """The values of a table entry; the others of its column share what it leaves, in the same proportions.

    Where the entry is 1, the others are 0 and share equally. The network gets a switch with two states, a
    parent of the entry's variable: in one state the entry is 0, in the other 1. Kept beside the target, it
    gives what classes weigh at both ends by one elimination.
    """

    closed = True

    def __init__(self, classifier: BaseClassifier, cpt: CPT, column: Sequence[int], state: int) -> None:
        self.classifier = classifier
        self._cpt, self._column, self._state = cpt, tuple(column), state
        self.value: Fraction = cpt.exact[(*self._column, state)]
        self.rule = classifier.rule
        network, target, features = classifier.network, classifier.target, classifier.features
        self.matters = len(cpt.child) > 1 and cpt.child.name in network.ancestors([target, *features])
        if self.matters:
            self._prepare(network, target, features)

    def _prepare(self, network: BayesianNetwork, target: str, features: Sequence[str]) -> None:
        name = "switch"
        while name in network.names:
            name += "'"
        switch = Variable(name, ("0", "1"))
        table = np.stack([self._table(Fraction(0)), self._table(Fraction(1))])
        switched = CPT(self._cpt.child, (switch, *self._cpt.parents), table)
        cpts = [switched if cpt is self._cpt else cpt for cpt in network.cpts]
        even = CPT(switch, (), [_HALF, _HALF])
        extended = BayesianNetwork([switch, *network.variables], [even, *cpts])
        parts = independent_parts(extended, target, features)
        mine = [place == 0 or any(name in _names(cpt) for cpt in part) for place, part in enumerate(parts)]
        own = [part for part, is_mine in zip(parts, mine, strict=True) if is_mine]
        others = [part for part, is_mine in zip(parts, mine, strict=True) if not is_mine]
        rest = [cpt for part in others if any(0 in cpt.exact for cpt in part) for cpt in part]
        self._own = Contraction(extended, [cpt for part in own for cpt in part], features, [target, name])
        self._possible = Contraction(extended, rest, features, ())
        self._kept = [self._own.ids[target], self._own.ids[name]]
        self._classes = len(network.variable(target))

    def _table(self, value: Fraction) -> NDArray[np.object_]:
        """Return the table with another value of the entry."""
        table = self._cpt.exact.copy()
        column = table[self._column]
        others = [column[state] for state in range(len(column)) if state != self._state]
        left = sum(others, Fraction(0))
        for state in range(len(column)):
            if state == self._state:
                continue
            share = column[state] / left if left else Fraction(1, len(others))
            table[(*self._column, state)] = (1 - value) * share
        table[(*self._column, self._state)] = value
        return table

    def weigh(self, rows: Rows, exact: bool) -> Sheet:
        """Return what the classes weigh at rows; a threshold weighs classes as it does elsewhere."""
        dtype = np.dtype(object if exact else np.float64)
        values = np.zeros((len(rows), self._classes, 2), dtype=dtype)
        trusted = np.ones(len(rows), dtype=bool)
        roundings = 0
        chunk = self._rows_at_once(len(rows), exact)
        for start in range(0, len(rows), chunk):
            part = rows[start : start + chunk]
            found = self._own.factor(part, dtype)
            values[start : start + chunk] = found.over(self._kept)[found.pattern_of_row]
            trusted[start : start + chunk] = found.trusted[found.pattern_of_row]
            roundings = max(roundings, found.account.roundings)
            if self._possible:
                possible = self._possible.factor(part, np.bool_)
                values[start : start + chunk][~possible.table.reshape(-1)[possible.pattern_of_row]] = 0
        threshold = self.rule.threshold
        if threshold is not None:
            up, down = threshold.numerator, threshold.denominator - threshold.numerator
            factors = (down, up) if exact else (float(1 - threshold), float(threshold))
            values[:, self.rule.positive] *= factors[0]
            values[:, 1 - self.rule.positive] *= factors[1]
            if not exact and min(factors) < 2.0**-60:  # what products lose there is not accounted for
                trusted[:] = False
        return Sheet(values, trusted, roundings + 2)

    def _rows_at_once(self, rows: int, exact: bool) -> int:
        limit = _EXACT_ENTRIES if exact else MAX_TABLE_ENTRIES
        parts = [part for part in (self._own, self._possible) if part]
        found = min((part.rows_at_once(rows, limit) for part in parts), default=rows)
        if not found and rows:
            raise LimitExceeded(
                f"inference needs a table of more than {limit} entries; choose fewer features"
            )
        return max(found, 1)

    def at(self, value: Fraction) -> BaseClassifier:
        """Return the classifier of the network with another value of the entry."""
        one = self.classifier
        changed = CPT(self._cpt.child, self._cpt.parents, self._table(value))
        cpts = [changed if cpt is self._cpt else cpt for cpt in one.network.cpts]
        network = BayesianNetwork(one.network.variables, cpts, one.network.name)
        return BaseClassifier(network, one.target, one.features, one.threshold, one.positive, one.ties)

    def gap(self) -> Fraction:
        """Return a distance below that of any two values where classes are equal, and of one from this."""
        ends = [CPT(self._cpt.child, self._cpt.parents, self._table(Fraction(end))) for end in (0, 1)]
        others = [cpt for cpt in self.classifier.network.cpts if cpt is not self._cpt]
        threshold = self.rule.threshold
        scale = 1 if threshold is None else threshold.denominator
        return _gap([*others, *ends], self.value, scale)


def _names(cpt: CPT) -> set[str]:
    return {variable.name for variable in cpt.scope}


def _denominator(cpt: CPT) -> int:
    entries: list[Fraction] = cpt.exact.reshape(-1).tolist()
    return lcm(*{entry.denominator for entry in entries})


def _gap(cpts: Sequence[CPT], value: Fraction, scale: int = 1) -> Fraction:
    """Return a distance below that of any two values where linear functions of the kind are equal.

    What a class weighs at 0, or at 1, is a whole number of ``1 / D``, at most 1, where ``D`` is the product
    of the tables' denominators. So functions are equal at ``n / m`` with ``m <= 2 D``, and two such values,
    or one and ``value``, are at least ``1 / (4 D²)`` or ``1 / (2 D d)`` apart, ``d`` its denominator.
    """
    denominators = prod([_denominator(cpt) for cpt in cpts])
    return Fraction(1, 8 * (denominators * scale * value.denominator) ** 2)


def mirrored(sheet: Sheet) -> Sheet:
    """Return the same for the number ``1 - value``: so the values below are those above."""
    return replace(sheet, values=sheet.values[:, :, ::-1])
