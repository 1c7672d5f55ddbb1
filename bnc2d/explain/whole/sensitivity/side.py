"""The first of many instances to leave its decision while a number rises, or falls, from its value."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, Rows
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.explain.whole.sensitivity.family import Family, Sheet, mirrored
from bnc2d.explain.whole.sensitivity.flips import Flip, first_flip, label_beyond
from bnc2d.model.accounts import margin
from bnc2d.model.decision import NO_CLASS

# Exact inference can take long, and one instance often settles all others: so many more go each time.
_GROWTH = 4
# Exact numbers between two checkpoints.
_EXACT_PIECE = 1 << 10
# Weights below this are not relied on.
_SMALLEST = 2.0**-900
# Nor is what numbers nearer to 0 or 1 than this, but not there, leave of them.
_LEAST_SHARE = Fraction(1, 1 << 60)


class Side:
    """What is known of the values above the present one, or below it (``falling``: by ``1 - value``).

    ``flip`` is the first known, on the mirrored scale where ``falling``, at the instance ``row``; ``beyond``
    is what it is decided then. ``sure`` is a value up to which no decision changes, as far as it is proved;
    ``proved``: no instance leaves its decision before ``flip``.
    """

    def __init__(self, family: Family, falling: bool) -> None:
        self._family = family
        self.falling = falling
        self.start = 1 - family.value if falling else family.value
        self.flip: Flip | None = None
        self.row: list[int] | None = None
        self.beyond = NO_CLASS
        self.label = NO_CLASS
        self.sure = self.start
        self.proved = False

    @property
    def end(self) -> Fraction:
        """The value of the first flip known, 1 where none is; on the side's own scale."""
        return Fraction(1) if self.flip is None else self.flip.end

    def value(self, place: Fraction) -> Fraction:
        """Return the number that a place on the side's scale stands for."""
        return 1 - place if self.falling else place

    @property
    def done(self) -> bool:
        """Whether no instance can leave its decision earlier than the first one known."""
        return self.flip == Flip(self.start, True) or (self.start == 1 and self.flip is None)

    def look(self, sheet: Sheet, rows: Rows, labels: Numbers) -> bool:
        """Look for an earlier flip among instances with these labels; return whether one was found.

        Floats drop those whose decision is proved to be the same at the first flip known: as the values that
        keep it are an interval, it is the same before. What is left goes to exact numbers, the earliest by
        floats first.
        """
        before = self.flip
        sheet = mirrored(sheet) if self.falling else sheet
        left = np.arange(len(rows))
        batch = 1
        while True:
            left = left[~self._keep(sheet, left, labels[left])]
            if not len(left) or self.done:
                return self.flip != before
            if len(left) > batch:
                order = np.argsort(_estimates(sheet.values[left], labels[left]), kind="stable")
                left = left[order]
            self._exactly(rows[left[:batch]], labels[left[:batch]])
            left = left[batch:]
            batch *= _GROWTH

    def _keep(self, sheet: Sheet, places: Numbers, labels: Numbers) -> NDArray[np.bool_]:
        """Return which instances are proved, in floats, to keep their decision up to the first flip known."""
        kept = np.zeros(len(places), dtype=bool)
        share, rest = float(self.end), float(1 - self.end)
        relied_on = all(number == 0 or number > _LEAST_SHARE for number in (self.end, 1 - self.end))
        for piece in pieces(len(places), 1 << 16):
            values = sheet.values[places[piece]]
            values = np.ldexp(values, -np.frexp(values.max(axis=(1, 2), initial=0.0))[1][:, None, None])
            trusted = sheet.trusted[places[piece]]
            some = labels[piece]
            there = rest * values[:, :, 0] + share * values[:, :, 1]
            mine = there[np.arange(len(some)), some]
            there[np.arange(len(some)), some] = 0.0
            others = there.max(axis=1, initial=0.0)
            certain = mine - others > margin(sheet.roundings + 5) * (mine + others)
            certain &= (some != NO_CLASS) & (mine > _SMALLEST) & relied_on
            certain |= ~values.any(axis=(1, 2))  # impossible whatever the number is
            kept[piece] = certain & trusted
        return kept

    def _exactly(self, rows: Rows, labels: Numbers) -> None:
        for piece in pieces(len(rows), _EXACT_PIECE):
            sheet = self._family.weigh(rows[piece], exact=True)
            sheet = mirrored(sheet) if self.falling else sheet
            found = zip(rows[piece].tolist(), labels[piece].tolist(), sheet.values.tolist(), strict=True)
            for row, label, weights in found:
                low, high = [one for one, _ in weights], [other for _, other in weights]
                flip = first_flip(self._family.rule, label, low, high, self.start)
                if flip is None or (flip.end >= 1 and not self._family.closed):
                    continue
                if self.flip is None or flip < self.flip:
                    self.flip, self.row, self.label = flip, row, label
                    self.beyond = label_beyond(self._family.rule, low, high, flip)
            checkpoint()


def _estimates(values: NDArray[np.float64], labels: Numbers) -> NDArray[np.float64]:
    """Return about where instances leave their decisions, infinite where they do not."""
    rows = np.arange(len(labels))
    differences = values[rows, labels][:, None] - values
    before, after = differences[:, :, 0], differences[:, :, 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        ends = np.where(after <= 0, before / (before - after), np.inf)
    ends[rows, labels] = np.inf
    ends[labels == NO_CLASS] = -np.inf  # always looked at
    found: NDArray[np.float64] = np.nan_to_num(ends, nan=np.inf, posinf=np.inf, neginf=-np.inf).min(
        axis=1, initial=np.inf
    )
    return found
