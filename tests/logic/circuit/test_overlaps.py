"""Disjuncts that may have a common model, against sets of states feature by feature."""

from __future__ import annotations

from hypothesis import event, given
from hypothesis import strategies as st

from bnc2d.logic.circuit.fold import fold
from bnc2d.logic.circuit.manager import Kind, Manager
from bnc2d.logic.circuit.overlaps import overlapping_on_sight
from bnc2d.logic.domain import Domain
from tests.logic.strategies import Circuit, circuits, models

Allowed = list[int]  # by feature, the mask of states


def by_sets(manager: Manager, root: int) -> list[tuple[int, list[int]]]:
    """The definition, feature by feature; a node without a state for some feature allows nothing."""
    full = [manager.domain.full(feature) for feature in range(len(manager.domain))]
    nothing = [0] * len(full)

    def alive(allowed: Allowed) -> Allowed:
        return allowed if all(allowed) else nothing

    def joined(parts: list[Allowed], is_or: bool) -> Allowed:
        together = nothing if is_or else full
        for part in parts:
            together = [a | b if is_or else a & b for a, b in zip(together, part, strict=True)]
        return alive(together)

    def allowed_at(node: int) -> Allowed:
        return fold(
            manager,
            node,
            lambda value: full if value else nothing,
            lambda feature, mask: [mask if f == feature else every for f, every in enumerate(full)],
            lambda parts: joined(list(parts), is_or=False),
            lambda parts: joined(list(parts), is_or=True),
        )

    allowed = {node: allowed_at(node) for node in manager.reachable(root)}
    found = []
    for node in sorted(allowed):
        children = manager.children(node) if manager.kind(node) == Kind.OR else ()
        for place, child in enumerate(children):
            later = [
                other
                for other in children[place + 1 :]
                if all(a & b for a, b in zip(allowed[child], allowed[other], strict=True))
            ]
            if later:
                found.append((child, later))
    return found


@given(circuits(max_gates=20))
def test_overlaps_are_those_of_the_definition(circuit: Circuit) -> None:
    manager, root = circuit
    found = overlapping_on_sight(manager, root)
    assert sorted(found) == sorted(by_sets(manager, root))
    event(f"overlaps: {bool(found)}")
    listed = {(child, other) for child, others in found for other in others}
    for node in manager.reachable(root):
        if manager.kind(node) == Kind.OR:
            children = manager.children(node)
            for place, child in enumerate(children):
                for other in children[place + 1 :]:
                    if (child, other) not in listed:
                        assert not models(manager, child) & models(manager, other)


@given(st.lists(st.sampled_from([2, 3, 40, 63, 64, 65, 130]), min_size=1, max_size=5), st.data())
def test_features_of_many_states(sizes: list[int], data: st.DataObject) -> None:
    domain = Domain({f"F{place}": [str(state) for state in range(size)] for place, size in enumerate(sizes)})
    manager = Manager(domain)
    nodes = []
    for feature, size in enumerate(sizes):
        for _ in range(3):
            states = data.draw(st.sets(st.sampled_from([0, 1, size // 2, size - 1]), min_size=1))
            nodes.append(manager.add_literal(feature, sum(1 << state for state in states)))
    for _ in range(8):
        children = data.draw(st.lists(st.sampled_from(nodes), min_size=2, max_size=4))
        add = manager.add_or if data.draw(st.booleans()) else manager.add_and
        nodes.append(add(children))
    for node in nodes[-4:]:
        assert sorted(overlapping_on_sight(manager, node)) == sorted(by_sets(manager, node))
