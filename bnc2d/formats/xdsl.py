"""XDSL, the format of GeNIe and SMILE: ``<cpt>`` nodes only.

In ``<probabilities>`` the node's own state varies fastest and the first parent's slowest. Ids must be
identifiers; a name or state that is none gets one made for it, and the true text goes into the properties
``bnc2d_name`` and ``bnc2d_states`` (a JSON list), from which this reader restores it. GeNIe wants parents
before children; where that changes the order of the variables, ``bnc2d_position`` keeps the true one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from bnc2d.base.readers.numbers import shorten
from bnc2d.formats.parsing.assemble import ParsedNetwork, ParsedTable, ParsedVariable, as_given, suggest
from bnc2d.formats.parsing.decimals import columns
from bnc2d.formats.parsing.identifiers import identifiers
from bnc2d.formats.parsing.source import XmlSource
from bnc2d.formats.parsing.xmltree import Element, escape, parse_xml
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

_NAME = "bnc2d_name"
_STATES = "bnc2d_states"
_POSITION = "bnc2d_position"
_WHOLE = re.compile(r"[0-9]{1,9}")


def parse(data: bytes, path: str) -> ParsedNetwork:
    """Return what an XDSL file says."""
    source = XmlSource(path)
    root = parse_xml(data, path)
    if root.tag != "smile":
        hint = '; an XMLBIF file needs format="xmlbif"' if root.tag.upper() == "BIF" else ""
        raise source.error(f"expected <smile>, but the file is a <{shorten(root.tag)}>{hint}", root.line)
    for dynamic in root.named("dynamic"):
        raise source.unsupported("a <dynamic> network; unroll it first", dynamic.line)
    nodes = [node for group in root.named("nodes") for node in group.children]
    return _network(root.attributes.get("id", ""), nodes, source)


def _network(name: str, nodes: list[Element], source: XmlSource) -> ParsedNetwork:
    parsed = ParsedNetwork(source, name, [], [])
    names: dict[str, str] = {}
    for node in _in_true_order(nodes):
        identifier = _identifier(node, source)
        if node.tag != "cpt":
            message = (
                f"node {shorten(identifier)!r} is a <{shorten(node.tag)}>; only <cpt> nodes are supported"
            )
            raise source.unsupported(message, node.line)
        if identifier in names:
            raise source.error(f"two nodes have the id {shorten(identifier)!r}", node.line)
        variable = _variable(node, identifier, source)
        names[identifier] = variable.name
        parsed.declare(variable)
    for node in nodes:
        parsed.tables.append(_table(node, names, source))
    return parsed


def _in_true_order(nodes: list[Element]) -> list[Element]:
    """Return the nodes sorted by their positions, if every one has a position of its own."""
    found = [_property(node, _POSITION) for node in nodes]
    positions = [
        int(text) for mark in found if mark is not None and _WHOLE.fullmatch(text := mark.text.strip())
    ]
    if len(set(positions)) != len(nodes):
        return nodes
    return [node for _, node in sorted(zip(positions, nodes, strict=True), key=lambda pair: pair[0])]


def _identifier(element: Element, source: XmlSource) -> str:
    try:
        return element.attributes["id"]
    except KeyError:
        raise source.error(f"<{shorten(element.tag)}> has no id", element.line) from None


def _property(node: Element, identifier: str) -> Element | None:
    return next((found for found in node.named("property") if found.attributes.get("id") == identifier), None)


def _variable(node: Element, identifier: str, source: XmlSource) -> ParsedVariable:
    states = [_identifier(state, source) for state in node.named("state")]
    true_name, true_states = _property(node, _NAME), _property(node, _STATES)
    if true_states is not None:
        states = _restored(states, true_states, source)
    return ParsedVariable(identifier if true_name is None else true_name.text, states, node.line)


def _restored(states: list[str], true_states: Element, source: XmlSource) -> list[str]:
    try:
        value = json.loads(true_states.text)
    except (ValueError, RecursionError):
        value = None
    if (
        not isinstance(value, list)
        or len(value) != len(states)
        or not all(isinstance(text, str) for text in value)
    ):
        message = f"the property {_STATES!r} is not a JSON list of {len(states)} texts; delete or correct it"
        raise source.error(message, true_states.line)
    return value


def _table(node: Element, names: dict[str, str], source: XmlSource) -> ParsedTable:
    child = names[node.attributes["id"]]
    parents = []
    for identifier in "".join(found.text for found in node.named("parents")).split():
        if identifier not in names:
            hint = suggest(identifier, names)
            message = f"table of {shorten(child)!r}: unknown parent {shorten(identifier)!r}{hint}"
            raise source.error(message, node.line)
        parents.append(names[identifier])
    numbers = list(node.named("probabilities"))
    if len(numbers) != 1:
        message = f"expected one <probabilities> for {shorten(child)!r}, found {len(numbers)}"
        raise source.error(message, node.line)
    return ParsedTable(child, parents, as_given(numbers[0].text.split()), node.line, numbers[0].line)


def render(net: BayesianNetwork, path: str) -> Iterator[str]:
    """Yield the network as XDSL."""
    ids = identifiers(net.names)
    network = identifiers([net.name])[net.name] if net.name else "network"
    yield f'<?xml version="1.0" encoding="UTF-8"?>\n<smile version="1.0" id="{network}">\n<nodes>\n'
    order = _parents_first(net)
    moved = order != list(range(len(net)))
    for position in order:
        cpt = net.cpts[position]
        yield f'<cpt id="{ids[cpt.child.name]}">\n'
        yield from (f'  <state id="{state}" />\n' for state in identifiers(cpt.child.states).values())
        if cpt.parents:
            yield f"  <parents>{' '.join(ids[parent.name] for parent in cpt.parents)}</parents>\n"
        yield "  <probabilities>\n"
        for column in columns(cpt, path):
            yield f"    {' '.join(column)}\n"
        yield "  </probabilities>\n"
        if ids[cpt.child.name] != cpt.child.name:
            yield f'  <property id="{_NAME}">{escape(cpt.child.name, path)}</property>\n'
        yield from _true_states(cpt.child)
        if moved:
            yield f'  <property id="{_POSITION}">{position}</property>\n'
        yield "</cpt>\n"
    yield "</nodes>\n</smile>\n"


def _true_states(variable: Variable) -> Iterator[str]:
    if list(identifiers(variable.states)) != list(identifiers(variable.states).values()):
        yield f'  <property id="{_STATES}">{escape(json.dumps(variable.states), "")}</property>\n'


def _parents_first(net: BayesianNetwork) -> list[int]:
    """Return the positions of the variables, in file order but for parents that come too late."""
    order: dict[int, None] = {}
    for position in range(len(net)):
        pending = [position]
        while pending:
            late = [net.index(p) for p in net.cpts[pending[-1]].parents if net.index(p) not in order]
            if late and pending[-1] not in order:
                pending.extend(late)
            else:
                order[pending.pop()] = None
    return list(order)
