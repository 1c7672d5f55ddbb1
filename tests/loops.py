"""The two ways of what has a loop in C: for tests that try both, or that are about the loops alone."""

from __future__ import annotations

import pytest

from bnc2d.base import kernels

needs_loops = pytest.mark.skipif(kernels.loops is None, reason="no loops in C: no compiler")
WAYS = [pytest.param("loop", marks=needs_loops), "numpy"]


BOTH = [way if isinstance(way, str) else "loop" for way in WAYS]  # for Hypothesis


def take_way(way: str, patch: pytest.MonkeyPatch) -> None:
    """Let everything go one of the ``WAYS``."""
    if way == "numpy":
        patch.setattr(kernels, "loops", None)
