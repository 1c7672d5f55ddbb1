"""Where to cut the network: two tables of partial instances that meet in the middle.

A cut splits the features into ``U`` and ``V`` with separator ``S``, and
``P(y, u, v) = Σ_s A[u, y, s] B[v, y, s]`` for a table of each side (steps 4 and 5 of Zhang and Darwiche 2026
cut the same way, at an edge of the jointree). A side is computed by messages towards the cut, features kept
as axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

from bnc2d.base.masks import Mask, VariableId, union
from bnc2d.base.records import record
from bnc2d.compile.graph.jointree import Jointree, MaskTree, cluster_tree, named_tree
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.meet.cut.cost import SECONDS_PER_MESSAGE, CutModel, TableIndex
from bnc2d.compile.meet.cut.search import Core, EdgeCuts, Start
from bnc2d.errors import LimitExceeded
from bnc2d.model.elimination import Join, joined_tables, work_of
from bnc2d.model.min_fill import MinFill, graph_of

# The search may take this share of the estimate; beyond these seconds only the smaller share, as gains end.
_SEARCH_SHARE = 0.08
_SEARCH_SECONDS = 0.04
_LONG_SEARCH_SHARE = 0.01
# Further trees are tried only while this share of that time is spent; different starts are better than trees.
_TREE_SHARE = 0.25
# What a tree and its edges take, for each variable and each edge of the network: an estimate, not a clock.
_SECONDS_PER_EDGE = 10e-6
# Steps that join no more than this are one message: its overhead weighs more than its multiplications.
_SMALL_MESSAGE = 2.0**10


class Step(NamedTuple):
    """One step towards the cut: ``tables`` of the network join what earlier steps left; ``summed`` go."""

    tables: tuple[TableIndex, ...]
    summed: Mask


@record
class CutSide:
    """One side of the cut: its features in table order, and the steps that give its table."""

    features: tuple[VariableId, ...]
    steps: tuple[Step, ...]


@record
class Cut:
    """Two sides and the separator between them.

    ``log_work`` is log2 of all multiplications, ``seconds`` what they take by the measured rates of
    ``cost``; ``jointree`` is the tree that the search started from.
    """

    first: CutSide
    second: CutSide
    separator: Mask
    log_work: float
    jointree: Jointree
    seconds: float


def choose_cut(prepared: Prepared, seeds: Sequence[int], max_table_entries: int) -> Cut:
    """Return the cheapest cut that is found from the jointrees of these seeds, by estimated seconds.

    1. For a seed, take the cheapest edges of its min-fill jointree.
    2. Move tables across the cut while that makes it cheaper (``search``).
    3. Sum each side's variables out in the cheapest order known.

    The first seed is always tried; further ones only while the search is short in comparison to the estimate
    of the best cut. Both are estimates, so the same cut is found on every machine. A table larger than
    ``max_table_entries`` is out of the question, whether of the smaller side or on the way to one row.
    """
    search = _Search(prepared, max_table_entries)
    for number, seed in enumerate(seeds):
        if number > 0 and not search.has_time_for_a_tree():
            break
        search.try_seed(seed)
    return search.cut()


class _Search:
    """The cheapest cut so far, its estimated ``seconds``, and those that finding it took."""

    def __init__(self, prepared: Prepared, max_table_entries: int) -> None:
        self._prepared = prepared
        self._model = model = CutModel(prepared, max_table_entries)
        self._graph = MinFill(graph_of(model.scopes, len(model.scopes)))
        self._graph.eliminate_simplicial()
        self._core: Core | None = None
        self._seen: set[frozenset[TableIndex]] = set()
        self._spent = 0.0
        self._seconds_per_tree = _SECONDS_PER_EDGE * sum([scope.bit_count() for scope in model.scopes])
        self.seconds = inf
        # The tables of both sides, the joins that sum their variables out, and the tree that it came from.
        self._best: tuple[list[list[TableIndex]], list[list[Join]], MaskTree] | None = None

    def _time(self, seconds: float) -> float:
        """Return how long the search may take, given the estimate of the best cut so far."""
        return min(_SEARCH_SHARE * seconds, _SEARCH_SECONDS + _LONG_SEARCH_SHARE * seconds)

    def has_time_for_a_tree(self) -> bool:
        return self._spent < _TREE_SHARE * self._time(self.seconds)

    def try_seed(self, seed: int) -> None:
        graph = self._graph.copy()
        graph.finish(seed)
        tree = cluster_tree(graph)
        edges = EdgeCuts(self._model, tree)
        self._spent += self._seconds_per_tree
        starts = [edges.start(*edge) for edge in edges.best()]
        if len(tree.clusters) == 1:
            starts = [Start(inf, frozenset(range(len(self._model.scopes))), tuple(graph.order))]
        for start in starts:
            if start.first not in self._seen:
                self._seen.add(start.first)
                self._try(start, tree)

    def _try(self, start: Start, tree: MaskTree) -> None:
        best, found = self.seconds, inf
        budget = self._time(min(start.seconds, best)) - self._spent
        if budget > 0:
            if self._core is None:
                self._core = Core(self._model)
                self._spent += self._seconds_per_tree
            division, seconds = self._core.improve(start.first, budget)
            self._spent += seconds
            found = division.seconds
            self._offer(self._core.tables(division), (*self._core.order, *division.order), tree)
        if start.seconds < min(found, best) or self.seconds == inf:
            self._offer(start.first, start.order, tree)

    def _offer(self, first: frozenset[TableIndex], order: Sequence[VariableId], tree: MaskTree) -> None:
        """Keep the cut with these tables on its first side if it fits and is cheaper than the best."""
        model = self._model
        everything = range(len(model.scopes))
        sides = [[table for table in everything if (table in first) == here] for here in (True, False)]
        mentioned = [union([model.scopes[table] for table in side]) for side in sides]
        seconds = model.join_seconds(*mentioned)
        joins = [model.best_joins(side, model.separator(*mentioned), [order]) for side in sides]
        if seconds < inf and joins[0] is not None and joins[1] is not None:
            seconds += work_of([*joins[0], *joins[1]], model.counts.count) * SECONDS_PER_MESSAGE
            if seconds < self.seconds:
                self.seconds, self._best = seconds, (sides, [joins[0], joins[1]], tree)

    def cut(self) -> Cut:
        if self._best is None:
            raise LimitExceeded(
                f"every cut of the {len(self._prepared.features)} features needs a table of more than "
                f"{self._model.max_entries:.0f} entries; choose fewer features or raise memory_limit"
            )
        model, (tables, joins, tree) = self._model, self._best
        here, there = (union([model.scopes[table] for table in side]) for side in tables)
        first, second = (_side(model, *side) for side in zip(tables, joins, strict=True))
        work = sum(work_of(some, model.counts.count) for some in joins)
        across = here & there & ~model.features
        jointree = named_tree(tree, self._prepared.network.names)
        return Cut(first, second, across, model.log_work(here, there, work), jointree, self.seconds)


def _side(model: CutModel, tables: Sequence[TableIndex], joins: Sequence[Join]) -> CutSide:
    """Return the steps of the joins of a side, farthest from the cut first, branch by branch.

    Features are in the order in which they are met on the way from the cut, larger branches first.
    """
    nodes = _message_tree(model, tables, joins)
    order: list[_Node] = []
    pending = [len(nodes) - 1] if tables else []
    while pending:
        order.append(nodes[pending.pop()])
        pending += sorted(order[-1].inputs, key=lambda number: (nodes[number].features, number))
    steps = [Step(tuple(sorted(node.tables)), node.summed) for node in order]
    features = [table for step in steps for table in step.tables if model.features >> table & 1]
    return CutSide(tuple(features), tuple(reversed(steps)))


@record
class _Node:
    """A message to be: what it joins and sums out, all that it mentions, and the features behind it."""

    tables: list[TableIndex]
    inputs: list[int]
    summed: Mask
    joined: Mask
    features: int


def _message_tree(model: CutModel, tables: Sequence[TableIndex], joins: Sequence[Join]) -> list[_Node]:
    """Return a node for each join and one for the side's table at the end; small ones join those after."""
    nodes: list[_Node] = []
    given = len(tables)
    inside, left = joined_tables([model.scopes[table] for table in tables], joins)
    for entries, summed in [*zip(inside, [join.summed for join in joins], strict=True), (left, 0)]:
        entering = [tables[number] for number in entries if number < given]
        inputs = [number - given for number in entries if number >= given]
        results = [nodes[number].joined & ~nodes[number].summed for number in inputs]
        joined = union([*results, *(model.scopes[table] for table in entering)])
        for number in inputs[:] if summed else ():
            node = nodes[number]
            if model.counts.count(joined | node.joined) <= _SMALL_MESSAGE:
                inputs.remove(number)
                inputs += node.inputs
                entering += node.tables
                joined |= node.joined
                summed |= node.summed
        features = sum([model.features >> table & 1 for table in entering])
        features += sum([nodes[number].features for number in inputs])
        nodes.append(_Node(entering, inputs, summed, joined, features))
    return nodes
