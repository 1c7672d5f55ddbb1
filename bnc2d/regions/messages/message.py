"""What the features on one side of a separator can say of it, for a class and a rival.

An instance of the features says two vectors over the states of the separator: one if the target is in the
class, one if it is in the rival. Both may be scaled by the same positive number. Numbers are said to be
*within r* if they are within a factor ``e^r`` of each other.

A row *covers* an instance if there are positive numbers ``f(s)`` within ``radius`` such that at every state
``s`` the instance says ``f(s) * rival(s)`` for the rival, and at least ``f(s) * least(s)`` for the class.
Each instance is covered by a row, or it says what a sum of such instances would say: in the end classes are
compared by numbers that are linear in each message, so that a sum is no worse than the worst of its terms.

Rows are true vectors of instances (``choice`` says which), so that the worst one is a candidate for a
witness. An infinite radius allows zeros in ``f``; then ``rival`` is positive wherever that of an instance
covered is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]

# Positive numbers below this are not relied on: the product of two such would leave the range of floats.
SMALLEST = 1e-140
# Rounding errors of logarithms, with room.
SLACK = 1e-11


class Unknown(Exception):  # noqa: N818 - caught where bounds are asked for
    """Numbers are too small for floats, or rows too many."""


@dataclass(frozen=True)
class Messages:
    """Rows ``[row, state of the separator]``.

    ``own`` is what a row says for the class, None where that is the same as for the rival. ``least`` is None
    where it is the same as ``own``. ``choice`` says where a row comes from: rows of the inputs, and which
    states were chosen.
    """

    rival: Values
    own: Values | None
    least: Values | None
    radius: Values
    choice: Indices

    def __len__(self) -> int:
        return len(self.rival)

    def take(self, rows: Indices | NDArray[np.bool_] | slice) -> Messages:
        """Return some rows."""
        return Messages(
            self.rival[rows],
            None if self.own is None else self.own[rows],
            None if self.least is None else self.least[rows],
            self.radius[rows],
            self.choice[rows],
        )

    @property
    def for_class(self) -> Values:
        """What rows say for the class."""
        return self.rival if self.own is None else self.own

    @property
    def at_least(self) -> Values:
        """What is said for the class at least."""
        return self.for_class if self.least is None else self.least

    def ratios(self) -> Values:
        """Return the least ratios of class and rival by state; infinite where the rival has zero."""
        ratios = np.full(self.rival.shape, np.inf)
        np.divide(self.at_least, self.rival, out=ratios, where=self.rival > 0)
        return ratios


def scaled(messages: Messages) -> Messages:
    """Return the rows scaled so that the largest number of each is 1."""
    largest = messages.rival.max(axis=1, initial=0.0)
    if messages.own is not None:
        largest = np.maximum(largest, messages.own.max(axis=1, initial=0.0))
    scale = np.divide(1.0, largest, out=np.ones_like(largest), where=largest > 0)[:, None]
    tables = [
        None if table is None else table * scale for table in (messages.rival, messages.own, messages.least)
    ]
    for table in tables[:2]:
        if table is not None and table.min(initial=1.0, where=table > 0) < SMALLEST:
            raise Unknown
    rival, own, least = tables
    if rival is None:
        raise AssertionError
    return Messages(rival, own, least, messages.radius, messages.choice)
