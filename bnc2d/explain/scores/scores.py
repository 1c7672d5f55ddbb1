"""What ``e.scores`` answers: a number for each feature of one decision."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from math import log10
from typing import TypedDict

from bnc2d.base.finding import decision_words
from bnc2d.base.readers.arguments import flag
from bnc2d.base.readers.choices import GAMES, ScoreKind, ScoreOf
from bnc2d.base.scales import Label, json_value
from bnc2d.explain.scores.numbers import Bounds, Score, shown_number

_MOST_DIGITS = 40  # of a fraction that is written out
_BAR = 20  # signs of the longest bar of a text


class ScoresData(TypedDict):
    """Scores as plain data; ``docs/json.md`` says the keys."""

    kind: str
    target: str
    decision: Label | None
    towards: Label | None
    of: str | None
    distribution: str | None
    weighted: bool
    exact: bool
    error: float
    complete: bool
    reasons: int | None
    baseline: float | None
    value: float | None
    total: float
    scores: dict[str, float]
    scores_exact: dict[str, str] | None
    bounds: dict[str, list[float]] | None


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Mapping[str, Score]):
    """A number for each feature of a decision, in the order of the features; immutable.

    ``kind`` says what the numbers are:

    - ``"occurrence"``: the share of the sufficient reasons that have the feature; ``weighted``: each reason
      shares 1 out among its features, and the score is the mean of what the feature gets;
    - ``"responsibility"``: 1 / the size of the smallest necessary reason that has the feature, 0 if none has;
    - ``"shapley"``, ``"banzhaf"``: the values of the game in which a set of features is worth the probability
      of the decision (of class ``towards``; ``of="posterior"``: the mean posterior of the class) when they
      are as in the instance and the others drawn, independently, from the ``distribution``.

    Numbers are fractions where they are known exactly (``exact``), else floats, none further than ``error``
    from the truth. Where lists of reasons were too long, ``complete`` is False, and ``bounds`` has for each
    feature a lowest and a highest number, which are proved; the score itself lies between. ``total`` is the
    sum; of Shapley values it is ``value - baseline``, what the instance is worth with all features held less
    what it is worth with all drawn. ``reasons`` is the number of sufficient reasons, where it is known.
    """

    kind: ScoreKind
    target: str
    decision: Label | None
    numbers: Mapping[str, Score] = field(repr=False)
    bounds: Mapping[str, Bounds] | None = None
    error: float = 0.0
    distribution: str | None = None
    towards: Label | None = None
    of: ScoreOf | None = None
    weighted: bool = False
    baseline: Score | None = None
    value: Score | None = None
    reasons: int | None = None

    @property
    def exact(self) -> bool:
        """Whether all numbers are fractions that are known exactly."""
        return self.complete and all(isinstance(number, Fraction) for number in self.numbers.values())

    @property
    def complete(self) -> bool:
        """Whether the numbers are the scores; else they lie between ``bounds``."""
        return self.bounds is None

    def __getitem__(self, feature: str) -> Score:
        return self.numbers[feature]

    def __iter__(self) -> Iterator[str]:
        return iter(self.numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def total(self) -> Score:
        """The sum of the scores."""
        numbers = self.numbers.values()
        return sum(numbers, Fraction(0)) if self.exact else float(sum(map(float, numbers)))

    def ranked(self) -> list[str]:
        """Return the features, those with the numbers furthest from 0 first; of equals the earlier one.

        Numbers are equal where they differ by roundings alone.
        """
        unit = 4 * self.error

        def size(name: str) -> float:
            number = abs(float(self.numbers[name]))
            return round(number / unit) if unit else number

        return sorted(self.numbers, key=size, reverse=True)

    @property
    def title(self) -> str:
        """What the numbers are, in a line."""
        what = {
            "occurrence": "share of the sufficient reasons with the feature",
            "responsibility": "1 / size of the smallest necessary reason with the feature",
            "shapley": "Shapley values",
            "banzhaf": "Banzhaf values",
        }[self.kind]
        if self.weighted:
            what += ", each reason shared out among its features"
        decided = f"{self.target} = {decision_words(self.decision)}"
        if self.kind not in GAMES:
            return f"{decided}: {what}"
        asked = self.decision if self.towards is None else self.towards
        of = f"{'P' if self.of == 'decision' else 'mean posterior'}({self.target} = {decision_words(asked)})"
        drawn = {"uniform": "uniformly", "columns": "by the columns of the rows"}
        return f"{decided}: {what} of {of}, others drawn {drawn.get(str(self.distribution), 'by marginals')}"

    def __str__(self) -> str:
        wide = max(map(len, self.numbers), default=0)
        lines = [f"  {name:{wide}}  {text}" for name, text in self.lines()]
        return "\n".join([self.title, *lines, *(f"  {note}" for note in self.notes())])

    def lines(self) -> list[tuple[str, str]]:
        """Return the features as ranked, each with its number, its bounds and a bar, in text."""
        most = max((abs(float(number)) for number in self.numbers.values()), default=0.0)
        cells = {name: shown_number(number) for name, number in self.numbers.items()}
        room = max(map(len, cells.values()), default=0)
        found = []
        for name in self.ranked():
            size = abs(float(self.numbers[name]))
            bar = "█" * round(_BAR * size / most) if most else ""
            known = "" if self.bounds is None else _between(self.bounds[name])
            found.append((name, f"{cells[name]:>{room}}{known}  {bar}".rstrip()))
        return found

    def notes(self) -> list[str]:
        """Return what the numbers sum to, and whether they are known, in text."""
        found = []
        if self.kind == "shapley" and self.baseline is not None and self.value is not None:
            sums = f"{shown_number(self.total)} = {shown_number(self.value)}"
            found.append(f"sum {sums} - {shown_number(self.baseline)}, with all features drawn")
        if not self.complete:
            found.append("between the bounds: the reasons were too many, or took too long")
        return found

    def __repr__(self) -> str:
        some = ", ".join(f"{name}: {float(self.numbers[name]):.4g}" for name in self.ranked()[:4])
        return f"<Scores ({self.kind}) {some}{', …' if len(self) > 4 else ''}>"

    def to_dict(self, exact: bool = False) -> ScoresData:
        """Return plain data, ready for JSON; fractions of any length with ``exact``, else short ones."""
        long = flag(exact, "exact")
        known = [number for number in self.numbers.values() if isinstance(number, Fraction)]
        shown = self.exact and (long or all(_digits(number) <= _MOST_DIGITS for number in known))
        bounds = None if self.bounds is None else {n: [float(x) for x in b] for n, b in self.bounds.items()}
        return {
            "kind": self.kind,
            "target": self.target,
            "decision": json_value(self.decision),
            "towards": json_value(self.towards),
            "of": self.of,
            "distribution": self.distribution,
            "weighted": self.weighted,
            "exact": self.exact,
            "error": self.error,
            "complete": self.complete,
            "reasons": self.reasons,
            "baseline": None if self.baseline is None else float(self.baseline),
            "value": None if self.value is None else float(self.value),
            "total": float(self.total),
            "scores": {name: float(number) for name, number in self.numbers.items()},
            "scores_exact": {name: _fraction(n) for name, n in self.numbers.items()} if shown else None,
            "bounds": bounds,
        }

    def _repr_html_(self) -> str:
        from bnc2d.explain.scores.html import scores_html

        return scores_html(self)


def _digits(value: Fraction) -> int:
    """Return about how many digits a fraction has, without writing them."""
    return int((value.numerator.bit_length() + value.denominator.bit_length()) * log10(2))


def _fraction(value: Score) -> str:
    """Return ``1/3``, of any length: Decimal knows no limit on the digits of a number."""
    top, bottom = value.as_integer_ratio()
    return f"{Decimal(top):f}" if bottom == 1 else f"{Decimal(top):f}/{Decimal(bottom):f}"


def _between(bounds: Bounds) -> str:
    low, high = bounds
    return "          " if low == high else f"  [{float(low):.4f}, {float(high):.4f}]"
