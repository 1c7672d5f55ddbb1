"""XMLBIF 0.3, as JavaBayes, Weka, pgmpy and pyAgrum write it (and the ``PROBABILITY`` blocks of 0.2).

In a TABLE the state of the FOR variable varies fastest, then the last GIVEN; the first GIVEN is slowest.
Tags may be in upper or lower case; properties are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator

from bnc2d.base.readers.numbers import shorten
from bnc2d.errors import UnsupportedError
from bnc2d.formats.parsing.assemble import ParsedNetwork, ParsedTable, ParsedVariable, as_given
from bnc2d.formats.parsing.decimals import columns
from bnc2d.formats.parsing.source import XmlSource
from bnc2d.formats.parsing.xmltree import Element, escape, parse_xml
from bnc2d.model.network import BayesianNetwork

_VALUE_TAGS = ("OUTCOME", "VALUE")
_TABLE_TAGS = ("DEFINITION", "PROBABILITY")
_DISCRETE = ("nature", "discrete")
_IGNORED = ("PROPERTY", "NAME", "OBS")


def parse(data: bytes, path: str) -> ParsedNetwork:
    """Return what an XMLBIF file says."""
    source = XmlSource(path)
    root = parse_xml(data, path)
    if root.tag.upper() != "BIF":
        hint = '; a GeNIe file needs format="xdsl"' if root.tag == "smile" else ""
        raise source.error(f"expected <BIF>, but the file is a <{shorten(root.tag)}>{hint}", root.line)
    networks = _children(root, "NETWORK")
    if len(networks) != 1:
        raise source.error(f"expected one <NETWORK> in <BIF>, found {len(networks)}", root.line)
    network = networks[0]
    parsed = ParsedNetwork(source, _optional_text(network, "NAME"), [], [])
    for child in network.children:
        tag = child.tag.upper()
        if tag == "VARIABLE":
            parsed.declare(_variable(child, source))
        elif tag in _TABLE_TAGS:
            parsed.tables.append(_table(child, source))
        elif tag not in _IGNORED:
            raise source.error(f"unexpected <{shorten(child.tag)}> in <NETWORK>", child.line)
    return parsed


def _children(element: Element, *tags: str) -> list[Element]:
    return [child for child in element.children if child.tag.upper() in tags]


def _optional_text(element: Element, tag: str) -> str:
    return next((child.text.strip() for child in _children(element, tag)), "")


def _variable(element: Element, source: XmlSource) -> ParsedVariable:
    names = _children(element, "NAME")
    if len(names) != 1:
        raise source.error(f"expected one <NAME> in <VARIABLE>, found {len(names)}", element.line)
    name = names[0].text.strip()
    types = [value for key, value in element.attributes.items() if key.upper() == "TYPE"]
    types += [child.text.strip() for child in _children(element, "TYPE")]
    for kind in types:
        if kind.lower() not in _DISCRETE:
            message = (
                f"variable {shorten(name)!r} is a {shorten(kind)!r} variable; only 'nature' is supported"
            )
            raise source.unsupported(message, element.line)
    states = [child.text.strip() for child in _children(element, *_VALUE_TAGS)]
    return ParsedVariable(name, states, element.line)


def _table(element: Element, source: XmlSource) -> ParsedTable:
    children = [child.text.strip() for child in _children(element, "FOR")]
    if not children:
        raise source.error("a table without <FOR>", element.line)
    if len(children) > 1:
        what = f"a table for {shorten(children[0])!r} and {shorten(children[1])!r} together"
        raise source.unsupported(f"{what}; only one <FOR> is supported", element.line)
    tables = _children(element, "TABLE")
    if len(tables) != 1:
        raise source.error(
            f"expected one <TABLE> for {shorten(children[0])!r}, found {len(tables)}", element.line
        )
    for inner in tables[0].children:
        what = f"<{shorten(inner.tag)}> in the table of {shorten(children[0])!r}"
        message = f"{what}; only plain numbers are supported"
        raise source.unsupported(message, inner.line)
    parents = [child.text.strip() for child in _children(element, "GIVEN")]
    numbers = tables[0].text.split()
    return ParsedTable(children[0], parents, as_given(numbers), element.line, tables[0].line)


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
