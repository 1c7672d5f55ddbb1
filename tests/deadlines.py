"""Whether limits hold: work with a limit of t seconds has to end within t + 1."""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from random import Random
from typing import TypeVar

from bnc2d import CPT, BayesianNetwork, Classifier, CompiledModel, LimitExceeded, Variable

Result = TypeVar("Result")

ALLOWANCE = 1.0
# On a busy machine a run may be late without a fault of its own; what cannot be ended is late every time.
ATTEMPTS = 3


def assert_in_time(work: Callable[[], Result], limit: float) -> list[Result]:
    """Run work that has a limit, again where it is late; return what it gave, nothing for a limit."""
    late = []
    for _ in range(ATTEMPTS):
        started = time.monotonic()
        try:
            result = [work()]
        except LimitExceeded:
            result = []
        late.append(time.monotonic() - started - limit)
        if late[-1] < ALLOWANCE:
            return result
    raise AssertionError(f"with a limit of {limit:g} s it ended {', '.join(f'{s:.1f}' for s in late)} s late")


def states(count: int) -> tuple[str, ...]:
    return tuple(map(str, range(count)))


def column(random: Random, size: int) -> list[Fraction]:
    cuts = sorted(random.sample(range(1, 10**6), size - 1))
    return [Fraction(high - low, 10**6) for low, high in zip([0, *cuts], [*cuts, 10**6], strict=True)]


def layers(
    seed: int, hidden: int, width: int, features: int, size: int, classes: int, parents: int = 2
) -> BayesianNetwork:
    """Return a chain of hidden variables of ``width`` states, each feature below some of them."""
    random = Random(seed)  # noqa: S311 - reproducible test data
    target = Variable("Y", states(classes))
    cpts = [CPT(target, (), column(random, classes))]
    chain: list[Variable] = []
    for number in range(hidden):
        above = [target, *chain[-1:]]
        columns = classes * width ** len(chain[-1:])
        chain.append(Variable(f"H{number}", states(width)))
        cpts.append(CPT(chain[-1], above, [e for _ in range(columns) for e in column(random, width)]))
    for number in range(features):
        child = Variable(f"X{number}", states(size))
        entries = [entry for _ in range(width**parents) for entry in column(random, size)]
        cpts.append(CPT(child, random.sample(chain, parents), entries))
    return BayesianNetwork([cpt.child for cpt in cpts], cpts)


@cache
def large_model() -> CompiledModel:
    """Return a model whose formulas have tens of thousands of nodes; do not change it."""
    model = Classifier(layers(1, 6, 3, 22, 2, 2, parents=3), "Y").compile()
    assert model.formula("1").node_count > 30_000
    return model
