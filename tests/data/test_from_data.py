"""from_data against the libraries that train it: on every row, of frames with columns of all types."""

from __future__ import annotations

import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.naive_bayes import CategoricalNB

import bnc2d
from bnc2d.base.scales import scale_of
from bnc2d.data.cuts import nice_between, quantile_cuts
from tests.data.frames import codes_of, random_frame


def held_out_rows(frame: pd.DataFrame, target: str, share: float, seed: int) -> np.ndarray[Any, Any]:
    """Return which rows the documentation says are held out: of each class its share, drawn by the seed."""
    chance, chosen = np.random.default_rng(seed), np.zeros(len(frame), dtype=bool)
    for label in sorted(frame[target].unique()):
        rows = np.flatnonzero((frame[target] == label).to_numpy())
        chosen[chance.permutation(rows)[: min(int(len(rows) * share + 0.5), len(rows) - 1)]] = True
    return chosen


@pytest.mark.parametrize("seed", range(8))
def test_naive_decisions_are_those_of_scikit_learn(seed: int) -> None:
    frame = random_frame(seed)
    clf = bnc2d.from_data(frame, target="y", seed=seed)
    held_out = held_out_rows(frame, "y", 0.25, seed)
    codes, sizes = codes_of(frame, clf), [len(v) for v in clf.feature_variables]
    nb = CategoricalNB(min_categories=sizes).fit(codes[~held_out], frame["y"][~held_out])
    assert np.array_equal(nb.classes_, clf.classes_)
    assert np.allclose(nb.predict_proba(codes), clf.predict_proba(frame), rtol=1e-9)
    decided = clf.predict(frame)
    assert decided.tolist() == nb.predict(codes).tolist()
    assert decided.dtype == frame["y"].dtype
    assert clf.training is not None
    assert (clf.training.rows, clf.training.held_out) == ((~held_out).sum(), held_out.sum())
    assert clf.training.accuracy == pytest.approx(nb.score(codes[held_out], frame["y"][held_out]))
    most = frame["y"][~held_out].value_counts().idxmax()
    assert clf.training.baseline == pytest.approx((frame["y"][held_out] == most).mean())
    # One row at a time, as dicts and as rows of the frame.
    for at in range(0, len(frame), 17):
        row = frame.iloc[at]
        assert clf.predict(row) == decided.iloc[at]
        assert clf.predict(row[list(clf.features)].to_dict()) == decided.iloc[at]


@pytest.mark.parametrize("seed", range(3))
def test_tan_posteriors_are_those_of_pyagrum(seed: int) -> None:
    gum = pytest.importorskip("pyagrum")
    frame = random_frame(seed, rows=150)
    clf = bnc2d.from_data(frame, target="y", structure="tan", alpha=0.5, bins=3)
    codes = codes_of(frame, clf)
    held_out = held_out_rows(frame, "y", 0.25, 0)
    names = {name: f"x{at}" for at, name in enumerate(clf.features)} | {"y": "y"}
    template = gum.BayesNet()
    for variable in clf.network.variables:
        template.add(gum.LabelizedVariable(names[variable.name], "", [f"s{k}" for k in range(len(variable))]))
    for parent, child in clf.network.edges:
        template.addArc(names[parent], names[child])
    assert all(len(clf.network.parents(name)) <= 2 for name in clf.features)
    truth = np.searchsorted(clf.classes_, frame["y"].to_numpy())
    table = pd.DataFrame(codes, columns=[names[name] for name in clf.features]).assign(y=truth)
    learner = gum.BNLearner("s" + table[~held_out].astype(str), template)
    learner.useSmoothingPrior(0.5)
    inference = gum.LazyPropagation(learner.learnParameters(template.dag()))
    ours, decided = clf.predict_proba(frame), clf.predict(frame)
    for at in range(0, len(frame), 3):
        inference.setEvidence({f"x{k}": f"s{code}" for k, code in enumerate(codes[at])})
        theirs = inference.posterior("y")[:]
        assert np.allclose(ours[at], theirs, rtol=1e-7)
        assert clf.classes_[int(np.argmax(theirs))] == decided.iloc[at]


