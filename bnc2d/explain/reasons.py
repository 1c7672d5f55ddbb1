"""Why one instance satisfies one formula: its complete and its general reason."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bnc2d.logic.circuit import transforms
from bnc2d.logic.circuit.manager import Kind, Manager, NodeId
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.domain import Domain, FeatureId, StateMask
from bnc2d.logic.nnf import NNF
from bnc2d.logic.primes.diagrams import BitDiagrams, Node, TooLarge
from bnc2d.logic.primes.neighbourhood import Neighbourhood
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

    diagram: Diagram
    labels: frozenset[int]
    positions: tuple[int, ...]
    fixed: frozenset[FeatureId]
    make: Callable[[], NNF]

    @property
    def domain(self) -> Domain:
        """The features and their states."""
        return self.diagram.domain

    @cached_property
    def formula(self) -> NNF:
        """The OR-decomposable formula."""
        return self.make()

    @cached_property
    def _manager(self) -> Manager:
        return Manager(self.domain)

    @cached_property
    def _made(self) -> dict[str, tuple[BitDiagrams, Node]]:
        """The diagrams of the features of reasons that were made so far."""
        return {}

    @cached_property
    def _refused(self) -> set[int]:
        """Numbers of steps that are known not to be enough."""
        return set()

    @property
    def others(self) -> frozenset[int]:
        """The labels for which the formula does not stand."""
        return frozenset(range(self.diagram.terminals)) - self.labels

    @cached_property
    def critical_masks(self) -> dict[FeatureId, StateMask]:
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
    def instance_masks(self) -> dict[FeatureId, StateMask]:
        """The instance's state of every feature, as a mask."""
        return {feature: 1 << position for feature, position in enumerate(self.positions)}

    @cached_property
    def fixed_masks(self) -> dict[FeatureId, StateMask]:
        """The instance's state of every fixed feature, as a mask."""
        return {feature: self.instance_masks[feature] for feature in self.fixed}

    @cached_property
    def own_first(self) -> list[list[int]]:
        """The states of every feature, the instance's own first."""
        sizes = self.domain.cardinalities
        return [
            [own, *(state for state in range(size) if state != own)]
            for own, size in zip(self.positions, sizes, strict=True)
        ]

    @cached_property
    def around(self) -> Neighbourhood:
        """What the diagram says where fixed and critical features are as in the instance."""
        held = {*self.fixed, *self.critical_masks}
        states = [own[:1] if feature in held else own for feature, own in enumerate(self.own_first)]
        return Neighbourhood(self.diagram, states, self.labels)

    @cached_property
    def widely_around(self) -> Neighbourhood:
        """The same, but critical features may have all states that keep the formula true."""
        allowed = {**self.critical_masks, **self.fixed_masks}
        states = [
            [state for state in own if feature not in allowed or allowed[feature] >> state & 1]
            for feature, own in enumerate(self.own_first)
        ]
        return Neighbourhood(self.diagram, states, self.labels)

    @cached_property
    def complete(self) -> NNF:
        """The complete reason: which of the instance's states together keep the formula true."""
        critical = {feature: self.instance_masks[feature] for feature in self.critical_masks}
        return self._reason(transforms.complete_reason, critical)

    @cached_property
    def general(self) -> NNF:
        """The general reason: which sets of states around the instance together keep the formula true."""
        return self._reason(transforms.general_reason, self.critical_masks)

    def _reason(self, transform: Callable[..., NodeId], critical: Mapping[FeatureId, StateMask]) -> NNF:
        manager = self._manager
        formula, allowed = self.formula, {**critical, **self.fixed_masks}
        rest = transform(formula.manager, formula.root, self.positions, allowed=allowed, into=manager)
        parts = manager.children(rest) if manager.kind(rest) == Kind.AND else [rest]
        literals = [manager.add_literal(feature, mask) for feature, mask in critical.items()]
        return NNF(manager, manager.add_and([*literals, *parts]))

    def enough(self, most_steps: int) -> tuple[BitDiagrams, Node]:
        """Return the BDD of "these features are enough", with the features of ``around`` as its levels.

        Critical features are taken for granted. What was made is kept; if it took more than ``most_steps``,
        it is refused with ``TooLarge`` all the same, so that no answer depends on what was asked before.
        """
        if "enough" not in self._made:
            features = self.around.features
            if most_steps in self._refused:
                raise TooLarge(f"the diagrams of the reasons take more than {most_steps} steps")
            diagrams = BitDiagrams(len(features), most_steps)
            try:
                function = self.around.kept(diagrams, {f: level for level, f in enumerate(features)})
            except TooLarge:
                self._refused.add(most_steps)
                raise
            self._made["enough"] = diagrams, function
            diagrams.forget()
        diagrams, function = self._made["enough"]
        diagrams.refuse_above(most_steps)
        return diagrams, function

    def minimal_sets(self, most_steps: int, *, clauses: bool) -> tuple[BitDiagrams, Node]:
        """Return the ZDD of the features of all sufficient reasons, or (``clauses``) of all necessary ones.

        But for critical features: they are in every sufficient reason, and each is a necessary one. The
        necessary ones are the minimal sets of the dual. Kept and refused as in ``enough``.
        """
        what = "necessary" if clauses else "sufficient"
        if what not in self._made:
            diagrams = BitDiagrams(len(self.around.features), most_steps)
            function = diagrams.copy(*self.enough(most_steps), dual=clauses)
            self._made[what] = diagrams, diagrams.minimal(function)
            diagrams.forget()
        diagrams, family = self._made[what]
        diagrams.refuse_above(most_steps)
        return diagrams, family

    def own_term(self, features: Iterable[FeatureId]) -> Term:
        """Return the part of the instance with these features."""
        return self.term({feature: self.instance_masks[feature] for feature in features})

    def own_clause(self, features: Iterable[FeatureId]) -> Clause:
        """Return the clause of the instance's states of these features."""
        return self.clause({feature: self.instance_masks[feature] for feature in features})

    def term(self, masks: Mapping[FeatureId, StateMask]) -> Term:
        """Return the term with these literals."""
        return Term.from_masks(self.domain, masks)

    def clause(self, masks: Mapping[FeatureId, StateMask]) -> Clause:
        """Return the clause with these literals."""
        return Clause.from_masks(self.domain, masks)
