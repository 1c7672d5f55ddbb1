"""What callers hand in, checked at the door: one function for each kind of argument.

Each returns the argument in the form that the code inside works with, or raises an error that names the
parameter, what it takes, and the value with its type. So nothing foreign gets far enough inside for Python to
complain in words of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from math import inf
from numbers import Real
from operator import index
from typing import Any, TypeAlias, TypeVar

from bnc2d.errors import ArgumentError, Bnc2dError

Class = TypeVar("Class")
ErrorClass: TypeAlias = type[Bnc2dError]

_MOST_SECONDS = 1e9  # 30 years; clocks and processes take no more
_SHOWN = 60
_LONG = 1000


def wrong(name: str, value: object, expected: str, error: ErrorClass = ArgumentError) -> Bnc2dError:
    """Return (not raise) the error that says what a parameter takes and what it was given.

    >>> print(wrong("time_limit", "1 s", "a number of seconds"))
    time_limit must be a number of seconds, not str '1 s'
    """
    return error(f"{name} must be {expected}, not {shown(value)}")


def shown(value: object) -> str:
    """Return the type of a value and the value on one short line, whatever its repr does."""
    return "None" if value is None else f"{type(value).__name__} {_short(value)}".rstrip()


def named(value: object) -> str:
    """Return a name as messages quote it; what is no text is shown with its type."""
    if value is None or isinstance(value, str):
        return repr(value)[:_LONG]
    return f"{_short(value)} ({type(value).__name__})"


def _short(value: object) -> str:
    try:
        text = " ".join(repr(value).split())
    except Exception:  # a foreign repr, or an integer of too many digits
        return ""
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def as_text(value: object) -> str:
    """Return ``str(value)``, or the type of what has no text (an integer of too many digits, say)."""
    try:
        return str(value)
    except Exception:  # whatever a foreign __str__ raises
        return f"a value of type {type(value).__name__}"


def seconds(value: object, error: ErrorClass = ArgumentError) -> float | None:
    """Return a time limit in seconds, from 0 on; None, no limit, stays None.

    >>> seconds(None), seconds(2)
    (None, 2.0)
    """
    return None if value is None else finite_seconds(value, ", or None for no limit", error)


def finite_seconds(value: object, besides: str = "", error: ErrorClass = ArgumentError) -> float:
    """Return a time limit where there must be one."""
    number = -inf
    if isinstance(value, Real | Decimal) and not isinstance(value, bool):
        try:
            number = float(value)
        except (ArithmeticError, ValueError):  # too large, or a signalling nan
            number = inf
    if not 0 <= number <= _MOST_SECONDS:  # also false for nan
        raise wrong("time_limit", value, f"a number of seconds from 0 to 1e9{besides}", error)
    return number


def count(
    value: object, name: str, *, least: int = 0, most: float = inf, error: ErrorClass = ArgumentError
) -> int:
    """Return a whole number from ``least`` to ``most``; True and 2.0 are none.

    >>> count(3, "limit")
    3
    """
    try:
        number = None if isinstance(value, bool) else index(value)  # type: ignore[arg-type]
    except TypeError:
        number = None
    if number is None:
        raise wrong(name, value, "a whole number", error)
    if number < least:
        bound = "not be negative" if least == 0 else f"be at least {least}"
        raise error(f"{name} must {bound}, but is {as_text(number)[:_SHOWN]}")
    if number > most:
        raise error(f"{name} must be at most {most}, but is {as_text(number)[:_SHOWN]}")
    return number


def limit(value: object, error: ErrorClass = ArgumentError) -> int | None:
    """Return the most things to list; None, all of them, stays None."""
    return None if value is None else min(count(value, "limit", error=error), sys.maxsize)


def size_in_bytes(value: object, name: str) -> int:
    """Return a number of bytes, which may be written as a float (4e9)."""
    whole = int(value) if isinstance(value, float) and 0 <= value < inf else value
    return min(count(whole, name), sys.maxsize - 1)  # so that there can be a byte too many


def flag(value: object, name: str) -> bool:
    """Return True or False; nothing else is read as one, since "False" would be true."""
    of_numpy = type(value).__module__ == "numpy" and type(value).__name__ in ("bool", "bool_")
    if not of_numpy and not isinstance(value, bool):
        raise wrong(name, value, "True or False")
    return bool(value)


def path_name(value: object) -> str:
    """Return the name of a file, from a text or a ``pathlib.Path``."""
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if not isinstance(text, str):
        raise wrong("path", value, "the name of a file, as text or pathlib.Path")
    return text


def items(value: object, name: str, expected: str, error: ErrorClass = ArgumentError) -> list[Any]:
    """Return what an iterable gives, as a list; a text is none."""
    try:
        if not isinstance(value, str | bytes) and isinstance(value, Iterable):
            return list(value)
    except TypeError:  # a numpy array without axes
        pass
    raise wrong(name, value, expected, error)


def names(value: object, name: str) -> list[Any]:
    """Return a list of names; one name stands for itself. Whether they exist is seen where they are used."""
    return [value] if isinstance(value, str) else items(value, name, "a name or a list of names")


def mapping(value: object, name: str, expected: str, error: ErrorClass = ArgumentError) -> Mapping[Any, Any]:
    """Return a mapping."""
    if not isinstance(value, Mapping):
        raise wrong(name, value, expected, error)
    return value


def instance_of(wanted: type[Class], value: object, name: str, remedy: str = "") -> Class:
    """Return a value that is of the right class."""
    if not isinstance(value, wanted):
        called = wanted.__name__.removeprefix("Base")  # as users know the class
        article = "an" if called == "NNF" or called[0] in "AEIOU" else "a"
        raise ArgumentError(f"{name} must be {article} {called}, not {shown(value)}{remedy}")
    return value


def one_of(value: object, allowed: Sequence[str], name: str, error: ErrorClass = ArgumentError) -> None:
    """Refuse what is none of the texts that are allowed."""
    if not isinstance(value, str) or value not in allowed:
        raise wrong(name, value, " or ".join(map(repr, allowed)), error)


def one_row(value: object, wanted: Iterable[str], error: ErrorClass) -> Mapping[str, object]:
    """Return one instance, a mapping from feature to state; of a pandas Series what is wanted of it."""
    if isinstance(value, Mapping):
        return value
    if not is_series(value):
        raise wrong("an instance", value, "a mapping from feature to state", error)
    series: Any = value
    if not series.index.is_unique:
        raise error("the Series has two entries of one name, so it is not one instance")
    return {name: series[name] for name in wanted if name in series.index}


def is_series(value: object) -> bool:
    """Tell a pandas Series without importing pandas."""
    return hasattr(value, "to_frame") and hasattr(value, "index") and not isinstance(value, type)


def check_executor(value: object) -> None:
    """Refuse what cannot be given work as the executors of ``concurrent.futures`` can."""
    if value is not None and not callable(getattr(value, "submit", None)):
        raise wrong("executor", value, "an executor of the kind of concurrent.futures, or None")
