"""Protected features against all instances, and against SAT."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d import Classifier, ClassifierError, LimitExceeded, UnknownNameError, example
from bnc2d.explain.whole import biased
from bnc2d.explain.whole.bias import Bias
from bnc2d.logic.convert.sat import SatSession
from tests.brute_force.decisions import Known, known, known_models
from tests.cases import cases


def protected_features(case: Known, data: st.DataObject) -> list[str]:
    names = st.sampled_from(case.model.features)
    return data.draw(st.lists(names, min_size=1, max_size=4, unique=True), "protected")


def assert_shown(case: Known, verdict: Bias, protected: list[str]) -> None:
    """The pair differs in protected features only and is decided as said, differently."""
    assert verdict.pair is not None
    one, other = verdict.pair
    assert {name for name in one if one[name] != other[name]} <= set(protected)
    decided = (case.decisions[case.row(one)], case.decisions[case.row(other)])
    assert decided == verdict.decisions == (case.model.predict(one), case.model.predict(other))
    assert decided[0] != decided[1]
    assert "alone changes the decision from" in str(verdict)


@given(known_models(), st.data())
@settings(max_examples=cases(16, 100), deadline=None)
def test_against_all_instances(case: Known, data: st.DataObject) -> None:
    model = case.model
    protected = protected_features(case, data)
    free = [at for at, name in enumerate(model.features) if name not in protected]
    groups: dict[tuple[int, ...], list[str | None]] = {}
    for row, decision in case.decisions.items():
        groups.setdefault(tuple(row[at] for at in free), []).append(decision)
    count = sum(len(group) for group in groups.values() if len(set(group)) > 1)
    verdict = model.is_biased(protected)
    event("biased" if count else "fair")
    assert (verdict.count, verdict.share) == (count, Fraction(count, len(case.decisions)))
    assert bool(verdict) == bool(count)
    if verdict:
        assert_shown(case, verdict, protected)
    else:
        assert verdict.pair is None
        assert verdict.decisions is None
        assert "no change of" in str(verdict)

    row = case.draw_row(data)
    one = model.is_biased(protected, case.instance(row))
    assert bool(one) == (len(set(groups[tuple(row[at] for at in free)])) > 1)
    assert one.count is None
    assert one.share is None
    if one:
        assert_shown(case, one, protected)
        assert one.pair is not None
        assert one.pair[0] == case.instance(row)


@given(known_models(), st.data())
@settings(max_examples=cases(14, 25), deadline=None)
def test_against_sat(case: Known, data: st.DataObject) -> None:
    """SAT looks for a class, an instance in it, and one outside that differs in protected features only."""
    model = case.model
    protected = protected_features(case, data)
    states = zip(model.features, model.domain.states, strict=True)
    free = {name: names for name, names in states if name not in protected}
    found = False
    for name in model.classes:
        inside, outside = model.formula(name), model.formula(name, negated=True)
        for fixed in _assignments(free):
            with SatSession(model.domain) as session:
                sides = [formula.condition(fixed) for formula in (inside, outside)]
                outputs = [session.output(side.manager, side.root) for side in sides]
                found |= all(session.instance([output]) is not None for output in outputs)
    assert bool(model.is_biased(protected)) == found


def _assignments(features: dict[str, tuple[str, ...]]) -> list[dict[str, object]]:
    parts: list[dict[str, object]] = [{}]
    for name, states in features.items():
        parts = [{**part, name: state} for part in parts for state in states]
    return parts


def test_an_irrelevant_feature_is_no_bias() -> None:
    case = known(Classifier(example("diagnosis"), "X", ["D", "CT"], threshold="0.999999", positive="1"))
    assert not case.model.is_biased("CT")
    assert not case.model.is_biased(["D", "CT"], {"D": "1", "CT": "0"})


def test_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    with pytest.raises(LimitExceeded, match="time limit of 0 s"):
        model.is_biased("BP", time_limit=0)
    monkeypatch.setattr(biased, "MAX_SETS", 0)
    with pytest.raises(LimitExceeded, match="sets of diagram nodes"):
        model.is_biased("BP")


def test_errors() -> None:
    model = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    with pytest.raises(UnknownNameError, match="unknown feature 'bp'; did you mean 'BP'"):
        model.is_biased(["bp"])
    with pytest.raises(ClassifierError, match="name at least one"):
        model.is_biased([])
    with pytest.raises(UnknownNameError, match="did you mean 'Low'"):
        model.is_biased("BP", {"BP": "low", "CT": "1", "HR": "Low"})
