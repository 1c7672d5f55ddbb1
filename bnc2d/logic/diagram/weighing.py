"""What the instances of a terminal of a diagram weigh, and what the cheapest costs, by one pass each."""

from __future__ import annotations

from itertools import accumulate
from operator import mul
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, piece_of
from bnc2d.base.checkpoints import pieces
from bnc2d.base.hashing import distinct
from bnc2d.logic.counting.cheapest import Costs
from bnc2d.logic.counting.weights import Weights
from bnc2d.logic.diagram.counting import integers

if TYPE_CHECKING:
    from bnc2d.logic.diagram.diagram import Diagram


def weighted_counts(diagram: Diagram, weights: Weights) -> list[int]:
    """Return what the instances that lead to each terminal weigh together, in units of the weights.

    From the root down, each node hands what reaches it to its children: times the weight of the state, and
    times all weights of every feature that the edge passes over.
    """
    rank_of = _ranks(diagram)
    totals = [weights.totals[feature] for feature in diagram.order]
    products = list(accumulate((total or 1 for total in totals), mul, initial=1))
    zeros = list(accumulate((not total for total in totals), initial=0))

    def passed(first: int, last: int) -> int:
        """Return the weight of the features from one rank to another, the last not among them."""
        return 0 if zeros[first] != zeros[last] else products[last] // products[first]

    reached: NDArray[Any] = np.zeros(diagram.size, dtype=integers(weights.bound))
    reached[diagram.root] = passed(0, int(rank_of[diagram.root]))
    factors: NDArray[Any] = np.zeros(len(totals) + 1, dtype=reached.dtype)
    for feature, table, first in diagram.walk:
        row: NDArray[Any] = np.array(weights.table[feature], dtype=reached.dtype)
        here = int(rank_of[first])
        for piece in pieces(len(table), piece_of(reached.dtype) // len(row)):
            children = table[piece].reshape(-1)
            ranks = rank_of[children]
            for rank in distinct(ranks)[0].tolist():
                factors[rank] = passed(here + 1, rank)
            edges = (reached[first + piece.start : first + piece.stop, None] * row).reshape(-1)
            np.add.at(reached, children, edges * factors[ranks])
    return [int(weight) for weight in reached[: diagram.terminals]]


def least_costs(diagram: Diagram, terminal: int, costs: Costs) -> NDArray[Any]:
    """Return for each node what is to be paid at least from there to a terminal.

    Nodes that do not lead there have ``costs.never``.
    """
    least: NDArray[Any] = np.full(diagram.size, costs.never, dtype=integers(2 * costs.never))
    least[terminal] = 0
    for feature, table, first in reversed(diagram.walk):
        row: NDArray[Any] = np.array(costs.table[feature], dtype=least.dtype)
        for piece in pieces(len(table), piece_of(least.dtype) // len(row)):
            found = (least[table[piece]] + row).min(axis=1)
            least[first + piece.start : first + piece.stop] = np.minimum(found, costs.never)
    return least


class DiagramSpace:
    """The instances of a terminal, state after state in the diagram's order (see ``cheapest.Space``)."""

    def __init__(self, diagram: Diagram, terminal: int, costs: Costs) -> None:
        self.order, self.start = diagram.order, diagram.root
        self._least = least_costs(diagram, terminal, costs)
        self._never = costs.never
        self._levels = {level.feature: level for level in diagram.walk}
        self._sizes = diagram.domain.cardinalities

    def least(self, node: int, _: tuple[int, ...]) -> int | None:
        """Return what is to be paid at least from a node on."""
        found = int(self._least[node])
        return None if found >= self._never else found

    def children(self, node: int, rank: int) -> list[int]:
        """Return what each state of the feature of a rank leads to."""
        feature = self.order[rank]
        level = self._levels.get(feature)
        if level is None or node < level.first:
            return [node] * self._sizes[feature]
        found: list[int] = level.table[node - level.first].tolist()
        return found


def _ranks(diagram: Diagram) -> Numbers:
    """Return the place in the order of the feature that each node decides; terminals come after all."""
    place = {feature: rank for rank, feature in enumerate(diagram.order)}
    ranks = np.full(diagram.size, len(place), dtype=np.int64)
    for level in diagram.walk:
        ranks[level.nodes] = place[level.feature]
    return ranks
