"""What the missing features of a partial instance could do to its decision.

The same-decision probability is that of Darwiche and Choi ("Same-decision probability: a confidence measure
for threshold-based decisions under noisy sensors", 2010) and of Choi, Xue and Darwiche (2012).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.finding import Finding, decision_words, instance_words
from bnc2d.base.readers.instances import all_rows
from bnc2d.base.readers.missing import MISSING
from bnc2d.base.scales import Label
from bnc2d.compile.result import feature_domain
from bnc2d.compile.zeros.constraint import may_be_allowed
from bnc2d.errors import LimitExceeded, TimeLimitExceeded
from bnc2d.explain.missing.by_diagram import Completion, DiagramCompletions, Pair
from bnc2d.explain.missing.by_regions import RegionCompletions
from bnc2d.explain.missing.masses import Masses
from bnc2d.explain.missing.splitting import Splitting, Tree, Verdict
from bnc2d.explain.routes import DiagramRoute, NetworkRoute, Route
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.logic.domain import FeatureId
from bnc2d.model.classifier import BaseClassifier
from bnc2d.regions.oracle import RegionOracle

Bounds: TypeAlias = tuple[Fraction, Fraction]

SECONDS = 3.0  # for everything, where no limit is given
# Completions, or paths of a diagram, that are listed with their exact probabilities.
MOST_COMPLETIONS = 1 << 14
_NOTHING: Bounds = (Fraction(0), Fraction(1))
_ALL: Bounds = (Fraction(1), Fraction(1))


@dataclass(frozen=True)
class IfKnown(Finding):
    """What could become of a ``decision`` if the ``missing`` features were known; true where nothing could.

    ``holds`` says whether no completion, no instance that agrees with what is known, is decided otherwise;
    if one is, ``witness`` is such a completion, and ``other`` its decision. ``share`` is the share of the
    completions that keep the decision, each counted once; ``probability`` that with which they do, given what
    is known (the same-decision probability). Both are exact, or None where time came first; ``share_bounds``
    and ``probability_bounds`` are proved in either case. A completion with probability 0 counts in the share
    and weighs nothing in the probability. Where what is known has probability 0, there is no ``probability``
    and there are no bounds.

    ``alone`` has the missing features that change the decision if they alone become known, with the states
    that do and the decision then; None where time came first. ``matters`` has the missing features that can
    tip the decision, each with two completions that differ in it alone and are decided differently;
    ``irrelevant`` those that are proved not to, and ``open`` the others.
    """

    decision: Label | None
    missing: tuple[str, ...]
    holds: bool | None
    witness: dict[str, str] | None
    other: Label | None
    share: Fraction | None
    share_bounds: Bounds
    probability: Fraction | None
    probability_bounds: Bounds | None
    alone: dict[str, dict[str, Label | None]] | None
    matters: dict[str, tuple[dict[str, str], dict[str, str]]]
    irrelevant: tuple[str, ...]
    open: tuple[str, ...]

    @property
    def exact(self) -> bool:
        """Whether share and probability are known exactly, the latter as far as there is one."""
        return self.share is not None and (self.probability is not None or self.probability_bounds is None)

    def __str__(self) -> str:
        decided = decision_words(self.decision)
        if self.holds:
            return f"yes, every completion of what is known is decided as {decided}"
        if self.witness is None:
            return f"open: whether a completion of what is known is not decided as {decided}"
        return f"no, {instance_words(self.witness)} is decided as {decision_words(self.other)}, not {decided}"


@dataclass
class _Found:
    """What is known so far; nothing in the beginning. Completions are state positions."""

    share: Bounds = _NOTHING
    probability: Bounds | None = _NOTHING
    holds: bool | None = None
    witness: Completion | None = None
    alone: dict[FeatureId, dict[int, int]] | None = None
    pairs: dict[FeatureId, Pair] = field(default_factory=dict)
    irrelevant: set[FeatureId] = field(default_factory=set)


def if_known(
    route: Route, known: Mapping[FeatureId, int], own: int, possible: bool, time_limit: float | None
) -> IfKnown:
    """Return what the missing features could do to the label ``own`` of what is ``known``.

    ``route`` answers for all features; ``possible`` is whether what is known has a positive probability.
    """
    asked = _Question(route, known, own, possible)
    budget = Budget(SECONDS if time_limit is None else time_limit)
    budget.left()  # the time starts to run
    asked.answer(budget)
    return asked.told()


class _Question:
    """Asks one thing after another, each as long as there is time, and keeps what is found."""

    def __init__(self, route: Route, known: Mapping[FeatureId, int], own: int, possible: bool) -> None:
        self._route = route
        self._classifier: BaseClassifier = route.classifier
        self._known, self._own = known, own
        self._sizes = [len(variable) for variable in self._classifier.feature_variables]
        self._missing = [feature for feature in range(len(self._sizes)) if feature not in known]
        self.found = _Found(probability=_NOTHING if possible else None)
        self._decisions = (*self._classifier.class_labels, None)  # by label
        self._lost: Sequence[int] | None = None  # a probable part that is decided otherwise
        self._row = [known.get(feature, size) for feature, size in enumerate(self._sizes)]  # all "any"

    @cached_property
    def _masses(self) -> Masses:
        return Masses(self._classifier, self._missing)

    def answer(self, budget: Budget) -> None:
        """Find out what can be found in time."""
        if not self._missing:
            self._settle_all_kept()
            self.found.alone = {}
            return
        completions = self._by_diagram(budget.share(0.5))
        self._ask_alone(budget.share(0.4))
        tree: Tree | None = completions
        if completions is None and isinstance(self._route, NetworkRoute) and self._route.allowed is None:
            regions = self._regions(self._route.oracle, budget)
            self._ask_regions(regions, budget)
            tree = regions
        if tree is not None and not self._is_settled:
            self._ask_probability(completions, tree, budget)
        if self._lost is not None and self.found.probability is not None:
            with suppress(LimitExceeded), budget.limiting("no probable completion is known"):
                self.found.witness = self._completed(self._lost)

    def told(self) -> IfKnown:
        """Return what was found, by name."""
        found, names = self.found, self._classifier.features
        domain = self._route.domain
        open_features = [f for f in self._missing if f not in found.pairs and f not in found.irrelevant]
        witness = None if found.witness is None else domain.decode(found.witness)
        other = None if found.witness is None else self._decisions[self._label_of(found.witness)]
        alone = None
        if found.alone is not None:
            alone = {
                names[feature]: {
                    domain.states[feature][state]: self._decisions[label] for state, label in states.items()
                }
                for feature, states in sorted(found.alone.items())
            }
        return IfKnown(
            self._decisions[self._own],
            tuple(names[feature] for feature in self._missing),
            found.holds,
            witness,
            other,
            _exactly(found.share),
            found.share,
            _exactly(found.probability),
            found.probability,
            alone,
            {
                names[f]: (domain.decode(one), domain.decode(two))
                for f, (one, two) in sorted(found.pairs.items())
            },
            tuple(names[feature] for feature in sorted(found.irrelevant)),
            tuple(names[feature] for feature in open_features),
        )

    def _label_of(self, completion: Completion) -> int:
        return int(self._route.labels(np.array([completion], dtype=np.intp))[0])

    @property
    def _is_settled(self) -> bool:
        """Whether share and probability are known."""
        found = self.found
        return found.share[0] == found.share[1] and (
            found.probability is None or found.probability[0] == found.probability[1]
        )

    def _settle_all_kept(self) -> None:
        found = self.found
        found.holds, found.share, found.irrelevant = True, _ALL, set(self._missing)
        found.probability = found.probability and _ALL

    def _by_diagram(self, budget: Budget) -> DiagramCompletions | None:
        """Ask the diagram of a compiled model, or of all completions where they are few; None without one."""
        completions = None
        with suppress(TimeLimitExceeded), budget.limiting("the completions are not known"):
            cases = self._route.sendable
            diagram = cases.diagram if isinstance(cases, DiagramRoute) else self._listed()
            if diagram is None:
                return None
            outside = self._route.allowed is not None
            completions = DiagramCompletions(diagram, self._known, self._own, outside=outside)
            found = self.found
            found.share = (completions.share, completions.share)
            if completions.share == 1:
                self._settle_all_kept()
                return completions
            if not completions.share:
                found.probability = found.probability and (Fraction(0), Fraction(0))
                if self._route.allowed is None:
                    self._lost = self._row  # every completion is decided otherwise
            found.holds, found.witness = False, completions.witness()
            for feature in self._missing:
                pair = completions.pair(feature)
                if pair is None:
                    found.irrelevant.add(feature)
                else:
                    found.pairs[feature] = pair
        return completions

    def _listed(self) -> Diagram | None:
        """Return the diagram of all completions, one by one; None where they are too many."""
        sizes = [self._sizes[feature] for feature in self._missing]
        if prod(sizes) > MOST_COMPLETIONS:
            return None
        variables = [self._classifier.feature_variables[feature] for feature in self._missing]
        labels = []
        for some in all_rows(variables, 1 << 10):
            rows = np.tile(np.array(self._row, dtype=np.intp), (len(some), 1))
            rows[:, self._missing] = some
            labels.append(np.asarray(self._route.labels(rows), dtype=np.int64))
        builder = DiagramBuilder(len(self._route.decisions) + (self._route.allowed is not None))
        (root,) = reduce_table(np.concatenate(labels)[None], sizes, builder)
        return builder.finish(feature_domain(self._classifier), self._missing, int(root))

    def _ask_alone(self, budget: Budget) -> None:
        """Ask what each missing feature would change if it alone became known."""
        rows, asked = self._each_alone()
        with suppress(LimitExceeded), budget.limiting("what features change alone is not known"):
            labels = self._masses.labels(rows) % len(self._decisions)  # -1 is the last: no class
            alone: dict[FeatureId, dict[int, int]] = {}
            for (feature, state), label in zip(asked, labels.tolist(), strict=True):
                if label != self._own:
                    alone.setdefault(feature, {})[state] = label
            self.found.alone = alone

    def _each_alone(self) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.intp]], list[tuple[int, int]]]:
        """Return a row for each state of each missing feature, all others being missing."""
        asked = [
            (feature, state)
            for feature in self._missing
            for state in range(self._sizes[feature])
            if self._may_be(feature, state)
        ]
        rows = np.tile(np.array(self._row, dtype=np.intp), (len(asked), 1))
        for row, (feature, state) in zip(rows, asked, strict=True):
            row[feature] = state
        return rows, asked

    def _may_be(self, feature: FeatureId, state: int) -> bool:
        """Return whether the constraint, if there is one, allows a missing feature a state."""
        row = [self._known.get(other, MISSING) for other in range(len(self._sizes))]
        row[feature] = state
        return may_be_allowed(self._route.allowed, row)

    def _regions(self, oracle: RegionOracle, budget: Budget) -> RegionCompletions:
        """Return the region of the completions; features that move the posterior most come first."""
        moves = dict.fromkeys(self._missing, 0.0)
        with suppress(LimitExceeded), budget.share(0.2).limiting("what features say is not known"):
            rows, asked = self._each_alone()
            posteriors = self._masses.posteriors(np.concatenate([rows, [self._row]]))
            for (feature, _), posterior in zip(asked, posteriors[:-1], strict=True):
                moves[feature] += float(np.abs(posterior - posteriors[-1]).sum()) / self._sizes[feature]
        order = sorted(self._missing, key=lambda feature: -moves[feature])
        return RegionCompletions(self._classifier, oracle, self._known, self._own, order)

    def _ask_regions(self, regions: RegionCompletions, budget: Budget) -> None:
        """Ask the network whether a completion is decided otherwise, and which features can tip it."""
        found = self.found
        with suppress(LimitExceeded), budget.share(0.3).limiting("no completion is known"):
            found.witness = regions.witness()
            found.holds = found.witness is None
        if found.holds:
            self._settle_all_kept()
            return
        with suppress(LimitExceeded), budget.share(0.3).limiting("what matters is not known"):
            found.irrelevant = set(regions.irrelevant())
            features = [feature for feature in regions.order if feature not in found.irrelevant]
            start = found.witness or [self._known.get(f, 0) for f in range(len(self._sizes))]
            for feature, pair in regions.pairs(features, start):
                found.pairs[feature] = pair
                if found.witness is None:  # one of two that differ is decided otherwise
                    found.witness = next(one for one in pair if self._label_of(one) != self._own)
                    found.holds = False

    def _ask_probability(self, completions: DiagramCompletions | None, tree: Tree, budget: Budget) -> None:
        """List all parts with exact probabilities where they are few; else split them while there is time."""
        found = self.found
        if completions is not None:
            with suppress(LimitExceeded), budget.share(0.6).limiting("probabilities are not known"):
                parts = completions.paths(self._sizes, MOST_COMPLETIONS)
                self._take_exact(*(_of(parts, verdict) for verdict in (Verdict.KEPT, Verdict.LOST)))
                return
        masses = self._masses if found.probability is not None else None
        for one in (masses, None):
            if one is None and _exactly(found.share) is not None:
                return
            with suppress(LimitExceeded), budget.limiting("the splitting does not end"):
                splitting = Splitting(tree, self._row, self._sizes, one, MOST_COMPLETIONS)
                try:
                    splitting.run()
                finally:
                    self._take_bounds(splitting, one is not None)
                if one is not None and splitting.complete:
                    kept, lost = (
                        [list(part.row) for part in splitting.settled[verdict]]
                        for verdict in (Verdict.KEPT, Verdict.LOST)
                    )
                    if len(kept) + len(lost) <= MOST_COMPLETIONS:
                        self._take_exact(kept, lost)
                return

    def _take_exact(self, kept: Sequence[Sequence[int]], lost: Sequence[Sequence[int]]) -> None:
        """Take the exact probability of parts, and the most probable one that is decided otherwise."""
        found = self.found
        if found.probability is None:
            return
        rows = np.array([*kept, *lost], dtype=np.intp).reshape(-1, len(self._sizes))
        masses = self._masses.exact(rows)
        mine, total = sum(masses[: len(kept)]), sum(masses)
        found.probability = (Fraction(mine, total), Fraction(mine, total)) if total else None
        others = masses[len(kept) :]
        heaviest = max(others, default=0)
        if heaviest:
            self._lost = lost[others.index(heaviest)]

    def _take_bounds(self, splitting: Splitting, weighed: bool) -> None:
        """Take the bounds where they are better than what is known."""
        found = self.found
        found.share = _tighter(found.share, splitting.share_bounds())
        if weighed and found.probability is not None:
            found.probability = _tighter(found.probability, splitting.probability_bounds())
        lost = splitting.settled[Verdict.LOST]
        if lost:
            self._lost = max(lost, key=lambda part: part.high).row
            sizes = zip(self._lost, self._sizes, strict=True)
            found.holds = False
            found.witness = found.witness or [state % size for state, size in sizes]
        elif splitting.complete:
            self._settle_all_kept()

    def _completed(self, row: Sequence[int]) -> Completion:
        """Return a completion of a part, of a probable state of one open feature after the other."""
        done = np.array([row], dtype=np.intp)
        for feature in self._missing:
            size = self._sizes[feature]
            if done[0, feature] == size:
                rows = np.repeat(done, size, axis=0)
                rows[:, feature] = np.arange(size)
                done[0, feature] = int(self._masses.bounds(rows)[1].argmax())
        completion: Completion = done[0].tolist()
        return completion


def _of(parts: Sequence[tuple[Verdict, list[int]]], wanted: Verdict) -> list[list[int]]:
    """Return the rows of the parts with a verdict."""
    return [row for verdict, row in parts if verdict is wanted]


def _exactly(bounds: Bounds | None) -> Fraction | None:
    return bounds[0] if bounds is not None and bounds[0] == bounds[1] else None


def _tighter(one: Bounds, other: Bounds) -> Bounds:
    return max(one[0], other[0]), min(one[1], other[1])
