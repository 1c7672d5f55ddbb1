"""TAN, k-dependence and other networks without hidden variables: intervals for each state of the boundary."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod
from random import Random

import numpy as np
import pytest

from bnc2d import CPT, BayesianNetwork, Classifier, LimitExceeded, Variable
from bnc2d.base.budget import Budget
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.graph.pruning import prepare
from bnc2d.compile.meet.method import compile_diagram
from bnc2d.compile.ratio import products
from bnc2d.compile.ratio.expected import expected_edges
from bnc2d.compile.ratio.factors import Column, Groups, times
from bnc2d.compile.ratio.method import compile_by_intervals
from bnc2d.compile.ratio.order import choose_order
from bnc2d.compile.ratio.stages import make_stages
from bnc2d.testing import learnt_naive_bayes, random_k_dependence, random_tan
from tests.compile.ratio.test_method import ROOM, by_intervals, by_the_general_method, check_labels

STRUCTURES = ("tan", "2-dependence", "3-dependence", "forest", "naive", "hidden", "above")
KINDS = ("plain", "zeros", "ties", "long", "learnt")
PARENTS = {"2-dependence": 2, "3-dependence": 3, "naive": 0}


def column(rng: Random, states: int, kind: str) -> list[Fraction | float]:
    """Return chances: of few digits, with many zeros, with many ties, of 17 digits, or frequencies."""
    if kind == "learnt":
        seen = [rng.randrange(states) for _ in range(rng.choice((4, 7, 10)))]
        more = rng.choice((0, 1))
        return [(seen.count(state) + more) / (len(seen) + more * states) for state in range(states)]
    share, top = {"plain": (0.0, 50), "zeros": (0.3, 5), "ties": (0.1, 2), "long": (0.05, 10**17)}[kind]
    weights = [0 if rng.random() < share else rng.randint(1, top) for _ in range(states)]
    weights[rng.randrange(states)] += not any(weights)
    return [Fraction(weight, sum(weights)) for weight in weights]


def hard_classifier(seed: int) -> Classifier:
    """Return a classifier with two classes and up to 400 instances, of one of the structures and kinds."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    structure, kind = STRUCTURES[seed % len(STRUCTURES)], rng.choice(KINDS)
    target = Variable("Y", ("no", "yes"))
    cpts: dict[str, CPT] = {}

    def add(child: Variable, parents: list[Variable]) -> None:
        columns: list[list[Fraction | float]] = []
        for _ in product(*(parent.states for parent in parents)):
            again = columns and rng.random() < 0.2
            columns.append(rng.choice(columns) if again else column(rng, len(child), kind))
        flat = [entry for each in columns for entry in each]
        cpts[child.name] = CPT.from_numbers(child, parents, flat)[0]

    features: list[Variable] = []
    above: list[Variable] = []
    largest = rng.choice((2, 2, 3, 6))
    for number in range(rng.randint(2, 7)):
        feature = Variable(f"F{number}", tuple(map(str, range(rng.randint(2, largest)))))
        if prod(map(len, features)) * len(feature) > 400:
            break
        count = 0 if structure == "forest" and rng.random() < 0.4 else PARENTS.get(structure, 1)
        parents = rng.sample(features, min(count, number))
        if structure == "hidden" and rng.random() < 0.5:
            hidden = Variable(f"H{number}", ("0", "1", "2"))
            add(hidden, [target, *rng.sample(features, min(number, 1))])
            parents.append(hidden)
        if structure == "above" and len(above) < 2 and rng.random() < 0.5:
            add(feature, above[:])  # a parent of the target
            above.append(feature)
        else:
            add(feature, [target, *parents] if rng.random() < 0.9 or "hidden" in structure else parents)
        features.append(feature)
    add(target, above)
    network = BayesianNetwork([cpt.child for cpt in cpts.values()], cpts.values())
    names = [feature.name for feature in features]
    rng.shuffle(names)
    names = names[: len(names) - (len(names) > 2 and rng.random() < 0.15)]  # what is left out is hidden
    argmax = Classifier(network, "Y", names, ties=rng.choice(("lowest", "none")))
    if rng.random() < 0.5:
        return argmax
    positive, threshold = rng.choice(("no", "yes")), Fraction(rng.randint(1, 19), 20)
    some = {v.name: rng.choice(v.states) for v in argmax.feature_variables}
    if argmax.is_possible(some) and 0 < argmax.posterior(some)[positive] < 1:
        threshold = argmax.posterior(some)[positive]  # a tie
    return Classifier(network, "Y", names, threshold, positive)


