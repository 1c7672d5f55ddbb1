"""What is around a pipeline: searches for parameters, and thresholds on the probability of one class."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from bnc2d.adapters.sklearn.names import class_names, fitted
from bnc2d.base.readers.numbers import exact
from bnc2d.errors import ClassifierError, UnsupportedError

_AT_LEAST = ("FixedThresholdClassifier", "TunedThresholdClassifierCV")


class Unwrapped(NamedTuple):
    """An estimator without what was around it; ``at_least`` is a threshold, and ``positive`` its class."""

    estimator: Any
    at_least: Fraction | None = None
    positive: Any = None


def unwrapped(estimator: Any) -> Unwrapped:
    """Return the pipeline or naive Bayes that decides, and the threshold that it decides by."""
    at_least, positive = None, None
    while True:
        names = class_names(estimator)
        if "BaseSearchCV" in names:
            if not estimator.refit:
                raise UnsupportedError(
                    f"{type(estimator).__qualname__} has refit=False, so it kept no estimator"
                )
            estimator = fitted(estimator, "best_estimator_")
        elif "FrozenEstimator" in names:
            estimator = estimator.estimator
        elif any(name in _AT_LEAST for name in names):
            if at_least is not None:
                raise UnsupportedError(
                    "a threshold around a threshold: only the outer one decides; unwrap the inner one"
                )
            at_least, positive = _threshold(estimator, names)
            estimator = getattr(estimator, "estimator_", estimator.estimator)
        else:
            return Unwrapped(estimator, at_least, positive)


def _threshold(estimator: Any, names: list[str]) -> tuple[Fraction, Any]:
    """Return from which probability on a class is decided, and which class."""
    found = type(estimator).__qualname__
    if estimator.response_method == "decision_function":
        raise UnsupportedError(
            f"{found}(response_method='decision_function'): a naive Bayes has probabilities only"
        )
    if "FixedThresholdClassifier" in names:
        number = 0.5 if estimator.threshold == "auto" else estimator.threshold
        positive = estimator.pos_label
    else:
        number = fitted(estimator, "best_threshold_")
        positive = estimator._curve_scorer._get_pos_label()  # there is no public way to it
    try:
        at_least = exact(number)
    except ValueError as error:
        raise ClassifierError(f"the threshold of {found}: {error}") from None
    if not 0 < at_least < 1:
        raise UnsupportedError(
            f"the threshold {float(at_least):g} of {found} is not between 0 and 1, so that one class is "
            "always decided"
        )
    classes = list(fitted(estimator, "classes_"))
    if len(classes) != 2:
        raise UnsupportedError(f"{found} decides between two classes, not {len(classes)}")
    return at_least, classes[1] if positive is None else positive
