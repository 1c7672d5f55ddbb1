"""How states read: which of two states means true."""

from __future__ import annotations

from collections.abc import Sequence

_FALSE_TRUE = {
    ("0", "1"),
    ("absent", "present"),
    ("f", "t"),
    ("false", "true"),
    ("n", "y"),
    ("no", "yes"),
    ("off", "on"),
}


def false_true(states: Sequence[str]) -> tuple[str, str] | None:
    """Return the states that read as false and true, or None where they do not read so.

    >>> false_true(("yes", "no"))
    ('no', 'yes')
    >>> false_true(("Low", "High")) is None
    True
    """
    if len(states) != 2:
        return None
    first, second = states
    if (first.lower(), second.lower()) in _FALSE_TRUE:
        return first, second
    if (second.lower(), first.lower()) in _FALSE_TRUE:
        return second, first
    return None
