"""Products in their true order, in clusters: against all products as fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import prod
from random import Random

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d import Classifier, LimitExceeded
from bnc2d.compile.ratio import products as intervals_products
from bnc2d.compile.ratio.ordering import Chain, Room, crossing, merge
from bnc2d.compile.ratio.products import PairLogs, Quotients, Resolution, Scale, WordLogs
from bnc2d.testing import learnt_naive_bayes
from tests.compile.ratio.test_method import by_intervals, check_labels

Groups = list[list[Fraction]]
EVERYTHING = (-(2**61), 2**61)


def small(rng: Random) -> Fraction:
    """Ratios of small counts: a great many products are equal."""
    return Fraction(rng.randint(1, 4), rng.randint(1, 4))


def rounded(rng: Random) -> Fraction:
    """Ratios of small counts, rounded: a great many products are nearly equal."""
    above, below = (Fraction(str(rng.randint(1, 4) / total)) for total in (7, 11))
    return above / below


def near_one(rng: Random) -> Fraction:
    return Fraction(10**17 + rng.randint(-3, 3), 10**17 + rng.choice((0, 1)))


def nearer_one(rng: Random) -> Fraction:
    """So near that no logarithms of 100 bits tell them apart."""
    return Fraction(10**40 + rng.randint(-2, 2), 10**40)


def extreme(rng: Random) -> Fraction:
    return Fraction(rng.randint(1, 3)) * Fraction(10) ** rng.choice((-700, -1, 0, 1, 700))


KINDS = [small, rounded, near_one, nearer_one, extreme]


@st.composite
def ratio_groups(draw: st.DrawFn) -> Groups:
    rng = Random(draw(st.integers(0, 10**9)))  # noqa: S311 - reproducible test data
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=1, max_size=3))
    groups = [
        sorted({rng.choice(kinds)(rng) for _ in range(rng.randint(1, 4))})
        for _ in range(draw(st.integers(2, 5)))
    ]
    if draw(st.booleans()):  # some product of all is 1
        groups.append([1 / Fraction(prod(rng.choice(group) for group in groups))])
    return groups


def position(chain: Chain, choice: tuple[int, ...]) -> int:
    at = 0
    for places, ratio in zip(chain.places, choice, strict=True):
        at = int(places[ratio, at])
    return at


def check_order(groups: Groups, cut: int) -> int:
    """Compare every product of the first groups with every one of the others; return the comparisons made."""
    scale = Scale(groups)
    top, bottom = (Chain(scale, Room(2**30)) for _ in range(2))
    for chain, numbers in ((top, range(cut)), (bottom, range(cut, len(groups)))):
        for number in numbers:
            chain.extend(number, EVERYTHING)
    found = crossing(top, bottom, scale)
    sides = []
    for chain, part in ((top, groups[:cut]), (bottom, groups[cut:])):
        choices = list(product(*(range(len(group)) for group in part)))
        values = [
            prod((group[r] for group, r in zip(part, c, strict=True)), start=Fraction(1)) for c in choices
        ]
        sides.append(
            [(position(chain, choice), value) for choice, value in zip(choices, values, strict=True)]
        )
    uppers, lowers = (sorted(set(side)) for side in sides)
    assert [value for _, value in uppers] == sorted(value for _, value in uppers)
    assert [value for _, value in lowers] == sorted(value for _, value in lowers)
    assert {place for place, _ in lowers} == set(range(found.clusters))
    for above, upper in uppers:
        for below, lower in lowers:
            order = (upper * lower > 1) - (upper * lower < 1)
            less = int(found.below[above])
            claimed = 0 if below == less and found.equal[above] else 1 if below >= less else -1
            assert order == claimed
    return found.compared


@given(ratio_groups(), st.data())
@settings(max_examples=50)
def test_every_product_against_every_inverse(groups: Groups, data: st.DataObject) -> None:
    compared = check_order(groups, data.draw(st.integers(0, len(groups))))
    event(f"beyond the first logarithms: {compared > 0}")


@given(
    ratio_groups(), st.sampled_from([0, 30, 1000]), st.sampled_from([2**62, 2**70]), st.sampled_from([1, 3])
)
@settings(max_examples=50)
def test_coarse_resolutions_and_small_pieces(groups: Groups, words: int, pairs: int, piece: int) -> None:
    """Logarithms that prove little, so that later resolutions have all to do; arrays in many pieces."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intervals_products, "_LARGEST_SUM", words)
        patch.setattr(intervals_products, "_LARGEST_PAIR", pairs)
        for resolution in (WordLogs, PairLogs, Quotients):
            patch.setattr(resolution, "piece", piece)
        check_order(groups, len(groups) // 2)


@given(ratio_groups())
@settings(max_examples=50)
def test_values_of_products_prove_their_order(groups: Groups) -> None:
    """The claim that all rests on, for each resolution: values further apart than the slack are in order."""
    scale = Scale(groups)
    choices = list(product(*(range(len(group)) for group in groups)))[:60]
    exact = [prod(group[r] for group, r in zip(groups, choice, strict=True)) for choice in choices]
    for resolution in (scale.words, *scale.finer()):
        values = []
        for choice in choices:
            value = resolution.one()
            for group, ratio in enumerate(choice):
                value = resolution.times(value, group, ratio)
            values.append(value)
        array = np.concatenate(values)
        inverses = resolution.inverse(array)
        for number, value in enumerate(values):
            above = (array > resolution.beyond(value)).tolist()
            assert all(other > exact[number] for other, clear in zip(exact, above, strict=True) if clear)
            balanced = (inverses > resolution.beyond(value)).tolist()
            assert all(
                1 / other > exact[number] for other, clear in zip(exact, balanced, strict=True) if clear
            )
            if resolution.is_exact:
                assert above == [other > exact[number] for other in exact]
                assert balanced == [1 / other > exact[number] for other in exact]


def test_pairs_hold_one_hundred_bits() -> None:
    """The claim of ``PairLogs``: sums of pairs are sums of integers, also where words carry and borrow."""
    rng = Random(1)  # noqa: S311 - reproducible test data
    logs = [[rng.randrange(-(2**98), 2**98) for _ in range(50)] for _ in range(8)]
    pairs = PairLogs(logs, 17)
    value, total = pairs.one(), 0
    for group in range(8):
        for ratio in (0, 7, 23):
            value, total = pairs.times(value, group, ratio), total + logs[group][ratio]
            for made, wanted in (
                (value, total),
                (pairs.inverse(value), -total),
                (pairs.beyond(value), total + 17),
            ):
                assert int(made[0].real) * 2**50 + int(made[0].imag) == wanted
                assert 0 <= made[0].imag < 2**50


@pytest.mark.parametrize("kind", ["int64", "complex128", "object"])
def test_merging_runs(kind: str) -> None:
    rng = np.random.default_rng(0)
    resolutions: dict[str, Resolution] = {
        "int64": WordLogs([], 5),
        "complex128": PairLogs([], 5),
        "object": Quotients([]),
    }
    resolution = resolutions[kind]
    runs, targets, items = [], [], []
    for number in range(7):
        starts = np.cumsum(rng.integers(10, 90, size=rng.integers(0, 40)))
        ends = starts + rng.integers(0, 4, size=len(starts)) * (kind != "object")
        items += [(int(a), int(b), number, at) for at, (a, b) in enumerate(zip(starts, ends, strict=True))]
        first, last = ((side * 1j if kind == "complex128" else side).astype(kind) for side in (starts, ends))
        runs.append((first, last))
        targets.append(np.full(len(starts), -7, dtype=np.int32))
    found, reached = merge(runs, targets, resolution)
    slack = 0 if kind == "object" else 5
    count, end = 0, -(10**9)
    for a, b, number, at in sorted(items):
        count += a > end + slack
        end = max(end, b) if a <= end + slack else b
        assert targets[number][at] == count - 1
        assert reached[count - 1] >= (end * 1j if kind == "complex128" else end)
    assert len(found) == len(reached) == count


@pytest.mark.parametrize("share", [0.5, 0.4])
@pytest.mark.parametrize("smoothing", [0, 1])
@pytest.mark.parametrize("seed", range(3))
def test_learnt_from_few_rows(seed: int, smoothing: int, share: float) -> None:
    """Products that are equal but for the rounding of entries, at the tie as well."""
    network = learnt_naive_bayes(seed, [4, 3, 5, 4, 3, 4], rows=10, smoothing=smoothing, share=share)
    for ties in ("lowest", "none"):
        classifier = Classifier(network, "Y", ties=ties)
        check_labels(classifier, by_intervals(classifier))


def test_learnt_models_have_few_clusters() -> None:
    """13 features, 10**13 products on either side: 10**4 clusters, and all decisions proven by logarithms."""
    rng = Random(5)  # noqa: S311 - reproducible test data
    states = [round(10 * 90 ** rng.random()) for _ in range(13)]
    classifier = Classifier(learnt_naive_bayes(3, states, rows=200, skew=2.5), "Y")
    result = by_intervals(classifier)
    assert result.exact_calls == 0
    assert result.cells < 2_000_000
    rows = np.random.default_rng(0).integers(0, states, size=(100, 13))
    assert result.diagram.labels(rows).tolist() == classifier.labels(rows).tolist()


def test_rounded_ties_name_their_remedy() -> None:
    network = learnt_naive_bayes(1, [12] * 9, rows=200, share=0.5)
    classifier = Classifier(network, "Y")
    with pytest.raises(LimitExceeded, match=r"as fractions \(exact counts\) or use arithmetic='float'"):
        by_intervals(classifier, memory_limit=2**22)
    result = by_intervals(classifier, certified=False, memory_limit=2**22)
    assert result.exact_calls == 0
    rows = np.random.default_rng(0).integers(0, 12, size=(300, 9))
    wrong = result.diagram.labels(rows) != classifier.labels(rows)
    for row in rows[wrong]:
        instance = {f"X{number}": str(state) for number, state in enumerate(row)}
        assert abs(classifier.posterior(instance)["yes"] - Fraction(1, 2)) < Fraction(1, 10**12)
