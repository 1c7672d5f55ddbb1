"""Circuits as plain data, ready for JSON.

A circuit is a dict of two entries::

    {"features": {"BP": ["Low", "Normal", "High"], "CT": ["0", "1"]},
     "nodes": [{"kind": "literal", "feature": "BP", "states": ["Low", "High"]},
               {"kind": "literal", "feature": "CT", "states": ["1"]},
               {"kind": "or", "children": [0, 1]}]}

``features`` is the domain, features and states in their order. A node is a literal, an ``"and"``, an
``"or"``, ``"true"`` or ``"false"``. Children are positions in the list of nodes and come before their
parents; the root is the last node.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Required, TypedDict

from bnc2d.base.readers.arguments import instance_of
from bnc2d.errors import Bnc2dError, LogicError
from bnc2d.logic.circuit.arrays import listed
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.circuit.queries import is_constant
from bnc2d.logic.domain import Domain


class NodeData(TypedDict, total=False):
    """A node: literals have ``feature`` and ``states``, gates have ``children``."""

    kind: Required[str]
    feature: str
    states: list[str]
    children: list[int]


class CircuitData(TypedDict):
    """A circuit as data."""

    features: dict[str, list[str]]
    nodes: list[NodeData]


def to_dict(manager: Manager, root: NodeId) -> CircuitData:
    """Return the circuit as data; equal circuits give equal data."""
    domain = manager.domain
    features = {name: list(states) for name, states in zip(domain.names, domain.states, strict=True)}
    if is_constant(root):
        return {"features": features, "nodes": [{"kind": "true" if root == TRUE else "false"}]}
    literals, gates = listed(manager, root)
    nodes: list[NodeData] = [
        {
            "kind": "literal",
            "feature": domain.names[feature],
            "states": list(domain.states_of(feature, mask)),
        }
        for feature, mask in literals
    ]
    nodes += [{"kind": "or" if is_or else "and", "children": children} for is_or, children in gates]
    return {"features": features, "nodes": nodes}


def from_dict(data: Mapping[str, object], manager: Manager | None = None) -> tuple[Manager, NodeId]:
    """Return the circuit in ``manager``, whose domain must be that of the data, or in a new one.

    What ``to_dict`` gave comes back node by node; in other data the manager's local simplifications may merge
    nodes, which keeps the models. Every fault is a ``LogicError`` that names the node.
    """
    features, nodes = _parts(data)
    domain = Domain(features)
    if manager is None:
        manager = Manager(domain)
    elif instance_of(Manager, manager, "manager").domain != domain:
        raise LogicError("the data have other features or states than the manager")
    ids: list[NodeId] = []
    for number, node in enumerate(nodes):
        try:
            ids.append(_add(manager, node, ids))
        except Bnc2dError as error:
            raise LogicError(f"node {number}: {error}") from None
    return manager, ids[-1]


def _parts(data: object) -> tuple[dict[str, Any], list[Any]]:
    if not isinstance(data, Mapping) or not {"features", "nodes"} <= data.keys():
        raise LogicError("a circuit is an object with 'features' and 'nodes'")
    features, nodes = data["features"], data["nodes"]
    if not isinstance(features, Mapping) or not all(isinstance(s, list | tuple) for s in features.values()):
        raise LogicError("'features' must be an object from each feature to the list of its states")
    if not isinstance(nodes, list | tuple) or not nodes:
        raise LogicError("'nodes' must be a list of one or more nodes; the last is the root")
    return dict(features), list(nodes)


def _add(manager: Manager, node: object, ids: list[NodeId]) -> NodeId:
    kind = node.get("kind") if isinstance(node, Mapping) else None
    if not isinstance(node, Mapping) or kind not in ("literal", "and", "or", "true", "false"):
        raise LogicError("expected an object whose 'kind' is 'literal', 'and', 'or', 'true' or 'false'")
    if kind in ("true", "false"):
        return TRUE if kind == "true" else FALSE
    if kind == "literal":
        feature, states = manager.domain.index(node.get("feature", "")), node.get("states")
        if not isinstance(states, list | tuple) or not all(isinstance(state, str) for state in states):
            raise LogicError("the 'states' of a literal must be a list of names")
        return manager.add_literal(feature, manager.domain.mask(feature, states))
    children = node.get("children")
    if not isinstance(children, list | tuple):
        raise LogicError(f"the 'children' of an {kind!r} must be a list")
    for child in children:
        if type(child) is not int or not 0 <= child < len(ids):
            raise LogicError(f"the child {child!r} is no position of a node before it")
    below = [ids[child] for child in children]
    return manager.add_and(below) if kind == "and" else manager.add_or(below)
