"""Bounds on what products and sums say, from bounds on what their terms say.

A message has bounds ``[row, move, *state]``, rows being regions: the number at ``t``, where the move leads
from ``s``, is at most the bound times the number at ``s``. Zero says that the number at ``t`` is zero,
infinity says nothing.

Each bound follows from bounds by exact arithmetic; rounding errors of one step are made up for at its end,
so that every float here is a true bound, however many steps there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import VariableId
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.regions.messages.message import Values
from bnc2d.regions.odds.grid import Grid, Joining

Allowed: TypeAlias = NDArray[np.bool_]


class Table(NamedTuple):
    """Numbers that are known, up to a factor close to 1."""

    numbers: Values
    factor: float


# Smaller bounds are raised, larger ones say nothing: products of two stay in the range of floats.
_SMALLEST, _LARGEST = 1e-140, 1e140
# More than the rounding errors of a step.
_AMENDS = 1.0 + 64 * UNIT_ROUNDOFF


def joined(
    how: Joining,
    left: Values,
    right: Values,
    allowed: Mapping[VariableId, Allowed],
    table: Table | None = None,
    *,
    zeros: bool,
) -> Values:
    """Return bounds on the product of two messages, with what goes summed out or chosen.

    ``allowed`` says which states ``[row, state]`` a feature may have. Where it is known, ``table`` is what
    the right one says for all rows. Without ``zeros`` no number is zero.
    """
    left, right = _without(how.left, how.left_kept, left), _without(how.right, how.right_kept, right)
    bounds = _product(how, left, right, zeros=zeros)
    grid = how.union
    for variable in how.summed:
        checkpoint()
        smaller = grid.only(set(grid.variables) - {variable})
        found = _summed(bounds, grid, smaller, variable)
        if zeros and table is not None and grid == how.union and how.right == how.right_kept:
            found = np.fmin(found, _summed_with(how, left, table, smaller, variable))
        bounds, grid = found, smaller
    for variable in how.chosen:
        axis = grid.variables.index(variable)
        shape = [1] * bounds.ndim
        shape[0], shape[2 + axis] = len(bounds), grid.sizes[axis]
        bounds = np.where(allowed[variable].reshape(shape), bounds, 0.0).max(axis=2 + axis)
        grid = grid.only(set(grid.variables) - {variable})
    return _in_range(bounds, zeros=zeros)


def _without(grid: Grid, kept: Grid, bounds: Values) -> Values:
    """Return the bounds where some variables have been forgotten: they may be in any state."""
    if grid == kept:
        return bounds
    moves = [place for place, move in enumerate(grid.moves) if move[0] in kept.variables]
    axes = tuple(2 + axis for axis, variable in enumerate(grid.variables) if variable not in kept.variables)
    largest: Values = bounds[:, moves].max(axis=axes)
    return largest


def _product(how: Joining, left: Values, right: Values, *, zeros: bool) -> Values:
    """Return the bounds of a product: those of both multiplied, where a variable is known to both."""
    variables = how.union.variables
    sides = []
    for grid, bounds in ((how.left_kept, left), (how.right_kept, right)):
        shaped = bounds.reshape(*bounds.shape[:2], *grid.shape_among(variables))
        sides.append((shaped, {move: place for place, move in enumerate(grid.moves)}))
    (one, of_one), (other, of_other) = sides
    product = np.empty((max(len(left), len(right)), len(how.union.moves), *how.union.sizes))
    with np.errstate(invalid="ignore"):
        for place, move in enumerate(how.union.moves):
            if move in of_one and move in of_other:
                np.multiply(one[:, of_one[move]], other[:, of_other[move]], out=product[:, place])
            elif move in of_one:
                product[:, place] = one[:, of_one[move]]
            else:
                product[:, place] = other[:, of_other[move]]
    if zeros:  # zero times infinity: the number is zero
        product[np.isnan(product)] = 0.0
    product *= _AMENDS
    return product


def _in_range(bounds: Values, *, zeros: bool) -> Values:
    if zeros:
        bounds = np.where(bounds > 0, np.maximum(bounds, _SMALLEST), bounds)
    else:
        np.maximum(bounds, _SMALLEST, out=bounds)
    bounds[bounds > _LARGEST] = np.inf
    return bounds


def _summed(bounds: Values, grid: Grid, smaller: Grid, variable: VariableId) -> Values:
    """Return the bounds of sums over a variable: its states are added one after another."""
    axis = grid.variables.index(variable)
    last = np.moveaxis(bounds, 2 + axis, -1)
    size = grid.sizes[axis]
    if not smaller.moves or size == 1:
        return np.ones((len(bounds), 0, *smaller.sizes)) if not smaller.moves else last[..., 0]
    own = [place for place, move in enumerate(grid.moves) if move[0] == variable]
    others = [place for place, move in enumerate(grid.moves) if move[0] != variable]

    def odds(to: int, state: int) -> Values:
        """Return bounds on what is said for one state, beside another."""
        return last[:, own[(to - state) % size - 1], ..., state]

    ratios = last[:, others]
    found: Values = ratios[..., 0]
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for state in range(1, size):
            forth = odds(state, 0) if state == 1 else 1.0 / _total(1.0 / odds(state, k) for k in range(state))
            back = _total(odds(k, state) for k in range(state))
            found = _mean(found, ratios[..., state], forth, back, smaller)
    found[np.isnan(found)] = np.inf  # a mean of which nothing is known
    found *= 1.0 + size * (_AMENDS - 1.0)
    return found


def _total(terms: Iterable[Values]) -> Values:
    return reduce(np.add, terms)


def _mean(first: Values, second: Values, forth: Values, back: Values, smaller: Grid) -> Values:
    """Return bounds ``[row, move, *state]`` on the sum of two terms, from those on each of them.

    ``forth`` bounds the second term beside the first one ``[row, *state]``, ``back`` the first beside the
    second. The sum at ``t``, where a move leads from ``s``, is at most ``R`` times that at ``s``, where ``R``
    is a mean of the bounds on the terms. The least of these is taken:

    - the mean weighed by what is said at ``s``, of which as much as the odds of the terms allow goes to the
      larger bound;
    - the harmonic mean weighed in the same way by what is said at ``t``;
    - the bound on one term, corrected by what the other can add to it at ``t`` and must add to it at ``s``.
    """
    forth_there, back_there = _moved(forth, smaller), _moved(back, smaller)
    forth, back = forth[:, None], back[:, None]
    is_second = second >= first
    low, high = np.minimum(first, second), np.maximum(first, second)
    share = 1.0 / (1.0 + 1.0 / np.where(is_second, forth, back))
    mean: Values = low + (high - low) * share
    rest = 1.0 / (1.0 + np.where(is_second, forth_there, back_there))
    mean = np.fmin(mean, 1.0 / ((1.0 - rest) / high + rest / low))
    mean = np.fmin(mean, first * (1.0 + forth_there) / (1.0 + 1.0 / back))
    return np.fmin(mean, second * (1.0 + back_there) / (1.0 + 1.0 / forth))


def _moved(odds: Values, smaller: Grid) -> Values:
    """Return odds ``[row, *state]`` where each move leads: ``[row, move, *state]``."""
    axis = {variable: 1 + place for place, variable in enumerate(smaller.variables)}
    return np.stack([np.roll(odds, -step, axis=axis[variable]) for variable, step in smaller.moves], axis=1)


def _summed_with(
    how: Joining, left: Values, table: Table, smaller: Grid, variable: VariableId
) -> Values | float:
    """Return bounds of sums over a variable of two states, of products with a table that is known.

    Odds that zeros of the table leave without a bound are bounded all the same: of what the other message
    says, only its odds between the states of the variable matter, and ratios are largest where these end.
    """
    axis = how.union.variables.index(variable)
    if how.union.sizes[axis] != 2 or not smaller.moves:
        return np.inf
    variables = how.union.variables
    place = {move: at for at, move in enumerate(how.left_kept.moves)}
    said = left.reshape(*left.shape[:2], *how.left_kept.shape_among(variables))
    said = np.moveaxis(np.broadcast_to(said, (*said.shape[:2], *how.union.sizes)), 2 + axis, -1)
    known = table.numbers.reshape(how.right_kept.shape_among(variables))
    known = np.moveaxis(np.broadcast_to(known, how.union.sizes), axis, -1)
    none = np.ones((1, *said.shape[2:]))
    odds = said[:, place[variable, 1]] if (variable, 1) in place else none
    found = np.empty((len(left), len(smaller.moves), *smaller.sizes))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        for at, (moved, step) in enumerate(smaller.moves):
            to = smaller.variables.index(moved)
            there = np.roll(known, -step, axis=to)
            ratios = said[:, place[moved, step]] if (moved, step) in place else none
            above = np.where(there == 0, 0.0, there * ratios)
            mean = _largest_at_ends(above, known[None], odds)
            below = np.where(known == 0, 0.0, known / ratios)
            harmonic = _largest_at_ends(there[None], below, np.roll(odds, -step, axis=1 + to))
            found[:, at] = np.fmin(mean, harmonic)
    found[np.isnan(found)] = np.inf
    found *= _AMENDS * table.factor**2
    return found


def _largest_at_ends(above: Values, below: Values, odds: Values) -> Values:
    """Return the largest ratio of two sums ``[..., term]`` of terms with weights whose odds are bounded."""
    forth, back = odds[..., 0], odds[..., 1]
    ends = ((1.0 / (1.0 + forth), 1.0 / (1.0 + 1.0 / forth)), (1.0 / (1.0 + 1.0 / back), 1.0 / (1.0 + back)))
    found = []
    for first, second in ends:
        over = above[..., 0] * first + above[..., 1] * second
        under = below[..., 0] * first + below[..., 1] * second
        ratio = np.where((over == 0) & (under == 0), 0.0, over / under)
        found.append(np.where(np.isnan(ratio), np.inf, ratio))
    return np.maximum(*found)
