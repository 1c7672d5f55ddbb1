"""How people write that a value is not known."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real

# In place of the position of a state: the feature is missing.
MISSING = -1
UNKNOWN = "?"


def is_missing(value: object) -> bool:
    """Return whether a value says that the state is unknown: None, NaN, pandas' NA and NaT, the text ``?``.

    Whoever asks has looked first whether there is a state of that name.

    >>> is_missing(None), is_missing(float("nan")), is_missing("?"), is_missing("")
    (True, True, True, False)
    """
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, Real):
        return bool(value != value)
    if isinstance(value, str):
        return value == UNKNOWN
    of_pandas = type(value).__module__.startswith("pandas.") and type(value).__name__ in ("NAType", "NaTType")
    return value is None or of_pandas
