"""Early decisions by boxes: right for every cell they decide, and nothing changes in what is compiled."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings

from bnc2d import CPT, BayesianNetwork, Classifier, Variable
from bnc2d.base import kernels
from bnc2d.compile.meet import boxed_rows, boxes
from bnc2d.compile.meet.boxes import BOX, Boxes
from bnc2d.compile.meet.join import Collector, Join, Patterns, Product
from bnc2d.compile.meet.labels import Decider, Difference
from tests.cases import cases
from tests.compile.meet.test_method import check_against_enumeration
from tests.loops import WAYS, take_way
from tests.strategies import classifiers


def use_always(patch: pytest.MonkeyPatch, way: str) -> None:
    """Take boxes for the smallest problems too, by a loop or by numpy."""
    patch.setattr(boxes, "_MANY_CELLS", 1)
    patch.setattr(boxes, "_MANY_COLUMNS", 1)
    patch.setattr(boxed_rows, "_MOST", 1.0)
    take_way(way, patch)


@pytest.fixture(params=WAYS)
def always(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, float | None]]:
    """For each use of boxes how many there are, and the share of open ones; None where a loop decides."""
    use_always(monkeypatch, request.param)
    seen: list[tuple[int, float | None]] = []
    signs = Boxes.signs

    def counted(self: Boxes, left: np.ndarray, bound: float) -> boxes.Signs:
        above, is_open = signs(self, left, bound)
        seen.append((above.shape[1], float(is_open.mean())))
        return above, is_open

    if kernels.loops is None:
        monkeypatch.setattr(Boxes, "signs", counted)
        return seen
    decide_boxes = kernels.loops.decide_boxes

    def counted_by_loop(columns: int, *arrays: Any) -> int:
        near: int = decide_boxes(columns, *arrays)
        assert near >= 0  # else numpy would do it
        seen.append((-(-columns // BOX), None))
        return near

    monkeypatch.setattr(kernels.loops, "decide_boxes", counted_by_loop)
    return seen


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_what_a_box_decides_holds_for_its_cells(seed: int, dtype: type[np.floating]) -> None:
    """Also for columns on the edge of a box, and for columns without any term."""
    rng = np.random.default_rng(seed)
    terms, columns, patterns = int(rng.integers(1, 9)), int(rng.integers(1, 300)), 200
    right = rng.random((terms, columns)) ** rng.integers(1, 9) * (rng.random((1, columns)) > 0.05)
    right *= rng.choice([-1.0, 1.0], (terms, 1))
    size = np.abs(right).sum(axis=0)
    order = boxes._alike(right / np.where(size > 0, size, 1.0))
    assert sorted(order.tolist()) == list(range(columns))
    right = (right / np.where(size > 0, size, 1.0))[:, order]
    left = rng.normal(size=(patterns, terms))
    left = (left / np.abs(left).sum(axis=1, keepdims=True)).astype(dtype)
    bound = (terms + 8) * (2.0**-24 if dtype is np.float32 else 2.0**-53)
    above, is_open = Boxes.around(right, np.abs(right)).signs(left, bound)
    assert above.shape == is_open.shape == (patterns, -(-columns // BOX))
    cells = left.astype(np.float64) @ right
    box = np.arange(columns) // BOX
    assert (cells[above[:, box]] > 0).all()
    assert (cells[~above[:, box] & ~is_open[:, box]] < 0).all()
    assert above.any() or is_open.any()


@pytest.mark.parametrize("seed", range(12))
def test_first_bounds_are_bounds(seed: int) -> None:
    """What float32 makes of a cell is within the bound, for sizes over many orders of magnitude."""
    rng = np.random.default_rng(seed)
    terms, patterns, columns = int(rng.integers(1, 33)), 60, 3 * BOX if seed % 2 else 2 * BOX + 7
    spread = [0, 20, 60, 200][seed % 4]
    table = rng.random((terms, patterns)) * 2.0 ** -rng.integers(0, spread + 1, (terms, patterns))
    right = rng.random((terms, columns)) * 2.0 ** -rng.integers(0, spread + 1, (1, columns))
    each = np.arange(terms)
    collector = Collector.of(each, rng.choice(np.array([-1.0, 1.0]), terms), each)
    join = Join(
        Patterns(table, np.zeros(patterns)), (Product(collector, right, right, right),), (), terms + 8, None
    )
    share = Difference(Decider(join, 0, (), Boxes.around(right, right)), join.first)
    truth = share.values.left.astype(np.longdouble).T @ right.astype(np.longdouble)
    computed = share.first_left @ share.first_right.astype(np.float32)
    for box in range(-(-columns // BOX)):
        some = slice(box * BOX, min((box + 1) * BOX, columns))
        bound = share._first_bounds(np.arange(patterns), some, box)
        assert (np.abs(computed[:, some] - truth[:, some]) <= bound).all()
        assert bound.shape == (patterns, 1)
        assert (bound <= 1.001 * share.first_bound + 2.0**-79).all()
    whole = share._first_bounds(slice(None), slice(None), None)
    assert (np.abs(computed - truth) <= whole).all()


def test_columns_of_a_box_are_alike() -> None:
    """Sorting gains: of random columns on a line, boxes are as narrow as they can be."""
    rng = np.random.default_rng(0)
    line = rng.permutation(np.linspace(0, 1, 1024))
    columns = np.stack([line, 1 - line])
    sorted_columns = columns[:, boxes._alike(columns)]
    halves = Boxes.around(sorted_columns, sorted_columns).half[0]
    assert halves.max() < 0.5 * 64 / 1023


@pytest.mark.parametrize("way", WAYS)
@given(classifier=classifiers())
@settings(max_examples=cases(33, 60))
def test_every_instance_by_boxes(way: str, classifier: Classifier) -> None:
    with pytest.MonkeyPatch.context() as patch:
        use_always(patch, way)
        model = classifier.compile()
    check_against_enumeration(classifier, model)
    event(f"exact calls: {model.stats.exact_calls != 0}")


def diagnosis(seed: int, features: int = 16) -> Classifier:
    """Return a classifier of findings with two causes each; tables of few digits tie here and there."""
    rng = np.random.default_rng(seed)
    causes = [Variable(name, ("0", "1")) for name in ("Y", "A", "B", "C")]
    cpts = [CPT(cause, (), [Fraction(1, 2)] * 2) for cause in causes]
    digits = int(rng.choice([1, 2, 6]))
    for number in range(features):
        child = Variable(f"X{number}", ("0", "1"))
        parents = [causes[at] for at in rng.choice(4, 2, replace=False)]
        shares = [Fraction(int(share), 10**digits) for share in rng.integers(0, 10**digits + 1, 4)]
        cpts.append(CPT(child, parents, [entry for share in shares for entry in (share, 1 - share)]))
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    findings = [f"X{number}" for number in range(features)]
    return Classifier(network, "Y", findings, threshold=Fraction(int(rng.integers(1, 10)), 10))


@pytest.mark.parametrize("seed", [0, 1, 2, 3, 4, 6, 7])
def test_larger_classifiers(seed: int, always: list[tuple[int, float | None]], tmp_path: Path) -> None:
    """Several boxes, decided and open, with ties among them: the same file as without boxes."""
    classifier = diagnosis(seed)
    by_boxes = classifier.compile()
    assert max(boxes for boxes, _ in always) > 1
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(boxes, "_MANY_CELLS", 1 << 60)
        by_cells = classifier.compile()
    for name, model in (("boxes", by_boxes), ("cells", by_cells)):
        model.save(tmp_path / name)
    assert (tmp_path / "boxes").read_bytes() == (tmp_path / "cells").read_bytes()
    sample = np.random.default_rng(seed).integers(0, 2, (400, 16))
    assert by_boxes.diagram.labels(sample).tolist() == classifier.labels(sample).tolist()
