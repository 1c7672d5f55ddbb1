"""Minimal sets of a function that can only be asked, against those that make it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d.logic.primes.dualise import Words, minimal_sets
from tests.cases import cases

SIZE = 9


@pytest.mark.parametrize("dual", [False, True])
@settings(max_examples=cases(16, 100))
@given(sets=st.lists(st.frozensets(st.integers(0, SIZE - 1)), max_size=12), others=st.integers(0, 2))
def test_all_of_them_and_each_once(sets: list[frozenset[int]], others: int, dual: bool) -> None:
    """Sets, of which one must be there; or all of which must be met."""

    def some(words: Words) -> Words:
        found = np.zeros(1, dtype=np.uint64)
        for members in sets:
            found |= np.bitwise_and.reduce(words[list(members)], initial=~np.uint64(0))
        return found

    def met(words: Words) -> Words:
        return ~some(~words)

    members = sorted(frozenset().union(*sets))[: SIZE - others]
    found = list(map(frozenset, minimal_sets(met if dual else some, members, SIZE)))
    assert len(set(found)) == len(found)
    within = [part for part in sets if part <= set(members)]
    if dual:
        expected = {frozenset[int]()}
        for part in sets:
            hit = {one | {member} for one in expected for member in part & set(members)}
            expected = {one for one in hit if not any(other < one for other in hit)}
    else:
        expected = {one for one in within if not any(other < one for other in within)}
    event(f"sets: {min(len(expected), 5)}")
    assert set(found) == expected
    again = minimal_sets(met if dual else some, members, SIZE)
    assert list(map(frozenset, again)) == found
