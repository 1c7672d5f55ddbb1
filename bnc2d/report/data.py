"""A compiled model as plain data for a page: what the page's script needs, and nothing else.

All circuits share one list of nodes, children before parents: ``[0, value]`` is a constant,
``[1, feature, states]`` a literal, ``[2, child, …]`` an AND, ``[3, child, …]`` an OR. A set of states is a
number whose bit *i* stands for state *i*, written in text where JavaScript's numbers would round it. Under a
constraint the circuits are "the constraint implies the class", and the last terminal of the diagram, named by
``outside``, is for instances that do not count.
"""

from __future__ import annotations

from collections.abc import Sequence
from graphlib import TopologicalSorter
from typing import Any

from bnc2d.base.budget import Budget
from bnc2d.base.readers.states import false_true
from bnc2d.base.scales import Intervals, scale_of
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.compile.zeros.possible import possible_instances
from bnc2d.errors import LimitExceeded
from bnc2d.logic.circuit.arrays import together
from bnc2d.logic.circuit.manager import Kind, Manager, NodeId
from bnc2d.logic.circuit.picture import canonical_order, draw_circuit
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.from_circuits import diagram_of_circuit
from bnc2d.logic.diagram.nearest import nearest
from bnc2d.logic.diagram.restrict import restricted
from bnc2d.logic.diagram.to_circuit import class_formula
from bnc2d.logic.domain import StateMask
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.variable import Variable
from bnc2d.report.tables import page_rule, page_tables

# A page of more nodes (circuits and diagram together) would be slow to load and to use.
MAX_NODES = 400_000
_MAX_DRAWN = 300  # nodes of a circuit whose drawing can be read

_EXACT_IN_JAVASCRIPT = 2**53
# For finding out which instances are possible; where that takes more, the page says that it does not know.
_POSSIBLE_SECONDS, _POSSIBLE_MEMORY = 30.0, 2**29


def page_data(model: BaseCompiledModel) -> dict[str, Any]:
    """Return everything that a page shows about a model, ready for JSON.

    A model with more than ``MAX_NODES`` nodes is refused with ``LimitExceeded``.
    """
    _check_size(model.diagram.node_count)
    manager, roots = _circuits(model)
    nodes = sorted({node for pair in roots for root in pair for node in manager.reachable(root)})
    _check_size(model.diagram.node_count + len(nodes))
    place = {node: position for position, node in enumerate(nodes)}
    names = decisions(model)
    counts = model.diagram.counts()[: len(names)]
    total = model.instance_count
    possible = _possible(model)
    tables = page_tables(model.classifier)
    return {
        "name": model.classifier.network.name,
        "target": model.target,
        "features": features_data(model.classifier.feature_variables),
        "classes": list(model.classes),
        "counts": [[str(count), count / total] for count in counts],
        "total": str(total),
        "all": str(model.domain.instance_count),
        "constraint": None if model.constraint is None else str(model.constraint),
        "outside": None if model.constraint is None else len(names),
        "diagram": _diagram(model.diagram),
        "possible": None if possible is None else _diagram(possible[0]),
        "impossible": None if possible is None else str(possible[1].count(0)),
        "rule": page_rule(model.classifier),
        "network": tables if isinstance(tables, dict) else None,
        "without": tables if isinstance(tables, str) else None,
        "start": _start(model, None if possible is None else possible[1]),
        "nodes": [_node(manager, node, place) for node in nodes],
        "roots": [[place[root] for root in pair] for pair in roots],
        "pictures": [_drawing(manager, root, place) for root, _ in roots],
    }


def features_data(features: Sequence[Variable]) -> list[list[Any]]:
    """Return the name and the states of each feature, and which state reads as true (-1: they read not so).

    A column of numbers in intervals also has its cuts, as people read them, each with whether the number
    itself is in the lower part and with its exact value, and its unit; one whose missing values have a state
    of their own is shown by the names of its states.
    """
    found: list[list[Any]] = []
    for feature in features:
        reading, scale = false_true(feature.states), scale_of(feature.states)
        record = [feature.name, list(feature.states), feature.states.index(reading[1]) if reading else -1]
        if isinstance(scale, Intervals) and not scale.has_missing_state:
            cuts = [[scale.cut_text(cut), int(cut.below), cut.value] for cut in scale.cuts]
            record.append({"cuts": cuts, "unit": scale.unit})
        found.append(record)
    return found


def mask_data(mask: StateMask) -> int | str:
    """Return a set of states, as text where JavaScript's numbers would round it."""
    return mask if mask < _EXACT_IN_JAVASCRIPT else str(mask)


def _diagram(diagram: Diagram) -> dict[str, Any]:
    return {
        "order": list(diagram.order),
        "terminals": diagram.terminals,
        "levels": [level.tolist() for level in diagram.levels],
        "root": diagram.root,
    }


