"""Comparisons of two classes, from which every decision follows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bnc2d.model.decision import DecisionRule


@dataclass(frozen=True)
class Pair:
    """Two classes by position; ``first`` falls behind where ``second`` weighs more, or as much if so said.

    What a class weighs at an instance is its joint probability times its weight.
    """

    first: int
    second: int
    behind_at_ties: bool


def class_weights(rule: DecisionRule, classes: int) -> list[Fraction]:
    """Return what the joint probability of each class is multiplied by before classes are compared."""
    return rule.weighted([Fraction(1)] * classes)


def pairs_of(rule: DecisionRule, label: int, classes: int) -> list[Pair]:
    """Return the comparisons of a class with all others: it is decided where it falls behind in none.

    An impossible instance, at which all classes weigh nothing, is decided by the same rule for ties.
    """
    if rule.threshold is not None:
        return [Pair(label, 1 - label, label == rule.positive)]
    return [
        Pair(label, other, rule.ties == "none" or other < label) for other in range(classes) if other != label
    ]
