"""The nodes of circuits in columns, and the table that finds equal gates.

Columns, by node: ``kinds``, ``levels`` (the length of the longest path down), ``features`` (-1 but for
literals), ``starts`` (where its children begin in ``children``; they end where those of the next begin). The
children of a gate are in ascending order. Only the first ``count`` nodes exist: what lies behind is room to
grow. A gate's hash is the sum of its children's hashes, so that their order does not matter, stirred. So
hashes tell structures and not ids (Merkle 1987): those of a whole circuit are known before one of its nodes
has its id.

Equal gates are found in a table (see ``slots``). A hash alone proves nothing: children are compared.

A change sets ``_whole`` to False until it is finished. Where Ctrl-C or a time limit came in between, the next
change first makes the table anew from the columns of the nodes that exist.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base import kernels
from bnc2d.base.arrays import Numbers, contiguous, joined, ranges
from bnc2d.base.checkpoints import PIECE, checkpoint
from bnc2d.logic.circuit.children import first_with_a_child_twice, in_ascending_order
from bnc2d.logic.circuit.slots import EMPTY, filled, meet

FIRST_GATE_KIND = 2
_OR = FIRST_GATE_KIND + 1
_ROWS = 64  # that there is room for at first
_WORD = (1 << 64) - 1
_OR_CODE = 0xD6E8FEB86659FD93
_OR_CODES = np.array([0, 0, 0, _OR_CODE], dtype=np.uint64)  # by kind
_FACTOR = 0xBF58476D1CE4E5B9
_FACTORS, _SHIFT = np.uint64(_FACTOR), np.uint64(32)
# Children of gates that are added together.
_BATCH = PIECE
# Gates that probe faster one by one than together.
_FEW = 24


class NodeStore:
    """Columns and table; a node's number is its row. Nodes 0 and 1 are false and true."""

    def __init__(self) -> None:
        self.count = 2
        self.kinds = np.zeros(_ROWS, dtype=np.uint8)
        self.levels = np.zeros(_ROWS, dtype=np.int32)
        self.features = np.full(_ROWS, -1, dtype=np.int32)
        self.hashes = np.zeros(_ROWS, dtype=np.uint64)
        self.starts = np.zeros(_ROWS + 1, dtype=np.int64)
        self.children = np.zeros(2 * _ROWS, dtype=np.int64)
        self.slots = np.full(2 * _ROWS, EMPTY, dtype=np.int32)
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
        self._slot_at = self.slots.data
        self._most = len(self.slots) - 1

    def children_of(self, node: int) -> list[int]:
        """Return the children of a node in ascending order."""
        start_of = self._start_of
        children: list[int] = self._child_at[start_of[node] : start_of[node + 1]].tolist()
        return children

    def add_literal(self, feature: int, mask: int) -> int:
        """Return a new node for a literal of the feature."""
        node = self._begin(1, 0)
        self._hash_of[node] = _stirred_one(hash((feature, mask)) & _WORD)
        self.kind_of[node] = FIRST_GATE_KIND - 1
        self.feature_of[node] = feature
        self._level_of[node] = 0
        self._start_of[node + 1] = self._start_of[node]
        self.count = node + 1
        self._whole = True
        return node

    def hash_of(self, kind: int, children: list[int]) -> int:
        """Return the hash of a gate."""
        hash_of = self._hash_of
        value = sum([hash_of[child] for child in children])
        return _stirred_one((value + _OR_CODE if kind == _OR else value) & _WORD)

    def hashes_of(self, kinds: NDArray[np.uint8], starts: Numbers, children: Numbers) -> NDArray[np.uint64]:
        """Return the hashes of many gates, whose children begin at ``starts``."""
        hashes: NDArray[np.uint64] = np.add.reduceat(self.hashes.take(children), starts)
        hashes += _OR_CODES.take(kinds)
        hashes ^= hashes >> _SHIFT
        hashes *= _FACTORS
        return hashes

    def find(self, kind: int, children: list[int]) -> tuple[int, int, int]:
        """Return the gate of this kind with these children, in ascending order, or -1; its hash and slot."""
        if not self._whole:
            self._repair()
        value = self.hash_of(kind, children)
        slots, hash_of, most = self._slot_at, self._hash_of, self._most
        slot = value & most
        while (node := slots[slot]) != EMPTY:
            if hash_of[node] == value and self.kind_of[node] == kind and self.children_of(node) == children:
                break
            slot = (slot + 1) & most
        return node, value, slot

    def find_or_add(self, kind: int, children: list[int]) -> int:
        """Return the gate of this kind with these children: two or more, in ascending order, each once."""
        known, value, slot = self.find(kind, children)
        return known if known != EMPTY else self.add(kind, children, value, slot)

    def add(self, kind: int, children: list[int], value: int, slot: int) -> int:
        """Return a new gate, which ``find`` just did not find: it gave hash and slot."""
        most = self._most
        node = self._begin(1, len(children))
        if self._most != most:  # the table is another
            slot = value & self._most
            while self._slot_at[slot] != EMPTY:
                slot = (slot + 1) & self._most
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

    def add_levels(
        self, kinds: NDArray[np.uint8], arities: Numbers, children: Numbers, ends_of_levels: list[int]
    ) -> Numbers:
        """Return gates as ``find_or_add_many`` does, but on several levels, up to the end of the last given.

        A child ``count + i`` is the ``i``-th of these gates; it lies on an earlier level. Only gates before
        the first level on which one has a child twice are added.
        """
        last = ends_of_levels[-1] if ends_of_levels else 0
        if not last:
            return np.zeros(0, dtype=np.int64)
        ends = arities[:last].cumsum()
        return self._add_batch(kinds[:last], arities[:last], ends, children[: ends[-1]], ends_of_levels)

    def find_or_add_many(self, kinds: NDArray[np.uint8], arities: Numbers, children: Numbers) -> Numbers:
        """Return the gates of these kinds with these children, as ``find_or_add`` does for each in turn.

        The children of a gate are two or more, in any order.
        """
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
        ends_of_levels: Sequence[int] = (),
    ) -> Numbers:
        count, first = len(kinds), self._begin(len(kinds), len(children))
        if kernels.loops is not None:
            nodes, levels = np.empty(count, dtype=np.int64), np.array(ends_of_levels, dtype=np.int64)
            starts = np.concatenate([[0], ends])
            return nodes[: self._find_or_add_in_turn(kinds, starts, children, None, levels, nodes)]
        starts = ends - arities
        self._hash_levels(first, kinds, starts, children, ends_of_levels or (count,))
        rows = np.arange(first, first + count)
        nodes, slots = self._claim(rows, self.hashes[first : first + count])
        is_new = nodes == rows
        new = is_new.nonzero()[0]
        if 0 < len(new) < count:
            moved = np.empty(count, dtype=np.int64)
            moved[new] = rows[: len(new)]
            inside = (nodes >= first).nonzero()[0]
            nodes[inside] = moved[nodes[inside] - first]
        below = children
        if ends_of_levels:
            below = children.copy()
            inside = (children >= first).nonzero()[0]
            below[inside] = nodes[children[inside] - first]
        below = in_ascending_order(arities, below)
        if ends_of_levels and (twice := first_with_a_child_twice(ends, below)) < count:
            self.slots[slots[new]] = EMPTY
            self._whole = True
            return self.add_levels(kinds, arities, children, [end for end in ends_of_levels if end <= twice])
        if len(new):
            self._write(new, kinds, arities, starts, below, len(ends_of_levels) > 1)
            self.slots[slots[new]] = rows[: len(new)]
        if len(new) < count:
            gates = (nodes, kinds, arities, below)
            if len(new):
                old = (~is_new).nonzero()[0]
                edges = ranges(starts[old], arities[old])
                gates = (nodes[old], kinds[old], arities[old], below[edges])
            if not self._are_equal(*gates):  # a collision
                return self._add_one_by_one(kinds, ends, children)
        self.count = first + len(new)
        self._whole = True
        return nodes

    def add_in_turn(self, ids: Numbers, kinds: NDArray[np.uint8], starts: Numbers, children: Numbers) -> None:
        """Do what ``Manager.add_levels`` does without simplification, one gate after the other, in C."""
        shift, first = len(ids) - len(kinds), 0
        none = np.zeros(0, dtype=np.int64)
        while first < len(kinds):
            checkpoint()
            last = max(first + 1, int(np.searchsorted(starts, starts[first] + _BATCH, side="right")) - 1)
            self._begin(last - first, int(starts[last] - starts[first]))
            known, nodes = ids[: shift + first], ids[shift + first : shift + last]
            some = kinds[first:last], starts[first : last + 1], children
            self._find_or_add_in_turn(*some, known, none, nodes)
            first = last

    def _find_or_add_in_turn(
        self,
        kinds: NDArray[np.uint8],
        starts: Numbers,
        children: Numbers,
        known: Numbers | None,
        ends_of_levels: Numbers,
        nodes: Numbers,
    ) -> int:
        """Set the nodes of gates, as ``_add_batch`` returns them, by a loop in C; return how many.

        Children are places in ``known``, or else nodes, and then the gates themselves.
        """
        assert kernels.loops is not None  # noqa: S101 - who calls has looked
        columns = (self.kinds, self.levels, self.features, self.hashes, self.starts, self.children)
        gates = (contiguous(kinds), starts, contiguous(children), known, ends_of_levels)
        added: int
        added, self.count = kernels.loops.add_gates(self.slots, *columns, self.count, *gates, nodes)
        self._whole = True
        return added

    def _hash_levels(
        self,
        first: int,
        kinds: NDArray[np.uint8],
        starts: Numbers,
        children: Numbers,
        ends_of_levels: Sequence[int],
    ) -> None:
        """Set hashes of gates that are to be nodes from ``first`` on, and what those of later levels need."""
        begin = edge = 0
        bounds = [*starts[list(ends_of_levels[:-1])].tolist(), len(children)]
        for end, last_edge in zip(ends_of_levels, bounds, strict=True):
            below = children[edge:last_edge]
            own = starts[begin:end] - edge if edge else starts[begin:end]
            rows = slice(first + begin, first + end)
            self.hashes[rows] = self.hashes_of(kinds[begin:end], own, below)
            if len(bounds) > 1:
                np.add(np.maximum.reduceat(self.levels.take(below), own), 1, out=self.levels[rows])
            begin, edge = end, last_edge

    def _write(
        self,
        new: Numbers,
        kinds: NDArray[np.uint8],
        arities: Numbers,
        starts: Numbers,
        children: Numbers,
        with_levels: bool,
    ) -> None:
        """Write the columns of new gates behind the nodes that exist."""
        first, last = self.count, self.count + len(new)
        if len(new) < len(kinds):
            kinds, arities = kinds[new], arities[new]
            children = children[ranges(starts[new], arities)]
            starts = arities.cumsum() - arities
            self.hashes[first:last] = self.hashes[first + new]
            self.levels[first:last] = self.levels[first + new]
        if not with_levels:
            np.add(np.maximum.reduceat(self.levels.take(children), starts), 1, out=self.levels[first:last])
        ends = starts + arities
        edge = self._start_of[first]
        np.add(ends, edge, out=self.starts[first + 1 : last + 1])
        self.children[edge : edge + len(children)] = children
        self.kinds[first:last] = kinds
        self.features[first:last] = -1

    def _add_one_by_one(self, kinds: NDArray[np.uint8], ends: Numbers, children: Numbers) -> Numbers:
        """Do the work of ``find_or_add_many`` where different gates have equal hashes."""
        self._repair()
        first = self.count
        found: list[int] = []
        for kind, part in zip(kinds.tolist(), np.split(children, ends[:-1]), strict=True):
            below = [found[child - first] if child >= first else child for child in part.tolist()]
            found.append(self.find_or_add(kind, sorted(below)))
        return np.array(found, dtype=np.int64)

    def _claim(self, rows: Numbers, hashes: NDArray[np.uint64]) -> tuple[Numbers, Numbers]:
        """Return for each row the first gate with its hash, maybe itself, and its slot."""
        most = self._most
        slot: Numbers = (hashes & np.uint64(most)).view(np.int64)
        nodes = meet(self.slots, slot, rows)
        pending = (self.hashes[nodes] != hashes).nonzero()[0]
        while len(pending) > _FEW:
            following = (slot[pending] + 1) & most
            met = meet(self.slots, following, rows[pending])
            slot[pending], nodes[pending] = following, met
            pending = pending[self.hashes[met] != hashes[pending]]
        slot_at, hash_of, first = self._slot_at, self._hash_of, int(rows[0])
        for row in pending.tolist():
            place = int(slot[row])
            value = hash_of[first + row]
            node = EMPTY
            while node == EMPTY or hash_of[node] != value:
                place = (place + 1) & most
                node = slot_at[place]
                if node == EMPTY:
                    node = slot_at[place] = first + row
            nodes[row], slot[row] = node, place
        return nodes, slot

    def _are_equal(
        self, nodes: Numbers, kinds: NDArray[np.uint8], arities: Numbers, children: Numbers
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
        known_edges = self._start_of[count]
        if count + nodes > len(self.kinds):
            size = max(count + nodes, 2 * count)
            self.levels = _grown(self.levels, count, size)
            self.features = _grown(self.features, count, size)
            self.hashes = _grown(self.hashes, count, size)
            self.starts = _grown(self.starts, count + 1, size + 1)
            self.kinds = _grown(self.kinds, count, size)  # last: its length says that all have grown
            self._open_views()
        if known_edges + edges > len(self.children):
            self.children = _grown(self.children, known_edges, 2 * (known_edges + edges))
            self._open_views()
        if 2 * (count + nodes) > self._most:
            self._fill_slots(2 * (count + nodes) + 1)
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
        self.slots = filled(size, self.kinds[: self.count] >= FIRST_GATE_KIND, self.hashes)
        self._open_views()


def _stirred_one(value: int) -> int:
    return (value ^ value >> 32) * _FACTOR & _WORD


def _grown(column: NDArray[Any], used: int, size: int) -> NDArray[Any]:
    larger = np.empty(size, dtype=column.dtype)
    larger[:used] = column[:used]
    return larger
