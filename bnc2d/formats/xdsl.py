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
from bnc2d.formats.parsing.assemble import ParsedNetwork, ParsedTable
from bnc2d.formats.parsing.decimals import columns
from bnc2d.formats.parsing.identifiers import identifiers
from bnc2d.formats.parsing.xmltree import Element, escape, parse_xml
from bnc2d.model.network import BayesianNetwork

_NAME = "bnc2d_name"
_STATES = "bnc2d_states"
_POSITION = "bnc2d_position"
_WHOLE = re.compile(r"[0-9]{1,9}")


def parse(data: bytes, path: str) -> ParsedNetwork:
    """Return what an XDSL file says."""
    root = parse_xml(data, path, "smile")
    for dynamic in root.named("dynamic"):
        raise dynamic.unsupported("a <dynamic> network; unroll it first")
    nodes = [node for group in root.named("nodes") for node in group.children]
    parsed = ParsedNetwork(root.source, root.attributes.get("id", ""))
    for node in _in_true_order(nodes):
        identifier = _identifier(node)
        if node.tag != "cpt":
            what = f"node {shorten(identifier)!r} is a <{shorten(node.tag)}>"
            raise node.unsupported(f"{what}; only <cpt> nodes are supported")
        if identifier in parsed.variables:
            raise node.error(f"two nodes have the id {shorten(identifier)!r}")
        name = _property(node, _NAME)
        parsed.declare(identifier if name is None else name.text, _states(node), node.line, identifier)
    parsed.tables = [_table(node, parsed) for node in nodes]
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


def _identifier(element: Element) -> str:
    if "id" not in element.attributes:
        raise element.error(f"<{shorten(element.tag)}> has no id")
    return element.attributes["id"]


def _property(node: Element, identifier: str) -> Element | None:
    return next((found for found in node.named("property") if found.attributes.get("id") == identifier), None)


def _states(node: Element) -> list[str]:
    states = [_identifier(state) for state in node.named("state")]
    true_states = _property(node, _STATES)
    if true_states is None:
        return states
    try:
        value = json.loads(true_states.text)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list) and len(value) == len(states) and all(isinstance(text, str) for text in value):
        return value
    expected = f"a JSON list of {len(states)} texts"
    raise true_states.error(f"the property {_STATES!r} is not {expected}; delete or correct it")


def _table(node: Element, parsed: ParsedNetwork) -> ParsedTable:
    child = node.attributes["id"]
    shown = repr(shorten(parsed.variables[child].name))
    parents = "".join(found.text for found in node.named("parents")).split()
    for parent in parents:
        parsed.known(parent, f"table of {shown}: unknown parent", node.line)
    numbers = node.only(list(node.named("probabilities")), f"<probabilities> for {shown}")
    return ParsedTable(child, parents, numbers.text.split(), node.line, numbers.line)


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
        states = identifiers(cpt.child.states)
        yield from (f'  <state id="{state}" />\n' for state in states.values())
        if cpt.parents:
            yield f"  <parents>{' '.join(ids[parent.name] for parent in cpt.parents)}</parents>\n"
        yield "  <probabilities>\n"
        for column in columns(cpt, path):
            yield f"    {' '.join(column)}\n"
        yield "  </probabilities>\n"
        if ids[cpt.child.name] != cpt.child.name:
            yield f'  <property id="{_NAME}">{escape(cpt.child.name, path)}</property>\n'
        if list(states) != list(states.values()):
            yield f'  <property id="{_STATES}">{escape(json.dumps(cpt.child.states), "")}</property>\n'
        if moved:
            yield f'  <property id="{_POSITION}">{position}</property>\n'
        yield "</cpt>\n"
    yield "</nodes>\n</smile>\n"


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
