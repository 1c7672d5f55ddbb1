"""Independent groups of tables, and elimination orders, scored by the work that instances then take."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from math import log2
from random import Random
from typing import TypeAlias

from bnc2d.base.checkpoints import checkpoint

# What an int means here: the position of a variable in its network.
VariableId: TypeAlias = int


def connected_groups(scopes: Sequence[Collection[Hashable]]) -> list[list[int]]:
    """Return the positions of scopes in groups that share variables, directly or through others."""
    users: dict[Hashable, list[int]] = {}
    for position, scope in enumerate(scopes):
        for variable in scope:
            users.setdefault(variable, []).append(position)
    left = set(range(len(scopes)))
    groups = []
    for seed in range(len(scopes)):
        if seed not in left:
            continue
        group, pending = [], [seed]
        left.discard(seed)
        while pending:
            position = pending.pop()
            group.append(position)
            for variable in scopes[position]:
                near = [other for other in users.pop(variable, ()) if other in left]
                left.difference_update(near)
                pending.extend(near)
        groups.append(sorted(group))
    return groups


@dataclass(frozen=True)
class FactorShape:
    """What planning needs of a factor: its unobserved variables and the features that select its table."""

    scope: frozenset[VariableId]
    features: frozenset[VariableId]


@dataclass(frozen=True)
class Plan:
    """Groups of variables to eliminate together, and what that costs.

    A step multiplies the factors that mention its first variable; no other factor mentions the rest.
    ``work`` counts multiplications, ``largest_table`` the entries of the largest table kept.
    """

    steps: tuple[tuple[VariableId, ...], ...]
    work: float
    largest_table: float


def plan_elimination(
    shapes: Sequence[FactorShape],
    keep: frozenset[VariableId],
    cardinality: Sequence[int],
    rows: int,
    attempts: int,
    table_limit: float,
) -> Plan:
    """Return the cheapest of ``attempts`` greedy orders for all unobserved variables but ``keep``.

    A table is counted once per distinct assignment of the features it depends on, at most once per row:
    that is what the contraction stores. The attempts differ in what they call cheapest and in how much
    seeded noise they add, so the plan is deterministic. A table over ``table_limit`` entries makes the
    caller split the rows, which repeats work; it counts as that many times the work.
    """
    logs = [log2(count) for count in cardinality]
    plans = [_Greedy(shapes, keep, logs, log2(rows), attempt).plan() for attempt in range(attempts)]
    return min(plans, key=lambda plan: plan.work * max(1.0, plan.largest_table / table_limit))


class _Greedy:
    """One greedy run: repeatedly eliminate the variable that looks cheapest, and all that go with it."""

    def __init__(
        self,
        shapes: Sequence[FactorShape],
        keep: frozenset[VariableId],
        logs: list[float],
        log_rows: float,
        seed: int,
    ) -> None:
        self._alive = dict(enumerate(shapes))
        self._using: dict[VariableId, set[int]] = {}
        for key, shape in self._alive.items():
            for variable in shape.scope:
                self._using.setdefault(variable, set()).add(key)
        self._keep, self._logs, self._log_rows = keep, logs, log_rows
        self._rng = Random(seed)  # noqa: S311 - ties in a heuristic, not cryptography
        self._count_features = seed % 2 == 0
        self._noise = 0.0 if seed < 2 else 0.25 * (seed % 5)

    def plan(self) -> Plan:
        costs = {
            variable: self._cost(variable) for variable in sorted(self._using) if variable not in self._keep
        }
        steps: list[tuple[VariableId, ...]] = []
        work = largest_table = 0.0
        next_key = len(self._alive)
        while costs:
            checkpoint()
            least = min(costs.values())
            variable = self._rng.choice(
                [candidate for candidate, cost in costs.items() if cost <= least + 1e-9]
            )
            product = self._merged(variable)
            merged = self._using[variable]
            company = sorted((product.scope & costs.keys()) - {variable})
            step = (variable, *(other for other in company if self._using[other] <= merged))
            for key in tuple(merged):
                for other in self._alive[key].scope:
                    self._using[other].discard(key)
                del self._alive[key]
            result = FactorShape(product.scope.difference(step), product.features)
            self._alive[next_key] = result
            for other in result.scope:
                self._using[other].add(next_key)
            next_key += 1
            for gone in step:
                del costs[gone], self._using[gone]
            for other in result.scope & costs.keys():
                costs[other] = self._cost(other)
            steps.append(step)
            size = 2.0 ** self._log_size(product)
            work += size
            largest_table = max(largest_table, 2.0 ** self._log_size(result))
        return Plan(tuple(steps), work, largest_table)

    def _merged(self, variable: VariableId) -> FactorShape:
        parts = [self._alive[key] for key in self._using[variable]]
        scope, features = parts[0].scope, parts[0].features
        for part in parts[1:]:
            scope, features = scope | part.scope, features | part.features
        return FactorShape(scope, features)

    def _cost(self, variable: VariableId) -> float:
        noise = self._noise * self._rng.random() if self._noise else 0.0
        return self._log_size(self._merged(variable), self._count_features) + noise

    def _log_size(self, shape: FactorShape, with_features: bool = True) -> float:
        patterns = min(self._log_rows, sum(self._logs[v] for v in shape.features)) if with_features else 0.0
        return patterns + sum(self._logs[v] for v in shape.scope)
