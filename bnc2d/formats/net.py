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

from bnc2d.base.readers.numbers import shorten
from bnc2d.formats.files import decode
from bnc2d.formats.parsing.assemble import ParsedNetwork, ParsedTable
from bnc2d.formats.parsing.decimals import columns
from bnc2d.formats.parsing.identifiers import identifiers
from bnc2d.formats.parsing.netdata import NestedData
from bnc2d.formats.parsing.source import Source
from bnc2d.formats.parsing.tokens import Scanner, language
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork

_STRING = r'(?:[^"\\]++|\\[\s\S])*+'
# The value of an attribute: strings, numbers, expressions; its end is a semicolon.
_VALUE = re.compile(rf"""(?:[^;{{}}"%]++|"{_STRING}"|%[^\n]*+)*+""")
_DATA = re.compile(r"(?:[^;%]++|%[^\n]*+)*+;")
_NET = language(symbols="{}()[],;|=", strings=_STRING, comment=r"%[^\n]*+", escapes=True)
_TRUE_NAME = "bnc2d_name"
_REFUSED_NODES = ("continuous", "decision", "utility", "function", "temporal", "interval")
_REFUSED_DATA = ("model_nodes", "model_data")
_OTHER_KEYWORDS = ("net", "class", "node", "potential", "discrete", "instance", "states", "data", "label")
_KEYWORDS = frozenset((*_OTHER_KEYWORDS, *_REFUSED_NODES))


def parse(data: bytes, path: str) -> ParsedNetwork:
    """Return what a NET file says."""
    return _Reader(Source(path, decode(data, path))).network()


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
            elif data is None:
                data = self._data(where)
            else:
                raise self.error(f"{where} has two 'data'", attribute_at)
        if data is None:
            raise self.error(f"{where} has no 'data'; state the numbers", at)
        self._parsed.tables.append(ParsedTable(child, parents, data.entries, at, data.at))

    def _data(self, where: str) -> NestedData:
        if not self.is_symbol("="):
            raise self.unexpected("'=' after 'data'")
        start = self.end
        return NestedData(
            self.source, where, start, self.skip(_DATA, start, f"'data' in {where} has no ';'") - 1
        )


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
    spans: list[int] = []  # columns below one group, for each level of parents, innermost first
    size = 1
    for parent in reversed(cpt.parents):
        size *= len(parent)
        spans.append(size)
    for index, column in enumerate(columns(cpt, path)):
        opened = sum(index % span == 0 for span in spans)
        closed = sum((index + 1) % span == 0 for span in spans)
        indent = "\n        " if index else ""
        yield f"{indent}{'(' * (opened + 1)}{' '.join(column)}{')' * (closed + 1)}"


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
