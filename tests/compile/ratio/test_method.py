"""Targets that separate the features: decisions by intervals, against enumeration and the general method."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import comb
from random import Random

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d import CPT, BayesianNetwork, Classifier, LimitExceeded, Variable
from bnc2d.base.budget import Budget
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.graph.pruning import prepare
from bnc2d.compile.meet import method as fast
from bnc2d.compile.meet.method import compile_diagram
from bnc2d.compile.ratio import products as intervals_products
from bnc2d.compile.ratio.choice import groups_of
from bnc2d.compile.ratio.factors import Groups
from bnc2d.compile.ratio.method import compile_by_intervals
from bnc2d.compile.result import Compiled
from bnc2d.testing import (
    random_classifier,
    random_k_dependence,
    random_latent_tree,
    random_naive_bayes,
    random_tan,
)
from tests.cases import cases
from tests.compile.meet.test_method import check_against_enumeration
from tests.compile.meet.test_ties import gated, symmetric
from tests.compile.test_limits import late_in

ROOM = 2**30


def column(rng: Random, states: int, digits: int, zero_share: float) -> list[Fraction]:
    weights = [0 if rng.random() < zero_share else rng.randint(1, 10**digits) for _ in range(states)]
    if not any(weights):
        weights[rng.randrange(states)] = 1
    return [Fraction(weight, sum(weights)) for weight in weights]


def table(
    rng: Random, child: Variable, parents: tuple[Variable, ...], knobs: tuple[int, float, float]
) -> CPT:
    digits, zero_share, repeat_share = knobs
    columns: list[list[Fraction]] = []
    for _ in product(*(parent.states for parent in parents)):
        again = columns and rng.random() < repeat_share
        columns.append(rng.choice(columns) if again else column(rng, len(child), digits, zero_share))
    return CPT(child, parents, [entry for each in columns for entry in each])


def separated(
    seed: int, groups: int, states: int, plain: bool, knobs: tuple[int, float, float]
) -> tuple[BayesianNetwork, list[str]]:
    """Return groups of one to three features below a target ``Y``, or single ones, and the features.

    Each group may have a hidden variable; that of the first may be a parent of the target.
    """
    rng = Random(seed)  # noqa: S311 - reproducible test data
    target = Variable("Y", ("no", "yes"))
    above: tuple[Variable, ...] = ()
    cpts: list[CPT] = []
    features: list[str] = []
    for group in range(groups):
        near: list[Variable] = [target]
        if not plain and rng.random() < 0.6:
            hidden = Variable(f"H{group}", ("0", "1", "2"))
            is_above = group == 0 and rng.random() < 0.5
            cpts.append(table(rng, hidden, () if is_above else (target,), knobs))
            above = (hidden,) if is_above else above
            near.append(hidden)
        for number in range(1 if plain else rng.choice((1, 1, 2, 3))):
            size = rng.randint(1 if rng.random() < 0.1 else 2, states)
            feature = Variable(f"F{group}_{number}", tuple(map(str, range(size))))
            parents = near[-2:] if plain or rng.random() < 0.8 else near[-1:]
            cpts.append(table(rng, feature, tuple(parents), knobs))
            features.append(feature.name)
            near.append(feature)
    cpts.append(table(rng, target, above, knobs))
    rng.shuffle(features)
    return BayesianNetwork([cpt.child for cpt in cpts], cpts), features


@st.composite
def separated_classifiers(draw: st.DrawFn) -> Classifier:
    seed = draw(st.integers(0, 10**9))
    plain = draw(st.booleans())
    groups = draw(st.integers(2, 5 if plain else 3))
    knobs = (
        draw(st.integers(0, 2)),
        draw(st.sampled_from([0.0, 0.1, 0.4])),
        draw(st.sampled_from([0.0, 0.5])),
    )
    network, features = separated(seed, groups, draw(st.sampled_from([2, 3])), plain, knobs)
    rule = draw(st.sampled_from(["argmax", "none", "threshold", "hit"]))
    argmax = Classifier(network, "Y", features, ties="none" if rule == "none" else "lowest")
    if rule in ("argmax", "none"):
        return argmax
    positive = draw(st.sampled_from(["no", "yes"]))
    threshold = Fraction(draw(st.integers(1, 19)), 20)
    if rule == "hit":
        rng = Random(seed)  # noqa: S311 - reproducible test data
        some = {v.name: rng.choice(v.states) for v in argmax.feature_variables}
        posterior = argmax.posterior(some)[positive]
        threshold = posterior if 0 < posterior < 1 else threshold
    return Classifier(network, "Y", features, threshold, positive)


def by_intervals(classifier: Classifier, certified: bool = True, memory_limit: int = ROOM) -> Compiled:
    groups, budget = Groups(classifier), Budget(memory_limit=memory_limit)
    assert groups.fit
    return compile_by_intervals(classifier, prepare(classifier), groups, budget, certified)


def by_the_general_method(classifier: Classifier) -> Compiled:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "groups_of", lambda *_: None)
        return compile_diagram(classifier, Budget(memory_limit=ROOM), certified=True)


def check_labels(classifier: Classifier, result: Compiled) -> None:
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    result.diagram.assert_consistent()
    assert result.diagram.labels(rows).tolist() == (classifier.labels(rows) % 3).tolist()


@given(separated_classifiers())
@settings(max_examples=cases(14, 60))
def test_every_instance_of_every_class(classifier: Classifier) -> None:
    model = classifier.compile()
    check_against_enumeration(classifier, model)
    event(f"exact calls: {model.stats.exact_calls != 0}")
    event(f"constant: {model.diagram.node_count == 0}")
    event(f"tied: {sum(model.count(name) for name in model.classes) < classifier.instance_count}")


@given(separated_classifiers())
@settings(max_examples=cases(16, 100))
def test_both_methods_decide_alike(classifier: Classifier) -> None:
    result = by_intervals(classifier)
    check_labels(classifier, result)
    general = by_the_general_method(classifier)
    assert result.diagram.counts() == general.diagram.counts()


@given(separated_classifiers(), st.sampled_from([0, 10, 300]))
@settings(max_examples=cases(16, 100))
def test_close_calls_are_exact(classifier: Classifier, largest: int) -> None:
    """Logarithms so coarse that they prove little or nothing."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intervals_products, "_LARGEST_SUM", largest)
        check_labels(classifier, by_intervals(classifier))


