"""Where to cut the jointree: two tables of partial instances that meet in the middle.

An edge of the jointree splits the features into ``U`` and ``V`` with separator ``S``, and
``P(y, u, v) = Σ_s A[u, y, s] B[v, s]`` for a table of each side (steps 4 and 5 of Zhang and Darwiche 2026 cut
the same way). A side is computed by sending messages towards the edge, features kept as axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log2

from bnc2d.compile.jointree import Jointree, Name, NodeIndex, build_jointree, unfold
from bnc2d.compile.prepare import Prepared
from bnc2d.errors import LimitExceeded


@dataclass(frozen=True)
class Message:
    """One step towards the cut: the clusters below come first, then ``summed`` goes.

    ``cpts`` names the tables that enter here by their child; ``inputs`` are positions of earlier messages.
    """

    cpts: tuple[Name, ...]
    inputs: tuple[int, ...]
    summed: tuple[Name, ...]


@dataclass(frozen=True)
class CutSide:
    """One side of the cut: its features in table order, and the messages that give its table."""

    features: tuple[Name, ...]
    messages: tuple[Message, ...]


@dataclass(frozen=True)
class Cut:
    """Two sides, the separator between them, and the multiplications that this takes (log2)."""

    first: CutSide
    second: CutSide
    separator: tuple[Name, ...]
    log_work: float
    jointree: Jointree


def choose_cut(prepared: Prepared, seeds: Sequence[int], max_table_entries: int) -> Cut:
    """Return the cheapest cut over all edges of the jointrees of these seeds.

    The work of a message is the product of its cluster's states and of the instances of the features below;
    joining both tables takes the instances of all features times the separator's states. A table larger than
    ``max_table_entries`` is out of the question, whether of the smaller side or on the way to one row.
    """
    best: tuple[float, _Directed, NodeIndex, NodeIndex] | None = None
    for seed in seeds:
        tree = _Directed(prepared, build_jointree(prepared.network, seed))
        for first, second, work, largest in tree.cuts():
            if largest <= log2(max_table_entries) and (best is None or work < best[0]):
                best = work, tree, first, second
    if best is None:
        raise LimitExceeded(
            f"every cut of the {len(prepared.features)} features needs a table of more than "
            f"{max_table_entries} entries; choose fewer features or raise memory_limit"
        )
    work, tree, first, second = best
    return tree.cut(first, second, work)


class _Directed:
    """What each directed edge of a jointree carries: features behind it, whether the target is, and costs."""

    def __init__(self, prepared: Prepared, jointree: Jointree) -> None:
        self._prepared, self._original = prepared, jointree
        self._jointree = jointree = unfold(jointree, frozenset(prepared.features))
        self._near = jointree.neighbours()
        self._logs = {v.name: log2(len(v)) for v in prepared.network.variables}
        self._features = frozenset(prepared.features)
        self._home = self._assign()
        self._known: dict[tuple[NodeIndex, NodeIndex], tuple[frozenset[Name], bool, float, float]] = {}

    def _assign(self) -> list[list[Name]]:
        """Give each table to the smallest cluster that covers it."""
        homes: list[list[Name]] = [[] for _ in self._jointree.clusters]
        size = [sum(self._logs[name] for name in cluster) for cluster in self._jointree.clusters]
        for cpt in self._prepared.network.cpts:
            family = {variable.name for variable in cpt.scope}
            covering = [i for i, cluster in enumerate(self._jointree.clusters) if family <= cluster]
            homes[min(covering, key=lambda index: size[index])].append(cpt.child.name)
        return homes

    def cuts(self) -> list[tuple[NodeIndex, NodeIndex, float, float]]:
        """Return every edge with its work and its largest table, both as log2."""
        found = []
        everything = sum(self._logs[name] for name in self._features)
        target = self._logs[self._prepared.target]
        for first, second in self._jointree.edges or ((0, -1),):
            parts = [self._carried(first, second), self._carried(second, first)]
            separator = self._separator(first, second)
            joint = everything + target + sum(self._logs[n] for n in separator if n != self._prepared.target)
            across = target + sum(self._logs[name] for name in separator)
            tables = [across + sum(self._logs[name] for name in part[0]) for part in parts]
            work = _log_sum([joint, *tables, *(cost for *_, cost, _ in parts)])
            # The larger side is computed in blocks of rows, so only the smaller one must fit as a whole.
            found.append((first, second, work, max(min(tables), *(hidden for *_, hidden in parts))))
        return found

    def _separator(self, first: NodeIndex, second: NodeIndex) -> frozenset[Name]:
        if second < 0:
            return frozenset()
        return self._jointree.separator(first, second) - self._features

    def _carried(self, node: NodeIndex, towards: NodeIndex) -> tuple[frozenset[Name], bool, float, float]:
        """Return features and target behind the edge, log2 of the work and of the largest one-row table."""
        if node < 0:
            return frozenset(), False, 0.0, 0.0
        for index in self._below(node, towards):
            self._carry(*index)
        return self._known[node, towards]

    def _below(self, node: NodeIndex, towards: NodeIndex) -> list[tuple[NodeIndex, NodeIndex]]:
        """Return the directed edges behind and including this one, farthest first, that are not known yet."""
        order = [(node, towards)]
        for index, origin in order:
            order += [(o, index) for o in self._near[index] if o != origin and (o, index) not in self._known]
        return order[::-1]

    def _carry(self, node: NodeIndex, towards: NodeIndex) -> None:
        if (node, towards) in self._known:
            return
        cluster = self._jointree.clusters[node]
        behind = [self._known[other, node] for other in self._near[node] if other != towards]
        features = frozenset().union(cluster & self._features, *(part[0] for part in behind))
        has_target = self._prepared.target in cluster or any(part[1] for part in behind)
        axes = (cluster - self._features) | features | ({self._prepared.target} if has_target else set())
        summed = cluster - self._separator(node, towards) - self._features - {self._prepared.target}
        # A message that sums nothing multiplies nothing: its factors are passed on as they are.
        own = sum(self._logs[name] for name in axes) if summed else 0.0
        work = _log_sum([own, *(part[2] for part in behind)])
        hidden = max([sum(self._logs[n] for n in axes - features - summed), *(part[3] for part in behind)])
        self._known[node, towards] = features, has_target, work, hidden

    def cut(self, first: NodeIndex, second: NodeIndex, work: float) -> Cut:
        """Return the messages of both sides of an edge."""
        separator = tuple(sorted(self._separator(first, second)))
        return Cut(self._side(first, second), self._side(second, first), separator, work, self._original)

    def _side(self, node: NodeIndex, towards: NodeIndex) -> CutSide:
        if node < 0:
            return CutSide((), ())
        order: list[tuple[NodeIndex, NodeIndex]] = []
        pending = [(node, towards)]
        while pending:  # depth first, so that features of one branch stay together
            index, origin = pending.pop()
            order.append((index, origin))
            branches = [other for other in self._near[index] if other != origin]
            pending += sorted(((o, index) for o in branches), key=lambda edge: len(self._known[edge][0]))
        number = {edge: position for position, edge in enumerate(reversed(order))}
        messages = []
        taken: list[Name] = []
        for index, origin in reversed(order):
            inputs = tuple(number[other, index] for other in self._near[index] if other != origin)
            kept = self._separator(index, origin) | self._features | {self._prepared.target}
            summed = tuple(sorted(self._jointree.clusters[index] - kept))
            messages.append(Message(tuple(self._home[index]), inputs, summed))
            taken += sorted(self._features & set(self._home[index]))
        return CutSide(tuple(reversed(taken)), tuple(messages))


def _log_sum(logs: Sequence[float]) -> float:
    top = max(logs)
    return top + log2(sum(2.0 ** (value - top) for value in logs))
