"""What is said of explanations by the network: the reasons of the compiled model, and what is open."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

import pytest

from bnc2d import Classifier, Domain, Explanation, NotCompiledError, Term, TimeLimitExceeded, example
from bnc2d.explain.text import Answer, tell, unproved_note
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.observed import ObservedBounds
from bnc2d.regions.search import Bounds
from bnc2d.report import notebook
from bnc2d.report.records import KINDS, ExplanationData, explanation_summary, literals
from bnc2d.testing import random_instance, random_noisy_or, random_tan
from tests.cases import cases
from tests.deadlines import assert_in_time
from tests.explain.routes import by_network
from tests.hard_classifiers import extreme_classifier, mixed_classifier

OPEN = "not known: the time limit of 0 s for all ended the search"


def said(explanation: Explanation) -> dict[tuple[str, str], tuple[str, set[tuple[str, str]]]]:
    """Return the lead and the lines of every answer, those in short left out."""
    answers: list[Answer] = list(tell(explanation, everything=True)[1])
    if answers[0].question == "In short":
        del answers[:2]
    assert not any(answer.rest for answer in answers)
    return {
        (answer.question, answer.kind): (answer.lead, {(line.plain, line.formal) for line in answer.lines})
        for answer in answers
    }


def as_sets(data: ExplanationData) -> object:
    """Return what two routes agree on, reasons in no order and without the choice of a witness."""
    found = json.loads(json.dumps(data))
    for name in ("complete_reason", "general_reason", "sufficient_reason"):
        del found[name]
    for lists, kinds in ((found, KINDS), *((one, ["reasons"]) for one in found["contrastive"].values())):
        for kind in kinds:
            lists[kind] = sorted(json.dumps(reason) for reason in lists[kind])
    for nearest in (found["robustness"], *(one["nearest"] for one in found["contrastive"].values())):
        nearest.pop("witness")
        nearest.pop("decision")
        nearest.pop("possible")
    return found


@pytest.mark.parametrize("make", [mixed_classifier, extreme_classifier])
@pytest.mark.parametrize("bounds", [ObservedBounds, HiddenBounds])
@pytest.mark.parametrize("start", range(0, cases(8, 24), 8))
def test_both_routes_say_the_same(
    bounds: Callable[[Classifier], Bounds], make: Callable[[int, int], Classifier], start: int
) -> None:
    for seed in range(start, start + 8):
        classifier, rng = make(seed, 40), Random(seed)  # noqa: S311 - reproducible test data
        instance = random_instance(classifier, seed)
        fixed = [name for name in classifier.features if rng.random() < 0.15]
        compiled = classifier.compile().explain(instance, fixed)
        found = by_network(classifier, instance, fixed, bounds)
        assert said(found) == said(compiled)
        data = found.to_dict()
        assert as_sets(data) == as_sets(compiled.to_dict())
        assert data["complete"]
        assert data["proved_minimal"]
        assert data["complete_reason"] is None is data["general_reason"]
        assert compiled.is_sufficient(data["sufficient_reason"])


def hidden() -> Classifier:
    """Return a classifier whose regions take long to decide."""
    network = random_noisy_or(3, 40)
    return Classifier(network, "Y", [name for name in network.names if name.startswith("X")])


def observed() -> Classifier:
    """Return a classifier with many reasons and no hidden variable."""
    return Classifier(random_tan(1, 60, states=3, classes=3), "Y", features="all")


def test_what_is_open_says_so() -> None:
    for classifier in (hidden(), observed()):
        explanation = classifier.explain(random_instance(classifier, 1), time_limit=0)
        text = " ".join(explanation.to_text().split())
        assert "whatever the other features are (none of them is proved to be needed)." in text
        assert f"The nearest change that leads to another decision is {OPEN}." in text
        assert f"not 1? This is {OPEN}." in text
        assert text.endswith(
            f"{OPEN}; there is no third class." if len(classifier.classes) == 2 else OPEN + "."
        )
        with pytest.raises(TimeLimitExceeded, match="the nearest change is not known within"):
            explanation.robustness()
        with pytest.raises(NotCompiledError):
            explanation.count_sufficient_reasons()


def test_open_answers_as_data() -> None:
    for classifier in (hidden(), observed()):
        explanation = classifier.explain(random_instance(classifier, 1), time_limit=0)
        everything = list(classifier.features)
        found = explanation.to_dict()
        assert found["sufficient_reason"] == {name: [state] for name, state in explanation.instance.items()}
        assert found["unproved"][:2] == [
            {"key": "sufficient_reason", "position": 0, "features": everything},
            {"key": "sufficient_reasons", "position": 0, "features": everything},
        ]
        assert not found["proved_minimal"]
        assert not found["complete"]
        assert found["necessary_reasons"] == []
        assert set(found["cut"].values()) == {"time"}
        nothing = {"distance": None, "witness": None, "decision": None, "possible": None, "cut": "time"}
        assert found["robustness"] == nothing
        assert {one["cut"] for one in found["contrastive"].values()} == {"time"}
        assert all(one["nearest"] == nothing for one in found["contrastive"].values())
        none = explanation.to_dict(limit=0)
        assert none["unproved"] == [{"key": "sufficient_reason", "position": 0, "features": everything}]
        summary = explanation_summary(explanation, time_limit=0)
        assert summary["cut"] == ["sufficient_reasons", "necessary_reasons", "distance"]
        assert summary["unproved"] == everything
        assert summary["distance"] is None
        json.dumps([found, summary])
        with pytest.raises(NotCompiledError, match=r"classifier\.compile\(\)"):
            explanation.to_dict(formulas=True)


@pytest.mark.parametrize("time_limit", [0.05, 0.5])
@pytest.mark.parametrize("make", [hidden, observed])
def test_time_limits_hold(make: Callable[[], Classifier], time_limit: float) -> None:
    classifier = make()
    explanation = classifier.explain(random_instance(classifier, 2))
    for ask in (
        lambda: explanation.to_text(all=True, time_limit=time_limit),
        lambda: explanation.to_dict(time_limit=time_limit),
        lambda: explanation_summary(explanation, time_limit=time_limit),
        lambda: explanation.a_sufficient_reason(time_limit),
    ):
        assert_in_time(ask, time_limit)


def test_features_that_are_not_proved_needed_are_named() -> None:
    domain = Domain({"A": ("0", "1"), "B": ("0", "1"), "C": ("0", "1")})
    masks = {0: 1, 1: 2, 2: 1}
    assert unproved_note(Term.from_masks(domain, masks)) == ""
    assert unproved_note(Term.from_masks(domain, masks, ["B"])) == "not proved to be needed: B"
    assert unproved_note(Term.from_masks(domain, masks, ["A", "C"])) == "not proved to be needed: A and C"
    assert unproved_note(Term.from_masks(domain, {1: 1}, ["B"])) == "not proved to be needed: B"


def test_a_notebook_shows_what_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    small = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])
    patient = {"BP": "High", "CT": "1", "HR": "Normal"}
    html = small.explain(patient)._repr_html_()
    for reason in small.compile().explain(patient).general_necessary_reasons():
        assert reason._repr_html_() in html
    monkeypatch.setattr(notebook, "_SECONDS", 0.0)
    html = small.explain(patient)._repr_html_()
    assert "<i>not known: stopped after 0 s</i>" in html
    assert "<i>(none of them is proved to be needed)</i>" in html
    assert html.count("<i>perhaps more: stopped after 0 s</i>") == 4


def test_reasons_as_data_keep_their_states() -> None:
    explanation = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).explain(
        {"BP": "High", "CT": "1", "HR": "Normal"}
    )
    listed = [literals(reason) for reason in explanation.general_sufficient_reasons()]
    assert explanation.to_dict()["general_sufficient_reasons"] == listed
