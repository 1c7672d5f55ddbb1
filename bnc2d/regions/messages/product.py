"""Products of messages: joins of two nodes of the tree."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np

from bnc2d.base.masks import VariableId
from bnc2d.regions.messages.values import Indices, Values

Scope: TypeAlias = tuple[VariableId, ...]
Sizes: TypeAlias = Mapping[VariableId, int]


# Multiplications of a product, which nothing can interrupt.
MOST_WORK = 1 << 25


class Unknown(Exception):  # noqa: N818 - caught where something is asked
    """Tables are too large, or rows too many."""


class _Side(NamedTuple):
    """How one of two tables is laid out: ``[what both keep, row and what it keeps, what is summed]``."""

    shape: tuple[int, ...]
    alone: tuple[int, ...]
    order: tuple[int, ...]
    counts: tuple[int, int, int]

    def prepared(self, values: Values) -> Values:
        table = values.reshape(len(values), *self.shape)
        if self.alone:
            table = table.sum(axis=self.alone)
        both, own, summed = self.counts
        return table.transpose(self.order).reshape(both, len(values) * own, summed)


class Product:
    """How messages over two scopes are multiplied: ``kept`` stays, ``chosen`` is chosen, the rest is summed.

    ``sizes`` are those of the variables, of features the states that the region allows. ``ways`` is how many
    choices there are, ``states`` how many the separator of the result has, ``work`` the multiplications for a
    pair of rows. Raises ``Unknown`` where that is more than can be interrupted.
    """

    def __init__(self, left: Scope, right: Scope, kept: Scope, chosen: Scope, sizes: Sizes) -> None:
        self._scopes = left, right
        self._stays = (*chosen, *kept)
        self._sizes = sizes
        self.ways, self.states = self._count(chosen), self._count(kept)
        self.work = self._count({*left, *right})
        if self.work > MOST_WORK:
            raise Unknown
        both = [v for v in self._stays if v in left and v in right]
        summed = [v for v in left if v in right and v not in self._stays]
        own = [[v for v in self._stays if v in scope and v not in both] for scope in self._scopes]
        self._sides = [
            self._side(scope, both, mine, summed) for scope, mine in zip(self._scopes, own, strict=True)
        ]
        self._shapes = [[sizes[v] for v in group] for group in (both, *own)]
        axes = [*both, -1, *own[0], -2, *own[1]]
        self._order = [axes.index(v) for v in (-1, -2, *self._stays)]

    def _side(
        self,
        scope: Scope,
        both: Sequence[VariableId],
        own: Sequence[VariableId],
        summed: Sequence[VariableId],
    ) -> _Side:
        left = [v for v in scope if v in (*both, *own, *summed)]
        places = [1 + left.index(v) for v in (*both, *own, *summed)]
        return _Side(
            tuple(self._sizes[v] for v in scope),
            tuple(1 + axis for axis, v in enumerate(scope) if v not in left),
            (*places[: len(both)], 0, *places[len(both) :]),
            (self._count(both), self._count(own), self._count(summed)),
        )

    def choice(self, left: int, right: int) -> Indices:
        """Return where the rows of a product come from: rows of the two, and which states were chosen."""
        places = np.unravel_index(np.arange(left * right * self.ways), (left, right, self.ways))
        return np.stack(places, axis=1)

    def _count(self, variables: Iterable[VariableId]) -> int:
        return prod([self._sizes[variable] for variable in variables])

    def numbers(self, left: Values, right: Values) -> Values:
        """Return the products ``[row, kept]``: a matrix product for each state of what both keep."""
        one, other = (side.prepared(values) for side, values in zip(self._sides, (left, right), strict=True))
        product = np.matmul(one, other.transpose(0, 2, 1))
        both, of_left, of_right = self._shapes
        product = product.reshape(*both, len(left), *of_left, len(right), *of_right).transpose(self._order)
        return np.asarray(product.reshape(len(left) * len(right) * self.ways, -1))
