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
from bnc2d.compile.ratio.levels import links_of
from bnc2d.compile.ratio.merging import Runs, merge
from bnc2d.compile.ratio.ordering import Chain, crossing
from bnc2d.compile.ratio.products import PairLogs, Quotients, Resolution, Scale, WordLogs
from bnc2d.compile.ratio.room import Room
from bnc2d.compile.ratio.stages import Stage
from bnc2d.testing import learnt_naive_bayes
from tests.cases import cases
from tests.compile.ratio.test_method import by_intervals, check_labels

Groups = list[list[Fraction]]


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


def stages_of(groups: Groups, blocks: int = 1) -> list[Stage]:
    """Return stages that multiply by any ratio of their groups, with several blocks between them.

    With more than one block, some ratios are left out, and the others lead to blocks at random.
    """
    rng = Random(len(groups))  # noqa: S311 - reproducible test data
    counts = [1, *(rng.randint(1, blocks) for _ in groups[1:]), 1]
    stages = []
    for group, before, after in zip(groups, counts, counts[1:], strict=False):
        shape = before, len(group)
        ratio = [
            [r if blocks == 1 or rng.random() < 0.9 else -1 for r in range(len(group))] for _ in range(before)
        ]
        target = [[rng.randrange(after) for _ in group] for _ in range(before)]
        arrays = (np.array(table, dtype=np.int64).reshape(shape) for table in (target, ratio))
        found, said = arrays
        stages.append(Stage((), (), np.arange(len(group)), found, after, said, tuple(group)))
    return stages


def ways(stages: list[Stage]) -> list[tuple[int, int, list[tuple[int, int]], Fraction]]:
    """Return all ways through some stages: first and last block, block and column of each, the product."""
    found: list[tuple[int, int, list[tuple[int, int]], Fraction]] = []
    found = [(block, block, [], Fraction(1)) for block in range(len(stages[0].target) if stages else 1)]
    for stage in stages:
        found = [
            (
                first,
                int(stage.target[at, column]),
                [*path, (at, column)],
                value * stage.ratios[stage.ratio[at, column]],
            )
            for first, at, path, value in found
            for column in range(stage.columns)
            if stage.ratio[at, column] >= 0
        ]
    return found


def place(chain: Chain, stages: list[Stage], path: list[tuple[int, int]]) -> int:
    """Return the cluster that a way through stages leads to; those of a chain from below come reversed."""
    at = 0  # in the list
    for step, stage, (block, column) in zip(chain.steps, stages, path, strict=True):
        runs = list(zip(*np.nonzero(stage.ratio.T >= 0), strict=True))
        run = runs.index((column, block))
        within = at - int(step.first[step.links.sources[run]])
        slot = int(step.places[step.offsets[run] + within])
        at = slot - 2 * int(step.links.targets[run]) - 1
    return at


def check_order(groups: Groups, cut: int, blocks: int = 1) -> int:
    """Compare every product of the first groups with every one of the others; return the comparisons made."""
    stages = stages_of(groups, blocks)
    scale = Scale(groups, blocks)
    top, bottom = (Chain(scale, Room(2**30)) for _ in range(2))
    upper, lower = stages[:cut], stages[cut:]
    for chain, links in (
        (top, links_of(stages)[:cut]),
        (bottom, links_of(stages, up=True)[: cut - len(stages) - 1 : -1] if lower else []),
    ):
        for each in links:
            chain.extend(each, (np.full(each.blocks, -(2**61)), np.full(each.blocks, 2**61)))
    found = crossing(top, bottom, scale)
    above = [(last, place(top, upper, path), value) for first, last, path, value in ways(upper) if first == 0]
    below = [
        (first, place(bottom, lower[::-1], path[::-1]), value) for first, last, path, value in ways(lower)
    ]
    for side in (above, below):
        assert sorted(side) == sorted(side, key=lambda way: (way[0], way[2]))
    assert {number for _, number, _ in below} == set(range(found.clusters))
    for block, number, value in above:
        for other, lower_number, lower_value in below:
            if block == other:
                order = (value * lower_value > 1) - (value * lower_value < 1)
                less = int(found.below[number])
                tie = lower_number == less and found.equal[number]
                assert order == (0 if tie else 1 if lower_number >= less else -1)
    return found.compared


