"""Decision diagrams of monotone functions of bits (BDDs) and of families of sets of bits (ZDDs).

Both share one table of nodes. The minimal sets of a monotone function become a ZDD as in Coudert and Madre
(1992) and Knuth (The Art of Computer Programming 4A, 7.1.4). Nothing here recurs, and the work is bounded by
a number of steps, not by time: the same question always takes the same steps.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import reduce
from typing import TypeAlias, TypeVar

from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.errors import LimitExceeded

Node: TypeAlias = int  # 0 and 1 are the terminals; as a family, 0 is empty and 1 holds the empty set alone
Level: TypeAlias = int
Value = TypeVar("Value")
_Pair: TypeAlias = tuple[Node, Node]  # of two functions, or of a family and a function

MOST_STEPS = 20_000_000  # a step takes about 200 bytes
_MOST_LEVELS = 400
_BETWEEN_LOOKS = 1 << 12  # so many steps are taken between two checkpoints


class TooLarge(LimitExceeded):
    """The diagrams have grown beyond what was allowed."""


class BitDiagrams:
    """BDDs of monotone functions and ZDDs of families in one table of nodes (level, low, high).

    Levels grow downwards, children come before their parents. A BDD node with equal children, or a ZDD node
    whose high child is 0, is its low child. Every function is monotone, so one that is true for the empty set
    is the constant 1. More than ``most_steps`` steps in all raise ``TooLarge``.
    """

    def __init__(self, levels: int, most_steps: int = MOST_STEPS) -> None:
        if levels > _MOST_LEVELS:
            raise TooLarge(f"the diagrams would have {levels} levels, more than the limit of {_MOST_LEVELS}")
        self.nodes: list[tuple[Level, Node, Node]] = [(levels, 0, 0), (levels, 1, 1)]
        self.most_steps = most_steps
        self.steps = 0
        self._unique: dict[tuple[Level, Node, Node], Node] = {}
        self._joined: tuple[dict[_Pair, Node], dict[_Pair, Node]] = ({}, {})  # conjunctions, disjunctions
        self._falsified: dict[_Pair, Node] = {}

    def _node(self, level: Level, low: Node, high: Node) -> Node:
        key = (level, low, high)
        node = self._unique.get(key)
        if node is None:
            node = self._unique[key] = len(self.nodes)
            self.nodes.append(key)
        return node

    def spend(self, steps: int = 1) -> None:
        """Note steps to be taken, each of which is remembered; pass a checkpoint now and then."""
        before, self.steps = self.steps, self.steps + steps
        if self.steps > self.most_steps:
            self.refuse_above(self.most_steps)
        if before // _BETWEEN_LOOKS != self.steps // _BETWEEN_LOOKS:
            checkpoint()

    def refuse_above(self, most_steps: int) -> None:
        """Raise ``TooLarge`` where more steps were taken."""
        if self.steps > most_steps:
            raise TooLarge(f"the diagrams of the reasons take more than {most_steps} steps")

    def forget(self) -> None:
        """Free what was remembered for further operations; the nodes stay."""
        self._unique.clear()
        self._falsified.clear()
        for known in self._joined:
            known.clear()

    def choice(self, level: Level, low: Node, high: Node) -> Node:
        """Return the BDD of ``high`` where the bit of a level is present, else ``low``, which implies it."""
        return low if low == high else self._node(level, low, high)

    def join(self, is_or: bool, functions: Iterable[Node]) -> Node:
        """Return the BDD of the disjunction or conjunction."""
        return reduce(lambda one, other: self._join(is_or, one, other), functions, int(not is_or))

    def _join(self, is_or: bool, one: Node, other: Node) -> Node:
        """Return the BDD of two functions; pairs wait on a stack until both pairs below are known."""
        nodes, known, neutral = self.nodes, self._joined[is_or], int(not is_or)
        if one > other:
            one, other = other, one
        if one == other or one < 2:
            return other if one == neutral else one
        asked = (one, other)
        pending = [] if asked in known else [asked]
        while pending:
            one, other = pair = pending[-1]
            level, low, high = nodes[one]
            other_level, other_low, other_high = nodes[other]
            if level < other_level:
                other_low = other_high = other
            elif level > other_level:
                level, low, high = other_level, one, one
            if low > other_low:
                low, other_low = other_low, low
            if high > other_high:
                high, other_high = other_high, high
            lows: Node | None = low
            if low != other_low:
                lows = (other_low if low == neutral else low) if low < 2 else known.get((low, other_low))
            highs: Node | None = high
            if high != other_high:
                highs = (
                    (other_high if high == neutral else high) if high < 2 else known.get((high, other_high))
                )
            if lows is None:
                pending.append((low, other_low))
            if highs is None:
                pending.append((high, other_high))
            elif lows is not None:
                self.spend()
                known[pair] = self.choice(level, lows, highs)
                pending.pop()
        return known[asked]

    def copy(self, other: BitDiagrams, function: Node, *, dual: bool = False) -> Node:
        """Return a BDD of other diagrams, or its dual: true where it is false for the complement of a set."""
        self.spend(other.steps)
        if dual:
            made = other.fold(function, (1, 0), lambda level, low, high: self.choice(level, high, low))
        else:
            made = other.fold(function, (0, 1), self.choice)
        return made[function]

    def minimal(self, function: Node) -> Node:
        """Return the ZDD of the minimal sets that make a BDD true.

        Those with the bit of the root are minimal for the high child and make the low one false.
        """
        made: dict[Node, Node] = {0: 0, 1: 1}
        for node in self.below(function):
            self.spend()
            level, low, high = self.nodes[node]
            made[node] = self._member(level, made[low], self.falsify(made[high], low))
        return made[function]

    def _member(self, level: Level, without: Node, with_bit: Node) -> Node:
        return self._node(level, without, with_bit) if with_bit else without

    def falsify(self, family: Node, function: Node) -> Node:
        """Return the ZDD of the family's sets that make a BDD false."""
        nodes, known = self.nodes, self._falsified
        if function < 2 or family < 2:
            return 0 if function == 1 else family
        asked = (family, function)
        pending = [] if asked in known else [asked]
        while pending:
            family, function = pair = pending[-1]
            level, low, high = nodes[family]
            function_level, false, true = nodes[function]
            if level > function_level:
                low, high = family, 0
            elif level < function_level:
                false = true = function
            lows = (0 if false == 1 else low) if false < 2 or low < 2 else known.get((low, false))
            highs = (0 if true == 1 else high) if true < 2 or high < 2 else known.get((high, true))
            if lows is None:
                pending.append((low, false))
            if highs is None:
                pending.append((high, true))
            elif lows is not None:
                self.spend()
                known[pair] = self._member(level, lows, highs)
                pending.pop()
        return known[asked]

    def below(self, node: Node) -> list[Node]:
        """Return the nodes that one depends on, itself included, children first and without the terminals."""
        seen = {node}
        pending = [node]
        while pending:
            _, low, high = self.nodes[pending.pop()]
            fresh = {low, high} - seen
            seen |= fresh
            pending += fresh
        return [found for found in sorted(seen) if found > 1]

    def fold(
        self, root: Node, terminals: tuple[Value, Value], rule: Callable[[Level, Value, Value], Value]
    ) -> dict[Node, Value]:
        """Return the values of the nodes below one, by a rule from a level and the values of the children."""
        values = {0: terminals[0], 1: terminals[1]}
        for node in checked(self.below(root)):
            level, low, high = self.nodes[node]
            values[node] = rule(level, values[low], values[high])
        return values

    def size(self, family: Node) -> int:
        """Return the number of sets."""
        return self.fold(family, (0, 1), lambda _, low, high: low + high)[family]

    def levels(self, root: Node) -> set[Level]:
        """Return the levels on which a function depends, or that some set of a family has."""
        return {self.nodes[node][0] for node in self.below(root)}

    def lightest(self, function: Node, weights: Sequence[int]) -> list[Level]:
        """Return the set of least total weight that makes a BDD, not the constant 0, true."""
        best = self.fold(
            function, (sum(weights) + 1, 0), lambda level, low, high: min(low, weights[level] + high)
        )
        chosen = []
        while function > 1:
            level, low, high = self.nodes[function]
            if best[function] == best[low]:
                function = low
            else:
                chosen.append(level)
                function = high
        return chosen

    def sets(
        self, family: Node, codes: Sequence[int], without: Collection[Level] = ()
    ) -> Iterator[Iterator[int]]:
        """Yield for each length that occurs the sets of that length, as sums of their levels' codes.

        Sets with one of the levels of ``without`` are left out.
        """
        # Bit i of the lengths of a family: some set has i members.
        lengths = self.fold(
            family, (0, 1), lambda level, low, high: low if level in without else low | high << 1
        )
        for length in range(lengths[family].bit_length()):
            if lengths[family] >> length & 1:
                yield self._sets_of(family, length, codes, lengths, without)

    def _sets_of(
        self,
        family: Node,
        length: int,
        codes: Sequence[int],
        lengths: dict[Node, int],
        without: Collection[Level],
    ) -> Iterator[int]:
        pending = [(family, length, 0)]
        while pending:
            node, left, code = pending.pop()
            if node == 1:
                yield code
                continue
            level, low, high = self.nodes[node]
            if lengths[low] >> left & 1:
                pending.append((low, left, code))
            if left and level not in without and lengths[high] >> left - 1 & 1:
                pending.append((high, left - 1, code + codes[level]))
