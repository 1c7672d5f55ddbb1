"""General reasons over the features of a reason: literals as weak, or as strong, as they can be together.

Over the features of a sufficient reason, a general one is a largest box of states around the instance in
which the label stays, whatever the other features are. Over those of a necessary reason it is the complement
of a largest box of other states that all change the label, the other features being as in the instance. A
box is given by the groups of states that it excludes, so that largest boxes are the minimal sets of a
monotone function, which is read off the diagram (``bnc2d.logic.primes.neighbourhood``).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property

from bnc2d.base.budget import Budget
from bnc2d.explain.by_diagram import feature_sets
from bnc2d.explain.by_diagram.single import widest
from bnc2d.explain.by_diagram.surroundings import Surroundings
from bnc2d.explain.case import Masks
from bnc2d.logic.diagram.nearest import nearest
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.primes.diagrams import MOST_STEPS, BitDiagrams, Level, Node, TooLarge
from bnc2d.logic.primes.neighbourhood import Neighbourhood


class Exclusions:
    """The largest boxes in a neighbourhood in which the label stays, as a ZDD of what they exclude.

    Every group of states of the ``boxed`` features has a bit, but the instance's own where ``own`` says that
    boxes hold the instance. Boxed features that are also ``optional`` have a bit themselves, which is present
    where a group of theirs is excluded.
    """

    def __init__(
        self,
        around: Neighbourhood,
        boxed: Collection[FeatureId],
        optional: Collection[FeatureId] = (),
        *,
        own: bool,
        most_steps: int,
    ) -> None:
        self.level_of: dict[FeatureId, Level] = {}
        self._groups: list[tuple[FeatureId, StateMask] | None] = []  # for each level; None is a feature's own
        for met in around.levels:
            if met.feature in boxed:
                if met.feature in optional:
                    self.level_of[met.feature] = len(self._groups)
                    self._groups.append(None)
                self._groups += [(met.feature, group) for group in met.groups[own:]]
        self.diagrams = BitDiagrams(len(self._groups), most_steps)
        level_of_group = {group: level for level, group in enumerate(self._groups) if group is not None}
        function = around.excluded(self.diagrams, self.level_of, level_of_group)
        self.family = self.diagrams.minimal(function)
        self.diagrams.most_steps = MOST_STEPS  # for what is asked of the family

    def within(self, features: Collection[FeatureId]) -> Node:
        """Return the boxes that exclude something of these optional features only."""
        others = [level for feature, level in self.level_of.items() if feature not in features]
        some_other = 0
        for level in sorted(others, reverse=True):
            some_other = self.diagrams.choice(level, some_other, 1)
        return self.diagrams.falsify(self.family, some_other)

    def excluded(self, family: Node) -> Iterator[Masks]:
        """Yield the states that each box excludes, of features of which it excludes some."""
        codes = [1 << level for level in range(len(self._groups))]
        for sets in self.diagrams.sets(family, codes):
            for code in sets:
                masks: Masks = {}
                for level, group in enumerate(self._groups):
                    if code >> level & 1 and group is not None:
                        masks[group[0]] = masks.get(group[0], 0) | group[1]
                yield masks


class GeneralTerms:
    """The general sufficient reasons over the features of sufficient ones.

    ``ordered`` says whether those given so far came, over the same features, in the order of their states.
    """

    def __init__(self, case: Surroundings) -> None:
        self.ordered = True
        self._case = case

    @cached_property
    def own_groups(self) -> Masks | None:
        """The literals where every feature has one group of states besides its own, else None."""
        masks = dict(self._case.critical_masks)
        for met in self._case.widely_around.levels:
            if len(met.groups) > (1 if met.feature in masks else 2):
                return None
            masks.setdefault(met.feature, met.groups[0])
        return masks

    @cached_property
    def _all_boxes(self) -> Exclusions | None:
        """The boxes of all sufficient reasons together, where that is quick."""
        around = self._case.widely_around
        if around.node_count > feature_sets.QUICK_NODES:
            return None
        try:
            return exclusions(self._case, feature_sets.QUICK_STEPS)
        except TooLarge:
            return None

    def over(self, features: list[FeatureId], _budget: Budget | None = None) -> Iterator[Masks]:
        """Yield the general sufficient reasons over the features of a sufficient one."""
        if self.own_groups is not None:
            yield {feature: self.own_groups[feature] for feature in features}
        elif self._all_boxes is not None:
            yield from self._literals(features, self._all_boxes, self._all_boxes.within(features))
        else:
            self.ordered = False
            first = self._first(features)
            yield first
            around = self._case.widely_around
            boxes = Exclusions(around, features, own=True, most_steps=MOST_STEPS)
            yield from (masks for masks in self._literals(features, boxes, boxes.family) if masks != first)

    def _literals(self, features: list[FeatureId], boxes: Exclusions, family: Node) -> list[Masks]:
        full, critical = self._case.domain.full, self._case.critical_masks
        found = [
            {feature: critical.get(feature, full(feature)) & ~masks.get(feature, 0) for feature in features}
            for masks in boxes.excluded(family)
        ]
        return sorted(found, key=lambda masks: tuple(masks.values()))

    def _first(self, features: list[FeatureId]) -> Masks:
        case = self._case
        held = {*features, *case.fixed}
        states = [own[:1] if feature in held else own for feature, own in enumerate(case.own_first)]
        found = widest(case.diagram, states, {f: case.own_first[f] for f in features}, case.labels)
        return {feature: found[feature] for feature in features}


class GeneralClauses:
    """The general necessary reasons over the features of necessary ones; ``ordered`` as for terms."""

    def __init__(self, case: Surroundings) -> None:
        self.ordered = True
        self._case = case

    @cached_property
    def own_groups(self) -> Masks:
        """The literals of features with one group of states besides the instance's."""
        plain = {met.feature: met.groups[0] for met in self._case.around.levels if len(met.groups) == 2}
        return {**plain, **self._case.critical_masks}

    def over(self, features: list[FeatureId], _budget: Budget | None = None) -> Iterator[Masks]:
        """Yield the general necessary reasons over the features of a necessary one."""
        if all(feature in self.own_groups for feature in features):
            yield {feature: self.own_groups[feature] for feature in features}
            return
        case = self._case
        states = [own[1:] if f in features else own[:1] for f, own in enumerate(case.own_first)]
        around = Neighbourhood(case.diagram, states, case.others)
        try:
            yield from self._literals(features, around, feature_sets.QUICK_STEPS)
        except TooLarge:
            self.ordered = False
            first = self._first(features)
            yield first
            yield from (masks for masks in self._literals(features, around, MOST_STEPS) if masks != first)

    def _literals(self, features: list[FeatureId], around: Neighbourhood, most_steps: int) -> list[Masks]:
        boxes = Exclusions(around, features, own=False, most_steps=most_steps)
        full, own = self._case.domain.full, self._case.instance_masks
        found = [
            {feature: own[feature] | masks.get(feature, 0) for feature in features}
            for masks in boxes.excluded(boxes.family)
        ]
        proper = [masks for masks in found if all(masks[feature] != full(feature) for feature in features)]
        return sorted(proper, key=lambda masks: tuple(masks.values()))

    def _first(self, features: list[FeatureId]) -> Masks:
        case = self._case
        held = [feature for feature in range(len(case.domain)) if feature not in features]
        changed = nearest(case.diagram, case.positions, case.others, held)
        if changed is None:
            raise AssertionError("the features of a necessary reason can change the label")
        may = {feature: case.own_first[feature][1:] for feature in features}
        found = widest(case.diagram, [[state] for state in changed], may, case.others)
        return {feature: case.domain.full(feature) & ~found[feature] for feature in features}


def exclusions(case: Surroundings, most_steps: int) -> Exclusions:
    """Return the boxes of all sufficient reasons of a case; features that are not critical are optional."""
    around = case.widely_around
    features = [met.feature for met in around.levels if len(met.groups) > 1]
    optional = [feature for feature in features if feature not in case.critical_masks]
    return Exclusions(around, features, optional, own=True, most_steps=most_steps)
