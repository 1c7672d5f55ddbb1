"""Fewer gates for the same formula: a gate that serves one gate of its own kind only is dissolved."""

from __future__ import annotations

from collections.abc import Callable

from bnc2d.base.checkpoints import checked
from bnc2d.compile.formula.netlist import same_states
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId

_LITERAL, _AND = int(Kind.LITERAL), int(Kind.AND)


def dissolvable(manager: Manager, root: NodeId) -> set[NodeId]:
    """Return the gates below ``root`` whose children can move up to their only parent.

    Where that would bring two different literals of a feature together, whose intersection could be a node of
    its own, the gate stays: so dissolving all of them never adds a node.
    """
    kinds, payloads = manager.kinds, manager.payloads
    gates = [node for node in manager.reachable(root) if kinds[node] >= _AND]
    parents: dict[NodeId, int] = {}
    for node in gates:
        for child in payloads[node]:
            parents[child] = parents.get(child, 0) + 1
    dissolved: set[NodeId] = set()
    literals: dict[NodeId, dict[int, NodeId]] = {}  # by feature, of the gate that a gate ends up in
    for node in checked(gates[::-1]):
        inside = [c for c in payloads[node] if parents[c] == 1 and kinds[c] == kinds[node]]
        here = literals.pop(node, None)
        if not inside:
            continue
        if here is None:
            here = _literals(manager, node)
        for child in inside:
            moving = _literals(manager, child)
            if all(here.get(feature, literal) == literal for feature, literal in moving.items()):
                here.update(moving)
                dissolved.add(child)
                literals[child] = here
    return dissolved


def _literals(manager: Manager, gate: NodeId) -> dict[int, NodeId]:
    kinds, payloads = manager.kinds, manager.payloads
    return {payloads[child][0]: child for child in payloads[gate] if kinds[child] == _LITERAL}


def flatten(
    source: Manager,
    root: NodeId,
    target: Manager,
    dissolved: set[NodeId],
    states: Callable[[int, int], int] = same_states,
) -> NodeId:
    """Return the formula in another manager, without those gates, which can be dissolved.

    ``states`` says which states the mask of a feature stands for in the other manager.
    The disjuncts of a dissolved OR share no feature with its siblings, so the circuit stays OR-decomposable.
    """
    kinds, payloads = source.kinds, source.payloads
    images: dict[NodeId, NodeId] = {FALSE: FALSE, TRUE: TRUE}
    moved: dict[NodeId, list[NodeId]] = {}  # images of a dissolved gate's children
    for node in checked(source.reachable(root)):
        kind, payload = kinds[node], payloads[node]
        if kind == _LITERAL:
            images[node] = target.add_literal(payload[0], states(payload[0], payload[1]))
        elif kind >= _AND:
            children: list[NodeId] = []
            for child in payload:
                if child in dissolved:
                    children += moved.pop(child)
                else:
                    children.append(images[child])
            if node in dissolved:
                moved[node] = children
            else:
                images[node] = target.find(kind != _AND, children)
    return images[root]
