"""Rules about two instances, checked by questions about regions; nothing is compiled.

Two instances of a pair are equal but for the features that the rule names. So regions are split at the other
features only, and one is settled where no two of its decisions are forbidden together. Where some are, pairs
are looked for near where the decision changes; a small region is looked at instance by instance.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct_rows
from bnc2d.errors import LimitExceeded
from bnc2d.explain.whole.rules.boxes import boxes_of
from bnc2d.explain.whole.rules.claims import PairClaim
from bnc2d.explain.whole.rules.ratios import proved_by_ratios
from bnc2d.logic.circuit.manager import Manager
from bnc2d.logic.constraints.formula import build
from bnc2d.logic.constraints.reader import literal_node
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.from_circuits import diagram_of_circuit
from bnc2d.logic.domain import Domain, FeatureId
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import NO_CLASS, Labels
from bnc2d.model.inference import independent_parts
from bnc2d.regions.region import Region, first_instance, instances, parts, size
from bnc2d.regions.search import FEW_INSTANCES, Search

# Instances tried around one, and in all for one region.
_VARIANTS = 1 << 6
_TRIED = 1 << 11
# Ways to set the features of a rule, all others being as they are, that are compared with each other.
_MOST_TOGETHER = 1 << 12


def find_pair_in_regions(
    classifier: BaseClassifier,
    domain: Domain,
    search: Search,
    claim: PairClaim,
    budget: Budget,
    settle: Callable[[float], None],
) -> tuple[list[int], ...]:
    """Return two instances that break a claim, nothing where none do; ``settle`` hears of the progress."""
    deciding = _deciding(classifier)
    groups = [claim.features]
    # Where every instance counts, raising several features, or by several states, is a chain of single steps.
    labels = len(classifier.classes) + classifier.rule.leaves_ties
    is_chain = claim.condition is None and bool(claim.matters[:labels].all())
    if claim.change == "one" or (claim.change == "up" and is_chain):
        groups = [(feature,) for feature in claim.features]
    groups = [
        group
        for group in groups
        if claim.forbidden.any() and not proved_by_ratios(classifier, claim, deciding.intersection(group))
    ]
    for done, group in enumerate(groups):
        pairs = _PairSearch(classifier, domain, search, claim, group, deciding, budget)
        for share in pairs.settling():
            settle((done + share) / len(groups))
        if pairs.found is not None:
            return pairs.found
    return ()


def _deciding(classifier: BaseClassifier) -> set[FeatureId]:
    """Return the features that decisions can depend on: the others do not separate them from the target.

    They are in the target's part of the network, or in one whose zeros make instances impossible.
    """
    own, *others = independent_parts(classifier.network, classifier.target, classifier.features)
    tables = [*own, *(cpt for part in others if any(0 in one.exact for one in part) for cpt in part)]
    names = {variable.name for cpt in tables for variable in cpt.scope}
    features = enumerate(classifier.feature_variables)
    return {at for at, feature in features if feature.name in names and len(feature) > 1}


class _PairSearch:
    """Looks for two instances that differ in the features of one ``group``, both in the condition."""

    def __init__(
        self,
        classifier: BaseClassifier,
        domain: Domain,
        search: Search,
        claim: PairClaim,
        group: tuple[FeatureId, ...],
        deciding: set[FeatureId],
        budget: Budget,
    ) -> None:
        self.found: tuple[list[int], list[int]] | None = None
        self._classifier = classifier
        self._search = search
        self._claim = claim
        self._group = list(group)
        self._condition = _condition_diagram(domain, claim, budget)
        mentioned = {domain.index(name) for name in self._condition.features}
        # What neither decides nor is in the condition has one state: nothing depends on it.
        needed = [at in deciding or at in mentioned for at in range(len(domain))]
        self._boxes = [
            [allowed if keep else allowed[:1] for allowed, keep in zip(box.region, needed, strict=True)]
            for box in boxes_of(self._condition, len(domain))
        ]
        # The smallest region that holds all boxes; empty where there are none.
        self._whole: Region = [
            np.array(sorted({state for box in self._boxes for state in box[at].tolist()}), dtype=np.intp)
            for at in range(len(domain))
        ]
        self._no_class = len(classifier.classes)
        self._all_labels = set(range(self._no_class + classifier.rule.leaves_ties))
        self._conflicts = claim.forbidden | claim.forbidden.T

    def settling(self) -> Iterator[float]:
        """Yield the share of all that is settled, from time to time; ``found`` is the pair at the end."""
        whole, settled = size(self._whole), 0
        can_differ = any(len(self._whole[at]) > 1 for at in self._group)
        left = [self._whole] if can_differ else []
        while left:
            checkpoint()
            region = left.pop()
            if size(region) <= FEW_INSTANCES:
                self.found = self._pair_among(instances(region))
                smaller: list[Region] = []
            else:
                smaller = self._asked(region)
            if self.found is not None:
                return
            if smaller:
                left += smaller
            else:
                settled += size(region)
                yield float(Fraction(settled, whole))

    def _asked(self, region: Region) -> list[Region]:
        """Return the regions to ask about in place of one that is not settled, and none where it is.

        A pair that is met becomes ``found``.
        """
        two = self._conflict(region)
        if two is None:
            return []
        self.found = self._pair_near(region, *two)
        if self.found is not None:
            return []
        others = [at for at, allowed in enumerate(region) if len(allowed) > 1 and at not in self._group]
        if not others:
            if size(region) > _MOST_TOGETHER:
                ways = "ways to raise the features of the rule together"
                raise LimitExceeded(f"more than {_MOST_TOGETHER} {ways}; name fewer, or compile")
            self.found = self._pair_among(instances(region))
            return []
        return parts(region, self._splitting(two, others))

    def _conflict(self, region: Region) -> tuple[list[int], list[int]] | None:
        """Return two instances whose decisions are forbidden together, or None where there are no such two.

        Both satisfy the condition. Labels are asked for until no two that are possible conflict.
        """
        boxes = [box for box in (_common(region, box) for box in self._boxes) if box is not None]
        if not boxes:
            return None
        first = first_instance(boxes[0])
        seen = {self._label(first): first}
        possible = set(self._all_labels)
        while True:
            rivals = {label for label in possible if self._conflicts[label, list(seen)].any()}
            found = self._find(boxes, rivals)
            if found is not None:
                label = self._label(found)
                return next(row for old, row in seen.items() if self._conflicts[label, old]), found
            possible -= rivals
            open_labels = [
                label for label in possible - seen.keys() if self._conflicts[label, list(possible)].any()
            ]
            if not open_labels:
                return None
            found = self._find(boxes, {open_labels[0]})
            if found is None:
                possible.remove(open_labels[0])
            else:
                seen[open_labels[0]] = found

    def _find(self, boxes: Sequence[Region], labels: set[int]) -> list[int] | None:
        wanted = [NO_CLASS if label == self._no_class else label for label in sorted(labels)]
        if not wanted:
            return None
        found = (self._search.find(box, wanted) for box in boxes)
        return next((instance for instance in found if instance is not None), None)

    def _labels(self, rows: Rows) -> Labels:
        labels = self._classifier.labels(rows)
        return np.where(labels == NO_CLASS, self._no_class, labels)

    def _label(self, row: Sequence[int]) -> int:
        return int(self._labels(np.array([row], dtype=np.intp))[0])

    def _pair_near(
        self, region: Region, one: list[int], other: list[int]
    ) -> tuple[list[int], list[int]] | None:
        """Return a pair among instances on the way from one instance to another, with the group changed."""
        ways = self._ways(region, one, other)
        rows = []
        for base in self._way(one, other):
            rows += [self._with_group(base, way) for way in ways]
        return self._pair_among(np.array(rows[:_TRIED], dtype=np.intp))

    def _ways(self, region: Region, one: Sequence[int], other: Sequence[int]) -> list[list[int]]:
        """Return ways to set the group: all where these are few, else single changes of the two."""
        free = [region[at] for at in self._group]
        if prod(map(len, free)) <= _VARIANTS:
            return [[int(state) for state in row] for row in instances(free)]
        both = [[row[at] for at in self._group] for row in (one, other)]
        found = list(both)
        for own in both:
            for place, allowed in enumerate(free):
                found += [[*own[:place], int(state), *own[place + 1 :]] for state in allowed]
        return found[:_VARIANTS]

    def _with_group(self, base: Sequence[int], way: Sequence[int]) -> list[int]:
        row = list(base)
        for at, state in zip(self._group, way, strict=True):
            row[at] = state
        return row

    def _way(self, one: list[int], other: list[int]) -> list[list[int]]:
        """Return the instances from one to the other, a feature at a time, but for the group."""
        rows = [list(one)]
        for at, state in enumerate(other):
            if at not in self._group and rows[-1][at] != state:
                rows.append([*rows[-1][:at], state, *rows[-1][at + 1 :]])
        return rows

    def _splitting(self, two: tuple[list[int], list[int]], others: Sequence[FeatureId]) -> FeatureId:
        """Return the feature to split at: where the decision changes on the way between two instances."""
        way = self._way(*two)
        labels = self._labels(np.array(way, dtype=np.intp))
        for place in range(1, len(way)):
            if labels[place] != labels[0]:
                return next(at for at in others if way[place][at] != way[place - 1][at])
        return next((at for at in others if two[0][at] != two[1][at]), others[0])

    def _pair_among(self, rows: Rows) -> tuple[list[int], list[int]] | None:
        """Return two of some instances that are a pair and break the claim."""
        rows = rows[self._condition.labels(rows) == 1]
        if not len(rows):
            return None
        labels = self._labels(rows)
        alike, _ = distinct_rows(np.delete(rows, self._group, axis=1).astype(np.int64))
        order = np.argsort(alike, kind="stable")
        ends = np.flatnonzero(np.diff(alike[order])) + 1
        for members in np.split(order, ends):
            own = labels[members]
            if (own != own[0]).any():
                broken = self._claim.forbidden[np.ix_(own, own)] & self._related(rows[members])
                if broken.any():
                    first, second = np.argwhere(broken)[0]
                    return rows[members[first]].tolist(), rows[members[second]].tolist()
        return None

    def _related(self, rows: Rows) -> NDArray[np.bool_]:
        """Return ``[first, second]`` whether instances with equal states outside the group are a pair."""
        found = np.ones((len(rows), len(rows)), dtype=bool)
        if self._claim.change == "up":
            for at in self._group:
                found &= rows[:, None, at] <= rows[None, :, at]
        return found


def _condition_diagram(domain: Domain, claim: PairClaim, budget: Budget) -> Diagram:
    manager = Manager(domain)
    root = manager.add_and([])
    if claim.condition is not None:
        root = build(claim.condition, manager, partial(literal_node, manager))
    return diagram_of_circuit(manager, root, range(len(domain)), budget.progress)


def _common(one: Region, other: Region) -> Region | None:
    """Return the instances of two regions, or None where there are none."""
    found = [
        np.array([state for state in states.tolist() if state in others], dtype=np.intp)
        for states, others in zip(one, other, strict=True)
    ]
    return found if all(map(len, found)) else None
