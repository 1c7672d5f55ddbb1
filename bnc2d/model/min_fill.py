"""Min-fill elimination on integers: the search behind jointrees and behind the order of messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.base.masks import Mask, VariableId, positions

# Batch size: variables that are looked at between two checkpoints.
_MANY = 32
# The same for pairs of neighbours, each with those that they share, when a variable is eliminated.
_STEPS = 1 << 12


def graph_of(scopes: Iterable[Mask], size: int) -> list[Mask]:
    """Return the neighbours of each of ``size`` variables, where the variables of a scope are a clique."""
    near = [0] * size
    for scope in scopes:
        for variable in positions(scope):
            near[variable] |= scope
    return [mask & ~(1 << variable) for variable, mask in enumerate(near)]


class MinFill:
    """A graph under elimination, with the fill of each variable kept up to date.

    The fill is the number of pairs of neighbours that are not neighbours themselves. ``order`` lists the
    variables eliminated so far, ``clusters`` each with its neighbours at that moment. Only variables of
    ``among`` are eliminated; others stay neighbours for good.
    """

    def __init__(self, near: Sequence[Mask], among: Mask | None = None) -> None:
        self.near = list(near)
        self.left = (1 << len(self.near)) - 1 if among is None else among
        self.fills = [self._fill(variable) for variable in checked(range(len(self.near)), _MANY)]
        self.order: list[VariableId] = []
        self.clusters: list[Mask] = []
        self._simplicial = [variable for variable, fill in enumerate(self.fills) if fill == 0][::-1]

    def _fill(self, variable: VariableId) -> int:
        near = self.near
        others = near[variable]
        missing = sum([(others & ~near[other]).bit_count() for other in positions(others)])
        return (missing - others.bit_count()) // 2

    def copy(self) -> MinFill:
        """Return an independent copy, so that what several searches share is done once."""
        other = MinFill.__new__(MinFill)
        other.near, other.left, other.fills = self.near[:], self.left, self.fills[:]
        other.order, other.clusters, other._simplicial = self.order[:], self.clusters[:], self._simplicial[:]
        return other

    def finish(self, seed: int) -> None:
        """Eliminate all that is left, least fill first; ties are broken by a seeded generator."""
        rng = Random(seed)  # noqa: S311 - ties in a heuristic, not cryptography
        self.eliminate_simplicial()
        waiting = positions(self.left)
        while waiting:
            checkpoint()
            counts = [self.fills[variable] for variable in waiting]
            least = min(counts)
            best = [variable for variable, fill in zip(waiting, counts, strict=True) if fill == least]
            self.eliminate(best[int(rng.random() * len(best))])
            self.eliminate_simplicial()
            waiting = [variable for variable in waiting if self.left >> variable & 1]

    def eliminate_simplicial(self) -> None:
        """Eliminate variables without fill until there is none; in any order they give the same clusters."""
        while self._simplicial:
            variable = self._simplicial.pop()
            if self.left >> variable & 1:
                self._remove(variable)

    def eliminate(self, variable: VariableId) -> None:
        """Make the neighbours of a variable a clique and remove it."""
        near, fills = self.near, self.fills
        others = near[variable]
        for first in checked(positions(others), 1 + _STEPS // others.bit_count() ** 2 if others else 1):
            for second in positions(others & ~near[first] & (-2 << first)):
                here, there = near[first], near[second]
                for common in positions(here & there):
                    fills[common] -= 1
                    if not fills[common]:
                        self._simplicial.append(common)
                fills[first] += (here & ~there).bit_count()
                fills[second] += (there & ~here).bit_count()
                near[first] = here | 1 << second
                near[second] = there | 1 << first
        self._remove(variable)

    def _remove(self, variable: VariableId) -> None:
        """Remove a variable whose neighbours are a clique."""
        near, fills = self.near, self.fills
        bit = 1 << variable
        others = near[variable]
        cluster = others | bit
        self.order.append(variable)
        if len(self.order) % _MANY == 0:
            checkpoint()
        self.clusters.append(cluster)
        self.left ^= bit
        for other in positions(others):
            near[other] ^= bit
            if fills[other]:
                fills[other] -= (near[other] & ~cluster).bit_count()
                if not fills[other]:
                    self._simplicial.append(other)
