r"""Hugin NET: discrete chance nodes and their potentials.

``data`` lists the entries with the child's state varying fastest and the last parent's next, flat or in
nested parentheses, which then have to fit the table's shape. ``%`` starts a comment, strings know ``\"``
and ``\\``. Attributes that bnc2d has no use for are skipped, as are experience and fading tables.

Node names have to be C identifiers; a name that is none gets one made for it, and the true name goes into
the attribute ``bnc2d_name``, from which this reader restores it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from math import prod
from operator import mul

from bnc2d.base.readers.numbers import shorten
from bnc2d.errors import FormatError
from bnc2d.formats.files import decode
from bnc2d.formats.parsing.assemble import ParsedNetwork, ParsedTable
from bnc2d.formats.parsing.decimals import columns
from bnc2d.formats.parsing.identifiers import identifiers
from bnc2d.formats.parsing.source import Source
from bnc2d.formats.parsing.tokens import NONE, Language, Scanner
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

_STRING = r'(?:[^"\\]++|\\[\s\S])*+'
# The value of an attribute: strings, numbers, expressions; its end is a semicolon.
_VALUE = re.compile(rf"""(?:[^;{{}}"%]++|"{_STRING}"|%[^\n]*+|{NONE})*+""")
_DATA = re.compile(r"(?:[^;%]++|%[^\n]*+)*+;")
_NET = Language(symbols="{}()[],;|=", strings=_STRING, comment=r"%[^\n]*+", escapes=True)
_PIECE = re.compile(r"[()]|(?:%[^\n]*+\s*+)++|[^()%]++")  # of the data
_MAX_DEPTH = 200
_TRUE_NAME = "bnc2d_name"
_REFUSED_NODES = ("continuous", "decision", "utility", "function", "temporal", "interval")
_REFUSED_DATA = ("model_nodes", "model_data")
_OTHER_KEYWORDS = ("net", "class", "node", "potential", "discrete", "instance", "states", "data", "label")
_KEYWORDS = frozenset((*_OTHER_KEYWORDS, *_REFUSED_NODES))


def parse(data: bytes, path: str) -> ParsedNetwork:
    """Return what a NET file says."""
    return _Reader(Source(path, decode(data, path))).network()


class _NestedData:
    """The numbers between ``start`` and ``end`` of a source, read once the shape of the table is known.

    Full nesting has one level of parentheses per variable, and every group has the length of its axis. With
    fewer levels (but more than one) only the innermost groups, the columns, have a length to check; a
    flat list has none. Raises ``FormatError`` for groups of another length, and for parentheses that do
    not match, are empty, nested too deep or to unequal depths.
    """

    def __init__(self, source: Source, where: str, start: int, end: int) -> None:
        self._source, self._where = source, where
        self.at, self._end = start, end

    def entries(self, child: Variable, parents: tuple[Variable, ...]) -> list[str]:
        """Return the numbers in order."""
        sizes = [len(variable) for variable in (*parents, child)]
        size = prod(sizes)
        numbers: list[str] = []
        level = 0  # the depth of the numbers; 0 before the first
        groups: list[list[int]] = []  # for each that is open, where it opens and its items so far
        for match in _PIECE.finditer(self._source.text, self.at, self._end):
            piece, at, depth = match[0], match.start(), len(groups)
            if piece == "(":
                if numbers and not groups:
                    raise self._error("a second list after the first", at)
                if depth == _MAX_DEPTH:
                    raise self._error(f"parentheses nested more than {_MAX_DEPTH} deep", at)
                groups.append([at, 0])
            elif piece == ")":
                if not groups:
                    raise self._error("a ')' too many", at)
                opened, items = groups.pop()
                if items == 0:
                    raise self._error("an empty pair of parentheses", opened)
                wanted = sizes[depth - 1 if level == len(sizes) else -1]
                if items != wanted and level > 1 and level in (depth, len(sizes)):
                    what = f"a group of {items} where the shape of the table needs {wanted}"
                    raise self._error(what, opened)
                if groups:
                    groups[-1][1] += 1
            elif piece[0] != "%" and (words := piece.replace(",", " ").split()):
                if not groups:
                    raise self._error("something outside the parentheses", at)
                if level not in (0, depth):
                    raise self._error("numbers at unequal depths of parentheses", at)
                level = depth
                groups[-1][1] += len(words)
                numbers += words
                if len(numbers) > size:
                    raise self._error(f"more than the {size} numbers that the table needs", at)
        if groups:
            raise self._error("a '(' that is never closed", groups[-1][0])
        if not numbers:
            raise self._error("no numbers in parentheses", self.at)
        return numbers

    def _error(self, what: str, at: int) -> FormatError:
        return self._source.error(f"'data' in {self._where} has {what}", at)


class _Reader(Scanner):
    def __init__(self, source: Source) -> None:
        super().__init__(source, _NET)
        self._parsed = ParsedNetwork(source)

    def network(self) -> ParsedNetwork:
        while self.kind != "end":
            self._block(top=True)
        for table in self._parsed.tables:
            for identifier in (table.child, *table.parents):
                self._parsed.known(identifier, "potential of the unknown node", table.at)
        return self._parsed

    def _block(self, *, top: bool) -> None:
        """Read a net, class, node or potential; inside a class also an attribute."""
        at, word = self.at, self.name("'node' or 'potential'")
        if not top and self.is_symbol("="):
            self._skip_attribute(word)
        elif word == "net" and top:
            self._net()
        elif word == "class" and top:
            self._class()
        elif word in ("discrete", "node"):
            if word == "discrete" and self.name("'node' after 'discrete'") != "node":
                raise self.error("expected 'node' after 'discrete'", at)
            self._node(at)
        elif word == "potential":
            self._potential(at)
        elif word in (*_REFUSED_NODES, "instance"):
            if self.is_keyword("node"):
                self.advance()
            message = f"{word} node {shorten(self.token)!r}; only discrete nodes are supported"
            raise self.unsupported(message, at)
        else:
            raise self.error(f"expected 'node' or 'potential', but found {shorten(word)!r}", at)

    def _net(self) -> None:
        self.expect("{", "after 'net'")
        while not self.accept("}"):
            attribute = self.name("an attribute or '}' in the net block")
            if attribute == "name" and self.is_symbol("="):
                self._parsed.name = self._text("name")
            else:
                self._skip_attribute(attribute)

    def _class(self) -> None:
        self._parsed.name = self.name("the name of the class")
        self.expect("{", "after the name of the class")
        while not self.accept("}"):
            self._block(top=False)

    def _node(self, at: int) -> None:
        identifier = self.name("a node's name")
        where = f"the block of node {shorten(identifier)!r}"
        self.expect("{", f"to open {where}")
        name, states = identifier, None
        while not self.accept("}"):
            attribute = self.name(f"an attribute or '}}' in {where}")
            if attribute == "states":
                self.expect("=", "after 'states'")
                states = self.listed("(", ")", f"the states in {where}")
                self.expect(";", f"after the states in {where}")
            elif attribute == _TRUE_NAME:
                name = self._text(attribute)
            else:
                self._skip_attribute(attribute)
        if states is None:
            raise self.error(f"node {shorten(identifier)!r} has no states", at)
        if identifier in self._parsed.variables:
            raise self.error(f"node {shorten(identifier)!r} is declared twice", at)
        self._parsed.declare(name, states, at, identifier)

    def _text(self, attribute: str) -> str:
        self.expect("=", f"after {attribute!r}")
        text = self.name(f"the text of {attribute!r}")
        self.expect(";", f"after the text of {attribute!r}")
        return text

    def _skip_attribute(self, attribute: str) -> None:
        self.expect("=", f"after the attribute {shorten(attribute)!r}")
        self.skip(_VALUE, self.at)
        self.expect(";", f"after the attribute {shorten(attribute)!r}")

    def _potential(self, at: int) -> None:
        names, bar = self.scope("potential", "node")
        children = len(names) if bar is None else bar
        if children != 1:
            raise self.unsupported(f"a potential of {children} nodes; only one before '|' is supported", at)
        child, *parents = names
        where = f"the potential of {shorten(child)!r}"
        self.expect("{", f"to open {where}")
        data = None
        while not self.accept("}"):
            attribute_at, attribute = self.at, self.name(f"'data' or '}}' in {where}")
            if attribute in _REFUSED_DATA:
                message = f"{where} is given by {attribute!r}, an expression; only 'data' is supported"
                raise self.unsupported(message, attribute_at)
            if attribute != "data":
                self._skip_attribute(attribute)
            elif data is not None:
                raise self.error(f"{where} has two 'data'", attribute_at)
            elif not self.is_symbol("="):
                raise self.unexpected("'=' after 'data'")
            else:
                start = self.end
                end = self.skip(_DATA, start, f"'data' in {where} has no ';'") - 1
                data = _NestedData(self.source, where, start, end)
        if data is None:
            raise self.error(f"{where} has no 'data'; state the numbers", at)
        self._parsed.tables.append(ParsedTable(child, parents, data.entries, at, data.at))


def render(net: BayesianNetwork, path: str) -> Iterator[str]:
    """Yield the network as Hugin NET."""
    ids = identifiers(net.names, _KEYWORDS)
    yield f"net\n{{\n    name = {_string(net.name)};\n}}\n" if net.name else "net\n{\n}\n"
    for variable in net.variables:
        states = " ".join(_string(state) for state in variable.states)
        yield f"\nnode {ids[variable.name]}\n{{\n    states = ({states});\n"
        if ids[variable.name] != variable.name:
            yield f"    {_TRUE_NAME} = {_string(variable.name)};\n"
        yield "}\n"
    for cpt in net.cpts:
        given = "".join(f" {ids[parent.name]}" for parent in cpt.parents)
        yield f"\npotential ({ids[cpt.child.name]} |{given})\n{{\n    data = "
        yield from _nested(cpt, path)
        yield ";\n}\n"


def _nested(cpt: CPT, path: str) -> Iterator[str]:
    """Yield the data with one pair of parentheses per group: a level opens where its axis starts anew."""
    # Columns below one group, for each level of parents, innermost first.
    spans = list(accumulate(map(len, reversed(cpt.parents)), mul))
    for index, column in enumerate(columns(cpt, path)):
        opened = sum(index % span == 0 for span in spans)
        closed = sum((index + 1) % span == 0 for span in spans)
        indent = "\n        " if index else ""
        yield f"{indent}{'(' * (opened + 1)}{' '.join(column)}{')' * (closed + 1)}"


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
