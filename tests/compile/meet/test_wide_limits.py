"""Time limits hold for wide inputs of every kind: large tables, many states, many classes, dense graphs."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest

from bnc2d import CPT, BayesianNetwork, Classifier, Variable
from bnc2d.base.readers.choices import Method
from bnc2d.testing import random_latent_tree, random_naive_bayes, random_network, random_noisy_or
from tests.deadlines import assert_in_time, column, layers, states

LIMIT = 1.0


def chain(length: int) -> Classifier:
    random = Random(1)  # noqa: S311 - reproducible test data
    nodes = [Variable(f"V{number}", states(2)) for number in range(length)]
    cpts = [CPT(nodes[0], (), column(random, 2))]
    for above, below in pairwise(nodes):
        cpts.append(CPT(below, (above,), column(random, 2) + column(random, 2)))
    return Classifier(BayesianNetwork(nodes, cpts), "V0", [f"V{at}" for at in range(20, length, 20)])


def dense() -> Classifier:
    network = random_network(3, variables=1200, max_parents=4, max_states=3)
    return Classifier(network, "X0", network.leaves)


WIDE: dict[str, tuple[Method, Callable[[], Classifier]]] = {
    "many classes and states": ("fast", lambda: Classifier(random_naive_bayes(1, 6, 30, 200), "Y")),
    "a latent tree": ("fast", lambda: Classifier(random_latent_tree(1, 60, 4, 3), "Y")),
    "wide separators": ("fast", lambda: Classifier(layers(4, 4, 60, 16, 2, 3), "Y")),
    "a dense graph": ("fast", dense),
    "large clusters": (
        "paper",
        lambda: Classifier(random_noisy_or(2, 36, diseases=20, max_parents=6), "Y"),
    ),
    "a long chain": ("block-order", lambda: chain(2000)),
}


@pytest.mark.parametrize("name", WIDE)
def test_a_time_limit_holds(name: str) -> None:
    method, make = WIDE[name]
    subject = make()
    assert_in_time(lambda: subject.compile(method=method, time_limit=LIMIT, memory_limit=2**36), LIMIT)
