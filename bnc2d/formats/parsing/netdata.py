"""The numbers of a Hugin NET potential and the parentheses around them."""

from __future__ import annotations

import re
from math import prod

from bnc2d.errors import FormatError
from bnc2d.formats.parsing.source import Source
from bnc2d.model.variable import Variable

MAX_DEPTH = 200
_PIECE = re.compile(r"[()]|(?:%[^\n]*+\s*+)++|[^()%]++")


class NestedData:
    """The numbers between ``start`` and ``end`` of a source, read once the shape of the table is known.

    Full nesting has one level of parentheses per variable, and every group has the length of its axis. With
    fewer levels (but more than one) only the innermost groups, the columns, have a length to check; a
    flat list has none. Raises ``FormatError`` for groups of another length, and for parentheses that do
    not match, are empty, nested too deep or to unequal depths.
    """

    def __init__(self, source: Source, where: str, start: int, end: int) -> None:
        self._source = source
        self._where = where
        self.at = start
        self._end = end
        self._numbers: list[str] = []
        self._depth = 0  # of the numbers; 0 before the first
        self._open: list[tuple[int, int]] = []  # for each open group, its items so far and where it opens

    def entries(self, child: Variable, parents: tuple[Variable, ...]) -> list[str]:
        """Return the numbers in order."""
        sizes = [len(variable) for variable in (*parents, child)]
        size = prod(sizes)
        for match in _PIECE.finditer(self._source.text, self.at, self._end):
            piece, at = match[0], match.start()
            if piece == "(":
                self._opened(at)
            elif piece == ")":
                self._closed(sizes, at)
            elif piece[0] != "%" and (words := piece.replace(",", " ").split()):
                self._add(words, at)
                if len(self._numbers) > size:
                    raise self._error(f"more than the {size} numbers that the table needs", at)
        if self._open:
            raise self._error("a '(' that is never closed", self._open[-1][1])
        if not self._numbers:
            raise self._error("no numbers in parentheses", self.at)
        return self._numbers

    def _opened(self, at: int) -> None:
        if self._numbers and not self._open:
            raise self._error("a second list after the first", at)
        if len(self._open) == MAX_DEPTH:
            raise self._error(f"parentheses nested more than {MAX_DEPTH} deep", at)
        self._open.append((0, at))

    def _closed(self, sizes: list[int], at: int) -> None:
        if not self._open:
            raise self._error("a ')' too many", at)
        depth = len(self._open)
        items, opened = self._open.pop()
        if items == 0:
            raise self._error("an empty pair of parentheses", opened)
        full = self._depth == len(sizes)
        if self._depth > 1 and (full or depth == self._depth):
            wanted = sizes[depth - 1 if full else -1]
            if items != wanted:
                raise self._error(f"a group of {items} where the shape of the table needs {wanted}", opened)
        if self._open:
            outer, outer_at = self._open[-1]
            self._open[-1] = (outer + 1, outer_at)

    def _add(self, words: list[str], at: int) -> None:
        depth = len(self._open)
        if depth == 0:
            raise self._error("something outside the parentheses", at)
        if self._depth not in (0, depth):
            raise self._error("numbers at unequal depths of parentheses", at)
        items, opened = self._open[-1]
        self._open[-1] = (items + len(words), opened)
        self._depth = depth
        self._numbers.extend(words)

    def _error(self, what: str, at: int) -> FormatError:
        return self._source.error(f"'data' in {self._where} has {what}", at)
