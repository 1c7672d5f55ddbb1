"""Decisions on rows by protected group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bnc2d.auditing.findings import Cell, FactTable
from bnc2d.auditing.subject import percent
from bnc2d.base.finding import decision_words


@dataclass(frozen=True)
class Rates:
    """The lowest and the highest rate of a class among the groups of a protected feature or column."""

    protected: str
    favoured: str
    lowest: tuple[str, float]
    highest: tuple[str, float]

    @classmethod
    def of(cls, protected: str, groups: Sequence[str], found: Sequence[str | None], favoured: str) -> Rates:
        """Return them for rows with these groups and decisions."""
        hits = Counter(group for group, name in zip(groups, found, strict=True) if name == favoured)
        rates = [(hits[group] / size, group) for group, size in sorted(Counter(groups).items())]
        (low, lowest), (high, highest) = min(rates), max(rates)
        return cls(protected, favoured, (lowest, low), (highest, high))

    @property
    def ratio(self) -> float | None:
        """The lowest divided by the highest; None where no row is in the class."""
        return self.lowest[1] / self.highest[1] if self.highest[1] else None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "protected": self.protected,
            "class": self.favoured,
            "lowest": dict(zip(("group", "rate"), self.lowest, strict=True)),
            "highest": dict(zip(("group", "rate"), self.highest, strict=True)),
            "ratio": self.ratio,
        }

    def __str__(self) -> str:
        (lowest, low), (highest, high) = self.lowest, self.highest
        words = f"class {self.favoured} from {low:.2%} ({lowest}) to {high:.2%} ({highest})"
        return words + ("" if self.ratio is None else f", a ratio of {self.ratio:.2f}")


def by_group(
    names: Sequence[str | None], protected: str, groups: Sequence[str], found: Sequence[str | None]
) -> FactTable:
    """Return the rate of each class in each group."""
    sizes, pairs = Counter(groups), Counter(zip(groups, found, strict=True))
    rows: list[tuple[Cell, ...]] = [
        (group, sizes[group], *(percent(pairs[group, name], sizes[group]) for name in names))
        for group in sorted(sizes)
    ]
    columns = ("group", "rows", *(f"class {decision_words(name)}" for name in names))
    return FactTable(f"Decisions by {protected}", columns, tuple(rows))


def hit_by_group(
    protected: str, groups: Sequence[str], asked: Sequence[int], hit: Sequence[int]
) -> FactTable:
    """Return how many of the rows asked about, by position, are hit in each group."""
    sizes, hits = Counter(groups[at] for at in asked), Counter(groups[at] for at in hit)
    rows = tuple(
        (group, sizes[group], hits[group], percent(hits[group], sizes[group])) for group in sorted(sizes)
    )
    columns = ("group", "complete rows", "decided otherwise", "share")
    return FactTable(f"Rows that would be decided otherwise, by {protected}", columns, rows)
