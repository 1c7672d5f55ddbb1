"""Scores of features, against their definitions and by hand."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnc2d
from bnc2d.base.budget import Budget
from bnc2d.base.readers.choices import ScoreKind
from bnc2d.explain.scores import by_reasons, passes
from bnc2d.explain.scores.quadrature import gauss_legendre, newton_cotes
from bnc2d.testing import random_classifier
from tests.explain.scores.definition import Definition, table_of
from tests.explain.scores.drawn import compare

INSTANCE = {"D": "1", "E": "0", "F": "1"}
THIRD = Fraction(1, 3)


@pytest.fixture(scope="module")
def model() -> bnc2d.CompiledModel:
    return bnc2d.Classifier(bnc2d.example("running"), "A", ["D", "E", "F"]).compile()


@pytest.fixture(scope="module")
def wide() -> bnc2d.CompiledModel:
    """A model with several classes, features of several states, and many reasons."""
    return random_classifier(5, variables=12, features=7, max_states=3, root_target=True).compile()


@pytest.mark.parametrize("seed", [3, 11, 14, 22, 28, 31])
def test_every_score_is_that_of_its_definition(seed: int) -> None:
    compare(seed, 60)


def test_by_hand(model: bnc2d.CompiledModel) -> None:
    """The reasons are ¬E and D ∧ F; the others drawn, five instances of eight are decided so."""
    e = model.explain(INSTANCE)
    assert dict(e.scores("occurrence")) == dict.fromkeys("DEF", Fraction(1, 2))
    assert dict(e.scores("occurrence", weighted=True)) == {"D": 1 / 4, "E": 1 / 2, "F": 1 / 4}
    assert dict(e.scores("responsibility")) == dict.fromkeys("DEF", Fraction(1, 2))
    shapley = e.scores("shapley")
    assert dict(shapley) == {"D": Fraction(1, 12), "E": Fraction(5, 24), "F": Fraction(1, 12)}
    assert (shapley.value, shapley.baseline, shapley.total) == (1, Fraction(5, 8), Fraction(3, 8))
    assert dict(e.scores("banzhaf")) == {"D": Fraction(3, 32), "E": Fraction(7, 32), "F": Fraction(3, 32)}
    assert shapley.ranked() == ["E", "D", "F"]
    assert "5/24" in str(shapley)
    assert repr(shapley) == "<Scores (shapley) E: 0.2083, D: 0.08333, F: 0.08333>"


def test_towards_another_class_is_less_of_the_own(model: bnc2d.CompiledModel) -> None:
    own, other = (
        model.explain(INSTANCE).scores("shapley"),
        model.explain(INSTANCE).scores("shapley", towards="0"),
    )
    assert dict(other) == {name: -number for name, number in own.items()}
    assert (other.value, other.towards, other.decision) == (0, "0", "1")


def test_rules_integrate_what_they_should() -> None:
    for count in (1, 2, 5, 40):
        points, weights = gauss_legendre(count)
        for power in (0, 1, 2 * count - 1):
            assert float(weights @ points**power) == pytest.approx(1 / (power + 1), rel=1e-14)
    for count in (1, 4, 9):
        for power in range(count):
            sums = sum(w * at**power for at, w in enumerate(newton_cotes(count)))
            assert sums == Fraction(1, power + 1)


def test_many_rows_like_one_by_one(wide: bnc2d.CompiledModel) -> None:
    rng = np.random.default_rng(1)
    rows = np.stack([rng.integers(0, size, 80) for size in wide.domain.cardinalities], axis=1)
    frame = pd.DataFrame([wide.domain.decode(row) for row in rows.tolist()], index=range(5, 85))
    labels = wide.diagram.labels(rows)
    wanted = labels[:, None] == np.arange(wide.diagram.terminals)
    marginals = [np.full(size, 1 / size) for size in wide.domain.cardinalities]
    games: list[ScoreKind] = ["shapley", "banzhaf"]
    for kind in games:
        found = wide.scores_many(frame, kind)
        assert found.index.equals(frame.index)
        error = passes.error_bound(wide.diagram, 7, kind)
        for place in range(5):
            one = wide.explain(frame.iloc[place]).scores(kind, exact=True)
            differences = [
                Fraction(found.iloc[place][name]) - Fraction(number) for name, number in one.items()
            ]
            assert max(map(abs, differences)) <= error
        # All rows together, and one after the other: both ways over the diagram.
        one_by_one = [
            passes.values(wide.diagram, rows[i : i + 1], wanted[i : i + 1], marginals, kind)[0]
            for i in range(9)
        ]
        assert np.abs(found.to_numpy()[:9] - one_by_one).max() <= 2 * error
    of_reasons: list[ScoreKind] = ["occurrence", "responsibility"]
    for kind in of_reasons:
        found = wide.scores_many(frame.iloc[:3], kind)
        alone = [wide.explain(frame.iloc[place]).scores(kind) for place in range(3)]
        assert found.to_dict("records") == [{n: float(x) for n, x in one.items()} for one in alone]


def test_many_rows_of_which_some_lack_features(wide: bnc2d.CompiledModel) -> None:
    first = wide.domain.decode([0] * 7)
    partial: dict[str, Any] = {**first, wide.features[2]: None}
    scores = wide.scores_many([first, partial, first], "shapley")
    assert [len(one) for one in scores] == [7, 6, 7]
    assert dict(scores[0]) == dict(scores[2])
    alone = wide.explain({name: state for name, state in first.items() if name != wide.features[2]})
    exact = alone.scores("shapley")
    assert list(exact) == list(scores[1])
    assert all(abs(float(exact[name]) - scores[1][name]) < 1e-12 for name in exact)
    frame = wide.scores_many(pd.DataFrame([first, partial]), "shapley")
    assert frame.isna().sum().sum() == 1


def test_missing_features_are_no_players(model: bnc2d.CompiledModel) -> None:
    """Marginals, and rows, may still have them."""
    e = model.explain({"D": "1", "F": "1"})
    plain = e.scores("shapley", {"E": {"0": 1}})
    assert list(plain) == ["D", "F"]
    assert dict(plain) == dict(e.scores("shapley", [INSTANCE, {"D": 0, "E": 1, "F": 0}]))


def test_allowed_changes_limit_what_is_drawn(wide: bnc2d.CompiledModel) -> None:
    """Drawn among the states that a feature may have, by its marginal there."""
    domain = wide.domain
    feature = next(f for f, size in enumerate(domain.cardinalities) if size == 3)
    name, states = domain.names[feature], domain.states[feature]
    own = (0,) * len(domain)
    table = table_of(wide.classifier)
    marginals = [[Fraction(1, size)] * size for size in domain.cardinalities]
    marginals[feature] = [Fraction(3, 4), Fraction(1, 4), Fraction(0)]
    given = {name: dict(zip(states, [Fraction(1, 2), Fraction(1, 6), THIRD], strict=True))}
    truth = Definition(table, own)
    worths = truth.worths(lambda row: Fraction(table[row] == table[own]), marginals)
    for source in (wide, wide.classifier):
        e = source.explain(domain.decode(own), allowed={name: states[1]})
        assert list(e.scores("shapley", given).values()) == truth.values(worths, "shapley")
        inside = Definition({row: d for row, d in table.items() if row[feature] < 2}, own)
        assert list(e.scores("occurrence").values()) == inside.occurrence()
        assert list(e.scores("responsibility").values()) == inside.responsibility()
        with pytest.raises(bnc2d.ClassifierError, match=f"no state that '{name}' may have"):
            e.scores("shapley", {name: {states[2]: 1}})


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_bounds_hold_without_any_time(compiled: bool, seed: int) -> None:
    classifier = random_classifier(seed, variables=9, features=6, max_states=3)
    source = classifier.compile() if compiled else classifier
    instance = classifier.compile().domain.decode([0] * 6)
    e = source.explain(instance)
    kinds: list[tuple[ScoreKind, bool]] = [
        ("occurrence", False),
        ("occurrence", True),
        ("responsibility", False),
    ]
    for kind, weighted in kinds:
        truth = e.scores(kind, weighted=weighted)
        found = e.scores(kind, weighted=weighted, time_limit=0)
        assert truth.complete
        if found.bounds is None:
            assert dict(found) == dict(truth)
            continue
        assert not found.exact
        for name, (low, high) in found.bounds.items():
            assert low <= truth[name] <= high
            assert low <= found[name] <= high
        assert "between the bounds" in str(found)
        assert json.loads(json.dumps(found.to_dict()))["bounds"].keys() == truth.keys()


@pytest.mark.parametrize("seed", range(5))
def test_responsibility_by_searching(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the reasons are too many for one diagram, the nearest change with a feature bounds its size."""
    model = random_classifier(seed, variables=10, features=7, max_states=3, root_target=True).compile()
    e = model.explain(model.domain.decode([1, 0, 1, 0, 1, 0, 1]))
    truth = e.scores("responsibility")
    monkeypatch.setattr(by_reasons, "_MOST_STEPS", 0)
    assert dict(e.scores("responsibility")) == dict(truth)
    assert e.scores("occurrence", time_limit=5).complete
    least = [by_reasons._nearest_with(e._case, feature, {}) for feature in range(7)]
    sizes = [8 if not number else 1 / number for number in truth.values()]
    assert all(low <= size for low, size in zip(least, sizes, strict=True))


