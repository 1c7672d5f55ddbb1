"""With the loops in C and without them the same comes out, to the byte."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from bnc2d import CPT, BayesianNetwork, Classifier, Variable
from bnc2d.base import kernels
from bnc2d.compile.formula import blocks
from bnc2d.compile.formula.implication import Implications
from bnc2d.compile.meet import boxes
from bnc2d.compile.meet.row_packing import Packing, pack
from bnc2d.compile.meet.tables import gathered_sums
from bnc2d.compile.store import model_to_bytes
from tests.logic.diagram.strategies import diagram_of, random_labels
from tests.loops import WAYS, needs_loops, take_way


def findings(seed: int) -> Classifier:
    """Return a classifier with hidden causes that findings share; some have three states, or classes do."""
    rng = np.random.default_rng(seed)
    classes = 3 if seed % 4 == 3 else 2
    causes = [Variable("Y", tuple(map(str, range(classes))))]
    causes += [Variable(name, ("0", "1")) for name in "ABCDE"]

    def table(columns: int, states: int) -> list[Fraction]:
        weights = rng.integers(1, 10 ** int(rng.integers(1, 5)), (columns, states)).tolist()
        return [Fraction(entry, sum(column)) for column in weights for entry in column]

    cpts = [CPT(causes[0], (), table(1, classes))]
    cpts += [CPT(cause, causes[:1], table(classes, 2)) for cause in causes[1:]]
    count = 14 if seed % 3 == 1 else 18
    for number in range(count):
        states = 3 if seed % 3 == 1 and number % 3 == 0 else 2
        child = Variable(f"X{number}", tuple(map(str, range(states))))
        parents = [causes[at] for at in rng.choice(6, 2, replace=False)]
        cpts.append(CPT(child, parents, table(len(parents[0].states) * len(parents[1].states), states)))
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    return Classifier(network, "Y", [f"X{number}" for number in range(count)])


@needs_loops
@pytest.mark.parametrize("seed", range(8))
def test_models_are_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    classifier = findings(seed)
    if seed % 2:
        monkeypatch.setattr(boxes, "_MANY_CELLS", 1)
        monkeypatch.setattr(boxes, "_MANY_COLUMNS", 1)
    monkeypatch.setattr(blocks, "_FEW_NODES", 0)  # so that their blocks are spread
    monkeypatch.setattr(gathered_sums, "_PRODUCTS", 1 << 10)
    by_loops, by_two_threads = (model_to_bytes(classifier.compile(jobs=jobs)) for jobs in (1, 2))
    monkeypatch.setattr(kernels, "loops", None)
    assert model_to_bytes(classifier.compile()) == by_loops == by_two_threads


@needs_loops
@pytest.mark.parametrize("seed", range(6))
def test_implications_of_large_diagrams_are_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where values do not decide, and pairs are followed level by level, or given up."""
    sizes = [[2] * 14, [3] * 8][seed % 2]
    labels = random_labels(seed, sizes, 2, ["threshold", "random"][seed % 2])
    function = diagram_of(labels, sizes, 2, list(range(len(sizes)))).two_terminal(0)
    monkeypatch.setattr("bnc2d.compile.formula.implication._COMBINATIONS", 4)
    if seed > 3:
        monkeypatch.setattr("bnc2d.compile.formula.implication._PAIRS_AT_ONCE", 50)
        monkeypatch.setattr("bnc2d.compile.formula.implication._PAIRS_BELOW", 1)
    rng = np.random.default_rng(seed)
    left, right = rng.integers(0, function.size, (2, 20_000))
    by_loop = Implications(function).holds(left, right)
    monkeypatch.setattr(kernels, "loops", None)
    assert Implications(function).holds(left, right).tolist() == by_loop.tolist()
    assert 0 < np.count_nonzero(by_loop) < len(by_loop)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("cardinalities", [[2] * 7, [2] * 5, [4, 2, 4], [3, 2, 2, 2], [8], [5, 3], [2, 40]])
@pytest.mark.parametrize("rows", [1, 7, 8, 21])
def test_rows_over_patterns_as_rows_over_instances(
    way: str, cardinalities: list[int], rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    take_way(way, monkeypatch)
    rng = np.random.default_rng(rows)
    packing = Packing(2, cardinalities)
    for patterns in (1, 63, 64, 65, 200):
        labels = rng.integers(0, 2, (rows, patterns), dtype=np.uint8)
        pattern_of_row = rng.integers(0, patterns, int(np.prod(cardinalities)))
        taken = packing.taken(pack(labels, 2), patterns, pattern_of_row)
        assert taken.tolist() == packing.pack(labels[:, pattern_of_row]).tolist()
