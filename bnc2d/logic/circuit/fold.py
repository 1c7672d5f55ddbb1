"""The two ways to walk a circuit: node by node with any values, and level by level to make another circuit.

Both go bottom-up, meet each shared node once, and need no recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, take
from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.logic.circuit.levels import Levels
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId
from bnc2d.logic.domain import FeatureId, StateMask

Value = TypeVar("Value")

# Nodes of a circuit that is rewritten faster one by one: where all gates are made, and where constants let
# many go before.
_FEW = 100
_FEW_PRUNED = 800


def fold(
    manager: Manager,
    root: NodeId,
    constant: Callable[[bool], Value],
    literal: Callable[[FeatureId, StateMask], Value],
    conjunction: Callable[[Sequence[Value]], Value],
    disjunction: Callable[[Sequence[Value]], Value],
) -> Value:
    """Return the value of ``root``; a gate gets the values of its children in the order of their ids."""
    values = {node: literal(feature, mask) for node, feature, mask in checked(manager.literals(root))}
    if root in (FALSE, TRUE):
        values[root] = constant(root == TRUE)
    for node, is_or, children in checked(manager.gates(root)):
        parts = [values[child] for child in children]
        values[node] = disjunction(parts) if is_or else conjunction(parts)
    return values[root]


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
    Otherwise constants are propagated first, so that only gates are made that the result may use.
    """
    target = manager if into is None else into
    if root in (FALSE, TRUE):
        return TRUE - root if dual else root
    leaves = {node: literal(feature, mask) for node, feature, mask in manager.literals(root)}
    constants = simplify and not all(image > TRUE for image in leaves.values())
    if manager.size(root) <= (_FEW_PRUNED if constants else _FEW):
        return _rewrite_few(manager, root, leaves, target, dual)
    levels = manager.levels(root)
    images = levels.nodes.copy()
    images[: levels.leaves] = list(leaves.values())
    swap = np.uint8(Kind.AND ^ Kind.OR if dual else 0)
    if not simplify:
        kinds = levels.kinds[levels.leaves :] ^ swap
        starts = levels.starts[levels.leaves :]
        target.add_levels(images, kinds, starts, levels.children, levels.ends, simplify=False)
        return int(images[-1])
    is_open = _open_nodes(levels, images, dual)
    if not is_open[-1]:
        return int(images[-1])
    wanted = is_open
    if target is manager and not dual:  # a gate below which nothing changes is its own image
        wanted = is_open & _changed_nodes(levels, images)
        if not wanted[-1]:
            return root
    arities = np.diff(levels.starts)
    kept = take(is_open, levels.children)
    kept &= wanted.repeat(arities)
    used = np.zeros(len(levels), dtype=bool)
    used[-1] = True
    for step in reversed(levels.steps):
        checkpoint()
        edges = used[step.first : step.last].repeat(step.arities)
        edges &= kept[step.edges]
        used[step.children[edges]] = True
    kept &= used.repeat(arities)
    made = used & wanted
    made[: levels.leaves] = False
    return _add_reduced(levels, images, swap, used, made, kept, target)


def _add_reduced(
    levels: Levels,
    images: Numbers,
    swap: np.uint8,
    used: NDArray[np.bool_],
    made: NDArray[np.bool_],
    kept: NDArray[np.bool_],
    target: Manager,
) -> NodeId:
    """Add the gates that are made, with those edges that are kept; return the last node's image.

    The images of the other nodes in use are given. A gate with a single child stands for the child.
    """
    gates = made.nonzero()[0]
    arities = np.add.reduceat(kept, levels.starts[gates], dtype=np.int64)
    children = take(levels.children, kept.nonzero()[0])
    checkpoint()
    alias = np.arange(len(levels))
    several = arities > 1
    single = gates[~several]
    alias[single] = children[arities.cumsum()[~several] - 1]
    while ((further := alias[alias[single]]) != alias[single]).any():
        alias[single] = further
    children = take(alias, children[several.repeat(arities)])
    gates, arities = gates[several], arities[several]
    known = (used & ~made).nonzero()[0]
    place = np.empty(len(levels), dtype=np.int64)
    place[known] = np.arange(len(known))
    place[gates] = np.arange(len(known), len(known) + len(gates))
    ids = np.empty(len(known) + len(gates), dtype=np.int64)
    ids[: len(known)] = images[known]
    starts = np.zeros(len(gates) + 1, dtype=np.int64)
    np.cumsum(arities, out=starts[1:])
    ends = np.searchsorted(gates, [levels.leaves + end for end in levels.ends]).tolist()
    ends = [end for end in dict.fromkeys(ends) if end]
    target.add_levels(ids, levels.kinds[gates] ^ swap, starts, take(place, children), ends, simplify=True)
    return int(ids[place[alias[-1]]])


def _rewrite_few(
    manager: Manager, root: NodeId, images: dict[NodeId, NodeId], target: Manager, dual: bool
) -> NodeId:
    """Do the work of ``rewrite`` node by node; the images of the literals are given."""
    gates = manager.gates(root)
    false = {node for node, image in images.items() if image == FALSE}
    true = {node for node, image in images.items() if image == TRUE}
    if false or true:
        for node, is_or, children in gates:
            dominant, neutral = (true, false) if is_or != dual else (false, true)
            if not dominant.isdisjoint(children):
                dominant.add(node)
            elif neutral.issuperset(children):
                neutral.add(node)
    if root in false or root in true:
        return TRUE if root in true else FALSE
    constant = false | true
    used = {root}
    plan = []
    for node, is_or, children in reversed(gates):
        if node in used:
            kept = children if constant.isdisjoint(children) else [c for c in children if c not in constant]
            used.update(kept)
            plan.append((node, is_or, kept))
    keeps_nodes = target is manager and not dual
    for node, is_or, kept in reversed(plan):
        below = [images[child] for child in kept]
        if len(below) == 1:
            images[node] = below[0]
        elif keeps_nodes and below == kept and len(kept) == len(manager.store.children_of(node)):
            images[node] = node
        else:
            images[node] = target.add_one(Kind.OR if is_or != dual else Kind.AND, below)
    return images[root]


def _open_nodes(levels: Levels, images: Numbers, dual: bool) -> NDArray[np.bool_]:
    """Return which nodes are no constants once constants are propagated (Kleene's three values).

    The images of the leaves are given; where the last node is constant, it gets its image.
    """
    leaves = images[: levels.leaves]
    constant = leaves <= TRUE
    if not constant.any():
        return np.ones(len(levels), dtype=bool)
    values = np.ones(len(levels), dtype=np.uint8)  # 0 for false, 1 for unknown, 2 for true
    values[: levels.leaves][constant] = 2 * leaves[constant]
    levels.fill(values, *((np.maximum, np.minimum) if dual else (np.minimum, np.maximum)))
    if values[-1] != 1:
        images[-1] = values[-1] // 2
    is_open: NDArray[np.bool_] = values == 1
    return is_open


def _changed_nodes(levels: Levels, images: Numbers) -> NDArray[np.bool_]:
    """Return the nodes below which some leaf has another image than itself."""
    changed = np.empty(len(levels), dtype=bool)
    changed[: levels.leaves] = images[: levels.leaves] != levels.nodes[: levels.leaves]
    if changed[: levels.leaves].all():
        changed[:] = True
    else:
        levels.fill(changed, np.logical_or, np.logical_or)
    return changed
