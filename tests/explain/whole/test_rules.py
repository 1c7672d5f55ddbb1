"""Rules over features and decision, against enumeration."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from random import Random

import pytest

import bnc2d
from bnc2d import Classifier
from bnc2d.errors import Bnc2dError
from tests.brute_force.decisions import decisions
from tests.brute_force.reasons import table_classifier
from tests.hard_classifiers import mixed_classifier

Row = dict[str, str]
Holds = Callable[[Row, str | None], bool]


def _quoted(name: str) -> str:
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"


def _atom(classifier: Classifier, rng: Random) -> tuple[str, Holds]:
    """Return a random statement about a feature or the decision, and what it means."""
    if rng.random() < 0.3:
        chosen = set(rng.sample(classifier.classes, rng.randint(1, len(classifier.classes))))
        name = rng.choice(("class", _quoted(classifier.target)))
        return (
            f"{name} in {{{','.join(map(_quoted, sorted(chosen)))}}}",
            lambda _, decision: decision in chosen,
        )
    variable = rng.choice(classifier.feature_variables)
    state = rng.choice(variable.states)
    if rng.random() < 0.5:
        return f"{_quoted(variable.name)}={_quoted(state)}", lambda row, _: row[variable.name] == state
    return f"{_quoted(variable.name)}!={_quoted(state)}", lambda row, _: row[variable.name] != state


def _rule(classifier: Classifier, rng: Random) -> tuple[str, Holds]:
    """Return a random rule and what it means."""
    parts = [_atom(classifier, rng) for _ in range(rng.randint(1, 3))]
    text, then = _atom(classifier, rng)
    premise = " and ".join(part for part, _ in parts)
    return (
        f"if {premise} then {text}",
        lambda row, decision: then(row, decision) or not all(holds(row, decision) for _, holds in parts),
    )


def _classifier(seed: int) -> Classifier:
    """Return a classifier that can be enumerated: any table of decisions, or one with hidden variables."""
    mixed = mixed_classifier(seed)
    is_small = prod(len(variable) for variable in mixed.network.variables) <= 1 << 14
    return mixed if seed % 2 and is_small else table_classifier(seed, 1 << 10)


@pytest.mark.parametrize("start", range(0, 200, 50))
def test_a_rule_holds_where_no_instance_breaks_it(start: int) -> None:
    answers = set()
    for seed in range(start, start + 50):
        rng = Random(seed)  # noqa: S311 - reproducible test data
        classifier = _classifier(seed)
        model, table = classifier.compile(), decisions(classifier)
        rules = dict(_rule(classifier, rng) for _ in range(rng.randint(1, 3)))
        text = rng.choice((";", "\n")).join(rules)
        rows = [(dict(zip(classifier.features, states, strict=True)), table[states]) for states in table]
        only = rng.choice(classifier.feature_variables)
        state = rng.choice(only.states)
        fewer = [row for row in rows if row[0][only.name] == state]
        given = model.given(f"{_quoted(only.name)}={_quoted(state)}")
        for found, allowed in ((model.check(text), rows), (given.check(text), fewer)):
            broken = [rule for rule, holds in rules.items() if not all(holds(*row) for row in allowed)]
            assert found.holds is (not broken), seed
            answers.add(found.holds)
            if found.witness is not None:
                assert found.rule == broken[0]
                assert (found.witness, found.decision) in allowed
                assert not rules[broken[0]](found.witness, found.decision)
                assert found.posterior == classifier.posterior(found.witness)
    assert answers == {True, False}


def test_in_words() -> None:
    model = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    assert str(model.check("if HR=Low and BP=Low then D=0")) == "yes, every instance obeys the rules"
    found = model.check("BP=Low or BP!=Low  # always\nif  BP=High then class in {1, 2}")
    assert (found.status, found.rule) == ("refuted", "if BP=High then class in {1, 2}")
    assert str(found).startswith(
        "no, BP=High CT=0 HR=Low breaks 'if BP=High then class in {1, 2}': its decision is 0"
    )


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("if BP=High then class=7", "line 1, column 23"),
        ("if BP=High then klass=1", "found 'klass', expected a feature"),
        ("if BP=High", "expected"),
        (3, "a text"),
    ],
)
def test_wrong_rules_are_refused(rules: str, message: str) -> None:
    model = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    with pytest.raises(Bnc2dError) as caught:
        model.check(rules)
    assert message in str(caught.value)
