"""BIF, the Interchange Format for Bayesian networks (version 0.15), as JavaBayes, bnlearn and pgmpy write it.

A table is given by rows, ``(s1, s2) 0.1, 0.9;`` with the parents' states in the order of the header, and
``default 0.5, 0.5;`` for the rows left out; or in one go by ``table``, where the child's state varies
SLOWEST and the last parent's fastest: first P(x1 | every parent instance), then P(x2 | ...). That is
what JavaBayes and pgmpy read; for a variable without parents the question does not arise.

Names are any run of characters but whitespace and ``{}()[],;|"``, or quoted. Comments start where a token
could, so ``Asy/Patch`` and ``http://x`` are names. Properties are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain, product
from math import prod

from bnc2d.base.readers.numbers import shorten
from bnc2d.errors import UnsupportedError
from bnc2d.formats.files import decode
from bnc2d.formats.parsing.assemble import ParsedNetwork, ParsedTable, suggest
from bnc2d.formats.parsing.decimals import columns
from bnc2d.formats.parsing.source import Source
from bnc2d.formats.parsing.tokens import NONE, Language, Scanner
from bnc2d.model.cpt import column_name
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

# A default takes a few bytes and may stand for any number of entries.
MAX_DEFAULT_ENTRIES = 2**20

_BIF = Language(
    symbols="{}()[],;|", strings='[^"]*+', comment=r"//[^\n]*+ | /\*[\s\S]*?\*/", comments=("//", "/*")
)
# A whole row without quotes; one match instead of a dozen tokens.
_ROW = re.compile(r"""\(([^{}()\[\];|"]*+)\)([^{}()\[\];|"]*+);""")
# Quotes count in a property, comments do not: http://... would start one.
_PROPERTY = re.compile(rf"""(?:[^;"]++|"[^"]*+"|{NONE})*+;""")
_UNENDED = "a property without ';'"
_COUNT = re.compile(r"[0-9]{1,9}")
_BARE = re.compile(r"""[^\s{}()\[\],;|"]+""")


def parse(data: bytes, path: str) -> ParsedNetwork:
    """Return what a BIF file says; the checks across blocks come later."""
    return _Reader(Source(path, decode(data, path))).network()


class _Table(Scanner):
    """The inside of a probability block, read once the states of its variables are known."""

    def __init__(
        self, reader: _Reader, inside: tuple[int, int], child: Variable, parents: tuple[Variable, ...]
    ) -> None:
        super().__init__(reader.source, _BIF, *inside)
        self._reader = reader
        self._child, self._parents = child, parents
        self._states = [frozenset(parent.states) for parent in parents]
        self._where = f"the table of {child.name!r}"
        self._rows: dict[tuple[str, ...], list[str]] = {}  # by the parents' states
        self._lines: dict[str, list[str]] = {}  # what follows `table` and `default`
        self._opened = inside[0]

    def entries(self) -> list[str]:
        """Return the entries, the child's state varying fastest."""
        while self.kind != "end":
            if self.is_symbol("("):
                self._row()
            elif self.is_keyword("property"):
                self.skip(_PROPERTY, self.at, _UNENDED)
            elif self.is_keyword("table") or self.is_keyword("default"):
                self._line(self.token)
            else:
                raise self.unexpected(f"a row, 'table', 'default' or 'property' in {self._where}")
        if "table" not in self._lines:
            return self._from_rows()
        if self._rows or "default" in self._lines:
            raise self.error(f"{self._where} mixes 'table' with rows", self._opened)
        table, count = self._lines["table"], prod(map(len, self._parents))
        if len(table) != count * len(self._child):
            return table
        return list(chain.from_iterable(table[column::count] for column in range(count)))

    def _line(self, keyword: str) -> None:
        at = self.at
        if keyword in self._lines:
            raise self.error(f"{self._where} has two {keyword!r} lines", at)
        numbers = self.words(";", f"after the numbers in {self._where}")
        self._lines[keyword] = numbers if keyword == "table" else self._column(numbers, at)
        self.advance()

    def _row(self) -> None:
        at = self.at
        match = _ROW.match(self.text, at, self._limit)
        if match is not None and not ("/" in match[0] and ("//" in match[0] or "/*" in match[0])):
            states, numbers = match[1].replace(",", " ").split(), match[2].replace(",", " ").split()
            self.end = match.end()
        else:
            states = self.words(")", f"after the states of a row in {self._where}")
            numbers = self.words(";", f"after a row in {self._where}")
        if len(states) != len(self._parents):
            counts = f"{len(states)} states for {len(self._parents)} parents"
            raise self.error(f"this row of {self._child.name!r} names {counts}", at)
        for parent, known, state in zip(self._parents, self._states, states, strict=True):
            if state not in known:
                hint = suggest(state, parent.states)
                raise self.error(f"variable {parent.name!r} has no state {shorten(state)!r}{hint}", at)
        row = tuple(states)
        if row in self._rows:
            raise self.error(f"{self._name_of(row.__eq__)} has two rows", at)
        self._rows[row] = self._column(numbers, at)
        self.advance()

    def _column(self, numbers: list[str], at: int) -> list[str]:
        if len(numbers) != len(self._child):
            counts = f"{len(numbers)} numbers for {len(self._child)} states"
            raise self.error(f"this row of {self._child.name!r} has {counts}", at)
        return numbers

    def _all_rows(self) -> Iterator[tuple[str, ...]]:
        """Yield the parents' instances, the last parent varying fastest."""
        return product(*(parent.states for parent in self._parents))

    def _name_of(self, wanted: Callable[[tuple[str, ...]], bool]) -> str:
        """Return the name of the first column whose row is wanted."""
        index = next(index for index, row in enumerate(self._all_rows()) if wanted(row))
        return column_name(self._child, self._parents, index)

    def _from_rows(self) -> list[str]:
        rows, count = self._rows, prod(map(len, self._parents))
        if len(rows) < count and "default" not in self._lines:
            missing = self._name_of(lambda row: row not in rows)
            message = f"{self._where} has {len(rows)} of {count} rows and no default; {missing} is missing"
            raise self.error(message, self._opened)
        self._reader.defaults_left -= (count - len(rows)) * len(self._child)
        if self._reader.defaults_left < 0:
            more = f"'default' stands for more than {MAX_DEFAULT_ENTRIES} entries, the limit"
            raise self.error(f"with {self._where} {more}", self._opened)
        default = self._lines.get("default", [])
        return list(chain.from_iterable(rows.get(row, default) for row in self._all_rows()))


class _Reader(Scanner):
    def __init__(self, source: Source) -> None:
        super().__init__(source, _BIF)
        self.defaults_left = MAX_DEFAULT_ENTRIES  # over the whole file

    def network(self) -> ParsedNetwork:
        parsed = ParsedNetwork(self.source)
        named = False
        while self.kind != "end":
            at = self.at
            if self.is_keyword("variable"):
                self.advance()
                parsed.declare(*self._variable(at), at)
            elif self.is_keyword("probability"):
                self.advance()
                parsed.tables.append(self._probability(at))
            elif self.is_keyword("network") and not named:
                named = True
                parsed.name = " ".join(self.words("{", "after the network's name"))
                self.advance()
                while not self.accept("}"):
                    self._property("the network block")
            else:
                raise self.unexpected("a 'variable' or 'probability' block")
        return parsed

    def _property(self, where: str) -> None:
        if not self.is_keyword("property"):
            raise self.unexpected(f"'property' or '}}' in {where}")
        self.skip(_PROPERTY, self.at, _UNENDED)

    def _variable(self, at: int) -> tuple[str, list[str]]:
        name = self.name("a variable's name")
        variable = f"variable {shorten(name)!r}"
        self.expect("{", f"to open the block of {variable}")
        states: list[str] | None = None
        while not self.accept("}"):
            if not self.is_keyword("type"):
                self._property(f"the block of {variable}")
            elif states is None:
                states = self._type(variable)
            else:
                raise self.error(f"{variable} has two types", self.at)
        if states is None:
            raise self.error(f"{variable} has no type", at)
        return name, states

    def _type(self, variable: str) -> list[str]:
        at = self.at
        self.advance()
        kind = self.name("a type")
        if kind != "discrete":
            message = f"{variable} has type {shorten(kind)!r}; only discrete ones are supported"
            raise self.unsupported(message, at)
        claimed = ""
        if self.accept("["):
            claimed = self.name("the number of states")
            if not _COUNT.fullmatch(claimed):
                raise self.error(f"{shorten(claimed)!r} is not a number of states", at)
            self.expect("]", "after the number of states")
        states = self.listed("{", "}", "the states")
        self.accept(";")
        if claimed and int(claimed) != len(states):
            message = f"{variable} is declared with {claimed} states and lists {len(states)}"
            raise self.error(message, at)
        return states

    def _probability(self, at: int) -> ParsedTable:
        start = self.at
        names, children = self.scope("probability", "variable")
        if children not in (None, 1):
            raise self.unsupported("only tables of one child given its parents are supported", start)
        if not names:
            raise self.error("a probability block without a variable", start)
        child, *parents = names
        inside = self.skip_block(f"the table of {shorten(child)!r}")

        def entries(variable: Variable, given: tuple[Variable, ...]) -> list[str]:
            return _Table(self, inside, variable, given).entries()

        return ParsedTable(child, parents, entries, at, inside[0])


def render(net: BayesianNetwork, path: str) -> Iterator[str]:
    """Yield the network as BIF; the same network always gives the same pieces."""
    yield f"network {_quoted(net.name, path) if net.name else 'unknown'} {{\n}}\n"
    names = {variable: _quoted(variable.name, path) for variable in net.variables}
    states = {variable: [_quoted(state, path) for state in variable.states] for variable in net.variables}
    for variable in net.variables:
        listed = ", ".join(states[variable])
        yield f"variable {names[variable]} {{\n  type discrete [ {len(variable)} ] {{ {listed} }};\n}}\n"
    for cpt in net.cpts:
        lines = columns(cpt, path)
        if not cpt.parents:
            yield f"probability ( {names[cpt.child]} ) {{\n  table {', '.join(next(lines))};\n}}\n"
            continue
        given = ", ".join(names[parent] for parent in cpt.parents)
        yield f"probability ( {names[cpt.child]} | {given} ) {{\n"
        for row, line in zip(product(*(states[parent] for parent in cpt.parents)), lines, strict=True):
            yield f"  ({', '.join(row)}) {', '.join(line)};\n"
        yield "}\n"


def _quoted(name: str, path: str) -> str:
    if _BARE.fullmatch(name) and "//" not in name and "/*" not in name:
        return name
    if '"' in name or "\n" in name or "\r" in name:
        raise UnsupportedError(
            f"BIF has no way to write the name {shorten(name)!r} (a quote or a newline)", path
        )
    return f'"{name}"'
