"""What the columns of a data frame hold: numbers, labels, or what no classifier can be trained on."""

from __future__ import annotations

import datetime
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.readers.arguments import as_text, items, named, shown
from bnc2d.base.readers.missing import is_missing
from bnc2d.errors import ClassifierError, InstanceError, MissingExtraError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd

# Of a value, and of a whole column.
Kind: TypeAlias = Literal["number", "bool", "text", "date", "other"]

_KIND_WORDS = {"number": "a number", "bool": "a bool", "text": "a text", "date": "a date"}
_DATES = (datetime.date, datetime.time, datetime.timedelta, np.datetime64, np.timedelta64)


@dataclass(frozen=True)
class Column:
    """A column: its different values in order, and for each row the position of its value, -1 for none.

    ``numbers`` are the values as floats, where all are numbers. ``ordered`` says that the order is that of
    the column's own categories.
    """

    name: str
    kind: Kind
    values: tuple[Any, ...]
    codes: NDArray[np.intp]
    ordered: bool = False

    @property
    def has_missing(self) -> bool:
        """Whether a row has no value."""
        return bool((self.codes < 0).any())

    @property
    def is_whole(self) -> bool:
        """Whether all values are whole numbers."""
        return self.kind == "number" and all(float(value).is_integer() for value in self.values)

    def numbers(self) -> NDArray[np.float64]:
        """Return the different values as floats."""
        return np.array([float(value) for value in self.values], dtype=np.float64)

    def only(self, rows: NDArray[Any]) -> Column:
        """Return the column of some rows; values that none of them has are gone."""
        codes = self.codes[rows]
        kept = np.unique(codes[codes >= 0])
        table = np.full(len(self.values) + 1, -1, dtype=np.intp)  # the last stands for none
        table[kept] = np.arange(len(kept))
        return Column(self.name, self.kind, tuple(self.values[at] for at in kept), table[codes], self.ordered)


def check_frame(frame: object) -> pd.DataFrame:
    """Return the frame, with rows and with columns that a classifier can name."""
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtraError("pandas", "data") from None
    if not isinstance(frame, pd.DataFrame):
        other = "; its to_pandas() makes one" if hasattr(frame, "to_pandas") else ""
        raise InstanceError(f"from_data takes a pandas DataFrame, not {shown(frame)}{other}")
    for name in frame.columns:
        if not isinstance(name, str) or not name:
            remedy = "frame.columns = [str(name) for name in frame.columns] names them so"
            raise InstanceError(f"columns must be named by texts, not by {named(name)}; {remedy}")
    repeated = frame.columns[frame.columns.duplicated()]
    if len(repeated):
        raise InstanceError(f"the data frame has more than one column {str(repeated[0])!r}")
    if not len(frame):
        raise InstanceError("the data frame has no rows")
    return frame


def find_column(frame: pd.DataFrame, name: object, what: str) -> str:
    """Return the name of a column that must be there."""
    columns = list(frame.columns)
    if not isinstance(name, str) or name not in columns:
        raise UnknownNameError(
            f"{what}: the data frame has no column {named(name)}{did_you_mean(name, columns)}"
        )
    return name


def feature_names(frame: pd.DataFrame, target: str, features: Iterable[str] | None) -> list[str]:
    """Return the columns that are wanted as features: those named, or all but the target."""
    if features is None:
        chosen = [name for name in frame.columns if name != target]
    else:
        if isinstance(features, str):
            raise ClassifierError(f"features must be a list of columns, not the text {features!r}")
        wanted = items(features, "features", "a list of columns", ClassifierError)
        chosen = [find_column(frame, name, "features") for name in wanted]
    if not chosen:
        raise ClassifierError("there is no column for a feature besides the target")
    if target in chosen:
        raise ClassifierError(f"the target {target!r} is among the features; remove it there")
    for name in chosen:
        if chosen.count(name) > 1:
            raise ClassifierError(f"the feature {name!r} is listed twice")
    return chosen