@pytest.mark.parametrize("exponent", [17, 40, 400])
@pytest.mark.parametrize("sign", [-1, 0, 1])
def test_near_ties(exponent: int, sign: int) -> None:
    """All votes but one cancel; a prior that is a little off decides, or nothing does."""
    network = symmetric(4)
    prior = Fraction(1, 2) + sign * Fraction(1, 10**exponent)
    cpts = [CPT(c.child, (), [1 - prior, prior]) if c.child.name == "T" else c for c in network.cpts]
    classifier = Classifier(BayesianNetwork(network.variables, cpts), "T", ties="none")
    check_labels(classifier, by_intervals(classifier))
    result = by_intervals(classifier)
    tied = comb(4, 2)
    won = (16 - tied) // 2
    ends = [won + tied * (sign < 0), won + tied * (sign > 0)]
    assert result.diagram.counts() == [*ends, tied * (sign == 0)]
    assert result.exact_calls > 0


def test_entries_beyond_float64() -> None:
    tiny, target = Fraction(1, 10**400), Variable("T", ("a", "b"))
    leaves = [Variable(f"F{number}", ("0", "1")) for number in range(5)]
    cpts = [CPT(leaf, (target,), [1 - tiny, tiny, tiny, 1 - tiny]) for leaf in leaves]
    for prior in (Fraction(1, 2), tiny, 1 - tiny):
        network = BayesianNetwork([target, *leaves], [CPT(target, (), [1 - prior, prior]), *cpts])
        for ties in ("lowest", "none"):
            classifier = Classifier(network, "T", ties=ties)
            check_labels(classifier, by_intervals(classifier))


@pytest.mark.parametrize("certain", [0, 1])
def test_a_class_that_never_happens(certain: int) -> None:
    network = symmetric(3)
    prior = [Fraction(1 - certain), Fraction(certain)]
    cpts = [CPT(c.child, (), prior) if c.child.name == "T" else c for c in network.cpts]
    classifier = Classifier(BayesianNetwork(network.variables, cpts), "T")
    result = by_intervals(classifier)
    assert (result.diagram.node_count, result.diagram.root) == (0, certain)
    check_against_enumeration(classifier, classifier.compile())


