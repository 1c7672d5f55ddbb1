"""Rules about each instance, checked by questions about regions; nothing is compiled.

The formula of a rule and the decision has a diagram of its own, over the features that it mentions and, last,
the decision. Its paths are regions, each with the decisions that break the rule there; so whether an instance
of the region has one of these is asked for each region in turn (``bnc2d.regions``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from random import Random

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.compile.result import feature_domain
from bnc2d.errors import TimeLimitExceeded
from bnc2d.explain.whole.rules.boxes import Box, boxes_of
from bnc2d.explain.whole.rules.claims import PairClaim, RuleFormula
from bnc2d.explain.whole.rules.pairs_by_regions import find_pair_in_regions
from bnc2d.logic.circuit.manager import Manager
from bnc2d.logic.constraints.formula import Not, build
from bnc2d.logic.constraints.reader import literal_node
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.from_circuits import diagram_of_circuit
from bnc2d.logic.domain import Domain
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import NO_CLASS
from bnc2d.regions.region import Label, Region, size
from bnc2d.regions.search import Bounds, Search

# Instances that are tried before anything is proved: of so many regions, so many of each.
_TRIED_REGIONS = 256
_TRIED_OF_EACH = 8


@dataclass
class _Question:
    """A region, the labels that break the rule there, and which share of it is known to have none."""

    region: Region
    wanted: list[Label]
    settled: float = 0.0


class RegionRoute:
    """Finds what breaks a claim by asking the network; ``bounds`` gives what is known of its regions."""

    def __init__(self, classifier: BaseClassifier, bounds: Callable[[], Bounds]) -> None:
        self.domain = feature_domain(classifier)
        self.settled: float | None = None
        self._classifier = classifier
        self._bounds = bounds
        self._labels = [
            *range(len(classifier.classes)),
            *([NO_CLASS] if classifier.rule.leaves_ties else []),
        ]

    def breaking(self, claim: RuleFormula | PairClaim, budget: Budget) -> tuple[list[int], ...]:
        """Return the instance, or the two, that break a claim; none where it holds."""
        self.settled = 0.0
        search = Search(self._classifier, self._bounds())
        if isinstance(claim, PairClaim):
            return find_pair_in_regions(self._classifier, self.domain, search, claim, budget, self._settle)
        violated = self._violated(claim, budget)
        questions = [
            _Question(box.region, self._wanted(violated, box)) for box in boxes_of(violated, len(self.domain))
        ]
        found = self._tried(questions) or self._found(search, questions, budget)
        return () if found is None else (found,)

    def _settle(self, share: float) -> None:
        self.settled = share

    def _violated(self, formula: RuleFormula, budget: Budget) -> Diagram:
        """Return the diagram over features and, last, the decision that leads to 1 where the rule is broken.

        Where ties leave instances in no class, the decision has a state for that after the classes.
        """
        classes = self._classifier.classes
        if self._classifier.rule.leaves_ties:
            classes = (*classes, max(classes, key=len) + "!")  # no class has this name
        states = dict(zip(self.domain.names, self.domain.states, strict=True))
        manager = Manager(Domain({**states, self._classifier.target: classes}))
        root = build(Not(formula), manager, partial(literal_node, manager))
        return diagram_of_circuit(manager, root, range(len(manager.domain)), budget.progress)

    def _wanted(self, violated: Diagram, box: Box) -> list[Label]:
        """Return the labels that break the rule in a box."""
        if box.node < violated.terminals:
            return self._labels
        level = violated.walk[-1]
        edges = level.table[box.node - level.first]
        return [label for label, edge in zip(self._labels, edges.tolist(), strict=True) if edge]

    def _tried(self, questions: Sequence[_Question]) -> list[int] | None:
        """Return one of some random instances that breaks the rule, if one does."""
        rng = Random(0)  # noqa: S311 - reproducible answers
        rows, wanted = [], []
        for question in questions[:_TRIED_REGIONS]:
            for _ in range(_TRIED_OF_EACH):
                rows.append([rng.choice(allowed.tolist()) for allowed in question.region])
                wanted.append(question.wanted)
        if not rows:
            return None
        labels = self._classifier.labels(np.array(rows, dtype=np.intp)).tolist()
        hits = zip(rows, labels, wanted, strict=True)
        return next((row for row, label, breaking in hits if label in breaking), None)

    def _found(self, search: Search, questions: list[_Question], budget: Budget) -> list[int] | None:
        """Return an instance that breaks the rule, or None where no region has one.

        The regions share the time; those that need more have another turn as long as some is left.
        """
        whole = sum(size(question.region) for question in questions)
        left = questions
        while left:
            late = []
            for question, share in zip(left, budget.shares(len(left)), strict=True):
                try:
                    with share.limiting("the region is not decided"):
                        found = search.find(question.region, question.wanted)
                except TimeLimitExceeded:
                    question.settled = search.settled
                    late.append(question)
                else:
                    question.settled = 1.0
                    if found is not None:
                        return found
                self.settled = float(
                    sum(size(one.region) * Fraction(one.settled) for one in questions) / whole
                )
            left = late
            budget.check()
        return None
