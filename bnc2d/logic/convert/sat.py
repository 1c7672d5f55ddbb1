"""Questions that need search, answered by SAT over the one-hot variables; every no (or yes) has a witness.

Solver: CaDiCaL 1.5.3. On equivalence of decision diagrams in two orders it was the fastest of python-sat's
solvers or close to it, and it bears being stopped after every thousand conflicts, which is how time limits
are kept; MiniSat forgets too much then (30 s and no answer where CaDiCaL takes 1 s).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any, Self, TypeAlias

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.finding import Finding, answer_words
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.circuit.overlaps import overlapping_on_sight
from bnc2d.logic.convert.cnf import Tseitin
from bnc2d.logic.convert.one_hot import BooleanClause, BooleanLiteral
from bnc2d.logic.domain import Domain, FeatureId, StateMask

Circuit: TypeAlias = tuple[Manager, NodeId]
NodeOrCircuit: TypeAlias = NodeId | Circuit  # a node of the manager at hand, or of another one

_SOLVER = "cadical153"
# Conflicts between two checkpoints, and the seconds that they should take at most.
_CONFLICTS_AT_ONCE = 2000
_MOST_CONFLICTS = 1000
_FEWEST_CONFLICTS = 30
_SECONDS_AT_ONCE = 0.2
_CLAUSES_AT_ONCE = 1 << 13
_NO_ANSWER = "the SAT solver has no answer"


@dataclass(frozen=True)
class Answer(Finding):
    """A yes or no with an instance that proves it, where one instance can, and the reason in words."""

    holds: bool
    witness: dict[str, str] | None = None
    reason: str = field(default="by SAT", compare=False)

    def __str__(self) -> str:
        return answer_words(self.holds, self.reason, self.witness)


class SteppedSearch:
    """Searches with a solver of python-sat, by so many conflicts at a time that a checkpoint is never far.

    Where ``fewest`` is less than ``conflicts``, they are halved when they take long. Being stopped changes
    which model a solver finds; so where models must be the same on every machine, their number is fixed.
    """

    def __init__(self, solver: Any, conflicts: int = _CONFLICTS_AT_ONCE, fewest: int | None = None) -> None:
        self._solver, self._conflicts = solver, conflicts
        self._fewest = conflicts if fewest is None else fewest

    def satisfiable(self, assumptions: Sequence[BooleanLiteral] = ()) -> bool:
        """Return whether there is a model under the assumptions."""
        while True:
            checkpoint()
            started = monotonic()
            self._solver.conf_budget(self._conflicts)
            found = self._solver.solve_limited(assumptions)
            if found is not None:
                return bool(found)
            if monotonic() - started > _SECONDS_AT_ONCE:
                self._conflicts = max(self._fewest, self._conflicts // 2)


class SatSession:
    """A solver that keeps the exactly-one constraints and the circuits given to it; use in ``with``.

    ``time_limit`` (seconds) runs from the start of the session; passing it raises ``LimitExceeded``.
    """

    def __init__(self, domain: Domain, time_limit: float | None = None) -> None:
        from pysat.solvers import Solver

        self.domain = domain
        self._tseitin = Tseitin(domain)
        self.one_hot = self._tseitin.one_hot
        self._budget = Budget(time_limit)
        self._budget.left()  # it runs from now on
        self._loaded = 0
        self._solver = Solver(name=_SOLVER)
        self._search = SteppedSearch(self._solver, _MOST_CONFLICTS, _FEWEST_CONFLICTS)

    def close(self) -> None:
        """Free the solver; a second call does nothing."""
        self._solver.delete()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def output(self, manager: Manager, root: NodeId) -> BooleanLiteral:
        """Return a literal that is true exactly where the circuit is."""
        with self._budget.limiting(_NO_ANSWER):
            return self._tseitin.output(manager, root)

    def new_variable(self) -> BooleanLiteral:
        """Return a variable that occurs nowhere else."""
        variable: BooleanLiteral = self._tseitin.pool.id()
        return variable

    def add_clause(self, clause: BooleanClause) -> None:
        """Add a clause over one-hot variables, outputs and new variables."""
        self._tseitin.clauses.append(clause or [-self._tseitin.truth()])

    def instance(self, assumptions: list[BooleanLiteral]) -> list[int] | None:
        """Return the state positions of an instance under the assumptions, or None where there is none."""
        clauses = self._tseitin.clauses
        with self._budget.limiting(_NO_ANSWER):
            for piece in pieces(len(clauses) - self._loaded, _CLAUSES_AT_ONCE):
                self._solver.append_formula(clauses[self._loaded : self._loaded + piece.stop - piece.start])
                self._loaded += piece.stop - piece.start
            if not self._search.satisfiable(assumptions):
                return None
        return self.one_hot.decode(self._solver.get_model()[: self.one_hot.count])


class CircuitSolver(SatSession):
    """One circuit loaded into a solver, to ask many things about it; use in ``with``.

    >>> manager = Manager(Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1")}))
    >>> root = manager.add_and([manager.add_literal(0, 0b011), manager.add_literal(1, 0b10)])
    >>> with CircuitSolver(manager, root) as solver:
    ...     solver.solve({0: 0b110}), solver.solve({0: 0b100, 1: 0b10}), solver.core()
    ([1, 1], None, {0: 4})
    """

    def __init__(self, manager: Manager, root: NodeId) -> None:
        super().__init__(manager.domain)
        self._output = self._claim = self.output(manager, root)

    def solve(
        self, masks: Mapping[FeatureId, StateMask] | None = None, *, value: bool = True
    ) -> list[int] | None:
        """Return an instance within the masks for which the circuit has this value, as state positions."""
        self._claim = self._output if value else -self._output
        return self.instance([self._claim, *self.one_hot.mask_assumptions(masks or {})])

    def core(self) -> dict[FeatureId, StateMask]:
        """Return weaker masks that rule out every instance too, after ``solve`` returned None.

        Features that are not needed are absent. Not always the weakest masks possible.
        """
        masks: dict[FeatureId, StateMask] = {}
        for literal in self._solver.get_core() or ():
            if literal != self._claim:  # the circuit's value; the others are one-hot variables denied
                feature, state = self.one_hot.owner(-literal)
                masks[feature] = masks.get(feature, self.domain.full(feature)) & ~(1 << state)
        return masks


def satisfiable(manager: Manager, root: NodeId, time_limit: float | None = None) -> Answer:
    """Return whether some instance satisfies the circuit; the witness is one that does."""
    no = _none(manager, [[(root, True)]], time_limit, "satisfies the circuit")
    return replace(no, holds=not no.holds)


def implies(
    manager: Manager, first: NodeOrCircuit, second: NodeOrCircuit, time_limit: float | None = None
) -> Answer:
    """Return whether each instance of the first satisfies the second; the witness is one that does not."""
    only_first = [(first, True), (second, False)]
    return _none(manager, [only_first], time_limit, "satisfies the first circuit and not the second")


def equivalent(
    manager: Manager, first: NodeOrCircuit, second: NodeOrCircuit, time_limit: float | None = None
) -> Answer:
    """Return whether the circuits agree on every instance; the witness is one where they do not."""
    only_one = [[(one, True), (other, False)] for one, other in ((first, second), (second, first))]
    return _none(manager, only_one, time_limit, "satisfies one circuit only")


def disjoint(
    manager: Manager, first: NodeOrCircuit, second: NodeOrCircuit, time_limit: float | None = None
) -> Answer:
    """Return whether no instance satisfies both circuits; the witness is one that does."""
    return _none(manager, [[(first, True), (second, True)]], time_limit, "satisfies both circuits")


def exhaustive(manager: Manager, roots: Iterable[NodeOrCircuit]) -> Answer:
    """Return whether every instance satisfies one of the circuits; the witness is one that satisfies none."""
    return _none(manager, [[(root, False) for root in roots]], None, "satisfies none of the circuits")


def _none(
    manager: Manager,
    cases: Iterable[Sequence[tuple[NodeOrCircuit, bool]]],
    time_limit: float | None,
    what: str,
) -> Answer:
    """Return whether in no case an instance gives all circuits their values."""
    with SatSession(manager.domain, time_limit) as session:
        for case in cases:
            claims = []
            for circuit, value in case:
                output = session.output(*(circuit if isinstance(circuit, tuple) else (manager, circuit)))
                claims.append(output if value else -output)
            opposed = any(-claim in claims for claim in claims)
            if not opposed and (positions := session.instance(claims)) is not None:
                return _no_instance(manager, positions, what)
    return _no_instance(manager, None, what)


def is_deterministic(manager: Manager, root: NodeId, time_limit: float | None = None) -> Answer:
    """Return whether no instance satisfies two disjuncts of an OR; the witness is one that does.

    Disjuncts that force a feature into disjoint states need no search; the others are given to SAT.
    """
    what = "satisfies two disjuncts of an OR"
    suspects = overlapping_on_sight(manager, root)
    if not suspects:
        return _no_instance(manager, None, what)
    with SatSession(manager.domain, time_limit) as session:
        for disjunct, others in suspects:
            one_of_them = session.new_variable()
            session.add_clause([-one_of_them, *(session.output(manager, other) for other in others)])
            positions = session.instance([session.output(manager, disjunct), one_of_them])
            if positions is not None:
                return _no_instance(manager, positions, what)
            session.add_clause([-one_of_them])
    return _no_instance(manager, None, what)


def _no_instance(manager: Manager, positions: list[int] | None, what: str) -> Answer:
    """Return that no instance does something, or that one does."""
    if positions is None:
        return Answer(True, None, f"no instance {what}")
    return Answer(False, manager.domain.decode(positions), f"an instance {what}")
