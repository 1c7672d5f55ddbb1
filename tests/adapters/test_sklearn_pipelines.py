"""from_sklearn on pipelines: raw rows decided as scikit-learn decides them, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.model_selection import (
    FixedThresholdClassifier,
    GridSearchCV,
    RandomizedSearchCV,
    TunedThresholdClassifierCV,
)
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB, MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    FunctionTransformer,
    KBinsDiscretizer,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    QuantileTransformer,
    StandardScaler,
)

import bnc2d
from bnc2d.base.scales import Intervals, Labels, scale_of
from bnc2d.errors import Bnc2dError, ClassifierError, UnknownNameError, UnsupportedError
from tests.adapters.random_pipelines import Case, random_case, rows_near_cuts, taken_rows

# Of pipelines that can be fitted; thousands more were compared by hand.
SEEDS = [0, 1, 2, 3, 5, 6, 8, 9, 12, 13, 15, 16, 18, 21, 28, 31, 36, 38, 40, 47, 51, 52, 57, 58]

with_known_warnings = pytest.mark.filterwarnings(
    "ignore:Found unknown categories:UserWarning",
    "ignore:Bins whose width are too small:UserWarning",
    "ignore:Feature . is constant:UserWarning",
    "ignore:Scoring failed:UserWarning",
)


def assert_same(clf: bnc2d.Classifier, case: Case, rows: pd.DataFrame) -> None:
    """Compare decisions, with their type, and probabilities on rows that the estimator takes."""
    found = bnc2d.agreement(clf, case.estimator, rows)
    assert found, str(found)
    assert found.rows == len(rows) > 0
    assert np.abs(clf.predict_proba(rows) - case.estimator.predict_proba(rows)).max() < 1e-9
    assert clf.classes_.tolist() == case.estimator.classes_.tolist()
    assert {type(label) for label in clf.classes_.tolist()} == {
        type(one) for one in case.estimator.classes_.tolist()
    }


@with_known_warnings
@pytest.mark.parametrize("seed", SEEDS)
def test_random_pipelines_decide_raw_rows_alike(seed: int) -> None:
    case = random_case(seed, rows=40)
    clf = bnc2d.from_sklearn(case.estimator, max_counts=case.max_counts)
    rows = taken_rows(case, rows_near_cuts(case, clf, seed, rows=20))
    assert_same(clf, case, rows)


def people(rows: int = 80) -> tuple[pd.DataFrame, Any]:
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 12, rows).round(1),
            "income": rng.integers(10, 90, rows) * 1000,
            "job": rng.choice(["clerk", "nurse", "smith"], rows),
            "name": [f"person {number}" for number in range(rows)],
        }
    )
    return frame, np.where(frame["age"] + rng.normal(0, 8, rows) > 42, "old", "young")


def binned(**parameters: Any) -> KBinsDiscretizer:
    known = "quantile_method" in KBinsDiscretizer().get_params()
    quantiles: dict[str, Any] = {"quantile_method": "averaged_inverted_cdf"} if known else {}
    return KBinsDiscretizer(encode="ordinal", **quantiles, **parameters)


def test_features_are_the_raw_columns_in_their_units() -> None:
    frame, classes = people()
    numbers = make_pipeline(SimpleImputer(strategy="median"), binned(n_bins=3, strategy="uniform"))
    columns = ColumnTransformer([("n", numbers, ["age", "income"]), ("c", OrdinalEncoder(), ["job"])])
    pipeline = make_pipeline(columns, CategoricalNB()).fit(frame, classes)
    clf = bnc2d.from_sklearn(pipeline, target="group")
    assert clf.features == ("age", "income", "job")  # the name is dropped
    edges = columns.fit(frame).named_transformers_["n"][-1].bin_edges_[0]
    scale = scale_of(clf.network.variable("age").states)
    assert isinstance(scale, Intervals)
    assert [cut.value for cut in scale.cuts] == edges[1:-1].tolist()
    assert scale.missing == scale.position(frame["age"].median())
    assert clf.network.variable("job").states == ("clerk", "nurse", "smith")
    # All codes are reached, so nothing is left for the prior to take up.
    assert clf.network.cpt("group").exact.tolist() == [
        Fraction(int((classes == c).sum()), len(frame)) for c in ("old", "young")
    ]
    reason = next(clf.explain(frame.iloc[0]).general_sufficient_reasons())
    assert any(sign in str(reason) for sign in ("<", "≥")), reason
    missing = frame.assign(age=np.nan)
    assert clf.predict(missing).tolist() == pipeline.predict(missing).tolist()
    assert clf.score(frame, classes) == pipeline.score(frame, classes)


def test_the_cells_of_a_column_refine_all_that_is_derived_from_it() -> None:
    frame, classes = people()
    columns = ColumnTransformer(
        [
            ("bins", binned(n_bins=2, strategy="uniform"), [0]),
            ("above", make_pipeline(StandardScaler(), Binarizer(threshold=0.3)), ["age"]),
        ]
    )
    pipeline = make_pipeline(columns, BernoulliNB()).fit(frame, classes)
    clf = bnc2d.from_sklearn(pipeline)
    scale = scale_of(clf.network.variable("age").states)
    assert isinstance(scale, Intervals)
    assert len(scale.cuts) == 2
    for cut in scale.cuts:  # exactly where scikit-learn's own float64 changes its mind
        below, above = np.nextafter(cut.first_above, -np.inf), cut.first_above
        probe = frame.iloc[:2].assign(age=[below, above])
        assert len(np.unique(columns.transform(probe), axis=0)) == 2
        assert np.allclose(clf.predict_proba(probe), pipeline.predict_proba(probe), atol=1e-12)


def test_groups_of_labels_missing_ones_and_those_not_seen() -> None:
    frame = pd.DataFrame({"c": ["a"] * 9 + ["b"] * 8 + ["x", "y"] + [np.nan] * 5})
    classes = [0, 1] * 12
    encoder = OneHotEncoder(min_frequency=3, handle_unknown="infrequent_if_exist")
    pipeline = make_pipeline(encoder, BernoulliNB()).fit(frame, classes)
    clf = bnc2d.from_sklearn(pipeline)
    scale = scale_of(clf.network.variable("c").states)
    assert isinstance(scale, Labels)
    assert scale.names == ("a", "b", "x or y or other", "missing")
    rows = pd.DataFrame({"c": ["a", "b", "x", "y", "z", np.nan]})
    assert np.allclose(clf.predict_proba(rows), pipeline.predict_proba(rows), atol=1e-12)
    strict = make_pipeline(OneHotEncoder(), BernoulliNB()).fit(frame, classes)
    with pytest.raises(UnknownNameError, match="'c' has no state 'z'"):
        bnc2d.from_sklearn(strict).predict(rows)


def test_counts_have_bounds() -> None:
    counts = np.array([[2, 1, 0], [0, 3, 1], [1, 0, 0], [0, 2, 2], [3, 0, 1]])
    labels = [0, 1, 0, 1, 0]
    every = np.array(np.meshgrid(*[range(4)] * 3)).T.reshape(-1, 3)
    for bayes in (MultinomialNB(alpha=0.5), ComplementNB(), MultinomialNB(alpha=[0.5, 1, 2])):
        bayes.fit(counts, labels)
        clf = bnc2d.from_sklearn(bayes, max_counts=3)
        assert np.allclose(clf.predict_proba(every), bayes.predict_proba(every), atol=1e-12)
        assert bnc2d.agreement(clf, bayes, every)
        by_name = bnc2d.from_sklearn(bayes, max_counts={"x0": 3, "x1": 3, "x2": 3})
        assert by_name.network.cpts == clf.network.cpts
        assert len(bnc2d.from_sklearn(bayes, max_counts=[1, 2, 3]).network.variable("x1")) == 3
        with pytest.raises(UnsupportedError, match=r"'x0': \w+NB reads counts of any size; pass max_counts="):
            bnc2d.from_sklearn(bayes)
        with pytest.raises(UnknownNameError, match="has no state '4'"):
            clf.predict({"x0": 4, "x1": 0, "x2": 0})
        with pytest.raises(UnknownNameError, match=r"has no state '0.5'"):
            clf.predict({"x0": 0.5, "x1": 0, "x2": 0})
    shares = (
        bnc2d.from_sklearn(MultinomialNB(alpha=1).fit(counts, labels), max_counts=1).network.cpt("x1").exact
    )
    assert shares[0].tolist() == [Fraction(11, 13), Fraction(2, 13)]  # 1 : 2/11


@pytest.mark.parametrize(
    ("bounds", "error", "words"),
    [
        (-1, Bnc2dError, "max_counts must not be negative"),
        ("3", Bnc2dError, "max_counts must be a whole number"),
        ([1, 2], ClassifierError, "2 entries for 3 features"),
        ({"x9": 1}, UnknownNameError, "max_counts: unknown feature 'x9'"),
    ],
)
def test_bounds_that_are_none(bounds: Any, error: type[Bnc2dError], words: str) -> None:
    with pytest.raises(error, match=words):
        bnc2d.from_sklearn(MultinomialNB().fit([[0, 1, 2], [2, 1, 0]], [0, 1]), max_counts=bounds)


def test_a_threshold_classifier_decides_from_its_threshold_on() -> None:
    X = np.array([[0], [0], [1], [1], [1], [0]])
    y = np.array(["no", "no", "no", "no", "yes", "yes"])  # P(yes) is 1/3 exactly where x0 is 0 or 1
    bayes = BernoulliNB(alpha=0.5).fit(X, y)
    both = np.array([[0], [1]])
    for number in (0.25, 0.3, 0.4, 0.75):
        for label in ("no", "yes"):
            fixed = FixedThresholdClassifier(bayes, threshold=number, pos_label=label).fit(X, y)
            assert bnc2d.from_sklearn(fixed).predict(both).tolist() == fixed.predict(both).tolist()
    tie = BernoulliNB().fit([[0], [1]] * 2, [0, 0, 1, 1])  # P(1) is 1/2, and from 1/2 on it is 1
    fixed = FixedThresholdClassifier(tie, threshold=0.5).fit([[0], [1]] * 2, [0, 0, 1, 1])
    assert bnc2d.from_sklearn(tie).predict(both).tolist() == [0, 0]
    assert bnc2d.from_sklearn(fixed).predict(both).tolist() == [1, 1]
    with pytest.raises(ClassifierError, match="a threshold of its own"):
        bnc2d.from_sklearn(fixed, threshold=0.2)
    with pytest.raises(UnsupportedError, match=r"1\.5 of FixedThresholdClassifier is not between 0 and 1"):
        bnc2d.from_sklearn(fixed.set_params(threshold=1.5))


def test_what_is_around_a_pipeline_is_taken_off() -> None:
    frame, classes = people()
    columns = ColumnTransformer([("n", binned(n_bins=3, strategy="uniform"), ["age", "income"])])
    pipeline = make_pipeline(columns, CategoricalNB(min_categories=3))
    grid = {"categoricalnb__alpha": [0.1, 1, 5]}
    tuned = TunedThresholdClassifierCV(pipeline, scoring="balanced_accuracy", cv=2, thresholds=10).fit(
        frame, classes
    )
    for found in (
        GridSearchCV(pipeline, grid, cv=2).fit(frame, classes),
        RandomizedSearchCV(pipeline, grid, n_iter=2, cv=2, random_state=0).fit(frame, classes),
        tuned,
    ):
        assert bnc2d.agreement(bnc2d.from_sklearn(found), found, frame)
    assert bnc2d.from_sklearn(tuned).threshold is not None
    with pytest.raises(UnsupportedError, match="CalibratedClassifierCV: calibration changes probabilities"):
        bnc2d.from_sklearn(CalibratedClassifierCV(pipeline, cv=2).fit(frame, classes))
    with pytest.raises(UnsupportedError, match="refit=False"):
        bnc2d.from_sklearn(GridSearchCV(pipeline, grid, cv=2, refit=False).fit(frame, classes))


class Doubled(OrdinalEncoder):  # type: ignore[misc] # scikit-learn has no types
    """An encoder with a mind of its own."""

    def transform(self, X: Any) -> Any:  # noqa: N803 # scikit-learn's name
        return 2 * super().transform(X)


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (PCA(1), "PCA exactly: its columns mix several"),
        (FunctionTransformer(np.abs), "it calls a function; apply that to the data first"),
        (QuantileTransformer(n_quantiles=5), "cannot be traced back to exact cuts"),
        (KNNImputer(), "depends on other columns; use SimpleImputer"),
        (TfidfTransformer(), "it gives fractions"),
        (Doubled(), "Doubled exactly: it has a transform of its own"),
        (MinMaxScaler(), "column 'age': MultinomialNB reads what MinMaxScaler gives, which are no whole"),
    ],
    ids=lambda one: "" if isinstance(one, str) else type(one).__name__,
)
def test_steps_that_are_not_exact_are_refused_with_the_reason(step: Any, words: str) -> None:
    frame, classes = people()
    pipeline = make_pipeline(step, Binarizer(threshold=0.1), BernoulliNB())
    if isinstance(step, MinMaxScaler):
        pipeline = make_pipeline(step, MultinomialNB())
    pipeline.fit(frame[["age", "income"]], classes)
    with pytest.raises(UnsupportedError, match=words):
        bnc2d.from_sklearn(pipeline)


def test_estimators_that_are_not_exact_are_refused_with_the_reason() -> None:
    frame, classes = people()
    with pytest.raises(
        UnsupportedError, match=r"GaussianNB: the densities .*KBinsDiscretizer before CategoricalNB"
    ):
        bnc2d.from_sklearn(make_pipeline(StandardScaler(), GaussianNB()).fit(frame[["age"]], classes))
    with pytest.raises(UnsupportedError, match=r"norm=True.* irrational"):
        bnc2d.from_sklearn(ComplementNB(norm=True).fit([[1, 2], [2, 1]], [0, 1]), max_counts=2)
    texts = make_pipeline(CountVectorizer(), MultinomialNB()).fit(["a good day", "a bad night"], [0, 1])
    with pytest.raises(Bnc2dError, match="makes counts out of texts"):
        bnc2d.from_sklearn(texts)


def test_missing_values_that_no_number_is_like_have_a_state_of_their_own() -> None:
    frame = pd.DataFrame({"age": [-20.0, 50, np.nan, -30, 60, np.nan]})
    imputer = SimpleImputer(strategy="mean", add_indicator=True)
    pipeline = make_pipeline(imputer, Binarizer(threshold=0.5), BernoulliNB()).fit(frame, [0, 1, 1, 0, 0, 1])
    clf = bnc2d.from_sklearn(pipeline)
    assert clf.network.variable("age").states == ("≤0.5", ">0.5", "missing")
    assert np.allclose(clf.predict_proba(frame), pipeline.predict_proba(frame), atol=1e-12)
    assert str(next(clf.explain(frame.iloc[2]).sufficient_reasons())) == "age = missing"


def test_a_value_that_stands_for_missing_is_a_state_of_its_own() -> None:
    frame = pd.DataFrame({"age": [20.0, 50, -1, 30, 60, -1, 55, 21]})
    imputer = SimpleImputer(missing_values=-1, strategy="constant", fill_value=60)
    pipeline = make_pipeline(imputer, Binarizer(threshold=40), BernoulliNB()).fit(frame, [0, 1] * 4)
    clf = bnc2d.from_sklearn(pipeline)
    assert clf.network.variable("age").states == ("<-1", "-1", "(-1, 40]", ">40")
    rows = pd.DataFrame({"age": [-2, -1, -0.5, 40, 40.5]})
    assert np.allclose(clf.predict_proba(rows), pipeline.predict_proba(rows), atol=1e-12)


def test_arrays_of_a_pipeline_hold_raw_values() -> None:
    frame, classes = people()
    table = frame[["age", "income"]].to_numpy(dtype=float)
    pipeline = make_pipeline(binned(n_bins=4, strategy="kmeans"), CategoricalNB()).fit(table, classes)
    clf = bnc2d.from_sklearn(pipeline)
    assert clf.features == ("x0", "x1")
    assert clf.predict(table).tolist() == pipeline.predict(table).tolist()
    named = bnc2d.from_sklearn(
        pipeline, feature_names=["age", "income"], feature_states={"age": list("abcd")}
    )
    assert named.predict({"age": table[0, 0], "income": table[0, 1]}) == pipeline.predict(table[:1])[0]
    assert named.network.variable("age").states == ("a", "b", "c", "d")


def test_a_bin_that_the_naive_bayes_never_saw_is_refused() -> None:
    frame = pd.DataFrame({"age": [10.0, 20, 30, 40]})
    bins = binned(n_bins=3, strategy="uniform").fit(frame)
    bayes = CategoricalNB().fit(bins.transform(frame)[:2], [0, 1])
    pipeline = make_pipeline(bins, CategoricalNB()).fit(frame, [0, 1, 0, 1])
    pipeline.steps[-1] = ("categoricalnb", bayes)
    with pytest.raises(
        UnsupportedError, match=r"refuses values such as .* though others are taken; .*min_categories"
    ):
        bnc2d.from_sklearn(pipeline)


def test_pipelines_in_pipelines_and_columns_by_the_names_of_a_step_before() -> None:
    frame, classes = people()
    frame["owner"] = frame["income"] > 40_000
    first = ColumnTransformer(
        [("fill", SimpleImputer(), ["age", "income"]), ("rest", "passthrough", ["job", "owner"])],
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    bins = KBinsDiscretizer(3, strategy="uniform", encode="onehot-dense", dtype=np.float32)
    second = ColumnTransformer(
        [("bins", bins, ["income", "age"]), ("labels", OneHotEncoder(sparse_output=False), ["job"])],
        remainder="passthrough",
    )
    pipeline = make_pipeline(first, make_pipeline(second, "passthrough", BernoulliNB())).fit(frame, classes)
    clf = bnc2d.from_sklearn(pipeline)
    assert clf.features == ("age", "income", "job", "owner")
    assert bnc2d.agreement(clf, pipeline, frame).equal == len(frame)
    assert np.allclose(clf.predict_proba(frame), pipeline.predict_proba(frame), atol=1e-12)
    assert clf.predict(frame.iloc[3]) == pipeline.predict(frame.iloc[3:4])[0]  # with a bool of numpy


def test_columns_that_are_dropped_are_no_features() -> None:
    frame, classes = people()
    table = frame[["age", "income"]].to_numpy()
    columns = ColumnTransformer([("bins", binned(n_bins=3, strategy="uniform"), [1])])
    pipeline = make_pipeline(columns, CategoricalNB()).fit(table, classes)
    clf = bnc2d.from_sklearn(pipeline)
    assert clf.features == ("x1",)
    assert bnc2d.agreement(clf, pipeline, table, rows=table[:, [1]])
    with pytest.raises(Bnc2dError, match=r"expected an array of shape \(instances, 1\)"):
        clf.predict(table)
