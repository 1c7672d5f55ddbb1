"""The models of a circuit in order, and in order of cost."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.errors import LimitExceeded
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId
from bnc2d.logic.circuit.queries import is_and_decomposable
from bnc2d.logic.circuit.restriction import Restriction
from bnc2d.logic.convert.sat import CircuitSolver
from bnc2d.logic.counting.cheapest import Costs, Space, States, in_order_of_cost

Item = TypeVar("Item")

_MAX_WIDTH = 1 << 17


def models(manager: Manager, root: NodeId) -> Iterator[list[int]]:
    """Yield the models as state positions, as words over the features: the last one varies fastest.

    The circuit is restricted to one state after the other, and equal restrictions are treated once. Of an
    AND-decomposable circuit what is not false has a model; of others SAT tells.
    """
    nothing = Costs(manager.domain, {})
    if is_and_decomposable(manager, root):
        space = _DecomposableSpace(manager, root, nothing)
        yield from (positions for positions, _ in in_order_of_cost(space, nothing))
        return
    work, copy = _alone(manager, root)
    with CircuitSolver(work, copy) as solver:
        any_space = _AnySpace(work, copy, solver)
        yield from (positions for positions, _ in in_order_of_cost(any_space, nothing))


def cheapest_models(manager: Manager, root: NodeId, costs: Costs) -> Iterator[tuple[list[int], int]]:
    """Yield the models with what they cost, cheapest first, equal ones in the order of ``models``.

    An AND-decomposable circuit tells the least cost of a model by one pass; others are expanded first.
    """
    space: Space
    if is_and_decomposable(manager, root):
        space = _DecomposableSpace(manager, root, costs)
    else:
        space = _ExpandedSpace(manager, root, costs)
    yield from in_order_of_cost(space, costs)


def within(budget: Budget, items: Iterator[Item], what: str) -> Iterator[Item]:
    """Yield the items; when the time is up, ``TimeLimitExceeded`` says ``what`` is not done."""
    while True:
        with budget.limiting(what):
            item = next(items, None)
        if item is None:
            return
        yield item


def _alone(manager: Manager, root: NodeId) -> tuple[Manager, NodeId]:
    """Return the circuit in a manager that may be filled with restrictions."""
    work = Manager(manager.domain)
    return work, rewrite(manager, root, work.add_literal, into=work)


class _DecomposableSpace:
    """What is left of an AND-decomposable circuit; its restrictions are AND-decomposable as well."""

    def __init__(self, manager: Manager, root: NodeId, costs: Costs) -> None:
        self.order = range(len(manager.domain))
        self._manager, self.start = _alone(manager, root)
        self.children = Restriction(self._manager, self.order)
        self._costs = costs
        self._known: dict[NodeId, int] = {TRUE: 0}

    def least(self, node: NodeId, _: States) -> int | None:
        """Return what the cheapest model costs: sums at ANDs, the least at ORs."""
        if node == FALSE:
            return None
        known, manager, table = self._known, self._manager, self._costs.table
        pending = [node]
        while pending:
            top = pending[-1]
            children = manager.children(top)
            missing = [child for child in children if child not in known]
            if missing:
                pending += missing
                continue
            pending.pop()
            if top == TRUE:
                continue
            kind = manager.kind(top)
            if kind == Kind.LITERAL:
                feature, mask = manager.literal_of(top)
                known[top] = min(cost for state, cost in enumerate(table[feature]) if mask >> state & 1)
            else:
                known[top] = (sum if kind == Kind.AND else min)(known[child] for child in children)
        return known[node]


class _ExpandedSpace:
    """All that can be left of a circuit: a diagram of it, in the order of the domain.

    More than ``_MAX_WIDTH`` different restrictions at a level are refused with ``LimitExceeded``.
    """

    def __init__(self, manager: Manager, root: NodeId, costs: Costs) -> None:
        self.order = range(len(manager.domain))
        work, self.start = _alone(manager, root)
        self.children = Restriction(work, self.order)
        levels: list[dict[NodeId, tuple[NodeId, ...]]] = []
        level = [self.start]
        for rank in self.order:
            below: dict[NodeId, tuple[NodeId, ...]] = {}
            for node in level:
                checkpoint()
                below[node] = self.children(node, rank)
            levels.append(below)
            level = list(dict.fromkeys(child for children in below.values() for child in children))
            if len(level) > _MAX_WIDTH:
                many = f"more than {_MAX_WIDTH} different restrictions after {rank + 1} features"
                raise LimitExceeded(f"the circuit has {many}; to_sdd().to_nnf(manager) may be small enough")
        self._least: dict[NodeId, int] = {FALSE: costs.never, TRUE: 0}
        self._never = costs.never
        for prices, below in zip(reversed(costs.table), reversed(levels), strict=True):
            for node, children in below.items():
                if node not in self._least:
                    found = min(map(sum, zip(prices, map(self._least.__getitem__, children), strict=True)))
                    self._least[node] = min(found, costs.never)

    def least(self, node: NodeId, _: States) -> int | None:
        """Return what the cheapest model costs."""
        found = self._least[node]
        return None if found >= self._never else found


class _AnySpace:
    """What is left of any circuit, where nothing costs anything."""

    def __init__(self, manager: Manager, root: NodeId, solver: CircuitSolver) -> None:
        self.order, self.start = range(len(manager.domain)), root
        self.children = Restriction(manager, self.order)
        self._solver = solver
        self._has_model: dict[NodeId, bool] = {FALSE: False, TRUE: True}

    def least(self, node: NodeId, states: States) -> int | None:
        """Return 0 where a model has these states."""
        found = self._has_model.get(node)
        if found is None:
            allowed = {feature: 1 << state for feature, state in enumerate(states)}
            found = self._has_model[node] = self._solver.solve(allowed) is not None
        return 0 if found else None
