"""A third way to check reasons: the worst case of naive Bayes and TAN, one class against another.

It shares no code with the compiler nor with questions about regions. Where every feature has the target as
parent and at most one feature besides, ``P(c, x) / P(k, x)`` is a product along a tree of features, and its
least value over all completions of a part of ``x`` comes from one pass from the leaves to the roots. The part
decides for ``c`` where this is at least 1 for every other class ``k`` (more than 1, where ``k`` is listed
first and so wins ties). Logarithms decide where they are far from 0, exact fractions everywhere else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.errors import UnsupportedError
from bnc2d.model.network import BayesianNetwork

_CLOSE = 1e-6  # far above what rounding does to sums of some hundred logarithms


class WorstCase:
    """Whether parts of instances decide, for a naive Bayes or a TAN whose probabilities are all positive.

    ``features`` are all variables but the target; a row has the positions of their states. Ties go to the
    class listed first. Any other network is an ``UnsupportedError``.
    """

    def __init__(self, network: BayesianNetwork, target: str, features: Sequence[str]) -> None:
        positions = {name: position for position, name in enumerate(features)}
        if {*positions, target} != {variable.name for variable in network.variables}:
            raise UnsupportedError("the worst case is known where all variables but the target are features")
        self._parents: list[int | None] = []
        self._tables: list[NDArray[np.object_]] = []  # [class, state of the parent feature, state]
        prior = network.cpt(target)
        for name in features:
            cpt = network.cpt(name)
            above = [parent.name for parent in cpt.parents]
            others = [parent for parent in above if parent != target]
            if target not in above or len(others) > 1:
                raise UnsupportedError(f"{name!r} has other parents than the target and one feature")
            table = np.moveaxis(cpt.exact, above.index(target), 0)
            self._parents.append(positions[others[0]] if others else None)
            self._tables.append(table if others else table[:, None, :])
        if prior.parents or not all(cpt.exact.all() for cpt in network.cpts):
            raise UnsupportedError("the target has parents, or a probability is 0")
        self._prior: list[Fraction] = prior.exact.tolist()
        self._log_prior = np.log(prior.values)
        self._logs = [np.log(table.astype(float)) for table in self._tables]
        self._order = self._leaves_first()

    def _leaves_first(self) -> list[int]:
        def depth(feature: int) -> int:
            steps, above = 0, self._parents[feature]
            while above is not None:
                steps, above = steps + 1, self._parents[above]
            return steps

        return sorted(range(len(self._parents)), key=depth, reverse=True)

    def label(self, row: Sequence[int]) -> int:
        """Return the class of a whole instance."""
        everything = range(len(row))
        return next(c for c in range(len(self._prior)) if self.decides(row, everything, c))

    def decides(self, row: Sequence[int], kept: Collection[int], label: int) -> bool:
        """Return whether all instances with the states of the ``kept`` features of a row are in a class."""
        margins = self._margins(row, kept, label)
        for other in np.flatnonzero(margins < _CLOSE):
            if other == label:
                continue
            if margins[other] < -_CLOSE:
                return False
            worst = self._worst(row, kept, label, int(other))
            if worst < 1 or (worst == 1 and other < label):
                return False
        return True

    def is_reason(self, row: Sequence[int], kept: Collection[int], label: int) -> bool:
        """Return whether a part decides and no feature of it could be left out."""
        return self.decides(row, kept, label) and not any(
            self.decides(row, [feature for feature in kept if feature != one], label) for one in kept
        )

    def is_shortest(self, row: Sequence[int], size: int, label: int, most: int) -> bool | None:
        """Return whether no part with fewer than ``size`` features decides; None past ``most`` parts.

        What decides still does with a feature more, so only parts of one feature less are tried.
        """
        if size == 0:
            return True
        if comb(len(row), size - 1) > most:
            return None
        for kept in combinations(range(len(row)), size - 1):
            checkpoint()
            if self.decides(row, kept, label):
                return False
        return True

    def _margins(self, row: Sequence[int], kept: Collection[int], label: int) -> NDArray[np.float64]:
        """Return the least ``log P(c, x) - log P(k, x)`` for every class ``k``, up to rounding."""
        total: NDArray[np.float64] = self._log_prior[label] - self._log_prior
        messages: dict[int, NDArray[np.float64]] = {}
        held = set(kept)
        for feature in self._order:
            logs, above = self._logs[feature], self._parents[feature]
            ratios = logs[label] - logs
            if feature in messages:
                ratios = ratios + messages.pop(feature)[:, None, :]
            least = ratios[:, :, row[feature]] if feature in held else ratios.min(axis=2)
            if above is None:
                total = total + least[:, 0]
            else:
                messages[above] = messages[above] + least if above in messages else least
        return total

    def _worst(self, row: Sequence[int], kept: Collection[int], label: int, other: int) -> Fraction:
        """Return the least ``P(c, x) / P(k, x)``, exactly."""
        total: Fraction = self._prior[label] / self._prior[other]
        messages: dict[int, list[Fraction]] = {}
        held = set(kept)
        for feature in self._order:
            table, above = self._tables[feature], self._parents[feature]
            states = [row[feature]] if feature in held else range(table.shape[2])
            below = messages.get(feature)
            least = [
                min(
                    table[label, parent, state]
                    / table[other, parent, state]
                    * (1 if below is None else below[state])
                    for state in states
                )
                for parent in range(table.shape[1])
            ]
            if above is None:
                total *= least[0]
            elif above in messages:
                messages[above] = [one * two for one, two in zip(messages[above], least, strict=True)]
            else:
                messages[above] = least
        return total
