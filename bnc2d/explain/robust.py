"""How far the nearest other decision is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Robustness:
    """The fewest features to change for another decision, an instance that does so, and its decision.

    ``distance`` and ``witness`` are None where nothing changes the decision; so is ``decision`` then, and
    also where the witness is in no class.
    """

    distance: int | None
    witness: dict[str, str] | None = None
    decision: str | None = None
