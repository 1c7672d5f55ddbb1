"""What scores are asked about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bnc2d.explain.case import Case
from bnc2d.explain.changes.allowed import Box
from bnc2d.explain.routes import Route
from bnc2d.logic.domain import FeatureId


class Asked(NamedTuple):
    """One decision: who answers, the instance by its states, its label, what may not change, and its case."""

    route: Route
    row: Sequence[int]
    label: int
    held: frozenset[FeatureId]
    box: Box
    case: Case
