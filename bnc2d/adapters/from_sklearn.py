"""Convert a fitted scikit-learn naive Bayes, read by its attributes: scikit-learn is never imported here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import exp, isclose
from typing import Any, TypeAlias

import numpy as np

from bnc2d.api.classifier import Classifier
from bnc2d.base.readers.choices import Ties
from bnc2d.base.readers.numbers import Number, exact
from bnc2d.errors import ClassifierError, NetworkError, UnknownNameError, UnsupportedError, did_you_mean
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

FeatureStates: TypeAlias = Mapping[Any, Iterable[object]] | Sequence[Iterable[object] | None]

_SUPPORTED = ("CategoricalNB", "BernoulliNB")
_SMALLEST_ALPHA = Fraction(1, 10**10)  # what scikit-learn raises alpha to when force_alpha=False
_FLOAT_NOISE = 1e-9


def from_sklearn(
    estimator: Any,
    *,
    feature_names: Iterable[object] | None = None,
    feature_states: FeatureStates | None = None,
    target: str = "class",
    threshold: Number | None = None,
    positive: object = None,
    ties: Ties = "lowest",
) -> Classifier:
    """Return the classifier of a fitted ``CategoricalNB`` or ``BernoulliNB``: target → each feature.

    The probabilities are exact rationals, ``(count + alpha) / (total + alpha * categories)``, rebuilt from
    the estimator's counts and not read from its rounded logarithms; a float (``alpha``, ``class_prior``,
    weighted counts) is taken as its shortest decimal text. A ``class_prior`` that does not sum to 1 is
    scaled, which changes no posterior.

    ``feature_names`` defaults to ``feature_names_in_``, then to ``x0, x1, ...``. ``feature_states`` names
    the categories 0, 1, ... of the features, as a mapping or with one list per feature (the
    ``categories_`` of an ``OrdinalEncoder``, say); it defaults to ``"0", "1", ...``. Classes are
    ``str(class)`` in the order of ``classes_``; ``positive`` may be a class or its text. A feature of a
    ``BernoulliNB`` is the one after its ``binarize`` step: ``"1"`` means above that threshold.

    Raises ``UnsupportedError`` for any other estimator, ``ClassifierError`` for one that is not fitted or
    names that do not fit it, and ``NetworkError`` where the counts give no distribution.
    """
    kind = _kind(estimator)
    if kind == "CategoricalNB":
        # n_categories_ would be of the last batch only.
        counts = [[_exact(row, "category_count_") for row in table] for table in estimator.category_count_]
        logs = estimator.feature_log_prob_
    else:  # which keeps the logarithms of P(1 | class) only
        counts, logs = _binary_counts(estimator), np.transpose(estimator.feature_log_prob_)[:, :, None]
    names = _feature_names(estimator, feature_names, len(counts))
    if target in names:
        raise ClassifierError(f"the target and a feature are both named {target!r}; pass another target=")
    classes = Variable(target, tuple(str(label) for label in estimator.classes_))
    states = _feature_states(feature_states, names, [len(rows[0]) for rows in counts])
    alphas = _alphas(estimator, len(names))
    cpts = [CPT(classes, (), _prior(estimator))]
    for position, name in enumerate(names):
        feature = Variable(name, states[position])
        table = _smoothed(feature, classes, counts[position], alphas[position])
        _check_same(f"feature_log_prob_ of {name!r}", table, logs[position])
        cpts.append(CPT(feature, (classes,), [entry for row in table for entry in row]))
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts, name=kind)
    label = None if positive is None else str(positive)
    return Classifier(network, target, names, threshold=threshold, positive=label, ties=ties)


def _kind(estimator: object) -> str:
    """Return which of the supported estimators this is, after checking that it is fitted."""
    names = [one.__name__ for one in type(estimator).__mro__ if one.__module__.split(".")[0] == "sklearn"]
    kind = next((name for name in names if name in _SUPPORTED), None)
    found = type(estimator).__qualname__
    if kind is None:
        raise UnsupportedError(f"from_sklearn converts a fitted {' or '.join(_SUPPORTED)}, not {found}")
    if not hasattr(estimator, "feature_log_prob_"):
        raise ClassifierError(f"the {found} is not fitted; call its fit() first")
    return kind


def _binary_counts(estimator: Any) -> list[list[list[Fraction]]]:
    """Return how often each feature was 0 and 1, by feature and class."""
    totals = _exact(estimator.class_count_, "class_count_")
    counts = []
    for column in np.transpose(estimator.feature_count_):
        pairs = list(zip(totals, _exact(column, "feature_count_"), strict=True))
        if any(ones > total * (1 + _FLOAT_NOISE) for total, ones in pairs):
            remedy = "with binarize=None every value must be 0 or 1"
            raise NetworkError(f"a feature_count_ exceeds its class_count_: {remedy}")
        # Float sums of sample weights may differ a little.
        counts.append([[max(total - ones, Fraction(0)), ones] for total, ones in pairs])
    return counts


def _smoothed(
    feature: Variable, classes: Variable, counts: list[list[Fraction]], alpha: Fraction
) -> list[list[Fraction]]:
    """Return ``P(category | class)`` by class and category."""
    table = []
    for label, row in zip(classes.states, counts, strict=True):
        total = sum(row) + alpha * len(row)
        if total == 0:
            what = f"P({feature.name} | {classes.name}={label})"
            raise NetworkError(f"{what} is 0/0: the class was never seen and alpha is 0")
        table.append([(count + alpha) / total for count in row])
    return table


def _alphas(estimator: Any, size: int) -> list[Fraction]:
    """Return the smoothing of each feature, with the lower bound that ``force_alpha=False`` sets."""
    given = _exact(np.ravel(np.asarray(estimator.alpha, dtype=object)), "alpha")
    if len(given) not in (1, size):
        raise ClassifierError(f"alpha has {len(given)} values for {size} features")
    if not estimator.force_alpha:
        given = [max(alpha, _SMALLEST_ALPHA) for alpha in given]
    return given * size if len(given) == 1 else given


def _prior(estimator: Any) -> list[Fraction]:
    """Return the class probabilities, of which scikit-learn uses the proportions only."""
    if estimator.class_prior is not None:
        weights = _exact(estimator.class_prior, "class_prior")
    elif estimator.fit_prior:
        weights = _exact(estimator.class_count_, "class_count_")
    else:
        weights = [Fraction(1)] * len(estimator.classes_)
    total = sum(weights)
    if total <= 0 or len(weights) != len(estimator.classes_):
        raise NetworkError(f"the class weights {[str(weight) for weight in weights]} give no distribution")
    prior = [weight / total for weight in weights]
    logs = np.asarray(estimator.class_log_prior_)
    _check_same("class_log_prior_", [prior], [logs - np.log(np.exp(logs).sum())])
    return prior


def _check_same(what: str, table: list[list[Fraction]], logs: Iterable[Sequence[float]]) -> None:
    """Raise where the estimator's own probabilities are not the rebuilt ones.

    ``logs`` has a row for each row of ``table``, for all of its columns or for the last ones.
    """
    for row, log_row in zip(table, logs, strict=True):
        for entry, log in zip(row[-len(log_row) :], log_row, strict=True):
            if not isclose(entry, exp(log), rel_tol=_FLOAT_NOISE):
                says = f"{exp(log):.6g}, but the counts and parameters give {float(entry):.6g}"
                why = (
                    "a parameter was changed after fit(), or alpha is an array (BernoulliNB misapplies those)"
                )
                raise ClassifierError(f"{what} says {says}: {why}")


def _feature_names(estimator: Any, given: Iterable[object] | None, size: int) -> tuple[str, ...]:
    if given is None:
        given = getattr(estimator, "feature_names_in_", [f"x{position}" for position in range(size)])
    names = tuple(str(name) for name in given)
    if len(names) != size:
        raise ClassifierError(f"{len(names)} feature names for an estimator with {size} features")
    return names


def _feature_states(
    given: FeatureStates | None, names: tuple[str, ...], sizes: list[int]
) -> list[tuple[str, ...]]:
    """Return the states of each feature: those given for it, or its categories' numbers."""
    if isinstance(given, Mapping):
        by_name = {str(name): states for name, states in given.items()}
        for name in by_name:
            if name not in names:
                raise UnknownNameError(f"feature_states: unknown feature {name!r}{did_you_mean(name, names)}")
        given = [by_name.get(name) for name in names]
    elif given is None:
        given = [None] * len(names)
    elif len(given) != len(names):
        raise ClassifierError(f"feature_states has {len(given)} entries for {len(names)} features")
    states = []
    for name, size, found in zip(names, sizes, given, strict=True):
        texts = tuple(str(state) for state in (range(size) if found is None else found))
        if len(texts) != size or isinstance(found, str):
            raise ClassifierError(f"feature_states of {name!r} must list {size} states, not {found!r}")
        states.append(texts)
    return states


def _exact(numbers: Iterable[object], what: str) -> list[Fraction]:
    try:
        return [exact(number) for number in numbers]
    except ValueError as error:
        raise NetworkError(f"{what}: {error}") from None
