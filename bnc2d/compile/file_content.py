"""What is in a model's file, as data: to bytes and back, with every check.

Content of version 3: one line of JSON, then the tables of the diagram, level by level from ``order[0]`` on,
each ``[node, state]`` row by row in the smallest of the unsigned types of 1, 2, 4 or 8 bytes that holds every
number below the level's first node. JSON has the network with exact entries, the classifier's rule, the shape
of the diagram, the sizes of the formulas, and those circuits that are not made from the diagram by the
default method: the formulas of the methods for comparison. Content of version 4 also has the constraint that
the model is under, as a circuit (``given``); its diagram is the one without the constraint. Content of
version 5 may have one, and has the scales of variables whose states were made from columns of data.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.readers.numbers import MAX_DIGITS
from bnc2d.base.scales import States, scale_from_data, scale_of
from bnc2d.compile.model import BaseCompiledModel, Stats
from bnc2d.compile.result import feature_domain
from bnc2d.logic.circuit.arrays import listed
from bnc2d.logic.circuit.manager import Kind, Manager, NodeId
from bnc2d.logic.circuit.queries import is_constant
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.training import Training
from bnc2d.model.variable import Variable

# From the shape of a diagram, its terminals and the number of states at each level.
_LevelReader: TypeAlias = Callable[[dict[str, Any], int, Sequence[int]], list[NDArray[np.int64]]]

_TYPES = ("<u1", "<u2", "<u4", "<u8")


def to_bytes(model: BaseCompiledModel) -> bytes:
    """Return the content of a model's file."""
    constraint, model = model.constraint, model.unconstrained
    diagram = model.diagram
    data = {
        **_classifier_data(model.classifier),
        "diagram": {
            "order": list(diagram.order),
            "terminals": diagram.terminals,
            "nodes": [len(table) for table in diagram.levels],
            "root": diagram.root,
        },
        "sizes": [list(model.formula_size(name)) for name in model.classes],
        "formulas": [
            [label, negated, *_circuit_data(formula)]
            for (label, negated), formula in sorted(model.formulas.items())
        ],
        "stats": model.stats.of_any_run(),
        **({} if constraint is None else {"given": _circuit_data(constraint)}),
    }
    text = json.dumps(data, separators=(",", ":")).encode()
    firsts = _firsts(diagram.terminals, data["diagram"]["nodes"])
    tables = [
        table.astype(_type_below(first)).tobytes()
        for table, first in zip(diagram.levels, firsts, strict=True)
    ]
    return b"".join([text, b"\n", *tables])


class Stored(NamedTuple):
    """What a file holds: a model in which all instances count, and the constraint put on it, if any."""

    model: BaseCompiledModel
    constraint: NNF | None = None


def from_bytes(content: bytes) -> Stored:
    """Return what such content holds; what does not fit together is an error of any kind."""
    end = content.find(b"\n")
    if end < 0:
        raise ValueError("the tables of the diagram are missing")
    data = json.loads(content[:end])
    model = _model(data, partial(_levels, memoryview(content)[end + 1 :]))
    for name, (nodes, edges) in zip(model.classes, data["sizes"], strict=True):
        model.set_formula_size(name, (_whole(nodes), _whole(edges)))
    _add_formulas(model, data["formulas"])
    if "given" not in data:
        return Stored(model)
    nodes, root = data["given"]
    manager = Manager(model.domain)
    return Stored(model, NNF(manager, _circuit(manager, nodes)[_whole(root)]))


def from_text(text: bytes) -> Stored:
    """Return the model of content of version 1 or 2."""
    data = json.loads(text)
    model = _model(data, _listed_levels)
    if model.stats.method != "fast":  # whose formulas are made from the diagram, when they are asked for
        _add_formulas(model, data["formulas"])
    return Stored(model)


def _model(data: dict[str, Any], read_levels: _LevelReader) -> BaseCompiledModel:
    """Return the model without formulas; its diagram must fit the classifier and break no rule."""
    classifier, shape = _classifier(data), data["diagram"]
    order = tuple(_whole(position) for position in shape["order"])
    terminals = len(classifier.classes) + classifier.rule.leaves_ties
    if _whole(shape.get("terminals", terminals)) != terminals:
        raise ValueError(f"the diagram has {shape['terminals']} terminals, the rule {terminals}")
    levels = read_levels(shape, terminals, [len(classifier.feature_variables[at]) for at in order])
    diagram = Diagram(feature_domain(classifier), order, terminals, tuple(levels), _whole(shape["root"]))
    flaw = diagram.flaw()
    if flaw is not None:
        raise ValueError(f"the diagram: {flaw}")
    return BaseCompiledModel(classifier, diagram, Stats(**data["stats"]))


def _classifier_data(classifier: BaseClassifier) -> dict[str, Any]:
    network = classifier.network
    return {
        "network": {
            "name": network.name,
            "variables": [[variable.name, list(variable.states)] for variable in network.variables],
            **({"scales": scales} if (scales := _scales(network)) else {}),
            "tables": [
                [
                    [network.index(v) for v in cpt.scope],
                    [str(entry) for entry in cpt.exact.reshape(-1).tolist()],
                ]
                for cpt in network.cpts
            ],
        },
        "classifier": {
            "target": classifier.target,
            "features": list(classifier.features),
            "threshold": None if classifier.threshold is None else str(classifier.threshold),
            "positive": classifier.positive,
            "ties": classifier.ties,
            **({} if classifier.training is None else {"training": classifier.training.to_data()}),
        },
    }