def read_column(frame: pd.DataFrame, name: str) -> Column:
    """Return what a column holds; dates, infinite numbers, lists and mixtures are errors that say so."""
    import pandas as pd

    series = frame[name]
    if getattr(series, "ndim", 1) != 1:
        raise InstanceError(f"the data frame has more than one column {name!r}")
    if series.dtype.kind in "mM" or isinstance(series.dtype, pd.PeriodDtype | pd.DatetimeTZDtype):
        raise _no_dates(name, str(series.dtype))
    if series.dtype.kind == "c":
        raise ClassifierError(f"column {name!r} holds complex numbers, which have no order")
    checkpoint()
    categories = list(series.cat.categories) if isinstance(series.dtype, pd.CategoricalDtype) else None
    if categories is not None:
        raw, found = np.asarray(series.cat.codes, dtype=np.intp), categories
    else:
        distinct: Any
        try:
            factors, distinct = pd.factorize(series)
        except OverflowError:  # pandas before 3 tries to make floats of long integers
            factors, distinct = pd.factorize(series.to_numpy(dtype=object))
        except TypeError:  # what no dict can hold
            raise _foreign(name, next(one for one in series if not isinstance(one, Hashable))) from None
        raw, found = np.asarray(factors, dtype=np.intp), list(distinct)
    return _column(name, raw, [_plain(value) for value in found], categories is not None)


def _column(name: str, raw: NDArray[np.intp], found: list[Any], ordered: bool) -> Column:
    """Return the column with its values in order; ``raw`` are positions among those found."""
    present = set(np.unique(raw).tolist())
    kept = [at for at, value in enumerate(found) if at in present and not is_missing(value)]
    kind = _common_kind(name, [found[at] for at in kept])
    if not ordered:
        kept.sort(key=lambda at: found[at])
    table = np.full(len(found) + 1, -1, dtype=np.intp)  # the last stands for none
    table[kept] = np.arange(len(kept))
    return Column(name, kind, tuple(found[at] for at in kept), table[raw], ordered)


def _common_kind(name: str, values: Sequence[Any]) -> Kind:
    """Return what all values are, which must be one thing."""
    first: dict[Kind, Any] = {}
    for value in values:
        first.setdefault(_kind(value), value)
    if "date" in first:
        raise _no_dates(name, type(first["date"]).__name__)
    if "other" in first:
        raise _foreign(name, first["other"])
    if len(first) > 1:
        (one, value), (other, second) = list(first.items())[:2]
        raise ClassifierError(
            f"column {name!r} mixes {_KIND_WORDS[one]} ({as_text(value)[:40]}) with {_KIND_WORDS[other]} "
            f"({as_text(second)[:40]!r}); frame[{name!r}].astype(str) makes labels of all, "
            "pd.to_numeric(…, errors='coerce') numbers"
        )
    kind: Kind = next(iter(first), "text")
    if kind == "number":
        _check_finite(name, values)
    return kind


def _check_finite(name: str, values: Sequence[Any]) -> None:
    for value in values:
        try:
            is_finite = abs(float(value)) < inf
        except OverflowError:
            is_finite = False
        if not is_finite:
            remedy = "replace it, by NaN where it is not known"
            raise ClassifierError(f"column {name!r} holds {as_text(value)[:40]}, no finite number; {remedy}")


def _kind(value: object) -> Kind:
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, Real | Decimal):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, _DATES) or type(value).__name__ == "Period":
        return "date"
    # Intervals of pandas.cut are labels that sort by their bounds.
    return "text" if type(value).__name__ == "Interval" else "other"


def _plain(value: object) -> object:
    """Return a number or text of numpy as Python's own."""
    return value.item() if isinstance(value, np.generic) and value.dtype.kind not in "mM" else value


def _no_dates(name: str, found: str) -> ClassifierError:
    remedy = f"make a number of it, as frame[{name!r}].dt.year, or leave it out of features="
    return ClassifierError(
        f"column {name!r} holds dates ({found}), which are no classes or numbers; {remedy}"
    )


def _foreign(name: str, value: object) -> ClassifierError:
    expected = "numbers, bools or texts are needed"
    return ClassifierError(f"column {name!r} holds {shown(value)}; {expected}")
