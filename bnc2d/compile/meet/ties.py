"""Ties and close calls: decide them exactly, or find a feature whose states explain them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import take
from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import pieces
from bnc2d.base.hashing import distinct, stable_order
from bnc2d.compile.graph.jointree import Name
from bnc2d.compile.meet.cut_problem import CutProblem, Given
from bnc2d.compile.meet.exact_labels import Resolver
from bnc2d.compile.meet.row_packing import Packing, RowPool
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor
from bnc2d.compile.meet.work_share import Doubts

# Integer tables pay from this many doubtful instances on, and up to this many multiplications.
FEW = 2000
EXACT_WORK = 2.0**24
# A feature explains the doubts where this share of them has one of its states.
_SHARE = 0.9
# Batch size: labels that are corrected together.
_CELLS_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class TieStrategy:
    """What resolves many ties without exact arithmetic: structural tables, or a feature set beforehand."""

    feature: Name | None


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
        return TieStrategy(None)
    rows, columns = first.instances, second.instances
    us, vs = doubts.patterns[doubts.rows], doubts.columns
    by_row = np.bincount(us, weights=columns[vs], minlength=first.patterns)
    by_column = np.bincount(vs, weights=rows[us], minlength=second.patterns)
    best: tuple[float, Name] | None = None
    sides = (cut_problem.first, first, by_row), (cut_problem.second, second, by_column)
    for names, factor, weight in sides:
        cardinalities = cut_problem.cardinalities(names)
        shape = weight[factor.pattern_of_row].reshape(cardinalities)
        for axis, name in enumerate(names):
            others = tuple(other for other in range(len(names)) if other != axis)
            by_state = shape.sum(axis=others)
            share = float(by_state.max() / by_state.sum())
            if share >= _SHARE and (best is None or share > best[0]):
                best = share, name
    return None if best is None else TieStrategy(best[1])


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
    ids: NDArray[np.intp],
    budget: Budget,
) -> int:
    """Decide the doubtful cells exactly and correct the ``ids`` of the rows that they are in.

    Returns how many exact decisions it took.
    """
    first, second = factors
    many = _count(doubts, first, second) > FEW and first.work + second.work <= EXACT_WORK
    exact = cut_problem.by_tables if many else cut_problem.by_instances
    resolver: Resolver = exact(given)
    group_ids, columns = resolver.rows, resolver.columns
    none = len(cut_problem.classifier.classes)
    counts = first.instances
    order, stops = stable_order(first.pattern_of_row), np.cumsum(counts)
    open_columns = np.split(doubts.columns, np.flatnonzero(np.diff(doubts.rows)) + 1)
    calls = 0
    for at, (pattern, its_columns) in enumerate(zip(doubts.patterns.tolist(), open_columns, strict=True)):
        instances = order[stops[pattern] - counts[pattern] : stops[pattern]]
        its_groups, _, which = distinct(group_ids[instances])
        asked = np.zeros(second.patterns, dtype=bool)
        asked[its_columns] = True
        indices = np.flatnonzero(take(asked, second.pattern_of_row))
        column_groups, _, of_index = distinct(columns[indices])
        row = take(doubts.labels[at], second.pattern_of_row)
        its_ids = np.empty(len(its_groups), dtype=np.intp)
        for some in pieces(len(its_groups), _CELLS_AT_ONCE // len(row)):
            labels = np.repeat(row[None], some.stop - some.start, axis=0)
            found = resolver.labels(
                np.repeat(its_groups[some], len(column_groups)), np.tile(column_groups, len(labels))
            )
            labels[:, indices] = (found % (none + 1)).reshape(len(labels), -1)[:, of_index]
            its_ids[some] = pool.add(packing.pack(labels))
            calls += len(found)
        ids[instances] = its_ids[which]
        budget.progress(at / len(doubts.patterns))
    return calls