def _possible(model: BaseCompiledModel) -> tuple[Diagram, Diagram] | None:
    """Return the diagram of the possible instances, or None where it is too large for a page.

    Beside it, the same among the instances that count: 0 impossible, 1 possible, 2 does not count.
    """
    try:
        diagram = possible_instances(model.classifier, _POSSIBLE_SECONDS, _POSSIBLE_MEMORY)
        counted = diagram
        if model.constraint is not None:
            budget = Budget(_POSSIBLE_SECONDS)
            with budget.limiting():
                constraint = model.constraint
                allowed = diagram_of_circuit(
                    constraint.manager, constraint.root, diagram.order, budget.progress
                )
                counted = restricted(diagram, allowed)
    except LimitExceeded:
        return None
    return (diagram, counted) if model.diagram.node_count + diagram.node_count <= MAX_NODES else None


def _start(model: BaseCompiledModel, possible: Diagram | None) -> list[int]:
    """Return the instance that the page opens on: one that counts, and a possible one if there is one.

    It is that of ``_likely`` or the nearest to it. ``possible`` tells the possible ones among those that
    count, as in ``_possible``.
    """
    row = _likely(model.classifier)
    if model.constraint is None:
        return row
    found = nearest(possible, row, {1}, ()) if possible is not None else None
    return found or nearest(model.diagram, row, range(len(decisions(model))), ()) or row


def _likely(classifier: BaseClassifier) -> list[int]:
    """Return all first states, or a likely instance where that one is impossible.

    The likely one takes the most probable state of each variable, given those of its parents.
    """
    if classifier.is_possible({v.name: v.states[0] for v in classifier.feature_variables}):
        return [0] * len(classifier.features)
    network = classifier.network
    chosen: dict[str, int] = {}
    for name in TopologicalSorter({name: network.parents(name) for name in network.names}).static_order():
        column = network.cpt(name).exact[tuple(chosen[parent] for parent in network.parents(name))].tolist()
        chosen[name] = column.index(max(column))
    return [chosen[name] for name in classifier.features]


def _check_size(count: int) -> None:
    if count > MAX_NODES:
        remedy = "rows= (--csv FILE) makes a page with the answers on these rows instead"
        raise LimitExceeded(f"the model has {count} nodes, a page can hold {MAX_NODES}; {remedy}")


def _circuits(model: BaseCompiledModel) -> tuple[Manager, list[tuple[NodeId, NodeId]]]:
    """Return the formula of each class and of its complement; last, where ties are, of no class."""
    found = [model.formula(name, negated).root for name in model.classes for negated in (False, True)]
    everything = set(range(model.diagram.terminals))
    counted = set(range(len(decisions(model))))
    for label in sorted(counted)[len(model.classes) :]:
        leading = [everything - counted | {label}, everything - {label}]
        found += [class_formula(model.diagram.leading_to(some), model.manager, 1) for some in leading]
    manager, roots = together(model.manager, found)
    return manager, list(zip(roots[::2], roots[1::2], strict=True))


def _node(manager: Manager, node: NodeId, place: dict[NodeId, int]) -> list[int | str]:
    kind = manager.kind(node)
    if kind == Kind.CONSTANT:
        return [int(kind), node]
    if kind == Kind.LITERAL:
        feature, mask = manager.literal_of(node)
        return [int(kind), feature, mask_data(mask)]
    return [int(kind), *(place[child] for child in manager.children(node))]


def _drawing(manager: Manager, root: NodeId, place: dict[NodeId, int]) -> dict[str, Any] | None:
    """Return the drawing of a circuit, so that the page can light up what is active; None for a large one.

    Points are the boxes, then the way points of long edges, which stand for the node that they lead to, by
    its position in the page's list. Edges go from point to point and are listed from the top down.
    """
    figure = draw_circuit(manager, root)
    if figure.nodes > _MAX_DRAWN or figure.is_summary:
        return None
    picture = figure.layout(figure.graph())
    ids = canonical_order(manager, root)
    boxes = [(ids[placed.node], placed) for placed in picture.boxes]
    points = {(placed.x, placed.y): number for number, (_, placed) in enumerate(boxes)}
    for line in picture.lines:
        points.setdefault(line.points[-1], len(points))
    edges = [(points[line.points[0]], points[line.points[-1]]) for line in picture.lines]
    below = dict(edges)  # a way point has one edge downwards
    nodes = [place[node] for node, _ in boxes]
    for number in range(len(boxes), len(points)):
        end = number
        while end >= len(boxes):
            end = below[end]
        nodes.append(nodes[end])
    return {
        "width": round(picture.width, 1),
        "height": round(picture.height, 1),
        "boxes": [
            [
                int(manager.kind(node)),
                round(placed.width, 1),
                round(placed.height, 1),
                placed.label.lines[0],
                placed.label.title,
            ]
            for node, placed in boxes
        ],
        "points": [[round(x, 1), round(y, 1)] for x, y in points],
        "nodes": nodes,
        "edges": [list(edge) for edge in edges],
    }
