"""Questions about regions, where what follows from answers given before is not asked again."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from bnc2d.regions.oracle import RegionOracle
from bnc2d.regions.region import Label, Region

# Of more answers, the first are forgotten.
_MOST = 1 << 11


class Known:
    """Says whether regions have an instance with a label wanted.

    A region has one if it has one that was found before, and has none if a larger region has none.
    """

    def __init__(self, oracle: RegionOracle, wanted: Collection[Label]) -> None:
        sizes = oracle.domain.cardinalities
        self._oracle = oracle
        self._wanted = wanted
        self._starts = np.cumsum([0, *sizes[:-1]])  # all states in a row, and where those of a feature begin
        self._found = np.zeros((0, len(sizes)), dtype=np.intp)  # instances, by the places of their states
        self._lacked = np.zeros((0, sum(sizes)), dtype=bool)  # states that regions without instances lack

    def some(self, region: Region) -> list[int] | None:
        """Return an instance with a label wanted; what was asked before has a say in which."""
        allowed = np.zeros(self._lacked.shape[1], dtype=bool)
        allowed[np.concatenate(region) + np.repeat(self._starts, [len(states) for states in region])] = True
        inside = np.flatnonzero(allowed[self._found].all(axis=1))
        if inside.size:
            known: list[int] = (self._found[inside[-1]] - self._starts).tolist()
            return known
        if not (self._lacked & allowed).any(axis=1).all():
            return None
        found = self._oracle.find(region, self._wanted)
        if found is None:
            self._lacked = np.concatenate([self._lacked[-_MOST:], ~allowed[None]])
        else:
            self._found = np.concatenate([self._found[-_MOST:], (self._starts + found)[None]])
        return found
