"""Grids: the states of some variables, and the moves between states that differ in one variable."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TypeAlias

from bnc2d.base.masks import VariableId

# A variable, and by how many states it moves on; after the last state comes the first.
Move: TypeAlias = tuple[VariableId, int]

# A grid with more numbers than this is made smaller: some variable of it is forgotten.
MOST_NUMBERS = 1 << 18


@dataclass(frozen=True)
class Grid:
    """Variables, ascending, and how many states each has; features are chosen, so they make no moves."""

    variables: tuple[VariableId, ...]
    sizes: tuple[int, ...]
    features: frozenset[VariableId]

    @cached_property
    def moves(self) -> tuple[Move, ...]:
        """All moves; those of one variable follow each other."""
        sizes = zip(self.variables, self.sizes, strict=True)
        return tuple((v, step) for v, size in sizes if v not in self.features for step in range(1, size))

    @cached_property
    def numbers(self) -> int:
        """How many bounds a message over the grid has."""
        return len(self.moves) * prod(self.sizes)

    def only(self, kept: Collection[VariableId]) -> Grid:
        """Return the grid of some of the variables."""
        pairs = [pair for pair in zip(self.variables, self.sizes, strict=True) if pair[0] in kept]
        return Grid(tuple(v for v, _ in pairs), tuple(size for _, size in pairs), self.features)

    def shape_among(self, variables: Sequence[VariableId]) -> list[int]:
        """Return the sizes of variables, 1 for those that the grid has not."""
        sizes = dict(zip(self.variables, self.sizes, strict=True))
        return [sizes.get(variable, 1) for variable in variables]


@dataclass(frozen=True)
class Joining:
    """How messages over two grids become one: of each only some variables are left, others go at the end.

    ``chosen`` are the features that go, ``summed`` the hidden variables.
    """

    left: Grid
    right: Grid
    left_kept: Grid
    right_kept: Grid
    union: Grid
    summed: tuple[VariableId, ...]
    chosen: tuple[VariableId, ...]
    result: Grid


def joining(
    left: Grid, right: Grid, forgotten: Iterable[VariableId], kept: Collection[VariableId], target: VariableId
) -> Joining:
    """Return how two grids are joined, ``kept`` being the separator.

    Variables that were ``forgotten`` on one side are forgotten on the other: nothing is known of their odds.
    More are, those with most states first, where the grid would be too large. The target never is.
    """
    gone = set(forgotten)
    while True:
        one, other = (grid.only(set(grid.variables) - gone) for grid in (left, right))
        sizes = dict(zip(one.variables, one.sizes, strict=True))
        sizes |= zip(other.variables, other.sizes, strict=True)
        union = Grid(tuple(sorted(sizes)), tuple(sizes[v] for v in sorted(sizes)), left.features)
        able = [v for v in union.variables if v != target]
        if union.numbers <= MOST_NUMBERS or not able:
            break
        gone.add(max(able, key=lambda v: (v not in left.features, sizes[v], v)))
    leaving = [v for v in union.variables if v not in kept]
    return Joining(
        left,
        right,
        one,
        other,
        union,
        tuple(v for v in leaving if v not in left.features),
        tuple(v for v in leaving if v in left.features),
        union.only(kept),
    )
