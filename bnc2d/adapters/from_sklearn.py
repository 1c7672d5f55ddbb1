"""Convert a fitted scikit-learn naive Bayes, read by its attributes: scikit-learn is never imported here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, TypeAlias

from bnc2d.adapters.sklearn.cells import RawColumn, raw_column
from bnc2d.adapters.sklearn.likelihood import Likelihood, count_bounds, likelihood, naive_bayes_kind
from bnc2d.adapters.sklearn.names import class_names, input_names, input_width, pipeline_steps
from bnc2d.adapters.sklearn.steps import Chain
from bnc2d.adapters.sklearn.transformers import Column, transformed, transformer_kind
from bnc2d.adapters.sklearn.wrappers import Unwrapped, unwrapped
from bnc2d.api.classifier import Classifier
from bnc2d.base.readers.arguments import items
from bnc2d.base.readers.choices import Ties
from bnc2d.base.readers.numbers import Number
from bnc2d.base.readers.states import find_state
from bnc2d.base.scales import Labels, Scale, States
from bnc2d.errors import ClassifierError, NetworkError, UnknownNameError, did_you_mean
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

FeatureStates: TypeAlias = Mapping[Any, Iterable[object]] | Sequence[Iterable[object] | None]
MaxCounts: TypeAlias = int | Mapping[Any, int] | Sequence[int | None]


def from_sklearn(
    estimator: Any,
    *,
    feature_names: Iterable[object] | None = None,
    feature_states: FeatureStates | None = None,
    target: str = "class",
    threshold: Number | None = None,
    positive: object = None,
    ties: Ties = "lowest",
    max_counts: MaxCounts | None = None,
) -> Classifier:
    """Return the classifier of a fitted naive Bayes, alone or at the end of a pipeline: target → each column.

    ``CategoricalNB``, ``BernoulliNB``, ``MultinomialNB`` and ``ComplementNB`` are taken in, behind
    transformers that work column by column (bins, encoders, imputers, scalers, ``ColumnTransformer``, nested
    pipelines) and inside searches and threshold classifiers. Features are the *raw* columns of the data that
    the pipeline was fitted on, as far as they reach the naive Bayes. Their states are the cells in which
    nothing derived from the column changes: intervals, labels, groups of labels. So raw rows go in, and
    reasons come out in the units of the columns. A missing value reads as the pipeline fills it in; where the
    pipeline takes none, the feature is missing. Numbers are compared as float64.

    The probabilities are exact rationals, ``(count + alpha) / (total + alpha * categories)``, rebuilt from
    the estimator's counts and not read from its rounded logarithms; a float (``alpha``, ``class_prior``,
    weighted counts) is taken as its shortest decimal text. The weights of a column are scaled to sum to 1 for
    each class, and the prior takes up the factors, so ``P(class | row)`` is exactly the estimator's for all
    rows in which every feature is known; with features missing it is that of this network. Decisions differ
    from the estimator's where rounding does (``bnc2d.agreement`` counts these).

    ``feature_names`` defaults to ``feature_names_in_``, then to ``x0, x1, ...``; it names all columns of the
    data. ``feature_states`` names the states of features, as a mapping or with one list per feature (the
    ``categories_`` of an ``OrdinalEncoder`` for a ``CategoricalNB`` alone, say). A ``CategoricalNB`` alone
    has the states ``"0", "1", ...``, and arrays hold these codes. Classes keep their type, in the order of
    ``classes_``; ``positive`` may be a class or its text. Columns of counts, which ``MultinomialNB`` and
    ``ComplementNB`` read, need ``max_counts``: the largest that can be, one for all, or by name or position.

    Raises ``UnsupportedError``, with the reason, for what cannot be taken in exactly, ``ClassifierError`` for
    an estimator that is not fitted or names that do not fit it, and ``NetworkError`` where the counts give no
    distribution.
    """
    inner = unwrapped(estimator)
    *transformers, bayes = _steps(inner.estimator)
    kind = naive_bayes_kind(bayes)
    for transformer in transformers:  # before the columns are counted: not all of these have any
        transformer_kind(transformer)
    all_names = _feature_names(inner.estimator, feature_names)
    columns = [Column(place) for place in range(len(all_names))]
    for transformer in transformers:
        columns = transformed(transformer, columns)
    derived = [all_names[column.raw] for column in columns]
    bounds = count_bounds(max_counts, all_names)
    found = likelihood(bayes, [bounds[column.raw] for column in columns], derived)
    raw = _raw_columns(columns, found, all_names)
    is_plain = kind == "CategoricalNB" and not transformers
    states = _feature_states(feature_states, {name: raw[name].scale for name in raw}, is_plain)
    if target in raw:
        raise ClassifierError(f"the target and a feature are both named {target!r}; pass another target=")
    classes = Variable(target, States(Labels(found.classes)))
    network = _network(found, classes, {name: Variable(name, states[name]) for name in raw}, raw)
    limit, chosen = _threshold(inner, classes, threshold, positive)
    return Classifier(network, target, tuple(raw), threshold=limit, positive=chosen, ties=ties)


def _steps(estimator: Any) -> list[Any]:
    """Return the transformers before the naive Bayes, those of nested pipelines too, and then itself."""
    if "Pipeline" not in class_names(estimator):
        return [estimator]
    *before, last = pipeline_steps(estimator)
    return [*before, *_steps(last)]


def _raw_columns(columns: Sequence[Column], found: Likelihood, names: Sequence[str]) -> dict[str, RawColumn]:
    """Return the columns of the data that reach the naive Bayes, by name and in their order."""
    chains: dict[int, dict[int, Chain]] = {}
    for place, (column, reader) in enumerate(zip(columns, found.readers, strict=True)):
        chains.setdefault(column.raw, {})[place] = column.then(*reader).chain
    raw = {}
    for position in sorted(chains):
        places = list(chains[position])
        weights = partial(_weights_of_one, found, places)
        raw[names[position]] = raw_column(names[position], list(chains[position].values()), weights)
    return raw


def _weights_of_one(found: Likelihood, places: Sequence[int], which: int, value: int) -> list[Fraction]:
    return found.weights(places[which], value)


def _network(
    found: Likelihood, classes: Variable, features: Mapping[str, Variable], raw: Mapping[str, RawColumn]
) -> BayesianNetwork:
    """Return the network with the weights of each column scaled to 1; the prior takes up the factors."""
    prior = list(found.prior)
    cpts = []
    for name, column in raw.items():
        rows = []
        for label, weights in enumerate(column.weights):
            total = sum(weights)
            prior[label] *= total
            # A class that no state is possible in has no probability left; any table will do.
            rows += (
                [weight / total for weight in weights]
                if total
                else [Fraction(1, len(weights))] * len(weights)
            )
        cpts.append(CPT(features[name], (classes,), rows))
    whole = sum(prior)
    if not whole:
        raise NetworkError("every class is impossible, whatever the columns hold; fit with alpha above 0")
    cpts.insert(0, CPT(classes, (), [weight / whole for weight in prior]))
    return BayesianNetwork([cpt.child for cpt in cpts], cpts, name=found.kind)


def _threshold(
    inner: Unwrapped, classes: Variable, threshold: Number | None, positive: object
) -> tuple[Number | None, str | None]:
    """Return the threshold and the name of its class.

    scikit-learn decides a class from its threshold on, bnc2d above it: ``P(a) >= t`` unless ``P(b) > 1 - t``.
    """
    if inner.at_least is None:
        return threshold, None if positive is None else _class_name(classes, positive)
    if threshold is not None or positive is not None:
        raise ClassifierError("the estimator has a threshold of its own; pass the estimator inside it")
    chosen = _class_name(classes, inner.positive)
    return 1 - inner.at_least, next(state for state in classes.states if state != chosen)


def _class_name(classes: Variable, label: object) -> str:
    position = find_state(classes.states, label)
    return str(label) if position is None else classes.states[position]


def _feature_names(estimator: Any, given: Iterable[object] | None) -> list[str]:
    """Return the names of all columns of the data."""
    size = input_width(estimator)
    if given is None:
        given = input_names(estimator) or [f"x{position}" for position in range(size)]
    names = [str(name) for name in items(given, "feature_names", "a list of names", ClassifierError)]
    if len(names) != size:
        raise ClassifierError(f"{len(names)} feature names for an estimator with {size} features")
    for name in names:
        if names.count(name) > 1:
            raise NetworkError(
                f"two variables have the name {name!r}; feature_names= must tell columns apart"
            )
    return names


def _feature_states(
    given: FeatureStates | None, scales: Mapping[str, Scale], is_plain: bool
) -> dict[str, tuple[str, ...]]:
    """Return the states of each feature, under the names given for them; plain ones are names alone."""
    if isinstance(given, Mapping):
        by_name = {str(name): states for name, states in given.items()}
        for name in by_name:
            if name not in scales:
                raise UnknownNameError(
                    f"feature_states: unknown feature {name!r}{did_you_mean(name, scales)}"
                )
        named = [by_name.get(name) for name in scales]
    else:
        named = [None] * len(scales) if given is None else items(given, "feature_states", "lists of states")
        if len(named) != len(scales):
            raise ClassifierError(f"feature_states has {len(named)} entries for {len(scales)} features")
    states: dict[str, tuple[str, ...]] = {}
    for (name, scale), found in zip(scales.items(), named, strict=True):
        size = len(scale.names)
        texts = scale.names if found is None else _texts(found)
        if len(texts) != size:
            raise ClassifierError(f"feature_states of {name!r} must list {size} states, not {found!r}")
        states[name] = texts if is_plain else States(scale, texts)
    return states


def _texts(states: Iterable[object]) -> tuple[str, ...]:
    """Return the names of states; a text is no list of them."""
    listed = not isinstance(states, str) and isinstance(states, Iterable)
    return tuple(str(state) for state in states) if listed else ()
