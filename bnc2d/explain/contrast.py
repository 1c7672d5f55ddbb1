"""Contrastive explanations: why not another class, which changes lead there, and how far it is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.scales import Label
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause

_ROWS_AT_ONCE = 256


class Contrast(Primes[Clause]):
    """The clauses that answer "why not this class?", one after another.

    Where there is nothing to list, because the instance is in the class already or because no change leads
    there, the iterator is empty and ``message`` says why; otherwise ``message`` is None. ``complete``,
    ``cut`` and ``ordered`` are those of every list of reasons.
    """

    def __init__(self, towards: str, clauses: Primes[Clause], message: str | None = None) -> None:
        self.__dict__.update(clauses.__dict__)  # takes the list over
        self.towards = towards
        self.message = message

    def __repr__(self) -> str:
        return f"<Contrast towards {self.towards}{f': {self.message}' if self.message else ''}>"


@dataclass(frozen=True)
class Robustness:
    """The fewest features to change for another decision, an instance that does so, and its decision.

    ``distance`` and ``witness`` are None where nothing changes the decision; so is ``decision`` then, and
    also where the witness is in no class.
    """

    distance: int | None
    witness: dict[str, str] | None = None
    decision: Label | None = None


def violations(
    labels: Callable[[Rows], NDArray[np.integer]], positions: Sequence[int], clause: Clause, limit: int | None
) -> Iterator[tuple[list[int], int]]:
    """Yield the instances that differ only in the clause's features and violate it, each with its label.

    The last feature varies fastest, its states in order.
    """
    others = [
        [state for state in range(clause.domain.cardinalities[feature]) if not mask >> state & 1]
        for feature, mask in clause.masks.items()
    ]
    changes = islice(product(*others), limit)
    while batch := list(islice(changes, _ROWS_AT_ONCE)):
        rows = np.tile(np.array(positions, dtype=np.intp), (len(batch), 1))
        rows[:, list(clause.masks)] = np.array(batch, dtype=np.intp).reshape(len(batch), len(clause))
        yield from zip(rows.tolist(), labels(rows).tolist(), strict=True)
