"""Why one instance satisfies one formula: its complete and its general reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bnc2d.logic.circuit import transforms
from bnc2d.logic.circuit.manager import Kind, Manager, NodeId
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.domain import Domain, FeatureId, StateMask
from bnc2d.logic.nnf import NNF
from bnc2d.logic.terms import Clause, Term


@dataclass(frozen=True)
class Case:
    """An instance, by its state positions, that satisfies an OR-decomposable formula.

    The formula stands for some ``labels`` of the diagram, and is conditioned on the instance's states of the
    ``fixed`` features, so no reason mentions them. Reasons are built in a manager of their own: the
    formula's does not grow with every instance explained.

    What single changes do is read off the diagram first. Where a feature alone can make the formula false,
    ``feature ∈ the states that do not`` follows from the reasons, and is stated once, at the top; below, the
    formula is conditioned on it, which often leaves little.

    The formula and the reasons are made when they are first asked for: on large models that takes seconds,
    which whoever asks may limit.
    """

    domain: Domain
    make: Callable[[], NNF]
    positions: tuple[int, ...]
    fixed: frozenset[FeatureId]
    diagram: Diagram
    labels: frozenset[int]

    @cached_property
    def formula(self) -> NNF:
        """The OR-decomposable formula."""
        return self.make()

    @cached_property
    def _manager(self) -> Manager:
        return Manager(self.domain)

    @cached_property
    def needed(self) -> dict[FeatureId, StateMask]:
        """For features that alone can make the formula false: the states that keep it true."""
        sizes = self.domain.cardinalities
        single = [(f, s) for f, size in enumerate(sizes) if f not in self.fixed for s in range(size)]
        rows = np.tile(np.array(self.positions, dtype=np.intp), (len(single), 1))
        rows[np.arange(len(single)), [feature for feature, _ in single]] = [state for _, state in single]
        masks: dict[FeatureId, StateMask] = {}
        for (feature, state), label in zip(single, self.diagram.labels(rows).tolist(), strict=True):
            masks[feature] = masks.get(feature, 0) | (label in self.labels) << state
        return {feature: mask for feature, mask in masks.items() if mask != self.domain.full(feature)}

    @cached_property
    def complete(self) -> NNF:
        """The complete reason: which of the instance's states together keep the formula true."""
        needed = {feature: self.own[feature] for feature in self.needed}
        return self._reason(transforms.complete_reason, needed)

    @cached_property
    def general(self) -> NNF:
        """The general reason: which sets of states around the instance together keep the formula true."""
        return self._reason(transforms.general_reason, self.needed)

    def _reason(self, transform: Callable[..., NodeId], needed: Mapping[FeatureId, StateMask]) -> NNF:
        manager = self._manager
        formula, allowed = self.formula, {**needed, **self.held}
        rest = transform(formula.manager, formula.root, self.positions, allowed=allowed, into=manager)
        parts = manager.children(rest) if manager.kind(rest) == Kind.AND else [rest]
        literals = [manager.add_literal(feature, mask) for feature, mask in needed.items()]
        return NNF(manager, manager.add_and([*literals, *parts]))

    @cached_property
    def own(self) -> dict[FeatureId, StateMask]:
        """The instance's state of every feature, as a mask."""
        return {feature: 1 << position for feature, position in enumerate(self.positions)}

    @cached_property
    def held(self) -> dict[FeatureId, StateMask]:
        """The instance's state of every fixed feature, as a mask."""
        return {feature: self.own[feature] for feature in self.fixed}

    def term(self, masks: Mapping[FeatureId, StateMask]) -> Term:
        """Return the term with these literals."""
        return Term(
            self.domain, {self.domain.names[f]: self.domain.states_of(f, m) for f, m in masks.items()}
        )

    def clause(self, masks: Mapping[FeatureId, StateMask]) -> Clause:
        """Return the clause with these literals."""
        return Clause(
            self.domain, {self.domain.names[f]: self.domain.states_of(f, m) for f, m in masks.items()}
        )
