"""The one way to walk a circuit: bottom-up, each shared node once, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.manager import FALSE, TRUE, Kind, Manager, NodeId

Value = TypeVar("Value")


def fold_all(
    manager: Manager,
    root: NodeId,
    constant: Callable[[bool], Value],
    literal: Callable[[FeatureId, StateMask], Value],
    conjunction: Callable[[Sequence[Value]], Value],
    disjunction: Callable[[Sequence[Value]], Value],
) -> dict[NodeId, Value]:
    """Return the value of every node below ``root``; children's values come in the order of their ids."""
    values: dict[NodeId, Value] = {}
    for node in manager.reachable(root):
        kind = manager.kind(node)
        if kind == Kind.LITERAL:
            values[node] = literal(*manager.literal_of(node))
        elif kind == Kind.CONSTANT:
            values[node] = constant(node == TRUE)
        else:
            combine = conjunction if kind == Kind.AND else disjunction
            values[node] = combine([values[child] for child in manager.children(node)])
    return values


def fold(
    manager: Manager,
    root: NodeId,
    constant: Callable[[bool], Value],
    literal: Callable[[FeatureId, StateMask], Value],
    conjunction: Callable[[Sequence[Value]], Value],
    disjunction: Callable[[Sequence[Value]], Value],
) -> Value:
    """Return the value of ``root``."""
    return fold_all(manager, root, constant, literal, conjunction, disjunction)[root]


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
    return fold(
        manager, root, lambda value: TRUE if value != dual else FALSE, literal, conjunction, disjunction
    )
