"""Intervals of thresholds and table entries, against rebuilt networks and all instances."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from bnc2d import CPT, ArgumentError, BayesianNetwork, Bnc2dError, Classifier, Variable, example
from bnc2d.explain.whole.sensitivity import search
from bnc2d.explain.whole.sensitivity.ranges import threshold_interval
from bnc2d.explain.whole.sensitivity.search import Subject
from bnc2d.logic.diagram.differing import differing
from tests.cases import cases
from tests.deadlines import assert_in_time
from tests.explain.whole.sensitivity_check import check_seed, with_entry


def survey(threshold: object = "0.4") -> Classifier:
    features = ["A", "S", "O", "R", "T"]
    return Classifier(example("survey"), "E", features, threshold, "uni")  # type: ignore[arg-type]


def test_random_classifiers() -> None:
    met: Counter[str] = Counter()
    for seed in range(cases(6, 18)):
        check_seed(seed, met, questions=1)
    expected = (
        "threshold, entry, by compiling, 0 or 1, no flip, flip, included, at once, impossible, in no class"
    )
    assert all(met[case] for case in expected.split(", ")), met


def test_ends_of_a_threshold_are_posteriors() -> None:
    classifier = survey()
    found = classifier.threshold_interval()
    rows = [dict(row) for label in (0, 1) for row in classifier.compile().diagram.instances(label)]
    posteriors = [classifier.posterior(row)["uni"] for row in rows]
    assert found.low == max(p for p in posteriors if p <= Fraction("0.4"))
    assert found.high == min(p for p in posteriors if p > Fraction("0.4"))
    assert (found.low_included, found.high_included) == (True, False)
    assert found.decisions_below == ("high", "uni")
    hit = survey(found.high).threshold_interval()  # a threshold that is hit is the end of its own interval
    assert (hit.low, hit.value) == (found.high, found.high)
    assert hit.margin == 0


def test_a_threshold_without_flips() -> None:
    even = Variable("Y", ("no", "yes"))
    feature = Variable("X", ("a", "b"))
    tables = [CPT(even, (), ["0.5", "0.5"]), CPT(feature, (even,), [1, 0, 0, 1])]
    classifier = Classifier(BayesianNetwork([even, feature], tables), "Y", threshold="0.3")
    found = classifier.threshold_interval()  # posteriors are 0 and 1, and no threshold is
    assert (found.first_below, found.first_above) == (None, None)
    assert found.low == 0
    assert found.high == 1
    assert (found.low_included, found.high_included, found.margin) == (False, False, None)
    assert "none changes" in str(found)


def test_the_most_sensitive_entries() -> None:
    model = survey().compile()
    every = model.sensitivity(limit=None)
    assert every.status == "proved"
    assert (every.looked_at, every.total, len(every) + every.idle) == (26, 26, 26)
    margins = [entry.margin for entry in every]
    assert margins == sorted(margins)  # type: ignore[type-var]
    some = model.sensitivity(2)
    assert some.entries == every.entries[:2]
    assert some.threshold == model.threshold_interval()
    one = every.entries[0]
    assert one == model.entry_interval(one.variable, one.state, one.given)
    assert str(some).count("no decision changes in") == 3
    assert Classifier(example("survey"), "E", ["A", "S"]).sensitivity(0).threshold is None
    hurried = model.sensitivity(time_limit=0)
    assert (hurried.status, hurried.looked_at) == ("open", 0)


def test_only_what_counts() -> None:
    model = survey().compile()
    found = model.threshold_interval()
    given = model.given("not (A=adult and S=F)").threshold_interval()
    assert found.first_above is not None
    assert (found.first_above["A"], found.first_above["S"]) == ("adult", "F")
    assert given.high > found.high
    assert given.low == found.low
    small = Subject(model.classifier, model.given("not (A=adult and S=F)"), few=0)
    compiled = threshold_interval(small, None)
    assert (compiled.low, compiled.high, compiled.status) == (given.low, given.high, "proved")


def large(features: int, threshold: str = "0.5") -> Classifier:
    """Return a naive Bayes classifier with entries in hundredths."""
    rng = Random(7)  # noqa: S311 - reproducible test data
    target = Variable("Y", ("0", "1"))
    variables, tables = [target], [CPT(target, (), ["0.6", "0.4"])]
    for number in range(features):
        child = Variable(f"X{number}", ("0", "1"))
        shares = [Fraction(rng.randint(5, 95), 100) for _ in range(2)]
        variables.append(child)
        tables.append(CPT(child, (target,), [n for share in shares for n in (share, 1 - share)]))
    return Classifier(BayesianNetwork(variables, tables), "Y", threshold=threshold)


def test_many_instances() -> None:
    """By compiling, against the sums of logarithms that naive Bayes has."""
    classifier = large(18)
    model = classifier.compile()
    found = model.threshold_interval()
    assert found.status == "proved"
    ratios = np.zeros(1)
    for name in classifier.features:
        table = classifier.network.cpt(name).values
        ratios = (ratios[:, None] + np.log(table[1] / table[0])).reshape(-1)
    posteriors = 1 / (1 + 0.6 / 0.4 * np.exp(-ratios))
    assert float(found.low) == pytest.approx(posteriors[posteriors <= 0.5].max(), abs=1e-12)
    assert float(found.high) == pytest.approx(posteriors[posteriors > 0.5].min(), abs=1e-12)
    entry = model.entry_interval("X3", "1", {"Y": "0"})
    assert entry.first_above is not None
    outside = entry.high if not entry.high_included else entry.high + Fraction(1, 10**50)
    changed = with_entry(classifier, "X3", "1", {"Y": "0"}, outside)
    assert (model.predict(entry.first_above), changed.predict(entry.first_above)) == entry.decisions_above
    assert 1 <= model.compare(changed.compile()).count < 100
    inside = entry.high - Fraction(1, 10**50)
    assert model.equivalent(with_entry(classifier, "X3", "1", {"Y": "0"}, inside).compile())


def test_a_limit_leaves_bounds() -> None:
    classifier = large(40)
    (found,) = assert_in_time(lambda: classifier.threshold_interval(time_limit=0.3), 0.3)
    assert found.status == "open"
    assert found.low <= found.sure_low <= found.value <= found.sure_high <= found.high
    assert found.value in found
    assert "a limit came" in str(found)
    for end, first in ((found.low, found.first_below), (found.high, found.first_above)):
        assert first is None or classifier.posterior(first)["1"] == end


def test_what_differs() -> None:
    """The diagram of what two nodes of a diagram decide differently, against all instances."""
    model = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    diagram = model.diagram
    rows = np.array(np.unravel_index(np.arange(18), (3, 2, 3))).T
    level = diagram.walk[0]
    one, other = (int(node) for node in level.table[0, :2])
    for counting in ([True, True, True], [True, False, True]):
        apart = differing(diagram, one, other, np.array(counting))
        apart.assert_consistent()
        labels = []
        for state in (0, 1):
            changed = rows.copy()
            changed[:, level.feature] = state
            labels.append(diagram.labels(changed))
        counts = np.array(counting)
        expected = (labels[0] != labels[1]) & counts[labels[0]] & counts[labels[1]]
        assert (apart.labels(rows) == expected).all()


def test_more_ties_than_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three classes that tie everywhere may come back to a tie, so what is not looked at is left open."""
    target, feature = Variable("Y", ("a", "b", "c")), Variable("X", ("0", "1"))
    third = Fraction(1, 3)
    tables = [CPT(target, (), [third] * 3), CPT(feature, (target,), [Fraction(1, 2)] * 6)]
    classifier = Classifier(BayesianNetwork([target, feature], tables), "Y", ties="none")
    found = classifier.entry_interval("X", "1", {"Y": "a"})
    assert (found.status, found.low, found.high) == ("proved", found.value, found.value)  # ties end at once
    assert found.decisions_above == (None, "a")
    monkeypatch.setattr(search, "FEW_INSTANCES", 1)
    subject = Subject(classifier, few=0)
    assert not subject.without_class[2]


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda m: m.entry_interval("Q", "x"), "unknown variable 'Q'"),
        (lambda m: m.entry_interval("O", "sef", {"E": "uni"}), "has no state 'sef'; did you mean 'self'"),
        (lambda m: m.entry_interval("O", "self"), "a state of every parent of 'O': 'E' is missing"),
        (lambda m: m.entry_interval("O", "self", {"E": "un"}), "has no state 'un'; did you mean 'uni'"),
        (lambda m: m.entry_interval("O", "self", {"E": "uni", "A": "old"}), "'A' is no parent of 'O'"),
        (lambda m: m.entry_interval("O", "self", {"F": "uni"}), "unknown variable 'F'"),
        (lambda m: m.entry_interval("A", "old", {"E": "uni"}), "it has no parents"),
        (lambda m: m.entry_interval("O", "self", ["E"]), "given must be a mapping from parent to state"),
        (lambda m: m.sensitivity(-1), "limit must not be negative"),
        (lambda m: m.entry_interval("O", "self", {"E": "uni"}, time_limit="1 s"), "time_limit must be"),
        (lambda _: Classifier(example("survey"), "E", "all").threshold_interval(), "has no threshold"),
        (lambda m: "x" in m.threshold_interval(), "an interval holds numbers"),
    ],
)
def test_wrong_questions(ask: Any, words: str) -> None:
    with pytest.raises(Bnc2dError, match=words):
        ask(survey().compile())


def test_membership_reads_numbers() -> None:
    found = survey().threshold_interval()
    assert 0.4 in found
    assert "0.39" in found
    assert found.low in found
    assert found.high not in found
    with pytest.raises(ArgumentError, match="not a number"):
        assert None in found  # type: ignore[operator]
