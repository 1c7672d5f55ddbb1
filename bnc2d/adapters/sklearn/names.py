"""Which class of scikit-learn an object is, and the columns that it was fitted on."""

from __future__ import annotations

from typing import Any

from bnc2d.errors import ClassifierError


def class_names(estimator: object) -> list[str]:
    """Return the names of an object's classes that are scikit-learn's own, the nearest first."""
    return [one.__name__ for one in type(estimator).__mro__ if one.__module__.split(".")[0] == "sklearn"]


def is_own(estimator: object, method: str) -> bool:
    """Return whether a method is scikit-learn's, and not overridden by somebody."""
    module = getattr(getattr(type(estimator), method, None), "__module__", "sklearn")
    return str(module).split(".")[0] == "sklearn"


def fitted(estimator: Any, attribute: str) -> Any:
    """Return an attribute that ``fit`` sets."""
    try:
        return getattr(estimator, attribute)
    except AttributeError:
        name = type(estimator).__qualname__
        raise ClassifierError(f"the {name} is not fitted; call its fit() first") from None


def input_width(estimator: Any) -> int:
    """Return the number of columns that an estimator was fitted on."""
    return int(fitted(_first(estimator), "n_features_in_"))


def input_names(estimator: Any) -> list[str] | None:
    """Return the names of the columns that an estimator was fitted on, None for an array."""
    names = getattr(_first(estimator), "feature_names_in_", None)
    return None if names is None else [str(name) for name in names]


def pipeline_steps(pipeline: Any) -> list[Any]:
    """Return the steps that a pipeline takes to predict; those that resample take part in fitting alone."""
    steps = [step for _, step in pipeline.steps if not hasattr(step, "fit_resample")]
    return [step for step in steps if step is not None and not is_word(step, "passthrough")]


def is_word(transformer: object, word: str) -> bool:
    """Return whether a word is in place of a transformer: ``"drop"`` or ``"passthrough"``."""
    return isinstance(transformer, str) and transformer == word


def _first(estimator: Any) -> Any:
    """Return the first of an estimator's steps that reads the data."""
    while "Pipeline" in class_names(estimator):
        estimator = pipeline_steps(estimator)[0]
    return estimator
