"""Small OR-decomposable formulas of the classes of a diagram: the best of a few circuits each.

Steps, for the function "the instance is in this class", with states that are alike as one (``state_groups``):
1. the two-terminal diagram of the class, in the given order of features and in one found by sifting;
2. for each order, blocks of levels for a few estimates of what guards cost (see ``plan``);
3. the circuit of each plan, gates absorbed (see ``blocks``); the one with the fewest nodes is kept.
Every step preserves the function, and how much is tried depends on sizes only, never on the clock: the same
diagram always gives the same circuits.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from bnc2d.base.workers import beside, spread
from bnc2d.compile.formula.blocks import BlockCircuits
from bnc2d.compile.formula.cells import CellTables
from bnc2d.compile.formula.implication import Implications
from bnc2d.compile.formula.plan import Estimate, Plan, Planner, plain_size_at_least, scaled, shared
from bnc2d.compile.formula.state_groups import StateGroups
from bnc2d.logic.circuit.absorb import absorb
from bnc2d.logic.circuit.arrays import CircuitArrays
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.sifting import sift
from bnc2d.logic.diagram.to_circuit import to_circuit
from bnc2d.logic.domain import Domain

# Rows that sifting may touch, in diagrams of at most so many nodes; then nodes of all diagrams that circuits
# are made from, where that allows more than one circuit for each order.
_SIFT_WORK = 600_000
_SIFTED_NODES = 20_000
_TRIED_NODES = 4_000
_GUARD_SCALES = (1.0, 0.6, 1.5)
# In larger diagrams no second circuit is made, neither of other blocks nor the plain one.
_COMPARED_NODES = 20_000
# Other blocks are tried where they promise to save this much, and the first circuit is no smaller than this
# share of its estimate (or has more nodes than the diagram).
_PROMISED = 0.985
_AS_ESTIMATED = 0.92


class _Function:
    """A diagram as a function, with what its plans share."""

    def __init__(self, diagram: Diagram) -> None:
        self.diagram = diagram
        self.tables = CellTables(diagram)
        # Which sub-functions imply which, and what blocks cost.
        with beside(lambda: Implications(diagram), worth_it=diagram.node_count > _COMPARED_NODES) as wanted:
            self.planner = Planner(self.tables)
            self.implications = wanted()

    @cached_property
    def plain_size_at_least(self) -> int:
        """A lower bound on the nodes of the plain circuit."""
        return plain_size_at_least(self.diagram)

    def candidates(self, estimates: Sequence[Estimate]) -> list[_Candidate]:
        """Return the cheapest plan for each estimate, each plan once."""
        plans = dict.fromkeys(self.planner.plan(estimate) for estimate in estimates)
        return [_Candidate(self, plan) for plan in plans]


class _Candidate:
    """A function with a plan of blocks."""

    def __init__(self, function: _Function, plan: Plan) -> None:
        self.function, self.plan = function, plan

    @cached_property
    def _circuits(self) -> BlockCircuits:
        of = self.function
        return BlockCircuits(of.diagram, self.plan, of.tables, of.implications)

    def make_blocks(self) -> None:
        """Make what the circuit of the function shares with that of its complement."""
        _ = self._circuits

    def circuit(self, negated: bool) -> CircuitArrays:
        """Return the circuit of the function or of its complement."""
        return self._circuits.circuit(negated)


class Minimiser:
    """Makes the formulas of a diagram's labels on demand, in ``manager``; each is made once.

    ``effort`` scales how much is tried: 0 means one or two circuits, in the given order of features.
    """

    def __init__(self, diagram: Diagram, domain: Domain, effort: float = 1.0) -> None:
        self.manager = Manager(domain)
        self._whole = diagram
        self._effort = effort
        self._negation_first = diagram.terminals == 2  # where class 0 is "not class 1"
        self._formulas: dict[tuple[int, bool], NodeId] = {}
        self._candidates: dict[int, list[_Candidate]] = {}

    @cached_property
    def _groups(self) -> StateGroups:
        """The diagram that formulas are made of, over groups of states."""
        return StateGroups.of(self._whole, self.manager.domain)

    def formula(self, label: int, negated: bool = False) -> NodeId:
        """Return the OR-decomposable formula of the instances with this label, or of all others."""
        if self._whole.terminals == 2 and label == 0:
            label, negated = 1, not negated
        key = (label, negated)
        if key not in self._formulas:
            self._add(key, self._circuit(label, negated))
        return self._formulas[key]

    def _add(self, key: tuple[int, bool], circuit: CircuitArrays) -> None:
        if not self._formulas:  # for all at once: to grow with each of them means to move the others
            labels = self._whole.terminals
            self.manager.store.make_room(labels * circuit.size, labels * len(circuit.children))
        self._formulas[key] = circuit.add_to(self.manager, self._groups.states, simplify=False)[0]

    def prepare(self, labels: Sequence[int]) -> None:
        """Make the formulas of these labels, in this order, side by side where there are threads.

        Not for small diagrams, where a function and its complement decide on each other's circuits.
        """
        if self._groups.diagram.node_count <= _COMPARED_NODES:
            return
        keys = [(label, False) for label in labels]
        if self._whole.terminals == 2:  # one function and its complement
            keys = [(1, True), (1, False)]
            self._candidates[1] = self._plan(1)
            self._candidates[1][0].make_blocks()
        for key, circuit in zip(keys, spread(lambda key: self._circuit(*key), keys), strict=True):
            self._add(key, circuit)  # beside the others, which are still being made

    def _circuit(self, label: int, negated: bool) -> CircuitArrays:
        """Return the smallest circuit of those tried."""
        first_time = label not in self._candidates
        candidates = self._plan(label) if first_time else self._candidates[label]
        given = candidates[0].function
        if first_time and negated != self._negation_first and given.diagram.node_count <= _COMPARED_NODES:
            # The plan that suits one of the two is kept for the other, whichever is asked for first.
            self.formula(label, not negated)
            first_time, candidates = False, self._candidates[label]
        made = [candidate.circuit(negated) for candidate in candidates]
        if first_time and len(made) == 1:
            other = _second_plan(candidates[0], made[0].size)
            if other is not None:
                candidates = [*candidates, other]
                made.append(other.circuit(negated))
        best = min(range(len(made)), key=lambda position: made[position].size)
        # What suits a function suits its complement, give or take.
        self._candidates[label] = [candidates[0]] if best == 0 else [candidates[0], candidates[best]]
        circuit = made[best]
        nodes = given.diagram.node_count
        if nodes < circuit.size and nodes <= _COMPARED_NODES and given.plain_size_at_least < circuit.size:
            plain = absorb(to_circuit(given.diagram, negated))
            circuit = plain if plain.size < circuit.size else circuit
        return circuit

    def _plan(self, label: int) -> list[_Candidate]:
        """Return what to try: orders with blocks, the given order first."""
        given = self._groups.diagram.two_terminal(label)
        functions = [_Function(given)]
        if not given.node_count or self._effort <= 0:
            return functions[0].candidates([scaled(1.0)])
        share = self._effort / (1 if self._whole.terminals == 2 else self._whole.terminals)
        if given.node_count <= share * _SIFTED_NODES:
            sifted = sift(given, int(share * _SIFT_WORK))
            if sifted is not given:
                functions.append(_Function(sifted))
        plans = [function.candidates([scaled(scale) for scale in _GUARD_SCALES]) for function in functions]
        # All orders with the first scale, then with the second, and so on.
        ranked = [row[turn] for turn in range(len(_GUARD_SCALES)) for row in plans if turn < len(row)]
        affordable = int(share * _TRIED_NODES) // given.node_count
        return ranked[: max(len(functions), affordable)]


def _second_plan(first: _Candidate, size: int) -> _Candidate | None:
    """Return other blocks for the function of a circuit of so many nodes, where they promise to be better."""
    nodes, planner = first.function.diagram.node_count, first.function.planner
    if not 0 < nodes <= _COMPARED_NODES:
        return None
    estimated = planner.size(first.plan, shared)
    if size <= nodes and size < _AS_ESTIMATED * estimated:
        return None
    plan = planner.plan(shared)
    if planner.size(plan, shared) > _PROMISED * estimated:
        return None
    return _Candidate(first.function, plan)
