"""Many gates at once are what one after the other gives, whatever the hashes are."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d.errors import LogicError
from bnc2d.logic.circuit import fold as fold_module
from bnc2d.logic.circuit import manager as manager_module
from bnc2d.logic.circuit import store
from bnc2d.logic.circuit.absorb import absorb
from bnc2d.logic.circuit.arrays import CircuitArrays
from bnc2d.logic.circuit.fold import fold, rewrite
from bnc2d.logic.circuit.manager import Kind, Manager
from bnc2d.logic.circuit.queries import evaluate_rows, is_or_decomposable, node_count
from bnc2d.logic.domain import Domain
from tests.cases import cases
from tests.logic.circuit.well_formed import checked_for
from tests.logic.strategies import Circuit, circuits, contents, domains, models, or_decomposable_circuits
from tests.loops import WAYS, take_way

Gates = list[tuple[bool, list[int]]]


@st.composite
def gate_lists(draw: st.DrawFn) -> tuple[Manager, list[Gates]]:
    """A manager with literals, and gates level by level; children are any nodes, also constants."""
    manager = Manager(draw(domains(max_features=4)))
    for feature, size in enumerate(manager.domain.cardinalities):
        for mask in draw(st.lists(st.integers(1, 2**size - 2), min_size=1, max_size=3)):
            manager.add_literal(feature, mask)
    levels = []
    known = len(manager)
    for _ in range(draw(st.integers(1, 3))):
        numbers = st.integers(0, known - 1)
        gates = draw(
            st.lists(st.tuples(st.booleans(), st.lists(numbers, max_size=4)), min_size=1, max_size=8)
        )
        levels.append(gates)
        known += len(gates)
    return manager, levels


def as_arrays(manager: Manager, levels: list[Gates]) -> CircuitArrays:
    """Return the gates as one circuit, of which every node is a root."""
    literals = [node for node in range(2, len(manager)) if manager.is_literal(node)]
    features, masks = zip(*map(manager.literal_of, literals), strict=True)
    gates = [gate for level in levels for gate in level]
    return CircuitArrays(
        np.array(features),
        masks,
        np.array([is_or for is_or, _ in gates]),
        np.cumsum([0, *(len(below) for _, below in gates)]),
        np.array([child for _, below in gates for child in below], dtype=np.int64),
        np.arange(2 + len(literals) + len(gates)),
    )


def weaken(patch: pytest.MonkeyPatch, way: str, hashing: str, *managers: Manager) -> None:
    """Take a way, and let few bits of hashes be left; managers have nothing but literals yet."""
    take_way(way, patch)
    kept = {"sound": 2**64 - 1, "few values": 3, "all equal": 0}[hashing]
    if way == "loop":  # which makes hashes of gates itself, of those of literals
        sound = store.NodeStore.add_literal

        def add_literal(self: store.NodeStore, feature: int, mask: int) -> int:
            node = sound(self, feature, mask)
            self.hashes[node] &= np.uint64(kept)
            return node

        patch.setattr(store.NodeStore, "add_literal", add_literal)
        for manager in managers:
            manager.store.hashes[: len(manager)] &= np.uint64(kept)
        return
    sound_one, sound_many = store.NodeStore.hash_of, store.NodeStore.hashes_of
    patch.setattr(store.NodeStore, "hash_of", lambda *gate: sound_one(*gate) & kept)
    patch.setattr(store.NodeStore, "hashes_of", lambda *gates: sound_many(*gates) & np.uint64(kept))


def value(kind: bool, parts: list[Any], shape: int) -> Any:
    everything = np.full(shape, not kind)
    for part in parts:
        everything = everything | part if kind else everything & part
    return everything


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hashing", ["sound", "few values", "all equal"])
@pytest.mark.parametrize(("batch", "few"), [(1 << 17, 24), (3, 24), (1 << 17, 0)])
@given(case=gate_lists())
@settings(max_examples=cases(15, 40))
def test_many_at_once_are_one_by_one(
    way: str, hashing: str, batch: int, few: int, case: tuple[Manager, list[Gates]]
) -> None:
    manager, levels = case
    arrays = as_arrays(manager, levels)
    other, third = Manager(manager.domain), Manager(manager.domain)
    for node in range(2, len(manager)):
        other.add_literal(*manager.literal_of(node))
    rows = np.array(list(product(*map(range, manager.domain.cardinalities))))
    with pytest.MonkeyPatch.context() as patch:
        weaken(patch, way, hashing, manager, other, third)
        patch.setattr(store, "_FEW", few)
        patch.setattr(store, "_BATCH", batch)
        patch.setattr(manager_module, "_FEW", 0)
        patch.setattr(manager_module, "_FEW_GATES", 0)
        ids = list(range(len(manager)))
        single = list(ids)
        values: list[Any] = [evaluate_rows(manager, node, rows) for node in ids]
        for gates in levels:
            children = [ids[child] for _, below in gates for child in below]
            found = manager.add_gates(
                np.array([is_or for is_or, _ in gates]),
                np.array([len(below) for _, below in gates]),
                np.array(children, dtype=np.int64),
            )
            for is_or, below in gates:
                add = other.add_or if is_or else other.add_and
                single.append(add([single[child] for child in below]))
                values.append(value(is_or, [values[child] for child in below], len(rows)))
            ids += found.tolist()
        for node, one, expected in zip(ids, single, values, strict=True):
            assert (evaluate_rows(manager, node, rows) == expected).all()
            assert node_count(manager, node) == node_count(other, one)
            assert CircuitArrays.of(manager, [node]).add_to(other) == [one]
        assert arrays.add_to(other) == single
        again = arrays.add_to(third)
        assert CircuitArrays.of(third, again).add_to(other) == single
        third.assert_consistent()
        manager.assert_consistent()
        other.assert_consistent()
        assert len(manager) == len(other)
    event(f"nodes: {len(manager) // 10}0")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hashing", ["sound", "few values", "all equal"])
@given(case=circuits(), data=st.data())
@settings(max_examples=cases(15, 40))
def test_many_levels_at_once_as_one_at_a_time(
    way: str, hashing: str, case: Circuit, data: st.DataObject
) -> None:
    manager, root = case
    nodes = manager.reachable(root)
    known = data.draw(st.sampled_from(nodes))  # is in the target before
    with pytest.MonkeyPatch.context() as patch:
        weaken(patch, way, hashing)
        targets = []
        patch.setattr(manager_module, "_FEW", 0)
        patch.setattr(manager_module, "_FEW_GATES", 0)
        for piece in (1 << 18, 1):
            patch.setattr(manager_module, "_TOGETHER", piece)
            patch.setattr(store, "_BATCH", piece)
            target = Manager(manager.domain)
            CircuitArrays.of(manager, [known]).add_to(target)
            roots = CircuitArrays.of(manager, [root, known]).add_to(target, simplify=False)
            assert CircuitArrays.of(manager, [root, known]).add_to(target, simplify=False) == roots
            target.assert_consistent()
            targets.append((target, roots))
        (one, one_roots), (other, other_roots) = targets
        assert one_roots == other_roots
        assert contents(one) == contents(other)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("hashing", ["sound", "few values", "all equal"])
@given(case=circuits(), data=st.data())
def test_rewritten_at_once_as_gate_by_gate(
    way: str, hashing: str, case: Circuit, data: st.DataObject
) -> None:
    """Constants, equal gates and literals of a feature that come together are simplified in both ways."""
    manager, root = case
    masks = [
        data.draw(st.lists(st.integers(0, full), min_size=full + 1, max_size=full + 1))
        for full in map(manager.domain.full, range(len(manager.domain)))
    ]
    dual, apart = data.draw(st.booleans()), data.draw(st.booleans())
    target = Manager(manager.domain) if apart else manager
    gates = [target.add_or, target.add_and] if dual else [target.add_and, target.add_or]

    def literal(feature: int, mask: int) -> int:
        return target.add_literal(feature, masks[feature][mask])

    with pytest.MonkeyPatch.context() as patch:
        weaken(patch, way, hashing if apart else "sound")  # what is in a manager has its hash already
        patch.setattr(manager_module, "_FEW", 0)
        patch.setattr(manager_module, "_FEW_GATES", 0)
        patch.setattr(manager_module, "_ALONE", data.draw(st.integers(1, 3)))
        for name in ("_FEW", "_FEW_PRUNED"):
            patch.setattr(fold_module, name, -1)
        found = rewrite(manager, root, literal, into=target, dual=dual)
        patch.setattr(fold_module, "_FEW_PRUNED", 4000)
        assert rewrite(manager, root, literal, into=target, dual=dual) == found
        assert fold(manager, root, lambda value: int(value != dual), literal, *gates) == found
        target.assert_consistent()
    event(f"a constant: {found < 2}")


@pytest.mark.parametrize("way", WAYS)
def test_a_million_gates_are_found_again(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    take_way(way, monkeypatch)
    domain = Domain({f"x{i}": ("0", "1") for i in range(1500)})
    manager = Manager(domain)
    literals = np.array([manager.add_literal(feature, 1) for feature in range(1500)])
    one, other = np.triu_indices(1500, 1)
    pairs = np.stack([literals[other], literals[one]], axis=1).reshape(-1)
    is_or, arities = np.arange(len(one)) % 2 == 0, np.full(len(one), 2)
    found = manager.add_gates(is_or, arities, pairs)
    assert (found == np.arange(len(one)) + found[0]).all()
    assert (manager.add_gates(is_or, arities, pairs) == found).all()
    assert (manager.add_gates(~is_or, arities, pairs) == found + len(one)).all()
    place = 12_345
    add = manager.add_or if is_or[place] else manager.add_and
    assert add([int(literals[one[place]]), int(literals[other[place]])]) == found[place]


def test_children_that_are_no_nodes_are_refused() -> None:
    manager = Manager(Domain({"A": ("0", "1")}))
    for child, count in product((-1, 2, 10**9), (1, 20)):
        with pytest.raises(LogicError, match="no node of the manager"):
            manager.add_gates(
                np.full(count, fill_value=True), np.full(count, 2), np.array([child, 1] * count)
            )
        with pytest.raises(LogicError, match="nodes of this manager"):
            manager.add_or([child, 1])


def test_more_states_than_a_word_has_bits() -> None:
    manager = Manager(Domain({"A": [str(state) for state in range(200)], "B": ("0", "1")}))
    a = [manager.add_literal(0, 1 << 190 | 1 << shift) for shift in range(64)]
    b = manager.add_literal(1, 1)
    children = np.array([node for pair in pairwise(a) for node in (*pair, b)])
    is_or = np.arange(63) % 2 == 0
    found = manager.add_gates(is_or, np.full(63, 3), children)
    for place, node in enumerate(found.tolist()):
        mask = 1 << 190 | (3 << place if is_or[place] else 0)
        literal = next(child for child in manager.children(node) if child != b)
        assert manager.literal_of(literal) == (0, mask)
        assert manager.kind(node) == (Kind.OR if is_or[place] else Kind.AND)
    manager.assert_consistent()


@given(circuits(), circuits(), st.data())
def test_arrays_say_what_the_circuit_says_and_no_more(
    first: Circuit, second: Circuit, data: st.DataObject
) -> None:
    """Arrays in canonical order are the same from whatever manager they come."""
    manager, root = first
    arrays = CircuitArrays.of(manager, [root]).canonical()
    crowd, _ = second
    if crowd.domain == manager.domain or data.draw(st.booleans()):
        crowd = Manager(manager.domain)
        for feature in reversed(range(len(manager.domain))):
            crowd.add_literal(feature, 1)
        nodes = manager.reachable(root)
        for node in data.draw(st.permutations(nodes)):
            CircuitArrays.of(manager, [node]).add_to(crowd)
        [copied] = CircuitArrays.of(manager, [root]).add_to(crowd)
        again = CircuitArrays.of(crowd, [copied]).canonical()
        for name in ("features", "is_or", "starts", "children", "roots"):
            assert np.array_equal(getattr(arrays, name), getattr(again, name)), name
        assert arrays.masks == again.masks
    empty = Manager(manager.domain)
    [copy] = checked_for(arrays, empty).add_to(empty)
    assert models(empty, copy) == models(manager, root)
    assert node_count(empty, copy) == node_count(manager, root)
    assert arrays.add_to(manager) == [root]


def test_several_roots_and_constants() -> None:
    manager = Manager(Domain({"A": ("0", "1"), "B": ("0", "1")}))
    a, b = manager.add_literal(0, 1), manager.add_literal(1, 2)
    roots = [1, manager.add_and([a, b]), b, 0, manager.add_or([a, b]), b]
    assert CircuitArrays.of(manager, roots).canonical().add_to(manager) == roots


@pytest.mark.parametrize("hashing", ["sound", "all equal"])
@given(case=circuits())
def test_canonical_order_with_equal_hashes(hashing: str, case: Circuit) -> None:
    manager, root = case
    with pytest.MonkeyPatch.context() as patch:
        if hashing == "all equal":
            name = "bnc2d.logic.circuit.arrays.codes"
            patch.setattr(name, lambda first, last: np.zeros(last - first, dtype=np.uint64))
        arrays = CircuitArrays.of(manager, [root]).canonical()
    assert arrays.add_to(manager) == [root]


@given(or_decomposable_circuits())
def test_absorbing_keeps_models_and_adds_no_node(case: tuple[Manager, int, list[int]]) -> None:
    manager, root, _ = case
    arrays = CircuitArrays.of(manager, [root])
    absorbed = absorb(arrays)
    target = Manager(manager.domain)
    [copy] = absorbed.add_to(target)
    assert models(target, copy) == models(manager, root)
    assert node_count(target, copy) <= absorbed.size <= arrays.size == max(1, node_count(manager, root))
    assert is_or_decomposable(target, copy)
    target.assert_consistent()
    event(f"absorbed: {arrays.size - absorbed.size}")


def broken(**changes: Any) -> CircuitArrays:
    sound = {
        "features": np.array([0, 1]),
        "masks": (1, 2),
        "is_or": np.array([True]),
        "starts": np.array([0, 2]),
        "children": np.array([2, 3]),
        "roots": np.array([4]),
    }
    return CircuitArrays(**{**sound, **changes})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"features": np.array([0, 2])}, "no feature"),
        ({"features": np.array([-1, 1])}, "no feature"),
        ({"features": np.array([0])}, "fit together"),
        ({"features": np.array([0.0, 1.0])}, "integers"),
        ({"masks": (1, 3)}, "proper set"),
        ({"masks": (0, 1)}, "proper set"),
        ({"masks": (1, True)}, "proper set"),
        ({"masks": (1, 4)}, "proper set"),
        ({"is_or": np.array([1])}, "fit together"),
        ({"starts": np.array([0, 3])}, "where the circuit says"),
        ({"starts": np.array([1, 2])}, "where the circuit says"),
        ({"starts": np.array([0])}, "where the circuit says"),
        ({"starts": np.array([0, 3, 2]), "is_or": np.array([True, True])}, "end before they begin"),
        ({"children": np.array([2, 4])}, "before its gate"),
        ({"children": np.array([-1, 2])}, "before its gate"),
        ({"roots": np.array([5])}, "a root"),
        ({"roots": np.array([-1])}, "a root"),
        ({"children": np.array([[2, 3]])}, "integers"),
    ],
)
def test_arrays_that_are_no_circuit_are_refused(changes: dict[str, Any], words: str) -> None:
    manager = Manager(Domain({"A": ("0", "1"), "B": ("0", "1")}))
    assert checked_for(broken(), manager).add_to(manager) == [4]
    with pytest.raises(LogicError, match=words):
        checked_for(broken(**changes), manager)
    assert len(contents(manager)) == 5


def test_a_broken_store_is_noticed() -> None:
    """Each column, and the table, is compared with the others."""

    def sound() -> Manager:
        manager = Manager(Domain(dict.fromkeys("ABC", ("0", "1", "2"))))
        literals = [manager.add_literal(feature, mask) for feature in range(3) for mask in (1, 2)]
        pairs = [manager.add_or([one, other]) for one in literals for other in literals]
        for one, other in zip(pairs, pairs[7:], strict=False):
            manager.add_and([one, other])
        manager.assert_consistent()
        return manager

    for column, change in (("kinds", 1), ("levels", 1), ("features", -1), ("hashes", 1), ("starts", 1)):
        manager = sound()
        values = getattr(manager.store, column)
        values[manager.store.count - 1] ^= values.dtype.type(change)
        with pytest.raises(AssertionError):
            manager.assert_consistent()
    manager = sound()
    manager.store.children[0] += 100
    with pytest.raises(AssertionError):
        manager.assert_consistent()
    manager = sound()
    slots = manager.store.slots
    free, taken = np.flatnonzero(slots < 0), np.flatnonzero(slots >= 0)
    lonely = next(int(place) for place in free if place - 1 in free)
    slots[lonely], slots[taken[0]] = slots[taken[0]], -1
    with pytest.raises(AssertionError):
        manager.assert_consistent()
