"""A discrete random variable."""

from __future__ import annotations

from dataclasses import dataclass

from bnc2d.base.readers.arguments import as_text, items, shown
from bnc2d.base.readers.states import state_position
from bnc2d.base.scales import States
from bnc2d.errors import NetworkError


@dataclass(frozen=True, slots=True)
class Variable:
    """A name and its states, in the order of the file; the order breaks ties between classes.

    States that were made from a column of data carry its scale (``States``): then whatever takes a state also
    takes a value of the column.

    Raises ``NetworkError`` when the name or a state is empty or not a string, or a state is repeated.
    """

    name: str
    states: tuple[str, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise NetworkError(f"a variable's name must be a non-empty string, not {shown(self.name)}")
        states = items(self.states, f"the states of {self.name!r}", "a list of names", NetworkError)
        if not isinstance(self.states, States):
            object.__setattr__(self, "states", tuple(states))
        if not self.states:
            raise NetworkError(f"variable {self.name!r} has no states")
        seen: set[str] = set()
        for state in self.states:
            if not isinstance(state, str) or not state:
                raise NetworkError(
                    f"variable {self.name!r}: a state must be a non-empty string, "
                    f"not {as_text(state) or repr(state)} ({type(state).__name__})"
                )
            if state in seen:
                raise NetworkError(f"variable {self.name!r} has the state {state!r} twice")
            seen.add(state)

    def __str__(self) -> str:
        return self.name

    def __len__(self) -> int:
        return len(self.states)

    def index(self, state: object) -> int:
        """Return the position of ``state``, which may be a name, or a number or bool that reads as one.

        >>> Variable("X", ("0", "1")).index(True)
        1
        """
        return state_position(self.name, self.states, state)
