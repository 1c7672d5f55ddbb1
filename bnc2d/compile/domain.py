"""The features of a classifier as the domain of diagrams and circuits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.logic.domain import Domain
from bnc2d.model.classifier import BaseClassifier


def feature_domain(classifier: BaseClassifier) -> Domain:
    """Return the features with their states, in the classifier's order."""
    return Domain({variable.name: variable.states for variable in classifier.feature_variables})


def diagram_of_list(classifier: BaseClassifier, labels: NDArray[np.int64], terminals: int) -> Diagram:
    """Return the reduced diagram of the labels of all instances, the last feature varying fastest."""
    builder = DiagramBuilder(terminals)
    sizes = [len(feature) for feature in classifier.feature_variables]
    (root,) = reduce_table(labels[None], sizes, builder)
    return builder.finish(feature_domain(classifier), range(len(sizes)), int(root))