def test_few_features_come_first_in_a_family(wide: bnc2d.CompiledModel) -> None:
    e = wide.explain(wide.domain.decode([1] * 7))
    found = by_reasons.occurrence(e._case, Budget(5), weighted=False)
    assert found.reasons == e.count_sufficient_reasons()
    listed = list(e.sufficient_reasons())
    assert found.numbers == [Fraction(sum(n in r for r in listed), len(listed)) for n in wide.features]


def test_what_is_refused(model: bnc2d.CompiledModel) -> None:
    e = model.explain(INSTANCE)
    with pytest.raises(bnc2d.ArgumentError, match="unknown kind of scores 'shaply'; did you mean 'shapley'"):
        e.scores("shaply")  # type: ignore[arg-type]
    with pytest.raises(bnc2d.ClassifierError, match="no product of independent features"):
        e.scores("shapley", "network")
    with pytest.raises(bnc2d.ClassifierError, match=r"model\.unconstrained"):
        model.given("D -> F").explain(INSTANCE).scores("shapley")
    with pytest.raises(bnc2d.ClassifierError, match=r"model\.unconstrained"):
        model.given("D -> F").scores_many([INSTANCE], "shapley")
    with pytest.raises(bnc2d.InstanceError, match="constraint"):
        model.given("D -> F").scores_many([{**INSTANCE, "F": "0"}], "occurrence")
    with pytest.raises(bnc2d.ArgumentError, match="rests on reasons alone"):
        e.scores("occurrence", "uniform")
    with pytest.raises(bnc2d.ArgumentError, match="weighted=True is for"):
        e.scores("shapley", weighted=True)
    with pytest.raises(bnc2d.ArgumentError, match="of must be"):
        e.scores("shapley", of="class")  # type: ignore[arg-type]
    with pytest.raises(bnc2d.Bnc2dError, match="'2'"):
        e.scores("shapley", towards="2")
    with pytest.raises(bnc2d.ClassifierError, match="column of 'E' has no value"):
        e.scores("shapley", [{"D": 1, "F": 0}])
    big = random_classifier(1, variables=20, features=17, max_states=2)
    instance = {f.name: f.states[0] for f in big.feature_variables}
    with pytest.raises(bnc2d.NotCompiledError, match="more than 65536 instances needs a compiled model"):
        big.explain(instance).scores("banzhaf")
    with pytest.raises(bnc2d.LimitExceeded, match="posterior is no function of the decision diagram"):
        big.explain(instance).scores("shapley", of="posterior")


