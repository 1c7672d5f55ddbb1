"""The default method: one pass for all classes, on arrays.

1. Prune the network and give inner features leaf copies (``graph/pruning``). Where the odds of two classes
   are a product of small factors over features, one dimension decides (``ratio``), and this is all. Else
   merge states that nothing tells apart (``graph/alike_states``).
2. Choose a cut: two tables of partial instances that can be joined with least work (``cut``).
3. Compute both tables by messages towards the cut (``tables``), with instances and states that are alike as
   one (``compressed_factor``, ``proportional``).
4. Multiply them block by block into the class of every instance (``join``, ``labels``, ``work_share``); cells
   that float64 cannot prove are decided exactly (``ties``).
5. Merge equal sub-functions and reduce to a decision diagram with classes at the ends (``row_packing``).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import joined, take
from bnc2d.base.budget import Budget
from bnc2d.base.hashing import distinct
from bnc2d.base.masks import VariableId
from bnc2d.base.workers import spread
from bnc2d.compile.graph.alike_states import merge_alike_states
from bnc2d.compile.graph.feature_tree import widths_of
from bnc2d.compile.graph.pruning import Prepared, prepare
from bnc2d.compile.meet.boxes import in_boxes
from bnc2d.compile.meet.cut.cut import Cut, choose_cut
from bnc2d.compile.meet.cut_problem import CutProblem, Given, Side
from bnc2d.compile.meet.join import Patterns
from bnc2d.compile.meet.labels import Decider
from bnc2d.compile.meet.row_packing import Packing, RowPool, Words
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor
from bnc2d.compile.meet.ties import TieStrategy, choose_tie_strategy, resolve_ties
from bnc2d.compile.meet.work_share import Doubts, decide_all
from bnc2d.compile.ratio.choice import groups_of
from bnc2d.compile.result import Compiled, feature_domain
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.model.classifier import BaseClassifier

if TYPE_CHECKING:
    from concurrent.futures import Executor

_JOINTREE_SEEDS = range(8)
# A table, the one it is made of, their products and copies.
_BYTES_PER_ENTRY = 4 * 8
# Tables of more entries are made part by part, one after the other in the same memory: to get new memory from
# the system, page by page, takes longer than to fill it. Not in more parts than these.
_LARGE_TABLE = 1 << 24
_FEW_PARTS = 16
# At most this many features are set beforehand because of ties.
_MAX_EXPLAINING = 3
_EXPANDED_CELLS = 1 << 22


def compile_diagram(
    classifier: BaseClassifier, budget: Budget, certified: bool, executor: Executor | None = None
) -> Compiled:
    """Return the reduced diagram of the classifier's decisions."""
    with budget.phase("order"):
        prepared = prepare(classifier)
        groups = groups_of(classifier, prepared)
    if groups is not None:
        from bnc2d.compile.ratio.method import compile_by_intervals

        return compile_by_intervals(classifier, prepared, groups, budget, certified)
    with budget.phase("order"):
        prepared = merge_alike_states(prepared)
        entries = _entries(budget.memory)
        cut = cheapest_cut(prepared, budget.memory)
        widths = widths_of(prepared, cut.jointree)
        sides = [Side(prepared, side) for side in (cut.first, cut.second)]
        most = min(entries, _LARGE_TABLE)
        fixed = _set_beforehand(sides, most)
        if prod([prepared.sizes[feature] for feature in fixed]) > _FEW_PARTS:
            most = entries
            fixed = _set_beforehand(sides, most)
        fixed.sort(key=prepared.network.names.__getitem__)
    explaining: list[VariableId] = []
    structural = False
    while True:
        cut_problem = CutProblem(classifier, prepared, sides, (*fixed, *explaining), structural)
        attempt = _Attempt(cut_problem, budget, certified, executor, len(explaining) < _MAX_EXPLAINING)
        wanted = attempt.label(one_ahead=bool(fixed) and 2 * most <= entries)
        if wanted is None:
            break
        structural = True
        explaining += wanted
    diagram = attempt.diagram()
    counts = attempt.cells, attempt.exact_calls
    return Compiled(diagram, *counts, widths, cut.log_work, len(attempt.pool))


def cheapest_cut(prepared: Prepared, memory: int) -> Cut:
    """Return the cut for tables that fit a number of bytes."""
    return choose_cut(prepared, _JOINTREE_SEEDS, _entries(memory))


