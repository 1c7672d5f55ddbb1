"""What fitted transformers do to one column, value by value, and where in the column that changes.

A chain of steps leads from a raw value to what the naive Bayes reads. Each step is a function of one value,
as scikit-learn computes it in float64, and pulls back ``Marks``: the places of its input that the steps after
it, and itself, tell apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite, isnan
from typing import Any, Protocol, TypeAlias

import numpy as np

from bnc2d.base.scales import Cut
from bnc2d.errors import UnsupportedError


class NotTaken(Exception):  # noqa: N818 - not an error of ours: scikit-learn takes no such value either
    """A value that the transformer or the naive Bayes raises an error for."""


class _Other:
    """A label that no transformer has seen."""

    def __repr__(self) -> str:
        return "a value that was not seen"


OTHER = _Other()


@dataclass(frozen=True)
class Marks:
    """Where a column must be parted: at cuts, around single values.

    ``is_number`` says that a step reads it as a number. ``whole`` says what needs single values and takes
    nothing between them; ``unbounded`` that it takes more of them than can be listed.
    """

    cuts: frozenset[Cut] = frozenset()
    values: tuple[object, ...] = ()
    is_number: bool = False
    whole: str = ""
    unbounded: bool = False

    def __or__(self, other: Marks) -> Marks:
        return Marks(
            self.cuts | other.cuts,
            self.values + other.values,
            self.is_number or other.is_number,
            self.whole or other.whole,
            self.unbounded or other.unbounded,
        )


class Step(Protocol):
    """What is done to one column."""

    def __call__(self, value: Any) -> Any:
        """Return what a value becomes; raise ``NotTaken`` for one that scikit-learn refuses."""

    def back(self, marks: Marks) -> Marks:
        """Return the marks of the input, given those of the output."""


Chain: TypeAlias = tuple[Step, ...]


def run(chain: Chain, value: Any) -> Any:
    """Return what a chain makes of a raw value."""
    for step in chain:
        value = step(value)
    return value


def marks_of(chain: Chain) -> Marks:
    """Return where a raw column must be parted so that the chain is constant on each part."""
    marks = Marks()
    for step in reversed(chain):
        marks = step.back(marks)
    return marks


def is_nan(value: object) -> bool:
    """Return whether a value is a float NaN, as scikit-learn tells: None is none."""
    return isinstance(value, float | np.floating) and bool(isnan(value))


def number(value: Any) -> float:
    """Return a value as a float64, as scikit-learn reads a numeric column."""
    if value is None:
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise NotTaken(f"{value!r} is not a number") from None


def finite(value: Any) -> float:
    """Return a number that is not missing."""
    found = number(value)
    if not isfinite(found):
        raise NotTaken("it takes no missing value")
    return found


@dataclass(frozen=True)
class Binned:
    """``KBinsDiscretizer``: how many inner edges are at most the value."""

    edges: tuple[float, ...]

    def __call__(self, value: Any) -> float:
        """Return what a value becomes."""
        return float(bisect_right(self.edges, finite(value)))

    def back(self, marks: Marks) -> Marks:  # noqa: ARG002 # there are finitely many codes
        """Return the marks of the input."""
        return Marks(frozenset(Cut(edge) for edge in self.edges if isfinite(edge)), is_number=True)


@dataclass(frozen=True)
class Binarised:
    """``Binarizer`` and ``BernoulliNB(binarize=...)``: whether the value is above the threshold."""

    threshold: float

    def __call__(self, value: Any) -> float:
        """Return what a value becomes."""
        return float(finite(value) > self.threshold)

    def back(self, marks: Marks) -> Marks:  # noqa: ARG002 # 0 or 1
        """Return the marks of the input."""
        known = isfinite(self.threshold)
        return Marks(frozenset({Cut(self.threshold, below=True)} if known else ()), is_number=True)


@dataclass(frozen=True)
class Scaled:
    """A scaler of one column: a function of float64 that never decreases; missing values stay missing."""

    function: Callable[[np.float64], np.float64]
    name: str

    def __call__(self, value: Any) -> float:
        """Return what a value becomes."""
        found = number(value)
        with np.errstate(over="ignore"):
            return found if isnan(found) else float(self.function(np.float64(found)))

    def back(self, marks: Marks) -> Marks:
        """Return the marks of the input."""
        if marks.whole:
            raise UnsupportedError(
                f"{marks.whole} reads what {self.name} gives, which are no whole numbers; leave that out, "
                "or put a KBinsDiscretizer or a Binarizer after it"
            )
        points = [finite(value) for value in marks.values if not is_nan(value) and value is not None]
        cuts = marks.cuts.union(Cut(point, below) for point in points for below in (False, True))
        found = (self._first_above(cut) for cut in cuts)
        return Marks(frozenset(Cut(value) for value in found if value is not None), is_number=True)

    def _first_above(self, cut: Cut) -> float | None:
        """Return the smallest float that comes out above a cut, by bisection; None where none or all do."""

        def is_above(rank: int) -> bool:
            image = self(_float_at(rank))
            return image > cut.value if cut.below else image >= cut.value

        low, high = -_MOST_RANK, _MOST_RANK
        if is_above(low) or not is_above(high):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if is_above(middle) else (middle, high)
        return _float_at(high)


@dataclass(frozen=True)
class Filled:
    """``SimpleImputer``: a value in place of missing ones."""

    missing: object
    fill: object

    def __call__(self, value: Any) -> Any:
        """Return what a value becomes."""
        if matches(value, self.missing):
            return self.fill
        if is_nan(value):  # unless NaN is what it fills, it refuses one
            raise NotTaken("the imputer takes no NaN")
        return value

    def back(self, marks: Marks) -> Marks:
        """Return the marks of the input."""
        return marks if is_nan(self.missing) else replace(marks, values=(*marks.values, self.missing))


@dataclass(frozen=True)
class Missing:
    """``MissingIndicator``: whether the value is missing."""

    missing: object

    def __call__(self, value: Any) -> float:
        """Return what a value becomes."""
        return float(matches(value, self.missing))

    def back(self, marks: Marks) -> Marks:  # noqa: ARG002 # 0 or 1
        """Return the marks of the input."""
        return Marks() if is_nan(self.missing) else Marks(values=(self.missing,))


@dataclass(frozen=True)
class Encoded:
    """``OrdinalEncoder`` and ``OneHotEncoder``: the code of a label; ``unknown`` of all others, if any."""

    codes: Mapping[Hashable, float]
    nan: float | None
    unknown: float | None
    categories: Sequence[object] = field(compare=False)

    def __call__(self, value: Any) -> float:
        """Return what a value becomes."""
        if is_nan(value):
            code = self.unknown if self.nan is None else self.nan
        else:
            code = self.codes.get(value, self.unknown)
        if code is None:
            raise NotTaken(f"the encoder has not seen {value!r}")
        return code

    def back(self, marks: Marks) -> Marks:  # noqa: ARG002 # there are finitely many codes
        """Return the marks of the input."""
        return Marks(values=tuple(self.categories))


@dataclass(frozen=True)
class Indicator:
    """A column of one-hot codes: whether the code is this one."""

    code: float

    def __call__(self, value: Any) -> float:
        """Return what a value becomes."""
        return float(value == self.code)

    def back(self, marks: Marks) -> Marks:  # noqa: ARG002 # 0 or 1
        """Return the marks of the input."""
        return Marks(values=(self.code,))


@dataclass(frozen=True)
class Counted:
    """What a naive Bayes reads as whole numbers: from 0 to ``most``, where that is known."""

    who: str
    most: int | None

    def __call__(self, value: Any) -> int:
        """Return what a value becomes."""
        found = finite(value)
        if found < 0 or found != int(found):
            raise NotTaken(f"{self.who} is exact for whole numbers from 0 on, not for {found:g}")
        if self.most is not None and found > self.most:
            raise NotTaken(f"{self.who} knows the values 0 to {self.most}, not {found:g}")
        return int(found)

    def back(self, marks: Marks) -> Marks:
        """Return the marks of the input."""
        if self.most is None:
            return replace(marks, whole=self.who, unbounded=True)
        return replace(marks, values=(*marks.values, *range(self.most + 1)), whole=self.who)


def matches(value: object, missing: object) -> bool:
    """Return whether a value is the one that an imputer takes for missing."""
    if is_nan(missing):
        return is_nan(value)
    return value is missing or (not is_nan(value) and value is not OTHER and bool(value == missing))


def float32_first(chain: Chain) -> Chain:
    """Return the chain after rounding to float32, as a transformer with that dtype does first."""
    return (Scaled(lambda value: np.float64(np.float32(value)), "float32"), *chain)


def scaled_by(name: str, operations: Iterable[tuple[str, Any]]) -> Scaled:
    """Return the scaler that does such operations in float64, one after another: ``("-", 3.0)``."""
    done = [(_OPERATIONS[sign], np.float64(operand)) for sign, operand in operations]

    def function(value: np.float64) -> np.float64:
        for operation, operand in done:
            value = operation(value, operand)
        return value

    return Scaled(function, name)


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.divide,
    "at least": np.maximum,
    "at most": np.minimum,
}
_MOST_RANK = int(np.float64(np.finfo(np.float64).max).view(np.int64))


def _float_at(rank: int) -> float:
    """Return the float64 of a rank in their order: 0 for 0.0, 1 for the next above it."""
    found = float(np.int64(abs(rank)).view(np.float64))
    return found if rank >= 0 else -found
