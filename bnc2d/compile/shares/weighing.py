"""Shares of decisions, made of what leads to the terminals of a decision diagram."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.shares.distribution import ROWS, Distribution
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
    return _weighed(distribution.name, distribution.masses(diagram), decisions)


def weigh_labels(
    classes: Sequence[str],
    decisions: Sequence[str | None],
    labels: NDArray[np.int64],
    counting: NDArray[np.bool_],
) -> Weighed:
    """Return the shares among the rows that count, by their labels; -1 stands for no class.

    What is known of a row may tie where no instance does, so that no decision stands for that.
    """
    none = len(classes)
    known = np.where(labels < 0, none, labels)[counting]
    masses = np.bincount(known, minlength=none + 1).tolist()
    with_none = (*classes, None)[: none + (None in decisions or masses[none] > 0)]
    return _weighed(ROWS, [*masses[: len(with_none)], len(labels) - len(known)], with_none)


def _weighed(name: str, masses: Sequence[int], decisions: Sequence[str | None]) -> Weighed:
    whole, counting = sum(masses), sum(masses[: len(decisions)])
    if not counting and name == ROWS:
        raise ClassifierError(f"all {whole} rows of the distribution violate the constraint; none counts")
    if not counting:
        by = "by the network" if name == "network" else "by these marginals"
        raise ClassifierError(f"the constraint has probability 0 {by}, so that no instance counts")
    shares = {one: Fraction(mass, counting) for one, mass in zip(decisions, masses, strict=False)}
    if name != ROWS:
        return Weighed(shares, name, Fraction(counting, whole))
    if counting < whole:
        what = f"{whole - counting} of {whole} rows violate the constraint and do not count in the shares"
        warnings.warn(what, Bnc2dWarning, stacklevel=5)
    return Weighed(shares, name, Fraction(counting, whole), counting, whole - counting)
