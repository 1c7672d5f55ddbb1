"""The features of a classifier as the domain of diagrams and circuits."""

from __future__ import annotations

from bnc2d.logic.domain import Domain
from bnc2d.model.classifier import BaseClassifier


def feature_domain(classifier: BaseClassifier) -> Domain:
    """Return the features with their states, in the classifier's order."""
    return Domain({variable.name: variable.states for variable in classifier.feature_variables})
