"""Questions about a model under a constraint, against enumeration."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from random import Random

import pytest

import bnc2d
from bnc2d import Classifier, GivenModel, Label
from bnc2d.errors import ClassifierError, InstanceError
from tests.brute_force.reasons import Truth
from tests.cases import cases
from tests.explain.test_given import case


def test_nearest_is_an_allowed_instance() -> None:
    moved = 0
    for seed in range(cases(90, 120)):
        found = case(seed)
        if found is None:
            continue
        truth, given, allowed, _ = found
        fixed = [truth.model.features[f] for f in truth.fixed]
        for towards in (None, *given.classes):
            distances = [
                sum(a != b for a, b in zip(states, truth.own, strict=True))
                for states in truth.space
                if states in allowed
                and (
                    truth.table[states] != truth.decision
                    if towards is None
                    else truth.table[states] == towards
                )
            ]
            answer = given.nearest(truth.instance, towards, fixed=fixed)
            assert answer.distance == (min(distances) if distances else None), seed
            if answer.instance is not None:
                assert given.allows(answer.instance)
                assert given.predict(answer.instance) == answer.decision
            plain = truth.model.nearest(truth.instance, towards, fixed=fixed)
            moved += plain.distance != answer.distance
    assert moved > 10


def test_models_are_compared_on_instances_that_both_allow() -> None:
    differ = same = 0
    for seed in range(cases(90, 120)):
        found = case(seed)
        if found is None:
            continue
        truth, given, _, forbidden = found
        model = truth.model
        other = Classifier(model.classifier.network, model.target, model.features, ties="lowest").compile()
        rows = {states: other.predict(truth.named(states)) for states in truth.table}
        half = other.given(forbidden[:1])
        for one, second in ((given, other), (other, given), (given, half)):
            kept = {states for states in truth.table if given.allows(truth.named(states))}
            mine = truth.table if one is given else rows
            theirs = rows if one is given else truth.table
            expected: dict[tuple[Label | None, Label | None], int] = {}
            for states in kept:
                pair = (mine[states], theirs[states])
                expected[pair] = expected.get(pair, 0) + 1
            comparison = one.compare(second)
            assert comparison.table == expected, seed
            assert comparison.holds == all(before == after for before, after in expected)
            equivalence = one.equivalent(second)
            assert equivalence.holds == comparison.holds
            if equivalence.witness is not None:
                assert given.allows(equivalence.witness)
                assert one.predict(equivalence.witness) != second.predict(equivalence.witness)
            differ, same = differ + (not equivalence), same + bool(equivalence)
    assert differ > 5
    assert same > 20


def test_bias_is_of_pairs_both_allowed() -> None:
    biased = several = 0
    for seed in range(cases(110, 160)):
        found = case(seed)
        if found is None:
            continue
        truth, given, allowed, _ = found
        rng = Random(seed)  # noqa: S311 - reproducible test data
        names = given.features
        protected = rng.sample(names, rng.randint(1, min(3, len(names))))
        rest = [at for at, name in enumerate(names) if name not in protected]
        decided: dict[tuple[str, ...], set[str | None]] = {}
        for states in allowed:
            decided.setdefault(tuple(states[at] for at in rest), set()).add(truth.table[states])
        count = sum(len(decided[tuple(states[at] for at in rest)]) > 1 for states in allowed)
        answer = given.is_biased(protected)
        assert answer.count == count, seed
        assert answer.share == Fraction(count, len(allowed))
        assert answer.biased == (count > 0)
        if answer.pair is not None:
            one, other = answer.pair
            assert {name for name in names if one[name] != other[name]} <= set(protected)
            assert given.predict([one, other]) == list(answer.decisions or ())
            assert given.predict(one) != given.predict(other)
            several += sum(one[name] != other[name] for name in names) > 1
        biased += answer.biased
        own = tuple(truth.own[at] for at in rest)
        assert given.is_biased(protected, truth.instance).biased == (len(decided[own]) > 1)
    assert biased > 20
    assert several


def test_monotone_is_of_pairs_both_allowed() -> None:
    held = 0
    for seed in range(cases(110, 160)):
        found = case(seed)
        if found is None:
            continue
        truth, given, allowed, _ = found
        rng = Random(seed)  # noqa: S311 - reproducible test data
        names, variables = given.features, given.classifier.feature_variables
        raised = rng.sample(names, rng.randint(1, min(2, len(names))))
        order = {v.name: rng.sample(v.states, len(v)) for v in variables if v.name in raised}
        towards = rng.choice([None, *given.classes])
        if towards is None and any(truth.table[states] is None for states in allowed):
            with pytest.raises(ClassifierError, match="in no class"):
                given.is_monotone(raised, order)
            continue

        def rank(
            states: tuple[str, ...], order: dict[str, list[str]] = order, names: tuple[str, ...] = names
        ) -> list[int]:
            at = zip(names, states, strict=True)
            return [order[name].index(state) for name, state in at if name in order]

        def is_wrong(
            low: tuple[str, ...],
            high: tuple[str, ...],
            given: GivenModel = given,
            truth: Truth = truth,
            towards: str | None = towards,
        ) -> bool:
            before, after = truth.table[low], truth.table[high]
            if towards is not None:
                return before == towards != after
            return given.label(before) > given.label(after)

        same = [at for at, name in enumerate(names) if name not in raised]
        expected = not any(
            is_wrong(low, high)
            for low in allowed
            for high in allowed
            if all(low[at] == high[at] for at in same)
            and all(a <= b for a, b in zip(rank(low), rank(high), strict=True))
        )
        answer = given.is_monotone(raised, order, towards=towards)
        assert answer.holds == expected, seed
        if answer.pair is not None:
            low, high = (tuple(one[name] for name in names) for one in answer.pair)
            assert is_wrong(low, high)
            assert all(a <= b for a, b in zip(rank(low), rank(high), strict=True))
            assert given.allows(answer.pair[0])
            assert given.allows(answer.pair[1])
            assert f"raising {answer.feature} from" in str(answer)
        held += bool(answer)
    assert held > 20


def test_two_features_that_only_change_together() -> None:
    given = Classifier(bnc2d.example("running"), "A", ["D", "E", "F"]).compile().given("D <-> F")
    assert given.is_monotone(["D", "F"])
    answer = given.is_monotone(["D", "F"], {"D": ["1", "0"], "F": ["1", "0"]})
    assert str(answer) == "raising D from 1 to 0 and F from 1 to 0 can change the decision from 1 to 0"
    assert given.is_monotone("D", ["1", "0"])  # alone it cannot change


def test_formulas_are_implications() -> None:
    for seed in range(60):
        found = case(seed)
        if found is None:
            continue
        truth, given, allowed, _ = found
        for name in given.classes:
            formula, negated = given.formula(name), given.formula(name, negated=True)
            assert formula.is_or_decomposable()
            assert negated.is_or_decomposable()
            for states in truth.table:
                inside = states in allowed
                assert formula.evaluate(truth.named(states)) == (not inside or truth.table[states] == name)
                assert negated.evaluate(truth.named(states)) == (not inside or truth.table[states] != name)


def test_a_file_keeps_the_constraint(tmp_path: Path) -> None:
    path = tmp_path / "given.bnc2d"
    for seed in range(40):
        found = case(seed)
        if found is None:
            continue
        truth, given, _, _ = found
        given.save(path)
        loaded = bnc2d.load(path)
        assert isinstance(loaded, GivenModel)
        assert loaded.diagram.counts() == given.diagram.counts()
        assert loaded.constraint.equivalent(given.constraint)
        assert loaded.unconstrained.diagram.counts() == truth.model.diagram.counts()
        before = path.read_bytes()
        assert before.startswith(b"bnc2d-model 4 ")
        loaded.save(path)
        assert path.read_bytes() == before
        truth.model.save(path)
        assert path.read_bytes().startswith(b"bnc2d-model 3 ")
        assert not isinstance(bnc2d.load(path), GivenModel)


def test_an_instance_outside_has_no_nearest() -> None:
    model = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    with pytest.raises(InstanceError, match="violates the constraint"):
        model.given("BP!=Low").nearest({"BP": "Low", "CT": "1", "HR": "Low"})
