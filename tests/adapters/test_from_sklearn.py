"""from_sklearn against the estimator's own predictions and against counts by hand, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from bnc2d.adapters.from_sklearn import from_sklearn
from bnc2d.api.classifier import Classifier
from bnc2d.errors import Bnc2dError, ClassifierError, NetworkError, UnknownNameError, UnsupportedError

Data = tuple[NDArray[np.int64], NDArray[np.int64]]

without_smoothing = pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
impossible_instances = pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")


def sample(seed: int, sizes: tuple[int, ...], classes: int, rows: int = 60) -> Data:
    """Return instances over features with these numbers of categories, and classes that depend on them."""
    rng = np.random.default_rng(seed)
    X = np.stack([rng.integers(0, size, rows) for size in sizes], axis=1)
    X[: max(sizes)] = [[category % size for size in sizes] for category in range(max(sizes))]
    y = (X.sum(axis=1) + rng.integers(0, 2, rows)) % classes
    y[:classes] = range(classes)
    return X, y


def assert_agrees(clf: Classifier, estimator: Any) -> None:
    """Compare posteriors and decisions on every instance."""
    features = [clf.network.variable(name) for name in clf.features]
    grid = list(product(*(range(len(feature)) for feature in features)))
    expected = zip(estimator.predict_proba(np.array(grid)), estimator.predict(np.array(grid)), strict=True)
    for row, (probabilities, decision) in zip(grid, expected, strict=True):
        instance = {feature.name: feature.states[k] for feature, k in zip(features, row, strict=True)}
        if np.isnan(probabilities).any():  # impossible: all classes tie
            assert clf.predict(instance) == decision == clf.class_labels[0]
            continue
        posterior = clf.posterior(instance)
        assert list(posterior) == [str(label) for label in estimator.classes_]
        assert np.allclose([float(p) for p in posterior.values()], probabilities, rtol=1e-9, atol=0)
        second, first = sorted(posterior.values())[-2:]
        if first - second > 1e-9:
            assert clf.predict(instance) == decision


@without_smoothing
@impossible_instances
@pytest.mark.filterwarnings("ignore:alpha too small:UserWarning")
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"alpha": 0.5},
        {"alpha": 0},
        {"alpha": 0, "force_alpha": False},
        {"alpha": 1e-12, "force_alpha": True},
        {"fit_prior": False},
        {"class_prior": "skewed"},
        {"min_categories": 4},
        {"min_categories": [2, 5, 3]},
    ],
    ids=str,
)
def test_categorical_agrees_with_scikit_learn(parameters: dict[str, Any], classes: int) -> None:
    if "class_prior" in parameters:
        parameters = {"class_prior": [0.7, 0.2, 0.1][:classes]}  # of two, it sums to 0.9
    estimator = CategoricalNB(**parameters).fit(*sample(classes, (3, 2, 4), classes, rows=25))
    assert_agrees(from_sklearn(estimator), estimator)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"alpha": 0.5},
        {"alpha": 0},
        {"fit_prior": False},
        {"class_prior": "skewed"},
        {"binarize": None},
        {"alpha": "array"},
    ],
    ids=str,
)
def test_bernoulli_agrees_with_scikit_learn(parameters: dict[str, Any], classes: int) -> None:
    if "class_prior" in parameters:
        parameters = {"class_prior": [0.4, 0.3, 0.2, 0.1][:classes]}
    if "alpha" in parameters and parameters["alpha"] == "array":
        parameters = {"alpha": np.full(classes, 0.3)}
    estimator = BernoulliNB(**parameters).fit(*sample(classes, (2,) * classes, classes))
    assert_agrees(from_sklearn(estimator), estimator)


@pytest.mark.parametrize("kind", [CategoricalNB, BernoulliNB])
def test_sample_weights_and_partial_fits(kind: Callable[..., Any]) -> None:
    sizes = (2, 2, 2) if kind is BernoulliNB else (3, 4, 2)
    X, y = sample(7, sizes, 3)
    weights = np.random.default_rng(7).integers(1, 30, len(y)) / 10
    weighted = kind(alpha=0.1).fit(X, y, sample_weight=weights)
    assert_agrees(from_sklearn(weighted), weighted)
    batches = kind()
    batches.partial_fit(X[:30], y[:30], classes=[0, 1, 2, 3], sample_weight=weights[:30])  # no 3 among them
    batches.partial_fit(X[30:] % 2, y[30:])  # fewer categories than before
    clf = from_sklearn(batches)
    assert clf.network.cpt("class").exact[3] == 0
    assert_agrees(clf, batches)


def test_categorical_entries_are_exact() -> None:
    X = [[0, 0], [0, 1], [1, 2], [1, 0], [0, 0], [0, 1], [1, 1]]
    y = ["b", "b", "b", "a", "a", "a", "a"]
    clf = from_sklearn(CategoricalNB(alpha=0.1).fit(X, y))
    net = clf.network
    assert (clf.target, clf.features, clf.classes) == ("class", ("x0", "x1"), ("a", "b"))
    assert net.names == ("class", "x0", "x1")
    assert net.edges == (("class", "x0"), ("class", "x1"))
    assert net.cpt("class").exact.tolist() == [Fraction(4, 7), Fraction(3, 7)]
    assert net.cpt("x0").exact.tolist() == [
        [Fraction(21, 42), Fraction(21, 42)],
        [Fraction(21, 32), Fraction(11, 32)],
    ]
    assert net.cpt("x1").exact.tolist() == [
        [Fraction(21, 43), Fraction(21, 43), Fraction(1, 43)],
        [Fraction(11, 33), Fraction(11, 33), Fraction(11, 33)],
    ]


def test_bernoulli_entries_are_exact_and_about_the_binarised_feature() -> None:
    X = np.array([[0.2, 9], [0.9, 0], [0.7, 0.1], [0.1, 0.3], [0.8, 0.8]])
    y = [True, True, True, False, False]
    estimator = BernoulliNB(alpha=1, binarize=0.5, class_prior=[1 / 3, 2 / 3]).fit(X, y)
    clf = from_sklearn(estimator)
    assert clf.classes == ("False", "True")
    assert clf.network.cpt("class").exact.tolist() == [Fraction(1, 3), Fraction(2, 3)]
    assert clf.network.cpt("x0").exact.tolist() == [
        [Fraction(2, 4), Fraction(2, 4)],
        [Fraction(2, 5), Fraction(3, 5)],
    ]
    assert clf.network.variable("x0").states == ("≤0.5", ">0.5")
    assert clf.predict(X).tolist() == estimator.predict(X).tolist()
    for row, expected in zip(X, estimator.predict_proba(X), strict=True):
        posterior = clf.posterior({"x0": str(int(row[0] > 0.5)), "x1": str(int(row[1] > 0.5))})
        assert [float(p) for p in posterior.values()] == pytest.approx(expected, rel=1e-9)


def test_force_alpha_false_raises_a_tiny_alpha() -> None:
    with pytest.warns(UserWarning, match="alpha too small"):
        estimator = BernoulliNB(alpha=0, force_alpha=False).fit([[0], [0], [1]], [0, 0, 1])
    tiny = Fraction(1, 10**10)
    table = from_sklearn(estimator).network.cpt("x0").exact
    assert table.tolist()[0] == [(2 + tiny) / (2 + 2 * tiny), tiny / (2 + 2 * tiny)]


def test_rounding_in_weighted_counts_gives_no_negative_entry() -> None:
    estimator = BernoulliNB(alpha=0).fit([[1], [1]], [0, 1])
    estimator.feature_count_ = np.nextafter(estimator.class_count_, 2).reshape(2, 1)
    assert from_sklearn(estimator).network.cpt("x0").exact.tolist() == [[0, 1], [0, 1]]


@without_smoothing
def test_bernoulli_without_smoothing_decides_where_scikit_learn_has_nan() -> None:
    estimator = BernoulliNB(alpha=0).fit([[0, 0], [0, 1], [1, 1], [1, 0]], [0, 0, 1, 1])
    assert from_sklearn(estimator).posterior({"x0": "1", "x1": "0"}) == {"0": 0, "1": 1}


def test_names_and_states() -> None:
    frame = pd.DataFrame({"colour": ["red", "blue", "red", "green"], "size": ["S", "L", "S", "S"]})
    encoder = OrdinalEncoder()
    codes = pd.DataFrame(encoder.fit_transform(frame), columns=frame.columns)
    estimator = CategoricalNB().fit(codes, ["yes", "no", "no", "yes"])
    named = from_sklearn(estimator, feature_states=encoder.categories_, target="buys")
    assert named.features == ("colour", "size")
    assert named.network.variable("colour").states == ("blue", "green", "red")
    assert named.classes == ("no", "yes")
    half = from_sklearn(estimator, feature_names=["c", 2], feature_states={2: [1, False]}).network
    assert [variable.states for variable in half.variables[1:]] == [("0", "1", "2"), ("1", "False")]
    assert half.cpts[1:] != named.network.cpts[1:]
    assert np.array_equal(half.cpt("2").exact, named.network.cpt("size").exact)


def test_threshold_positive_and_ties_reach_the_classifier() -> None:
    X, y = [[0], [1], [1], [0]], [0, 0, 1, 1]
    estimator = CategoricalNB().fit(X, y)
    assert from_sklearn(estimator).predict({"x0": "0"}) == 0
    assert from_sklearn(estimator, threshold="0.4", positive=1).predict({"x0": "0"}) == 1
    assert from_sklearn(estimator, threshold=0.5, positive="1").predict({"x0": "0"}) == 0
    assert from_sklearn(estimator, ties="none").predict({"x0": "0"}) is None


def fitted(**parameters: Any) -> Any:
    return CategoricalNB(**parameters).fit([[0, 0], [1, 2], [1, 1]], [0, 1, 1])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"target": "x1"}, ClassifierError, "target and a feature are both named 'x1'"),
        ({"feature_names": ["a"]}, ClassifierError, "1 feature names for an estimator with 2 features"),
        ({"feature_names": [1, "1"]}, NetworkError, "two variables have the name '1'"),
        ({"feature_states": [["a", "b"]]}, ClassifierError, "1 entries for 2 features"),
        ({"feature_states": {"x1": ["a", "b"]}}, ClassifierError, "'x1' must list 3 states, not"),
        ({"feature_states": {"x1": "abc"}}, ClassifierError, "'x1' must list 3 states, not 'abc'"),
        ({"feature_states": [None, [1, "1", 2]]}, NetworkError, "'x1' has the state '1' twice"),
        ({"feature_states": {"x": ["a", "b"]}}, UnknownNameError, "unknown feature 'x'; did you mean 'x1'"),
    ],
)
def test_names_that_do_not_fit(arguments: dict[str, Any], error: type[Bnc2dError], message: str) -> None:
    with pytest.raises(error, match=message):
        from_sklearn(fitted(), **arguments)


@pytest.mark.parametrize(
    "parameters", [{"alpha": 2}, {"fit_prior": False}, {"class_prior": [0.5, 0.5]}, {"alpha": 0}]
)
def test_parameters_changed_after_fitting_are_noticed(parameters: dict[str, Any]) -> None:
    with pytest.raises(ClassifierError, match="parameter was changed after fit"):
        from_sklearn(fitted().set_params(**parameters))


def test_an_array_of_different_alphas_is_refused_as_scikit_learn_misapplies_it() -> None:
    data = sample(1, (2, 2), 2)
    with pytest.raises(ClassifierError, match=r"feature_log_prob_ of 'x0' .* alpha is an array"):
        from_sklearn(BernoulliNB(alpha=[0.5, 2]).fit(*data))
    with pytest.raises(ClassifierError, match="alpha has 3 values for 2 features"):
        from_sklearn(BernoulliNB().fit(*data).set_params(alpha=[1, 1, 1]))


@without_smoothing
@impossible_instances
def test_counts_that_give_no_distribution() -> None:
    unseen = CategoricalNB(alpha=0).partial_fit([[0], [1]], [0, 0], classes=[0, 1])
    with pytest.raises(NetworkError, match=r"P\(x0 \| class=1\) is 0/0"):
        from_sklearn(unseen)
    with pytest.raises(NetworkError, match="exceeds its class_count_"):
        from_sklearn(BernoulliNB(binarize=None).fit([[3], [0]], [0, 1]))
    with pytest.raises(NetworkError, match=r"weights \['0', '0'\] give no distribution"):
        from_sklearn(fitted(class_prior=[0, 0]))
    with pytest.raises(NetworkError, match="class_prior: 'nan' is not a finite"):
        from_sklearn(fitted(class_prior=[np.nan, 1]))


@pytest.mark.parametrize(
    ("estimator", "name"),
    [
        (CategoricalNB(), "CategoricalNB"),
        (BernoulliNB(), "BernoulliNB"),
        (MultinomialNB(), "MultinomialNB"),
        (ComplementNB(), "ComplementNB"),
        (make_pipeline(OrdinalEncoder(), CategoricalNB()), "CategoricalNB"),
        (GridSearchCV(CategoricalNB(), {}), "GridSearchCV"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_not_fitted(estimator: Any, name: str) -> None:
    with pytest.raises(ClassifierError, match=rf"{name} is not fitted"):
        from_sklearn(estimator)


@pytest.mark.parametrize(
    "estimator",
    [GaussianNB(), OrdinalEncoder(), CategoricalNB, "model.pkl", None],
    ids=lambda estimator: type(estimator).__name__,
)
def test_other_estimators_are_refused_by_name(estimator: object) -> None:
    name = type(estimator).__name__
    with pytest.raises(UnsupportedError, match=f"at the end of a Pipeline, not {name}(: the densities .*)?$"):
        from_sklearn(estimator)