@pytest.mark.parametrize("structure", ["naive", "tan"])
def test_the_tables_are_exact_quotients_of_counts(structure: Literal["naive", "tan"]) -> None:
    frame = pd.DataFrame({"a": list("xxyyxyxxyz"), "b": [0, 1] * 5, "y": list("ppnnpnpnpn")})
    clf = bnc2d.from_data(frame, target="y", structure=structure, test_size=0, alpha=0.1)
    assert clf.training is not None
    assert clf.training.accuracy is None
    assert "no row was held out" in str(clf.training)
    for name in clf.features:
        cpt = clf.network.cpt(name)
        above = [parent.name for parent in cpt.parents]
        for index in np.ndindex(cpt.exact.shape):
            states = dict(zip([*above, name], index, strict=True))
            fits = frame
            for column, state in states.items():
                if column != name:
                    fits = fits[fits[column].astype(str) == clf.network.variable(column).states[state]]
            ones = int((fits[name].astype(str) == clf.network.variable(name).states[states[name]]).sum())
            alpha, size = Fraction(1, 10), len(clf.network.variable(name))
            assert cpt.exact[index] == (ones + alpha) / (len(fits) + alpha * size)


def test_missing_entries_may_be_unknown_or_dropped() -> None:
    frame = random_frame(5)[["y"]].assign(a=np.arange(120) % 5 * 1.5, b=np.arange(120) % 3)
    frame.loc[frame.index[::4], "a"] = np.nan
    unknown = bnc2d.from_data(frame, target="y", missing="unknown", test_size=0)
    dropped = bnc2d.from_data(frame, target="y", missing="drop", test_size=0)
    state = bnc2d.from_data(frame, target="y", test_size=0)
    known = frame.dropna()
    for clf, rows in ((unknown, known), (dropped, known), (state, frame)):
        codes = codes_of(rows, clf)
        nb = CategoricalNB(min_categories=[len(v) for v in clf.feature_variables]).fit(codes, rows["y"])
        position = clf.features.index("a")
        table = np.exp(nb.feature_log_prob_[position])
        assert np.allclose(np.array(clf.network.cpt("a").values), table)
    # The column that misses nothing counts all rows, and so does the prior.
    assert unknown.network.cpt("b") == state.network.cpt("b") != dropped.network.cpt("b")
    assert unknown.network.cpt("y") == state.network.cpt("y")
    assert dropped.training is not None
    assert dropped.training.dropped_rows == 30
    gap = {"a": float("nan"), "b": 1}
    assert unknown.posterior(gap) == unknown.posterior({"b": 1})
    assert state.posterior(gap) != state.posterior({"b": 1})
    assert state.network.variable("a").states[-1] == "missing"
    assert dict(state.explain(gap).instance) == {"a": "missing", "b": "1"}


