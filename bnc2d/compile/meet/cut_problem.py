"""A classifier divided by a cut: the features of each side, the weights of the classes, what a tie means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TypeAlias

from bnc2d.base.masks import VariableId
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.meet.join import Join, join_tables
from bnc2d.compile.meet.labels import Decider
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor
from bnc2d.compile.meet.tables.messages import Side, priors_of
from bnc2d.model.classifier import BaseClassifier

Given: TypeAlias = Mapping[VariableId, int]  # states of features that are set beforehand


class CutProblem:
    """Two sides, that with more instances first; ``fixed`` features are set beforehand and belong to neither.

    ``structural`` tables show every tie that follows from the structure (see ``compressed_factor``).
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        prepared: Prepared,
        sides: Sequence[Side],
        fixed: Sequence[VariableId] = (),
        structural: bool = False,
    ) -> None:
        self.classifier, self.prepared, self.fixed = classifier, prepared, tuple(fixed)
        self._structural = structural
        self._sides = sorted(sides, key=lambda side: prod(self.cardinalities(self._free(side))), reverse=True)
        self.first, self.second = (self._free(side) for side in self._sides)
        self.position = {feature: position for position, feature in enumerate(prepared.feature_ids)}
        self.terminals = len(classifier.classes) + classifier.rule.leaves_ties
        self.priors = priors_of(prepared)

    def _free(self, side: Side) -> tuple[VariableId, ...]:
        return tuple(feature for feature in side.features if feature not in self.fixed)

    def cardinalities(self, features: Sequence[VariableId]) -> list[int]:
        """Return the number of states of each feature."""
        return [self.prepared.sizes[feature] for feature in features]

    def blocks(self) -> Iterator[Given]:
        """Yield every instance of the fixed features."""
        for states in product(*map(range, self.cardinalities(self.fixed))):
            yield dict(zip(self.fixed, states, strict=True))

    def factors(self, given: Given, exact: bool = False) -> tuple[CompressedFactor, CompressedFactor]:
        """Return the tables of both sides."""
        first, second = (side.factor(given, exact, self._structural) for side in self._sides)
        return first, second

    def join(self, first: CompressedFactor, second: CompressedFactor) -> Join:
        """Return what decides between the classes."""
        weights = self.classifier.rule.weighted(self.priors)
        return join_tables(first, second, self.prepared.target_id, weights)

    def decider(self, join: Join) -> Decider:
        """Return what labels the cells; a tie of all classes decides like an impossible instance."""
        rule, classes = self.classifier.rule, len(self.classifier.classes)
        tie = rule.exact_label([0] * classes) % (classes + 1)
        winners = tuple(classes if len(ys) > 1 and rule.leaves_ties else ys[0] for ys in join.labels)
        return Decider(join, tie, winners)
