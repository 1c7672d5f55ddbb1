"""How probable parts of the completions are: features that may be set, or left open, in one network.

Each missing feature ``F`` of ``n`` states gets a child, its *report*, with the states of ``F`` and one more,
"any". A root ``Z`` says whether reports are to be believed:

    P(report = s | F = s, Z = 1) = 1/2,        P(report = any | F, Z = 1) = 1/2,
    P(report = s | F, Z = 0)     = 1/(2 n),    P(report = any | F, Z = 0) = 1/2.

A *part* fixes some of the missing features: their reports name a state, all others say "any", and sum their
feature out. So ``P(known, reports | Z=1)`` is ``2**-missing`` times ``P(known, part)``, and divided by
``P(known, reports | Z=0)`` it is ``P(part | known)`` times the product of the ``n`` of the features that are
fixed. Both are entries of one row, which float64 inference may scale as a whole: the quotient does not
notice. One network, with one plan to eliminate its variables, answers for all parts.
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
_SIZES = (1, 32, 512)  # numbers of rows that are asked together
_ROWS_AT_ONCE = 512
_HALF = Fraction(1, 2)
# What is nearer to zero is not relied on: a bound from above is not less, one from below is nothing.
TINY = 1e-300


class Masses:
    """Answers for rows over all features of a classifier; a missing one has a state, or its ``any_state``."""

    def __init__(self, classifier: BaseClassifier, missing: Sequence[int]) -> None:
        self._classifier = classifier
        self._missing = list(missing)
        self.any_state = [len(variable) for variable in classifier.feature_variables]

    @cached_property
    def _query(self) -> JointQuery:
        network, names = self._with_reports(None)
        return JointQuery(network, self._classifier.target, names)

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
        found: list[int] = []
        chunk = _rows_at_once(self._exact, len(rows), _MOST_EXACT_ENTRIES)
        for start in range(0, len(rows), chunk):
            checkpoint()
            factor = self._exact.factor(rows[start : start + chunk], np.dtype(object))
            found += factor.table.reshape(-1)[factor.pattern_of_row].tolist()
        return found

    def bounds(self, rows: Rows) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return ``P(part | known)`` for each row, from below and from above; 0 only where it is impossible.

        What is known must be possible. Floats of ``k`` roundings are off by a share ``g = k u / (1 - k u)``
        at most, so a quotient lies within a factor ``(1 ± g) / (1 ∓ g)`` of the truth; ``4 (k + 8) u`` covers
        that with the roundings of what follows. Rows that float64 cannot be trusted with are asked exactly.
        """
        lower, upper = np.zeros(len(rows)), np.zeros(len(rows))
        chunk = _rows_at_once(self._weighed, len(rows), _MOST_ENTRIES)
        for start in range(0, len(rows), chunk):
            checkpoint()
            some = rows[start : start + chunk]
            # Padded, so that few plans serve all numbers of rows; equal rows are one pattern.
            padded = np.concatenate([some, np.repeat(some[:1], chunk - len(some), axis=0)])
            factor = self._weighed.factor(padded, np.dtype(np.float64))
            values = factor.table.reshape(-1, 2)[factor.pattern_of_row][: len(some)]
            trusted = factor.trusted[factor.pattern_of_row][: len(some)]
            sizes = np.array(self.any_state)
            parts = np.where(some[:, self._missing] < sizes[self._missing], sizes[self._missing], 1)
            with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
                found = values[:, 1] / values[:, 0] / parts.prod(axis=1, dtype=np.float64)
            off = 4.0 * (factor.account.roundings + len(self._missing) + 8) * UNIT_ROUNDOFF
            if off < 0.1:
                lower[start : start + chunk] = np.where(found > TINY, found * (1 - off), 0.0)
                above = np.minimum(np.maximum(found * (1 + off), TINY), 1.0)
                upper[start : start + chunk] = np.where(values[:, 1] > 0, above, 0.0)
            trusted &= np.isfinite(found) & (off < 0.1)
            for place in (start + np.flatnonzero(~trusted)).tolist():
                lower[place], upper[place] = self._exact_bounds(rows[place : place + 1])
        return lower, upper

    def _exact_bounds(self, row: Rows) -> tuple[float, float]:
        whole = row.copy()
        whole[:, self._missing] = np.array(self.any_state)[self._missing]
        part, total = self.exact(np.concatenate([row, whole]))
        share = Fraction(part, total)
        below, above = np.nextafter(float(share), [0.0, 2.0]).tolist()
        return below, max(above, TINY) if share else 0.0

    @cached_property
    def _exact(self) -> Contraction:
        network, names = self._with_reports(None)
        return _contraction(network, names, [])

    @cached_property
    def _weighed(self) -> Contraction:
        believed = Variable(_fresh("Z", self._classifier.network.names), ("no", "yes"))
        network, names = self._with_reports(believed)
        return _contraction(network, names, [believed.name])

    def _with_reports(self, believed: Variable | None) -> tuple[BayesianNetwork, list[str]]:
        """Return the network with reports, and what is observed in it; without ``Z`` all are believed."""
        network, names = self._classifier.network, list(self._classifier.features)
        variables, cpts = list(network.variables), list(network.cpts)
        if believed is not None:
            variables.append(believed)
            cpts.append(CPT(believed, (), [_HALF, _HALF]))
        for feature in self._missing:
            variable = self._classifier.feature_variables[feature]
            taken = [other.name for other in variables]
            report = Variable(
                _fresh(variable.name, taken), (*variable.states, _fresh("any", variable.states))
            )
            variables.append(report)
            cpts.append(_report(report, variable, believed))
            names[feature] = report.name
        return BayesianNetwork(variables, cpts, network.name), names


def _report(report: Variable, feature: Variable, believed: Variable | None) -> CPT:
    """Return the table of a report (see the module)."""
    width = len(feature)
    entries: list[Fraction] = []
    for is_believed in (True,) if believed is None else (False, True):
        for state in range(width):
            for told in range(width):
                right = _HALF if told == state else Fraction(0)
                entries.append(right if is_believed else Fraction(1, 2 * width))
            entries.append(_HALF)
    return CPT(report, (feature,) if believed is None else (believed, feature), entries)


def _fresh(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "′"
    return name


def _contraction(network: BayesianNetwork, observed: Sequence[str], kept: Sequence[str]) -> Contraction:
    """Return the product of the tables that matter, with all summed out but what is kept."""
    relevant = network.ancestors(observed)
    cpts = [network.cpt(name) for name in network.names if name in relevant]
    return Contraction(network, cpts, observed, kept)


def _rows_at_once(contraction: Contraction, rows: int, limit: int) -> int:
    """Return how many rows to ask together; few numbers, since each takes a plan of its own."""
    few = next(size for size in _SIZES if size >= min(rows, _SIZES[-1]))
    found = contraction.rows_at_once(few, limit)
    if not found:
        raise LimitExceeded("the probability of completions needs tables that are too large")
    return found
