"""What the columns and the table of a store of nodes promise, checked."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import ascending, stable_order
from bnc2d.logic.circuit.slots import EMPTY
from bnc2d.logic.circuit.store import FIRST_GATE_KIND, NodeStore


def assert_consistent(store: NodeStore) -> None:
    """Check what the columns and the table promise."""
    store.make_room(0, 0)  # repairs what an interrupted change left
    count, starts = store.count, store.starts[: store.count + 1]
    kinds, arities = store.kinds[:count], np.diff(starts)
    gates = np.flatnonzero(kinds >= FIRST_GATE_KIND)
    assert starts[0] == 0  # noqa: S101
    assert starts[-1] <= len(store.children)  # noqa: S101
    assert (kinds[:2] == 0).all()  # noqa: S101
    assert (kinds[2:] > 0).all()  # noqa: S101
    assert (kinds <= FIRST_GATE_KIND + 1).all()  # noqa: S101
    assert np.array_equal(gates, np.flatnonzero(arities))  # noqa: S101
    assert (arities[gates] >= 2).all()  # noqa: S101
    assert np.array_equal(kinds == FIRST_GATE_KIND - 1, store.features[:count] >= 0)  # noqa: S101
    children, owners = store.children[: starts[-1]], np.repeat(np.arange(count), arities)
    assert (children > 1).all()  # noqa: S101
    assert (children < owners).all()  # noqa: S101
    assert ((children[1:] > children[:-1]) | (owners[1:] != owners[:-1])).all()  # noqa: S101
    checkpoint()
    levels = np.zeros(count, dtype=np.int64)
    hashes = store.hashes[gates]
    if len(gates):
        levels[gates] = np.maximum.reduceat(store.levels[children], starts[gates]) + 1
        assert np.array_equal(hashes, store.hashes_of(kinds[gates], starts[gates], children))  # noqa: S101
    assert np.array_equal(levels, store.levels[:count])  # noqa: S101
    _assert_found(store, gates, hashes)


def _assert_found(store: NodeStore, gates: Numbers, hashes: NDArray[np.uint64]) -> None:
    """Check that every gate is in the table once, where it is looked for, and that no two are equal."""
    most = len(store.slots) - 1
    places = np.flatnonzero(store.slots != EMPTY)
    assert np.array_equal(ascending(store.slots[places]), gates)  # noqa: S101
    assert 2 * len(gates) <= len(store.slots)  # noqa: S101
    checkpoint()
    home = (store.hashes[store.slots[places]] & np.uint64(most)).view(np.int64)
    distance = (places - home) & most
    empty_before = np.cumsum(np.tile(store.slots == EMPTY, 2))
    last = np.where(places < home, places + len(store.slots), places)
    assert (empty_before[last] == empty_before[last - distance]).all()  # noqa: S101
    checkpoint()
    order = stable_order(hashes)
    same = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
    rivals = gates[np.union1d(order[same], order[same + 1])].tolist()
    contents = {(store.kind_of[node], *store.children_of(node)) for node in rivals}
    assert len(contents) == len(rivals)  # noqa: S101
