"""Questions about a model under a constraint, against enumeration."""

from __future__ import annotations

from pathlib import Path

import pytest

import bnc2d
from bnc2d import Classifier, GivenModel
from bnc2d.errors import InstanceError
from tests.explain.test_given import case


def test_nearest_is_an_allowed_instance() -> None:
    moved = 0
    for seed in range(120):
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
    for seed in range(120):
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
            expected: dict[tuple[str | None, str | None], int] = {}
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
