"""Diagrams of distances, and distances of rows, against enumeration."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from numpy.typing import NDArray

from bnc2d import LimitExceeded
from bnc2d.base.readers.instances import all_rows
from bnc2d.logic.diagram import distances, forest
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.logic.diagram.distances import distance_diagram, row_distances
from bnc2d.logic.domain import Domain
from bnc2d.model.variable import Variable


def random_diagram(seed: int) -> tuple[Diagram, NDArray[np.intp]]:
    """Return a diagram of few or many equal sub-functions in a random order, and all rows of its domain."""
    rng = Random(f"distances {seed}")  # noqa: S311 - reproducible test data
    sizes = [rng.choice((1, 2, 2, 2, 3, 4)) for _ in range(rng.randint(1, 6))]
    variables = [Variable(f"X{at}", tuple(map(str, range(size)))) for at, size in enumerate(sizes)]
    domain = Domain({variable.name: variable.states for variable in variables})
    rows = np.concatenate(list(all_rows(variables)))
    terminals = rng.randint(1, 4)
    weights = np.array([rng.choice((0, 1, 2, 5)) for _ in sizes])
    by_sum = (rows @ weights) * terminals // (int((rows @ weights).max()) + 1)
    noise = np.array([rng.randrange(terminals) for _ in rows])
    labels = np.where(np.array([rng.random() for _ in rows]) < rng.choice((0.0, 0.1, 1.0)), noise, by_sum)
    order = rng.sample(range(len(sizes)), len(sizes))
    table = labels.reshape(sizes).transpose(order).reshape(1, -1)
    builder = DiagramBuilder(terminals)
    root = reduce_table(table.astype(np.int64), [sizes[feature] for feature in order], builder)
    diagram = builder.finish(domain, order, int(root[0]))
    assert (diagram.labels(rows) == labels).all()
    return diagram, rows


def nearest_of(rows: NDArray[np.intp], is_wanted: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return by definition the least number of entries in which a wanted row differs; -1 without one."""
    if not is_wanted.any():
        return np.full(len(rows), -1)
    found: NDArray[np.int64] = (rows[:, None, :] != rows[is_wanted][None]).sum(axis=2).min(axis=1)
    return found


def test_distances_are_those_of_the_definition() -> None:
    largest, never = 0, 0
    for seed in range(40):
        diagram, rows = random_diagram(seed)
        labels = diagram.labels(rows)
        rng = Random(seed)  # noqa: S311 - reproducible test data
        wanted = rng.sample(range(diagram.terminals), rng.randint(1, diagram.terminals))
        far = nearest_of(rows, np.isin(labels, wanted))
        for most in {1, 2, len(rows[0])}:
            found = distance_diagram(diagram, wanted, most)
            found.assert_consistent()
            assert (found.order, found.terminals) == (diagram.order, most + 2)
            expected = np.where((far < 0) | (far > most), most + 1, far)
            assert (found.labels(rows) == expected).all(), seed
        by_row = np.zeros((len(rows), diagram.terminals), dtype=bool)
        by_row[:, wanted] = True
        assert np.concatenate(list(row_distances(diagram, rows, by_row))).tolist() == far.tolist(), seed
        largest, never = max(largest, int(far.max())), never + int((far < 0).any())
    assert largest >= 3
    assert never


def test_every_row_has_its_own_terminals_and_few_are_asked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distances, "_ENTRIES", 60)
    diagram, rows = next(
        found for found in map(random_diagram, range(60)) if found[0].terminals > 2 and len(found[1]) > 50
    )
    labels = diagram.labels(rows)
    wanted = labels[:, None] != np.arange(diagram.terminals)
    parts = list(row_distances(diagram, rows, wanted))
    expected = [nearest_of(rows, labels != label)[at] for at, label in enumerate(labels.tolist())]
    assert len(parts) > 3
    assert np.concatenate(parts).tolist() == expected


@pytest.mark.parametrize(("limit", "words"), [("MAX_NODES", "nodes"), ("MAX_PAIRS", "pairs")])
def test_large_diagrams_are_refused(limit: str, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forest, limit, 8)
    diagram = next(diagram for diagram, _ in map(random_diagram, range(60)) if diagram.node_count > 20)
    with pytest.raises(LimitExceeded, match=f"more than 8 {words}"):
        distance_diagram(diagram, [0], len(diagram.order))
