"""What every method of compilation returns: a diagram over the features of the classifier, and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.graph.feature_tree import Widths
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.logic.domain import Domain
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import BaseClassifier

Formulas: TypeAlias = Mapping[tuple[int, bool], NNF]  # by label and negation

_NO_WIDTHS = Widths(0, 0, 0)


@dataclass(frozen=True)
class Compiled:
    """A reduced diagram of all decisions, and what it took; figures that a method lacks are 0 or None.

    ``cells`` were decided, ``exact_calls`` of them in integers. ``formulas`` are those that the method made
    by itself, if it does not leave them to the diagram.
    """

    diagram: Diagram
    cells: int
    exact_calls: int
    widths: Widths = _NO_WIDTHS
    log_work: float | None = None
    frontier: int | None = None
    formulas: Formulas | None = None


def feature_domain(classifier: BaseClassifier) -> Domain:
    """Return the features with their states, in the classifier's order."""
    return Domain({variable.name: variable.states for variable in classifier.feature_variables})


def diagram_of_list(classifier: BaseClassifier, labels: NDArray[np.int64], terminals: int) -> Diagram:
    """Return the reduced diagram of the labels of all instances, the last feature varying fastest."""
    builder = DiagramBuilder(terminals)
    sizes = [len(feature) for feature in classifier.feature_variables]
    (root,) = reduce_table(labels[None], sizes, builder)
    return builder.finish(feature_domain(classifier), range(len(sizes)), int(root))
