"""What the page says of a decision, beside what Python's texts say."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Any

from bnc2d.api.classifier import Classifier
from bnc2d.api.explanation import Explanation
from bnc2d.base.scales import Intervals, States
from bnc2d.explain.text import Answer, tell
from bnc2d.explain.words import opposite, sentence
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable
from tests.hard_classifiers import mixed_classifier

_MANY = 10_000


def told(explanation: Explanation) -> dict[str, Any]:
    """Return what the page should say, in the form of its ``bnc2d.texts``."""
    _, answers = tell(explanation, everything=True, limit=_MANY, time_limit=600.0)
    short: list[Answer] = []
    found: dict[str, Any] = {"because": None, "change": None, "general": [], "changes": None}
    against: dict[str, Answer] = {}
    for answer in answers:
        if answer.question == "In short" or (not answer.question and not answer.kind and len(short) == 1):
            short.append(answer)
        elif answer.kind == "sufficient reasons":
            found["enough"] = answer
        elif answer.kind == "general sufficient reasons":
            found["general"] = [(line.plain, line.formal) for line in answer.lines]
        elif answer.kind == "contrastive explanations":
            against[answer.question] = answer
        elif answer.kind == "general necessary reasons":
            found["changes"] = answer
    if short:
        found["because"], found["change"] = (answer.lead for answer in short)
    necessary = [(sentence(opposite(clause)), str(clause)) for clause in explanation.necessary_reasons()]
    return {**found, "against": against, "necessary": necessary}


def shown_text(text: str) -> str:
    """Return a text as the page shows it: no name may turn it around."""
    return text.replace("\u202e", "\ufffd")


def _pairs(lines: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(shown_text(plain), shown_text(formal)) for plain, formal in lines]


def _lines(answer: Answer) -> list[tuple[str, str]]:
    return _pairs((line.plain, line.formal) for line in answer.lines)


def compare_texts(explanation: Explanation, page: dict[str, Any]) -> set[str]:
    """Compare what a page says with what Python does; return what was there to compare."""
    expected, seen = told(explanation), set()
    got = {
        key: [tuple(line) for line in page[key]["lines"]]
        for key in ("enough", "general", "changes", "necessary")
    }
    if expected["because"] is not None:
        seen.add("short")
        assert (page["because"], page["change"]) == tuple(
            shown_text(expected[key]) for key in ("because", "change")
        )
    enough: Answer = expected["enough"]
    assert (page["enough"]["question"], page["enough"]["lead"]) == (
        shown_text(enough.question),
        shown_text(enough.lead),
    )
    assert got["enough"] == _lines(enough)
    assert got["necessary"] == _pairs(expected["necessary"])
    if expected["general"]:  # Python's text has those that are weaker, in their order
        seen.add("general")
        weaker = _pairs(expected["general"])
        assert [line for line in got["general"] if line in weaker] == weaker
        assert page["general"]["lead"] == "With other states it would still be enough that"
    changes: Answer = expected["changes"]
    assert page["changes"]["question"] == changes.question
    if changes.lines or not changes.lead.endswith("there is no third class."):
        seen.add("changes")
        assert page["changes"]["lead"] == shown_text(changes.lead)
        assert got["changes"] == _lines(changes)
    names = list(explanation.classifier.classes)
    for name, contrast in zip(names, page["against"], strict=True):
        if name == explanation.decision_name:
            assert contrast is None
            continue
        answer = expected["against"][f"Why is {explanation.target} not {name}?"]
        assert contrast["question"] == shown_text(answer.question)
        if answer.lines:
            seen.add("contrast")
            assert contrast["lead"] == shown_text(answer.lead)
            assert [tuple(line) for line in contrast["lines"]] == _lines(answer)
        else:
            assert not contrast["lines"]
    return seen


def random_scaled(seed: int) -> Classifier:
    """Return a random classifier in which about half of the features are numbers in intervals."""
    classifier = mixed_classifier(seed)
    network, rng = classifier.network, Random(f"scaled {seed}")  # noqa: S311 - reproducible test data
    made = {variable.name: variable for variable in network.variables}
    for name in classifier.features:
        count = len(made[name]) - 1
        if count and rng.random() < 0.6:
            places = sorted(rng.sample(range(-300, 90_000, 7), count))
            cuts = [(place / rng.choice((1, 10, 3)), rng.random() < 0.3) for place in places]
            cuts = sorted(dict(cuts).items())
            if len(cuts) < count:
                continue
            if count > 1 and rng.random() < 0.4:  # a state that is one number
                cuts[:2] = [(cuts[0][0], False), (cuts[0][0], True)]
            unit = rng.choice(("", "", "€"))
            made[name] = Variable(name, States(Intervals(cuts, unit=unit)))
    cpts = [
        CPT(made[cpt.child.name], [made[one.name] for one in cpt.scope[:-1]], cpt.exact.reshape(-1).tolist())
        for cpt in network.cpts
    ]
    return Classifier(
        BayesianNetwork(made.values(), cpts, network.name),
        classifier.target,
        classifier.features,
        classifier.threshold,
        classifier.positive,
        classifier.ties,
    )
