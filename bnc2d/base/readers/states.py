"""How states are read: which of two states means true, and which state a value stands for."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from numbers import Real

import numpy as np

from bnc2d.base.readers.arguments import as_text
from bnc2d.base.scales import Intervals, scale_of
from bnc2d.errors import UnknownNameError, did_you_mean

_FALSE_TRUE = {
    ("0", "1"),
    ("absent", "present"),
    ("f", "t"),
    ("false", "true"),
    ("n", "y"),
    ("no", "yes"),
    ("off", "on"),
}
_MOST_SHOWN = 200


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


def find_state(states: Sequence[str], value: object) -> int | None:
    """Return the position of the state that a value stands for, or None where it stands for none.

    A text is the name of a state and nothing else. A bool is the state that reads as false or true, or is
    called so. A number is the state of its text, or where it is whole, of the whole number: ``1.0`` is the
    state ``"1.0"`` or else ``"1"``. States with a scale also stand for the values of their column: a number
    for the interval that it lies in, a label of any type for its state.

    >>> find_state(("no", "yes"), True), find_state(("0", "1"), 1.0), find_state(("0", "1"), "1.0")
    (1, 1, None)
    """
    scale = scale_of(states)
    if scale is not None and not (isinstance(value, str) and value in states):
        found = scale.position(value)
        if found is not None:
            return found
    if isinstance(value, bool | np.bool_):
        texts = [(false_true(states) or ("False", "True"))[int(value)]]
    else:
        texts = [as_text(value)]
        if isinstance(value, Real | Decimal):
            try:
                whole = int(value)  # type: ignore[arg-type] # every Real has one
                if whole == value:
                    texts += [str(whole)] if whole else [as_text(abs(value)), "0"]  # -0.0 is 0.0
            except (ArithmeticError, ValueError):  # infinite, no number, or of too many digits
                pass
    return next((states.index(text) for text in texts if text in states), None)


def state_position(name: str, states: Sequence[str], value: object) -> int:
    """Return the position of the state of a variable that a value stands for (see ``find_state``)."""
    position = find_state(states, value)
    if position is None:
        text = as_text(value)[:_MOST_SHOWN]
        if isinstance(scale_of(states), Intervals):
            expected = "expected a number or one of its intervals"
            raise UnknownNameError(
                f"{text!r} is no value of {name!r}: {expected}{did_you_mean(text, states)}"
            )
        raise UnknownNameError(f"variable {name!r} has no state {text!r}{did_you_mean(text, states)}")
    return position
