"""Pairs of instances found by walks through pairs of nodes, against all pairs."""

from __future__ import annotations

from collections import Counter
from itertools import product
from random import Random

import numpy as np
import pytest

from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram import pairs
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.logic.diagram.pairs import find_pair
from bnc2d.logic.domain import Domain


def random_diagram(rng: Random) -> Diagram:
    """Return a random function of a few features, simple enough to skip levels."""
    sizes = [rng.randint(1, 3) for _ in range(rng.randint(1, 4))]
    terminals = rng.randint(1, 4)
    rows = list(product(*map(range, sizes)))
    weights = [rng.choice((0, 0, 1, 2)) for _ in sizes]
    labels = [sum(w * s for w, s in zip(weights, row, strict=True)) % terminals for row in rows]
    if rng.random() < 0.5:
        labels = [rng.randrange(terminals) if rng.random() < 0.3 else label for label in labels]
    builder = DiagramBuilder(terminals)
    (root,) = reduce_table(np.array([labels], dtype=np.int64), sizes, builder)
    domain = Domain({f"F{at}": tuple(map(str, range(size))) for at, size in enumerate(sizes)})
    return builder.finish(domain, range(len(sizes)), int(root))


def test_a_pair_is_found_where_there_is_one() -> None:
    found: Counter[bool] = Counter()
    for seed in range(400):
        rng = Random(seed)  # noqa: S311 - reproducible test data
        diagram = random_diagram(rng)
        sizes = diagram.domain.cardinalities
        steps = {}
        for feature in rng.sample(range(len(sizes)), rng.randint(0, len(sizes))):
            every = list(product(range(sizes[feature]), repeat=2))
            steps[feature] = np.array([p for p in every if p[0] == p[1] or rng.random() < 0.6])
        wanted = np.array(
            [
                [one != other and rng.random() < 0.4 for one in range(diagram.terminals)]
                for other in range(diagram.terminals)
            ]
        )
        rows = np.array(list(product(*map(range, sizes))), dtype=np.intp)
        labels = diagram.labels(rows).tolist()
        allowed = {at: set(map(tuple, some.tolist())) for at, some in steps.items()}

        def is_pair(one: list[int], other: list[int]) -> bool:
            both = enumerate(zip(one, other, strict=True))
            return all(pair in allowed.get(at, {(pair[0], pair[0])}) for at, pair in both)  # noqa: B023

        known = zip(rows.tolist(), labels, strict=True)
        exists = any(
            wanted[label, to] and is_pair(row, other)
            for (row, label), (other, to) in product(
                list(known), list(zip(rows.tolist(), labels, strict=True))
            )
        )
        pair = find_pair(diagram, steps, wanted)
        assert (pair is not None) is exists, seed
        found[exists] += 1
        if pair is not None:
            one, other = ([part.get(at, 0) for at in range(len(sizes))] for part in pair)
            assert is_pair(one, other)
            first, second = diagram.labels(np.array([one, other], dtype=np.intp)).tolist()
            assert wanted[first, second]
    assert min(found.values()) > 50


def test_too_many_pairs_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "MAX_PAIRS", 1)
    domain = Domain({"A": ("0", "1"), "B": ("0", "1"), "C": ("0", "1")})
    builder = DiagramBuilder(2)
    (root,) = reduce_table(np.array([[0, 1, 1, 0, 1, 0, 0, 1]], dtype=np.int64), [2, 2, 2], builder)
    diagram = builder.finish(domain, range(3), int(root))
    both = np.array([(0, 0), (0, 1), (1, 0), (1, 1)])
    with pytest.raises(LimitExceeded, match="more than 1 pairs of diagram nodes"):
        find_pair(diagram, {1: both}, ~np.eye(2, dtype=bool))
