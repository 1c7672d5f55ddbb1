"""The robustness of classifiers against its definition, on random models and under every distribution."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Collection
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

import bnc2d
from bnc2d import Classifier, CompiledModel
from bnc2d.errors import Bnc2dError, Bnc2dWarning, ClassifierError, InstanceError, LogicError
from bnc2d.explain.whole.profile import making
from bnc2d.logic.diagram import forest
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.distances import distance_diagram
from tests.compile.shares.by_definition import Definition, States, random_forbidden, random_marginals
from tests.hard_classifiers import mixed_classifier

Far = dict[States, int | None]


def diagnosis(**options: Any) -> CompiledModel:
    return Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"], **options).compile()


def by_definition(truth: Definition, towards: str | None) -> Far:
    """Return in how many states the nearest allowed instance that is decided otherwise differs from each."""
    rows = np.array(truth.allowed)
    found: Far = {}
    for states, row in zip(truth.allowed, rows, strict=True):
        own = truth.decisions[states]
        ends = [
            at
            for at, other in enumerate(truth.allowed)
            if (truth.decisions[other] != own if towards is None else truth.decisions[other] == towards)
        ]
        found[states] = int((rows[ends] != row).sum(axis=1).min()) if ends else None
    return found


def check_profile(seed: int) -> Counter[str]:
    """Compare the profiles of one random model, with and without a constraint; return what was seen."""
    rng = Random(f"profile {seed}")  # noqa: S311 - reproducible test data
    classifier = mixed_classifier(seed, 60)
    whole = classifier.compile()
    seen: Counter[str] = Counter()
    for forbidden in ([], random_forbidden(classifier, rng)):
        truth = Definition(classifier, forbidden)
        try:
            model: CompiledModel = whole.given(forbidden) if forbidden else whole
        except LogicError:
            continue
        if not truth.allowed:
            continue
        towards = rng.choice((None, *classifier.classes))
        far = by_definition(truth, towards)
        drawn = [rng.choice(list(truth.joints)) for _ in range(8)]
        marginals = random_marginals(classifier, rng)
        asked: list[tuple[Any, dict[States, Fraction]]] = [
            (None, dict.fromkeys(truth.joints, Fraction(1))),
            ("network", truth.by_network()),
            (marginals, truth.by_marginals(marginals)),
            (
                [dict(zip(classifier.features, states, strict=True)) for states in drawn],
                {states: Fraction(drawn.count(states)) for states in truth.joints},
            ),
        ]
        for distribution, weights in asked:
            total = sum((weights[states] for states in truth.allowed), Fraction(0))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", Bnc2dWarning)
                if not total:
                    with pytest.raises(ClassifierError, match=r"probability 0|violate the constraint"):
                        model.robustness_profile(distribution, towards=towards)
                    continue
                found = model.robustness_profile(distribution, towards=towards)
            of_rows = isinstance(distribution, list)
            for name, one in found.classes.items():
                own = [states for states in truth.allowed if truth.decisions[states] == name]
                spread: Counter[int | None] = Counter()
                for states in own:
                    spread[far[states]] += int(weights[states]) if of_rows else 1
                assert one.counts == {d: count for d, count in spread.items() if count}, (seed, name)
                for distance, share in one.shares.items():
                    part = sum((weights[s] for s in own if far[s] == distance), Fraction(0))
                    assert share == part / total, (seed, name, distance)
                assert one.complete
                assert one.count == sum(spread.values())
                assert of_rows or name is None or one.count == model.count(name)
                for distance, instance in one.examples.items():
                    states = tuple(instance[feature] for feature in classifier.features)
                    assert (truth.decisions[states], far[states]) == (name, distance), (seed, name)
                seen["never"] += None in one.counts
            everything = found.overall
            if None not in everything.counts and everything.share:
                mean = sum((d * s for d, s in everything.shares.items() if d is not None), Fraction(0))
                assert found.expected == mean / everything.share
                known = [distance for distance in everything.counts if distance is not None]
                assert (found.least, found.largest) == (min(known), max(known))
            assert towards not in found.classes or towards is None
            seen["towards"] += towards is not None
            seen["given"] += bool(forbidden)
            seen["far"] += max((d or 0 for d in everything.counts), default=0) > 2
        rows = [dict(zip(classifier.features, states, strict=True)) for states in truth.allowed]
        distances = model.robustness_of(rows, towards=towards)
        assert distances == [
            0 if truth.decisions[states] == towards and towards is not None else far[states]
            for states in truth.allowed
        ]
        chosen = rng.randrange(len(rows))
        assert model.explain(rows[chosen]).robustness(towards).distance == distances[chosen]
    return seen


def test_profiles_are_those_of_the_definition() -> None:
    seen: Counter[str] = Counter()
    for seed in range(16):
        seen += check_profile(seed)
    assert all(seen[kind] >= 4 for kind in ("towards", "given", "far", "never")), seen


def test_what_a_limit_leaves_is_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    model = next(
        model
        for model in (mixed_classifier(seed).compile() for seed in range(80))
        if (model.robustness_profile().largest or 0) >= 4
    )
    whole = model.robustness_profile()

    def up_to_two(diagram: Diagram, wanted: Collection[int], most: int) -> Diagram:
        if most > 2:
            raise bnc2d.LimitExceeded("too large")
        return distance_diagram(diagram, wanted, most)

    monkeypatch.setattr(making, "distance_diagram", up_to_two)
    found = model.robustness_profile()
    assert (found.complete, found.cut, found.expected, found.largest) == (False, "too large", None, None)
    for name, one in found.classes.items():
        known = whole.classes[name]
        assert one.counts == {d: count for d, count in known.counts.items() if d is None or d <= 2}
        assert (one.count, one.share) == (known.count, known.share)
        assert one.known_to == (2 if one.beyond else None)
        if known.expected is not None and one.expected_bounds is not None:
            assert one.expected_bounds[0] <= known.expected <= one.expected_bounds[1]
    assert found.overall.count == whole.overall.count
    assert "> 2 changes" in str(found)
    assert "Not finished: too large" in found._repr_html_()
    monkeypatch.setattr(forest, "MAX_PAIRS", 0)
    nothing = model.robustness_profile()
    assert (nothing.overall.known_to, nothing.overall.beyond) == (0, whole.overall.count)
    assert "not known" in str(nothing)
    nothing.figure().svg(300)


def test_the_time_limit() -> None:
    model = diagnosis()
    with pytest.raises(bnc2d.TimeLimitExceeded, match="robustness is not known"):
        model.robustness_profile(time_limit=0)
    with pytest.raises(bnc2d.TimeLimitExceeded, match="robustness of these rows"):
        model.robustness_of([{"BP": "Low", "CT": 1, "HR": "Low"}], time_limit=0)


def test_forms_of_rows() -> None:
    pandas = pytest.importorskip("pandas")
    model = diagnosis()
    rows = [{"BP": "High", "CT": "1", "HR": "Normal"}, {"BP": "Low", "CT": "0", "HR": "Low"}]
    assert model.robustness_of(rows[0]) == 1
    assert model.robustness_of([*rows, {"BP": "Low"}, {}]) == [1, 1, 1, None]
    assert model.robustness_of(np.array([[2, 1, 1], [0, 0, 0]])).tolist() == [1, 1]
    frame = pandas.DataFrame(rows, index=["ann", "bob"])
    found = model.robustness_of(frame)
    assert (found.name, str(found.dtype), found.to_dict()) == ("robustness", "Int64", {"ann": 1, "bob": 1})
    constant = model.given("BP=High and HR=High")
    assert constant.robustness_of({"BP": "High", "CT": "1", "HR": "High"}) is None
    assert constant.robustness_profile().counts["2"] == {None: 2}
    assert "which no change decides otherwise" in str(constant.robustness_profile())


def test_words_data_and_pictures_escape_names() -> None:
    model = diagnosis()
    found = model.robustness_profile("network")
    text = str(found)
    assert text.startswith("D: How many features must change for another decision?")
    assert "all instances: 18 instances, 1 on average, all 1" in text
    data = json.loads(json.dumps(found.to_dict()))
    assert (data["distribution"], data["complete"], data["overall"]["expected"]) == ("network", True, 1.0)
    assert [one["class"] for one in data["classes"]] == ["0", "1", "2"]
    assert sum(one["share"] for one in data["classes"]) == pytest.approx(1)
    chart = found.figure(width=360, theme="dark")
    assert "P(x)" in chart.svg()
    assert chart.text == text
    target, feature = bnc2d.Variable("<b>T", ("<i>", "b&")), bnc2d.Variable("<f>", ("<u>", "</svg>"))
    entries = [Fraction(entry, 10) for entry in (1, 9, 8, 2)]
    cpts = [bnc2d.CPT(target, (), [Fraction(1, 2)] * 2), bnc2d.CPT(feature, (target,), entries)]
    nasty = bnc2d.BayesianNetwork([target, feature], cpts)
    drawn = Classifier(nasty, "<b>T", ["<f>"]).compile().robustness_profile()
    for made in (drawn.figure().svg(), drawn._repr_html_()):
        assert "&lt;b&gt;T" in made
        assert not any(name in made for name in ("<b>", "<i>", "b& "))


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"distribution": [{"BP": "High"}]}, InstanceError, "row 0 of the distribution leaves features out"),
        ({"distribution": "x"}, Bnc2dError, "distribution must be 'uniform', 'network'"),
        ({"towards": "3"}, ClassifierError, "has no class '3'"),
        ({"time_limit": "soon"}, Bnc2dError, "time_limit"),
    ],
)
def test_what_cannot_be_asked(arguments: dict[str, Any], error: type[Bnc2dError], words: str) -> None:
    with pytest.raises(error, match=words):
        diagnosis().robustness_profile(**arguments)
