"""A classifier divided by a cut: the features of each side, the weights of the classes, what a tie means."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

from bnc2d.compile.graph.jointree import Name
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.meet.exact_labels import Resolver, by_instances, by_tables
from bnc2d.compile.meet.join import Join, join_tables
from bnc2d.compile.meet.labels import Decider
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor
from bnc2d.compile.meet.tables.messages import Side, priors_of
from bnc2d.model.classifier import BaseClassifier

Given = Mapping[Name, int]  # states of features that are set beforehand


class CutProblem:
    """Two sides, that with more instances first; ``fixed`` features are set beforehand and belong to neither.

    ``structural`` tables show every tie that follows from the structure (see ``compressed_factor``).
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        prepared: Prepared,
        sides: Sequence[Side],
        fixed: Sequence[Name] = (),
        structural: bool = False,
    ) -> None:
        self.classifier, self.prepared, self.fixed = classifier, prepared, tuple(fixed)
        self._structural = structural
        self._sides = sorted(sides, key=lambda side: prod(self.cardinalities(self._free(side))), reverse=True)
        self.first, self.second = (self._free(side) for side in self._sides)
        self.position = {name: position for position, name in enumerate(prepared.features)}
        self._target = prepared.network.index(prepared.target)
        self._sizes = {position: len(v) for position, v in enumerate(prepared.network.variables)}
        self.terminals = len(classifier.classes) + classifier.rule.leaves_ties
        self.priors = priors_of(prepared)

    def _free(self, side: Side) -> tuple[Name, ...]:
        return tuple(name for name in side.features if name not in self.fixed)

    def cardinalities(self, names: Sequence[Name]) -> list[int]:
        """Return the number of states of each feature."""
        return [len(self.prepared.network.variable(name)) for name in names]

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
        return join_tables(first, second, self._target, weights, self._sizes)

    def decider(self, join: Join) -> Decider:
        """Return what labels the cells; a tie of all classes decides like an impossible instance."""
        rule, classes = self.classifier.rule, len(self.classifier.classes)
        tie = rule.exact_label([0] * classes) % (classes + 1)
        winners = tuple(classes if len(ys) > 1 and rule.leaves_ties else ys[0] for ys in join.labels)
        return Decider(join, tie, winners)

    def by_tables(self, given: Given) -> Resolver:
        """Return exact labels from integer tables."""
        first, second = self.factors(given, exact=True)
        return by_tables(first, second, self._target, self.priors, self._sizes, self.classifier.rule)

    def by_instances(self, given: Given) -> Resolver:
        """Return exact labels from the classifier."""
        template = [0] * len(self.prepared.features)
        for name, state in given.items():
            template[self.position[name]] = state
        first, second = ([self.position[name] for name in side] for side in (self.first, self.second))
        sizes = self.cardinalities(self.first), self.cardinalities(self.second)
        return by_instances(self.classifier, template, (first, second), sizes)
