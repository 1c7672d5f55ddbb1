"""Scores from the reasons themselves: how often features occur in them, and how much each is responsible.

Both are read off the ZDD of all reasons, which need not be listed, where it is not too large. Otherwise, and
where nothing is compiled, reasons are listed while there is time, and what is left has bounds:

- The minimal sets of ``n`` features are at most ``n over n/2`` (Sperner 1928), which bounds how many reasons
  were not listed, if they could not be counted.
- A set that changes the decision with a feature, and not without it, has a minimal one among its subsets that
  has the feature; so the least responsible reason of a feature is the least such set (Chockler and Halpern
  2004), and no set of fewer features than the nearest change of it is one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from math import comb
from typing import NamedTuple

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checked
from bnc2d.errors import LimitExceeded, TimeLimitExceeded
from bnc2d.explain import listing
from bnc2d.explain.by_diagram.surroundings import Surroundings
from bnc2d.explain.case import Case
from bnc2d.explain.scores.numbers import Bounds
from bnc2d.logic.diagram.nearest import nearest
from bnc2d.logic.domain import FeatureId
from bnc2d.logic.primes.diagrams import BitDiagrams, Level, Node
from bnc2d.logic.terms import Clause, Term

_MOST_STEPS = 4_000_000  # of the ZDD, a few seconds and a gigabyte at most
_FAMILY_SHARE = 0.5  # of the time, for all reasons at once


class Found(NamedTuple):
    """For each feature a score, and bounds where not all are known; the number of reasons, where it is."""

    numbers: list[Fraction]
    bounds: list[Bounds] | None
    reasons: int | None


def occurrence(case: Case, budget: Budget, *, weighted: bool) -> Found:
    """Return the share of the sufficient reasons that have each feature; or what they share out."""
    if isinstance(case, Surroundings):
        with suppress(LimitExceeded), budget.share(_FAMILY_SHARE).limiting("the reasons are not counted"):
            return _from_family(case, weighted)
    listed = Counter[FeatureId]()
    shared: dict[FeatureId, Fraction] = {}
    count, complete = 0, True
    reasons = listing.reasons(Term, case, False, None, budget.left())
    for reason in reasons:
        if reason.unproved:  # it may be no reason
            complete = False
            continue
        count += 1
        listed.update(list(reason.masks))
        for feature in reason.masks:
            shared[feature] = shared.get(feature, Fraction(0)) + Fraction(1, len(reason.masks))
    complete = complete and reasons.complete
    size = len(case.domain)
    got = [shared.get(f, Fraction(0)) if weighted else Fraction(listed[f]) for f in range(size)]
    if complete:
        return Found([number / count for number in got], None, count)
    return _bounded(case, got, count, weighted)


def _bounded(case: Case, got: list[Fraction], count: int, weighted: bool) -> Found:
    """Return the shares among the reasons that were listed, with bounds for those among all."""
    critical: set[FeatureId] = set()
    with suppress(TimeLimitExceeded), Budget(1.0).limiting("the necessary features are not known"):
        critical = set(case.critical)
    free = sum(1 for f, n in enumerate(case.domain.cardinalities) if n > 1 and f not in case.fixed | critical)
    most = max(comb(free, free // 2), count)
    numbers, bounds = [], list[Bounds]()
    for feature, number in enumerate(got):
        if feature in case.fixed or case.domain.cardinalities[feature] == 1:
            low = high = Fraction(0)
        elif feature in critical and not weighted:
            low = high = Fraction(1)
        else:
            low, high = number / most, (number + most - count) / most
            if feature in critical:  # each reason has all that are critical
                high = min(high, Fraction(1, len(critical)))
                low = max(low, Fraction(1, len(critical) + free))
        share = number / count if count else (low + high) / 2
        numbers.append(min(max(share, low), high))
        bounds.append((low, high))
    return Found(numbers, bounds, None)


def _from_family(case: Surroundings, weighted: bool) -> Found:
    """Return the shares from the ZDD of all sufficient reasons."""
    diagrams, family = case.minimal_sets(_MOST_STEPS, clauses=False)
    counts, total = by_length(diagrams, family)
    critical = sorted(case.critical_masks)
    always = len(critical)

    def score(lengths: Sequence[int]) -> Fraction:
        """Return the score of a feature that so many sets of each length have."""
        sizes = enumerate(lengths, start=always)
        if not weighted:
            return Fraction(sum(lengths), sum(total))
        return sum((Fraction(n, size) for size, n in sizes if n), Fraction(0)) / sum(total)

    numbers = [Fraction(0)] * len(case.domain)
    for level, lengths in counts.items():
        numbers[case.around.features[level]] = score(lengths)
    for feature in critical:
        numbers[feature] = score(total)
    return Found(numbers, None, sum(total))


def by_length(diagrams: BitDiagrams, family: Node) -> tuple[dict[Level, list[int]], list[int]]:
    """Return how many sets of each length have each level, and how many there are.

    Numbers by length are digits of one large number: longer sets by one are a shift, and the sets with a
    level are products of those of the ways to its nodes and of those below them.
    """
    bits = diagrams.size(family).bit_length() + 1
    below = diagrams.fold(family, (0, 1), lambda _, low, high: low + (high << bits))
    ways: dict[Node, int] = {family: 1}
    found: dict[Level, int] = {}
    for node in checked(diagrams.below(family)[::-1]):
        level, low, high = diagrams.nodes[node]
        own = ways.pop(node)
        found[level] = found.get(level, 0) + (own * below[high] << bits)
        ways[low] = ways.get(low, 0) + own
        ways[high] = ways.get(high, 0) + (own << bits)
    return {level: _digits(number, bits) for level, number in found.items()}, _digits(below[family], bits)


def _digits(number: int, bits: int) -> list[int]:
    digits = []
    while number:
        digits.append(number & (1 << bits) - 1)
        number >>= bits
    return digits


def responsibility(case: Case, budget: Budget) -> Found:
    """Return 1 / the size of the smallest necessary reason with each feature; 0 where there is none."""
    if isinstance(case, Surroundings):
        with suppress(LimitExceeded), budget.share(_FAMILY_SHARE).limiting("the reasons are not found"):
            diagrams, family = case.minimal_sets(_MOST_STEPS, clauses=True)
            counts, _ = by_length(diagrams, family)
            sizes: dict[FeatureId, int] = dict.fromkeys(case.critical_masks, 1)
            for level, lengths in counts.items():
                sizes[case.around.features[level]] = next(n for n, count in enumerate(lengths) if count)
            return Found([_over(sizes.get(f)) for f in range(len(case.domain))], None, None)
    return _searched(case, budget)


def _searched(case: Case, budget: Budget) -> Found:
    """Return what searches and lists give while there is time."""
    size = len(case.domain)
    least = [1] * size  # no reason with the feature is smaller
    known: dict[FeatureId, int] = {}
    with suppress(TimeLimitExceeded), budget.share(_FAMILY_SHARE).limiting("changes are not known"):
        known = dict.fromkeys(case.critical, 1)
        least = [1 if feature in known else 2 for feature in range(size)]
        for feature in range(size):
            if feature not in known:
                least[feature] = _nearest_with(case, feature, known)
    sizes = case.domain.cardinalities
    none = {f for f in range(size) if f in case.fixed or sizes[f] == 1 or least[f] > size}
    open_to = {f for f in range(size) if f not in none}
    reasons = listing.reasons(Clause, case, False, None, budget.left())
    complete = True
    for reason in reasons:
        if reason.unproved:  # it may be none
            complete = False
            continue
        for feature in reason.masks:
            known[feature] = min(known.get(feature, size), len(reason.masks))
        if all(known.get(feature) == least[feature] for feature in open_to):
            break
    numbers = [_over(known.get(feature)) for feature in range(size)]
    if complete and reasons.complete:
        return Found(numbers, None, None)
    bounds: list[Bounds] = [(n, n if f in none else _over(least[f])) for f, n in enumerate(numbers)]
    settled = all(low == high for low, high in bounds)
    return Found(numbers, None if settled else bounds, None)


def _nearest_with(case: Case, feature: FeatureId, known: dict[FeatureId, int]) -> int:
    """Return the fewest changes, that of a feature among them, that change the decision; else infinity.

    Where the decision stays without that change, all others being made, they are a necessary reason.
    """
    if not isinstance(case, Surroundings):
        return 2
    never = len(case.domain) + 1
    if feature in case.fixed:
        return never
    best = never
    for state in case.own_first[feature][1:]:
        row = [*case.positions[:feature], state, *case.positions[feature + 1 :]]
        found = nearest(case.diagram, row, case.others, case.fixed | {feature})
        if found is None:
            continue
        changed = [f for f, own in enumerate(case.positions) if found[f] != own]
        if len(changed) < best:
            best = len(changed)
        if feature not in known or len(changed) < known[feature]:
            others = [f for f in changed if f != feature]
            held = case.fixed.union(set(range(len(case.domain))).difference(others))
            if nearest(case.diagram, case.positions, case.others, held) is None:
                known[feature] = len(changed)
    return best


def _over(size: int | None) -> Fraction:
    return Fraction(0) if size is None else Fraction(1, size)