@given(ratio_groups(), st.sampled_from([1, 1, 3]), st.data())
@settings(max_examples=cases(28, 50))
def test_every_product_against_every_inverse(groups: Groups, blocks: int, data: st.DataObject) -> None:
    compared = check_order(groups, data.draw(st.integers(0, len(groups))), blocks)
    event(f"beyond the first logarithms: {compared > 0}")


@given(
    ratio_groups(),
    st.sampled_from([1, 4]),
    st.sampled_from([0, 30, 1000]),
    st.sampled_from([2**62, 2**70]),
    st.sampled_from([1, 3]),
)
@settings(max_examples=cases(28, 50))
def test_coarse_resolutions_and_small_pieces(
    groups: Groups, blocks: int, words: int, pairs: int, piece: int
) -> None:
    """Logarithms that prove little, so that later resolutions have all to do; arrays in many pieces."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(intervals_products, "_LARGEST_SUM", words)
        patch.setattr(intervals_products, "_LARGEST_PAIR", pairs)
        for resolution in (WordLogs, PairLogs, Quotients):
            patch.setattr(resolution, "piece", piece)
        check_order(groups, len(groups) // 2, blocks)


@given(ratio_groups())
@settings(max_examples=cases(28, 50))
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
                shift = resolution.shifts(group, np.array([ratio]), np.array([0]))
                value = resolution.moved(value, shift)
            values.append(value)
        array = np.concatenate(values)
        inverses = resolution.inverse(array, np.zeros(len(array), dtype=np.int64))
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
    logs = [[rng.randrange(-(2**94), 2**94) for _ in range(50)] for _ in range(8)]
    pairs = PairLogs(logs, 17, blocks=3)
    value, total, block = pairs.one(), 0, 0
    for group in range(8):
        for ratio in (0, 7, 23):
            jump = (group + ratio) % 3 - block
            value = pairs.moved(value, pairs.shifts(group, np.array([ratio]), np.array([jump])))
            block, total = block + jump, total + logs[group][ratio]
            start = block * pairs.stride
            for made, wanted in (
                (value, start + total),
                (pairs.inverse(value, np.array([block])), start - total),
                (pairs.beyond(value), start + total + 17),
            ):
                assert int(made[0].real) * 2**50 + int(made[0].imag) == wanted
                assert 0 <= made[0].imag < 2**50


@pytest.mark.parametrize("kind", ["int64", "complex128", "object"])
@pytest.mark.parametrize("piece", [10**6, 7])
def test_merging_runs(kind: str, piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    resolutions: dict[str, Resolution] = {
        "int64": WordLogs([[0]], 5, blocks=3),
        "complex128": PairLogs([[0]], 5, blocks=3),
        "object": Quotients([[Fraction(1)]]),
    }
    resolution = resolutions[kind]
    monkeypatch.setattr(type(resolution), "piece", piece)
    values: list[int] = []
    widths: list[int] = []
    begin, length, target = [], [], []
    for number in range(7):
        some = np.cumsum(rng.integers(10, 90, size=rng.integers(0, 40))) + 10**6 * (number % 3)
        begin.append(len(values))
        length.append(len(some))
        target.append(number % 3)
        values += some.tolist()
        widths += (rng.integers(0, 4, size=len(some)) * (kind != "object")).tolist()
    ends = [value + width for value, width in zip(values, widths, strict=True)]
    first, last = (
        (np.array(side) * (1j if kind == "complex128" else 1)).astype(kind) for side in (values, ends)
    )
    shift = resolution.shifts(0, np.zeros(7, dtype=np.int64), np.zeros(7, dtype=np.int64))
    if isinstance(resolution, Quotients):  # which knows the products behind its values
        monkeypatch.setattr(resolution, "moved", lambda values, _: values)
    starts = np.array(begin)
    runs = Runs(starts, np.array(length), np.array(target), shift, starts)
    out = np.full(len(values), -7, dtype=np.int32)
    found, reached, counts = merge(first, last, runs, 3, out, resolution)
    slack = 0 if kind == "object" else 5
    count, end = 0, -(10**9)
    by_block = [0, 0, 0]
    for a, b, at in sorted(zip(values, ends, range(len(values)), strict=True)):
        by_block[a // 10**6] += a > end + slack
        count += a > end + slack
        end = max(end, b) if a <= end + slack else b
        assert out[at] == count - 1
        assert reached[count - 1] >= (end * 1j if kind == "complex128" else end)
    assert len(found) == len(reached) == count
    assert counts.tolist() == by_block


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