def _set_beforehand(sides: Sequence[Side], entries: int) -> list[VariableId]:
    """Return features without which no table is larger than this."""
    return [feature for side in sides for feature in side.features_to_fix(entries)]


def _entries(memory: int) -> int:
    return max(1, memory // _BYTES_PER_ENTRY)


class _Attempt:
    """Labels all instances, for one instance after the other of the features that are set beforehand."""

    def __init__(
        self,
        cut_problem: CutProblem,
        budget: Budget,
        certified: bool,
        executor: Executor | None,
        may_explain: bool,
    ) -> None:
        self._cut_problem, self._budget, self._executor = cut_problem, budget, executor
        self._certified, self._may_explain = certified, may_explain
        self._packing = Packing(cut_problem.terminals, cut_problem.cardinalities(cut_problem.second))
        self._ids: list[NDArray[np.intp]] = []  # of the row of each instance of the first side
        self.pool = RowPool()
        self.cells = self.exact_calls = 0

    def label(self, one_ahead: bool) -> TieStrategy | None:
        """Label all instances; or return what should be done first about ties.

        With ``one_ahead``, and threads, the tables of the next part are made beside the labels of one.
        """
        instances = self._cut_problem.fixed_instances()
        parts = spread(self._part, instances, 2) if one_ahead else map(self._part, instances)
        while True:
            with self._budget.phase("tables"):
                part = next(parts, None)
            if part is None:
                return None
            with self._budget.phase("labels"):
                given, first, factors, decider = part
                row_ids, doubts = self._decide(decider, first, factors[1])
                ids = take(row_ids, factors[0].pattern_of_row)
                if len(doubts.patterns) and self._certified:
                    wanted = (
                        choose_tie_strategy(doubts, self._cut_problem, *factors)
                        if self._may_explain
                        else None
                    )
                    if wanted is not None:
                        return wanted
                    self.exact_calls += resolve_ties(
                        doubts, self._cut_problem, given, factors, self.pool, self._packing, ids, self._budget
                    )
                self._ids.append(ids)

    def _part(
        self, given: Given
    ) -> tuple[Given, Patterns, tuple[CompressedFactor, CompressedFactor], Decider]:
        """Return the tables for one instance of the features set beforehand, and what decides with them."""
        first, second = self._cut_problem.factors(given)
        join, second, boxes = in_boxes(self._cut_problem.join(first, second), second)
        return given, join.first, (first, second), self._cut_problem.decider(join, boxes)

    def _decide(
        self, decider: Decider, first: Patterns, second: CompressedFactor
    ) -> tuple[NDArray[np.intp], Doubts]:
        """Return for each pattern of the first side the id of its row, and what is doubtful."""
        local = RowPool()
        ids, doubts = [], []
        for rows, doubtful in decide_all(decider, first, self._cut_problem.terminals, self._executor):
            ids.append(local.add_distinct(rows))
            doubts.append(doubtful)
            self.cells += len(rows.ids) * second.patterns
            self._budget.progress(sum(map(len, ids)) / len(first))
        return take(self._expand(local, second), np.concatenate(ids)), Doubts.joined(doubts)

    def _expand(self, local: RowPool, second: CompressedFactor) -> NDArray[np.intp]:
        """Put distinct rows over patterns into the pool as rows over instances; return their ids."""
        rows = local.rows()
        step = max(1, _EXPANDED_CELLS // len(second.pattern_of_row))

        def expanded(start: int) -> Words:
            return self._packing.taken(rows[start : start + step], second.patterns, second.pattern_of_row)

        # Rows that differ over patterns differ over instances; of a single part, there are no others.
        add = self.pool.add if self._cut_problem.fixed else self.pool.add_new
        return np.concatenate([add(words) for words in spread(expanded, range(0, len(rows), step))])

    def diagram(self) -> Diagram:
        """Return the reduced diagram of all labels."""
        cut_problem = self._cut_problem
        with self._budget.phase("reduce"):
            heads = (*cut_problem.fixed, *cut_problem.first)
            order = [cut_problem.position[feature] for feature in (*heads, *cut_problem.second)]
            builder = DiagramBuilder(cut_problem.terminals)
            used, _, ids = distinct(joined(self._ids))
            rows = self.pool.rows()
            if len(used) < len(rows):
                rows = take(rows, used)
            nodes = take(self._packing.reduce(rows, builder), ids)
            root = reduce_table(nodes[None, :], cut_problem.cardinalities(heads), builder)
            return builder.finish(feature_domain(cut_problem.classifier), order, int(root[0]))