def test_a_feature_in_no_reason_may_have_a_shapley_value() -> None:
    """The example of the documentation: what decides alone leaves nothing to the others."""
    model = bnc2d.Classifier(bnc2d.example("running"), "A", ["D", "E", "F"]).compile()
    found = [
        (row, name)
        for row in model.diagram.instances(1)
        for name in model.features
        if not model.explain(row).scores("responsibility")[name]
        and model.explain(row).scores("shapley")[name]
    ]
    assert found


def test_scores_are_values(model: bnc2d.CompiledModel) -> None:
    scores = model.explain(INSTANCE).scores("shapley", exact=False)
    assert not scores.exact
    assert 0 < scores.error < 1e-12
    again = pickle.loads(pickle.dumps(scores))  # noqa: S301 - our own
    assert dict(again) == dict(scores)
    assert again.distribution == "uniform"
    with pytest.raises(AttributeError):
        scores.kind = "banzhaf"  # type: ignore[misc]
    assert json.loads(json.dumps(scores.to_dict()))["scores_exact"] is None
    assert model.explain(INSTANCE).scores("shapley").to_dict()["scores_exact"] == {
        "D": "1/12",
        "E": "5/24",
        "F": "1/12",
    }


def test_names_are_escaped_in_html() -> None:
    Y, X = bnc2d.Variable("Y", ("0", "1")), bnc2d.Variable("<b>&", ("0", "1"))
    cpts = [bnc2d.CPT(Y, (), [0.5, 0.5]), bnc2d.CPT(X, (Y,), [0.9, 0.1, 0.2, 0.8])]
    model = bnc2d.Classifier(bnc2d.BayesianNetwork([Y, X], cpts), "Y").compile()
    html = model.explain({"<b>&": 1}).scores("shapley")._repr_html_()
    assert "&lt;b&gt;&amp;" in html
    assert "<b>" not in html
    assert "width:100.0%" in html
