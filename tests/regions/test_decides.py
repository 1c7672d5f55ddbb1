"""Whether a region is decided by one class: against enumeration, by every way to answer."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import prod
from random import Random

import numpy as np
import pytest

import bnc2d
from bnc2d import CPT, BayesianNetwork, Classifier, Variable
from bnc2d.base.checkpoints import checkpoint
from bnc2d.errors import Bnc2dError
from bnc2d.model.decision import NO_CLASS
from bnc2d.regions.decides import bounds_of, decides
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.margins import fitted
from bnc2d.regions.observed import ObservedBounds
from bnc2d.regions.region import Label, Region, instances
from bnc2d.regions.search import Bounds, Search
from tests.cases import cases
from tests.compile.graph.test_target_part import STEPS, long_chain
from tests.hard_classifiers import extreme_classifier, mixed_classifier

BOUNDS: list[Callable[[Classifier], Bounds]] = [ObservedBounds, HiddenBounds]
MAKERS: list[Callable[[int], Classifier]] = [mixed_classifier, extreme_classifier]


def random_region(classifier: Classifier, rng: Random) -> Region:
    """Return a region with some states of each feature."""
    sizes = [len(variable) for variable in classifier.feature_variables]
    return [np.array(sorted(rng.sample(range(size), rng.randint(1, size)))) for size in sizes]


def labels_of(classifier: Classifier) -> list[Label]:
    """Return the labels that instances can have."""
    none = [NO_CLASS] if classifier.rule.leaves_ties else []
    return [*range(len(classifier.classes)), *none]


def random_labels(classifier: Classifier, rng: Random) -> set[Label]:
    """Return one label, all but one, or any."""
    labels = labels_of(classifier)
    one = rng.choice(labels)
    return rng.choice(({one}, set(labels) - {one}, set(rng.sample(labels, rng.randint(1, len(labels))))))


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("bounds", BOUNDS)
@pytest.mark.parametrize("start", range(0, cases(20, 60), 20))
def test_an_instance_is_found_where_there_is_one(
    bounds: Callable[[Classifier], Bounds], make: Callable[[int], Classifier], start: int
) -> None:
    for seed in range(start, start + 20):
        classifier, rng = make(seed), Random(seed)  # noqa: S311 - reproducible test data
        known = bounds(classifier)
        for _ in range(4):
            region, wanted = random_region(classifier, rng), random_labels(classifier, rng)
            if not wanted:
                continue
            search = Search(classifier, known, few=1)  # nothing is looked at one by one
            found = search.find(region, wanted)
            there = np.isin(classifier.labels(instances(region)), list(wanted)).any()
            assert (found is not None) == there, seed
            if found is None:
                assert search.settled == 1
            else:
                assert all(state in allowed for state, allowed in zip(found, region, strict=True))
                assert int(classifier.labels(np.array([found]))[0]) in wanted


@pytest.mark.parametrize("make", MAKERS)
def test_labels_are_those_of_inference(make: Callable[[int], Classifier]) -> None:
    for seed in range(cases(30, 60)):
        classifier = make(seed)
        rows = instances([np.arange(len(variable)) for variable in classifier.feature_variables])
        assert ObservedBounds(classifier).labels(rows).tolist() == classifier.labels(rows).tolist()


def naive_bayes(features: int, states: int, classes: int, seed: int) -> Classifier:
    """Return a naive Bayes classifier with entries of two digits."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    target = Variable("T", tuple(f"c{k}" for k in range(classes)))
    children = [Variable(f"x{k}", tuple(f"s{j}" for j in range(states))) for k in range(features)]

    def columns(states: int, number: int) -> list[Fraction]:
        weights = [[rng.randint(1, 99) for _ in range(states)] for _ in range(number)]
        return [Fraction(weight, sum(column)) for column in weights for weight in column]

    cpts = [CPT(target, (), columns(classes, 1))]
    cpts += [CPT(child, (target,), columns(states, classes)) for child in children]
    return Classifier(BayesianNetwork([target, *children], cpts), "T", [child.name for child in children])


@pytest.mark.parametrize("seed", range(5))
def test_naive_bayes_of_any_size_is_decided_exactly(seed: int) -> None:
    """Features are independent given the class, so the least ratio is a product of least ratios."""
    classifier, rng = naive_bayes(70, 30, 3, seed), Random(seed)  # noqa: S311 - reproducible test data
    row = [rng.randrange(30) for _ in classifier.features]
    label = int(classifier.labels(np.array([row]))[0])
    prior = classifier.network.cpt("T").exact
    tables = [classifier.network.cpt(name).exact for name in classifier.features]
    answers = set()
    for free in (0, 2, 4, 6, 10, 14, 18, 70):
        region = {
            name: f"s{row[k]}" if k >= free else [f"s{(row[k] + j) % 30}" for j in range(4)]
            for k, name in enumerate(classifier.features)
        }
        found = classifier.decides(region, towards=f"c{label}")
        kept = True
        for other in {0, 1, 2} - {label}:
            least = [
                min(
                    t[label][(row[k] + j) % 30] / t[other][(row[k] + j) % 30]
                    for j in range(4 if k < free else 1)
                )
                for k, t in enumerate(tables)
            ]
            ratio = prior[label] / prior[other] * prod(least)
            kept = kept and (ratio > 1 or (ratio == 1 and label < other))
        assert found.holds is kept
        if found.witness is not None:
            assert classifier.predict(found.witness) == found.other != found.decision
        answers.add(kept)
    assert len(answers) == 2


