"""The nodes of circuits in columns, and the table that finds equal gates.

Columns, by node: ``kinds``, ``levels`` (the length of the longest path down), ``features`` (-1 but for
literals), ``starts`` (where its children begin in ``children``; they end where those of the next begin) and
``hashes`` (of gates). ``children`` has the children of all gates, each gate's in ascending order. Only the
first ``count`` nodes exist: what lies behind is room to grow.

Equal gates are found by open addressing with linear probing (Knuth, The Art of Computer Programming 3, 6.4).
Many gates probe at once: all that meet an empty slot write themselves there, and who reads back another has
found a gate to compare with. A hash alone proves nothing: children are compared.

A change sets ``_whole`` to False until it is finished. Where Ctrl-C or a time limit came in between, the next
change first makes the table anew from the columns of the nodes that exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, joined
from bnc2d.base.checkpoints import PIECE, pieces

FIRST_GATE_KIND = 2
LOW = (1 << 32) - 1  # a node's number fits in 32 bits, so that two fit in a key

_EMPTY = -1
_WORD = (1 << 64) - 1
_FIRST = 0x9E3779B97F4A7C15
_SECOND = 0xBF58476D1CE4E5B9
# Gates that are added together.
_BATCH = PIECE // 2


def gate_hash(kind: int, children: Sequence[int]) -> int:
    """Return a 64-bit hash of a gate, which does not depend on the order of its children."""
    total = kind * _SECOND
    for child in children:
        mixed = child * _FIRST & _WORD
        mixed = (mixed ^ mixed >> 29) * _SECOND & _WORD
        total += mixed ^ mixed >> 32
    return total & _WORD


def gate_hashes(kinds: NDArray[np.uint8], starts: Numbers, children: Numbers) -> NDArray[np.uint64]:
    """Return the same for many gates, whose children begin at ``starts``; each has some."""
    mixed = children.view(np.uint64) * np.uint64(_FIRST)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(_SECOND)
    mixed ^= mixed >> np.uint64(32)
    hashes: NDArray[np.uint64] = np.add.reduceat(mixed, starts)
    hashes += kinds * np.uint64(_SECOND)
    return hashes


def ranges(starts: Numbers, lengths: Numbers) -> Numbers:
    """Return the numbers of the ranges that begin at ``starts``, one range after the other."""
    ends = np.cumsum(lengths)
    whole = np.arange(int(ends[-1]) if len(ends) else 0)
    whole += np.repeat(starts - ends + lengths, lengths)
    return whole


class NodeStore:
    """Columns and table; a node's number is its row. Nodes 0 and 1 are false and true."""

    def __init__(self) -> None:
        self.count = 2
        self.kinds = np.zeros(64, dtype=np.uint8)
        self.levels = np.zeros(64, dtype=np.int64)
        self.features = np.full(64, -1, dtype=np.int64)
        self.hashes = np.zeros(64, dtype=np.uint64)
        self.starts = np.zeros(65, dtype=np.int64)
        self.children = np.zeros(128, dtype=np.int64)
        self._slots = np.full(128, _EMPTY, dtype=np.int64)
        self._whole = True
        self._open_views()

    def _open_views(self) -> None:
        """Open the columns to access one by one, which is twice as fast as through numpy."""
        self.kind_of = self.kinds.data
        self.feature_of = self.features.data
        self._level_of = self.levels.data
        self._hash_of = self.hashes.data
        self._start_of = self.starts.data
        self._child_at = self.children.data
        self._slot_at = self._slots.data

    def children_of(self, node: int) -> list[int]:
        """Return the children of a node in ascending order."""
        start_of = self._start_of
        children: list[int] = self._child_at[start_of[node] : start_of[node + 1]].tolist()
        return children

    @property
    def edges(self) -> int:
        """The number of children of all nodes."""
        edges: int = self._start_of[self.count]
        return edges

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

    def find(self, kind: int, children: list[int]) -> int | None:
        """Return the gate of this kind with these children, in ascending order, if there is one."""
        if not self._whole:
            self._repair()
        return self._probe(kind, children, gate_hash(kind, children))[0]

    def find_or_add(self, kind: int, children: list[int]) -> int:
        """Return the gate of this kind with these children: two or more, in ascending order, each once."""
        if not self._whole:
            self._repair()
        value = gate_hash(kind, children)
        known, slot = self._probe(kind, children, value)
        if known is not None:
            return known
        before = len(self._slots)
        node = self._begin(1, len(children))
        if len(self._slots) != before:
            _, slot = self._probe(kind, children, value)
        start = self._start_of[node]
        for place, child in enumerate(children, start):
            self._child_at[place] = child
        self._start_of[node + 1] = start + len(children)
        self.kind_of[node] = kind
        self.feature_of[node] = -1
        level_of = self._level_of
        level_of[node] = 1 + max([level_of[child] for child in children])
        self._hash_of[node] = value
        self._slot_at[slot] = node
        self.count = node + 1
        self._whole = True
        return node

    def _probe(self, kind: int, children: list[int], value: int) -> tuple[int | None, int]:
        """Return the gate, or None and the empty slot where it belongs."""
        slots, most, hash_of = self._slot_at, len(self._slots) - 1, self._hash_of
        slot = value & most
        node: int = slots[slot]
        while node != _EMPTY:
            same = hash_of[node] == value and self.kind_of[node] == kind
            if same and self.children_of(node) == children:
                return node, slot
            slot = (slot + 1) & most
            node = slots[slot]
        return None, slot

    def find_or_add_many(self, kinds: NDArray[np.uint8], arities: Numbers, children: Numbers) -> Numbers:
        """Return the gates of these kinds with these children, as ``find_or_add`` does for each in turn."""
        ends = np.cumsum(arities)
        found = [ends[:0]]
        first = 0
        while first < len(arities):
            before = int(ends[first] - arities[first])
            last = max(first + 1, int(np.searchsorted(ends, before + _BATCH, side="right")))
            part = children[before : int(ends[last - 1])]
            found.append(self._add_batch(kinds[first:last], ends[first:last] - before, part))
            first = last
        return found[1] if len(found) == 2 else joined(found)

    def _add_batch(self, kinds: NDArray[np.uint8], ends: Numbers, children: Numbers) -> Numbers:
        # All gates are written behind the nodes that exist; those that are new move together there.
        count, first = len(kinds), self._begin(len(kinds), len(children))
        edge = self.edges
        rows = slice(first, first + count)
        self.starts[first + 1 : first + count + 1] = ends + edge
        starts = self.starts[rows] - edge
        self.children[edge : edge + len(children)] = children
        self.kinds[rows] = kinds
        self.hashes[rows] = gate_hashes(kinds, starts, children)
        nodes, places = self._claim(first, count)
        own = np.arange(first, first + count)
        known = np.flatnonzero(nodes != own)
        if len(known) and not self._are_equal(own[known], nodes[known]):  # a collision: one after another
            self._repair()
            each = zip(kinds.tolist(), np.split(children, ends[:-1]), strict=True)
            return np.array([self.find_or_add(kind, part.tolist()) for kind, part in each], dtype=np.int64)
        if len(known):
            new = np.flatnonzero(nodes == own)
            final = np.empty(count, dtype=np.int64)
            final[new] = np.arange(first, first + len(new))
            inside = nodes >= first
            nodes[inside] = final[nodes[inside] - first]
            if not len(new):
                self._whole = True
                return nodes
            self._slots[places[new]] = final[new]
            lengths = ends[new] - starts[new]
            children = children[ranges(starts[new], lengths)]
            ends = np.cumsum(lengths)
            count = len(new)
            self.hashes[first : first + count] = self.hashes[first + new]
            self.kinds[first : first + count] = kinds[new]
            self.starts[first + 1 : first + count + 1] = ends + edge
            self.children[edge : edge + len(children)] = children
            starts = ends - lengths
        self.levels[first : first + count] = np.maximum.reduceat(self.levels[children], starts) + 1
        self.features[first : first + count] = -1
        self.count = first + count
        self._whole = True
        return nodes

    def _claim(self, first: int, count: int) -> tuple[Numbers, Numbers]:
        """Return for each row the first gate with its hash, maybe itself, and the slot of those."""
        slots, hashes, most = self._slots, self.hashes, np.uint64(len(self._slots) - 1)
        nodes, places = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        pending = np.arange(count)
        slot = (hashes[first : first + count] & most).astype(np.int64)
        while len(pending):
            there = slots[slot]
            empty = np.flatnonzero(there == _EMPTY)
            if len(empty):
                backwards = empty[::-1]  # of several, the last to write is the first gate
                slots[slot[backwards]] = pending[backwards] + first
                there[empty] = slots[slot[empty]]
            same = hashes[there] == hashes[pending + first]
            nodes[pending[same]] = there[same]
            places[pending[same]] = slot[same]
            other = np.flatnonzero(~same)
            pending = pending[other]
            slot = (slot[other] + 1) & int(most)
        return nodes, places

    def _are_equal(self, rows: Numbers, others: Numbers) -> bool:
        """Return whether each row has the kind and the children of the other."""
        starts, lengths = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        if not np.array_equal(lengths, self.starts[others + 1] - self.starts[others]):
            return False
        if not np.array_equal(self.kinds[rows], self.kinds[others]):
            return False
        mine, theirs = ranges(starts, lengths), ranges(self.starts[others], lengths)
        return np.array_equal(self.children[mine], self.children[theirs])

    def _begin(self, nodes: int, edges: int) -> int:
        """Make room for so many more, mark that a change has begun, return the number of the next node."""
        if not self._whole:
            self._repair()
        self._whole = False
        count, last_edge = self.count, self.edges
        if count + nodes > len(self.kinds):
            size = max(count + nodes, 2 * count)
            self.levels = _grown(self.levels, size)
            self.features = _grown(self.features, size)
            self.hashes = _grown(self.hashes, size)
            self.starts = _grown(self.starts, size + 1)
            self.kinds = _grown(self.kinds, size)  # last: its length says that all have grown
            self._open_views()
        if last_edge + edges > len(self.children):
            self.children = _grown(self.children, max(last_edge + edges, 2 * last_edge))
            self._open_views()
        if 2 * (count + nodes) > len(self._slots):
            self._fill_slots(4 * (count + nodes))
        return count

    def _repair(self) -> None:
        """Make good again what a change that did not finish may have left."""
        self._fill_slots(2 * self.count)
        self._whole = True

    def _fill_slots(self, least: int) -> None:
        """Make the table anew, with at least so many slots."""
        size = 128
        while size < least:
            size *= 2
        slots = np.full(size, _EMPTY, dtype=np.int64)
        for piece in pieces(self.count):
            pending = np.flatnonzero(self.kinds[piece] >= FIRST_GATE_KIND) + piece.start
            slot = (self.hashes[pending] & np.uint64(size - 1)).astype(np.int64)
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
        expected = np.zeros(count, dtype=np.int64)
        for node in gates.tolist():
            expected[node] = 1 + max(expected[child] for child in self.children_of(node))
        assert np.array_equal(expected, self.levels[:count])  # noqa: S101
        assert np.array_equal(np.sort(self._slots[self._slots != _EMPTY]), gates)  # noqa: S101
        assert 2 * len(gates) <= len(self._slots)  # noqa: S101
        for node in gates.tolist():
            found = self.find(int(kinds[node]), self.children_of(node))
            assert found == node  # noqa: S101


def _grown(column: NDArray[Any], size: int) -> NDArray[Any]:
    larger = np.empty(size, dtype=column.dtype)
    larger[: len(column)] = column
    return larger
