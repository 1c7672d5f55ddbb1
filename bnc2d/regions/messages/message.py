"""What the features on one side of a separator can say of it, for a class and a rival.

An instance of the features says two vectors over the states of the separator: one if the target is in the
class, one if it is in the rival. Both may be scaled by the same positive number.

A row *covers* an instance if there is a scale at which the instance says, at every state ``s``, a number
``r(s)`` from ``low(s)`` to ``high(s)`` for the rival and at least ``r(s) * p(s)`` for the class, where
``p(s)`` is ``least(s) / low(s)``, and zero if ``low(s)`` is; at states where ``high`` is zero it says at
least ``least(s)`` for the class. Each instance is covered by a row, or it says what a sum of such instances
would say: in the end classes are compared by numbers that are linear in each message, so that a sum is no
worse than the worst of its terms.

Beside that, a row has the vectors of one instance (``choice`` says which), so that the worst row is a
candidate for a witness.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Values: TypeAlias = NDArray[np.float64]
Indices: TypeAlias = NDArray[np.intp]

# Positive numbers below this are not relied on: the product of two such would leave the range of floats.
SMALLEST = 1e-140
# Larger numbers are not needed.
LARGEST = 1e140


class Unknown(Exception):  # noqa: N818 - caught where bounds are asked for
    """Numbers are too small for floats, or rows too many."""


class Band(NamedTuple):
    """What rows cover, ``[row, state]``."""

    low: Values
    high: Values
    least: Values


@dataclass(frozen=True)
class Messages:
    """Rows ``[row, state of the separator]``: what instances say for the ``rival``, for the class (``own``).

    ``own`` is None where that is the same as for the rival; then ``least`` is the same as ``low``. ``band``
    is None where each row covers its own instance only. ``choice`` says where a row comes from: rows of
    the inputs, and which states were chosen.
    """

    rival: Values
    own: Values | None
    band: Band | None
    choice: Indices

    def __len__(self) -> int:
        return len(self.rival)

    def take(self, rows: Indices | slice) -> Messages:
        """Return some rows."""
        own = None if self.own is None else self.own[rows]
        band = None if self.band is None else Band(*(values[rows] for values in self.band))
        return Messages(self.rival[rows], own, band, self.choice[rows])

    @property
    def for_class(self) -> Values:
        """What the instances say for the class."""
        return self.rival if self.own is None else self.own

    @property
    def covered(self) -> Band:
        """What rows cover."""
        return Band(self.rival, self.rival, self.for_class) if self.band is None else self.band

    def ratios(self) -> Values:
        """Return the least ratios of class and rival that rows cover; infinite where the rival has zero."""
        low, high, least = self.covered
        ratios = np.where(high > 0, 0.0, np.inf)
        np.divide(least, low, out=ratios, where=low > 0)
        return ratios


def scaled(messages: Messages) -> Messages:
    """Return the rows scaled so that their largest numbers are 1; bands have a scale of their own."""
    scale = _scale(np.maximum(messages.rival.max(axis=1), messages.for_class.max(axis=1)))
    rival, band = messages.rival * scale, messages.band
    own = None if messages.own is None else messages.own * scale
    if band is None:
        for table in (rival, own):
            if table is not None and table.min(initial=1.0, where=table > 0) < SMALLEST:
                raise Unknown
    else:
        scale = _scale(band.high.max(axis=1))
        low, high, least = (values * scale for values in band)
        small = (low < SMALLEST) & (high > 0)  # a wider band is as true, and so is less for the class
        band = Band(
            np.where(small, 0.0, low),
            np.where(small, np.maximum(high, SMALLEST), high),
            np.where(small, 0.0, np.minimum(least, LARGEST)),
        )
    return Messages(rival, own, band, messages.choice)


def _scale(largest: Values) -> Values:
    return np.divide(1.0, largest, out=np.ones_like(largest), where=largest > SMALLEST)[:, None]
