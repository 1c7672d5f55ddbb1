"""Explanations in words: the paper's patient to the letter, every edge, and that each sentence is true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from itertools import product
from random import Random
from time import perf_counter

import pytest

import bnc2d
from bnc2d import CPT, BayesianNetwork, Classifier, ClassifierError, CompiledModel, Explanation, Variable
from bnc2d.compile.store import model_from_bytes, model_to_bytes
from bnc2d.explain.text import Answer, tell
from bnc2d.testing import random_instance, random_naive_bayes, random_noisy_or
from tests.deadlines import assert_in_time
from tests.hard_classifiers import mixed_classifier

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}

SHORT = """\
Decision: D is 2.
The instance: BP is High, CT is 1 and HR is Normal.

In short
D is 2 because BP is High and CT is 1: that is enough, whatever the other features are.
D would be 1 if BP were Normal.

Why is D 2? (sufficient reasons)
Each line alone is enough, whatever the other features are:
  • BP is High and CT is 1         BP=High ∧ CT
  • BP is High and HR is Normal    BP=High ∧ HR=Normal
With other states it would still be enough that
  • BP is Low or High, and HR is Normal or High    BP∈{Low,High} ∧ HR∈{Normal,High}

Why is D not 0? (contrastive explanations)
D would be 0, all else as it is, if
  • BP were Normal and CT were 0              BP∈{Low,High} ∨ CT
  • BP were Low or Normal, and HR were Low    BP=High ∨ HR∈{Normal,High}
  and 1 more

Why is D not 1? (contrastive explanations)
D would be 1, all else as it is, if
  • BP were Normal    BP∈{Low,High}

