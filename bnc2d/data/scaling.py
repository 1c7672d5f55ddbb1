"""States for the columns of a frame: intervals for numbers, labels for the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.readers.arguments import as_text, items, shown, wrong
from bnc2d.base.scales import Intervals, Labels, Scale
from bnc2d.data.columns import Column
from bnc2d.data.cuts import quantile_cuts, usual_bins
from bnc2d.errors import Bnc2dError, ClassifierError, UnknownNameError, did_you_mean

# How one column of numbers is cut: a number of bins, the cuts themselves, or as its values suggest.
Cutting: TypeAlias = int | Sequence[float] | Literal["auto", "labels"]
Bins: TypeAlias = int | Literal["auto"] | Mapping[str, Cutting]
Missing: TypeAlias = Literal["state", "drop", "unknown"]

MOST_LABELS = 50
MOST_CLASSES = 100
_FEW_VALUES = 7  # whole numbers that stay labels
_ID_ROWS = 20  # that all differ make an identifier
_MOST_BINS = 1000
_MISSING, _OTHER = "missing", "other"
_BINS = "a number of bins from 2 on, 'auto', or a mapping from column to a number, cuts, 'auto' or 'labels'"


class Scaled(NamedTuple):
    """A feature: its scale, and the position of the state of each row, -1 where it is unknown."""

    scale: Scale
    codes: NDArray[np.intp]


class NoFeature(NamedTuple):
    """Why a column is no feature."""

    reason: str


def check_bins(bins: object, features: Iterable[str]) -> None:
    """Refuse what says nothing about how columns are cut."""
    if isinstance(bins, Mapping):
        for name, one in bins.items():
            if name not in features:
                raise UnknownNameError(f"bins: no feature {shown(name)}{did_you_mean(name, features)}")
            _check_cutting(one, f"bins of {name!r}", "a number from 2 on, a list of cuts, 'auto' or 'labels'")
    elif isinstance(bins, Iterable) and not isinstance(bins, str):
        raise wrong("bins", bins, f"{_BINS}; cuts are given by column, as bins={{'age': [18, 65]}}")
    else:
        _check_cutting(bins, "bins", _BINS)


def _check_cutting(one: object, what: str, expected: str) -> None:
    if isinstance(one, str):
        if one not in ("auto", "labels"):
            raise wrong(what, one, expected)
    elif isinstance(one, Iterable):
        for cut in items(one, what, expected):
            if not isinstance(cut, Real) or isinstance(cut, bool):
                raise wrong(f"a cut in {what}", cut, "a number")
        try:
            Intervals([float(cut) for cut in one])
        except (Bnc2dError, OverflowError) as error:
            raise ClassifierError(f"{what}: {error}") from None
    elif isinstance(one, bool) or not isinstance(one, int) or not 2 <= one <= _MOST_BINS:
        raise wrong(what, one, expected)


def scale_feature(
    column: Column, training: NDArray[Any], bins: Bins, missing: Missing, is_named: bool
) -> tuple[Scaled | NoFeature, str]:
    """Return the states of a column and where each row is, or why it is no feature; and what to warn of.

    Labels are those of all rows, so that held-out rows can be decided; cuts and what is rare come from the
    rows that are trained on alone. Numbers of rows are no feature unless that is what features or bins name.
    """
    is_asked = isinstance(bins, Mapping) and column.name in bins
    own = int(column.has_missing and missing == "state")
    if len(column.values) + own < 2:
        return NoFeature("has one value only" if column.values else "has no value"), ""
    if not own and not (column.codes[training] >= 0).any():
        return NoFeature("has no value in the rows trained on"), ""
    known = int((column.codes >= 0).sum())
    if column.kind == "text" and len(column.values) == known > _ID_ROWS:
        return NoFeature("has a different text in every row, as names and identifiers do"), ""
    if (
        not is_named
        and not is_asked
        and column.is_whole
        and len(column.values) == known == len(column.codes) > _ID_ROWS
    ):
        numbers = column.numbers()
        if numbers[-1] - numbers[0] == known - 1:
            return NoFeature("numbers the rows"), ""
    cutting = bins.get(column.name, "auto") if isinstance(bins, Mapping) else bins
    if column.kind != "number" and is_asked and cutting not in ("auto", "labels"):
        raise ClassifierError(f"bins: column {column.name!r} holds no numbers, so it is not cut")
    scale: Scale
    warning = ""
    if column.kind != "number" or _stay_labels(column, cutting, is_asked):
        scale, warning = _labels(column, training, bool(own))
    else:
        cuts = _cuts(column, training, cutting)
        if not cuts and not own:
            return NoFeature("has one value only in the rows trained on"), ""
        scale = Intervals(cuts, missing=len(cuts) + 1 if own else None)
    return Scaled(scale, positions(column, scale)), warning


def positions(column: Column, scale: Scale) -> NDArray[np.intp]:
    """Return the state of each row, -1 where it has none."""
    found = [scale.position(value) for value in column.values]
    table = np.array([-1 if at is None else at for at in (*found, scale.missing)], dtype=np.intp)
    return table[column.codes]  # a code of -1 takes the last


def _stay_labels(column: Column, cutting: Cutting, is_asked: bool) -> bool:
    """Return whether the numbers of a column are labels themselves."""
    if cutting == "labels":
        return True
    if not column.is_whole or (is_asked and cutting != "auto"):
        return False
    return len(column.values) <= (cutting if isinstance(cutting, int) else _FEW_VALUES)


def _cuts(column: Column, training: NDArray[Any], cutting: Cutting) -> list[float]:
    if not isinstance(cutting, int | str):
        return [float(cut) for cut in cutting]
    codes = column.codes[training]
    values = column.numbers()[codes[codes >= 0]]
    if not values.size:
        return []
    bins = cutting if isinstance(cutting, int) else usual_bins(values.size)
    return quantile_cuts(values, bins, column.is_whole)


def _labels(column: Column, training: NDArray[Any], own: bool) -> tuple[Labels, str]:
    """Return the labels of a column, rare ones as one where there are many, and a warning that says so."""
    size = len(column.values)
    kept, warning = list(range(size)), ""
    if size > MOST_LABELS:
        codes = column.codes[training]
        counts = np.bincount(codes[codes >= 0], minlength=size)
        often = np.argsort(-counts, kind="stable")[: MOST_LABELS - 1]
        kept = sorted(often.tolist())
        rare = size - len(kept)
        warning = f"column {column.name!r} has {size} labels: the {rare} rarest of them are one state"
        if column.kind == "text" and all(map(_reads_as_number, column.values)):
            warning += "; its texts read as numbers, which pd.to_numeric would make of them"
    values: list[tuple[Any, ...]] = [(column.values[at],) for at in kept]
    names = label_names(column.name, [column.values[at] for at in kept])
    other = None
    if len(kept) < size:
        other = len(names)
        left = set(kept)
        values.append(tuple(column.values[at] for at in range(size) if at not in left))
        names.append(_free(_OTHER, names))
    if own:
        values.append(())
        names.append(_free(_MISSING, names))
    return Labels(values, names=names, other=other, missing=len(names) - 1 if own else None), warning


def class_labels(column: Column) -> Labels:
    """Return the classes of a column, which keep their type."""
    many = len(column.values) > MOST_CLASSES
    if many or (len(column.values) > _FEW_VALUES and column.kind == "number" and not column.is_whole):
        found = f"column {column.name!r} has {len(column.values)} different values"
        raise ClassifierError(
            f"the target must be a few classes, but {found}; pd.cut makes classes of numbers"
        )
    if len(column.values) < 2:
        found = f"only the class {as_text(column.values[0])!r}" if column.values else "no class"
        raise ClassifierError(f"the target {column.name!r} has {found}; two at least are needed")
    return Labels([(value,) for value in column.values], names=label_names(column.name, column.values))


def label_names(column: str, values: Iterable[Any]) -> list[str]:
    """Return the texts of labels, which must differ; whole floats are written as whole numbers."""
    names: dict[str, Any] = {}
    for value in values:
        text = as_text(value)
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
            text = str(int(value))
        text = text or "(empty)"
        if text in names:
            raise ClassifierError(
                f"column {column!r} has the labels {names[text]!r} and {value!r}, which are both written "
                f"{text!r}; make them one"
            )
        names[text] = value
    return list(names)


def _free(name: str, names: Sequence[str]) -> str:
    while name in names:
        name = f"({name})"
    return name


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
