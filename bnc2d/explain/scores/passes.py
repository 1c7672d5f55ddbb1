"""What each feature adds on the average, for many instances at once, by two passes over a decision diagram.

Let each feature be *held*, as the instance has it, with probability ``q``, and else be drawn. The probability
of the wanted labels is then Owen's multilinear extension (1972) of the game "which features are held", at
``(q, ..., q)``. On a diagram it is, from the last level up,

    M(node) = q M(child of the own state) + (1 - q) sum_s p_s M(child of state s),

where levels that an edge skips need no correction: what they decide does not matter. With ``W(node)`` the
probability that the node is met, from the root down, what feature ``i`` adds is

    D_i(q) = sum of W(node) (M(child of the own state) - sum_s p_s M(child of state s)) over its nodes.

The Banzhaf value is ``D_i(1/2)``, the Shapley value the integral of ``D_i`` over [0, 1]: a polynomial of a
degree below the number of features, so that Gauss and Legendre's rule with half as many points gives it.
Games on such circuits are polynomial by Arenas, Barcelo, Bertossi and Monet (arXiv 2007.14045).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, Rows
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.explain.scores.quadrature import Floats, gauss_legendre
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.domain import FeatureId

_EPSILON = 2.0**-53
_ENTRIES = 1 << 17  # of an array of some points of one row, about what a cache holds
_WIDE_ENTRIES = 1 << 22  # of an array of many rows
_FEWEST_ROWS, _MOST_ROWS = 32, 1024  # that are asked about together
_WIDE = 256  # columns for which a call an edge is faster than a call a column
_FEW = 512  # nodes of a level for which one call for all columns is faster than one each


class Points(NamedTuple):
    """The probabilities of being held at which ``D`` is asked, and what each weighs in the score."""

    at: Floats
    weights: Floats

    @classmethod
    def of(cls, kind: str, players: int) -> Points:
        """Return the points of a kind of values, for so many features that are held or drawn."""
        if kind == "shapley":
            return cls(*gauss_legendre(max(1, ceil(players / 2))))
        return cls(np.array([0.5]), np.array([1.0]))


def players_of(diagram: Diagram, rows: Rows, marginals: Sequence[Floats]) -> int:
    """Return how many features of a diagram are held or drawn; one that has its own state anyway is not."""
    return sum(
        1 for level in diagram.walk if marginals[level.feature][rows[:, level.feature]].min(initial=1.0) < 1
    )


def rows_at_once(diagram: Diagram, kind: str) -> int:
    """Return how many rows are best asked about together."""
    points = max(1, ceil(len(diagram.walk) / 2)) if kind == "shapley" else 1
    return min(max(_WIDE_ENTRIES // (diagram.size * points), _FEWEST_ROWS), _MOST_ROWS)


def values(
    diagram: Diagram, rows: Rows, wanted: NDArray[np.bool_], marginals: Sequence[Floats], kind: str
) -> Floats:
    """Return ``[row, feature]`` the Shapley or Banzhaf values of reaching wanted terminals.

    ``wanted[row, terminal]`` says which; a feature is drawn by its marginal, which is 1 for the own state
    where it is always held. A feature that the diagram does not ask has value 0.
    """
    points = Points.of(kind, players_of(diagram, rows, marginals))
    each = len(points.at)
    found = np.zeros((len(rows), len(diagram.domain)))
    at_once = _WIDE_ENTRIES // (diagram.size * each)
    if at_once * each >= _WIDE and len(rows) * each >= _WIDE:
        for piece in pieces(len(rows), at_once):
            held = np.tile(points.at, len(rows[piece]))
            states = np.repeat(rows[piece], each, axis=0)
            added = added_of_many(diagram, states, held, np.repeat(wanted[piece], each, axis=0), marginals)
            found[piece] = np.einsum(
                "rpf,p->rf", added.reshape(-1, each, len(diagram.domain)), points.weights
            )
        return found
    levels = [
        (level.feature, level.nodes, [np.ascontiguousarray(column) for column in level.table.T])
        for level in diagram.walk
    ]
    for place, row in enumerate(rows.tolist()):
        for piece in pieces(each, max(1, _ENTRIES // diagram.size)):
            added = _added(diagram, levels, row, points.at[piece], wanted[place], marginals)
            found[place] += (points.weights[piece, None] * added).sum(axis=0)
    return found


def error_bound(diagram: Diagram, players: int, kind: str) -> float:
    """Return how far a value may be from the exact one, for all roundings on the way (Higham 2002, ch. 3).

    A mean is one of the means below it, none above 1, and each level adds its roundings: two for each state,
    and six for what is held. Probabilities of nodes are sums of products of numbers from 0 on, so that each
    rounding adds its relative error, one for each edge that leads to a node among them. What a feature adds
    is a difference of two means, weighed by probabilities that sum to 1 at most, and a sum over its nodes. A
    marginal and a point are off by a rounding, too; the latter moves a value by the slope of ``D``, twice the
    number of features at most.
    """
    edges, roundings = 0, 0
    for level in diagram.walk:
        roundings += 2 * level.table.shape[1] + 6
        edges += level.table.size
    widest = max((len(level.table) for level in diagram.walk), default=0)
    points = Points.of(kind, players)
    total = 4 * roundings + 2 * edges + 2 * widest + 4 * players + 2 * len(points.at) + 8
    return _EPSILON * total


def _added(
    diagram: Diagram,
    levels: Sequence[tuple[FeatureId, slice, list[Numbers]]],
    row: Sequence[int],
    held: Floats,
    wanted: NDArray[np.bool_],
    marginals: Sequence[Floats],
) -> Floats:
    """Return ``[point, feature]`` what each feature of one row adds, ``D``, at some points.

    ``levels`` have a feature, its nodes, and what each state leads to.
    """
    drawn = 1 - held[:, None]
    means = np.zeros((len(held), diagram.size))
    means[:, : diagram.terminals] = wanted
    gains: list[Floats] = []
    for feature, nodes, children in reversed(levels):
        checkpoint()
        own, shares = row[feature], marginals[feature].tolist()
        # The own mean, less the mean over all states.
        below = means.take(children[own], axis=1, mode="clip")  # faster than "raise"
        gain = below * (1 - shares[own])
        for state, share in enumerate(shares):
            if share and state != own:
                other = means.take(children[state], axis=1, mode="clip")
                other *= share
                gain -= other
        gains.append(gain)
        np.subtract(below, drawn * gain, out=means[:, nodes])
    met = means  # made anew, in the same memory
    met[:] = 0
    met[:, diagram.root] = 1
    found = np.zeros((len(held), len(diagram.domain)))
    for feature, nodes, children in levels:
        checkpoint()
        own, shares = row[feature], marginals[feature].tolist()
        here = met[:, nodes]
        found[:, feature] = np.einsum("cn,cn->c", here, gains.pop())
        for state, share in enumerate(shares):
            if state == own:
                _scatter(met, children[state], here * (held[:, None] + drawn * share))
            elif share:
                _scatter(met, children[state], here * (drawn * share))
    return found


def _scatter(into: Floats, places: Numbers, numbers: Floats) -> None:
    """Add ``[column, entry]`` numbers at the places of the entries."""
    if len(into) > 1 and len(places) <= _FEW:  # one call for all columns
        starts = np.arange(0, into.size, into.shape[1])[:, None]
        np.add.at(into.reshape(-1), (starts + places).reshape(-1), numbers.reshape(-1))
        return
    for column, some in zip(into, numbers, strict=True):
        np.add.at(column, places, some)


def added_of_many(
    diagram: Diagram, states: Rows, held: Floats, wanted: NDArray[np.bool_], marginals: Sequence[Floats]
) -> Floats:
    """Return ``[column, feature]`` the same for many columns, each a row at a point.

    A node has one number a column, in a line, so that each edge is one operation on as many numbers.
    """
    means = np.zeros((diagram.size, len(held)))
    means[: diagram.terminals] = wanted.T
    met = np.zeros_like(means)
    met[diagram.root] = 1
    found = np.zeros((len(held), len(diagram.domain)))

    def factors(feature: FeatureId) -> Iterator[tuple[int, NDArray[np.bool_], float, Floats]]:
        """Yield states, who has them, their share, and the probability to have them, held or drawn."""
        for state, share in enumerate(marginals[feature].tolist()):
            owners = states[:, feature] == state
            if share or owners.any():
                yield state, owners, share, np.where(owners, held, 0.0) + (1 - held) * share

    for level in reversed(diagram.walk):
        here = means[level.nodes]
        for state, _, _, factor in factors(level.feature):
            checkpoint()
            below = means.take(level.table[:, state], axis=0)
            below *= factor
            here += below
    for level in diagram.walk:
        here = met[level.nodes]
        for state, owners, share, factor in factors(level.feature):
            checkpoint()
            below = means.take(level.table[:, state], axis=0)
            found[:, level.feature] += (owners - share) * np.einsum("nc,nc->c", here, below)
            np.multiply(here, factor, out=below)
            for child, numbers in zip(level.table[:, state].tolist(), below, strict=True):
                if child >= diagram.terminals:
                    met[child] += numbers
    return found
