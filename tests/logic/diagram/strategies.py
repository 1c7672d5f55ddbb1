"""Random diagrams with the terminal of every instance, small enough to enumerate."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod
from typing import TypeAlias

import numpy as np
from hypothesis import event
from hypothesis import strategies as st
from numpy.typing import NDArray

from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.logic.domain import Domain

Case: TypeAlias = tuple[Diagram, list[int], NDArray[np.int64]]


def domain_of(sizes: Sequence[int]) -> Domain:
    return Domain({f"x{i}": tuple(map(str, range(size))) for i, size in enumerate(sizes)})


def diagram_of(labels: NDArray[np.int64], sizes: list[int], terminals: int, order: list[int]) -> Diagram:
    """The reduced diagram, in the given order, of labels listed with the last feature fastest."""
    builder = DiagramBuilder(terminals)
    table = labels.reshape(sizes).transpose(order).reshape(1, -1)
    root = reduce_table(table, [sizes[feature] for feature in order], builder)
    diagram = builder.finish(domain_of(sizes), order, int(root[0]))
    diagram.assert_consistent()
    return diagram


def all_rows(sizes: list[int]) -> NDArray[np.intp]:
    return np.array(list(product(*map(range, sizes))), dtype=np.intp).reshape(prod(sizes), len(sizes))


def random_labels(seed: int, sizes: list[int], terminals: int, kind: str) -> NDArray[np.int64]:
    random = np.random.default_rng(seed)
    cells = prod(sizes)
    if kind == "random":
        return random.integers(terminals, size=cells)
    if kind == "rare":
        return np.where(random.random(cells) < 0.1, random.integers(terminals, size=cells), 0)
    rows = all_rows(sizes)
    weights = random.integers(-3, 4, size=len(sizes))
    labels: NDArray[np.int64]
    if kind == "threshold":
        labels = np.digitize(rows @ weights, np.arange(terminals - 1) - 1)
    else:
        labels = np.mod(rows @ np.abs(weights), terminals)
    return labels


@st.composite
def labelled_diagrams(draw: st.DrawFn) -> Case:
    sizes = draw(
        st.lists(st.sampled_from([1, 2, 2, 2, 3, 4]), min_size=1, max_size=7).filter(lambda s: prod(s) <= 600)
    )
    terminals = draw(st.integers(1, 4))
    kind = draw(st.sampled_from(["random", "rare", "threshold", "modulo"]))
    labels = random_labels(draw(st.integers(0, 10**6)), sizes, terminals, kind)
    order = draw(st.permutations(range(len(sizes))))
    event(kind)
    return diagram_of(labels, sizes, terminals, list(order)), sizes, labels
