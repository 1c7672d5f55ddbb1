"""Where to cut the network: two tables of partial instances that meet in the middle.

A cut splits the features into ``U`` and ``V`` with separator ``S``, and
``P(y, u, v) = Σ_s A[u, y, s] B[v, y, s]`` for a table of each side (steps 4 and 5 of Zhang and Darwiche 2026
cut the same way, at an edge of the jointree). A side is computed by messages towards the cut, features kept
as axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from bnc2d.base.masks import Mask, VariableId, positions, union
from bnc2d.compile.graph.jointree import Jointree, MaskTree, Name, cluster_tree, named_tree
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.meet.cut.cost import SECONDS_PER_MESSAGE, CutModel, TableIndex
from bnc2d.compile.meet.cut.search import Core, EdgeCuts, Start
from bnc2d.errors import LimitExceeded
from bnc2d.model.elimination import Join, joined_tables, work_of
from bnc2d.model.min_fill import MinFill, graph_of

# The search may take this share of the estimate; beyond so many seconds only the smaller share, as gains end.
_SEARCH_SHARE = 0.08
_SEARCH_SECONDS = 0.04
_LONG_SEARCH_SHARE = 0.01
# Further trees are tried only while this share of that time is spent; different starts are better than trees.
_TREE_SHARE = 0.25
# What a tree and its edges take, for each variable and each edge of the network: an estimate, not a clock.
_SECONDS_PER_EDGE = 10e-6
# Steps that join no more than this are one message: its overhead weighs more than its multiplications.
_SMALL_MESSAGE = 2.0**10


@dataclass(frozen=True)
class Message:
    """One step towards the cut: multiply tables and earlier messages, then ``summed`` goes.

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
    """Two sides and the separator between them.

    ``log_work`` is log2 of all multiplications, ``seconds`` what they take by the measured rates of
    ``cost``; ``jointree`` is the tree that the search started from.
    """

    first: CutSide
    second: CutSide
    separator: tuple[Name, ...]
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
    if search.best is None:
        raise LimitExceeded(
            f"every cut of the {len(prepared.features)} features needs a table of more than "
            f"{max_table_entries} entries; choose fewer features or raise memory_limit"
        )
    return search.best.cut()


class _Search:
    """The cheapest cut so far, and the estimated seconds that finding it took."""

    def __init__(self, prepared: Prepared, max_table_entries: int) -> None:
        self._model = model = CutModel(prepared, max_table_entries)
        self._graph = MinFill(graph_of(model.scopes, len(model.scopes)))
        self._graph.eliminate_simplicial()
        self._core: Core | None = None
        self._seen: set[frozenset[TableIndex]] = set()
        self._spent = 0.0
        self._seconds_per_tree = _SECONDS_PER_EDGE * sum([scope.bit_count() for scope in model.scopes])
        self.best: _Candidate | None = None

    def _time(self, seconds: float) -> float:
        """Return how long the search may take, given the estimate of the best cut so far."""
        return min(_SEARCH_SHARE * seconds, _SEARCH_SECONDS + _LONG_SEARCH_SHARE * seconds)

    def has_time_for_a_tree(self) -> bool:
        return self.best is None or self._spent < _TREE_SHARE * self._time(self.best.seconds)

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
        best = inf if self.best is None else self.best.seconds
        found = inf
        budget = self._time(min(start.seconds, best)) - self._spent
        if budget > 0:
            if self._core is None:
                self._core = Core(self._model)
                self._spent += self._seconds_per_tree
            division, seconds = self._core.improve(start.first, budget)
            self._spent += seconds
            found = division.seconds
            self._offer(self._core.tables(division), (*self._core.order, *division.order), tree)
        if start.seconds < min(found, best) or self.best is None:
            self._offer(start.first, start.order, tree)

    def _offer(self, first: frozenset[TableIndex], order: Sequence[VariableId], tree: MaskTree) -> None:
        found = _candidate(self._model, first, order, tree)
        if found is not None and (self.best is None or found.seconds < self.best.seconds):
            self.best = found


@dataclass(frozen=True)
class _Candidate:
    """A cut in terms of positions: the tables of both sides and how each sums its variables out."""

    model: CutModel
    tables: tuple[list[TableIndex], list[TableIndex]]
    joins: tuple[list[Join], list[Join]]
    tree: MaskTree
    seconds: float

    def cut(self) -> Cut:
        model = self.model
        first, second = (union([model.scopes[table] for table in side]) for side in self.tables)
        sides = [_side(model, *side) for side in zip(self.tables, self.joins, strict=True)]
        work = sum(work_of(joins, model.counts.count) for joins in self.joins)
        return Cut(
            sides[0],
            sides[1],
            _names(model, first & second & ~model.features),
            model.log_work(first, second, work),
            named_tree(self.tree, model.names),
            self.seconds,
        )


def _candidate(
    model: CutModel, first: frozenset[TableIndex], order: Sequence[VariableId], tree: MaskTree
) -> _Candidate | None:
    """Return the cut with these tables on its first side, or None where it does not fit."""
    here = [table for table in range(len(model.scopes)) if table in first]
    there = [table for table in range(len(model.scopes)) if table not in first]
    mentioned = [union([model.scopes[table] for table in side]) for side in (here, there)]
    separator = model.separator(*mentioned)
    seconds = model.join_seconds(*mentioned)
    ways = [model.best_joins(side, separator, [order]) for side in (here, there)]
    if seconds == inf or ways[0] is None or ways[1] is None:
        return None
    seconds += work_of([*ways[0], *ways[1]], model.counts.count) * SECONDS_PER_MESSAGE
    return _Candidate(model, (here, there), (ways[0], ways[1]), tree, seconds)


def _names(model: CutModel, mask: Mask) -> tuple[Name, ...]:
    return tuple(sorted([model.names[variable] for variable in positions(mask)]))


def _side(model: CutModel, tables: Sequence[TableIndex], joins: Sequence[Join]) -> CutSide:
    """Return the messages of the joins of a side, farthest from the cut first, branch by branch.

    Features are in the order in which they are met on the way from the cut, larger branches first.
    """
    nodes = _message_tree(model, tables, joins)
    order: list[int] = []
    pending = [len(nodes) - 1] if tables else []
    while pending:
        order.append(pending.pop())
        pending += sorted(nodes[order[-1]].inputs, key=lambda number: (nodes[number].features, number))
    place = {number: position for position, number in enumerate(reversed(order))}
    messages = []
    for number in reversed(order):
        node = nodes[number]
        cpts = tuple(model.names[table] for table in sorted(node.tables))
        inputs = tuple(sorted(place[other] for other in node.inputs))
        messages.append(Message(cpts, inputs, _names(model, node.summed)))
    met = [table for number in order for table in sorted(nodes[number].tables)]
    features = tuple(model.names[table] for table in met if model.features >> table & 1)
    return CutSide(features, tuple(messages))


@dataclass(frozen=True)
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
