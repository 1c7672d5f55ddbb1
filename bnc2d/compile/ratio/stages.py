"""Stages: features that are set one after the other, and what each adds to the odds.

After some stages, a partial instance counts by the states of the features that share a factor with later ones
(the *boundary*; its instances are the *blocks*) and by one ratio, the product of the factors whose features
are all set. A stage turns a block into another and multiplies the ratio; or it makes classes impossible.
In a naive Bayes network each feature is a stage, and there is one block.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

import numpy as np

from bnc2d.base.hashing import distinct_rows, grouped
from bnc2d.base.records import record
from bnc2d.compile.ratio.factors import Integers, RatioFactor, distinct_columns, times
from bnc2d.logic.domain import FeatureId


@record
class Stage:
    """What the instances of its features do, by ``[block, column]``; instances that do the same are a column.

    ``target`` is the block that comes next, one of ``blocks_after``. ``ratio`` is a position in ``ratios`` or
    minus the set of classes that become impossible.
    """

    features: tuple[FeatureId, ...]
    cardinalities: tuple[int, ...]
    column_of_row: Integers  # by instance of the features
    target: Integers
    blocks_after: int
    ratio: Integers
    ratios: tuple[Fraction, ...]

    @property
    def columns(self) -> int:
        """The number of columns."""
        return int(self.target.shape[1])


def make_stages(
    order: Sequence[tuple[FeatureId, ...]], factors: Sequence[RatioFactor], cardinalities: Sequence[int]
) -> list[Stage]:
    """Return the stages that set features in this order, all those of the factors among them."""
    waiting = [factor for factor in factors if factor.features]
    boundary: tuple[FeatureId, ...] = ()
    stages = []
    for own in order:
        axes = (*boundary, *own)
        complete = [factor for factor in waiting if set(factor.features) <= set(axes)]
        waiting = [factor for factor in waiting if not set(factor.features) <= set(axes)]
        needed = {feature for factor in waiting for feature in factor.features}
        left = tuple(feature for feature in axes if feature in needed)
        stages.append(_stage(boundary, own, complete, left, cardinalities))
        boundary = left
    return stages


def _stage(
    boundary: tuple[FeatureId, ...],
    own: tuple[FeatureId, ...],
    complete: Sequence[RatioFactor],
    left: tuple[FeatureId, ...],
    cardinalities: Sequence[int],
) -> Stage:
    axes = (*boundary, *own)
    sizes = [cardinalities[feature] for feature in axes]
    blocks, rows = prod(sizes[: len(boundary)]), prod(sizes[len(boundary) :])
    columns, ids = distinct_columns([Fraction(1)])
    for factor in complete:
        new = _along(factor.ids, factor.features, axes)
        codes = np.ascontiguousarray(
            np.broadcast_to(ids * len(factor.columns) + new, np.broadcast(ids, new).shape)
        )
        pair_of, first = grouped(codes.reshape(-1))
        pairs = [divmod(code, len(factor.columns)) for code in codes.reshape(-1)[first].tolist()]
        columns, merged = distinct_columns([times(columns[a], factor.columns[b]) for a, b in pairs])
        ids = merged[pair_of].reshape(codes.shape)
    said = np.broadcast_to(ids, sizes).reshape(blocks, rows)
    kept = [cardinalities[feature] for feature in left]
    target = np.zeros((1,) * len(axes), dtype=np.int64)
    if left:
        target = _along(np.arange(prod(kept)).reshape(kept), left, axes)
    target = np.broadcast_to(target, sizes).reshape(blocks, rows)
    column_of_row, first = distinct_rows(np.ascontiguousarray(np.concatenate([said, target]).T))
    ratios = tuple(column for column in columns if isinstance(column, Fraction))
    codes_of_columns = np.array(
        [n if isinstance(c, Fraction) else c for n, c in enumerate(columns)], dtype=np.int64
    )
    return Stage(
        own,
        tuple(cardinalities[feature] for feature in own),
        column_of_row,
        np.ascontiguousarray(target[:, first]),
        prod(kept),
        codes_of_columns[said[:, first]],
        ratios,
    )


def _along(array: Integers, features: Sequence[FeatureId], axes: Sequence[FeatureId]) -> Integers:
    """Return an array of some features with an axis for each of ``axes``, of size 1 where it has none."""
    moved = array.transpose([features.index(axis) for axis in axes if axis in features])
    missing = tuple(number for number, axis in enumerate(axes) if axis not in features)
    return np.expand_dims(moved, missing)
