"""Few messages for many: rows that others make needless, and clusters of rows that one stands for."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.regions.messages.message import Band, Indices, Messages, Values, scaled

# How much each state is expected to count, when it is asked for.
Weights: TypeAlias = Callable[[], Values]

# Shares below this hardly matter: rows that differ in such shares only are near.
_SMALL_SHARE = 1e-3
# Rows as near as this are one.
_SAME = 1e-12


def reduced(messages: Messages, most: int, weights: Weights) -> Messages:
    """Return at most ``most`` rows that cover what the rows given cover, but where the rival has zero."""
    some = np.flatnonzero(messages.covered.high.any(axis=1))
    if len(some) < len(messages):
        messages = messages.take(some)
    states = messages.rival.shape[1]
    if states == 1 and len(messages):
        return _least_ratio(messages)
    if states == 2 and messages.own is None and len(messages) > 1:
        return _two_extremes(messages)
    return messages if len(messages) <= most else _clustered(messages, most, weights())


def _least_ratio(messages: Messages) -> Messages:
    """Return the worst row for the class, of rows about one state: at some scale the rival says 1 there."""
    ratios = messages.ratios()[:, 0]
    row = int(ratios.argmin())
    kept, one = messages.take(slice(row, row + 1)), np.ones((1, 1))
    if messages.own is None or messages.band is None:
        return Messages(kept.rival, kept.own, None, kept.choice)
    return Messages(kept.rival, kept.own, Band(one, one, ratios[row] * one), kept.choice)


def _two_extremes(messages: Messages) -> Messages:
    """Return two rows between which all are, of rows about two states that say the same for both classes."""
    low, high, _ = messages.covered
    never = np.full(len(messages), np.inf)
    least = np.divide(low[:, 0], high[:, 1], out=never.copy(), where=high[:, 1] > 0)
    largest = np.divide(high[:, 0], low[:, 1], out=never, where=(low[:, 1] > 0) | (high[:, 0] == 0))
    rows = [int(least.argmin()), int(largest.argmax())]
    kept = messages.take(np.array(rows))
    if messages.band is None:
        return kept if rows[0] != rows[1] else kept.take(slice(1))
    ratios = least[rows[0]], largest[rows[1]]
    ends = np.array([[ratio, 1.0] if ratio <= 1.0 else [1.0, 1.0 / ratio] for ratio in ratios])
    return scaled(Messages(kept.rival, None, Band(ends, ends, ends), kept.choice))


def _clustered(messages: Messages, most: int, weights: Values) -> Messages:
    """Return a row for each of at most ``most`` clusters; rows are scaled to weigh the same."""
    middle = (messages.covered.low + messages.covered.high) / 2
    scale = 1.0 / (middle @ weights)[:, None]
    points = np.log(middle * weights * scale + _SMALL_SHARE)
    if messages.own is not None:
        points = np.concatenate([points, np.log(np.clip(messages.ratios(), 1e-6, 1e6))], axis=1)
    checkpoint()
    clusters = _split(points, most)
    standing = np.array([_middle(points, rows) for rows in clusters], dtype=np.intp)
    order = np.concatenate(clusters)
    starts = np.cumsum([0, *map(len, clusters[:-1])])
    low, high, least = (values * scale for values in messages.covered)
    lowest = np.minimum.reduceat(low[order], starts)
    checkpoint()
    highest = np.maximum.reduceat(high[order], starts)
    kept = messages.take(standing)
    if messages.own is None:
        return scaled(Messages(kept.rival, None, Band(lowest, highest, lowest), kept.choice))
    checkpoint()
    ratio = np.minimum.reduceat(messages.ratios()[order], starts)
    with np.errstate(invalid="ignore"):
        floor = np.where(highest > 0, ratio * lowest, np.minimum.reduceat(least[order], starts))
    return scaled(Messages(kept.rival, kept.own, Band(lowest, highest, floor), kept.choice))


def _split(points: Values, most: int) -> list[Indices]:
    """Return clusters of rows: the widest is split at the middle of its widest column, again and again."""
    found: list[tuple[float, int, int, Indices]] = []

    def add(rows: Indices) -> None:
        checkpoint()
        some = points[rows]
        low, high = some.min(axis=0), some.max(axis=0)
        column = int((high - low).argmax())
        width = float(high[column] - low[column])
        heapq.heappush(found, (-width, len(rows), int(rows[0]), rows))

    add(np.arange(len(points)))
    while len(found) < most and -found[0][0] > _SAME:
        *_, rows = heapq.heappop(found)
        some = points[rows]
        low, high = some.min(axis=0), some.max(axis=0)
        column = int((high - low).argmax())
        upper = some[:, column] > (low[column] + high[column]) / 2
        add(rows[~upper])
        add(rows[upper])
    return [rows for *_, rows in sorted(found, key=lambda cluster: cluster[2])]


def _middle(points: Values, rows: Indices) -> int:
    """Return the row nearest to the middle of a cluster."""
    if len(rows) == 1:
        return int(rows[0])
    some = points[rows]
    middle = (some.min(axis=0) + some.max(axis=0)) / 2
    return int(rows[np.abs(some - middle).max(axis=1).argmin()])