@pytest.mark.parametrize("largest", [None, 300, 0])
def test_every_instance(largest: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where logarithms prove little or nothing, so that residues and numbers have all to do."""
    if largest is not None:
        monkeypatch.setattr(products, "_LARGEST_SUM", largest)
    if largest == 0:
        monkeypatch.setattr(products, "_LARGEST_PAIR", 10**6)
    first = 1000 * (largest or 1)
    exact = 0
    for seed in range(first, first + 42):
        classifier = hard_classifier(seed)
        result = by_intervals(classifier)
        check_labels(classifier, result)
        exact += result.exact_calls > 0
    assert exact > 8


def test_the_general_method_agrees() -> None:
    for seed in range(28):
        classifier = hard_classifier(seed)
        assert by_intervals(classifier).diagram.counts() == by_the_general_method(classifier).diagram.counts()


def test_stages_are_the_product_of_the_factors() -> None:
    for seed in range(21):
        classifier = hard_classifier(seed)
        groups = Groups(classifier)
        factors = [groups.factor(group) for group in groups.groups]
        sizes = [len(feature) for feature in classifier.feature_variables]
        stages = make_stages(choose_order(factors, sizes), factors, sizes)
        assert stages[-1].blocks_after == 1
        for row in np.concatenate(list(all_rows(classifier.feature_variables)))[::7]:
            wanted: Column = Fraction(1)
            said: Column = Fraction(1)
            block = 0
            for factor in factors:
                if factor.features:
                    wanted = times(wanted, factor.columns[factor.ids[tuple(row[list(factor.features)])]])
            for stage in stages:
                own = int(np.ravel_multi_index(tuple(row[list(stage.features)]), stage.cardinalities))
                at = block, stage.column_of_row[own]
                ratio = int(stage.ratio[at])
                said = times(said, stage.ratios[ratio] if ratio >= 0 else ratio)
                block = int(stage.target[at])
            assert said == wanted


@pytest.mark.parametrize(
    ("network", "bits"),
    [
        (random_tan(1, 34), 34),
        (random_k_dependence(1, 28, k=2), 28),
        (random_tan(2, 20, states=3), 31.6),
        (learnt_naive_bayes(1, [20] * 9, rows=200, share=0.4), 38.9),
    ],
    ids=["tan", "2-dependence", "three states", "learnt"],
)
def test_more_instances_than_can_be_labelled(network: BayesianNetwork, bits: float) -> None:
    classifier = Classifier(network, "Y", features="all")
    groups = Groups(classifier)
    sizes = [len(feature) for feature in classifier.feature_variables]
    expected = expected_edges([groups.factor(group) for group in groups.groups], sizes)
    result = compile_diagram(classifier, Budget(memory_limit=ROOM), certified=True)
    result.diagram.assert_consistent()
    rows = np.random.default_rng(0).integers(0, sizes, size=(1000, len(sizes)))
    assert result.diagram.labels(rows).tolist() == classifier.labels(rows).tolist()
    assert sum(result.diagram.counts()) == classifier.instance_count
    assert result.cells < 2 ** (bits / 2 + 6)
    edges = sum(table.size for table in result.diagram.levels)
    assert edges / 1.3 < expected < edges * 1.3


def test_limits() -> None:
    classifier = Classifier(random_tan(1, 60), "Y", features="all")
    with pytest.raises(LimitExceeded, match=r"more than the limit of 64\.0 MiB; .* raise memory_limit"):
        classifier.compile(memory_limit=2**26)
    with pytest.raises(LimitExceeded, match=r"time limit of 0\.3 s"):
        classifier.compile(time_limit=0.3)


def test_a_float_is_not_certified() -> None:
    classifier = Classifier(random_tan(3, 12), "Y", features="all")
    groups, budget = Groups(classifier), Budget(memory_limit=ROOM)
    result = compile_by_intervals(classifier, prepare(classifier), groups, budget, certified=False)
    assert result.exact_calls == 0
    check_labels(classifier, result)
