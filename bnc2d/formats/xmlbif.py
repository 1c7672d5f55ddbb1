"""XMLBIF 0.3, as JavaBayes, Weka, pgmpy and pyAgrum write it (and the ``PROBABILITY`` blocks of 0.2).

In a TABLE the state of the FOR variable varies fastest, then the last GIVEN; the first GIVEN is slowest.
Tags may be in upper or lower case; properties are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator

from bnc2d.base.readers.numbers import shorten
from bnc2d.errors import UnsupportedError
from bnc2d.formats.parsing.assemble import ParsedNetwork, ParsedTable
from bnc2d.formats.parsing.decimals import columns
from bnc2d.formats.parsing.xmltree import Element, escape, parse_xml
from bnc2d.model.network import BayesianNetwork

_VALUE_TAGS = ("OUTCOME", "VALUE")
_TABLE_TAGS = ("DEFINITION", "PROBABILITY")
_DISCRETE = ("nature", "discrete")
_IGNORED = ("PROPERTY", "NAME", "OBS")


def parse(data: bytes, path: str) -> ParsedNetwork:
    """Return what an XMLBIF file says."""
    root = parse_xml(data, path, "BIF")
    network = root.only(_children(root, "NETWORK"), "<NETWORK> in <BIF>")
    parsed = ParsedNetwork(root.source, next(iter(_texts(network, "NAME")), ""))
    for child in network.children:
        tag = child.tag.upper()
        if tag == "VARIABLE":
            parsed.declare(*_variable(child), child.line)
        elif tag in _TABLE_TAGS:
            parsed.tables.append(_table(child))
        elif tag not in _IGNORED:
            raise child.error(f"unexpected <{shorten(child.tag)}> in <NETWORK>")
    return parsed


def _children(element: Element, *tags: str) -> list[Element]:
    return [child for child in element.children if child.tag.upper() in tags]


def _texts(element: Element, *tags: str) -> list[str]:
    return [child.text.strip() for child in _children(element, *tags)]


def _variable(element: Element) -> tuple[str, list[str]]:
    name = element.only(_children(element, "NAME"), "<NAME> in <VARIABLE>").text.strip()
    types = [value for key, value in element.attributes.items() if key.upper() == "TYPE"]
    for kind in types + _texts(element, "TYPE"):
        if kind.lower() not in _DISCRETE:
            what = f"variable {shorten(name)!r} is a {shorten(kind)!r} variable"
            raise element.unsupported(f"{what}; only 'nature' is supported")
    return name, _texts(element, *_VALUE_TAGS)


def _table(element: Element) -> ParsedTable:
    children = _texts(element, "FOR")
    if not children:
        raise element.error("a table without <FOR>")
    name = shorten(children[0])
    if len(children) > 1:
        what = f"a table for {name!r} and {shorten(children[1])!r} together"
        raise element.unsupported(f"{what}; only one <FOR> is supported")
    table = element.only(_children(element, "TABLE"), f"<TABLE> for {name!r}")
    for inner in table.children:
        what = f"<{shorten(inner.tag)}> in the table of {name!r}"
        raise inner.unsupported(f"{what}; only plain numbers are supported")
    return ParsedTable(children[0], _texts(element, "GIVEN"), table.text.split(), element.line, table.line)


def render(net: BayesianNetwork, path: str) -> Iterator[str]:
    """Yield the network as XMLBIF 0.3."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<BIF VERSION="0.3">\n<NETWORK>\n'
    yield f"<NAME>{_name(net.name, path)}</NAME>\n"
    names = {variable: _name(variable.name, path) for variable in net.variables}
    for variable in net.variables:
        outcomes = "".join(f"  <OUTCOME>{_name(state, path)}</OUTCOME>\n" for state in variable.states)
        yield f'<VARIABLE TYPE="nature">\n  <NAME>{names[variable]}</NAME>\n{outcomes}</VARIABLE>\n'
    for cpt in net.cpts:
        given = "".join(f"  <GIVEN>{names[parent]}</GIVEN>\n" for parent in cpt.parents)
        yield f"<DEFINITION>\n  <FOR>{names[cpt.child]}</FOR>\n{given}  <TABLE>\n"
        for column in columns(cpt, path):
            yield f"    {' '.join(column)}\n"
        yield "  </TABLE>\n</DEFINITION>\n"
    yield "</NETWORK>\n</BIF>\n"


def _name(name: str, path: str) -> str:
    if name != name.strip():
        raise UnsupportedError(f"XMLBIF drops the whitespace around the name {shorten(name)!r}", path)
    return escape(name, path)
