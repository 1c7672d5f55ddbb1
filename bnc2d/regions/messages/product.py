"""Products of messages: joins of two nodes of the tree.

What rows say is multiplied, state by state, and so are their bands. Then hidden variables ``h`` are summed
out. Let the rival say ``r(h)`` from ``low(h)`` to ``high(h)``, and the class at least ``r(h) p(h)``, and let
``l`` be the smallest ``p(h)``. Then the ratio of the sums is

    sum r p / sum r  =  l + sum r (p - l) / sum r  >=  l + (sum low p - l sum low) / sum high

since ``p(h) - l`` is not negative. States at which the rival has zero add to the class only, with ``low``
zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import VariableId
from bnc2d.regions.messages.message import Band, Indices, Messages, Unknown, Values, scaled

Scope: TypeAlias = tuple[VariableId, ...]
Sizes: TypeAlias = Mapping[VariableId, int]


# Multiplications of a product, which nothing can interrupt.
MOST_WORK = 1 << 25


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

    def __call__(self, left: Messages, right: Messages) -> Messages:
        """Return the product, a row for each pair of rows and each choice."""
        rival = self.numbers(left.rival, right.rival)
        own = band = None
        if left.own is not None or right.own is not None:
            own = self.numbers(left.for_class, right.for_class)
        if left.band is not None or right.band is not None:
            checkpoint()
            band = self._band(left, right)
            checkpoint()
        return scaled(Messages(rival, own, band, self.choice(len(left), len(right))))

    def choice(self, left: int, right: int) -> Indices:
        """Return where the rows of a product come from; see ``Messages``."""
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

    def _band(self, left: Messages, right: Messages) -> Band:
        """Return what the rows of the product cover."""
        one, other = left.covered, right.covered
        low = self.numbers(one.low, other.low)
        checkpoint()
        high = self.numbers(one.high, other.high)
        if left.own is None and right.own is None:
            return Band(low, high, low)
        checkpoint()
        least = self.numbers(one.least, other.least)
        smallest: Values = np.ones(1)
        for messages, scope, rows in zip((left, right), self._scopes, ((-1, 1), (1, -1)), strict=True):
            if messages.own is not None:
                ratios = self._smallest(messages.ratios(), scope).reshape(*rows, self.ways, self.states)
                with np.errstate(invalid="ignore"):  # no number where the product of rivals is zero
                    smallest = smallest * ratios
        shape = (len(left), len(right), self.ways, self.states)
        smallest = np.broadcast_to(smallest, shape).reshape(low.shape)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = smallest + (least - smallest * low) / high
            return Band(low, high, np.where(high > 0, np.minimum(ratio * low, least), least))

    def _smallest(self, ratios: Values, scope: Scope) -> Values:
        """Return the smallest ratios ``[row, chosen, kept]`` over what is summed out."""
        table = ratios.reshape(len(ratios), *[self._sizes[v] for v in scope])
        gone = tuple(1 + axis for axis, v in enumerate(scope) if v not in self._stays)
        mine = [v for v in scope if v in self._stays]
        table = table.min(axis=gone).transpose(0, *[1 + mine.index(v) for v in self._stays if v in mine])
        table = table.reshape(len(ratios), *[self._sizes[v] if v in mine else 1 for v in self._stays])
        whole = np.broadcast_to(table, (len(ratios), *[self._sizes[v] for v in self._stays]))
        return whole.reshape(len(ratios), -1)