def test_a_tie_far_away_decides() -> None:
    """Two classes that are alike but for the order of states tie somewhere; floats cannot tell."""
    target = Variable("T", ("a", "b"))
    cpts = [CPT(target, (), [Fraction(1, 2)] * 2)]
    for k in range(50):
        low = Fraction(1, 3 + 2 * k)
        child = Variable(f"x{k}", ("0", "1"))
        cpts.append(CPT(child, (target,), [low, 1 - low, 1 - low, low]))
        twin = Variable(f"y{k}", ("0", "1"))
        cpts.append(CPT(twin, (target,), [1 - low, low, low, 1 - low]))
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    first = {f"x{k}": "0" for k in range(50)} | {f"y{k}": "0" for k in range(50)}
    classifier = Classifier(network, "T", list(first))
    assert classifier.predict(first) == "a"  # a tie, which the first class wins
    assert classifier.decides(first).decision == "a"
    assert classifier.decides(first, towards="a").holds
    assert classifier.decides(first, towards="b").witness == first
    strict = Classifier(network, "T", list(first), ties="none")
    assert strict.decides(first).holds
    assert strict.decides(first).decision is None
    assert "in no class" in str(strict.decides(first))
    assert strict.decides({**first, "x0": ["0", "1"]}).holds is False


def test_the_way_of_answering_follows_from_the_network() -> None:
    assert isinstance(bounds_of(naive_bayes(20, 3, 2, 0)), ObservedBounds)
    chain = [Variable(f"h{k}", tuple(f"s{j}" for j in range(9))) for k in range(9)]
    ends = [Variable(f"x{k}", tuple(f"s{j}" for j in range(9))) for k in range(9)]
    noisy = [Fraction(9 if j == k else 1, 17) for k in range(9) for j in range(9)]
    cpts = [CPT(chain[0], (), [Fraction(1, 9)] * 9)]
    cpts += [CPT(one, (before,), noisy) for before, one in pairwise(chain)]
    cpts += [CPT(end, (hidden,), noisy) for hidden, end in zip(chain, ends, strict=True)]
    classifier = Classifier(BayesianNetwork([*chain, *ends], cpts), "h4", [end.name for end in ends])
    assert isinstance(bounds_of(classifier), HiddenBounds)
    held = {end.name: "s2" for end in ends}
    found = classifier.decides({**held, "x0": ["s2", "s3", "s4"], "x8": ["s1", "s2"]})
    assert (found.holds, found.decision) == (True, "s2")
    assert (
        classifier.decides({**held, "x4": ["s2", "s7"], "x5": ["s2", "s7"], "x3": ["s2", "s7"]}).holds
        is False
    )


def test_answers_do_not_depend_on_those_before() -> None:
    classifier = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"])
    fresh = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"])
    for region in ({"CT": "1"}, {"BP": "High"}, {"HR": ["Low", "High"]}):
        classifier.decides(region)
    assert classifier.decides({}) == fresh.decides({})


def test_without_time_the_answer_is_open() -> None:
    found = naive_bayes(30, 5, 2, 0).decides({}, time_limit=0)
    assert (found.status, found.holds, bool(found)) == ("open", None, False)
    assert str(found).startswith("open: 0.00% of the region is known to be in class")


def test_far_from_the_target_tables_are_there_once_for_all_pairs() -> None:
    """With 21 classes the tables of all 412 other variables of diabetes took gibibytes."""
    margins = ObservedBounds(Classifier(long_chain(60, STEPS, 3), "v0", features="all")).of_class(0).margins
    shared = 0
    for cluster in margins.clusters:
        order = (*cluster.stays, *cluster.goes)
        expected = np.zeros((2, *(margins.sizes[feature] for feature in order)))
        for number in cluster.tables:
            expected += fitted(margins.by_table[number], margins.tables.scopes[number], order)
        assert np.array_equal(cluster.table, expected)
        shared += cluster.table.strides[0] == 0
    assert len(margins.clusters) - 2 <= shared < len(margins.clusters)


def test_making_the_bounds_counts_towards_the_time() -> None:
    def endless() -> Bounds:
        while True:
            checkpoint()

    found = decides(naive_bayes(3, 2, 2, 0), endless, {}, None, 0.05)
    assert (found.status, found.settled) == ("open", 0.0)


@pytest.mark.parametrize(
    ("region", "towards", "message"),
    [
        ({"bp": "High"}, None, "unknown feature 'bp'; did you mean 'BP'"),
        ({"BP": "high!"}, None, "BP"),
        ({"BP": []}, None, "the region allows no state of 'BP'"),
        ([("BP", "High")], None, "the region must be a mapping from feature to states"),
        ({}, "9", "the target 'D' has no class '9'"),
    ],
)
def test_wrong_questions_are_refused(region: dict[str, str], towards: str | None, message: str) -> None:
    classifier = Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"])
    with pytest.raises(Bnc2dError) as caught:
        classifier.decides(region, towards)
    assert message in str(caught.value)
