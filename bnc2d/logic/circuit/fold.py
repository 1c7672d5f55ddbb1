"""The two ways to walk a circuit: node by node with any values, and level by level to make another circuit.

Both go bottom-up, meet each shared node once, and need no recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.domain import FeatureId, StateMask

Value = TypeVar("Value")


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
    gates = manager.levels(root).gates
    last_use = {child: node for node, _, children in gates for child in children} if release else {}
    values = {node: literal(feature, mask) for node, feature, mask in checked(manager.literals(root))}
    if root in (FALSE, TRUE):
        values[root] = constant(root == TRUE)
    for node, is_or, children in checked(gates):
        parts = [values[child] for child in children]
        values[node] = disjunction(parts) if is_or else conjunction(parts)
        if release:
            for child in children:
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
    simplify: bool = True,
) -> NodeId:
    """Return the circuit with every literal replaced; with ``dual``, AND and OR (and constants) swapped.

    ``simplify`` may be False where different literals are replaced by different ones of the same features.
    """
    target = manager if into is None else into
    if root in (FALSE, TRUE):
        return TRUE - root if dual else root
    levels = manager.levels(root)
    images = np.empty(len(levels), dtype=np.int64)
    images[: levels.leaves] = [literal(feature, mask) for _, feature, mask in manager.literals(root)]
    keeps_nodes = target is manager and not dual  # then a gate whose children stay is its own image
    for step in levels.steps:
        checkpoint()
        children = images[step.children]
        gates = slice(step.first, step.last)
        if not keeps_nodes:
            is_or = step.is_or
            ids = target.add_gates(is_or ^ dual, step.arities, children, simplify=simplify)
            images[gates] = ids
            continue
        changed = np.logical_or.reduceat(children != levels.nodes[step.children], step.starts)
        images[gates] = levels.nodes[gates]
        if changed.any():
            arities = step.arities
            images[step.first + np.flatnonzero(changed)] = target.add_gates(
                step.is_or[changed],
                arities[changed],
                children[np.repeat(changed, arities)],
                simplify=simplify,
            )
    return int(images[-1])
