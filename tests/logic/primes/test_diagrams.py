"""Diagrams of monotone functions and of families of sets, against lists of all sets."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d.errors import LimitExceeded
from bnc2d.logic.primes.diagrams import BitDiagrams, Node, TooLarge
from tests.cases import cases

Sets = list[frozenset[int]]

LEVELS = 6
EVERY = [frozenset(part) for size in range(LEVELS + 1) for part in combinations(range(LEVELS), size)]
CODES = [1 << level for level in range(LEVELS)]
families: st.SearchStrategy[Sets] = st.lists(st.frozensets(st.integers(0, LEVELS - 1)), max_size=8)


def function(diagrams: BitDiagrams, sets: Sets) -> Node:
    """The BDD of "one of these sets is there"."""
    bits = [[diagrams.choice(level, 0, 1) for level in members] for members in sets]
    return diagrams.join(True, [diagrams.join(False, members) for members in bits])


def true(diagrams: BitDiagrams, node: Node) -> set[frozenset[int]]:
    """The sets for which a BDD is true."""
    found = set()
    for members in EVERY:
        at = node
        while at > 1:
            level, low, high = diagrams.nodes[at]
            at = high if level in members else low
        if at:
            found.add(members)
    return found


def listed(diagrams: BitDiagrams, family: Node) -> Sets:
    """The sets of a ZDD as they come."""
    return [
        frozenset(level for level in range(LEVELS) if code >> level & 1)
        for of_one_length in diagrams.sets(family, CODES)
        for code in of_one_length
    ]


def minimal(sets: Sets) -> set[frozenset[int]]:
    return {one for one in sets if not any(other < one for other in sets)}


@settings(max_examples=cases(14, 60))
@given(sets=families)
def test_minimal_sets_of_a_diagram(sets: Sets) -> None:
    diagrams = BitDiagrams(LEVELS)
    made = function(diagrams, sets)
    expected = minimal(sets)
    family = diagrams.minimal(made)
    assert diagrams.size(family) == len(expected)
    assert diagrams.levels(family) == diagrams.levels(made) == frozenset().union(*expected)
    found = listed(diagrams, family)
    assert len(found) == len(expected)
    assert set(found) == expected
    assert [len(members) for members in found] == sorted(map(len, expected))
    weights = [2, 3, 5, 7, 11, 13]
    if sets:
        least = diagrams.lightest(made, weights)
        assert frozenset(least) in expected
        assert sum(weights[m] for m in least) == min(sum(weights[m] for m in s) for s in expected)
    diagrams.forget()
    assert set(listed(diagrams, family)) == expected


@settings(max_examples=cases(14, 60))
@given(ones=families, others=families)
def test_joins_and_what_falsifies(ones: Sets, others: Sets) -> None:
    diagrams = BitDiagrams(LEVELS)
    one, other = function(diagrams, ones), function(diagrams, others)
    ones_true, others_true = true(diagrams, one), true(diagrams, other)
    assert ones_true == {members for members in EVERY if any(part <= members for part in ones)}
    both, either = diagrams.join(False, (one, other)), diagrams.join(True, (one, other))
    assert true(diagrams, both) == ones_true & others_true
    assert true(diagrams, either) == ones_true | others_true
    assert (both == either) == (ones_true == others_true)
    others_copied = BitDiagrams(LEVELS)
    assert true(others_copied, others_copied.copy(diagrams, other)) == others_true
    dual = others_copied.copy(diagrams, other, dual=True)
    everything = frozenset(range(LEVELS))
    assert true(others_copied, dual) == {m for m in EVERY if everything - m not in others_true}
    left = diagrams.falsify(diagrams.minimal(one), other)
    event(f"left: {min(diagrams.size(left), 3)}")
    assert set(listed(diagrams, left)) == minimal(ones) - others_true


def test_steps_are_bounded_and_the_same_every_time() -> None:
    pairs = [frozenset((level, level + 8)) for level in range(8)]  # an order in which the BDD is large
    taken = []
    for _ in range(2):
        diagrams = BitDiagrams(16)
        diagrams.minimal(function(diagrams, pairs))
        taken.append(diagrams.steps)
        diagrams.refuse_above(diagrams.steps)
        with pytest.raises(TooLarge):
            diagrams.refuse_above(diagrams.steps - 1)
    assert taken[0] == taken[1] > 2**8
    few = BitDiagrams(16, taken[0] - 1)
    made = function(few, pairs)
    with pytest.raises(TooLarge, match=f"more than {taken[0] - 1} steps"):
        few.minimal(made)
    enough = BitDiagrams(16, taken[0])
    assert enough.size(enough.minimal(function(enough, pairs))) == 8


def test_too_many_levels_are_refused() -> None:
    with pytest.raises(LimitExceeded, match="500 levels"):
        BitDiagrams(500)
