"""Small random networks with everything that makes formats stumble."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import pairwise
from math import prod

from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

NAMES = ["plain", "table", "node", "5", "a b", "a-b", "a_b", "<5 & >3", "Größe", "年齢", "Asy/Patch", "http://x",
         "it's", "100%", "x=y;z", "(u|v)", "{}[],", "default", "states", "_"]  # fmt: skip
STATES = ["yes", "no", "<5", "5-12", "12+", ">=7.5", "Transp.", "0-3_days", "Asy/Patch", "a  b", "ä", "//",
          "/*", "%", "default", "0.5", "née", "a\tb", "&amp;", "]]>"]  # fmt: skip
DENOMINATORS = [1, 2, 3, 7, 8, 10, 1000, 97, 2**40, 3**40]


def random_network(
    seed: int, *, names: list[str] = NAMES, states: list[str] = STATES, min_states: int = 1
) -> BayesianNetwork:
    """Return a network over odd names, with rationals such as 1/3, whose file order is not topological."""
    rng = random.Random(seed)  # noqa: S311 - seeded tests
    variables = [
        Variable(name, tuple(rng.sample(states, rng.randint(min_states, 4))))
        for name in rng.sample(names, rng.randint(1, min(9, len(names))))
    ]
    cpts = []
    for position, child in enumerate(variables):
        parents = rng.sample(variables[:position], min(position, rng.randint(0, 3)))
        columns = prod(len(parent) for parent in parents)
        cpts.append(
            CPT(child, parents, [entry for _ in range(columns) for entry in _column(rng, len(child))])
        )
    rng.shuffle(variables)
    return BayesianNetwork(variables, cpts, name=f"net {seed}")


def _column(rng: random.Random, size: int) -> list[Fraction]:
    denominator = rng.choice(DENOMINATORS)
    cuts = sorted(rng.randint(0, denominator) for _ in range(size - 1))
    bounds = [0, *cuts, denominator]
    return [Fraction(after - before, denominator) for before, after in pairwise(bounds)]
