"""Ties and close calls: decide them exactly, or find a feature whose states explain them.

Patterns are merged by float64 values, so exact labels are given for groups of instances: each instance is a
group of its own where there are few, else integer tables of both sides prove which are proportional.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import lcm, prod
from typing import TypeAlias

import numpy as np

from bnc2d.base.arrays import take
from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.hashing import distinct, stable_order
from bnc2d.base.masks import VariableId
from bnc2d.base.records import record
from bnc2d.compile.meet.cut_problem import CutProblem, Given
from bnc2d.compile.meet.join import groups_by_class
from bnc2d.compile.meet.labels import LabelBlock
from bnc2d.compile.meet.row_packing import Packing, RowPool
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor
from bnc2d.compile.meet.tables.gathered_sums import Integers
from bnc2d.compile.meet.work_share import Doubts

# Integer tables pay from this many doubtful instances on, and up to this many multiplications.
FEW = 2000
EXACT_WORK = 2.0**24
# A feature explains the doubts where this share of them has one of its states.
_SHARE = 0.9
# Batch sizes: labels of a pattern that are corrected together, cells of several that are asked together.
_CELLS_AT_ONCE = 1 << 22
_ASKED_AT_ONCE = 1 << 14
# A label of a row weighs this much less than a cell that is asked for.
_CELLS_A_LABEL = 256


# What resolves many ties without exact arithmetic: structural tables, and features set beforehand.
TieStrategy: TypeAlias = tuple[VariableId, ...]


def choose_tie_strategy(
    doubts: Doubts, cut_problem: CutProblem, first: CompressedFactor, second: CompressedFactor
) -> TieStrategy | None:
    """Return what to try where doubts are many and exact tables expensive; None where they must be decided.

    Ties are proven by the structure of the tables, if that was looked at. With a state set that has nearly
    all doubts, gates that it closes are off in the structure too.
    """
    if first.work + second.work <= EXACT_WORK or _count(doubts, first, second) <= FEW:
        return None
    if not (first.structural and second.structural):
        return ()
    rows, columns = first.instances, second.instances
    us, vs = doubts.patterns[doubts.rows], doubts.columns
    by_row = np.bincount(us, weights=columns[vs], minlength=first.patterns)
    by_column = np.bincount(vs, weights=rows[us], minlength=second.patterns)
    shares: dict[VariableId, float] = {}
    sides = (cut_problem.first, first, by_row), (cut_problem.second, second, by_column)
    for features, factor, weight in sides:
        shape = weight[factor.pattern_of_row].reshape(cut_problem.cardinalities(features))
        for axis, feature in enumerate(features):
            by_state = shape.sum(axis=tuple(other for other in range(len(features)) if other != axis))
            shares[feature] = float(by_state.max() / by_state.sum())
    best = max(shares, key=shares.__getitem__, default=-1)
    return (best,) if shares.get(best, 0.0) >= _SHARE else None


def _count(doubts: Doubts, first: CompressedFactor, second: CompressedFactor) -> int:
    """Return the number of instances that the doubtful cells stand for."""
    rows, columns = first.instances, second.instances
    return int((rows[doubts.patterns[doubts.rows]] * columns[doubts.columns]).sum())


def resolve_ties(
    doubts: Doubts,
    cut_problem: CutProblem,
    given: Given,
    factors: tuple[CompressedFactor, CompressedFactor],
    pool: RowPool,
    packing: Packing,
    ids: Integers,
    budget: Budget,
) -> int:
    """Decide the doubtful cells exactly and correct the ``ids`` of the rows that they are in.

    Returns how many exact decisions it took.
    """
    first, second = factors
    many = _count(doubts, first, second) > FEW and first.work + second.work <= EXACT_WORK
    resolver = (by_tables if many else by_instances)(cut_problem, given)
    none = len(cut_problem.classifier.classes)
    calls = 0
    for batch in _batches(_questions(doubts, first, second, resolver)):
        asked = [question.cells for question in batch]
        found = resolver.labels(*(np.concatenate(side) for side in zip(*asked, strict=True))) % (none + 1)
        calls += len(found)
        stops = np.cumsum([len(rows) for rows, _ in asked])
        for question, labels in zip(batch, np.split(found, stops[:-1]), strict=True):
            ids[question.instances] = pool.add(packing.pack(question.corrected(labels)))[question.which]
        budget.progress(batch[-1].at / len(doubts.patterns))
    return calls


@record
class _Question:
    """What is asked of some groups of instances of a pattern of the first side: its doubtful columns.

    ``which`` is the place of each of the ``instances`` among the ``row_groups``; ``of_index`` that of each
    doubtful instance of the second side, ``indices``, among the ``column_groups``.
    """

    at: int
    row: LabelBlock  # labels of one row, those in doubt included
    instances: Integers
    which: Integers
    row_groups: Integers
    indices: Integers
    of_index: Integers
    column_groups: Integers

    @property
    def cells(self) -> tuple[Integers, Integers]:
        """All pairs of groups that are asked for."""
        rows = np.repeat(self.row_groups, len(self.column_groups))
        return rows, np.tile(self.column_groups, len(self.row_groups))

    def corrected(self, labels: Integers) -> LabelBlock:
        """Return the row of each group, given the labels of the cells."""
        rows = np.repeat(self.row[None], len(self.row_groups), axis=0)
        rows[:, self.indices] = labels.reshape(len(rows), -1)[:, self.of_index]
        return rows


def _questions(
    doubts: Doubts, first: CompressedFactor, second: CompressedFactor, resolver: Resolver
) -> Iterator[_Question]:
    """Yield a question for each doubtful pattern, or several where it has many groups of instances."""
    counts = first.instances
    order, stops = stable_order(first.pattern_of_row), np.cumsum(counts)
    open_columns = np.split(doubts.columns, np.flatnonzero(np.diff(doubts.rows)) + 1)
    for at, (pattern, its_columns) in enumerate(zip(doubts.patterns.tolist(), open_columns, strict=True)):
        instances = order[stops[pattern] - counts[pattern] : stops[pattern]]
        groups, _, which = distinct(resolver.rows[instances])
        asked = np.zeros(second.patterns, dtype=bool)
        asked[its_columns] = True
        indices = np.flatnonzero(take(asked, second.pattern_of_row))
        column_groups, _, of_index = distinct(resolver.columns[indices])
        row = take(doubts.labels[at], second.pattern_of_row)
        for some in pieces(len(groups), _CELLS_AT_ONCE // len(row)):
            here = (which >= some.start) & (which < some.stop)
            its, place = instances[here], which[here] - some.start
            yield _Question(at, row, its, place, groups[some], indices, of_index, column_groups)


def _batches(questions: Iterable[_Question]) -> Iterator[list[_Question]]:
    """Yield questions to be asked together: what one decision takes, others share."""
    batch: list[_Question] = []
    cells = 0
    for question in questions:
        batch.append(question)
        cells += len(question.row_groups) * max(
            len(question.column_groups), len(question.row) // _CELLS_A_LABEL
        )
        if cells >= _ASKED_AT_ONCE:
            yield batch
            batch, cells = [], 0
    if batch:
        yield batch


@record
class Resolver:
    """Exact labels of pairs of groups; every instance of a side is in one group.

    ``rows`` and ``columns`` are the group of each instance of the first side and of the second; ``labels``
    returns the label of each pair of groups, -1 for "in no class".
    """

    rows: Integers
    columns: Integers
    labels: Callable[[Integers, Integers], Integers]


def by_instances(cut_problem: CutProblem, given: Given) -> Resolver:
    """Return a resolver in which every instance is a group of its own, decided by the classifier."""
    position = cut_problem.position
    sides = cut_problem.first, cut_problem.second
    sizes = [cut_problem.cardinalities(side) for side in sides]

    def labels(rows: Integers, columns: Integers) -> Integers:
        instances = np.zeros((len(rows), len(position)), dtype=np.intp)
        for feature, state in given.items():
            instances[:, position[feature]] = state
        for side, cardinalities, ids in zip(sides, sizes, (rows, columns), strict=True):
            if side:
                states = np.stack(np.unravel_index(ids, cardinalities), axis=1)
                instances[:, [position[feature] for feature in side]] = states
        return cut_problem.classifier.labels(instances)

    return Resolver(np.arange(prod(sizes[0])), np.arange(prod(sizes[1])), labels)


def by_tables(cut_problem: CutProblem, given: Given) -> Resolver:
    """Return a resolver by integer tables of both sides, whose patterns are the groups."""
    first, second = cut_problem.factors(given, exact=True)
    codes = groups_by_class(first, second, cut_problem.prepared.target_id, cut_problem.state_of_class)
    of_first, of_second = np.divmod(codes, len(second.table))
    scale = lcm(*(prior.denominator for prior in cut_problem.priors))
    weights = [int(prior * scale) for prior in cut_problem.priors]

    def labels(rows: Integers, columns: Integers) -> Integers:
        cells, _, indices = distinct(rows * second.patterns + columns)
        found = np.empty(len(cells), dtype=np.intp)
        for at, cell in enumerate(cells.tolist()):
            checkpoint()
            u, v = divmod(cell, second.patterns)
            joint = [
                weight * int(np.dot(first.table[of_first[y], u], second.table[of_second[y], v]))
                for y, weight in enumerate(weights)
            ]
            found[at] = cut_problem.classifier.rule.exact_label(joint)
        return found[indices]

    return Resolver(first.pattern_of_row, second.pattern_of_row, labels)
