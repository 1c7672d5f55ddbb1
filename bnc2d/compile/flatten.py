"""Fewer gates for the same formula: a gate inside a gate of its own kind is dissolved where nothing shares it."""

from __future__ import annotations

from bnc2d.logic.manager import FALSE, TRUE, Kind, Manager, NodeId

_LITERAL, _AND = int(Kind.LITERAL), int(Kind.AND)


def flatten(source: Manager, root: NodeId, target: Manager) -> NodeId:
    """Return the formula in another manager, without gates that only serve one gate of the same kind.

    The disjuncts of a dissolved OR shared no feature with its siblings, so the circuit stays OR-decomposable.
    """
    kinds, payloads = source.kinds, source.payloads
    nodes = source.reachable(root)
    parents: dict[NodeId, int] = dict.fromkeys(nodes, 0)
    for node in nodes:
        if kinds[node] >= _AND:
            for child in payloads[node]:
                parents[child] += 1
    images: dict[NodeId, NodeId] = {FALSE: FALSE, TRUE: TRUE}
    parts: dict[NodeId, list[NodeId]] = {}  # the images of a gate's children, dissolved ones replaced
    dissolved: set[NodeId] = set()
    for node in nodes:
        for child in payloads[node] if kinds[node] >= _AND else ():
            if parents[child] == 1 and kinds[child] == kinds[node]:
                dissolved.add(child)
    for node in nodes:
        kind, payload = kinds[node], payloads[node]
        if kind == _LITERAL:
            images[node] = target.add_literal(payload[0], payload[1])
        elif kind >= _AND:
            inner: list[NodeId] = []
            for child in payload:
                if child in dissolved:
                    inner.extend(parts.pop(child))
                else:
                    inner.append(images[child])
            if node in dissolved:
                parts[node] = inner
            else:
                images[node] = target.add_and(inner) if kind == _AND else target.add_or(inner)
    return images[root]
