"""Routes: what answers questions about an instance, the diagram of a compiled model or the network itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property, partial
from threading import local
from typing import Any, Protocol, Self
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.scales import Label
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.explain.by_diagram.case import DiagramCase
from bnc2d.explain.by_regions.case import RegionCase
from bnc2d.explain.by_regions.given import GivenCase
from bnc2d.explain.by_regions.hidden import HiddenCase
from bnc2d.explain.by_regions.many import OneReason, one_reason_each
from bnc2d.explain.by_regions.observed import ObservedCase
from bnc2d.explain.case import Case
from bnc2d.explain.changes.allowed import Box, box_diagram
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.restrict import restricted
from bnc2d.logic.domain import Domain, FeatureId
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import BaseClassifier
from bnc2d.regions.boxed import BoxOracle
from bnc2d.regions.decides import bounds_of
from bnc2d.regions.given import GivenOracle
from bnc2d.regions.oracle import NetworkOracle, RegionOracle
from bnc2d.regions.search import Bounds

_SENDING = 2e-6  # seconds that it takes at most, for each node of a diagram, to write and to read it


class Sendable(Protocol):
    """Answers cases, and can be sent to a worker of an executor.

    ``is_quick`` says whether one reason of each kind takes no search, ``rows_at_once`` how many rows are best
    asked about together.
    """

    is_quick: bool
    rows_at_once: int

    @property
    def seconds_to_send(self) -> float:
        """An estimate."""

    def here(self) -> Self:
        """Return what answers in the thread of a worker."""

    def case(self, label: int, is_own: bool, positions: Sequence[int], fixed: Collection[FeatureId]) -> Case:
        """Return the case of an instance that has the label, or that has another one (not ``is_own``)."""

    def one_reason_each(self, label: int, rows: Rows) -> list[OneReason] | None:
        """Return a sufficient reason for each instance of one label; None where that is not at hand."""


class Route(Protocol):
    """Decides instances and answers cases; ``decisions`` says which class, or None, each label stands for.

    ``given`` is the constraint that instances must satisfy to count, in words; empty where there is none.
    ``allowed`` leads to 1 where they do, else to 0; None where there is none.
    """

    classifier: BaseClassifier
    decisions: tuple[Label | None, ...]
    given: str
    allowed: Diagram | None

    @property
    def domain(self) -> Domain:
        """The features and their states."""

    @property
    def sendable(self) -> Sendable:
        """What explains many rows."""

    def labels(self, rows: Rows) -> NDArray[np.integer]:
        """Return the label of each instance."""

    def case(self, label: int, is_own: bool, positions: Sequence[int], fixed: Collection[FeatureId]) -> Case:
        """Return the case of an instance that has the label, or that has another one (not ``is_own``)."""

    def within(self, box: Box) -> Route:
        """Return the same of which only the instances within a box count."""


class DiagramRoute:
    """Answers from a diagram alone."""

    is_quick = True
    rows_at_once = 64

    def __init__(self, diagram: Diagram, *, outside: bool = False) -> None:
        self.diagram = diagram
        self.outside = outside  # whether the last terminal is for instances that do not count
        # Their label, whichever label an explanation is about.
        self._outside = {diagram.terminals - 1} if outside else set()

    @property
    def seconds_to_send(self) -> float:
        """By the number of its nodes."""
        return _SENDING * self.diagram.node_count

    def here(self) -> Self:
        """Return itself: a diagram does not change."""
        return self

    def labels(self, rows: Rows) -> NDArray[np.integer]:
        """Return the label of each instance, read off the diagram."""
        return self.diagram.labels(rows)

    def case(
        self, label: int, is_own: bool, positions: Sequence[int], fixed: Collection[FeatureId]
    ) -> DiagramCase:
        """Return the case of an instance; its formula is made of the diagram."""
        diagram = self.diagram
        labels = {label} | self._outside if is_own else set(range(diagram.terminals)) - {label}
        make = partial(_formula, diagram, frozenset(labels))
        return DiagramCase(diagram, frozenset(labels), tuple(positions), frozenset(fixed), make)

    def one_reason_each(self, _label: int, _rows: Rows) -> None:
        """Return nothing: one after another is quick."""


def _formula(diagram: Diagram, labels: Collection[int]) -> NNF:
    """Return the OR-decomposable formula of the instances that lead to some labels."""
    return diagram.leading_to(labels).to_nnf(1)


class CompiledRoute:
    """Answers from the diagram and the formulas of a compiled model."""

    given = ""
    allowed: Diagram | None = None

    def __init__(self, model: BaseCompiledModel) -> None:
        self.classifier = model.classifier
        self.domain = model.domain
        self.decisions = (*self.classifier.class_labels, None)[: len(decisions(model))]
        self.sendable = DiagramRoute(model.diagram)  # no worker needs more
        self.model = model

    def labels(self, rows: Rows) -> NDArray[np.integer]:
        """Return the label of each instance, read off the diagram."""
        return self.sendable.labels(rows)

    def case(
        self, label: int, is_own: bool, positions: Sequence[int], fixed: Collection[FeatureId]
    ) -> DiagramCase:
        """Return the case of an instance; its formula is that of the class where there is one."""
        case, model = self.sendable.case(label, is_own, positions, fixed), self.model
        if label >= len(model.classes):
            return case
        return replace(case, make=partial(model.formula, model.classes[label], negated=not is_own))

    def within(self, box: Box) -> GivenRoute:
        """Return the same of which only the instances within a box count."""
        diagram = self.model.diagram
        inside = box_diagram(diagram.domain, diagram.order, box)
        return GivenRoute(self, restricted(diagram, inside), self.given, None)


class GivenRoute:
    """Answers from a diagram whose last terminal is for instances that do not count (``restricted``).

    ``free`` is the route of the model without the constraint.
    """

    def __init__(self, free: CompiledRoute, diagram: Diagram, given: str, allowed: Diagram | None) -> None:
        self.free = free
        classifier = self.classifier = free.classifier
        self.given = given
        self.allowed = allowed
        self.domain = diagram.domain
        self._diagram = diagram
        self.decisions = (*classifier.class_labels, None)[: diagram.terminals - 1]
        self.sendable = DiagramRoute(diagram, outside=True)

    def labels(self, rows: Rows) -> NDArray[np.integer]:
        """Return the label of each instance; one beyond all decisions where it does not count."""
        return self.sendable.labels(rows)

    def case(
        self, label: int, is_own: bool, positions: Sequence[int], fixed: Collection[FeatureId]
    ) -> DiagramCase:
        """Return the case of an instance: instances that do not count may be decided in any way."""
        return self.sendable.case(label, is_own, positions, fixed)

    def within(self, box: Box) -> GivenRoute:
        """Return the same of which only the instances within a box count."""
        diagram = self._diagram
        inside = box_diagram(diagram.domain, diagram.order, box)
        smaller = restricted(diagram, inside, outside=len(self.decisions))
        return GivenRoute(self.free, smaller, self.given, self.allowed)


_kept = local()  # by thread of a worker: the route of the call that it worked for last


class NetworkRoute:
    """Answers from the network of a classifier; nothing is compiled.

    Sent elsewhere it is the classifier alone, and every thread of a worker makes an oracle of its own: it
    keeps what it found for the questions to come. ``allowed`` leads to 1 where an instance counts, else to 0;
    ``given`` says in words which do, and a ``box`` has the states of features that may not have all.
    """

    is_quick = False
    rows_at_once = 512
    seconds_to_send = 0.0

    def __init__(
        self,
        classifier: BaseClassifier,
        oracle: RegionOracle | None = None,
        allowed: Diagram | None = None,
        given: str = "",
        box: Box | None = None,
    ) -> None:
        self.classifier = classifier
        self.decisions = (*classifier.class_labels, *([None] if classifier.rule.leaves_ties else []))
        self.given = given
        self._network_oracle = oracle
        self.allowed = allowed
        self._box = box or {}

    @cached_property
    def _free_oracle(self) -> RegionOracle:
        return self._network_oracle or NetworkOracle(self.classifier, lambda: self._bounds)

    @property
    def oracle(self) -> RegionOracle:
        """What answers questions about regions."""
        return self._oracle

    @property
    def free(self) -> NetworkRoute:
        """The same where all instances count."""
        return NetworkRoute(self.classifier, self._free_oracle)

    @cached_property
    def _oracle(self) -> RegionOracle:
        oracle, outside, allowed = self._free_oracle, len(self.decisions), self.allowed
        if allowed is not None:
            oracle = GivenOracle(oracle, allowed, outside)
        if self._box:
            oracle = BoxOracle(oracle, self._box, outside, is_known=allowed is not None)
        return oracle

    @property
    def _outside(self) -> set[int]:
        """The label of instances that do not count."""
        return set() if self.allowed is None and not self._box else {len(self.decisions)}

    @cached_property
    def _bounds(self) -> Bounds:
        return bounds_of(self.classifier)

    @cached_property
    def _token(self) -> str:
        """What tells this route from all others, wherever it is sent."""
        return uuid4().hex

    @property
    def domain(self) -> Domain:
        """The features and their states."""
        return self._oracle.domain

    @property
    def sendable(self) -> Self:
        """The network."""
        return self

    def _plain(self) -> BaseClassifier:
        """Return the classifier without what was found out by asking it."""
        own = self.classifier
        return BaseClassifier(own.network, own.target, own.features, own.threshold, own.positive, own.ties)

    def __getstate__(self) -> dict[str, Any]:
        return {
            "classifier": self._plain(),
            "decisions": self.decisions,
            "given": self.given,
            "allowed": self.allowed,
            "_box": self._box,
            "_network_oracle": None,
            "_token": self._token,
        }

    def here(self) -> Self:
        """Return the route of this thread."""
        if getattr(_kept, "token", None) != self._token:
            _kept.token = self._token
            _kept.route = type(self)(self._plain(), allowed=self.allowed, given=self.given, box=self._box)
        route: Self = _kept.route
        return route

    def one_reason_each(self, label: int, rows: Rows) -> list[OneReason] | None:
        """Return a sufficient reason for each instance of a class, where no hidden variable is in the way."""
        bounds = self._oracle.observed
        if bounds is None or label >= len(self.classifier.classes):
            return None
        return one_reason_each(bounds.of_class(label), rows)

    def labels(self, rows: Rows) -> NDArray[np.integer]:
        """Return the label of each instance, by inference."""
        return self._oracle.labels(rows)

    def case(
        self, label: int, is_own: bool, positions: Sequence[int], fixed: Collection[FeatureId]
    ) -> RegionCase:
        """Return the case of an instance."""
        others = set(range(len(self.decisions))) - {label}
        labels, others = ({label}, others) if is_own else (others, {label})
        observed = self._free_oracle.observed
        if observed is not None and label < len(self.classifier.classes):
            free = ObservedCase(self._free_oracle, observed, labels, others, positions, fixed)
            if not self._outside:
                return free
            box = [box_diagram(self.domain, range(len(positions)), self._box)] if self._box else []
            narrowing = box if self.allowed is None else [*box, self.allowed]
            return GivenCase(self._oracle, free, narrowing, labels | self._outside, others, positions, fixed)
        hidden = self._oracle.hidden
        if hidden is not None and is_own and label < len(self.classifier.classes):
            return HiddenCase(self._oracle, hidden, labels | self._outside, others, positions, fixed)
        return RegionCase(self._oracle, labels | self._outside, others, positions, fixed)

    def within(self, box: Box) -> NetworkRoute:
        """Return the same of which only the instances within a box count."""
        return NetworkRoute(self.classifier, self._free_oracle, self.allowed, self.given, box)