def test_a_single_group() -> None:
    """It is left to the general method, not because it could not be done."""
    classifier = Classifier(symmetric(1), "T", ties="none")
    assert groups_of(classifier, prepare(classifier)) is None
    result = by_intervals(classifier)
    check_labels(classifier, result)
    assert result.diagram.counts() == [1, 1, 0]


def test_votes_of_equal_weight() -> None:
    votes, tied = 32, comb(32, 16)
    lowest = by_intervals(Classifier(symmetric(votes), "T"))
    assert lowest.diagram.counts() == [(2**votes + tied) // 2, (2**votes - tied) // 2]
    assert 0 < lowest.exact_calls < 500
    none = by_intervals(Classifier(symmetric(votes), "T", ties="none"))
    assert none.diagram.counts() == [(2**votes - tied) // 2, (2**votes - tied) // 2, tied]
    assert max(map(len, none.diagram.levels)) <= votes // 2 + 2


def test_votes_with_abstentions() -> None:
    """Products of different ratios are equal: one vote each way is as good as two abstentions."""
    target, votes = Variable("T", ("no", "yes")), 40
    for_no, for_yes = ([Fraction(part, 10) for part in parts] for parts in ((6, 3, 1), (1, 3, 6)))
    cpts = [CPT(target, (), [Fraction(1, 2)] * 2)]
    for number in range(votes):
        vote = Variable(f"V{number}", ("no", "none", "yes"))
        cpts.append(CPT(vote, (target,), [*for_no, *for_yes]))
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    result = by_intervals(Classifier(network, "T", ties="none"))
    tied = sum(comb(votes, 2 * pairs) * comb(2 * pairs, pairs) for pairs in range(votes // 2 + 1))
    assert result.diagram.counts() == [(3**votes - tied) // 2, (3**votes - tied) // 2, tied]


def test_more_instances_than_can_be_labelled() -> None:
    classifier = Classifier(random_naive_bayes(1, 36), "Y")
    result = compile_diagram(classifier, Budget(memory_limit=ROOM), certified=True)
    result.diagram.assert_consistent()
    rows = np.random.default_rng(0).integers(0, 2, size=(2000, 36))
    assert result.diagram.labels(rows).tolist() == classifier.labels(rows).tolist()
    assert sum(result.diagram.counts()) == 2**36
    assert result.cells < 2**22


def test_float_arithmetic_compares_nothing_exactly() -> None:
    classifier = Classifier(symmetric(12), "T", threshold=Fraction(1, 3))
    result = by_intervals(classifier, certified=False)
    assert result.exact_calls == 0
    check_labels(classifier, result)


def test_limits() -> None:
    classifier = Classifier(random_naive_bayes(1, 60), "Y")
    with pytest.raises(LimitExceeded, match=r"more than the limit of 4\.0 MiB; .* raise memory_limit"):
        classifier.compile(memory_limit=2**22)
    small = Classifier(random_naive_bayes(1, 10), "Y")
    with pytest.raises(LimitExceeded, match="in phase 'labels'"):
        small.compile(time_limit=0.5, progress=late_in("labels"))


def applies(classifier: Classifier) -> bool:
    return groups_of(classifier, prepare(classifier)) is not None


def test_where_it_does_not_apply() -> None:
    assert not applies(random_classifier(1, min_states=3, max_states=3))
    network = gated(3)  # connected without the target
    assert not applies(Classifier(network, "T", ["Open", "F0", "F1", "F2"]))
    dear, features = separated(1, 2, 9, plain=True, knobs=(1, 0.0, 0.0))
    wide = [Variable(name, tuple(map(str, range(500)))) for name in features]
    cpts = [CPT(v, (dear.variable("Y"),), [Fraction(1, 500)] * 1000) for v in wide]
    network = BayesianNetwork([dear.variable("Y"), *wide], [dear.cpt("Y"), *cpts])
    assert not applies(Classifier(network, "Y", features))


def test_where_it_pays() -> None:
    assert not applies(Classifier(random_tan(1, 16), "Y", features="all"))
    assert applies(Classifier(random_tan(1, 26), "Y", features="all"))
    assert applies(Classifier(random_k_dependence(1, 26, k=3), "Y", features="all"))
    latent = random_latent_tree(1, 26)  # one factor of all features
    assert not applies(Classifier(latent, "Y", [name for name in latent.names if name[0] == "X"]))
