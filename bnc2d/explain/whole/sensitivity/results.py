"""What questions about sensitivity answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from bnc2d.base.finding import Status, decision_words, instance_words
from bnc2d.base.readers.numbers import Number, exact
from bnc2d.base.scales import Label
from bnc2d.errors import ArgumentError
from bnc2d.model.cpt import show


@dataclass(frozen=True, kw_only=True)
class StableInterval:
    """The values that a number can have with every decision staying as it is.

    ``value`` is what it is now; ``low`` and ``high`` are the ends, exact, and ``low_included`` and
    ``high_included`` say whether decisions still stay there. ``first_below`` is the instance whose decision
    changes first below, from the first of ``decisions_below`` to the second; None where no decision changes
    as far as the number can go. ``first_above`` and ``decisions_above`` are the same above.

    ``status`` is ``"proved"``, or ``"open"`` where a limit came first: decisions stay from ``sure_low`` to
    ``sure_high`` at least, both included, and change beyond ``low`` and ``high``. ``value in interval`` is
    whether it is proved that they stay.
    """

    value: Fraction
    low: Fraction
    high: Fraction
    low_included: bool
    high_included: bool
    first_below: dict[str, str] | None
    first_above: dict[str, str] | None
    decisions_below: tuple[Label | None, Label | None] | None
    decisions_above: tuple[Label | None, Label | None] | None
    sure_low: Fraction
    sure_high: Fraction
    status: Status

    @property
    def margin(self) -> Fraction | None:
        """The least change of the number that some change of a decision needs; None where none changes.

        Where the end is included, decisions change just beyond it.
        """
        ends = [self.value - self.low] if self.first_below is not None else []
        ends += [self.high - self.value] if self.first_above is not None else []
        return min(ends, default=None)

    def __contains__(self, value: Number) -> bool:
        try:
            number = exact(value)
        except ValueError as error:
            raise ArgumentError(f"an interval holds numbers: {error}") from None
        above = number > self.sure_low or (
            number == self.sure_low and (self.low_included or self.sure_low != self.low)
        )
        below = number < self.sure_high or (
            number == self.sure_high and (self.high_included or self.sure_high != self.high)
        )
        return above and below

    @property
    def _name(self) -> str:
        raise NotImplementedError

    def __str__(self) -> str:
        ends = f"{'[' if self.low_included else '('}{show(self.low)}, {show(self.high)}"
        ends += "]" if self.high_included else ")"
        if self.status == "open":
            sure = f"no decision changes from {show(self.sure_low)} to {show(self.sure_high)}, and "
            known = "" if self.sure_low == self.sure_high else sure
            lines = [
                f"{self._name} = {show(self.value)}: {known}some can change beyond {ends}; a limit came "
                "before more was proved"
            ]
        else:
            lines = [f"{self._name} = {show(self.value)}: no decision changes in {ends}"]
        for side, instance, decisions in (
            ("below", self.first_below, self.decisions_below),
            ("above", self.first_above, self.decisions_above),
        ):
            if instance is not None and decisions is not None:
                before, after = map(decision_words, decisions)
                first = "first" if self.status == "proved" else "known to change"
                lines.append(f"  {side}, {first}: {instance_words(instance)} from {before} to {after}")
            elif self.status == "proved":
                lines.append(f"  {side}: none changes")
        return "\n".join(lines)


@dataclass(frozen=True, kw_only=True)
class ThresholdInterval(StableInterval):
    """The thresholds with which every decision stays as it is (see ``StableInterval``).

    They lie strictly between 0 and 1, so these are never included. An end with an instance is exactly the
    posterior of the ``positive`` class there: the largest up to the threshold, which is included, since a
    threshold that is hit is not exceeded, and the smallest above it, which is not.
    """

    positive: str

    @property
    def _name(self) -> str:
        return f"threshold of {self.positive}"


@dataclass(frozen=True, kw_only=True)
class EntryInterval(StableInterval):
    """The values of the entry ``P(variable = state | given)`` with which every decision stays as it is.

    The other entries of its column share what it leaves in the proportions that they have now, equally where
    the entry is 1. See ``StableInterval``.
    """

    variable: str
    state: str
    given: Mapping[str, str]

    @property
    def entry(self) -> str:
        """The entry in words: ``P(X=a | Y=b, Z=c)``."""
        given = ", ".join(f"{name}={state}" for name, state in self.given.items())
        return f"P({self.variable}={self.state}{' | ' if given else ''}{given})"

    @property
    def _name(self) -> str:
        return self.entry

    __hash__ = None  # type: ignore[assignment] # mappings have none


@dataclass(frozen=True, kw_only=True)
class Sensitivity:
    """The table entries that can move least before a decision changes, the narrowest ``margin`` first.

    ``entries`` are at most as many as were asked for, without those that change no decision, which are
    ``idle``; ``looked_at`` of ``total`` entries were looked at. ``threshold`` is the interval of thresholds,
    None without one. ``status`` is ``"open"`` where a limit came before some entry or interval.
    """

    entries: tuple[EntryInterval, ...]
    threshold: ThresholdInterval | None
    idle: int
    looked_at: int
    total: int
    status: Status

    def __iter__(self) -> Iterator[EntryInterval]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __str__(self) -> str:
        lines = [] if self.threshold is None else [str(self.threshold)]
        lines += [str(entry) for entry in self.entries]
        seen = f"{self.looked_at} of {self.total} entries looked at"
        lines.append(f"{seen}, {self.idle} of them change no decision whatever their value")
        return "\n".join(lines)