def _scales(network: BayesianNetwork) -> dict[str, Any]:
    """Return the scales of the variables that have one, by name."""
    found = {variable.name: scale_of(variable.states) for variable in network.variables}
    return {name: scale.to_data() for name, scale in found.items() if scale is not None}


def has_scales(model: BaseCompiledModel) -> bool:
    """Return whether some variable of the model's network has a scale."""
    return any(scale_of(variable.states) is not None for variable in model.classifier.network.variables)


def _classifier(data: dict[str, Any]) -> BaseClassifier:
    network_data, rule = data["network"], data["classifier"]
    scales = {name: scale_from_data(one) for name, one in network_data.get("scales", {}).items()}
    variables = [
        Variable(name, States(scales[name], states) if name in scales else tuple(states))
        for name, states in network_data["variables"]
    ]
    cpts = []
    for scope, entries in network_data["tables"]:
        *parents, child = (variables[position] for position in scope)
        cpts.append(CPT(child, parents, [_fraction(entry) for entry in entries]))
    network = BayesianNetwork(variables, cpts, str(network_data["name"]))
    threshold = None if rule["threshold"] is None else _fraction(rule["threshold"])
    found = BaseClassifier(
        network, rule["target"], rule["features"], threshold, rule["positive"], rule["ties"]
    )
    if "training" in rule:
        found.training = Training.of_data(rule["training"])
    return found


def _fraction(text: str) -> Fraction:
    numerator, _, denominator = text.partition("/")
    if len(text) > 8 * MAX_DIGITS:
        raise ValueError("a number is too long")
    return Fraction(int(numerator), int(denominator or 1))


def _levels(
    tables: memoryview, shape: dict[str, Any], terminals: int, sizes: Sequence[int]
) -> list[NDArray[np.int64]]:
    """Return the levels in tables; first of all these must be as long as the shape says."""
    nodes = [_whole(count) for count in shape["nodes"]]
    types = [_type_below(first) for first in _firsts(terminals, nodes)]
    widths = [size * dtype.itemsize for size, dtype in zip(sizes, types, strict=True)]
    expected = sum(count * width for count, width in zip(nodes, widths, strict=True))
    if expected != len(tables):
        raise ValueError(f"the diagram's tables take {len(tables)} bytes, its nodes {expected}")
    levels: list[NDArray[np.int64]] = []
    start = 0
    for count, size, dtype, width in zip(nodes, sizes, types, widths, strict=True):
        stop = start + count * width
        flat = np.frombuffer(tables[start:stop], dtype=dtype)
        # A number of 8 bytes that is too large becomes negative, and is refused as such.
        levels.append(flat.astype(np.int64).reshape(count, size))
        start = stop
    return levels


def _listed_levels(shape: dict[str, Any], _: int, sizes: Sequence[int]) -> list[NDArray[np.int64]]:
    pairs = zip(shape["levels"], sizes, strict=True)
    return [np.array(level, dtype=np.int64).reshape(len(level), size) for level, size in pairs]


def _firsts(terminals: int, nodes: Sequence[int]) -> list[int]:
    """Return the number of the first node of each level."""
    return [terminals + sum(nodes[level + 1 :]) for level in range(len(nodes))]


def _type_below(bound: int) -> np.dtype[Any]:
    """Return the smallest type of the numbers from 0 to below ``bound``."""
    found = next((name for name in _TYPES if bound <= 1 << 8 * int(name[2])), None)
    if found is None:
        raise ValueError("the diagram has too many nodes")
    return np.dtype(found)


def _whole(value: object) -> int:
    """Return a number of JSON that must be whole and not negative."""
    if type(value) is not int or value < 0:
        raise ValueError(f"{str(value)[:40]!r} is no number from 0 on")
    return value


def _circuit_data(formula: NNF) -> tuple[list[list[int]], int]:
    """Return the nodes bottom-up as ``[kind, ...]``, children as positions, and the position of the root.

    Their order depends on nothing but the circuit.
    """
    if is_constant(formula.root):
        return [[int(Kind.CONSTANT), formula.root]], 0
    literals, gates = listed(formula.manager, formula.root)
    nodes = [[int(Kind.LITERAL), feature, mask] for feature, mask in literals]
    nodes += [[int(Kind.OR if is_or else Kind.AND), *children] for is_or, children in gates]
    return nodes, len(nodes) - 1


def _add_formulas(model: BaseCompiledModel, formulas: Sequence[Any]) -> None:
    for label, negated, nodes, root in formulas:
        if not _whole(label) < len(model.classes):
            raise ValueError(f"no class {label}")
        model.formulas[label, bool(negated)] = NNF(model.manager, _circuit(model.manager, nodes)[root])


def _circuit(manager: Manager, nodes: list[list[int]]) -> list[NodeId]:
    made: list[NodeId] = []
    add: dict[int, Callable[[list[NodeId]], NodeId]] = {Kind.AND: manager.add_and, Kind.OR: manager.add_or}
    for kind, *payload in nodes:
        if kind == Kind.CONSTANT:
            made.append(int(bool(payload[0])))
        elif kind == Kind.LITERAL:
            feature, mask = payload
            if not 0 <= feature < len(manager.domain):
                raise ValueError("a literal of no feature")
            made.append(manager.add_literal(feature, mask))
        else:
            if not all(0 <= child < len(made) for child in payload):
                raise ValueError("a gate before its children")
            made.append(add[kind]([made[child] for child in payload]))
    return made
