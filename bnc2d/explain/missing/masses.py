"""How probable sets of completions are: features that may be set, or left open, in one network.

Each missing feature ``F`` gets a child, its *report*, with the states of ``F`` and one more, "any":

    P(report = s | F = s) = 1/2,        P(report = any | F) = 1/2.

So ``P(known, reports)`` is ``2**-missing`` times the probability of what is known and of the features whose
report names a state; where the report is "any" its feature is summed out. One network, with one plan to
eliminate its variables, answers for all sets of completions that fix some of the missing features.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import checkpoint
from bnc2d.errors import LimitExceeded
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.decision import Labels
from bnc2d.model.inference import Contraction, JointQuery
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

# Entries of the largest table, of floats and of integers, that are allowed at a time.
_MOST_ENTRIES, _MOST_EXACT_ENTRIES = 1 << 24, 1 << 20
_ROWS_AT_ONCE = 512
_HALF = Fraction(1, 2)
# A bound from above that is positive is not less: what underflows must not become nothing.
_TINY = 1e-300


class Masses:
    """Answers for rows over all features of a classifier; a missing one has a state, or its ``any_state``."""

    def __init__(self, classifier: BaseClassifier, missing: Sequence[int]) -> None:
        self._classifier = classifier
        self.any_state = [len(variable) for variable in classifier.feature_variables]
        network = classifier.network
        variables, cpts = list(network.variables), list(network.cpts)
        taken, self._names = set(network.names), list(classifier.features)
        for feature in missing:
            report, cpt = _report_of(classifier.feature_variables[feature], taken)
            taken.add(report.name)
            variables.append(report)
            cpts.append(cpt)
            self._names[feature] = report.name
        self._network = BayesianNetwork(variables, cpts, network.name)
        self._contractions: dict[int, Contraction] = {}

    @cached_property
    def _query(self) -> JointQuery:
        return JointQuery(self._network, self._classifier.target, self._names)

    def labels(self, rows: Rows) -> Labels:
        """Return the decision on each row, given what its features are; -1 for no class."""
        found = np.empty(len(rows), dtype=np.intp)
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            checkpoint()
            some = slice(start, start + _ROWS_AT_ONCE)
            found[some] = self._classifier.rule.labels(self._query, rows[some])[0]
        return found

    def posteriors(self, rows: Rows) -> NDArray[np.float64]:
        """Return about what the posterior of each row is."""
        joint = self._query.joint(rows, exact=False).values
        totals = joint.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(joint, totals, out=np.zeros_like(joint), where=totals > 0))

    def exact(self, rows: Rows) -> list[int]:
        """Return the probability of each row, exactly, as integers with one denominator for all questions."""
        contraction = self._contraction(None)
        found: list[int] = []
        chunk = self._rows_at_once(contraction, len(rows), _MOST_EXACT_ENTRIES)
        for start in range(0, len(rows), chunk):
            checkpoint()
            factor = contraction.factor(rows[start : start + chunk], np.dtype(object))
            found += factor.table.reshape(-1)[factor.pattern_of_row].tolist()
        return found

    def conditionals(self, rows: Rows, feature: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ``P(feature = state | row)`` for each row and state, from below and from above.

        The feature is "any" in each row. An impossible row has zeros.

        Floats of ``k`` roundings are off by a share of ``g = k u / (1 - k u)`` at most, and so is a sum of
        them; a quotient lies within a factor ``(1 ± g) / (1 ∓ g)`` of the truth, and ``4 (k + n + 8) u``
        covers that with the sum of ``n`` states. Rows that float64 cannot be trusted with are asked exactly.
        """
        contraction = self._contraction(feature)
        states = self.any_state[feature]
        lower = np.zeros((len(rows), states))
        upper = np.zeros((len(rows), states))
        chunk = self._rows_at_once(contraction, len(rows), _MOST_ENTRIES)
        for start in range(0, len(rows), chunk):
            checkpoint()
            some = rows[start : start + chunk]
            factor = contraction.factor(some, np.dtype(np.float64))
            values = factor.table.reshape(-1, states)[factor.pattern_of_row]
            trusted = factor.trusted[factor.pattern_of_row]
            totals = values.sum(axis=1, keepdims=True)
            shares = np.divide(values, totals, out=np.zeros_like(values), where=totals > 0)
            off = 4.0 * (factor.account.roundings + states + 8) * UNIT_ROUNDOFF
            here = slice(start, start + len(some))
            if off < 0.1:
                above = np.minimum(np.maximum(shares * (1 + off), _TINY), 1.0)
                lower[here], upper[here] = shares * (1 - off), np.where(values > 0, above, 0.0)
            else:
                trusted = np.zeros(len(some), dtype=bool)
            for place in np.flatnonzero(~trusted).tolist():
                lower[start + place], upper[start + place] = self._exact_conditional(
                    contraction, some[place : place + 1], states
                )
        return lower, upper

    def _exact_conditional(
        self, contraction: Contraction, row: Rows, states: int
    ) -> tuple[list[float], list[float]]:
        self._rows_at_once(contraction, 1, _MOST_EXACT_ENTRIES)
        values = contraction.factor(row, np.dtype(object)).table.reshape(states).tolist()
        total = sum(values) or 1
        shares = [Fraction(value, total) for value in values]
        below = [float(np.nextafter(float(share), 0.0)) for share in shares]
        above = [max(float(np.nextafter(float(share), 2.0)), _TINY) if share else 0.0 for share in shares]
        return below, above

    def _contraction(self, kept: int | None) -> Contraction:
        """Return the product of the tables that matter, with all summed out but a feature, if one is kept."""
        key = -1 if kept is None else kept
        if key not in self._contractions:
            names = [] if kept is None else [self._classifier.features[kept]]
            network = self._network
            relevant = network.ancestors(self._names)
            cpts = [network.cpt(name) for name in network.names if name in relevant]
            self._contractions[key] = Contraction(network, cpts, self._names, names)
        return self._contractions[key]

    @staticmethod
    def _rows_at_once(contraction: Contraction, rows: int, limit: int) -> int:
        found = contraction.rows_at_once(max(1, min(rows, _ROWS_AT_ONCE)), limit)
        if not found:
            raise LimitExceeded("the probability of completions needs tables that are too large")
        return found


def _report_of(feature: Variable, taken: set[str]) -> tuple[Variable, CPT]:
    """Return the report of a feature (see the module)."""
    name, any_state = feature.name, "any"
    while name in taken:
        name += "′"
    while any_state in feature.states:
        any_state += "′"
    report = Variable(name, (*feature.states, any_state))
    width = len(feature)
    entries = [
        _HALF if report_state in (state, width) else Fraction(0)
        for state in range(width)
        for report_state in range(width + 1)
    ]
    return report, CPT(report, (feature,), entries)
