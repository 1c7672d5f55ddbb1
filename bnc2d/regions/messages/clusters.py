"""Few messages for many: rows that others make needless, and clusters of rows that one stands for."""

from __future__ import annotations

import heapq

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.regions.messages.message import SLACK, Indices, Messages, Values

# The logarithm of zero: further from all others than they are from each other.
_LOG_OF_ZERO = -1e4
# Rows as near as this are one.
_SAME = 1e-12


def reduced(messages: Messages, most: int) -> Messages:
    """Return at most ``most`` rows that cover what the rows given cover, but where the rival has zero."""
    some = np.flatnonzero(messages.rival.any(axis=1))
    if len(some) < len(messages):
        messages = messages.take(some)
    if len(messages) < 2:
        return messages
    states = messages.rival.shape[1]
    if states == 1:
        row = 0 if messages.own is None else int(messages.ratios()[:, 0].argmin())
        kept = messages.take(slice(row, row + 1))
        return Messages(kept.rival, kept.own, kept.least, messages.radius.max(keepdims=True), kept.choice)
    if states == 2 and messages.own is None:
        first, second = messages.rival.T
        ratio = np.divide(first, second, out=np.full(len(first), np.inf), where=second > 0)
        kept = messages.take(np.unique([int(ratio.argmin()), int(ratio.argmax())]))
        return Messages(kept.rival, None, None, np.full(len(kept), messages.radius.max()), kept.choice)
    return messages if len(messages) <= most else _clustered(messages, most)


def _clustered(messages: Messages, most: int) -> Messages:
    """Return a row for each of at most ``most`` clusters."""
    logs = np.full(messages.rival.shape, _LOG_OF_ZERO)
    np.log(messages.rival, out=logs, where=messages.rival > 0)
    points = logs - logs.mean(axis=1, keepdims=True)
    if messages.own is not None:
        ratios = np.clip(messages.ratios(), 1e-300, 1e300)
        points = np.concatenate([points, np.log(ratios)], axis=1)
    clusters = _split(points, most)
    standing = np.array([_middle(points, rows) for rows in clusters], dtype=np.intp)
    kept = messages.take(standing)
    rival, radius = kept.rival.copy(), kept.radius.copy()
    least = None if messages.own is None else kept.at_least.copy()
    for number, rows in enumerate(clusters):
        if len(rows) > 1:
            checkpoint()
            _cover(messages.take(rows), logs[rows], logs[standing[number]], number, rival, least, radius)
    return Messages(rival, kept.own, least, radius, kept.choice)


def _cover(
    members: Messages,
    logs: Values,
    centre: Values,
    number: int,
    rival: Values,
    least: Values | None,
    radius: Values,
) -> None:
    """Let row ``number`` cover its members; see ``message.py`` for what that means."""
    alike = (members.rival > 0) == (rival[number] > 0)
    if alike.all():
        there = rival[number] > 0
        apart = logs[:, there] - centre[there]
        low = apart.min(axis=1, initial=0.0)
        radius[number] = (apart.max(axis=1, initial=0.0) - low + members.radius).max() + SLACK
        if least is not None:
            ratio = members.ratios()[:, there].min(axis=0)
            above_zero = (members.at_least[:, ~there] * np.exp(-low - SLACK)[:, None]).min(axis=0)
            least[number, there] = ratio * rival[number, there]
            least[number, ~there] = above_zero
        return
    # Members differ in where the rival is zero: all that is known is the least ratio at each state.
    ratio = members.ratios().min(axis=0)
    rival[number] = members.rival.max(axis=0)
    radius[number] = np.inf
    if least is not None:
        least[number] = np.where(rival[number] > 0, ratio, 0.0) * rival[number]


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
