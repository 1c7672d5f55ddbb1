"""Decision diagrams of monotone functions of bits, and of families of sets of bits.

BDDs and ZDDs share one table. The minimal sets of a monotone function become a ZDD as in Coudert and Madre
(1992) and Knuth (The Art of Computer Programming 4A, 7.1.4).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import TypeAlias

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.errors import LimitExceeded
from bnc2d.logic.circuit.fold import fold
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.nnf import NNF

Node: TypeAlias = int  # 0 and 1 are the ends; as a family, 0 is empty and 1 holds the empty set alone
Level: TypeAlias = int

_MOST_STEPS = 20_000_000  # a step takes about 200 bytes
_MOST_LEVELS = 400  # the recursion goes level by level
_BETWEEN_LOOKS = 1 << 14  # so many steps are taken between two looks at the clock


def _look(done: int) -> None:
    """Pass a checkpoint now and then."""
    if done % _BETWEEN_LOOKS == 0:
        checkpoint()


class TooLarge(LimitExceeded):
    """The diagrams have grown beyond what was allowed."""


class Diagrams:
    """BDDs of monotone functions and ZDDs of families in one table of nodes (level, low, high).

    Levels grow downwards. A BDD node with equal children, or a ZDD node whose high child is 0, is its low
    child. Every function here is monotone, so one that is true for the empty set is the constant 1.
    """

    def __init__(self, levels: int, budget: Budget, most_steps: int = _MOST_STEPS) -> None:
        if levels > _MOST_LEVELS:
            raise TooLarge(f"the diagrams would have {levels} levels, more than the limit of {_MOST_LEVELS}")
        self._most_steps = most_steps
        self.nodes: list[tuple[Level, Node, Node]] = [(levels, 0, 0), (levels, 1, 1)]
        self._budget = budget
        self._budget.check()
        self._steps = 0
        self._unique: dict[tuple[Level, Node, Node], Node] = {}
        self._joined: dict[tuple[bool, Node, Node], Node] = {}
        self._minimal: dict[Node, Node] = {0: 0, 1: 1}
        self._falsified: dict[tuple[Node, Node], Node] = {}

    def _node(self, level: Level, low: Node, high: Node) -> Node:
        key = (level, low, high)
        node = self._unique.get(key)
        if node is None:
            node = self._unique[key] = len(self.nodes)
            self.nodes.append(key)
        return node

    def _spend(self) -> None:
        """Note one more step, each of which is remembered; now and then look at the clock."""
        self._steps += 1
        if self._steps % _BETWEEN_LOOKS == 0:
            self._budget.check()
            if self._steps > self._most_steps:
                raise TooLarge(f"the diagrams of the reasons take more than {self._most_steps} steps")

    def cube(self, levels: Sequence[Level]) -> Node:
        """Return the BDD of "all of these are present"."""
        return reduce(lambda below, level: self._node(level, 0, below), sorted(levels, reverse=True), 1)

    def join(self, is_or: bool, one: Node, other: Node) -> Node:
        """Return the BDD of the disjunction or conjunction."""
        if one == other:
            return one
        if one > other:
            one, other = other, one
        if one < 2:  # a constant: it decides, or it changes nothing
            return one if (one == 1) == is_or else other
        known = self._joined.get((is_or, one, other))
        if known is not None:
            return known
        self._spend()
        level, low, high = self.nodes[one]
        other_level, other_low, other_high = self.nodes[other]
        if level < other_level:
            lows, highs = self.join(is_or, low, other), self.join(is_or, high, other)
        elif level > other_level:
            lows, highs = self.join(is_or, one, other_low), self.join(is_or, one, other_high)
        else:
            lows, highs = self.join(is_or, low, other_low), self.join(is_or, high, other_high)
        made = lows if lows == highs else self._node(min(level, other_level), lows, highs)
        self._joined[is_or, one, other] = made
        return made

    def function(
        self, reason: NNF, leaf: Callable[[FeatureId, StateMask], Node], *, dual: bool = False
    ) -> Node:
        """Return the BDD of a reason; with ``dual``, AND and OR (and the constants) swap roles."""
        return fold(
            reason.manager,
            reason.root,
            lambda value: int(value != dual),
            leaf,
            lambda parts: reduce(lambda one, other: self.join(dual, one, other), parts),
            lambda parts: reduce(lambda one, other: self.join(not dual, one, other), parts),
            release=True,
        )

    def minimal(self, function: Node) -> Node:
        """Return the ZDD of the minimal sets that make a BDD true."""
        known = self._minimal.get(function)
        if known is not None:
            return known
        self._spend()
        level, low, high = self.nodes[function]
        with_bit = self.falsify(self.minimal(high), low)
        made = self.minimal(low)
        if with_bit:
            made = self._node(level, made, with_bit)
        self._minimal[function] = made
        return made

    def falsify(self, family: Node, function: Node) -> Node:
        """Return the ZDD of the family's sets that make a BDD false."""
        if function < 2 or family < 2:
            return 0 if function == 1 else family
        known = self._falsified.get((family, function))
        if known is not None:
            return known
        self._spend()
        level, low, high = self.nodes[family]
        function_level, false, true = self.nodes[function]
        if level > function_level:
            made = self.falsify(family, false)
        else:
            if level < function_level:
                false = true = function
            made = self.falsify(low, false)
            if with_bit := self.falsify(high, true):
                made = self._node(level, made, with_bit)
        self._falsified[family, function] = made
        return made

    def size(self, family: Node) -> int:
        """Return the number of sets."""
        sizes = {0: 0, 1: 1}

        def count(node: Node) -> int:
            if node not in sizes:
                _look(len(sizes))
                _, low, high = self.nodes[node]
                sizes[node] = count(low) + count(high)
            return sizes[node]

        return count(family)

    def lightest(self, function: Node, weights: Sequence[int]) -> list[Level]:
        """Return the set of least total weight that makes a BDD, not the constant 0, true."""
        infinite = sum(weights) + 1
        best = {0: infinite, 1: 0}

        def least(node: Node) -> int:
            if node not in best:
                _look(len(best))
                level, low, high = self.nodes[node]
                best[node] = min(least(low), weights[level] + least(high))
            return best[node]

        least(function)
        chosen = []
        while function > 1:
            level, low, high = self.nodes[function]
            if best[function] == best[low]:
                function = low
            else:
                chosen.append(level)
                function = high
        return chosen
