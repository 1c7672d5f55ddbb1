"""Tables with named axes: multiply, project (sum out) and divide, as the paper's algorithm uses them.

Error account. All entries are non-negative, so rounding errors stay relative: after ``k`` operations on
its way (a rounded entry, a product or a quotient counts one, a sum of ``m`` terms ``m - 1``) a float64 value
is within a factor ``1 ± k u / (1 - k u)`` of the exact one, ``u = 2**-53`` (Higham, "Accuracy and Stability
of Numerical Algorithms", lemma 3.1). That holds while nothing underflows; ``trusted`` is cleared where
something could. In a trusted table a zero is an exact zero and the other way round.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import blocks, sum_out
from bnc2d.base.checkpoints import checkpoint
from bnc2d.compile.graph.jointree import Name
from bnc2d.errors import LimitExceeded
from bnc2d.model.cpt import CPT

Array: TypeAlias = NDArray[np.float64]

# A positive entry of a trusted table is at least this large, so a product of two cannot underflow.
SMALLEST = 1e-130
_MAX_ENTRIES = 1 << 26  # 512 MiB


@dataclass(frozen=True)
class Potential:
    """A table with one axis per variable of ``scope``; see the module for ``roundings`` and ``trusted``."""

    scope: tuple[Name, ...]
    values: Array
    roundings: int = 0
    trusted: bool = True

    @classmethod
    def of_cpt(cls, cpt: CPT) -> Potential:
        """Return ``P(child | parents)``."""
        vanished = bool(np.any((cpt.values == 0) & (cpt.exact != 0)))
        scope = tuple(variable.name for variable in cpt.scope)
        return cls(scope, cpt.values, 1, not vanished and _in_range(cpt.values))

    def aligned(self, scope: Sequence[Name]) -> Array:
        """Return the values with one axis per name of ``scope``, of size 1 where the table lacks it."""
        shared = [name for name in scope if name in self.scope]
        missing = tuple(axis for axis, name in enumerate(scope) if name not in self.scope)
        turned = self.values.transpose([self.scope.index(name) for name in shared])
        return np.expand_dims(turned, missing)

    def multiply(self, other: Potential) -> Potential:
        """Return the product, over the variables of both."""
        scope = self.scope + tuple(name for name in other.scope if name not in self.scope)
        left, right = self.aligned(scope), other.aligned(scope)
        entries = prod(max(a, b) for a, b in zip(left.shape, right.shape, strict=True))
        if entries > _MAX_ENTRIES:
            raise LimitExceeded(
                f"the paper's method needs a table of {entries} entries (limit {_MAX_ENTRIES}) "
                f"over {', '.join(scope[:6])}{' …' if len(scope) > 6 else ''}"
            )
        values = np.empty([max(a, b) for a, b in zip(left.shape, right.shape, strict=True)])
        left, right = np.broadcast_to(left, values.shape), np.broadcast_to(right, values.shape)
        for block in blocks(values.shape):
            values[block] = left[block] * right[block]
        return self._checked(scope, values, self.roundings + other.roundings + 1, other.trusted)

    def project(self, kept: Collection[Name]) -> Potential:
        """Return the table over those of its variables that are ``kept``; the others are summed out."""
        gone = tuple(axis for axis, name in enumerate(self.scope) if name not in kept)
        if not gone:
            return self
        terms = prod(self.values.shape[axis] for axis in gone)
        scope = tuple(name for name in self.scope if name in kept)
        return Potential(scope, sum_out(self.values, gone), self.roundings + terms - 1, self.trusted)

    def divide(self, other: Potential) -> Potential:
        """Return the quotient by a table over some of the variables; 0/0 is 0."""
        divisor = np.broadcast_to(other.aligned(self.scope), self.values.shape)
        quotient = np.zeros_like(self.values)
        for block in blocks(quotient.shape):
            part = divisor[block]
            quotient[block] = np.divide(self.values[block], part, out=np.zeros(part.shape), where=part > 0)
        return self._checked(self.scope, quotient, self.roundings + other.roundings + 1, other.trusted)

    def _checked(self, scope: tuple[Name, ...], values: Array, roundings: int, trusted: bool) -> Potential:
        return Potential(scope, values, roundings, self.trusted and trusted and _in_range(values))


ONE = Potential((), np.ones(()))


def product(potentials: Iterable[Potential]) -> Potential:
    """Return the product of any number of tables."""
    return reduce(Potential.multiply, potentials, ONE)


def eliminate(potentials: Iterable[Potential], names: Collection[Name]) -> list[Potential]:
    """Sum variables out of a product of tables, one after the other; next comes the smallest new table."""
    tables, left = list(potentials), set(names)
    while left:
        checkpoint()
        sizes = {
            name: len(set().union(*(table.scope for table in tables if name in table.scope)))
            for name in sorted(left)
        }
        name = min(sizes, key=lambda candidate: sizes[candidate])
        joined = product(table for table in tables if name in table.scope)
        tables = [table for table in tables if name not in table.scope]
        tables.append(joined.project([other for other in joined.scope if other != name]))
        left.discard(name)
    return tables


def _in_range(values: Array) -> bool:
    """Return whether no positive entry is too small to be multiplied safely.

    Both factors of a product being in range, a product that vanished cannot hide here as a zero.
    """
    return all(
        bool(values[block].min(where=values[block] > 0, initial=1.0) >= SMALLEST)
        for block in blocks(values.shape)
    )
