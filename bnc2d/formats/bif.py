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
from collections.abc import Iterator
from itertools import chain
from math import prod

from bnc2d.base.readers.numbers import shorten
from bnc2d.errors import FormatError, UnsupportedError
from bnc2d.formats.files import decode
from bnc2d.formats.parsing.assemble import ParsedNetwork, ParsedTable, ParsedVariable, suggest
from bnc2d.formats.parsing.decimals import columns
from bnc2d.formats.parsing.source import Source
from bnc2d.formats.parsing.tokens import Scanner, language
from bnc2d.model.cpt import column_name
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

# A default takes a few bytes and may stand for any number of entries.
MAX_DEFAULT_ENTRIES = 2**20

_BIF = language(
    symbols="{}()[],;|", strings='[^"]*+', comment=r"//[^\n]*+ | /\*[\s\S]*?\*/", comments=("//", "/*")
)
# A whole row without quotes; one match instead of a dozen tokens.
_ROW = re.compile(r"""\(([^{}()\[\];|"]*+)\)([^{}()\[\];|"]*+);""")
# Quotes count in a property, comments do not: http://... would start one.
_PROPERTY = re.compile(r"""(?:[^;"]++|"[^"]*+")*+;""")
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
        self._opened = inside[0]
        self._where = f"the table of {child.name!r}"
        self._count = prod(len(parent) for parent in parents)
        self._rows: dict[int, list[str]] = {}
        self._lines: dict[str, list[str]] = {}  # what follows `table` and `default`

    def entries(self) -> list[str]:
        """Return the entries, the child's state varying fastest."""
        at = self._opened
        offsets = self._offsets()
        while self.kind != "end":
            if self.is_symbol("("):
                self._row(offsets)
            elif self.is_keyword("property"):
                skip_property(self)
            elif self.is_keyword("table") or self.is_keyword("default"):
                self._line(self.token)
            else:
                raise self.unexpected(f"a row, 'table', 'default' or 'property' in {self._where}")
        if "table" not in self._lines:
            return self._from_rows(at)
        if self._rows or "default" in self._lines:
            raise self.error(f"{self._where} mixes 'table' with rows", at)
        return self._from_table(self._lines["table"])

    def _line(self, keyword: str) -> None:
        at = self.at
        if keyword in self._lines:
            raise self.error(f"{self._where} has two {keyword!r} lines", at)
        numbers = self.words(";", f"after the numbers in {self._where}")
        self._lines[keyword] = numbers if keyword == "table" else self._column(numbers, at)
        self.advance()

    def _offsets(self) -> list[dict[str, int]]:
        """Return, for each parent, what its states add to the number of a row."""
        offsets: list[dict[str, int]] = []
        stride = 1
        for parent in reversed(self._parents):
            offsets.insert(0, {state: position * stride for position, state in enumerate(parent.states)})
            stride *= len(parent)
        return offsets

    def _row(self, offsets: list[dict[str, int]]) -> None:
        at = self.at
        match = _ROW.match(self.text, at, self._limit)
        if match is not None and not ("/" in match[0] and ("//" in match[0] or "/*" in match[0])):
            states, numbers = match[1].replace(",", " ").split(), match[2].replace(",", " ").split()
            self.end = match.end()
        else:
            states = self.words(")", f"after the states of a row in {self._where}")
            numbers = self.words(";", f"after a row in {self._where}")
        if len(states) != len(offsets):
            raise self.error(
                f"this row of {self._child.name!r} names {len(states)} states for {len(offsets)} parents", at
            )
        try:
            index = sum([offset[state] for offset, state in zip(offsets, states, strict=True)])
        except KeyError:
            raise self._unknown_state(states, at) from None
        if index in self._rows:
            raise self.error(f"{column_name(self._child, self._parents, index)} has two rows", at)
        self._rows[index] = self._column(numbers, at)
        self.advance()

    def _column(self, numbers: list[str], at: int) -> list[str]:
        if len(numbers) != len(self._child):
            message = (
                f"this row of {self._child.name!r} has {len(numbers)} numbers for {len(self._child)} states"
            )
            raise self.error(message, at)
        return numbers

    def _unknown_state(self, states: list[str], at: int) -> FormatError:
        pairs = zip(self._parents, states, strict=True)
        parent, state = next((parent, state) for parent, state in pairs if state not in parent.states)
        hint = suggest(state, parent.states)
        return self.error(f"variable {parent.name!r} has no state {shorten(state)!r}{hint}", at)

    def _from_rows(self, at: int) -> list[str]:
        rows, count = self._rows, self._count
        if len(rows) == count:
            return list(chain.from_iterable(rows[index] for index in range(count)))
        if "default" not in self._lines:
            first = next(index for index in range(count) if index not in rows)
            missing = column_name(self._child, self._parents, first)
            message = f"{self._where} has {len(rows)} of {count} rows and no default; {missing} is missing"
            raise self.error(message, at)
        self._reader.defaults_left -= (count - len(rows)) * len(self._child)
        if self._reader.defaults_left < 0:
            message = (
                f"with {self._where} 'default' stands for more than {MAX_DEFAULT_ENTRIES} entries, the limit"
            )
            raise self.error(message, at)
        default = self._lines["default"]
        return list(chain.from_iterable(rows.get(index, default) for index in range(count)))

    def _from_table(self, table: list[str]) -> list[str]:
        """Return the entries of ``table``, where the child's state varies slowest."""
        if self._count == 1 or len(table) != self._count * len(self._child):
            return table
        return list(chain.from_iterable(table[column :: self._count] for column in range(self._count)))


