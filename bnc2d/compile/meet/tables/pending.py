"""Tables that wait: a large product is made when it is needed, some columns at a time.

A product with a factor of few patterns, variables summed out, makes a few columns of the result from each
column of the other operand. A chain of such products needs no whole table but the last: some columns go
through all of them, and the others follow in the same memory. What lies between is often larger than the
result, and new memory costs more than what is computed in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from bnc2d.base.arrays import take, take_columns
from bnc2d.base.checkpoints import pieces
from bnc2d.base.records import record
from bnc2d.base.workers import spread
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor, with_merged_patterns
from bnc2d.compile.meet.tables.gathered_sums import GatheredSums, Integers, Table
from bnc2d.compile.meet.tables.proportional import SAME_ROUNDINGS, merge_patterns

# Entries of the largest table on the way that are made at a time, and the least columns of the right operand:
# with fewer, products of matrices are slow. These may take more entries, but no more than the last number.
_ENTRIES = 1 << 21
_LEAST_COLUMNS = 128
_MOST_ENTRIES = 1 << 24
# So many parts have memory at a time, where there are threads.
_AT_ONCE = 2


def shape_alone(groups: int, patterns: int) -> Table:
    """Return a table of zeros that takes no memory."""
    return np.broadcast_to(np.float64(0.0), (groups, patterns))


@record
class Pending:
    """A product of two tables, and products of that with further tables of few patterns.

    The ``outline`` is the factor before any patterns are merged; of its table only the shape is meant.
    """

    outline: CompressedFactor
    left: Table
    right: Table
    sums: GatheredSums
    steps: tuple[tuple[Table, GatheredSums], ...] = ()

    def then(self, left: Table, sums: GatheredSums, outline: CompressedFactor) -> Pending:
        """Return the product with another table."""
        return Pending(outline, self.left, self.right, self.sums, (*self.steps, (left, sums)))

    def made(self) -> CompressedFactor:
        """Return the factor with its table, proportional patterns as one."""
        if not self.steps:
            return with_merged_patterns(replace(self.outline, table=self.sums.table(self.left, self.right)))
        columns = list(pieces(self.right.shape[1], self._width))
        if len(columns) == 1:
            memory = [np.empty(size * self._width) for size in self._sizes]
            table, number, merged = self._block(columns[0], memory)
            return self._assembled(table, columns, [number], len(merged))
        numbers: list[Integers] = [np.zeros(0, dtype=np.intp)] * len(columns)
        merged_at: set[int] = set()  # steps before which some patterns were one
        table = np.empty(tuple(self.outline.table.shape))
        pairs = table.shape[1] // self.right.shape[1]  # columns of the result for one of the right operand
        free: list[list[Table]] = []  # memory for products

        def parts() -> Iterator[tuple[int, list[Table]]]:
            """Yield parts with memory, which is kept as it was not a thread that asked for it."""
            for part in range(len(columns)):
                yield part, free.pop() if free else [np.empty(size * self._width) for size in self._sizes]

        def fill(one: tuple[int, list[Table]]) -> None:
            part, memory = one
            block, numbers[part], merged = self._block(columns[part], memory)
            merged_at.update(merged)
            start = pairs * columns[part].start
            table[:, start : start + block.shape[1]] = block
            free.append(memory)

        for _ in spread(fill, parts(), _AT_ONCE):
            pass
        return self._assembled(table, columns, numbers, len(merged_at))

    @property
    def _sizes(self) -> list[int]:
        """The entries of each product, for one column of the right operand."""
        patterns = int(self.left.shape[1])
        sizes = [self.sums.groups * patterns]
        for left, sums in self.steps:
            patterns *= left.shape[1]
            sizes.append(sums.groups * patterns)
        return sizes

    @property
    def _width(self) -> int:
        """The number of columns of the right operand that are made at a time."""
        largest = max(self._sizes)
        least = min(_LEAST_COLUMNS, _MOST_ENTRIES // largest)
        return min(int(self.right.shape[1]), max(1, least, _ENTRIES // largest))

    def _block(self, columns: slice, memory: list[Table]) -> tuple[Table, Integers, list[int]]:
        """Return the result for some columns of the right operand, where proportional ones may be one.

        Also returns which of its columns each tuple of patterns has, and the steps before which some merged.
        """
        table = self.sums.table(self.left, np.ascontiguousarray(self.right[:, columns]), memory[0])
        number = np.arange(table.shape[1])
        merged_at = []
        for step, (out, (left, sums)) in enumerate(zip(memory[1:], self.steps, strict=True)):
            merged = merge_patterns(table)
            if merged is not None:
                table, number = take_columns(table, merged.chosen), take(merged.number, number)
                merged_at.append(step)
            number = (np.arange(left.shape[1])[:, None] * table.shape[1] + number).reshape(-1)
            table = sums.table(left, table, out)
        return table, number, merged_at

    def _assembled(
        self, table: Table, columns: list[slice], numbers: list[Integers], merges: int
    ) -> CompressedFactor:
        """Return the factor, given the blocks in their places and how many steps merged patterns.

        A single block may have fewer columns than the whole.
        """
        pairs = self.outline.patterns // self.right.shape[1]
        number = np.empty((pairs, self.right.shape[1]), dtype=np.intp)
        count = 0
        chosen = []
        for some, its in zip(columns, numbers, strict=True):
            kept = int(its.max()) + 1
            number[:, some] = its.reshape(pairs, -1) + count
            chosen.append(np.arange(pairs * some.start, pairs * some.start + kept))
            count += kept
        if count < table.shape[1]:
            table = take_columns(table, np.concatenate(chosen))
        account = self.outline.account
        factor = replace(
            self.outline,
            table=table,
            pattern_of_row=take(number.reshape(-1), self.outline.pattern_of_row),
            account=replace(account, roundings=account.roundings + merges * SAME_ROUNDINGS),
        )
        return with_merged_patterns(factor)
