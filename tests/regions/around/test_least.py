"""The lightest set of features that is enough: against enumeration."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from random import Random

import numpy as np
import pytest

from bnc2d import CPT, BayesianNetwork, Classifier, Variable
from bnc2d.regions.around.covers import Covers
from bnc2d.regions.around.instance import Around
from bnc2d.regions.around.least import least_sufficient
from bnc2d.regions.around.rows import Rows
from bnc2d.regions.observed import ObservedBounds
from tests.cases import cases as how_many
from tests.regions.around.cases import cases
from tests.regions.around.test_nearest import keys, random_prices


@pytest.mark.parametrize("start", range(0, how_many(40, 80), 20))
def test_the_lightest_set_that_is_enough(start: int) -> None:
    sizes = set()
    for case in cases(range(500 + start, 520 + start)):
        rng = Random(start)  # noqa: S311 - reproducible test data
        enough = [members for members in case.subsets() if case.stays(members)]
        for _ in range(2):
            prices = random_prices(case, rng)
            exact = keys(prices)
            expected = min(enough, key=lambda members: sum(exact[f] for f in members))
            assert least_sufficient(case.around, prices) == list(expected)
            sizes.add(len(expected))
    assert len(sizes) > 3


def test_every_set_that_is_enough_covers_every_row() -> None:
    violated = 0
    for case in cases(range(600, 640)):
        rows, around = Rows(case.around), case.around
        enough = [list(members) for members in case.subsets() if case.stays(members)]
        for members in list(case.subsets())[::3]:
            region = around.region(members)
            for pair in np.flatnonzero(around.comparisons.behind_in(region)).tolist():
                row = rows.of(pair, around.comparisons.instance_behind(pair, region))
                if row is not None:
                    assert all(row.gives[one].sum() >= row.needs for one in enough)
                    violated += bool(row.gives[list(members)].sum() < row.needs)
    assert violated > 500


@pytest.mark.parametrize("seed", range(60))
def test_covers(seed: int) -> None:
    rng = Random(seed)  # noqa: S311 - reproducible test data
    count = rng.randint(1, 8)
    prices = [rng.randint(1, rng.choice((1, 5, 10**20))) for _ in range(count)]
    covers = Covers(prices)
    rows = []
    for _ in range(rng.randint(0, 4)):
        gives = np.array([rng.choice((0, rng.randint(0, 9))) for _ in range(count)], dtype=float)
        rows.append((gives, float(rng.randint(0, 20))))
        covers.add(*rows[-1])
    sets = [one for size in range(count + 1) for one in combinations(range(count), size)]
    fits = [one for one in sets if all(gives[list(one)].sum() >= needs for gives, needs in rows)]
    exact = keys(prices)
    best = min(fits, key=lambda one: sum(exact[f] for f in one), default=None)
    found = covers.lightest()
    if best is None:
        assert found is None
        return
    price = sum(prices[f] for f in best)
    assert found is not None
    assert tuple(found) in fits
    assert sum(prices[f] for f in found) == price
    assert covers.lightest(best, [f for f in range(count) if f not in best], price) == list(best)
    assert covers.lightest(most=price - 1) is None
    for feature in range(count):
        without = covers.lightest(without=[feature])
        others = [sum(prices[f] for f in one) for one in fits if feature not in one]
        assert (without is None) == (not others)
        if without is not None:
            assert feature not in without
            assert sum(prices[f] for f in without) == min(others)


def test_ties_that_floats_cannot_tell() -> None:
    """Six features alike, of which three tie: the first class is kept by three, the second by four."""
    target = Variable("T", ("a", "b"))
    cpts = [CPT(target, (), [Fraction(1, 2)] * 2)]
    for k in range(6):
        low, high = Fraction(3, 10), Fraction(7, 10)
        cpts.append(CPT(Variable(f"x{k}", ("0", "1")), (target,), [high, low, low, high]))
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    bounds = ObservedBounds(Classifier(network, "T", [f"x{k}" for k in range(6)]))
    assert least_sufficient(Around(bounds.of_class(0), [0] * 6), [1] * 6) == [0, 1, 2]
    assert least_sufficient(Around(bounds.of_class(1), [1] * 6), [1] * 6) == [0, 1, 2, 3]
    assert least_sufficient(Around(bounds.of_class(0), [0] * 6, [4]), [1] * 6) == [0, 1]
