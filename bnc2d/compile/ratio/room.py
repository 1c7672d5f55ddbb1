"""Room for lists of products: what they need is held against the memory limit before they are made."""

from __future__ import annotations

from bnc2d.errors import LimitExceeded

# Positions have 32 bits: within this, no list has 2**31 products and no level as many nodes.
_MOST_BYTES = 30 * 2**30


class Room:
    """What is left of a memory limit."""

    def __init__(self, limit: int) -> None:
        self._limit, self._kept = min(limit, _MOST_BYTES), 0

    def need(self, entries: int, size: tuple[int, int], hint: str = "") -> None:
        """Raise ``LimitExceeded`` unless entries of a size fit, for a moment and for good; keep count.

        ``hint`` is a further remedy, in words.
        """
        wanted = self._kept + entries * size[0]
        if wanted > self._limit:
            raise LimitExceeded(
                f"the distinct products of the features' ratios need at least {wanted / 2**20:.1f} MiB, more "
                f"than the limit of {self._limit / 2**20:.1f} MiB; choose fewer features or raise "
                f"memory_limit{hint}"
            )
        self._kept += entries * size[1]

    def release(self, entries: int, size: tuple[int, int]) -> None:
        """Take back what was kept for good."""
        self._kept -= entries * size[1]
