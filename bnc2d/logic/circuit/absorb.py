"""*Absorbing* a gate that serves one gate of its own kind only: its children move up to that gate.

Few gates of a large circuit can be absorbed, so that only edges of theirs and of the gates above them are
looked at closely.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bnc2d.base.arrays import Numbers, counted, joined, ranges, take
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.hashing import grouped, sorted_distinct, stable_order
from bnc2d.logic.circuit.arrays import CircuitArrays
from bnc2d.logic.domain import FeatureId

_CONSTANTS = 2


def absorb(circuit: CircuitArrays) -> CircuitArrays:
    """Return the circuit without the gates that can be absorbed (see ``absorbable``), in the same order.

    The disjuncts of an absorbed OR share no feature with its siblings where the circuit is OR-decomposable,
    and so it stays. What a gate absorbs comes behind its own children.
    """
    edges, above = absorbable(circuit)
    if not len(edges):
        return circuit
    first_gate, arities = circuit.first_gate, np.diff(circuit.starts)
    goes = np.zeros(first_gate + len(arities), dtype=bool)
    goes[circuit.children[edges]] = True
    gone = np.flatnonzero(goes) - first_gate
    index = np.arange(len(goes)) - np.cumsum(goes)  # by old position, the new one
    checkpoint()
    moved, tops = ranges(circuit.starts[gone], arities[gone]), above[gone].repeat(arities[gone])
    staying = np.flatnonzero(~goes[circuit.children[moved]])
    staying = staying[stable_order(tops[staying])]
    own = np.delete(circuit.children, np.concatenate([edges, moved]))
    checkpoint()
    np.subtract.at(arities, _owners(circuit, edges), 1)
    arities = np.delete(arities, gone)
    tops = index[tops[staying] + first_gate] - first_gate
    children = np.insert(own, arities.cumsum()[tops], circuit.children[moved[staying]])
    checkpoint()
    arities += np.bincount(tops, minlength=len(arities))
    return replace(
        circuit,
        is_or=np.delete(circuit.is_or, gone),
        starts=np.concatenate([[0], arities.cumsum()]),
        children=take(index, children),
        roots=index[circuit.roots],
    )


def absorbable(circuit: CircuitArrays) -> tuple[Numbers, Numbers]:
    """Return the edges to gates that can be absorbed, and for each gate the one it ends up in, maybe itself.

    Where that would bring two different literals of a feature together, whose intersection could be a node of
    its own, a gate stays: so absorbing never adds a node. A root stays, too.
    """
    first_gate, count = circuit.first_gate, len(circuit.is_or)
    once = counted(circuit.children, first_gate + count) == 1
    once[circuit.roots] = once[:first_gate] = False
    kinds = circuit.is_or + np.uint8(1)
    sought = once.astype(np.uint8)  # by position, the kind of a gate that could take it in
    sought[first_gate:] *= kinds
    kinds = kinds.repeat(np.diff(circuit.starts))
    found = [np.zeros(0, dtype=np.int64)]
    for piece in pieces(len(kinds)):
        alike = sought.take(circuit.children[piece]) == kinds[piece]
        found.append(np.flatnonzero(alike) + piece.start)
    edges = joined(found)
    gates = circuit.children[edges] - first_gate
    parent = np.arange(count)
    parent[gates] = _owners(circuit, edges)
    above = _tops(parent, gates)
    crowded = _crowded(circuit, gates, above)
    if len(crowded):
        _stay_apart(circuit, parent, np.flatnonzero(np.isin(above, crowded)))
        above = _tops(parent, gates)
    return edges[above[gates] != gates], above


def _owners(circuit: CircuitArrays, edges: Numbers) -> Numbers:
    """Return the gates of some edges."""
    return np.searchsorted(circuit.starts, edges, side="right") - 1


def _tops(parent: Numbers, moving: Numbers) -> Numbers:
    """Follow the pointers of the moving gates up to the gates that point to themselves."""
    above = parent.copy()
    while len(moving):
        checkpoint()
        further = take(above, take(above, moving))
        changed = np.flatnonzero(further != take(above, moving))
        moving = take(moving, changed)
        above[moving] = take(further, changed)
    return above


def _crowded(circuit: CircuitArrays, moving: Numbers, above: Numbers) -> Numbers:
    """Return the gates to which two different literals of a feature would come."""
    gates = sorted_distinct(np.concatenate([moving, above[moving]]))
    arities = circuit.starts[gates + 1] - circuit.starts[gates]
    leaves = take(circuit.children, ranges(circuit.starts[gates], arities))
    tops = above[gates].repeat(arities)
    literals = np.flatnonzero(leaves < circuit.first_gate)
    leaves, tops = leaves[literals], tops[literals]
    checkpoint()
    features = np.concatenate([[-1, -1], circuit.features])  # a constant has none
    keys = (tops << 32) | features[leaves]
    group_ids, first = grouped(keys)
    return take(tops, np.flatnonzero(leaves[first][group_ids] != leaves))


def _stay_apart(circuit: CircuitArrays, parent: Numbers, gates: Numbers) -> None:
    """Let gates that would bring literals of a feature together stay, from the highest gate down."""
    literals = {gate: _literals(circuit, gate) for gate in gates.tolist()}
    for gate in sorted(literals, reverse=True):
        top = int(parent[gate])
        if top == gate:
            continue
        here, moving = literals[top], literals[gate]
        if all(here.get(feature, literal) == literal for feature, literal in moving.items()):
            here.update(moving)
            literals[gate] = here
        else:
            parent[gate] = gate


def _literals(circuit: CircuitArrays, gate: int) -> dict[FeatureId, int]:
    children = circuit.children[circuit.starts[gate] : circuit.starts[gate + 1]].tolist()
    leaves = [child - _CONSTANTS for child in children if _CONSTANTS <= child < circuit.first_gate]
    return {int(circuit.features[leaf]): leaf for leaf in leaves}
