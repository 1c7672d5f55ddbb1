"""The explanation of a partial instance is that of the classifier over what is known."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pandas as pd
import pytest

from bnc2d import Classifier, CompiledModel, Explanation, NotCompiledError, example
from bnc2d.errors import Bnc2dError, InstanceError, LimitExceeded, UnknownNameError
from bnc2d.explain.missing import smaller
from bnc2d.explain.routes import CompiledRoute, NetworkRoute
from tests.explain.missing.completions import some_completions
from tests.hard_classifiers import mixed_classifier

Asked = Classifier | CompiledModel
ROUTES: list[Callable[[Classifier], Asked]] = [lambda clf: clf, lambda clf: clf.compile()]
by_route = pytest.mark.parametrize("of", ROUTES, ids=["network", "compiled"])


def diagnosis() -> Classifier:
    return Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])


def everything(e: Explanation) -> dict[str, Any]:
    """Return all reasons, in words; routes may list them in different orders."""
    classes = [name for name in e.classifier.classes if name != e.decision]
    return {
        "decision": e.decision,
        "basis": e.basis,
        "instance": e.instance,
        "sufficient": sorted(map(str, e.sufficient_reasons())),
        "necessary": sorted(map(str, e.necessary_reasons())),
        "general sufficient": sorted(map(str, e.general_sufficient_reasons())),
        "general necessary": sorted(map(str, e.general_necessary_reasons())),
        "why not": {name: sorted(map(str, e.contrastive(name))) for name in classes},
        "distance": e.robustness().distance,
        "relevant": e.relevant_features(),
    }


@by_route
def test_it_is_that_of_the_classifier_over_the_known_features(of: Callable[[Classifier], Asked]) -> None:
    checked = 0
    for seed in range(600, 618):
        case = some_completions(mixed_classifier(seed, 100), seed)
        clf = case.classifier
        if not case.known or not case.missing:
            continue
        checked += 1
        e = of(clf).explain(case.known)
        assert e.missing == tuple(case.missing)
        names = [name for name in clf.features if name in case.known]
        by_hand = Classifier(clf.network, clf.target, names, clf.threshold, clf.positive, clf.ties)
        assert everything(e) == everything(of(by_hand).explain(case.known))
    assert checked > 7


@by_route
def test_a_complete_instance_is_explained_as_ever(of: Callable[[Classifier], Asked]) -> None:
    asked = of(diagnosis())
    e = asked.explain({"BP": "High", "CT": "1", "HR": "Normal"})
    assert e.missing == ()
    assert e.whole is e.route
    assert {"missing", "if_known"}.isdisjoint(e.to_dict())
    assert "known" not in e.to_text()
    assert "missing" not in e._repr_html_()
    frame = pd.DataFrame([e.instance])
    assert "missing" not in asked.explain_many(frame).columns


@by_route
def test_nothing_is_known_and_the_prior_decides(of: Callable[[Classifier], Asked]) -> None:
    e = of(diagnosis()).explain({})
    assert (e.decision, e.instance, e.missing) == ("0", {}, ("BP", "CT", "HR"))
    assert [str(term) for term in e.sufficient_reasons()] == ["⊤"]
    assert list(e.necessary_reasons()) == list(e.contrastive("1")) == []
    assert e.robustness().distance is None
    assert e.to_dict()["missing"] == ["BP", "CT", "HR"]
    assert "Not known: BP, CT and HR. The prior decides." in e.to_text()
    assert "if known" in e._repr_html_()


def test_the_model_of_it_is_the_smaller_one() -> None:
    clf = diagnosis()
    e = clf.compile().explain({"BP": "High", "HR": None})
    assert isinstance(e.model, CompiledModel)
    assert e.model.features == ("BP",)
    assert str(e.complete_reason) == "BP=High"
    assert e.count_sufficient_reasons() == 1
    with pytest.raises(NotCompiledError):
        assert clf.explain({"BP": "High"}).model


def test_smaller_models_are_kept_and_where_none_is_in_time_the_network_answers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = diagnosis().compile()
    first = model.explain({"BP": "High"})
    assert isinstance(first.route, CompiledRoute)
    assert model.explain({"BP": "Low"}).route is first.route

    def never(*_: object, **__: object) -> None:
        raise LimitExceeded("no")

    monkeypatch.setattr(smaller, "compile_classifier", never)
    e = model.explain({"CT": 1})
    assert isinstance(e.route, NetworkRoute)
    assert everything(e) == everything(diagnosis().explain({"CT": 1}))
    with pytest.raises(NotCompiledError):
        assert e.model


def test_only_what_is_known_can_be_fixed() -> None:
    for asked in (diagnosis(), diagnosis().compile()):
        e = asked.explain({"BP": "High", "CT": 1}, fixed="BP")
        assert e.fixed == ("BP",)
        with pytest.raises(InstanceError, match="'HR' is missing, so that it cannot be fixed"):
            asked.explain({"BP": "High"}, fixed=["BP", "HR"])
        with pytest.raises(UnknownNameError, match="unknown feature 'X'"):
            asked.explain({"BP": "High"}, fixed="X")


ROWS: list[dict[str, Any]] = [
    {"BP": "High", "CT": 1, "HR": "Low"},
    {"BP": "High"},
    {"CT": 0, "HR": None},
    {},
    {"BP": "Low", "CT": "?"},
    {"BP": "High", "CT": 1, "HR": "Low"},
]


@by_route
def test_many_rows_that_lack_different_features(of: Callable[[Classifier], Asked]) -> None:
    asked = of(diagnosis())
    told: list[float] = []
    rows = asked.explain_many(ROWS, limit=None, progress=lambda _, done: told.append(done))
    assert told == sorted(told)
    assert told[-1] == 1
    for row, given in zip(rows, ROWS, strict=True):
        e = asked.explain(given)
        assert (row.instance, row.decision, row.missing) == (e.instance, e.decision, e.missing)
        assert (row.possible, row.decided_by) == (e.possible, e.decided_by)
        assert set(row.reasons["sufficient"]) == set(e.sufficient_reasons())
        assert set(row.reasons["necessary"]) == set(e.necessary_reasons())
    frame = pd.DataFrame(ROWS, index=list("abcdef"))
    table = asked.explain_many(frame)
    assert table.index.tolist() == list("abcdef")
    assert table["missing"].tolist() == ["", "CT, HR", "BP, HR", "BP, CT, HR", "CT, HR", ""]
    assert table["decision"].tolist() == asked.predict(ROWS)
    with ThreadPoolExecutor(2) as executor:
        assert asked.explain_many(ROWS, executor, limit=None) == rows
    hurried = asked.explain_many(ROWS, time_limit=0.0)
    assert [row.decision for row in hurried] == [row.decision for row in rows]
    assert asked.explain_many([]) == []


def test_explanations_of_partial_instances_can_be_copied() -> None:
    e = diagnosis().explain({"BP": "High"})
    again = pickle.loads(pickle.dumps(e))  # noqa: S301
    assert everything(again) == everything(e)
    assert again.if_known() == e.if_known()


def test_sentences() -> None:
    text = diagnosis().compile().explain({"BP": "High"}).to_text()
    assert "Not known: CT and HR. What is known decides, and is explained." in text
    assert "whatever the other known features are" in text
    assert "No instance is in class 1 while what is missing stays unknown." in text
    assert text.endswith(
        "What could CT and HR do?\n"
        "D stays 2 with 83.33 % of the combinations of their states, and with a probability of 84.42 %, "
        "given\n"
        "what is known. It would be 0 if CT were 0 and HR were Low.\n"
        "Knowing HR alone would make D 0 if it is Low.\n"
        "CT and HR can tip it where all else is known."
    )
    text = diagnosis().explain({"BP": "High", "CT": 1}).to_text()
    assert text.endswith("What could HR do?\nNothing: D is 2 whatever HR is.")
    text = diagnosis().explain({"BP": "High"}).to_text(time_limit=0)
    assert "their states D stays 2 is not known in this time." in text
    assert "Whether CT and HR can tip it is not known in this time." in text


def test_data() -> None:
    data = diagnosis().compile().explain({"BP": "High"}).to_dict(exact=True)
    assert data["missing"] == ["CT", "HR"]
    found = data["if_known"]
    assert (found["status"], found["share_exact"], found["probability_exact"]) == (
        "refuted",
        "5/6",
        "401/475",
    )
    assert found["share_bounds"][0] <= 5 / 6 <= found["share_bounds"][1]
    assert found["alone"] == {"HR": {"Low": "0"}}
    assert set(found["matters"]) == {"CT", "HR"}
    assert found["irrelevant"] == found["open"] == []
    nothing = diagnosis().explain({"BP": "High"}).to_dict(time_limit=0)["if_known"]
    assert (nothing["status"], nothing["share"], nothing["probability_bounds"]) == ("open", None, [0.0, 1.0])
    assert nothing["alone"] is None


@pytest.mark.parametrize("seconds", [-1, "3", float("nan"), True])
def test_limits_that_are_none(seconds: Any) -> None:
    with pytest.raises(Bnc2dError, match="time_limit must be a number of seconds"):
        diagnosis().explain({"BP": "High"}).if_known(seconds)
