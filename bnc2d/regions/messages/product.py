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

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from bnc2d.base.masks import VariableId
from bnc2d.regions.messages.message import Indices, Messages, Values, scaled

# The second bound multiplies roundings by e^radius; beyond this radius it is left out.
_MOST_RADIUS = 5.0


@dataclass(frozen=True)
class Product:
    """How messages over two scopes are multiplied: ``kept`` stays, ``chosen`` is chosen, the rest is summed.

    ``sizes`` are those of the variables, features with the states of the region only.
    """

    left: tuple[VariableId, ...]
    right: tuple[VariableId, ...]
    kept: tuple[VariableId, ...]
    chosen: tuple[VariableId, ...]
    sizes: dict[VariableId, int]

    @property
    def ways(self) -> int:
        """How many states are chosen from."""
        return self._count(self.chosen)

    @property
    def states(self) -> int:
        """The states of the separator of the result."""
        return self._count(self.kept)

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
        return prod([self.sizes[variable] for variable in variables])

    def numbers(self, left: Values, right: Values) -> Values:
        """Return the products ``[row, kept]``: a matrix product for each state of what both keep."""
        stays = (*self.chosen, *self.kept)
        both = [v for v in stays if v in self.left and v in self.right]
        summed = [v for v in self.left if v in self.right and v not in stays]
        own = [[v for v in stays if v in scope and v not in both] for scope in (self.left, self.right)]
        tables = []
        for values, scope, mine in zip((left, right), (self.left, self.right), own, strict=True):
            table = values.reshape(len(values), *[self.sizes[v] for v in scope])
            alone = tuple(1 + axis for axis, v in enumerate(scope) if v not in (*both, *summed, *mine))
            if alone:
                table = table.sum(axis=alone)
            at = [v for v in scope if v in (*both, *summed, *mine)]
            places = [1 + at.index(v) for v in (*both, *mine, *summed)]
            table = table.transpose(*places[: len(both)], 0, *places[len(both) :])
            tables.append(table.reshape(self._count(both), len(values) * self._count(mine), -1))
        product = np.matmul(tables[0], tables[1].transpose(0, 2, 1))
        sizes = [[self.sizes[v] for v in group] for group in (both, *own)]
        product = product.reshape(*sizes[0], len(left), *sizes[1], len(right), *sizes[2])
        axis = {v: place for place, v in enumerate(both)}
        axis.update({v: len(both) + 1 + place for place, v in enumerate(own[0])})
        axis.update({v: len(both) + len(own[0]) + 2 + place for place, v in enumerate(own[1])})
        rows = len(both), len(both) + 1 + len(own[0])
        product = product.transpose(*rows, *[axis[v] for v in stays])
        return np.ascontiguousarray(product).reshape(len(left) * len(right) * self.ways, -1)

    def _lowered(
        self, left: Messages, right: Messages, rival: Values, least: Values, radius: Values
    ) -> Values:
        """Return the least numbers for the class that the radius leaves."""
        low: Values = np.ones(1)
        high: Values = np.ones(1)
        for messages, scope, rows in ((left, self.left, (-1, 1, 1)), (right, self.right, (1, -1, 1))):
            if messages.own is not None:
                ratios = messages.ratios()
                smallest = self._extreme(ratios, scope, np.min)
                ratios[(messages.rival == 0) & (messages.at_least == 0)] = 0.0  # adds nothing
                largest = self._extreme(ratios, scope, np.max)
                shape = (*rows[:2], self.ways, self.states)
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
        stays = (*self.chosen, *self.kept)
        table = ratios.reshape(len(ratios), *[self.sizes[v] for v in scope])
        gone = tuple(1 + axis for axis, v in enumerate(scope) if v not in stays)
        mine = [v for v in scope if v in stays]
        order = [1 + mine.index(v) for v in stays if v in mine]
        table = extreme(table, axis=gone).transpose(0, *order)
        table = table.reshape(len(ratios), *[self.sizes[v] if v in mine else 1 for v in stays])
        return np.broadcast_to(table, (len(ratios), *[self.sizes[v] for v in stays])).reshape(len(ratios), -1)
