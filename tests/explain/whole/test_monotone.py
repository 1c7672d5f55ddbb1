"""Monotonicity against all pairs of instances."""

from __future__ import annotations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d import Classifier, ClassifierError, CompiledModel, LimitExceeded, UnknownNameError, example
from bnc2d.logic.diagram import walks
from tests.brute_force.decisions import Known, known_models
from tests.cases import cases


@given(known_models(), st.data())
@settings(max_examples=cases(16, 100), deadline=None)
def test_against_all_pairs(case: Known, data: st.DataObject) -> None:
    model = case.model
    names = data.draw(
        st.lists(st.sampled_from(model.features), min_size=1, max_size=3, unique=True), "features"
    )
    orders = {
        name: data.draw(st.permutations(model.domain.states[model.domain.index(name)]), "order")
        for name in names
        if data.draw(st.booleans(), "reorder")
    }
    towards = data.draw(st.none() | st.sampled_from(model.classes), "towards")
    if towards is None and None in case.decisions.values():
        event("in no class")
        with pytest.raises(ClassifierError, match="in no class"):
            model.is_monotone(names, orders)
        return

    def rank(name: str, state: str) -> int:
        listed = model.domain.states[model.domain.index(name)]
        return list(orders.get(name, listed)).index(state)

    def level(row: tuple[int, ...]) -> int:
        decision = case.decisions[row]
        return int(decision == towards) if towards is not None else model.classes.index(str(decision))

    def falls(low: dict[str, str], high: dict[str, str]) -> bool:
        """Whether the second is the first raised, and its decision lower."""
        raised = all(
            rank(name, low[name]) <= rank(name, high[name]) if name in names else low[name] == high[name]
            for name in low
        )
        return raised and level(case.row(low)) > level(case.row(high))

    answer = model.is_monotone(names, orders or None, towards=towards)
    instances = [case.instance(row) for row in case.decisions]
    if answer:
        event("monotone")
        assert answer.pair is None
        assert "never" in str(answer)
        if len(instances) <= 60:
            assert not any(falls(low, high) for low in instances for high in instances)
        return
    event("not monotone")
    assert answer.pair is not None
    low, high = answer.pair
    assert falls(low, high)
    assert [name for name in low if low[name] != high[name]] == [answer.feature]
    assert answer.decisions == (model.predict(low), model.predict(high))
    assert f"raising {answer.feature} from" in str(answer)


@pytest.fixture(scope="module")
def diagnosis() -> CompiledModel:
    model: CompiledModel = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    return model


def test_the_diagnosis(diagnosis: CompiledModel) -> None:
    assert diagnosis.is_monotone("HR")
    answer = diagnosis.is_monotone("HR", ["High", "Normal", "Low"])
    assert not answer
    assert answer.feature == "HR"
    away = diagnosis.is_monotone("HR", towards="0")
    assert not away
    assert away.pair is not None
    assert diagnosis.predict(away.pair[0]) == "0"


def test_limits(diagnosis: CompiledModel, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LimitExceeded, match="time limit of 0 s"):
        diagnosis.is_monotone("HR", time_limit=0)
    monkeypatch.setattr(walks, "MAX_PAIRS", 0)
    with pytest.raises(LimitExceeded, match="pairs of diagram nodes"):
        diagnosis.is_monotone(diagnosis.features[diagnosis.diagram.order[0]])


def test_errors(diagnosis: CompiledModel) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'HR'"):
        diagnosis.is_monotone("hr")
    with pytest.raises(ClassifierError, match="has no class '7'"):
        diagnosis.is_monotone("HR", towards="7")
    with pytest.raises(ClassifierError, match="name at least one"):
        diagnosis.is_monotone([])
    with pytest.raises(ClassifierError, match="each of its states once"):
        diagnosis.is_monotone("HR", ["Low", "High"])
    with pytest.raises(UnknownNameError, match="did you mean 'Normal'"):
        diagnosis.is_monotone("HR", ["Low", "normal", "High"])
    with pytest.raises(ClassifierError, match="order is a mapping"):
        diagnosis.is_monotone(["HR", "BP"], ["Low", "Normal", "High"])
    with pytest.raises(ClassifierError, match="not among the features"):
        diagnosis.is_monotone(["HR"], {"BP": ["Low", "Normal", "High"]})
    with pytest.raises(UnknownNameError, match="has no state 'LNH'"):
        diagnosis.is_monotone("HR", "LNH")
