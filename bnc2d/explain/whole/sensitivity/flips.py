"""Where one instance leaves its decision while a number rises, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from bnc2d.model.decision import NO_CLASS, DecisionRule
from bnc2d.regions.pairs import pairs_of

# What each class weighs where the number is 0, and where it is 1; in between it is linear.
Weights: TypeAlias = Sequence[int]


class Flip(NamedTuple):
    """Where a decision ends: ``end`` is the last value with it if ``included``, the first without if not.

    The smaller of two comes first.
    """

    end: Fraction
    included: bool


def first_flip(rule: DecisionRule, label: int, low: Weights, high: Weights, start: Fraction) -> Flip | None:
    """Return where an instance that has ``label`` at ``start`` leaves it, at most at 1; None where it stays.

    ``low`` and ``high`` are what the classes weigh at 0 and at 1, thresholds taken into account. A class is
    kept while it falls behind no other, and each such comparison is of two linear functions.
    """
    if label == NO_CLASS:
        return _end_of_ties(low, high, start)
    found: Flip | None = None
    for _, other, behind_at_ties in _pairs(rule, label, len(low)):
        before, after = low[label] - low[other], high[label] - high[other]
        if after > 0 or (after == 0 and not behind_at_ties):
            continue  # kept at both ends, so everywhere between
        flip = Flip(Fraction(before, before - after), not behind_at_ties)
        found = flip if found is None else min(found, flip)
    return found


def _pairs(rule: DecisionRule, label: int, classes: int) -> list[tuple[int, int, bool]]:
    return [(pair.first, pair.second, pair.behind_at_ties) for pair in pairs_of(rule, label, classes)]


def _end_of_ties(low: Weights, high: Weights, start: Fraction) -> Flip | None:
    """Return where an instance in no class comes into one: where a single class is in front.

    Just after a value, those are in front that weigh most there and of these grow fastest. As long as they
    are several, they are equal until another overtakes them, and at that value there is a tie as well.
    """
    here = start
    while True:
        in_front = classes_just_after(low, high, here)
        if len(in_front) == 1:
            return Flip(here, True)
        first = in_front[0]
        overtaken = []
        for other in range(len(low)):
            before, after = low[first] - low[other], high[first] - high[other]
            if after < 0:
                overtaken.append(Fraction(before, before - after))
        if not overtaken:
            return None
        here = min(overtaken)


def weights_at(low: Weights, high: Weights, value: Fraction) -> list[int]:
    """Return what the classes weigh at a value, up to a positive factor."""
    share, rest = value.numerator, value.denominator - value.numerator
    return [rest * one + share * other for one, other in zip(low, high, strict=True)]


def classes_just_after(low: Weights, high: Weights, value: Fraction) -> list[int]:
    """Return the classes that weigh most just after a value, all that are equal there."""
    slopes = [other - one for one, other in zip(low, high, strict=True)]
    keys = list(zip(weights_at(low, high, value), slopes, strict=True))
    best = max(keys)
    return [label for label, key in enumerate(keys) if key == best]


def label_beyond(rule: DecisionRule, low: Weights, high: Weights, flip: Flip) -> int:
    """Return the decision where the one before has ended: at the end, or just after it."""
    if flip.included:
        in_front = classes_just_after(low, high, flip.end)
        return _chosen(rule, in_front)
    weights = weights_at(low, high, flip.end)
    best = max(weights)
    return _chosen(rule, [label for label, weight in enumerate(weights) if weight == best])


def _chosen(rule: DecisionRule, in_front: Sequence[int]) -> int:
    """Return the decision among classes that weigh the same."""
    if len(in_front) == 1:
        return in_front[0]
    if rule.threshold is not None:
        return 1 - rule.positive
    return in_front[0] if rule.ties == "lowest" else NO_CLASS
