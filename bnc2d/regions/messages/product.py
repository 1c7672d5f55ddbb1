"""Products of messages: joins of two nodes of the tree.

For rows ``i`` and ``j`` the product says ``rival_i * rival_j`` for the rival, at least ``least_i * least_j``
for the class, within the sum of the radii. Then hidden variables ``h`` are summed out. Let ``a(h)`` be what
is said for the rival, ``p(h)`` the least ratio of class and rival, ``p`` their mean ``sum a(h) p(h) / sum
a(h)``, ``l`` and ``u`` the smallest and the largest ``p(h)``. Numbers ``f(h)`` within ``r`` change the mean,
but

    sum f a p / sum f a  >=  l + (p - l) / e^r
    sum f a p / sum f a  >=  u - (u - p) e^r

since ``p(h) - l`` and ``u - p(h)`` are not negative, and their means change by a factor ``e^r`` at most. The
larger is a bound. States at which the rival has zero add to the class only, so that the first stays true.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np

from bnc2d.base.masks import VariableId
from bnc2d.regions.messages.message import Indices, Messages, Values, scaled

Scope: TypeAlias = tuple[VariableId, ...]
Sizes: TypeAlias = Mapping[VariableId, int]

# The second bound multiplies roundings by e^radius; beyond this radius it is left out.
_MOST_RADIUS = 5.0


class _Side(NamedTuple):
    """How one of two tables is laid out: ``[what both keep, row and what it alone keeps, what is summed]``."""

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
    choices there are, ``states`` how many the separator of the result has.
    """

    def __init__(self, left: Scope, right: Scope, kept: Scope, chosen: Scope, sizes: Sizes) -> None:
        self._scopes = left, right
        self._stays = (*chosen, *kept)
        self._sizes = sizes
        self.ways, self.states = self._count(chosen), self._count(kept)
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
        own = least = None
        radius = np.repeat((left.radius[:, None] + right.radius).reshape(-1), self.ways)
        if left.own is not None or right.own is not None:
            own = self.numbers(left.for_class, right.for_class)
            least = own
            if left.least is not None or right.least is not None:
                least = self.numbers(left.at_least, right.at_least)
            if radius.any():
                least = self._lowered(left, right, rival, least, radius)
        choice = self.choice(len(left), len(right))
        return scaled(Messages(rival, own, None if least is own else least, radius, choice))

    def choice(self, left: int, right: int) -> Indices:
        """Return where the rows of a product come from; see ``Messages``."""
        places = np.unravel_index(np.arange(left * right * self.ways), (left, right, self.ways))
        return np.stack(places, axis=1)

    def _count(self, variables: Sequence[VariableId]) -> int:
        return prod([self._sizes[variable] for variable in variables])

    def numbers(self, left: Values, right: Values) -> Values:
        """Return the products ``[row, kept]``: a matrix product for each state of what both keep."""
        one, other = (side.prepared(values) for side, values in zip(self._sides, (left, right), strict=True))
        product = np.matmul(one, other.transpose(0, 2, 1))
        both, of_left, of_right = self._shapes
        product = product.reshape(*both, len(left), *of_left, len(right), *of_right).transpose(self._order)
        return product.reshape(len(left) * len(right) * self.ways, -1)

    def _lowered(
        self, left: Messages, right: Messages, rival: Values, least: Values, radius: Values
    ) -> Values:
        """Return the least numbers for the class that the radius leaves."""
        low: Values = np.ones(1)
        high: Values = np.ones(1)
        for messages, scope, rows in (
            (left, self._scopes[0], (-1, 1)),
            (right, self._scopes[1], (1, -1)),
        ):
            if messages.own is not None:
                ratios = messages.ratios()
                smallest = self._extreme(ratios, scope, np.min)
                ratios[(messages.rival == 0) & (messages.at_least == 0)] = 0.0  # adds nothing
                largest = self._extreme(ratios, scope, np.max)
                shape = (*rows, self.ways, self.states)
                with np.errstate(invalid="ignore"):  # no number where the product of rivals is zero
                    low = low * smallest.reshape(shape)
                    high = high * largest.reshape(shape)
        shape = (len(left), len(right), self.ways, self.states)
        low = np.broadcast_to(low, shape).reshape(rival.shape)
        high = np.broadcast_to(high, shape).reshape(rival.shape)
        factor = np.exp(radius)[:, None]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            mean = least / rival
            first = low + (mean - low) / factor
            second = high - (high - mean) * factor * (1.0 + 1e-9) - 1e-9 * high
            second = np.where((factor <= np.exp(_MOST_RADIUS)) & np.isfinite(second), second, 0.0)
            bound = np.maximum(np.where(np.isfinite(low), first, mean / factor), second)
            return np.where(rival > 0, np.minimum(bound, mean) * rival, least)

    def _extreme(self, ratios: Values, scope: Sequence[VariableId], extreme: Callable[..., Values]) -> Values:
        """Return the extreme ratios ``[row, chosen, kept]`` over what is summed out."""
        stays = self._stays
        table = ratios.reshape(len(ratios), *[self._sizes[v] for v in scope])
        gone = tuple(1 + axis for axis, v in enumerate(scope) if v not in stays)
        mine = [v for v in scope if v in stays]
        order = [1 + mine.index(v) for v in stays if v in mine]
        table = extreme(table, axis=gone).transpose(0, *order)
        table = table.reshape(len(ratios), *[self._sizes[v] if v in mine else 1 for v in stays])
        return np.broadcast_to(table, (len(ratios), *[self._sizes[v] for v in stays])).reshape(
            len(ratios), -1
        )