def skip_property(scanner: Scanner) -> None:
    """Move over a property, up to its semicolon outside quotes."""
    match = _PROPERTY.match(scanner.text, scanner.at)
    if match is None:
        raise scanner.source.error("a property without ';'", scanner.at)
    scanner.end = match.end()
    scanner.advance()


class _Reader(Scanner):
    def __init__(self, source: Source) -> None:
        super().__init__(source, _BIF)
        self.defaults_left = MAX_DEFAULT_ENTRIES  # over the whole file

    def network(self) -> ParsedNetwork:
        parsed = ParsedNetwork(self.source, "", [], [])
        named = False
        while self.kind != "end":
            at, keyword = self.at, self.token if self.kind == "name" else ""
            if keyword == "variable":
                self.advance()
                parsed.declare(self._variable(at))
            elif keyword == "probability":
                self.advance()
                parsed.tables.append(self._probability(at))
            elif keyword == "network" and not named:
                named = True
                parsed.name = self._header()
            else:
                raise self.unexpected("a 'variable' or 'probability' block")
        return parsed

    def _header(self) -> str:
        name = " ".join(self.words("{", "after the network's name"))
        self.advance()
        while not self.accept("}"):
            self._property("the network block")
        return name

    def _property(self, where: str) -> None:
        if not self.is_keyword("property"):
            raise self.unexpected(f"'property' or '}}' in {where}")
        skip_property(self)

    def _variable(self, at: int) -> ParsedVariable:
        name = self.name("a variable's name")
        where = f"the block of variable {shorten(name)!r}"
        self.expect("{", f"to open {where}")
        states: list[str] | None = None
        while not self.accept("}"):
            if not self.is_keyword("type"):
                self._property(where)
            elif states is None:
                states = self._type(name)
            else:
                raise self.error(f"variable {shorten(name)!r} has two types", self.at)
        if states is None:
            raise self.error(f"variable {shorten(name)!r} has no type", at)
        return ParsedVariable(name, states, at)

    def _type(self, variable: str) -> list[str]:
        at = self.at
        self.advance()
        kind = self.name("a type")
        if kind != "discrete":
            message = (
                f"variable {shorten(variable)!r} has type {shorten(kind)!r}; only discrete ones are supported"
            )
            raise self.unsupported(message, at)
        claimed = ""
        if self.accept("["):
            claimed = self.name("the number of states")
            if not _COUNT.fullmatch(claimed):
                raise self.error(f"{shorten(claimed)!r} is not a number of states", at)
            self.expect("]", "after the number of states")
        if not self.is_symbol("{"):
            raise self.unexpected("'{' before the states")
        states = self.words("}", "after the states")
        self.advance()
        self.accept(";")
        if claimed and int(claimed) != len(states):
            message = (
                f"variable {shorten(variable)!r} is declared with {claimed} states and lists {len(states)}"
            )
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
        for row, line in zip(_instances([states[parent] for parent in cpt.parents]), lines, strict=True):
            yield f"  ({row}) {', '.join(line)};\n"
        yield "}\n"


def _instances(states: list[list[str]]) -> Iterator[str]:
    """Yield the parents' instances as texts, the last parent varying fastest."""
    for index in range(prod(map(len, states))):
        picked = []
        for listed in reversed(states):
            index, state = divmod(index, len(listed))
            picked.append(listed[state])
        yield ", ".join(reversed(picked))


def _quoted(name: str, path: str) -> str:
    if _BARE.fullmatch(name) and "//" not in name and "/*" not in name:
        return name
    if '"' in name or "\n" in name or "\r" in name:
        raise UnsupportedError(
            f"BIF has no way to write the name {shorten(name)!r} (a quote or a newline)", path
        )
    return f'"{name}"'
