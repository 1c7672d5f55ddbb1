"""Circuits as CNF: the Tseitin transform over one-hot variables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnc2d.base.checkpoints import checked
from bnc2d.errors import LogicError
from bnc2d.logic.circuit.arrays import alone
from bnc2d.logic.circuit.manager import TRUE, Kind, Manager, NodeId
from bnc2d.logic.convert.one_hot import BooleanClause, BooleanLiteral, OneHot
from bnc2d.logic.domain import Domain, FeatureId, StateMask

if TYPE_CHECKING:
    from pysat.formula import CNF

# A set literal of a feature with at most so many states is written out in the clauses that use it.
_INLINE_STATES = 4


class Tseitin:
    """Clauses of any number of circuits over one domain, nodes shared, both directions of every gate.

    Because exactly one state holds, ``feature ∈ mask`` and its negation are both disjunctions of one-hot
    variables: set literals of small features need no variable of their own. Every variable is determined
    by the one-hot ones, so ``clauses`` always has exactly one model for each instance.
    """

    def __init__(self, domain: Domain) -> None:
        from pysat.formula import IDPool

        self.one_hot = OneHot(domain)
        self.pool = IDPool(start_from=self.one_hot.top + 1)
        self.clauses: list[BooleanClause] = self.one_hot.clauses()
        self._managers: list[Manager] = []  # keeps them alive: their id() is part of a key
        self._literals: dict[tuple[int, NodeId], BooleanLiteral] = {}
        self._sets: dict[tuple[FeatureId, StateMask], BooleanLiteral] = {}

    def output(self, manager: Manager, root: NodeId) -> BooleanLiteral:
        """Return a literal that is true exactly where the circuit is; adds the clauses that say so."""
        self._encode_gates(manager, root)
        kind = manager.kind(root)
        if kind == Kind.CONSTANT:
            return self.truth() if root == TRUE else -self.truth()
        if kind == Kind.LITERAL:
            return self._set_literal(*manager.literal_of(root))
        return self._literals[id(manager), root]

    def _encode_gates(self, manager: Manager, root: NodeId) -> None:
        if manager.domain != self.one_hot.domain:
            raise LogicError("the circuits are over different domains")
        if not any(known is manager for known in self._managers):
            self._managers.append(manager)
        mine = id(manager)
        if (mine, root) in self._literals:
            return
        # For each node two disjunctions: that it holds, and that it fails.
        said = {node: self._said_inline(feature, mask) for node, feature, mask in manager.literals(root)}
        for node, is_or, children in checked(manager.gates(root)):
            known = self._literals.get((mine, node))
            gate: BooleanLiteral = self.pool.id((mine, node)) if known is None else known
            said[node] = ([gate], [-gate])
            if known is None:
                self._literals[mine, node] = gate
                # An OR is an AND of negations, negated: exchanging "holds" and "fails" makes one the other.
                output, side = (-gate, 1) if is_or else (gate, 0)
                long = [output]
                for child in children:
                    self.clauses.append([-output, *said[child][side]])
                    long += said[child][1 - side]
                self.clauses.append(long)

    def _said_inline(self, feature: FeatureId, mask: StateMask) -> tuple[BooleanClause, BooleanClause]:
        full = self.one_hot.domain.full(feature)
        if full.bit_length() <= _INLINE_STATES:
            return self.one_hot.short_clause(feature, mask), self.one_hot.short_clause(feature, full & ~mask)
        literal = self._set_literal(feature, mask)
        return [literal], [-literal]

    def _set_literal(self, feature: FeatureId, mask: StateMask) -> BooleanLiteral:
        """Return one literal for ``feature ∈ mask``; a new variable unless one state is in or out."""
        full = self.one_hot.domain.full(feature)
        holds, fails = (self.one_hot.short_clause(feature, m) for m in (mask, full & ~mask))
        if len(holds) == 1:
            return holds[0]
        if len(fails) == 1:
            return -fails[0]
        if (feature, full & ~mask) in self._sets:
            return -self._sets[feature, full & ~mask]
        if (feature, mask) not in self._sets:
            variable = self._sets[feature, mask] = self.pool.id(("set", feature, mask))
            self.clauses += [[-variable, *holds], [variable, *fails]]
        return self._sets[feature, mask]

    def truth(self) -> BooleanLiteral:
        """Return a variable that is always true."""
        if ("true",) not in self.pool.obj2id:
            self.clauses.append([self.pool.id(("true",))])
        variable: int = self.pool.id(("true",))
        return variable


def to_cnf(manager: Manager, root: NodeId) -> CNF:
    """Return a CNF whose models, cut down to the one-hot variables, are the circuit's models, each once.

    Comments name the one-hot variables (``c 1 BP=Low``), which ``CNF.to_file`` writes.
    """
    from pysat.formula import CNF

    manager, root = alone(manager, root)
    tseitin = Tseitin(manager.domain)
    if manager.kind(root) == Kind.LITERAL:
        tseitin.clauses.append(tseitin.one_hot.short_clause(*manager.literal_of(root)))
    elif root != TRUE:  # false is a contradiction, as DIMACS has no good way to write an empty clause
        tseitin.clauses.append([tseitin.output(manager, root)])
    cnf = CNF(from_clauses=tseitin.clauses)
    cnf.nv = tseitin.pool.top
    domain, hot = manager.domain, tseitin.one_hot
    for variable in range(1, hot.count + 1):
        feature, state = hot.owner(variable)
        name = f"{domain.names[feature]}={domain.states[feature][state]}"
        cnf.comments.append(f"c {variable} {' '.join(name.split())}")
    return cnf
