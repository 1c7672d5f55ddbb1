"""What rules and their answers say, and what is refused."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import bnc2d
from bnc2d import Classifier
from bnc2d.errors import Bnc2dError
from bnc2d.explain.whole.rules import boxes
from bnc2d.logic.diagram import pairs
from tests.hard_classifiers import mixed_classifier

FEATURES = ["BP", "CT", "HR"]


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
        (["BP=High", 3], "rule 2: a formula must be a text"),
        (["true", "BP=High\nBP=Hih"], "rule 2: line 2, column 4: found 'Hih', expected a state of 'BP'"),
        ("class does not depend on", "line 1, column 25: found the end of the text, expected a feature"),
        (
            "class does not depend on BQ",
            "line 1, column 26: found 'BQ', expected a feature",
        ),
        ("class does depend on BP", "column 12: found 'depend', expected 'not', as in 'does not depend on'"),
        ("BP does not depend on CT", "line 1, column 1: found 'BP', expected 'class' or the target 'D'"),
        ("class does not depend on BP CT", "column 29: found 'CT', expected ';' or the end of the line"),
        ("class does not depend on BP and CT", "column 29: found 'and', expected ';' or the end"),
        ("not class does not depend on BP", "column 5: found 'class', expected a formula; a sentence"),
        ("(class does not depend on BP)", "column 2: found 'class', expected a formula; a sentence"),
        ("BP=Low and class does not depend on BP", "column 12: found 'class', expected a formula"),
        (
            "if class=1 then class does not depend on BP",
            "line 1, column 4: found the class, expected features",
        ),
        (
            "if CT then\nif not (D!=2) then raising BP never lowers the class",
            "line 2, column 9: found the class",
        ),
        ("class changes by at most two steps", "column 26: found 'two', expected 'one'"),
        (
            "class changes by at most one step in the order 0, 1",
            "column 48: found another list, expected every",
        ),
        (
            "class changes by at most one step in the order 0, 1, 3",
            "column 54: found '3', expected a class of 'D'",
        ),
        ("class changes by at most one step under a change of D", "column 53: found 'D', expected a feature"),
        ("raising BP never falls", "column 18: found 'falls', expected 'lowers' or 'leads'"),
        ("raising BP never leads out of class 7", "column 37: found '7', expected a class of 'D'"),
        ("raising BP always lowers the class", "column 12: found 'always', expected 'never'"),
    ],
)
def test_wrong_rules_are_refused(rules: Any, message: str) -> None:
    classifier = Classifier(bnc2d.example("diagnosis"), "D", FEATURES)
    for asked in (classifier, classifier.compile()):
        with pytest.raises(Bnc2dError) as caught:
            asked.check(rules)
        assert message in str(caught.value)


def test_towards_a_class() -> None:
    classifier = Classifier(bnc2d.example("diagnosis"), "D", FEATURES)
    model = classifier.compile()
    for asked in (classifier, model, model.given("true")):
        assert asked.check("BP=Normal and HR=Low", towards="0")
        found = asked.check("BP=Normal and HR=Low\nBP=High", towards="2")
        assert [result.status for result in found.results] == ["refuted", "refuted"]
        assert (found.rule, found.decision) == ("BP=Normal and HR=Low", "0")
        for rule in ("if BP=High then class=2", "D=2", "class does not depend on BP", "BP=High\nclass!=0"):
            with pytest.raises(Bnc2dError, match=r"column \d+: found '(class|D)', expected features only"):
                asked.check(rule, towards="2")
        with pytest.raises(Bnc2dError, match="7"):
            asked.check("BP=High", towards="7")


def test_towards_is_the_rule_with_the_class() -> None:
    for seed in range(10):
        classifier = mixed_classifier(seed, 60)
        model = classifier.compile()
        variable = classifier.feature_variables[-1]
        for state in variable.states:
            condition = f"'{variable.name}' = '{state}'"
            for name in classifier.classes:
                one = model.check(condition, towards=name)
                other = model.check(f"if {condition} then class = '{name}'")
                assert (one.holds, one.witness) == (other.holds, other.witness)
                assert classifier.check(condition, towards=name).holds is one.holds


def test_every_rule_has_its_result() -> None:
    model = Classifier(bnc2d.example("diagnosis"), "D", FEATURES).compile()
    text = """# rules
        if HR=Low and BP=Low then class=0   # holds

        if BP=High  # does
        then class = 2; raising CT never leads out of class 2
        class does not depend on CT
    """
    found = model.check(text)
    assert [(result.line, result.status, result.rule) for result in found.results] == [
        (2, "proved", "if HR=Low and BP=Low then class=0"),
        (4, "refuted", "if BP=High then class = 2"),
        (5, "proved", "raising CT never leads out of class 2"),
        (6, "refuted", "class does not depend on CT"),
    ]
    second, last = found.results[1], found.results[3]
    assert (found.rule, found.witness, found.decision) == (second.rule, second.witness, "0")
    assert found.posterior == second.posteriors[0] == {**second.posteriors[0], "0": Fraction(46008, 66637)}
    assert str(second) == "refuted: if BP=High then class = 2; BP=High CT=0 HR=Low is in class 0"
    assert isinstance(last.witness, tuple)
    assert tuple(model.predict(list(last.witness))) == last.decisions
    one, other = last.witness
    assert {name for name in one if one[name] != other[name]} == {"CT"}
    assert last.why.count(" is in class ") == 2
    assert ", with CT=1 it is in class " in last.why
    none = model.check("")
    assert (none.holds, none.results, none.witness, none.posterior) == (True, (), None, None)


def test_names_of_features_that_are_words_of_sentences() -> None:
    states = ("0", "1")
    variables = [bnc2d.Variable(name, states) for name in ("class", "raising", "does", "never", "it's")]
    target = bnc2d.Variable("Y", ("a", "b"))
    tables = [bnc2d.CPT(target, (), [0.5, 0.5])]
    tables += [
        bnc2d.CPT(one, (target,), [f"0.{at + 1}", f"0.{9 - at}", "0.5", "0.5"])
        for at, one in enumerate(variables)
    ]
    model = Classifier(bnc2d.BayesianNetwork([target, *variables], tables), "Y").compile()
    assert model.check("raising=1 or raising != 1; if class then class=1").holds  # a feature of that name
    sentences = "raising raising, never never lowers the class; Y does not depend on does, 'it\\'s', class"
    by_method = model.is_independent(["does", "it's", "class"])
    assert by_method.rule == r"class does not depend on does, 'it\'s', class"
    found = model.check(sentences)
    assert found.results[1].holds is by_method.holds
    assert model.check(by_method.rule).holds is by_method.holds


def test_methods_ask_what_rules_ask() -> None:
    for seed in range(12):
        classifier = mixed_classifier(seed, 60)
        model = classifier.compile()
        names, order = list(classifier.features[:2]), list(reversed(classifier.classes))
        first = classifier.feature_variables[-1]
        region = {first.name: first.states[:2]}
        text = " or ".join(f"'{first.name}' = '{state}'" for state in first.states[:2])
        for asked in (classifier, model, model.given(text)):
            for given in (None, region, text):
                found = [asked.is_independent(names, given), asked.is_coherent(order, names, given)]
                found.append(asked.is_coherent(given=given))
                assert [one.holds for one in found] == [asked.check(one.rule).holds for one in found]


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda m: m.is_independent([]), "the list of features is empty"),
        (lambda m: m.is_independent("BQ"), "unknown feature 'BQ'"),
        (lambda m: m.is_independent("BP", {"CTT": "1"}), "unknown feature 'CTT'"),
        (lambda m: m.is_independent("BP", "CT=7"), "line 1, column 4: found '7'"),
        (lambda m: m.is_independent("BP", "D=1"), "line 1, column 1: found 'D', expected a feature"),
        (lambda m: m.is_independent("BP", 3), "must be a text"),
        (lambda m: m.is_coherent(["0", "1"]), "order must list each class of 'D' once"),
        (lambda m: m.is_coherent(features=3), "features must be a name or a list of names"),
        (lambda m: m.is_coherent(time_limit="x"), "time_limit must be"),
        (lambda m: m.check("true", time_limit=-1), "time_limit must be"),
    ],
)
def test_wrong_questions_are_refused(ask: Any, message: str) -> None:
    classifier = Classifier(bnc2d.example("diagnosis"), "D", FEATURES)
    for asked in (classifier, classifier.compile(), classifier.compile().given("true")):
        with pytest.raises(Bnc2dError) as caught:
            ask(asked)
        assert message in str(caught.value)


def test_what_is_too_much_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules after it are checked all the same."""
    classifier = Classifier(bnc2d.example("diagnosis"), "D", FEATURES)
    model, rules = (
        classifier.compile(),
        "if CT or HR=Low then class does not depend on BP; if CT then class!=0",
    )
    decided = model.check(rules).results
    monkeypatch.setattr(pairs, "MAX_PAIRS", 1)
    found = model.check(rules)
    assert found.results[0].status == "open"
    assert found.results[0].reason == "more than 1 pairs of diagram nodes to look at"
    assert found.results[1] == decided[1]
    monkeypatch.setattr(boxes, "MOST_BOXES", 1)
    found = classifier.check(rules)
    assert found.results[0].status == "open"
    assert "the rule speaks of more than 1 regions" in str(found.results[0])
    assert found.results[1].holds is decided[1].holds


def test_a_limit_leaves_rules_open() -> None:
    classifier = Classifier(bnc2d.example("diagnosis"), "D", FEATURES)
    rules = "class=2; class does not depend on BP; raising BP never lowers the class"
    for asked in (classifier, classifier.compile(), classifier.compile().given("CT")):
        found = asked.check(rules, time_limit=0)
        assert (found.holds, found.status, bool(found)) == (None, "open", False)
        assert {result.reason for result in found.results} == {"the time limit came first"}
        assert str(found) == "open: 3 of 3 rules are not decided, none is broken"
