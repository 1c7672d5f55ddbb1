"""Minimal true sets of a monotone circuit, one after the other, however many there are.

The circuit's literals stand for sets of bits that must all be present. A SAT solver holds the circuit and a
clause for every prime found, so each of its answers is a true set above primes that are all new. Such a set
is shrunk along several orders of its bits at once (monotone.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random

from bnc2d.logic.circuit.manager import TRUE, Manager, NodeId
from bnc2d.logic.circuit.queries import is_constant
from bnc2d.logic.convert.sat import SteppedSearch
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.primes.monotone import SetCircuit
from bnc2d.logic.primes.subsumption import BitSet

_MOST_ORDERS = 256


def minimal_true_sets(
    manager: Manager,
    root: NodeId,
    code: Callable[[FeatureId, StateMask], BitSet],
    *,
    dual: bool,
) -> Iterator[BitSet]:
    """Yield the minimal sets of bits that make the circuit true; with ``dual``, AND and OR swap roles.

    ``code`` gives the bits of a literal, at least one. The order is the same on every run: batches as they
    are found, the smallest sets of a batch first.
    """
    if is_constant(root):
        if (root == TRUE) != dual:
            yield 0
        return
    from pysat.solvers import Solver

    circuit = SetCircuit(manager, root, code, dual=dual)
    bits = circuit.bits([len(circuit) - 1])
    random = Random(0)  # noqa: S311 - varies the orders of removal, the same on every run
    orders = 4
    with Solver(name="glucose4", bootstrap_with=circuit.clauses()) as solver:
        solver.set_phases([bit + 1 for bit in bits])  # large sets lie above many primes
        search = SteppedSearch(solver)
        while search.satisfiable():
            seed = solver.get_model()
            present = [bit for bit in bits if seed[bit] > 0]
            found = circuit.shrink([random.sample(present, len(present)) for _ in range(orders)])
            for prime in found:
                solver.add_clause([-bit - 1 for bit in bits if prime >> bit & 1])
            yield from sorted(found, key=lambda prime: (prime.bit_count(), -prime))
            orders = min(_MOST_ORDERS, 2 * orders) if 2 * len(found) > orders else max(1, orders // 2)
