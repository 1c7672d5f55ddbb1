"""Random numbers by state, and what they say of an instance by definition."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

from bnc2d.logic.domain import Domain

Numbers = dict[str, dict[str, Fraction]]

# Zeros and pairs that cancel are likely.
NUMBERS = st.builds(Fraction, st.integers(-3, 3), st.sampled_from([1, 1, 2, 3, 10]))


@st.composite
def state_numbers(draw: st.DrawFn, domain: Domain) -> Numbers:
    """Numbers for some states of some features."""
    found: Numbers = {}
    for name, states in zip(domain.names, domain.states, strict=True):
        chosen = draw(st.lists(st.sampled_from(states), unique=True, max_size=len(states)))
        if chosen:
            found[name] = {state: draw(NUMBERS) for state in chosen}
    return found


def of_states(domain: Domain, numbers: Numbers, positions: Sequence[int], default: int) -> list[Fraction]:
    """Return the number of each state of an instance."""
    return [
        numbers.get(name, {}).get(states[position], Fraction(default))
        for name, states, position in zip(domain.names, domain.states, positions, strict=True)
    ]
