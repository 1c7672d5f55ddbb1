"""UAI, the format of the UAI inference competitions, for Bayesian networks (``BAYES``).

Bare numbers: the variables' numbers of states; one scope per table, parents first and the child last; the
tables, the child varying fastest. There are no names: variable 3 is ``var_3``, its states ``0``, ``1``, ...
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod

from bnc2d.base.readers.numbers import shorten
from bnc2d.formats.files import decode
from bnc2d.formats.parsing.assemble import MAX_PARENTS, MAX_VARIABLES, ParsedNetwork, ParsedTable
from bnc2d.formats.parsing.decimals import columns
from bnc2d.formats.parsing.source import WordSource
from bnc2d.model.network import BayesianNetwork

_CARDINALITIES_AT = 2  # after BAYES and the number of variables
_WHOLE = re.compile(r"[0-9]{1,18}")


def parse(data: bytes, path: str) -> ParsedNetwork:
    """Return what a UAI file says, with names made from the positions."""
    return _Reader(WordSource(path, decode(data, path))).network()


class _Reader:
    """The words of the file and the number of the next one.

    No size that the file claims is trusted before the words left have been counted.
    """

    def __init__(self, source: WordSource) -> None:
        self.source, self.error = source, source.error
        self.words = source.text.split()
        self.next = 0

    def network(self) -> ParsedNetwork:
        kind = self.words[0] if self.words else ""
        if kind != "BAYES":
            message = f"the file starts with {shorten(kind)!r}; only Bayesian networks (BAYES) are supported"
            raise self.source.unsupported(message, 0)
        self.next = 1
        count = self._count("variables")
        if count > MAX_VARIABLES:
            raise self.error(f"more than {MAX_VARIABLES} variables, the limit", 1)
        cardinalities = self._wholes(count, "a number of states")
        if 0 in cardinalities:
            index = cardinalities.index(0)
            raise self.error(f"variable {index} has no states", _CARDINALITIES_AT + index)
        scopes = self._scopes(len(cardinalities))
        tables = [self._table(scope, at, cardinalities) for scope, at in scopes]
        if self.next < len(self.words):
            extra = shorten(self.words[self.next])
            raise self.error(f"the last table ends before {extra!r}; nothing may follow it", self.next)
        parsed = ParsedNetwork(self.source)
        parsed.tables = tables
        for index, count in enumerate(cardinalities):
            parsed.declare(f"var_{index}", [str(state) for state in range(count)], _CARDINALITIES_AT + index)
        return parsed

    def _count(self, what: str) -> int:
        """Return the next whole number after checking that this many words can follow."""
        at = self.next
        if at >= len(self.words):
            raise self.error(f"the file ends before the number of {what}", at)
        (count,) = self._wholes(1, f"the number of {what}")
        left = len(self.words) - self.next
        if count > left:
            raise self.error(f"{count} {what} cannot follow: the file has {left} more words", at)
        return count

    def _wholes(self, count: int, what: str) -> list[int]:
        """Return the next ``count`` words, which are known to exist, as whole numbers."""
        found = self.words[self.next : self.next + count]
        for at, word in enumerate(found, self.next):
            if not _WHOLE.fullmatch(word):
                raise self.error(f"expected {what}, a whole number, but found {shorten(word)!r}", at)
        self.next += count
        return [int(word) for word in found]

    def _scopes(self, variables: int) -> list[tuple[list[int], int]]:
        at = self.next
        tables = self._count("tables")
        if tables != variables:
            raise self.error(f"{tables} tables for {variables} variables; each variable needs one", at)
        scopes = []
        for number in range(tables):
            at = self.next
            what = f"variables of table {number}"
            count = self._count(what)
            if not count:
                raise self.error(f"table {number} has no variables", at)
            if count > MAX_PARENTS + 1:
                raise self.error(f"table {number} has more than {MAX_PARENTS} parents, the limit", at)
            scope = self._wholes(count, f"one of the {what}")
            if max(scope) >= variables:
                message = f"table {number} names variable {max(scope)}; the last one is {variables - 1}"
                raise self.error(message, at)
            scopes.append((scope, at))
        return scopes

    def _table(self, scope: list[int], at: int, cardinalities: list[int]) -> ParsedTable:
        child, parents = f"var_{scope[-1]}", [f"var_{index}" for index in scope[:-1]]
        claim_at = self.next
        claimed = self._count(f"entries of the table of {child!r}")
        size = prod(cardinalities[index] for index in scope)
        if size != claimed:
            expected = "more than the file has words" if size > len(self.words) else str(size)
            message = f"the table of {child!r} claims {claimed} entries; its variables need {expected}"
            raise self.error(message, claim_at)
        data_at = self.next
        self.next += claimed
        return ParsedTable(child, parents, self.words[data_at : self.next], at, data_at)


def render(net: BayesianNetwork, path: str) -> Iterator[str]:
    """Yield the network as UAI; names are lost, positions are kept."""
    yield f"BAYES\n{len(net)}\n{' '.join(str(len(variable)) for variable in net.variables)}\n{len(net)}\n"
    for cpt in net.cpts:
        yield f"{len(cpt.scope)} {' '.join(str(net.index(variable)) for variable in cpt.scope)}\n"
    for cpt in net.cpts:
        yield f"\n{cpt.exact.size}\n"
        for column in columns(cpt, path):
            yield f" {' '.join(column)}\n"
