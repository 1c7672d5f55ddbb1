"""Rules, checked by the diagram of a compiled model, which may leave out instances."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers
from bnc2d.base.budget import Budget
from bnc2d.explain.whole.rules.claims import PairClaim, RuleFormula
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.constraints.formula import Not, build
from bnc2d.logic.constraints.reader import Literal, literal_node
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.from_circuits import diagram_of_circuit
from bnc2d.logic.diagram.pairs import find_pair
from bnc2d.logic.diagram.restrict import restricted
from bnc2d.logic.diagram.walks import Assignment, path_to, tell_apart


class DiagramRoute:
    """Finds what breaks a claim; labels of the diagram beyond the ``decisions`` do not count."""

    settled: float | None = None  # nothing is known of a rule until it is decided

    def __init__(self, diagram: Diagram, decisions: Sequence[str | None]) -> None:
        self.domain = diagram.domain
        self._diagram = diagram
        self._decisions = decisions

    def breaking(self, claim: RuleFormula | PairClaim, budget: Budget) -> tuple[list[int], ...]:
        """Return the instance, or the two, that break a claim; none where it holds."""
        if isinstance(claim, PairClaim):
            return self._pair(claim, budget)
        return self._instance(claim, budget)

    def _instance(self, formula: RuleFormula, budget: Budget) -> tuple[list[int], ...]:
        """Return an instance that does not satisfy a formula.

        For each decision the formula becomes one over features; an instance that violates that one and has
        the decision breaks the rule.
        """
        for label, decision in enumerate(self._decisions):
            manager = Manager(self.domain)
            root = _violated(formula, manager, None if decision is None else label)
            if root == FALSE:
                continue
            violated = diagram_of_circuit(manager, root, self._diagram.order, budget.progress)
            found = next(restricted(self._diagram, violated).instances(label, limit=1), None)
            if found is not None:
                return (self.domain.encode(found),)
        return ()

    def _pair(self, claim: PairClaim, budget: Budget) -> tuple[list[int], ...]:
        diagram = self._diagram
        if claim.condition is not None:
            manager = Manager(self.domain)
            root = build(claim.condition, manager, partial(literal_node, manager))
            diagram = restricted(diagram, diagram_of_circuit(manager, root, diagram.order, budget.progress))
        known = len(self._decisions)
        wanted = np.zeros((diagram.terminals, diagram.terminals), dtype=bool)
        wanted[:known, :known] = claim.forbidden[:known, :known]
        matters = [label for label in range(known) if claim.matters[label]]
        all_count = all(label in matters or not count for label, count in enumerate(diagram.counts()))
        found = _broken(diagram, claim, wanted, all_count)
        if found is None:
            return ()
        first, second = ([part.get(at, 0) for at in range(len(self.domain))] for part in found)
        return first, second


def _violated(formula: RuleFormula, manager: Manager, label: int | None) -> NodeId:
    """Return the circuit of the instances that violate a rule if they have a label (None: in no class)."""
    target = len(manager.domain)

    def literal(leaf: Literal, positive: bool) -> NodeId:
        if leaf.feature != target:
            return literal_node(manager, leaf, positive)
        holds = label is not None and bool(leaf.mask >> label & 1)
        return TRUE if holds == positive else FALSE

    return build(Not(formula), manager, literal)


def _broken(
    diagram: Diagram, claim: PairClaim, wanted: NDArray[np.bool_], all_count: bool
) -> tuple[Assignment, Assignment] | None:
    """Return two instances that break a claim.

    Where all instances count, single steps are enough: of two that differ in several features, or by several
    states, some two neighbours on the way break the claim as well.
    """
    sizes = diagram.domain.cardinalities
    deciding = {level.feature: level for level in diagram.walk if level.feature in claim.features}
    if claim.change == "any" and all_count:
        for feature, level in deciding.items():
            edges = level.table[0].tolist()
            state = next(state for state, child in enumerate(edges) if child != edges[0])
            other = path_to(diagram, level.first) | tell_apart(diagram, edges[0], edges[state])
            return {**other, feature: 0}, {**other, feature: state}
        return None
    if claim.change == "any" or (claim.change == "up" and not all_count):
        together = {feature: _steps(sizes[feature], claim) for feature in deciding}
        return find_pair(diagram, together, wanted) if deciding else None
    for feature in deciding:
        steps = _neighbours(sizes[feature]) if claim.change == "up" else _steps(sizes[feature], claim)
        found = find_pair(diagram, {feature: steps}, wanted)
        if found is not None:
            return found
    return None


def _steps(size: int, claim: PairClaim) -> Numbers:
    """Return the pairs of states that two instances may have."""
    return np.array(
        [(low, high) for low in range(size) for high in range(size) if claim.change != "up" or low <= high]
    )


def _neighbours(size: int) -> Numbers:
    return np.array([*pairwise(range(size)), *((state, state) for state in range(size))])
