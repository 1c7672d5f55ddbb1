"""Routes: what answers questions about an instance, the diagram of a compiled model or the network itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import partial
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.explain.by_diagram.case import DiagramCase
from bnc2d.explain.by_regions.case import RegionCase
from bnc2d.explain.by_regions.observed import ObservedCase
from bnc2d.explain.case import Case
from bnc2d.logic.domain import Domain, FeatureId
from bnc2d.model.classifier import BaseClassifier
from bnc2d.regions.oracle import NetworkOracle


class Route(Protocol):
    """Decides instances and answers cases; ``decisions`` says which class, or None, each label stands for."""

    classifier: BaseClassifier
    domain: Domain
    decisions: tuple[str | None, ...]

    def labels(self, rows: Rows) -> NDArray[np.integer]:
        """Return the label of each instance."""

    def case(self, label: int, is_own: bool, positions: Sequence[int], fixed: Collection[FeatureId]) -> Case:
        """Return the case of an instance that has the label, or that has another one (not ``is_own``)."""


class CompiledRoute:
    """Answers from the diagram and the formulas of a compiled model."""

    def __init__(self, model: BaseCompiledModel) -> None:
        self.classifier = model.classifier
        self.domain = model.domain
        self.decisions = decisions(model)
        self._model = model

    def labels(self, rows: Rows) -> NDArray[np.integer]:
        """Return the label of each instance, read off the diagram."""
        return self._model.diagram.labels(rows)

    def case(
        self, label: int, is_own: bool, positions: Sequence[int], fixed: Collection[FeatureId]
    ) -> DiagramCase:
        """Return the case of an instance; its formula is that of the class where there is one."""
        model = self._model
        labels = {label} if is_own else set(range(model.diagram.terminals)) - {label}
        make = partial(model.diagram.to_nnf, label)
        if label < len(model.classes):
            make = partial(model.formula, model.classes[label], negated=not is_own)
        return DiagramCase(model.diagram, frozenset(labels), tuple(positions), frozenset(fixed), make)


class NetworkRoute:
    """Answers from the network of a classifier; nothing is compiled."""

    def __init__(self, classifier: BaseClassifier, oracle: NetworkOracle) -> None:
        self.classifier = classifier
        self.domain = oracle.domain
        self.decisions = (*classifier.classes, *([None] if classifier.rule.leaves_ties else []))
        self._oracle = oracle

    def labels(self, rows: Rows) -> NDArray[np.integer]:
        """Return the label of each instance, by inference."""
        return self._oracle.labels(rows)

    def case(
        self, label: int, is_own: bool, positions: Sequence[int], fixed: Collection[FeatureId]
    ) -> RegionCase:
        """Return the case of an instance."""
        others = set(range(len(self.decisions))) - {label}
        labels, others = ({label}, others) if is_own else (others, {label})
        observed = self._oracle.observed
        if observed is not None and label < len(self.classifier.classes):
            return ObservedCase(self._oracle, observed, labels, others, positions, fixed)
        return RegionCase(self._oracle, labels, others, positions, fixed)
