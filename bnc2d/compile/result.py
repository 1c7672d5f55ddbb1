"""What every method of compilation returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from bnc2d.compile.graph.feature_tree import Widths
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.nnf import NNF

Formulas: TypeAlias = Mapping[tuple[int, bool], NNF]  # by label and negation

_NO_WIDTHS = Widths(0, 0, 0)


@dataclass(frozen=True)
class Compiled:
    """A reduced diagram of all decisions, and what it took; figures that a method lacks are 0 or None.

    ``cells`` were decided, ``exact_calls`` of them in integers. ``formulas`` are those that the method made
    by itself, if it does not leave them to the diagram.
    """

    diagram: Diagram
    cells: int
    exact_calls: int
    widths: Widths = _NO_WIDTHS
    log_work: float | None = None
    frontier: int | None = None
    formulas: Formulas | None = None
