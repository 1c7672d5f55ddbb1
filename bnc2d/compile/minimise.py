"""Small OR-decomposable formulas of the classes of a diagram: the best of a few circuits each.

Steps, for the function "the instance is in this class":
1. the two-ended diagram of the class, in the given order of features and in one found by sifting;
2. for each order, blocks of levels for a few estimates of what guards cost (see ``blocks``);
3. the circuit of each plan, flattened; the one with the fewest nodes is kept.
Every step preserves the function, and how much is tried depends on sizes only, never on the clock: the same
diagram always gives the same circuits.
"""

from __future__ import annotations

from dataclasses import dataclass

from bnc2d.compile.blocks import Plan, SubFunctions, build, plain_size_at_least, plan_blocks, two_ended
from bnc2d.compile.circuit import class_formula
from bnc2d.compile.diagram import Diagram
from bnc2d.compile.flatten import dissolvable, flatten
from bnc2d.compile.sift import sift
from bnc2d.logic.domain import Domain
from bnc2d.logic.manager import Manager, NodeId
from bnc2d.logic.queries import node_count

# Rows that sifting may touch, in diagrams of at most so many nodes; then nodes of all diagrams that circuits
# are made from, where that allows more than one circuit for each order.
_SIFT_WORK = 600_000
_SIFTED_NODES = 20_000
_TRIED_NODES = 4_000
_GUARD_SCALES = (1.0, 0.6, 1.5)


@dataclass(frozen=True)
class SmallFormulas:
    """For each class its formula and the formula of its complement, all in one manager."""

    manager: Manager
    formulas: tuple[NodeId, ...]
    negations: tuple[NodeId, ...]


class _Circuit:
    """A candidate, the gates that can be dissolved in it, and how many nodes are left at most."""

    def __init__(self, manager: Manager, root: NodeId) -> None:
        self.manager = manager
        self.root = root
        self.dissolved = dissolvable(manager, root)
        self.size = node_count(manager, root) - len(self.dissolved)


class Minimiser:
    """Makes the formulas of a diagram's labels on demand, in ``manager``; each is made once.

    ``effort`` scales how much is tried: 0 means one circuit, in the given order of features.
    """

    def __init__(self, diagram: Diagram, domain: Domain, effort: float = 1.0) -> None:
        self.manager = Manager(domain)
        self._diagram = diagram
        self._effort = effort
        self._formulas: dict[tuple[int, bool], NodeId] = {}
        self._given: dict[int, Diagram] = {}
        self._plans: dict[int, list[tuple[Diagram, Plan]]] = {}

    def formula(self, label: int, negated: bool = False) -> NodeId:
        """Return the OR-decomposable formula of the instances with this label, or of all others."""
        if self._diagram.ends == 2 and label == 0:
            label, negated = 1, not negated
        key = (label, negated)
        if key not in self._formulas:
            self._formulas[key] = self._make(label, negated)
        return self._formulas[key]

    def _make(self, label: int, negated: bool) -> NodeId:
        if label not in self._plans:
            self._plans[label] = self._plan(label)
        plans = self._plans[label]
        made = []
        for diagram, plan in plans:
            scratch = Manager(self.manager.domain)
            made.append(_Circuit(scratch, build(SubFunctions.of(diagram, negated), plan, scratch)))
        best = min(range(len(made)), key=lambda position: made[position].size)
        # What suits a function suits its complement, give or take.
        self._plans[label] = [plans[best]] if best == 0 else [plans[best], plans[0]]
        circuit = made[best]
        given = self._given[label]
        if circuit.size > plain_size_at_least(SubFunctions.of(given, negated)):
            scratch = Manager(self.manager.domain)
            plain = _Circuit(scratch, class_formula(given, scratch, 1, negated))
            circuit = min(circuit, plain, key=lambda circuit: circuit.size)
        return flatten(circuit.manager, circuit.root, self.manager, circuit.dissolved)

    def _plan(self, label: int) -> list[tuple[Diagram, Plan]]:
        """Return what to try: orders with blocks, the given order first."""
        given = self._given[label] = two_ended(self._diagram, label)
        if not given.node_count or self._effort <= 0:
            return [(given, plan_blocks(SubFunctions.of(given))[0])]
        diagrams = [given]
        share = self._effort / (1 if self._diagram.ends == 2 else self._diagram.ends)
        if given.node_count <= share * _SIFTED_NODES:
            sifted = sift(given, self.manager.domain.cardinalities, int(share * _SIFT_WORK))
            if sifted is not given:
                diagrams.append(sifted)
        plans = [[(d, plan) for plan in plan_blocks(SubFunctions.of(d), _GUARD_SCALES)] for d in diagrams]
        # All orders with the first scale, then with the second, and so on.
        ranked = [row[turn] for turn in range(len(_GUARD_SCALES)) for row in plans if turn < len(row)]
        affordable = int(share * _TRIED_NODES) // given.node_count
        return ranked[: max(len(diagrams), affordable)]


def small_formulas(diagram: Diagram, domain: Domain, classes: int, *, effort: float = 1.0) -> SmallFormulas:
    """Return the formulas of the labels ``0 .. classes-1`` and of their complements."""
    minimiser = Minimiser(diagram, domain, effort)
    formulas = tuple(minimiser.formula(label) for label in range(classes))
    negations = tuple(minimiser.formula(label, negated=True) for label in range(classes))
    return SmallFormulas(minimiser.manager, formulas, negations)
