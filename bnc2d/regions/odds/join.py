"""Bounds on what products and sums say, from bounds on what their terms say.

A message has bounds ``[row, move, *state]``, rows being regions: the number at ``t``, where the move leads
from ``s``, is at most the bound times the number at ``s``. Zero says that the number at ``t`` is zero,
infinity says nothing.

Each bound follows from bounds by exact arithmetic; rounding errors of one step are made up for at its end,
so that every float here is a true bound, however many steps there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import VariableId
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.regions.messages.values import Indices, Values
from bnc2d.regions.odds.grid import Grid, Joining

Allowed: TypeAlias = NDArray[np.bool_]

# Smaller bounds are raised, larger ones say nothing: products of two stay in the range of floats.
_SMALLEST, _LARGEST = 1e-140, 1e140
# More than the rounding errors of a step.
_AMENDS = 1.0 + 64 * UNIT_ROUNDOFF


def joined(
    how: Joining, left: Values, right: Values, allowed: Mapping[VariableId, Allowed], *, zeros: bool
) -> Values:
    """Return bounds on the product of two messages, with what goes summed out or chosen.

    ``allowed`` says which states ``[row, state]`` a feature may have. Without ``zeros`` no number is zero.
    """
    left, right = _without(how.left, how.left_kept, left), _without(how.right, how.right_kept, right)
    bounds = _product(how, left, right, zeros=zeros)
    grid = how.union
    for variable in how.summed:
        checkpoint()
        smaller = grid.only(set(grid.variables) - {variable})
        bounds = _summed(bounds, grid, smaller, variable)
        grid = smaller
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
    """Return the bounds of sums over a variable.

    Such a sum at ``t`` is at most ``R`` times that at ``s``, where ``R`` is a mean of the bounds for each
    state of the variable. Three such means are known. The first is weighed by what is said at ``s``; the
    second, a harmonic one, by what is said at ``t``; their weights are known by the odds of the variable
    there, and are taken as large as these allow where bounds are large. The third is the bound for one state
    of the variable, corrected by how much the others can add to it at ``t`` and must add to it at ``s``.
    """
    if not smaller.moves:
        return np.ones((len(bounds), 0, *smaller.sizes))
    axis = grid.variables.index(variable)
    last = np.moveaxis(bounds, 2 + axis, -1)
    if grid.sizes[axis] == 1:
        return last[..., 0]
    own = [place for place, move in enumerate(grid.moves) if move[0] == variable]
    ratios = np.delete(last, own, axis=1) if own[0] else last[:, own[-1] + 1 :]
    odds = last[:, own]
    if grid.sizes[axis] == 2:
        found = _mean_of_two(ratios, odds[:, 0], smaller)
    else:
        found = _mean_of_many(ratios, odds, smaller)
    found[np.isnan(found)] = np.inf  # a mean of which nothing is known
    found *= _AMENDS
    return found


def _moved(odds: Values, smaller: Grid) -> Values:
    """Return odds ``[row, *state, ...]`` where each move leads: ``[row, move, *state, ...]``."""
    axis = {variable: 1 + place for place, variable in enumerate(smaller.variables)}
    return np.stack([np.roll(odds, -step, axis=axis[variable]) for variable, step in smaller.moves], axis=1)


def _mean_of_two(ratios: Values, odds: Values, smaller: Grid) -> Values:
    """Return the least of the means, over a variable of two states."""
    first, second = ratios[..., 0], ratios[..., 1]
    is_second = second >= first
    low, high = np.minimum(first, second), np.maximum(first, second)
    here, there = odds[:, None], _moved(odds, smaller)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        share = 1.0 / (1.0 + 1.0 / np.where(is_second, here[..., 0], here[..., 1]))
        mean: Values = low + (high - low) * share
        rest = 1.0 / (1.0 + np.where(is_second, there[..., 0], there[..., 1]))
        mean = np.fmin(mean, 1.0 / ((1.0 - rest) / high + rest / low))
        for state, ratio in enumerate((first, second)):
            least = 1.0 / here[..., 1 - state]
            mean = np.fmin(mean, ratio * (1.0 + there[..., state]) / (1.0 + least))
    return mean


def _mean_of_many(ratios: Values, odds: Values, smaller: Grid) -> Values:
    """Return the least of the means, over a variable of more than two states."""
    size = odds.shape[-1]
    matrix = np.ones((len(odds), *odds.shape[2:-1], size, size))  # [..., to, from]
    for step in range(1, size):
        for state in range(size):
            matrix[..., (state + step) % size, state] = odds[:, step - 1, ..., state]
    found = np.empty(ratios.shape[:-1])
    is_zero = (matrix == 0).any(axis=-1)  # by state: what is said there
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        least = (1.0 / matrix).sum(axis=-1)  # all states together, at least, where a state is 1
        for place, (variable, step) in enumerate(smaller.moves):
            checkpoint()
            there = np.roll(matrix, -step, axis=1 + smaller.variables.index(variable))
            some = ratios[:, place]
            if is_zero.any():
                moved = np.roll(is_zero, -step, axis=1 + smaller.variables.index(variable))
                some = np.where(moved | (is_zero & np.isfinite(some)), 0.0, some)
            order = np.argsort(-some, axis=-1, kind="stable")
            falling = np.take_along_axis(some, order, -1)
            mean = np.where(np.isinf(falling[..., 0]), np.inf, _largest_mean(falling, order, matrix))
            mean = np.fmin(mean, 1.0 / np.abs(_largest_mean(-1.0 / falling, order, there)))
            corrected = some * there.sum(axis=-2) / least
            found[:, place] = np.fmin(mean, np.fmin.reduce(corrected, axis=-1))
    return found


def _largest_mean(falling: Values, order: Indices, matrix: Values) -> Values:
    """Return the largest mean of numbers, falling, with weights of which odds are bounded.

    The weights are bounded beside that of the largest number, which is 1. The largest mean has the largest
    weights that are allowed for some numbers, and the smallest for all that are less. Beside weights without
    a bound others do not count, and the mean is at most the largest number that has such.
    """
    largest = order[..., :1, None]
    upper = np.take_along_axis(np.take_along_axis(matrix, largest, -1)[..., 0], order, -1)
    lower = 1.0 / np.take_along_axis(np.take_along_axis(matrix, largest, -2)[..., 0, :], order, -1)
    best: Values | None = None
    for count in range(1, falling.shape[-1] + 1):
        weights = np.concatenate(
            [np.ones_like(falling[..., :1]), upper[..., 1:count], lower[..., count:]], axis=-1
        )
        endless = np.isinf(weights)
        first = np.take_along_axis(falling, endless.argmax(axis=-1)[..., None], -1)[..., 0]
        terms = np.where(weights == 0, 0.0, weights * falling)
        mean = np.where(endless.any(axis=-1), first, terms.sum(axis=-1) / weights.sum(axis=-1))
        best = mean if best is None else np.maximum(best, mean)
    if best is None:
        raise ValueError("a variable has a state")
    return best
