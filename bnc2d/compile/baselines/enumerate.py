"""Compilation by brute force: decide every instance, then reduce the list of decisions to a diagram.

Nothing is assumed about the network; the decisions are those of the model layer, float64 where a bound proves
them and integers where it does not. It is the plainest of all methods, to compare others with.
"""

from __future__ import annotations

from math import log10

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.result import Compiled, diagram_of_list
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.inference import JointQuery

# A label, and its node with the copies that the reduction sorts and compares.
_BYTES_PER_INSTANCE = 8 * 8
_CHUNK = 1 << 16


def compile_by_enumeration(classifier: BaseClassifier, budget: Budget) -> Compiled:
    """Return the diagram of any classifier in the order of its features, after asking all instances."""
    count = classifier.instance_count
    with budget.phase("order"):
        shown = str(count) if count < 10**15 else f"10^{log10(count):.1f}"
        remedy = "raise memory_limit or use method='fast'"
        budget.expect(_BYTES_PER_INSTANCE * count, f"listing {shown} instances needs", remedy)
        query = JointQuery(classifier.network, classifier.target, classifier.features)
    ends = len(classifier.classes) + classifier.rule.leaves_ties
    with budget.phase("labels"):
        labels = np.empty(count, dtype=np.int64)
        done = exact_calls = 0
        for rows in all_rows(classifier.feature_variables, _CHUNK):
            budget.progress(done / count)
            labels[done : done + len(rows)], close = classifier.rule.labels(query, rows)
            done += len(rows)
            exact_calls += close
        labels[labels < 0] = ends - 1  # in no class
    with budget.phase("reduce"):
        diagram = diagram_of_list(classifier, labels, ends)
    return Compiled(diagram, count, exact_calls)
