"""What is known of all completions of a partial instance, at each feature-splitting edge of the spine.

At such an edge ``P(Y, u, v) = Σ_s M(Y, s) P(v | s)``. decide-negative takes ``P(v | ·)`` for any vector that
is not negative. Really it is one of as many vectors as there are completions ``v``, and none of them depends
on ``u``. So they are computed once, from the last node of the spine upwards, as far as they are few:

- *rays*: the vectors ``P(v | ·)`` themselves, scaled to a largest entry of 1. Proportional ones are one, and
  those that are zero everywhere (impossible whatever ``u`` is) are left out. Where two classes are compared
  and the separator has two states, the two extreme rays stand for all. Where they are too many, some are
  kept: what these say differently needs no other test.
- *odds*: numbers ``R[s, r]`` with ``P(v | s) <= R[s, r] P(v | r)`` for all ``v``; infinite where nothing is
  known. Each state ``r`` is a state of reference, to which the ratio of any other ``s`` is in the interval
  from ``1 / R[r, s]`` to ``R[s, r]``.

One step up the spine, over a node with left instances ``v_l`` and ``A = φ_q pr_l / φ_qp``, each vector ``b``
becomes ``Σ_n A[s, n] b(n)`` for every ``v_l``. Where rays get too many, only odds go on. For any reference
``r`` and states ``s``, ``t`` above,

    Σ_n A[s, n] b(n) / Σ_n A[t, n] b(n)  <=  (Σ_n A[s, n] R[n, r]) / (Σ_n A[t, n] / R[r, n]).

And it is at most the largest ``A[s, n] R[n, n'] / A[t, n']`` over pairs of states ``n`` below ``s`` and
``n'`` below ``t`` that agree in the variables that are new there. The least of these bounds is taken.

*Rounding.* All numbers are non-negative sums, products and quotients, so errors are relative (``accounts``):
``roundings`` counts what a ray has gone through, the merging of proportional ones included. Odds are
multiplied by ``1 + m`` after each step, with the margin ``m`` of both sides of the quotient, so they are true
bounds. Nothing underflows: tables are moderate (``spine``); rays with positive entries below ``1e-130`` of
their largest are given up; odds above ``1e130`` become infinite, positive ones below ``1e-130`` become that.
Entries and odds of zero are true zeros.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import inf

import numpy as np

from bnc2d.base.arrays import contiguous
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.records import record
from bnc2d.compile.meet.tables.proportional import merge_patterns
from bnc2d.compile.paper.spine import SMALLEST, SpineNode
from bnc2d.model.accounts import Floats, margin

_MOST_RAYS = 1 << 13
_KEPT_ENTRIES = 1 << 20  # of the rays of an edge
_MADE_ENTRIES = 1 << 22  # of all vectors of an edge, before proportional ones are merged
# Where they are too many: how many are kept, and made of how many from below by how many instances.
_SOME_RAYS = 1 << 6
_SOME_BELOW = 1 << 4
_SOME_INSTANCES = 1 << 3
_MOST_WORK = 1 << 27  # numbers to look at for the odds of an edge
_WIDE = 1 << 5  # a pair of states costs as much memory as so many numbers to look at
_MOST_REFERENCES = 1 << 8
_PIECE = 1 << 20  # numbers at once
_ENDLESS = 1000.0  # bits of an interval without end


@record
class Completions:
    """What is known of the vectors ``P(v | s)`` below an edge."""

    rays: Floats  # [ray, separator state], those that differ most first
    complete: bool  # these are all of them, or the extreme ones where that is enough
    roundings: int  # of a ray
    bounds: Floats | None = None  # odds that were found otherwise

    @cached_property
    def odds(self) -> Floats | None:
        """The odds ``R[s, r]``; None where nothing is known."""
        return _odds_of(self.rays, self.roundings) if self.complete else self.bounds

    @cached_property
    def intervals(self) -> tuple[Floats, Floats] | None:
        """Least and largest ratio of each state to the best states of reference, ``[s, r]``."""
        if self.odds is None:
            return None
        least = np.divide(1.0, self.odds.T, out=np.zeros_like(self.odds), where=self.odds.T > 0)
        width = np.log2(np.maximum(self.odds, SMALLEST)) - np.log2(np.maximum(least, SMALLEST))
        best = np.argsort(np.minimum(width, _ENDLESS).sum(axis=0), kind="stable")[:_MOST_REFERENCES]
        return contiguous(least[:, best]), contiguous(self.odds[:, best])


def completions_below(spine: Sequence[SpineNode], classes: int) -> list[Completions | None]:
    """Return for each spine node what is known of the completions below the edge to its right child.

    None at the last node, which has no such edge, where the target is in the separator, and where float64
    cannot be relied on.
    """
    known: list[Completions | None] = [None] * len(spine)
    if not all(node.trusted for node in spine):
        return known
    last = Completions(np.ones((1, 1)), True, 0)
    for depth in range(len(spine) - 2, -1, -1):
        checkpoint()
        above, node = spine[depth], spine[depth + 1]
        if len(node.table) > 1 or len(above.right_message) > 1:
            break
        last = known[depth] = _Step(above, node).up(last, two_classes=classes == 2)
    return known


class _Step:
    """The way of vectors from the edge below a spine node to the edge above it."""

    def __init__(self, above: SpineNode, node: SpineNode) -> None:
        _, kept, gone, _ = node.table.shape
        scope = (*node.kept, *node.gone)
        states = np.arange(kept * gone).reshape([node.incoming[axis] for axis in scope])
        # Which of the states [kept, gone] is the first, second, ... of the separator.
        self._order = states.transpose(np.argsort(scope).astype(np.intp)).reshape(-1)
        message = above.right_message.reshape(node.incoming).transpose(scope).reshape(kept, gone, 1, 1)
        table = node.table.reshape(kept, gone, len(node.states), -1)
        # A as [kept, gone, v_l, new]; states that are impossible above count for nothing.
        self._table = np.divide(table, message, out=np.zeros_like(table), where=message > 0)
        self._states = kept * gone
        self._roundings = node.roundings - above.roundings + table.shape[3]

    def up(self, below: Completions, two_classes: bool) -> Completions:
        """Return what is known above from what is known below."""
        per_ray = self._table.size // self._table.shape[3]
        complete = below.complete and len(below.rays) * per_ray <= _MADE_ENTRIES
        if complete:
            rays = self._rays(below.rays, self._table)
        else:
            step = -(-self._table.shape[2] // _SOME_INSTANCES)
            rays = self._rays(below.rays[:_SOME_BELOW], self._table[:, :, ::step])
        roundings = below.roundings + self._roundings + 4  # by scaling, and by telling which are extreme
        least = rays.min(axis=1, where=rays > 0, initial=inf)
        safe = least >= SMALLEST * rays.max(axis=1)
        complete = complete and bool(safe.all())
        rays = rays[safe]
        merged = merge_patterns(rays.T) if len(rays) else None
        if merged is not None:
            rays, roundings = rays[merged.chosen], roundings + merged.roundings
        rays = _spread(rays / rays.max(axis=1, keepdims=True))
        if two_classes and self._states == 2:
            rays = rays[:2]
        if complete and len(rays) <= _MOST_RAYS and rays.size <= _KEPT_ENTRIES:
            return Completions(rays, True, roundings)
        odds = _odds_of(rays, roundings) if complete else None
        return Completions(
            rays[:_SOME_RAYS], False, roundings, self._odds(below.odds) if odds is None else odds
        )

    def _rays(self, below: Floats, table: Floats) -> Floats:
        """Return the vectors above that are not zero, as ``[ray, state]``, for the instances of a table."""
        kept, gone, instances, new = table.shape
        vectors = np.matmul(
            table.reshape(kept, gone * instances, new), below.T.reshape(kept, new, len(below))
        )
        rays: Floats = vectors.reshape(self._states, -1).T[:, self._order]
        return rays[np.any(rays, axis=1)]

    def _odds(self, below: Floats | None) -> Floats | None:
        """Return odds above by odds below."""
        kept, gone, instances, new = self._table.shape
        states = self._states
        error = margin(2 * (self._roundings + kept * new))
        work = states * states * max(instances * kept * new, _WIDE)
        if below is None or work > _MOST_WORK or error > 0.1:
            return None
        least = np.divide(1.0, below.T, out=np.zeros_like(below), where=below.T > 0)  # [n, r]
        paired = below.reshape(kept, new, kept, new).diagonal(axis1=1, axis2=3)  # [kept, kept, new]
        group = np.repeat(np.arange(kept), gone)  # by state
        found = np.zeros((states, states))
        for instance in range(instances):
            table = self._table[:, :, instance]  # [kept, gone, new]
            flat = table.reshape(states, new)
            high = _times(table, below.reshape(kept, new, -1)).reshape(states, -1)
            low = np.matmul(table, least.reshape(kept, new, -1)).reshape(states, -1)
            for some in pieces(states, max(1, _PIECE // (states * kept * new))):
                by_reference = _quotient(high[some, None], low).min(axis=2)
                paired_products = _products(flat[some, None], paired[group[some]][:, group])
                by_pairs = _quotient(paired_products, flat).max(axis=2)
                found[some] = np.maximum(found[some], np.minimum(by_reference, by_pairs))
        return _in_range(found[np.ix_(self._order, self._order)] * (1 + error))


def _spread(rays: Floats) -> Floats:
    """Return the rays in another order: first those with the least or largest share of a state."""
    if not len(rays):
        return rays
    shares = rays / rays.sum(axis=1, keepdims=True)
    extreme = dict.fromkeys(np.stack([shares.argmin(axis=0), shares.argmax(axis=0)], axis=1).ravel().tolist())
    others = np.ones(len(rays), dtype=bool)
    others[list(extreme)] = False
    return np.concatenate([rays[list(extreme)], rays[others]])


def _odds_of(rays: Floats, roundings: int) -> Floats | None:
    """Return the odds of vectors that are all known; None where they are too many for it."""
    error, states = margin(2 * roundings), rays.shape[1]
    if error > 0.1 or max(rays.size * states, states * states * _WIDE) > _MOST_WORK:
        return None
    odds = np.zeros((states, states))
    for piece in pieces(len(rays), max(1, _PIECE // (states * states))):
        some = rays[piece]
        np.maximum(odds, _quotient(some[:, :, None], some[:, None]).max(axis=0), out=odds)
    return _in_range(odds * (1 + error))


def _quotient(above: Floats, below: Floats) -> Floats:
    """Return quotients: infinite where only the divisor is zero, zero only where the dividend is."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        return np.where(above > 0, np.maximum(above / below, SMALLEST), 0.0)


def _products(left: Floats, right: Floats) -> Floats:
    """Return products where zero times infinity is zero."""
    with np.errstate(invalid="ignore"):
        return np.where(left > 0, left * right, 0.0)


def _times(table: Floats, odds: Floats) -> Floats:
    """Return a product of matrices where zero times infinity is zero."""
    endless = np.isinf(odds)
    product: Floats = np.matmul(table, np.where(endless, 0.0, odds))
    product[np.matmul((table > 0).astype(np.float64), endless.astype(np.float64)) > 0] = inf
    return product


def _in_range(odds: Floats) -> Floats:
    return np.where(odds > 1 / SMALLEST, inf, np.where(odds > 0, np.maximum(odds, SMALLEST), 0.0))
