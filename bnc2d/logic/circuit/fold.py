"""The one way to walk a circuit: bottom-up, each shared node once, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from bnc2d.base.checkpoints import checked
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId
from bnc2d.logic.domain import FeatureId, StateMask

Value = TypeVar("Value")


_LITERAL, _AND = int(Kind.LITERAL), int(Kind.AND)


def fold_all(
    manager: Manager,
    root: NodeId,
    constant: Callable[[bool], Value],
    literal: Callable[[FeatureId, StateMask], Value],
    conjunction: Callable[[Sequence[Value]], Value],
    disjunction: Callable[[Sequence[Value]], Value],
    *,
    release: bool = False,
) -> dict[NodeId, Value]:
    """Return the value of every node below ``root``; children's values come in the order of their ids.

    With ``release``, a node's value is let go once its last parent has used it.
    """
    kinds, payloads = manager.kinds, manager.payloads
    nodes = manager.reachable(root)
    last_use = {child: node for node in nodes for child in manager.children(node)} if release else {}
    values: dict[NodeId, Value] = {}
    for node in checked(nodes):
        kind, payload = kinds[node], payloads[node]
        if kind == _LITERAL:
            values[node] = literal(payload[0], payload[1])
        elif kind < _LITERAL:
            values[node] = constant(node == TRUE)
        else:
            parts = [values[child] for child in payload]
            values[node] = conjunction(parts) if kind == _AND else disjunction(parts)
            if release:
                for child in payload:
                    if last_use[child] == node:
                        del values[child]
    return values


def fold(
    manager: Manager,
    root: NodeId,
    constant: Callable[[bool], Value],
    literal: Callable[[FeatureId, StateMask], Value],
    conjunction: Callable[[Sequence[Value]], Value],
    disjunction: Callable[[Sequence[Value]], Value],
    *,
    release: bool = False,
) -> Value:
    """Return the value of ``root``."""
    return fold_all(manager, root, constant, literal, conjunction, disjunction, release=release)[root]


def rewrite(
    manager: Manager,
    root: NodeId,
    literal: Callable[[FeatureId, StateMask], NodeId],
    *,
    into: Manager | None = None,
    dual: bool = False,
) -> NodeId:
    """Return the circuit with every literal replaced; with ``dual``, AND and OR (and constants) swapped."""
    target = manager if into is None else into
    conjunction, disjunction = (target.add_or, target.add_and) if dual else (target.add_and, target.add_or)
    kinds, payloads = manager.kinds, manager.payloads
    keeps_nodes = target is manager and not dual  # then a node whose children stay is its own image
    images: dict[NodeId, NodeId] = {FALSE: TRUE, TRUE: FALSE} if dual else {FALSE: FALSE, TRUE: TRUE}
    for node in checked(manager.reachable(root)):
        kind, payload = kinds[node], payloads[node]
        if kind == _LITERAL:
            images[node] = literal(payload[0], payload[1])
        elif kind >= _AND:
            children = [images[child] for child in payload]
            if keeps_nodes and children == list(payload):
                images[node] = node
            else:
                images[node] = conjunction(children) if kind == _AND else disjunction(children)
    return images[root]
