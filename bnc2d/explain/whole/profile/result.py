"""What is told of the robustness of a classifier."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeAlias, TypedDict

from bnc2d.base.finding import decision_words

Distance: TypeAlias = int | None  # None: nothing changes the decision


class DistanceData(TypedDict):
    """Plain data of one distance."""

    distance: int | None
    count: int
    share: float
    example: dict[str, str] | None


class ClassData(TypedDict):
    """Plain data of one class, or of all."""

    count: int
    share: float
    expected: float | None
    expected_bounds: tuple[float, float] | None
    least: int | None
    largest: int | None
    known_to: int | None
    beyond: int
    distances: list[DistanceData]


_Named = TypedDict("_Named", {"class": str | None})


class NamedClassData(_Named, ClassData):
    """Plain data of one class."""


class ProfileData(TypedDict):
    """Plain data of a profile."""

    target: str
    towards: str | None
    given: str | None
    distribution: str
    rows: int | None
    violating: int | None
    complete: bool
    cut: str | None
    overall: ClassData
    classes: list[NamedClassData]


@dataclass(frozen=True)
class ClassRobustness:
    """How far the instances of a class, or of all, are from another decision.

    ``counts`` has the number of instances at each distance, the features that must change, and ``shares``
    which share of the distribution they are, of all classes together. Where nothing changes a decision, the
    distance is None. ``examples`` has an instance for each distance. All is known up to the distance
    ``known_to``, or entirely where that is None: ``beyond`` instances, a share of ``beyond_share``, are
    further away, at most ``features`` changes. Where rows were given as distribution, counts are of rows.
    """

    counts: dict[Distance, int]
    shares: dict[Distance, Fraction]
    examples: dict[Distance, dict[str, str]] = field(repr=False)
    features: int
    known_to: int | None = None
    beyond: int = 0
    beyond_share: Fraction = Fraction(0)

    @property
    def count(self) -> int:
        """How many instances it is about."""
        return sum(self.counts.values()) + self.beyond

    @property
    def share(self) -> Fraction:
        """Which share of the distribution it is about."""
        return sum(self.shares.values(), self.beyond_share)

    @property
    def complete(self) -> bool:
        """Whether every distance is known."""
        return self.known_to is None

    @property
    def expected(self) -> Fraction | None:
        """The mean distance, by the distribution; None where some have none, all weigh 0, or it is open."""
        bounds = self.expected_bounds
        return bounds[0] if bounds is not None and self.complete else None

    @property
    def expected_bounds(self) -> tuple[Fraction, Fraction] | None:
        """What the mean distance is at least and at most; equal where every distance is known."""
        if self.shares.get(None) or not self.share:
            return None
        known = sum((d * share for d, share in self.shares.items() if d is not None), Fraction(0))
        rest, next_one = self.beyond_share, (self.known_to or 0) + 1
        return (known + rest * next_one) / self.share, (known + rest * self.features) / self.share

    @property
    def least(self) -> int | None:
        """The least distance of an instance; None where there is none, or it is not known."""
        return min((d for d, count in self.counts.items() if d is not None and count), default=None)

    @property
    def largest(self) -> int | None:
        """The largest distance of an instance; None where there is none, or it is not known."""
        known = (d for d, count in self.counts.items() if d is not None and count)
        return max(known, default=None) if self.complete else None

    @property
    def worst(self) -> int | None:
        """The same as ``least``: how many changes are enough in the worst case."""
        return self.least

    @property
    def least_robust(self) -> dict[str, str] | None:
        """An instance with the least distance."""
        return None if self.least is None else self.examples.get(self.least)

    @property
    def most_robust(self) -> dict[str, str] | None:
        """An instance with the largest distance."""
        return None if self.largest is None else self.examples.get(self.largest)

    def to_dict(self) -> ClassData:
        """Return plain data, ready for JSON."""
        bounds, expected = self.expected_bounds, self.expected
        return {
            "count": self.count,
            "share": float(self.share),
            "expected": None if expected is None else float(expected),
            "expected_bounds": None if bounds is None else (float(bounds[0]), float(bounds[1])),
            "least": self.least,
            "largest": self.largest,
            "known_to": self.known_to,
            "beyond": self.beyond,
            "distances": [
                {
                    "distance": distance,
                    "count": count,
                    "share": float(self.shares[distance]),
                    "example": self.examples.get(distance),
                }
                for distance, count in self.counts.items()
            ],
        }


@dataclass(frozen=True)
class BaseProfile:
    """How far instances are from another decision, in numbers; ``bnc2d.RobustnessProfile`` says which."""

    target: str
    towards: str | None
    distribution: str
    classes: dict[str | None, ClassRobustness]
    given: str | None = None
    rows: int | None = None
    violating: int | None = None
    cut: str | None = None

    @property
    def counts(self) -> dict[str | None, dict[Distance, int]]:
        """By class and distance, how many instances there are."""
        return {name: one.counts for name, one in self.classes.items()}

    @property
    def shares(self) -> dict[str | None, dict[Distance, Fraction]]:
        """By class and distance, which share of the distribution it is."""
        return {name: one.shares for name, one in self.classes.items()}

    @property
    def overall(self) -> ClassRobustness:
        """All classes together."""
        return _together(list(self.classes.values()))

    @property
    def complete(self) -> bool:
        """Whether every distance is known."""
        return all(one.complete for one in self.classes.values())

    @property
    def expected(self) -> Fraction | None:
        """The mean distance over all classes (see ``ClassRobustness``)."""
        return self.overall.expected

    @property
    def least(self) -> int | None:
        """The least distance of an instance."""
        return self.overall.least

    @property
    def largest(self) -> int | None:
        """The largest distance of an instance."""
        return self.overall.largest

    @property
    def worst(self) -> int | None:
        """The same as ``least``."""
        return self.least

    @property
    def what(self) -> str:
        """What is counted."""
        return "rows" if self.rows is not None else "instances"

    @property
    def question(self) -> str:
        """What is asked, in words."""
        where = "another decision" if self.towards is None else f"class {self.towards}"
        return f"How many features must change for {where}?"

    def named(self) -> list[tuple[str, ClassRobustness]]:
        """Return all that there is to tell by names: of all instances, then of each class."""
        by_class = [(decision_words(name), one) for name, one in self.classes.items() if one.count]
        return by_class if len(by_class) == 1 else [(f"all {self.what}", self.overall), *by_class]

    def to_dict(self) -> ProfileData:
        """Return plain data, ready for JSON."""
        return {
            "target": self.target,
            "towards": self.towards,
            "given": self.given,
            "distribution": self.distribution,
            "rows": self.rows,
            "violating": self.violating,
            "complete": self.complete,
            "cut": self.cut,
            "overall": self.overall.to_dict(),
            "classes": [{"class": name, **one.to_dict()} for name, one in self.classes.items()],
        }

    def __str__(self) -> str:
        lines = [f"{self.target}: {self.question}"]
        for name, one in self.named():
            lines.append(f"  {name}: {one.count:,} {self.what}, {summary(one)}")
            lines += [
                f"    {distance_words(distance)}: {count:,} ({float(share):.4%})"
                for distance, count, share in lines_of(one)
            ]
        if self.cut is not None:
            lines.append(f"  not finished: {self.cut}")
        return "\n".join(lines)


def ordered(distances: Iterable[Distance]) -> list[Distance]:
    """Return distances in ascending order, None at the end."""
    return sorted(distances, key=lambda distance: (distance is None, distance))


def lines_of(one: ClassRobustness) -> list[tuple[Distance | str, int, Fraction]]:
    """Return distances with counts and shares; what is further than known at the end."""
    found: list[tuple[Distance | str, int, Fraction]] = [
        (distance, count, one.shares[distance]) for distance, count in one.counts.items()
    ]
    if one.beyond:
        further = f"> {one.known_to} changes" if one.known_to else "not known"
        found.append((further, one.beyond, one.beyond_share))
    return found


def distance_words(distance: Distance | str) -> str:
    """Return a distance as people say it.

    >>> [distance_words(distance) for distance in (1, 2, "> 2 changes", None)]
    ['1 change', '2 changes', '> 2 changes', 'no change does']
    """
    if distance is None or isinstance(distance, str):
        return distance or "no change does"
    return f"{distance} change{'' if distance == 1 else 's'}"


def expected_words(one: ClassRobustness) -> str:
    """Return the mean distance in words."""
    bounds = one.expected_bounds
    if bounds is None:
        return "none"
    low, high = (f"{float(bound):.4g}" for bound in bounds)
    return low if one.complete else f"{low} to {high}"


def summary(one: ClassRobustness) -> str:
    """Return the mean, the least and the largest distance in words."""
    if one.counts.get(None):
        return "which no change decides otherwise"
    parts = [f"{expected_words(one)} on average"] if one.expected_bounds is not None else []
    if one.least is not None:
        largest = "more" if one.largest is None else one.largest
        parts.append(f"{one.least} to {largest}" if one.least != largest else f"all {one.least}")
    return ", ".join(parts) or "not known"


def _together(parts: Sequence[ClassRobustness]) -> ClassRobustness:
    """Return several classes as one; it is known as far as all of them are."""
    known_to = min((one.known_to for one in parts if one.known_to is not None), default=None)
    counts: dict[Distance, int] = {}
    shares: dict[Distance, Fraction] = {}
    examples: dict[Distance, dict[str, str]] = {}
    distances = ordered({distance for one in parts for distance in one.counts})
    for distance in distances:
        if known_to is None or (distance is not None and distance <= known_to):
            counts[distance] = sum(one.counts.get(distance, 0) for one in parts)
            shares[distance] = sum((one.shares.get(distance, Fraction(0)) for one in parts), Fraction(0))
            shown = [one.examples[distance] for one in parts if distance in one.examples]
            if shown:
                examples[distance] = shown[0]
    beyond = sum(one.count for one in parts) - sum(counts.values())
    rest = sum((one.share for one in parts), Fraction(0)) - sum(shares.values(), Fraction(0))
    features = max((one.features for one in parts), default=0)
    return ClassRobustness(counts, shares, examples, features, known_to, beyond, rest)
