"""Compilation by brute force: decide every instance, then reduce the list of decisions to a diagram.

Nothing is assumed about the network; the decisions are those of the model layer, float64 where a bound proves
them and integers where it does not. It is the plainest of all methods, to compare others with.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log10

import numpy as np

from bnc2d.base.arrays import Rows
from bnc2d.base.budget import Budget
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.domain import feature_domain
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.inference import JointQuery

# A label, and its node with the copies that the reduction sorts and compares.
_BYTES_PER_INSTANCE = 8 * 8
_CHUNK = 1 << 16


@dataclass(frozen=True)
class EnumerationResult:
    """The diagram in the order of the features, the instances decided, and those that needed integers."""

    diagram: Diagram
    cells: int
    exact_calls: int


def compile_by_enumeration(classifier: BaseClassifier, budget: Budget) -> EnumerationResult:
    """Return the reduced diagram of any classifier, after asking all instances."""
    count = classifier.instance_count
    with budget.phase("order"):
        shown = str(count) if count < 10**15 else f"10^{log10(count):.1f}"
        remedy = "raise memory_limit or use method='fast'"
        budget.expect(_BYTES_PER_INSTANCE * count, f"listing {shown} instances needs", remedy)
        decide = _Decisions(classifier)
    ends = len(classifier.classes) + classifier.rule.leaves_ties
    with budget.phase("labels"):
        labels = np.empty(count, dtype=np.int64)
        done = 0
        for rows in all_rows(classifier.feature_variables, _CHUNK):
            budget.progress(done / count)
            labels[done : done + len(rows)] = decide.labels(rows)
            done += len(rows)
        labels[labels < 0] = ends - 1  # in no class
    with budget.phase("reduce"):
        builder = DiagramBuilder(ends)
        sizes = [len(feature) for feature in classifier.feature_variables]
        (root,) = reduce_table(labels[None], sizes, builder)
        diagram = builder.finish(feature_domain(classifier), range(len(sizes)), int(root))
    return EnumerationResult(diagram, count, decide.exact_calls)


class _Decisions:
    """Certified decisions on rows that all differ (``Classifier.labels`` looks for equal ones first)."""

    def __init__(self, classifier: BaseClassifier) -> None:
        self._rule = classifier.rule
        self._query = JointQuery(classifier.network, classifier.target, classifier.features)
        self.exact_calls = 0

    def labels(self, rows: Rows) -> Rows:
        """Return the class of each row by position, -1 for none."""
        labels, certain = self._rule.float_labels(self._query.joint(rows, exact=False))
        close = np.flatnonzero(~certain)
        if close.size:
            joint = self._query.joint(rows[close], exact=True)
            labels[close] = [self._rule.exact_label(values) for values in joint.values.tolist()]
            self.exact_calls += len(close)
        return labels
