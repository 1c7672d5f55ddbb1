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

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, Rows
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.explain.scores.quadrature import Floats, gauss_legendre
from bnc2d.logic.diagram.diagram import Diagram, Level
from bnc2d.logic.domain import FeatureId

_EPSILON = 2.0**-53
_ENTRIES = 1 << 20  # of the largest array, where it has several columns: 8 MB
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
    return sum(1 for level in diagram.walk if marginals[level.feature][rows[:, level.feature]].min() < 1)


def values(
    diagram: Diagram, rows: Rows, wanted: NDArray[np.bool_], marginals: Sequence[Floats], kind: str
) -> Floats:
    """Return ``[row, feature]`` the Shapley or Banzhaf values of reaching wanted terminals.

    ``wanted[row, terminal]`` says which; a feature is drawn by its marginal, which is 1 for one state where
    it is always held. A feature that the diagram does not ask has value 0.
    """
    points = Points.of(kind, players_of(diagram, rows, marginals))
    each = len(points.at)
    found = np.zeros((len(rows), len(diagram.domain)))
    # A column is a row at a point; as many go together as make no large arrays.
    for piece in pieces(len(rows) * each, max(1, _ENTRIES // diagram.size)):
        row_of, point_of = np.divmod(np.arange(piece.start, piece.stop), each)
        first, last = int(row_of[0]), int(row_of[-1]) + 1
        columns = _Columns(rows[row_of], points.at[point_of][:, None])
        added = columns.added(diagram, wanted[row_of], marginals)
        added *= points.weights[point_of][:, None]
        found[first:last] += np.add.reduceat(added, np.searchsorted(row_of, np.arange(first, last)), axis=0)
    return found


def error_bound(diagram: Diagram, players: int, kind: str) -> float:
    """Return how far a value may be from the exact one, for all roundings on the way (Higham 2002, ch. 3).

    Means and probabilities are sums of products of numbers from 0 on, so that each rounding adds its relative
    error: two for each state of a level, three for what is held, and one for each edge that leads to a node
    but the first. What a feature adds is a difference of two means, weighed by probabilities that sum to 1 at
    most, and a sum over its nodes. A marginal and a point are off by a rounding, too; the latter moves a
    value by the slope of ``D``, twice the number of features at most.
    """
    edges, roundings = 0, 0
    for level in diagram.walk:
        roundings += 2 * level.table.shape[1] + 6
        edges += level.table.size
    widest = max((len(level.table) for level in diagram.walk), default=0)
    points = Points.of(kind, players)
    total = 4 * roundings + 2 * edges + widest + 4 * players + 2 * len(points.at) + 8
    return _EPSILON * total


class _Columns(NamedTuple):
    """Instances by their states, ``[column, feature]``, each with the probability of being held."""

    states: Rows
    held: Floats

    def added(self, diagram: Diagram, wanted: NDArray[np.bool_], marginals: Sequence[Floats]) -> Floats:
        """Return ``[column, feature]`` what each feature adds, ``D``."""
        means = np.zeros((len(self.states), diagram.size))
        means[:, : diagram.terminals] = wanted
        gains: list[Floats] = []
        for level in reversed(diagram.walk):
            checkpoint()
            gain, mean = self._below(level, means, marginals[level.feature])
            gain -= mean
            gains.append(gain)
            mean += self.held * gain
            means[:, level.nodes] = mean
        met = means  # made anew, in the same memory
        met[:] = 0
        met[:, diagram.root] = 1
        found = np.zeros((len(self.states), len(diagram.domain)))
        for level in diagram.walk:
            checkpoint()
            here = met[:, level.nodes]
            found[:, level.feature] = np.einsum("cn,cn->c", here, gains.pop())
            self._lead_on(met, level, here, marginals[level.feature])
        return found

    def _holders(self, feature: FeatureId, state: int) -> slice | NDArray[np.bool_] | None:
        """Return the columns whose own state this is: all, some or none of them."""
        holders: NDArray[np.bool_] = self.states[:, feature] == state
        return slice(None) if holders.all() else holders if holders.any() else None

    def _below(self, level: Level, means: Floats, marginal: Floats) -> tuple[Floats, Floats]:
        """Return ``[column, node]`` the mean below the own state, and below a state that is drawn."""
        mean = np.zeros((len(means), len(level.table)))
        own = np.empty_like(mean)
        for state, share in enumerate(marginal.tolist()):
            holders = self._holders(level.feature, state)
            if holders is None and not share:
                continue
            below = means.take(level.table[:, state], axis=1)
            if holders is not None:
                own[holders] = below[holders]
            below *= share
            mean += below
        return own, mean

    def _lead_on(self, met: Floats, level: Level, here: Floats, marginal: Floats) -> None:
        """Share the probability of being at each node out among its children."""
        kept = here * self.held
        drawn = here - kept
        for state, share in enumerate(marginal.tolist()):
            holders = self._holders(level.feature, state)
            if holders is None and not share:
                continue
            along = drawn * share
            if holders is not None:
                along[holders] += kept[holders]
            _scatter(met, np.ascontiguousarray(level.table[:, state]), along)


def _scatter(into: Floats, places: Numbers, numbers: Floats) -> None:
    """Add ``[column, entry]`` numbers at the places of the entries."""
    if len(places) <= _FEW:  # one call for all columns
        starts = np.arange(0, into.size, into.shape[1])[:, None]
        np.add.at(into.reshape(-1), (starts + places).reshape(-1), numbers.reshape(-1))
        return
    for column, some in zip(into, numbers, strict=True):
        np.add.at(column, places, some)