def test_cuts_are_short_and_keep_rows_in_the_bins_of_scikit_learn() -> None:
    from sklearn.preprocessing import KBinsDiscretizer

    chance = np.random.default_rng(3)
    for size in (30, 200):
        values = np.exp(chance.normal(size=size) * 3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            maker = KBinsDiscretizer(5, encode="ordinal", strategy="quantile", subsample=None)
            bins = maker.fit_transform(values.reshape(-1, 1)).ravel()
        cuts = quantile_cuts(values, 5, whole=False)
        assert np.array_equal(np.searchsorted(cuts, values, side="right"), bins)
        assert all(len(repr(cut)) < 10 for cut in cuts)
    assert quantile_cuts(np.array([1.0, 2, 3, 3]), 5, whole=True) == [2.0, 3.0]


@pytest.mark.parametrize(
    ("low", "high", "whole", "expected"),
    [
        (37.49, 37.52, False, 37.5),
        (37.0, 38.0, False, 37.5),
        (37.0, 38.0, True, 38.0),
        (48.0, 50.0, True, 50.0),
        (-3.0, 4.0, False, 0.0),
        (95.0, 105.0, False, 100.0),
        (0.00012, 0.00018, False, 0.00015),
        (1e300, 2e300, False, 1.5e300),
        (5e-324, 1e-323, False, 1e-323),  # no float lies between
        (1.0, float(np.nextafter(1, 2)), False, float(np.nextafter(1, 2))),
        (-20.0, -17.0, True, -18.0),
    ],
)
def test_the_nicest_number_between(low: float, high: float, whole: bool, expected: float) -> None:
    assert nice_between(low, high, whole) == expected


def test_nice_numbers_lie_between_and_no_shorter_ones_do() -> None:
    chance = np.random.default_rng(0)
    for _ in range(300):
        low, high = sorted((chance.normal(size=2) * 10.0 ** chance.integers(-4, 5)).round(6).tolist())
        if low == high:
            continue
        found = nice_between(low, high)
        assert low < found < high
        decimals = max(0, -int(np.floor(np.log10(high - low)))) + 1
        assert found == round(found, decimals)  # a gap of width w has a number of so many decimals


def test_bins_as_asked() -> None:
    frame = load_iris(as_frame=True).frame.rename(columns=lambda name: name.removesuffix(" (cm)"))
    given: Any = {"sepal length": [5, 6.5], "sepal width": 2, "petal width": "labels"}
    clf = bnc2d.from_data(frame, target="target", bins=given)
    assert clf.network.variable("sepal length").states == ("<5", "[5, 6.5)", "≥6.5")
    assert len(clf.network.variable("sepal width")) == 2
    assert len(clf.network.variable("petal length")) == 5
    assert "0.2" in clf.network.variable("petal width").states
    assert clf.training is not None
    assert clf.training.cuts["sepal length"] == (5.0, 6.5)
    assert set(clf.training.cuts) == {"sepal length", "sepal width", "petal length"}
    assert {len(v) for v in bnc2d.from_data(frame, target="target", bins=3).feature_variables} == {3}


def test_reasons_are_in_the_units_of_the_columns(tmp_path: Path) -> None:
    frame = load_wine(as_frame=True).frame
    clf = bnc2d.from_data(frame, target="target", features=["alcohol", "proline", "hue"])
    reason = clf.explain(frame.iloc[17]).shortest_sufficient_reason()
    assert reason.holds(frame.iloc[17])
    assert "≥" in str(reason) or "<" in str(reason)
    model = clf.compile()
    model.save(tmp_path / "wine.bnc2d")
    loaded = bnc2d.load(tmp_path / "wine.bnc2d")
    assert loaded.classifier.training == clf.training
    assert loaded.predict(frame).tolist() == clf.predict(frame).tolist() == model.predict(frame).tolist()
    html = clf._repr_html_()
    assert "rows held out" in html
    assert "rows held out" in repr(clf)


def test_categories_keep_their_order_and_rare_ones_are_taken_together() -> None:
    chance = np.random.default_rng(0)
    letters = np.array([f"w{k}" for k in range(80)])[(chance.exponential(12, 400)).astype(int).clip(0, 79)]
    grades = pd.Categorical(chance.choice(["low", "mid", "high"], 400), ["low", "mid", "high"], ordered=True)
    frame = pd.DataFrame({"word": letters, "grade": grades, "y": chance.integers(0, 2, 400)})
    with pytest.warns(bnc2d.DataWarning, match="'word' has .* labels: the .* rarest"):
        clf = bnc2d.from_data(frame, target="y")
    states = clf.network.variable("word").states
    assert len(states) == 50
    assert states[-1] == "other"
    assert clf.network.variable("grade").states == ("low", "mid", "high")
    row = {"word": "never seen", "grade": "mid"}
    assert clf.posterior(row) == clf.posterior({**row, "word": "other"})
    with pytest.raises(bnc2d.UnknownNameError, match="'grade' has no state 'medium'"):
        clf.predict({**row, "grade": "medium"})


def test_a_threshold_and_the_positive_class_in_its_own_type() -> None:
    frame = random_frame(1).assign(y=np.arange(120) % 2)
    clf = bnc2d.from_data(frame, target="y", threshold=0.3, positive=0)
    assert clf.positive == "0"
    sure = clf.predict_proba(frame)[:, 0] > 0.3
    assert (clf.predict(frame) == np.where(sure, 0, 1)).all()


def test_columns_of_one_value_names_and_row_numbers_are_left_out() -> None:
    frame = random_frame(0).assign(name=[f"row {k}" for k in range(120)], same=1, gone=np.nan)
    frame["number"] = np.arange(120) + 7
    with pytest.warns(bnc2d.DataWarning, match="left out of the features: 'name' has a different text"):
        clf = bnc2d.from_data(frame, target="y")
    assert clf.training is not None
    assert list(clf.training.dropped) == ["name", "same", "gone", "number"]
    assert set(clf.features) == set(random_frame(0).columns) - {"y"}
    asked = bnc2d.from_data(frame[["number", "y"]], target="y", bins={"number": 2})
    assert asked.features == bnc2d.from_data(frame, target="y", features=["number"]).features == ("number",)
    with pytest.raises(bnc2d.ClassifierError, match="column 'name' has a different text in every row"):
        bnc2d.from_data(frame, target="y", features=["name", "same"])


def test_states_have_a_scale_that_is_pickled() -> None:
    import pickle

    clf = bnc2d.from_data(random_frame(2), target="y")
    again = pickle.loads(pickle.dumps(clf))  # noqa: S301 # our own
    assert again.training == clf.training
    assert all(scale_of(v.states) is not None for v in again.feature_variables)
