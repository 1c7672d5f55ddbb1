"""Hypothesis strategies: random domains, circuits and instances, small enough to enumerate."""

from __future__ import annotations

from itertools import product

from hypothesis import strategies as st

from bnc2d.logic.circuit.manager import Kind, Manager, NodeId
from bnc2d.logic.circuit.queries import evaluate
from bnc2d.logic.domain import Domain

Circuit = tuple[Manager, NodeId]


@st.composite
def domains(draw: st.DrawFn, max_features: int = 5, max_states: int = 4) -> Domain:
    sizes = draw(st.lists(st.integers(2, max_states), min_size=1, max_size=max_features))
    return Domain({f"F{number}": [f"s{state}" for state in range(size)] for number, size in enumerate(sizes)})


@st.composite
def circuits(draw: st.DrawFn, max_features: int = 5, max_states: int = 4, max_gates: int = 12) -> Circuit:
    """Any circuit: shared nodes, constants and repeated features included."""
    domain = draw(domains(max_features, max_states))
    manager = Manager(domain)
    nodes = [0, 1]
    for feature, size in enumerate(domain.cardinalities):
        masks = draw(st.lists(st.integers(1, 2**size - 2), min_size=1, max_size=3))
        nodes += [manager.add_literal(feature, mask) for mask in masks]
    for _ in range(draw(st.integers(0, max_gates))):
        children = draw(
            st.lists(st.sampled_from(nodes[2:] if len(nodes) > 2 else nodes), min_size=1, max_size=4)
        )
        add = manager.add_and if draw(st.booleans()) else manager.add_or
        nodes.append(add(children))
    return manager, nodes[-1]


@st.composite
def or_decomposable_circuits(
    draw: st.DrawFn, max_features: int = 5, max_states: int = 4, conjuncts: int = 3, towards: bool = False
) -> tuple[Manager, NodeId, list[int]]:
    """An OR-decomposable circuit and an instance as state positions.

    ORs split their features among the disjuncts, ANDs may share features. With ``towards``, every literal
    holds for the instance (a locally fixated circuit, like a general reason).
    """
    domain = draw(domains(max_features, max_states))
    manager = Manager(domain)
    positions = [draw(st.integers(0, size - 1)) for size in domain.cardinalities]

    def build(features: list[int], fuel: int) -> NodeId:
        if fuel == 0 or not features:
            if not features:
                return draw(st.sampled_from([0, 1]))
            feature = draw(st.sampled_from(features))
            mask = draw(st.integers(1, domain.full(feature) - 1))
            if towards and not mask >> positions[feature] & 1:
                mask = domain.full(feature) & ~mask
            return manager.add_literal(feature, mask)
        if draw(st.booleans()):
            return manager.add_and(
                [build(features, fuel - 1) for _ in range(draw(st.integers(1, conjuncts)))]
            )
        cut = draw(st.integers(0, len(features)))
        order = draw(st.permutations(features))
        parts = [part for part in (order[:cut], order[cut:]) if part]
        return manager.add_or([build(sorted(part), fuel - 1) for part in parts])

    return manager, build(list(range(len(domain))), draw(st.integers(0, 4))), positions


def models(manager: Manager, root: NodeId) -> set[tuple[int, ...]]:
    """Return all instances (state positions) that satisfy the circuit, by evaluating each."""
    return {
        positions
        for positions in product(*(range(size) for size in manager.domain.cardinalities))
        if evaluate(manager, root, positions)
    }


def contents(manager: Manager) -> list[tuple[int, tuple[int, ...]]]:
    """Return what each node is, to compare managers."""
    return [
        (kind, manager.literal_of(node) if kind == Kind.LITERAL else manager.children(node))
        for node, kind in enumerate(map(manager.kind, range(len(manager))))
    ]
