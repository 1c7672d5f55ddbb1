"""Shares of decisions, made of what leads to the terminals of a decision diagram."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.shares.distribution import Distribution
from bnc2d.errors import Bnc2dWarning, ClassifierError
from bnc2d.logic.diagram.diagram import Diagram


@dataclass(frozen=True)
class Weighed:
    """Shares of decisions, which sum to 1, and what they are shares of.

    ``distribution`` is ``"uniform"``, ``"network"``, ``"marginals"`` or ``"rows"``. Of it, ``allowed`` is
    what satisfies the constraint, 1 without one. Of rows, ``rows`` count and ``violating`` do not.
    """

    shares: dict[str | None, Fraction]
    distribution: str
    allowed: Fraction
    rows: int | None = None
    violating: int | None = None


def weigh(distribution: Distribution, diagram: Diagram, decisions: Sequence[str | None]) -> Weighed:
    """Return the shares of decisions, the first terminals of a diagram; others do not count."""
    masses = distribution.masses(diagram)
    whole, counting = sum(masses), sum(masses[: len(decisions)])
    if not counting:
        of = "in the network" if distribution.name == "network" else "by these marginals"
        raise ClassifierError(f"the constraint has probability 0 {of}, so that no instance counts")
    shares = {name: Fraction(mass, counting) for name, mass in zip(decisions, masses, strict=False)}
    return Weighed(shares, distribution.name, Fraction(counting, whole))


def weigh_rows(
    classes: Sequence[str],
    decisions: Sequence[str | None],
    labels: NDArray[np.int64],
    counting: NDArray[np.bool_],
) -> Weighed:
    """Return the shares among the rows that count, by their labels; -1 and the last stand for no class."""
    kept = labels[counting]
    violating = len(labels) - len(kept)
    if not len(kept):
        raise ClassifierError(
            f"all {len(labels)} rows of the distribution violate the constraint; none counts"
        )
    if violating:
        warnings.warn(
            f"{violating} of {len(labels)} rows violate the constraint and do not count in the shares",
            Bnc2dWarning,
            stacklevel=4,
        )
    numbers = np.bincount(np.where(kept < 0, len(classes), kept), minlength=len(classes) + 1).tolist()
    shares = {
        name: Fraction(number, len(kept))
        for name, number in zip((*classes, None), numbers, strict=True)
        if number or name in decisions  # what is known of a row may tie where no instance does
    }
    return Weighed(shares, "rows", Fraction(len(kept), len(labels)), len(kept), violating)