What would change it? (general necessary reasons)
At least 1 feature must change. D is no longer 2, all else as it is, if
  • BP is Normal: then D is 1             BP∈{Low,High}
  • CT is 0 and HR is Low: then D is 0    CT ∨ HR∈{Normal,High}"""


@pytest.fixture(scope="module")
def diagnosis() -> CompiledModel:
    model: CompiledModel = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    return model


def test_the_patient(diagnosis: CompiledModel) -> None:
    assert diagnosis.explain(PATIENT).to_text() == SHORT


def test_all_reasons(diagnosis: CompiledModel) -> None:
    text = diagnosis.explain(PATIENT).to_text(all=True)
    assert "  • CT were 0 and HR were Low                 CT ∨ HR∈{Normal,High}\n" in text
    assert "more" not in text


def test_towards_one_class(diagnosis: CompiledModel) -> None:
    text = diagnosis.explain(PATIENT).to_text(towards="1")
    assert "Why is D not 1?" in text
    assert "Why is D not 0?" not in text
    assert "The instance is already in class 2." in diagnosis.explain(PATIENT).to_text(towards="2")
    with pytest.raises(ClassifierError, match="no class '3'"):
        diagnosis.explain(PATIENT).to_text(towards="3")


def test_fixed_features(diagnosis: CompiledModel) -> None:
    text = diagnosis.explain(PATIENT, fixed=["BP"]).to_text()
    assert "Features that may not change: BP." in text
    assert "Each line alone is enough, with BP as here, whatever the other features are:" in text
    assert "No instance with BP as here is in class 1." in text
    assert "At least 2 features must change." in text
    text = diagnosis.explain({"BP": "Low", "CT": "0", "HR": "High"}, fixed=["BP", "HR"]).to_text()
    assert text.endswith("Nothing: with BP and HR as here, D is 2 whatever the other features are.")
    text = diagnosis.explain(PATIENT, fixed=["BP", "CT", "HR"]).to_text()
    assert text.endswith("Nothing: D is 2, and no feature may change.")


def test_two_classes_are_not_told_twice() -> None:
    model = Classifier(bnc2d.example("running"), "A", ["D", "E", "F"]).compile()
    e = model.explain({"D": "1", "E": "0", "F": "1"})
    assert "  • D were 0 and E were 1    D ∨ ¬E" in e.to_text()
    assert e.to_text().endswith("At least 2 features must change; there is no third class.")
    assert "  • D is 0 and E is 1: then A is 0    D ∨ ¬E" in e.to_text(towards="1")


def test_a_constant_classifier() -> None:
    model = Classifier(bnc2d.example("cancer"), "Cancer", ["Xray", "Dyspnoea"]).compile()
    text = model.explain({"Xray": "positive", "Dyspnoea": "True"}).to_text()
    assert "Nothing is needed for it: Cancer is False whatever the features are." in text
    assert "Why is Cancer not True?\nNo instance is in class True." in text
    assert text.endswith("Nothing: Cancer is False whatever the features are.")


def test_an_undecided_instance() -> None:
    coins = [Variable(name, ("heads", "tails")) for name in "AB"]
    y = Variable("Y", ("0", "1"))
    half, one, zero = Fraction(1, 2), Fraction(1), Fraction(0)
    table = CPT(y, coins, [one, zero, one, zero, half, half, zero, one])
    network = BayesianNetwork([*coins, y], [*(CPT(coin, (), [half, half]) for coin in coins), table])
    model = Classifier(network, "Y", ["A", "B"], ties="none").compile()
    text = model.explain({"A": "tails", "B": "heads"}).to_text()
    assert text.startswith("Decision: Y is undecided (a tie).\n")
    assert "Why is Y undecided (a tie)?" in text
    assert "Y would be 0, all else as it is, if\n  • A were heads    A=tails" in text
    assert "Y would be 1, all else as it is, if\n  • B were tails    B=heads" in text
    assert "  • A is heads: then Y is 0" in text
    text = model.explain({"A": "tails", "B": "tails"}).to_text()
    assert "  • B is heads: then Y is undecided (a tie)" in text


def many_states(size: int, chosen: set[int]) -> CompiledModel:
    """Y is 1 exactly where the only feature has one of the chosen states."""
    x, y = Variable("X", tuple(f"s{n}" for n in range(size))), Variable("Y", ("0", "1"))
    rows = [
        (Fraction(1, 4), Fraction(3, 4)) if n in chosen else (Fraction(1), Fraction(0)) for n in range(size)
    ]
    table = CPT(y, (x,), [entry for row in rows for entry in row])
    model: CompiledModel = Classifier(
        BayesianNetwork([x, y], [CPT(x, (), [Fraction(1, size)] * size), table]), "Y", ["X"]
    ).compile()
    return model


def test_many_states_read_well() -> None:
    text = many_states(6, {0, 1, 2, 3, 4}).explain({"X": "s0"}).to_text()
    assert "  • X is not s5    X∈{s0,s1,s2,s3,s4}" in text
    text = many_states(6, {0, 1, 2, 3}).explain({"X": "s0"}).to_text()
    assert "  • X is none of s4, s5    X∈{s0,s1,s2,s3}" in text
    assert "  • X were s4 or s5    X∈{s0,s1,s2,s3}" in text
    text = many_states(6, {0, 1, 2}).explain({"X": "s0"}).to_text()
    assert "  • X is one of s0, s1, s2" in text


def test_limits_are_kept_and_stated() -> None:
    model = Classifier(random_naive_bayes(5, 22), "Y").compile()
    e = model.explain(dict.fromkeys(model.features, "0"))
    started = perf_counter()
    text = e.to_text()
    assert f"  and {e.count_sufficient_reasons() - 2} more" in text
    assert len(text.splitlines()) < 30
    whole = e.to_text(all=True)
    assert f"and {e.count_sufficient_reasons() - 200} more (the list ends at its limit of 200)" in whole
    assert "and perhaps more: the time limit of 0 s for all ended this list" in e.to_text(time_limit=0)
    assert perf_counter() - started < 20
    assert f"and {e.count_sufficient_reasons() - 1} more" in e.to_text(limit=1)
    assert max(map(len, text.splitlines())) <= 100


@pytest.fixture(scope="module")
def large() -> list[CompiledModel]:
    """Models whose reasons take longer than a text may: two classes with a large diagram, and six classes."""
    findings = random_noisy_or(3, 24)
    names = [name for name in findings.names if name.startswith("X")]
    return [
        Classifier(findings, "Y", names).compile(),
        Classifier(random_naive_bayes(3, 9, states=3, classes=6), "Y").compile(),
    ]


def test_no_answer_is_empty_when_time_is_up(large: list[CompiledModel]) -> None:
    for model in large:
        for seed in range(5):
            e = model.explain(random_instance(model.classifier, seed))
            found = list(tell(e, time_limit=0)[1])
            assert [answer.question for answer in found[:2]] == ["In short", ""]
            for answer in found[2:]:
                assert_true(e, answer, free_is_sampled=True)
                assert answer.lines or answer.lead.endswith(".")
                assert answer.lines or not answer.rest
                assert "above" not in answer.lead
            cut = [answer for answer in found if answer.rest]
            assert len(cut) >= len(model.classes)
            assert all(
                answer.rest.startswith("and perhaps more: the time limit of 0 s for all ended this list")
                for answer in cut
                if answer.question
            )


def test_the_short_answer_is_certain(large: list[CompiledModel]) -> None:
    for model in large:
        for seed in range(2):
            e = model.explain(random_instance(model.classifier, seed))
            for limit in (0, 2):
                enough, nearest = list(tell(e, limit=limit, time_limit=0)[1])[:2]
                sentence = enough.lead.partition(" because ")[2].partition(": that is enough")[0]
                assert e.is_sufficient({name: states[0] for name, states in read(sentence, model).items()})
                target, _, sentence = nearest.lead.rstrip(".").partition(" if ")
                changes = read(sentence.partition(";")[0], model)
                assert len(changes) == e.robustness().distance
                (changed,) = variants(e, changes, free=False)
                assert target == f"Y would be {model.predict(changed)}"


@pytest.mark.parametrize("time_limit", [0.2, 1.0])
def test_one_time_limit_for_the_whole_text(large: list[CompiledModel], time_limit: float) -> None:
    def told(model: CompiledModel) -> None:
        # No formula of a complement is made yet.
        loaded = CompiledModel.of(model_from_bytes(model_to_bytes(model)))
        e = loaded.explain(random_instance(model.classifier, 2))
        e.to_text(all=True, limit=10**6, time_limit=time_limit)

    for model in large:
        assert_in_time(partial(told, model), time_limit)


# --- every sentence is true ---------------------------------------------------------------------------------


def read(sentence: str, model: CompiledModel) -> dict[str, list[str]]:
    """Return the features and states that a sentence names, read back from its words alone."""
    names = "|".join(map(re.escape, model.features))
    found = {}
    for part in re.split(rf"(?:,? and |, )(?=(?:{names}) (?:is|were) )", sentence):
        name, words = re.split(r" (?:is|were) ", part, maxsplit=1)
        states = list(model.classifier.network.variable(name).states)
        if words in states:
            found[name] = [words]
        elif words.startswith(("not ", "none of ")):
            out = words.removeprefix("not ").removeprefix("none of ").split(", ")
            found[name] = [state for state in states if state not in out]
        else:
            found[name] = re.split(" or |, ", words.removeprefix("one of "))
        assert set(found[name]) <= set(states)
    return found


def variants(e: Explanation, allowed: dict[str, list[str]], free: bool) -> Iterator[dict[str, str]]:
    """Yield the instances that a sentence is about; the other features are free, or as they are."""
    network = e.model.classifier.network
    choices = [
        allowed.get(name, network.variable(name).states if free else [state])
        for name, state in e.instance.items()
    ]
    for states in product(*choices):
        yield dict(zip(e.instance, states, strict=True))


def some_variants(e: Explanation, allowed: dict[str, list[str]]) -> Iterator[dict[str, str]]:
    """Yield some instances with these states, the other features at random."""
    for seed in range(50):
        rng = Random(seed)  # noqa: S311 - reproducible test data
        other = random_instance(e.model.classifier, seed)
        yield {name: rng.choice(allowed.get(name, [state])) for name, state in other.items()}


def assert_true(e: Explanation, answer: Answer, free_is_sampled: bool = False) -> None:
    for line in answer.lines:
        sentence, _, outcome = line.plain.partition(": then ")
        named = read(sentence, e.model)
        free = "sufficient" in answer.kind
        sampled = free and free_is_sampled
        meant = some_variants(e, named) if sampled else variants(e, named, free)
        reached = set(e.model.predict(list(meant)))
        if free:
            assert reached == {e.decision}
        elif answer.question.startswith("Why"):
            assert reached == {answer.question.rpartition(" not ")[2].rstrip("?")}
        else:
            shown = {"undecided (a tie)" if decision is None else decision for decision in reached}
            assert set(outcome.removeprefix(f"{e.target} is ").split(" or ")) == shown
            assert e.decision not in reached


@pytest.mark.parametrize("seed", range(24))
def test_every_sentence_is_true(seed: int) -> None:
    classifier = mixed_classifier(seed, 200)
    model = classifier.compile()
    lines = 0
    for number in range(3):
        e = model.explain(random_instance(classifier, number))
        for answer in tell(e, everything=True)[1]:
            assert_true(e, answer)
            lines += len(answer.lines)
            assert answer.lines or answer.lead.endswith(".")
    assert lines or max(model.shares().values()) == 1
