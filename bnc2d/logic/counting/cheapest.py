"""Instances in the order of what they cost, the cheapest first, made as they are asked for.

Best-first search (Hart, Nilsson and Raphael 1968): partial instances wait in a queue, ordered by what the
cheapest completion costs at least; the first one is taken, and each state of the next feature is added to it.
Where that bound is exact, every step is on the way to an instance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from heapq import heappop, heappush
from math import lcm
from typing import NamedTuple, Protocol, TypeAlias

from bnc2d.base.checkpoints import checkpoint
from bnc2d.logic.counting.weights import read_numbers
from bnc2d.logic.domain import Domain, FeatureId

States: TypeAlias = tuple[int, ...]  # of the first features of an order


class PricedInstance(NamedTuple):
    """An instance and the sum of the costs of its states."""

    instance: dict[str, str]
    cost: Fraction


class Costs:
    """What the states of each feature cost, as whole numbers that are 0 for the cheapest of a feature.

    So nothing is to be paid for features that are left open. ``never`` is more than any instance costs.
    """

    def __init__(self, domain: Domain, given: object) -> None:
        numbers = read_numbers(domain, given, "costs", 0)
        self._unit = lcm(*(number.denominator for row in numbers for number in row))
        whole = [[int(number * self._unit) for number in row] for row in numbers]
        self._base = sum(map(min, whole))
        self.table = [[number - min(row) for number in row] for row in whole]
        self.never = sum(map(max, self.table)) + 1

    def exactly(self, units: int) -> Fraction:
        """Return the cost of an instance from the sum over the table."""
        return Fraction(units + self._base, self._unit)


class Space(Protocol):
    """Where to search: nodes stand for what is left of a problem when the first features are set."""

    @property
    def order(self) -> Sequence[FeatureId]:
        """The features, in the order in which they are set."""

    @property
    def start(self) -> int:
        """The node where nothing is set."""

    def least(self, node: int, states: States, /) -> int | None:
        """Return a lower bound on what the features left cost; None where no instance is left."""

    def children(self, node: int, rank: int, /) -> Sequence[int]:
        """Return what each state of the feature of a rank leads to."""


def in_order_of_cost(space: Space, costs: Costs) -> Iterator[tuple[list[int], int]]:
    """Yield the instances, as state positions by feature, with what they cost, cheapest first.

    Equal costs: as words over the features in the order of the space, the last one varying fastest. A bound
    that is not exact changes nothing but the time.
    """
    order = space.order
    queue: list[tuple[int, States, int, int]] = []  # bound, states, what they cost, node

    def put(states: States, cost: int, node: int) -> None:
        left = space.least(node, states)
        if left is not None:
            heappush(queue, (cost + left, states, cost, node))

    put((), 0, space.start)
    while queue:
        checkpoint()
        _, states, cost, node = heappop(queue)
        rank = len(states)
        if rank == len(order):
            yield [state for _, state in sorted(zip(order, states, strict=True))], cost
            continue
        prices = costs.table[order[rank]]
        for state, child in enumerate(space.children(node, rank)):
            put((*states, state), cost + prices[state], child)
