"""What a diagram says around one instance: what single changes do, its complete and its general reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bnc2d.explain.case import Case
from bnc2d.logic.circuit import transforms
from bnc2d.logic.circuit.manager import Kind, Manager, NodeId
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.domain import Domain, FeatureId, StateMask
from bnc2d.logic.nnf import NNF
from bnc2d.logic.primes.diagrams import BitDiagrams, Node, TooLarge
from bnc2d.logic.primes.neighbourhood import Neighbourhood


@dataclass(frozen=True)
class Surroundings(Case):
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
    # The diagrams of the features of reasons that were made so far, and the steps known not to be enough.
    _made: dict[str, tuple[BitDiagrams, Node]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    _refused: set[tuple[str, int]] = field(default_factory=set, init=False, repr=False, compare=False)

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
    def _critical_states(self) -> dict[FeatureId, StateMask]:
        return {feature: self.instance_masks[feature] for feature in self.critical_masks}

    @cached_property
    def around(self) -> Neighbourhood:
        """What the diagram says where fixed and critical features are as in the instance."""
        return self._neighbourhood(self._critical_states)

    @cached_property
    def widely_around(self) -> Neighbourhood:
        """The same, but critical features may have all states that keep the formula true."""
        return self._neighbourhood(self.critical_masks)

    def _neighbourhood(self, critical: Mapping[FeatureId, StateMask]) -> Neighbourhood:
        allowed = {**critical, **self.fixed_masks}
        states = [
            [state for state in own if feature not in allowed or allowed[feature] >> state & 1]
            for feature, own in enumerate(self.own_first)
        ]
        return Neighbourhood(self.diagram, states, self.labels)

    @cached_property
    def complete(self) -> NNF:
        """The complete reason: which of the instance's states together keep the formula true."""
        return self._reason(transforms.complete_reason, self._critical_states)

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
        level_of = {feature: level for level, feature in enumerate(self.around.features)}
        return self._once("enough", most_steps, lambda diagrams: self.around.kept(diagrams, level_of))

    def minimal_sets(self, most_steps: int, *, clauses: bool) -> tuple[BitDiagrams, Node]:
        """Return the ZDD of the features of all sufficient reasons, or (``clauses``) of all necessary ones.

        But for critical features: they are in every sufficient reason, and each is a necessary one. The
        necessary ones are the minimal sets of the dual. Kept and refused as in ``enough``.
        """

        def make(diagrams: BitDiagrams) -> Node:
            return diagrams.minimal(diagrams.copy(*self.enough(most_steps), dual=clauses))

        return self._once("necessary" if clauses else "sufficient", most_steps, make)

    def _once(
        self, what: str, most_steps: int, make: Callable[[BitDiagrams], Node]
    ) -> tuple[BitDiagrams, Node]:
        if what not in self._made:
            if (what, most_steps) in self._refused:
                raise TooLarge(f"the diagrams of the reasons take more than {most_steps} steps")
            diagrams = BitDiagrams(len(self.around.features), most_steps)
            try:
                self._made[what] = diagrams, make(diagrams)
            except TooLarge:
                self._refused.add((what, most_steps))
                raise
            diagrams.forget()
        diagrams, node = self._made[what]
        diagrams.refuse_above(most_steps)
        return diagrams, node
