"""What the missing features could do, against every completion one by one."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from math import prod
from random import Random

import numpy as np
import pytest

from bnc2d import BayesianNetwork, Classifier, CompiledModel, IfKnown, Variable, example
from bnc2d.base.budget import Budget
from bnc2d.base.readers.instances import all_rows
from bnc2d.explain.missing import if_known as module
from bnc2d.explain.missing import splitting
from bnc2d.explain.missing.masses import Masses
from bnc2d.explain.routes import NetworkRoute
from bnc2d.logic.diagram.fixing import with_fixed
from bnc2d.model.cpt import CPT
from bnc2d.testing import random_tan
from tests.explain.missing.completions import Completions, some_completions
from tests.hard_classifiers import mixed_classifier

LONG = 60.0  # seconds: nothing here is ended by time, unless it is said
Asked = Classifier | CompiledModel
ROUTES: list[Callable[[Classifier], Asked]] = [lambda clf: clf, lambda clf: clf.compile()]
by_route = pytest.mark.parametrize("of", ROUTES, ids=["network", "compiled"])


@cache
def case_of(seed: int) -> Completions:
    """Return a small classifier and what is known of an instance."""
    return some_completions(mixed_classifier(seed, 100), seed)


def impossible_features() -> Classifier:
    """Return a classifier of Y by A and B, where A=1 and B=1 cannot be met together, nor A=2 at all."""
    y, a, b = Variable("Y", ("no", "yes")), Variable("A", ("0", "1", "2")), Variable("B", ("0", "1"))
    cpts = [
        CPT(y, (), ["0.4", "0.6"]),
        CPT(a, (y,), ["0.7", "0.3", "0", "0.2", "0.8", "0"]),
        CPT(b, (a,), ["0.5", "0.5", "1", "0", "0.5", "0.5"]),
    ]
    return Classifier(BayesianNetwork([y, a, b], cpts), "Y", ["A", "B"])


@by_route
def test_it_is_what_all_completions_say(of: Callable[[Classifier], Asked]) -> None:
    seen = set()
    for seed in range(30):
        case = case_of(seed)
        found = of(case.classifier).explain(case.known).if_known(LONG)
        case.check(found)
        seen.add((found.status, found.probability_bounds is None, found.share == found.probability))
    assert {("proved", False, True), ("refuted", False, False), ("proved", True, False)} <= seen


@by_route
def test_splitting_gives_sound_bounds(
    of: Callable[[Classifier], Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_COMPLETIONS", 1)
    monkeypatch.setattr(splitting, "_AT_ONCE", 3)
    near = 0
    for seed in range(15, 32):
        case = case_of(seed)
        found = of(case.classifier).explain(case.known).if_known(LONG)
        case.check(found, whole=False)
        if found.probability is None and found.probability_bounds is not None:
            low, high = found.probability_bounds
            near += high - low < 1e-6
            assert found.share is not None  # counts are exact where the splitting ends
            assert high - low < 1e-6
    assert near >= 1


@by_route
@pytest.mark.parametrize("seconds", [0.0, 0.002, 0.01])
def test_whatever_time_leaves_is_sound(of: Callable[[Classifier], Asked], seconds: float) -> None:
    for seed in range(12):
        case = case_of(seed)
        found = of(case.classifier).explain(case.known).if_known(seconds)
        case.check(found, whole=False)
        if not seconds and case.missing:
            assert found.status == "open"
            assert found.share_bounds == (Fraction(0), Fraction(1))
            assert found.alone is None


def test_a_splitting_that_is_ended_goes_on_and_is_sound_meanwhile() -> None:
    """After every part the bounds hold the exact numbers."""
    steps = 0
    for seed in range(32):
        case = case_of(seed)
        clf = case.classifier
        if len(case.missing) < 2 or not clf.is_possible(case.known):
            continue
        exact = clf.explain(case.known).if_known(LONG)
        known = {
            clf.features.index(name): clf.network.variable(name).index(s) for name, s in case.known.items()
        }
        asked = module._Question(NetworkRoute(clf), known, clf.explain(case.known)._label, True)
        tree = asked._by_diagram(Budget(LONG))
        assert tree is not None
        split = splitting.Splitting(tree, asked._row, asked._sizes, asked._masses, 0)
        while not split.complete:
            bounds = split.probability_bounds()
            assert bounds[0] <= exact.probability <= bounds[1]  # type: ignore[operator]
            share = split.share_bounds()
            assert share[0] <= exact.share <= share[1]  # type: ignore[operator]
            one = split._open.pop(0)
            split._open.sort()
            split._add(split._split([one[2:]]))
            steps += 1
    assert steps > 10


def test_masses_are_sums_of_joints() -> None:
    for seed in range(16):
        clf = case_of(seed).classifier
        rng = Random(seed)  # noqa: S311
        case = case_of(seed)
        missing = [clf.features.index(name) for name in case.missing]
        masses = Masses(clf, missing)
        known = [case.known.get(name) for name in clf.features]
        rows, wanted = [], []
        for _ in range(5):
            part = {**case.known}
            row = []
            for at, variable in enumerate(clf.feature_variables):
                state = known[at]
                if at in missing and rng.random() < 0.5:
                    state = rng.choice(variable.states)
                    part[variable.name] = state
                row.append(masses.any_state[at] if state is None else variable.index(state))
            rows.append(row)
            wanted.append(sum(case.joint(part).values(), Fraction(0)))
        if not missing:
            continue
        found = masses.exact(np.array(rows, dtype=np.intp))
        assert all(one * wanted[0] == found[0] * other for one, other in zip(found, wanted, strict=True)), (
            "they are proportional"
        )
        total = sum(case.joint(case.known).values(), Fraction(0))
        if total:
            lower, upper = masses.bounds(np.array(rows, dtype=np.intp))
            for low, high, joint in zip(lower.tolist(), upper.tolist(), wanted, strict=True):
                assert Fraction(low) <= joint / total <= Fraction(high)
                assert high - low < 1e-12
                assert (high == 0) == (joint == 0)


def test_masses_that_float64_cannot_hold_are_bounded_all_the_same() -> None:
    """Sixty features of probability 1e-12 each: their product underflows, and is not nothing."""
    y = Variable("Y", ("no", "yes"))
    cpts = [CPT(y, (), ["0.5", "0.5"])]
    for number in range(60):
        x = Variable(f"X{number}", ("0", "1"))
        rare = Fraction(1, 10**12)
        cpts.append(CPT(x, (y,), [1 - rare, rare, 1 - 2 * rare, 2 * rare]))
    clf = Classifier(BayesianNetwork([cpt.child for cpt in cpts], cpts), "Y", features="all")
    masses = Masses(clf, range(60))
    rows = np.array([[1] * 60, [1] * 20 + [2] * 40, [0] * 60, [2] * 60])
    lower, upper = masses.bounds(rows)
    exact = [Fraction(one, masses.exact(rows)[3]) for one in masses.exact(rows)]
    assert exact[0] < Fraction(1, 10**400)
    for low, high, share in zip(lower.tolist(), upper.tolist(), exact, strict=True):
        assert Fraction(low) <= share <= Fraction(high)
        assert high < max(1e-200, 1.01 * share)


@by_route
def test_a_witness_is_possible_where_no_completion_keeps_the_decision(
    of: Callable[[Classifier], Asked],
) -> None:
    """The most probable class need not be that of any completion; one of probability 0 was the witness."""
    case = case_of(20550)
    found = of(case.classifier).explain(case.known).if_known(LONG)
    assert found.share == found.probability == Fraction(0)
    case.check(found)


def test_impossible_completions_count_in_the_share_and_weigh_nothing() -> None:
    clf = impossible_features()
    for asked in (clf, clf.compile()):
        found = asked.explain({"B": "1"}).if_known(LONG)
        assert found.decision == "no"  # only A=0 goes with B=1, so that the posterior is that of A=0
        assert found.share == found.probability == 1
        nothing = asked.explain({"A": "2"}).if_known(LONG)
        assert nothing.probability is None is nothing.probability_bounds
        assert nothing.exact
        found = asked.explain({}).if_known(LONG)
        assert found.decision == "yes"
        assert found.witness is not None
        assert clf.is_possible(found.witness)  # A=2 is decided otherwise, too, but cannot be
        assert found.share == Fraction(1, 6)
        assert found.probability == Fraction(4 * 3 + 6 * 8, 100)


def test_a_complete_instance_leaves_nothing_open() -> None:
    clf = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])
    for asked in (clf, clf.compile()):
        found = asked.explain({"BP": "High", "CT": 1, "HR": "Low"}).if_known(0)
        assert found == IfKnown("2", (), True, None, None, Fraction(1), (Fraction(1),) * 2, Fraction(1),
                                (Fraction(1),) * 2, {}, {}, (), ())  # fmt: skip


def test_ties_in_no_class_are_a_decision() -> None:
    """The partial instance is in no class, though no complete instance ties."""
    y, x = Variable("Y", ("no", "yes")), Variable("X", ("a", "b"))
    cpts = [CPT(y, (), ["0.5", "0.5"]), CPT(x, (y,), ["0.7", "0.3", "0.3", "0.7"])]
    clf = Classifier(BayesianNetwork([y, x], cpts), "Y", ["X"], ties="none")
    for asked in (clf, clf.compile()):
        explanation = asked.explain({})
        assert explanation.decision is None
        found = explanation.if_known(LONG)
        assert found.share == found.probability == 0
        assert found.alone == {"X": {"a": "no", "b": "yes"}}
        assert found.decision is None


def test_too_many_completions_to_list_are_asked_about() -> None:
    """59,049 completions, none listed; here they are, with their probabilities as products of tables."""
    clf = Classifier(random_tan(seed=5, features=24, states=3, classes=2), "Y", features="all")
    known = {name: clf.network.variable(name).states[0] for name in clf.features[:14]}
    found = clf.explain(known).if_known(1.0)
    assert prod(len(clf.network.variable(name)) for name in found.missing) > module.MOST_COMPLETIONS
    rows = np.concatenate(list(all_rows([clf.network.variable(name) for name in found.missing])))
    rows = np.concatenate([np.zeros((len(rows), 14), dtype=np.intp), rows], axis=1)
    kept = clf.labels(rows) == clf.label(found.decision)
    joint = np.ones((len(rows), 2))
    column = {name: at for at, name in enumerate(clf.features)}
    for cpt in clf.network.cpts:
        for y in (0, 1):
            states = tuple(y if v.name == "Y" else rows[:, column[v.name]] for v in cpt.scope)
            joint[:, y] *= cpt.values[states]
    mass = joint.sum(axis=1) / joint.sum()
    assert found.share_bounds[0] <= Fraction(int(kept.sum()), len(kept)) <= found.share_bounds[1]
    assert found.probability_bounds is not None
    low, high = found.probability_bounds
    assert low - 1e-9 <= mass[kept].sum() <= high + 1e-9
    assert found.status == "refuted"
    assert found.witness is not None
    assert known.items() <= found.witness.items()
    assert clf.predict(found.witness) == found.other != found.decision
    for name, (one, other) in found.matters.items():
        assert [key for key in one if one[key] != other[key]] == [name]
        assert clf.predict(one) != clf.predict(other)
    for name, states_of in (found.alone or {}).items():
        for state, decision in states_of.items():
            assert clf.predict({**known, name: state}) == decision


def test_completions_that_do_not_count_are_left_out() -> None:
    """A last terminal for instances outside a constraint: shares, pairs and probabilities without them."""
    checked = 0
    for seed in range(24):
        case = case_of(seed)
        clf = case.classifier
        if clf.rule.leaves_ties or not case.missing:
            continue
        rng = Random(seed)  # noqa: S311
        model = clf.compile()
        one, other = rng.choice(clf.feature_variables), rng.choice(clf.feature_variables)
        given = model.given(f"not ('{one.name}'='{one.states[0]}' and '{other.name}'='{other.states[-1]}')")
        allowed = [states for states in case.agreeing(case.known) if given.allows(case.named(states))]
        if not allowed:
            continue
        checked += 1
        decided = {states: clf.predict(case.named(states)) for states in allowed}
        mass = {states: sum(case.joints[states].values(), Fraction(0)) for states in allowed}
        known = {
            clf.features.index(name): clf.network.variable(name).index(s) for name, s in case.known.items()
        }
        route = given._given_route
        own = rng.randrange(len(clf.classes))
        for most in (1 << 14, 1):
            module.MOST_COMPLETIONS, before = most, module.MOST_COMPLETIONS
            try:
                found = module.if_known(route, known, own, clf.is_possible(case.known), LONG)
            finally:
                module.MOST_COMPLETIONS = before
            kept = [states for states in allowed if decided[states] == clf.classes[own]]
            assert found.share == Fraction(len(kept), len(allowed))
            total = sum(mass.values(), Fraction(0))
            if total and found.probability_bounds is not None:
                exact = sum((mass[states] for states in kept), Fraction(0)) / total
                low, high = found.probability_bounds
                assert low <= exact <= high
                assert most == 1 or found.probability == exact
            assert not found.open
            for name in case.missing:
                at = clf.features.index(name)
                tips = any(
                    decided[x] != decided[z]
                    for x, z in product(allowed, allowed)
                    if [i for i in range(len(x)) if x[i] != z[i]] == [at]
                )
                assert tips == (name in found.matters)
            for pair in found.matters.values():
                x, z = (tuple(one.values()) for one in pair)
                assert decided[x] != decided[z]
    assert checked > 8


def test_a_diagram_with_features_fixed() -> None:
    for seed in range(16):
        clf = case_of(seed).classifier
        diagram = clf.compile().diagram
        rng = Random(seed)  # noqa: S311
        known = {
            at: rng.randrange(len(variable))
            for at, variable in enumerate(clf.feature_variables)
            if rng.random() < 0.5
        }
        fixed = with_fixed(diagram, known)
        fixed.assert_consistent()
        rows = np.concatenate(list(all_rows(clf.feature_variables)))
        at_known = rows.copy()
        for feature, state in known.items():
            at_known[:, feature] = state
        assert (fixed.labels(rows) == diagram.labels(at_known)).all()
