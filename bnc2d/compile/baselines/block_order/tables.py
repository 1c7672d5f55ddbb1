"""Tables of blocks: ``P(f, s' | s)`` for all instances ``f`` of a block between the classes ``s`` and ``s'``.

It is ``P(s, f, s') / P(s)``, both by variable elimination on the ancestors alone. The entries of an instance
carry a common positive factor, which changes no decision: float64 ones are scaled by a power of two, exact
ones are integers, and instead of dividing by ``P(s)`` they are multiplied by the ``P`` of the other state.
A state of probability zero is never reached; its entries are left as they are, which is zero.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, log2
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.budget import Budget
from bnc2d.compile.baselines.block_order.search import Block
from bnc2d.compile.graph.jointree import Name
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.errors import LimitExceeded
from bnc2d.model.accounts import Floats, power_below
from bnc2d.model.factors import Factor
from bnc2d.model.inference import MAX_TABLE_ENTRIES, Contraction

Numbers: TypeAlias = NDArray[np.intp]  # instances of a block by number, the last feature varying fastest
Matrix: TypeAlias = list[list[int]]

# A float64 row is trusted where no positive entry is below this share of its largest: the product of any two
# such entries is then far from underflow.
SMALLEST_SHARE = 2.0**-400
# Tables of an elimination are kept within this many entries, by taking fewer instances at a time.
_CHUNK = 1 << 18
_MAX_EXACT_ENTRIES = 1 << 20
# Exact rows of a block of at most this many instances are computed together.
_SMALL_BLOCK = 256
# A table, the product it comes from, and the two factors of that.
_BYTES_PER_ENTRY = 4 * 8


class BlockTable:
    """The table of a block, in float64 and, row by row, in integers; the last block has one ``s'``.

    ``values[instance, s, s']`` have an account as in ``model/accounts.py``: they are ``trusted`` by row, with
    ``roundings``. Of ``total`` rows of all blocks, ``before`` come before those of this one.
    """

    def __init__(self, prepared: Prepared, block: Block, budget: Budget, before: int, total: int) -> None:
        self.block = block
        outer = [block.above, block.below or block.above]
        self._limit = min(MAX_TABLE_ENTRIES, budget.memory // _BYTES_PER_ENTRY)
        self._joint = _contraction(prepared, block.features, outer, self._limit)
        prior = prior_of(prepared, block.above)
        self._weights = [prior[1], prior[0]] if all(prior) else [1, 1]
        self._exact_rows: dict[int, Matrix] = {}
        count = 1 << len(block.features)
        self.values = np.empty((count, 2, 1 if block.below is None else 2))
        self.trusted = np.empty(count, dtype=bool)
        self.roundings = 0
        step = self._rows_at_once(min(count, _CHUNK), self._limit)
        for start in range(0, count, step):
            budget.progress((before + start) / total)
            self._fill(slice(start, min(start + step, count)))
        self.possible = self.values.any(axis=(1, 2)) | ~self.trusted
        self.all_trusted = bool(self.trusted.all())

    def _fill(self, rows: slice) -> None:
        """Compute rows in float64; their largest entry is about 1."""
        factor = self._joint.factor(self._states(np.arange(rows.start, rows.stop)), np.float64)
        values, wide = scaled(self._square(factor)[factor.pattern_of_row])
        largest = max(self._weights)
        weights = np.array([float(Fraction(weight, largest)) for weight in self._weights])
        self.values[rows], fits = scaled(values * weights[:, None])
        in_range = wide & fits & (weights.min() >= SMALLEST_SHARE)
        self.trusted[rows] = factor.trusted[factor.pattern_of_row] & in_range
        self.roundings = max(self.roundings, factor.account.roundings + 2)

    def exact(self, rows: list[int]) -> list[Matrix]:
        """Return rows of integers; those of a small block are computed together."""
        missing = [row for row in rows if row not in self._exact_rows]
        if missing and len(self.values) <= _SMALL_BLOCK:
            missing = list(range(len(self.values)))
        step = self._rows_at_once(len(missing), min(_MAX_EXACT_ENTRIES, self._limit)) if missing else 1
        for start in range(0, len(missing), step):
            some = missing[start : start + step]
            factor = self._joint.factor(self._states(np.array(some, dtype=np.intp)), np.dtype(object))
            values = self._square(factor) * np.array(self._weights, dtype=object)[:, None]
            self._exact_rows.update(zip(some, values[factor.pattern_of_row].tolist(), strict=True))
        return [self._exact_rows[row] for row in rows]

    def _rows_at_once(self, rows: int, limit: int) -> int:
        found = self._joint.rows_at_once(rows, limit)
        if not found:
            raise LimitExceeded(
                f"the table of a block needs 2^{ceil(log2(self._joint.largest_table()))} entries for one row "
                f"(limit 2^{ceil(log2(max(limit, 1)))}); raise memory_limit or use method='fast'"
            )
        return found

    def _states(self, numbers: Numbers) -> Numbers:
        """Return the states of the features, ``[instance, feature]``."""
        return numbers[:, None] >> np.arange(len(self.block.features) - 1, -1, -1) & 1

    def _square(self, factor: Factor) -> NDArray[Any]:
        """Return ``[pattern, s, s']``: a class that stays is a diagonal, the last block a column."""
        table, block = factor.table, self.block
        if block.below is None:
            return table.reshape(-1, 2, 1)
        if block.below == block.above:
            square = np.zeros((len(table), 2, 2), dtype=table.dtype)
            square[:, [0, 1], [0, 1]] = table
            return square
        return table if factor.scope[0] == self._joint.ids[block.above] else table.transpose(0, 2, 1)


def prior_of(prepared: Prepared, name: Name) -> list[int]:
    """Return ``P(name)`` as integers over a common denominator."""
    factor = _contraction(prepared, (), [name]).factor(np.zeros((1, 0), dtype=np.intp), np.dtype(object))
    prior: list[int] = factor.table[0].tolist()
    return prior


def _contraction(
    prepared: Prepared, features: tuple[Name, ...], kept: list[Name], max_entries: int = MAX_TABLE_ENTRIES
) -> Contraction:
    """Return the factor to be of some variables, for instances of some features."""
    network = prepared.network
    relevant = network.ancestors([*kept, *features])
    cpts = [network.cpt(name) for name in network.names if name in relevant]
    return Contraction(network, cpts, features, kept, max_entries)


def scaled(values: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return non-negative rows scaled by powers of two to a largest entry of about 1, and which are in range.

    Powers of two round nothing, except where an entry is too small for its row; such rows are not in range.
    """
    largest = values.max(axis=(1, 2))
    result = values * power_below(largest)[:, None, None]
    small = (result < SMALLEST_SHARE) & (values > 0)
    return result, np.logical_not(np.logical_or.reduce(small, axis=(1, 2)))
