"""The nodes of circuits in columns, and the table that finds equal gates.

Columns, by node: ``kinds``, ``levels`` (the length of the longest path down), ``features`` (-1 but for
literals), ``starts`` (where its children begin in ``children``; they end where those of the next begin). The
children of a gate are in ascending order. Only the first ``count`` nodes exist: what lies behind is room to
grow. A gate's hash is the sum of its children's codes, which look random, so their order does not matter.

Equal gates are found by open addressing with linear probing (Knuth, The Art of Computer Programming 3, 6.4).
Many gates probe at once: all that meet an empty slot write themselves there, and who reads back another has
found a gate to compare with. A hash alone proves nothing: children are compared.

A change sets ``_whole`` to False until it is finished. Where Ctrl-C or a time limit came in between, the next
change first makes the table anew from the columns of the nodes that exist.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, joined, ranges
from bnc2d.base.checkpoints import PIECE, checkpoint, pieces
from bnc2d.base.hashing import ascending, codes, stable_order

FIRST_GATE_KIND = 2
LOW = (1 << 32) - 1  # a node's number fits in 32 bits, so that two fit in a key

_OR = FIRST_GATE_KIND + 1
_EMPTY = -1
_ROWS = 64  # that there is room for at first
_WORD = (1 << 64) - 1
_OR_CODE = 0xD6E8FEB86659FD93
_OR_CODES = np.array([0, 0, 0, _OR_CODE], dtype=np.uint64)  # by kind
# Children of gates that are added together.
_BATCH = PIECE
# Gates that probe faster one by one than together.
_FEW = 24


class NodeStore:
    """Columns and table; a node's number is its row. Nodes 0 and 1 are false and true."""

    def __init__(self) -> None:
        self.count = 2
        self.kinds = np.zeros(_ROWS, dtype=np.uint8)
        self.levels = np.zeros(_ROWS, dtype=np.int64)
        self.features = np.full(_ROWS, -1, dtype=np.int64)
        self._codes = codes(0, _ROWS)
        self._hashes = np.zeros(_ROWS, dtype=np.uint64)
        self.starts = np.zeros(_ROWS + 1, dtype=np.int64)
        self.children = np.zeros(2 * _ROWS, dtype=np.int64)
        self._slots = np.full(2 * _ROWS, _EMPTY, dtype=np.int64)
        self._whole = True
        self._open_views()

    def _open_views(self) -> None:
        """Open the columns to access one by one, which is twice as fast as through numpy."""
        self.kind_of = self.kinds.data
        self.feature_of = self.features.data
        self._level_of = self.levels.data
        self._code_of = self._codes.data
        self._hash_of = self._hashes.data
        self._start_of = self.starts.data
        self._child_at = self.children.data
        self._slot_at = self._slots.data
        self._most = len(self._slots) - 1

    def children_of(self, node: int) -> list[int]:
        """Return the children of a node in ascending order."""
        start_of = self._start_of
        children: list[int] = self._child_at[start_of[node] : start_of[node + 1]].tolist()
        return children

    def add_literal(self, feature: int) -> int:
        """Return a new node for a literal of the feature."""
        node = self._begin(1, 0)
        self.kind_of[node] = FIRST_GATE_KIND - 1
        self.feature_of[node] = feature
        self._level_of[node] = 0
        self._start_of[node + 1] = self._start_of[node]
        self.count = node + 1
        self._whole = True
        return node

    def hash_of(self, kind: int, children: list[int]) -> int:
        """Return the hash of a gate."""
        code_of = self._code_of
        value = sum([code_of[child] for child in children])
        return (value + _OR_CODE if kind == _OR else value) & _WORD

    def hashes_of(self, kinds: NDArray[np.uint8], starts: Numbers, children: Numbers) -> NDArray[np.uint64]:
        """Return the hashes of many gates, whose children begin at ``starts``."""
        hashes: NDArray[np.uint64] = np.add.reduceat(self._codes[children], starts)
        hashes += _OR_CODES[kinds]
        return hashes

    def find(self, kind: int, children: list[int]) -> tuple[int, int, int]:
        """Return the gate of this kind with these children, in ascending order, or -1; its hash and slot."""
        if not self._whole:
            self._repair()
        value = self.hash_of(kind, children)
        slots, hash_of, most = self._slot_at, self._hash_of, self._most
        slot = value & most
        while (node := slots[slot]) != _EMPTY:
            if hash_of[node] == value and self.kind_of[node] == kind and self.children_of(node) == children:
                break
            slot = (slot + 1) & most
        return node, value, slot

    def find_or_add(self, kind: int, children: list[int]) -> int:
        """Return the gate of this kind with these children: two or more, in ascending order, each once."""
        known, value, slot = self.find(kind, children)
        return known if known != _EMPTY else self.add(kind, children, value, slot)

    def add(self, kind: int, children: list[int], value: int, slot: int) -> int:
        """Return a new gate, which ``find`` just did not find: it gave hash and slot."""
        most = self._most
        node = self._begin(1, len(children))
        if self._most != most:
            slot = self._free_slot(value)
        end = self._start_of[node]
        child_at, level_of = self._child_at, self._level_of
        level = 0
        for child in children:
            child_at[end] = child
            end += 1
            if level_of[child] > level:
                level = level_of[child]
        self._start_of[node + 1] = end
        self.kind_of[node] = kind
        self.feature_of[node] = -1
        level_of[node] = level + 1
        self._hash_of[node] = value
        self._slot_at[slot] = node
        self.count = node + 1
        self._whole = True
        return node

    def _free_slot(self, value: int) -> int:
        slot = value & self._most
        while self._slot_at[slot] != _EMPTY:
            slot = (slot + 1) & self._most
        return slot

    def find_or_add_in_turn(
        self, ids: list[int], kinds: list[int], ends: list[int], children: list[int]
    ) -> None:
        """Append the nodes of gates to ``ids``; their ``children`` are indices in it, up to the gate's end.

        Children come before parents. A gate has two or more different children, no constants.
        """
        before = node = self.count
        new: dict[tuple[int, ...], int] = {}  # by kind and children: none of them is among the nodes yet
        level_of = self._level_of
        levels = [level_of[known] for known in ids]
        new_levels = []
        start = 0
        for kind, end in zip(kinds, ends, strict=True):
            if end - start == 2:
                one, other = children[start:end]
                first, second = ids[one], ids[other]
                gate: tuple[int, ...] = (kind, first, second) if first < second else (kind, second, first)
                level = 1 + (levels[one] if levels[one] > levels[other] else levels[other])
            else:
                gate = (kind, *sorted([ids[place] for place in children[start:end]]))
                level = 1 + max([levels[place] for place in children[start:end]])
            start = end
            if gate[-1] >= before or (known := self.find(kind, list(gate[1:]))[0]) == _EMPTY:
                known = new.setdefault(gate, node)
                if known == node:
                    node += 1
                    new_levels.append(level)
            ids.append(known)
            levels.append(level)
        if new:
            new_kinds = np.array([gate[0] for gate in new], dtype=np.uint8)
            arities = np.array([len(gate) - 1 for gate in new])
            below = np.array([child for gate in new for child in gate[1:]])
            self._add_batch(new_kinds, arities, arities.cumsum(), below, new_levels)

    def find_or_add_many(self, kinds: NDArray[np.uint8], arities: Numbers, children: Numbers) -> Numbers:
        """Return the gates of these kinds with these children, as ``find_or_add`` does for each in turn."""
        ends = arities.cumsum()
        if len(children) <= _BATCH:
            return self._add_batch(kinds, arities, ends, children)
        found = []
        first = 0
        while first < len(arities):
            checkpoint()
            before = int(ends[first] - arities[first])
            last = max(first + 1, int(np.searchsorted(ends, before + _BATCH, side="right")))
            rows, edges = slice(first, last), slice(before, int(ends[last - 1]))
            found.append(self._add_batch(kinds[rows], arities[rows], ends[rows] - before, children[edges]))
            first = last
        return joined(found)

    def _add_batch(
        self,
        kinds: NDArray[np.uint8],
        arities: Numbers,
        ends: Numbers,
        children: Numbers,
        levels: list[int] | None = None,
    ) -> Numbers:
        # With levels, all gates are different and new, and one may be a child of a later one.
        # All are written behind the nodes that exist; those that are new move together there.
        count, first = len(kinds), self._begin(len(kinds), len(children))
        edge = self._start_of[first]
        starts = ends - arities
        np.add(ends, edge, out=self.starts[first + 1 : first + count + 1])
        self.children[edge : edge + len(children)] = children
        self.kinds[first : first + count] = kinds
        hashes = self.hashes_of(kinds, starts, children)
        self._hashes[first : first + count] = hashes
        rows = np.arange(first, first + count)
        nodes, slots = self._claim(rows, hashes)
        new = (nodes == rows).nonzero()[0]
        if len(new) < count:
            if not self._are_equal(kinds, arities, children, nodes):  # a collision: one after another
                self._repair()
                parts = [part.tolist() for part in np.split(children, ends[:-1])]
                return np.array(list(map(self.find_or_add, kinds.tolist(), parts)), dtype=np.int64)
            if not len(new):
                self._whole = True
                return nodes
            final = np.arange(first, first + len(new))
            moved = np.empty(count, dtype=np.int64)
            moved[new] = final
            inside = (nodes >= first).nonzero()[0]
            nodes[inside] = moved[nodes[inside] - first]
            self._slots[slots[new]] = final
            lengths = arities[new]
            children = children[ranges(starts[new], lengths)]
            ends = lengths.cumsum()
            starts = ends - lengths
            count = len(new)
            self._hashes[first : first + count] = hashes[new]
            self.kinds[first : first + count] = kinds[new]
            np.add(ends, edge, out=self.starts[first + 1 : first + count + 1])
            self.children[edge : edge + len(children)] = children
        if levels is None:
            np.maximum.reduceat(self.levels[children], starts, out=self.levels[first : first + count])
            self.levels[first : first + count] += 1
        else:
            self.levels[first : first + count] = levels
        self.features[first : first + count] = -1
        self.count = first + count
        self._whole = True
        return nodes

    def _claim(self, rows: Numbers, hashes: NDArray[np.uint64]) -> tuple[Numbers, Numbers]:
        """Return for each row the first gate with its hash, maybe itself, and its slot."""
        most = self._most
        slot: Numbers = (hashes & np.uint64(most)).view(np.int64)
        nodes = self._meet(slot, rows)
        pending = (self._hashes[nodes] != hashes).nonzero()[0]
        while len(pending) > _FEW:
            following = (slot[pending] + 1) & most
            met = self._meet(following, rows[pending])
            slot[pending], nodes[pending] = following, met
            pending = pending[self._hashes[met] != hashes[pending]]
        slot_at, hash_of, first = self._slot_at, self._hash_of, int(rows[0])
        for row in pending.tolist():
            place = int(slot[row])
            value = hash_of[first + row]
            node = _EMPTY
            while node == _EMPTY or hash_of[node] != value:
                place = (place + 1) & most
                node = slot_at[place]
                if node == _EMPTY:
                    node = slot_at[place] = first + row
            nodes[row], slot[row] = node, place
        return nodes, slot

    def _meet(self, slot: Numbers, rows: Numbers) -> Numbers:
        """Return who is at the slots; at an empty one the first of the rows that come there."""
        there: Numbers = self._slots[slot]
        empty = (there == _EMPTY).nonzero()[0]
        if len(empty):
            backwards = empty[::-1]  # of several, the last to write is the first row
            self._slots[slot[backwards]] = rows[backwards]
            there[empty] = self._slots[slot[empty]]
        return there

    def _are_equal(
        self, kinds: NDArray[np.uint8], arities: Numbers, children: Numbers, nodes: Numbers
    ) -> bool:
        """Return whether the nodes have these kinds and children."""
        starts = self.starts[nodes]
        same = (self.starts[nodes + 1] - starts == arities) & (self.kinds[nodes] == kinds)
        return bool(same.all() and (self.children[ranges(starts, arities)] == children).all())

    def make_room(self, nodes: int, edges: int) -> None:
        """Let columns and table grow at once to what so many more nodes and edges need."""
        self._begin(nodes, edges)
        self._whole = True

    def _begin(self, nodes: int, edges: int) -> int:
        """Make room for so many more, mark that a change has begun, return the number of the next node."""
        if not self._whole:
            self._repair()
        self._whole = False
        count = self.count
        edges += self._start_of[count]
        if count + nodes > len(self.kinds):
            size = max(count + nodes, 2 * count)
            self.levels = _grown(self.levels, size)
            self.features = _grown(self.features, size)
            self._codes = np.concatenate([self._codes[:count], codes(count, size)])
            self._hashes = _grown(self._hashes, size)
            self.starts = _grown(self.starts, size + 1)
            self.kinds = _grown(self.kinds, size)  # last: its length says that all have grown
            self._open_views()
        if edges > len(self.children):
            self.children = _grown(self.children, 2 * edges)
            self._open_views()
        if 2 * (count + nodes) > self._most:
            self._fill_slots(4 * (count + nodes))
        return count

    def _repair(self) -> None:
        """Make good again what a change that did not finish may have left."""
        self._fill_slots(2 * self.count)
        self._whole = True

    def _fill_slots(self, least: int) -> None:
        """Make the table anew, with at least so many slots."""
        size = 2 * _ROWS
        while size < least:
            size *= 2
        slots = np.full(size, _EMPTY, dtype=np.int64)
        for piece in pieces(self.count):
            pending = np.flatnonzero(self.kinds[piece] >= FIRST_GATE_KIND) + piece.start
            slot = (self._hashes[pending] & np.uint64(size - 1)).astype(np.int64)
            while len(pending):
                free = slots[slot] == _EMPTY
                slots[slot[free]] = pending[free]
                left = slots[slot] != pending
                pending = pending[left]
                slot = (slot[left] + 1) & (size - 1)
        self._slots = slots
        self._open_views()

    def assert_consistent(self) -> None:
        """Check what the columns and the table promise; for tests."""
        if not self._whole:
            self._repair()
        count, starts = self.count, self.starts[: self.count + 1]
        kinds, arities = self.kinds[:count], np.diff(starts)
        gates = np.flatnonzero(kinds >= FIRST_GATE_KIND)
        assert starts[0] == 0  # noqa: S101
        assert starts[-1] <= len(self.children)  # noqa: S101
        assert (kinds[:2] == 0).all()  # noqa: S101
        assert (kinds[2:] > 0).all()  # noqa: S101
        assert (kinds <= FIRST_GATE_KIND + 1).all()  # noqa: S101
        assert np.array_equal(gates, np.flatnonzero(arities))  # noqa: S101
        assert (arities[gates] >= 2).all()  # noqa: S101
        assert np.array_equal(kinds == FIRST_GATE_KIND - 1, self.features[:count] >= 0)  # noqa: S101
        children, owners = self.children[: starts[-1]], np.repeat(np.arange(count), arities)
        assert (children > 1).all()  # noqa: S101
        assert (children < owners).all()  # noqa: S101
        assert ((children[1:] > children[:-1]) | (owners[1:] != owners[:-1])).all()  # noqa: S101
        checkpoint()
        levels = np.zeros(count, dtype=np.int64)
        hashes = self._hashes[gates]
        if len(gates):
            levels[gates] = np.maximum.reduceat(self.levels[children], starts[gates]) + 1
            assert np.array_equal(hashes, self.hashes_of(kinds[gates], starts[gates], children))  # noqa: S101
        assert np.array_equal(levels, self.levels[:count])  # noqa: S101
        self._assert_found(gates, hashes)

    def _assert_found(self, gates: Numbers, hashes: NDArray[np.uint64]) -> None:
        """Check that every gate is in the table once, where it is looked for, and that no two are equal."""
        places = np.flatnonzero(self._slots != _EMPTY)
        assert np.array_equal(ascending(self._slots[places]), gates)  # noqa: S101
        assert 2 * len(gates) <= len(self._slots)  # noqa: S101
        checkpoint()
        home = (self._hashes[self._slots[places]] & np.uint64(self._most)).view(np.int64)
        distance = (places - home) & self._most
        empty_before = np.cumsum(np.tile(self._slots == _EMPTY, 2))
        last = np.where(places < home, places + len(self._slots), places)
        assert (empty_before[last] == empty_before[last - distance]).all()  # noqa: S101
        checkpoint()
        order = stable_order(hashes)
        same = np.flatnonzero(hashes[order[1:]] == hashes[order[:-1]])
        rivals = gates[np.union1d(order[same], order[same + 1])].tolist()
        contents = {(self.kind_of[node], *self.children_of(node)) for node in rivals}
        assert len(contents) == len(rivals)  # noqa: S101


def _grown(column: NDArray[Any], size: int) -> NDArray[Any]:
    larger = np.empty(size, dtype=column.dtype)
    larger[: len(column)] = column
    return larger
