"""How a product of tables is summed out: orders of variables, the joins they lead to, and their work.

Summing a variable out joins the tables that mention it: they are multiplied, then the variable goes, and with
it all others that only these tables mention. A *reach* is all that the tables of a variable mention, itself
included: the scope of the join that sums it out. Sets of variables are masks (``base/masks.py``).

One greedy search serves every method (``greedy_joins``); whoever calls it says how large a table is and what
makes a join cheap. Min-fill looks at the graph alone (``min_fill.py``) and is another source of orders.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from math import inf
from random import Random
from typing import NamedTuple, TypeAlias, TypeVar

from bnc2d.base import kernels
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import Mask, StateCounts, VariableId, mask_of, positions, union
from bnc2d.base.records import record
from bnc2d.model.min_fill import MinFill, graph_of

TableId: TypeAlias = int  # given tables come first, then the result of each join
Size: TypeAlias = Callable[[Mask], float]  # the entries of a table over some variables
# What a join costs, from its own size and that of all tables that go in; the least comes next.
Cost: TypeAlias = Callable[[float, float], float]
Table = TypeVar("Table")


class Join(NamedTuple):
    """Multiply the tables that mention ``variable`` or others of ``summed``; then ``summed`` go."""

    variable: VariableId
    scope: Mask
    summed: Mask

    @property
    def result(self) -> Mask:
        """What the result mentions."""
        return self.scope & ~self.summed


def greedy_joins(scopes: Sequence[Mask], summed: Mask, size: Size, cost: Cost) -> Iterator[Join]:
    """Yield joins until the variables of ``summed`` are gone, each the cheapest at its time."""
    sizes = [size(scope) for scope in scopes]
    users: dict[VariableId, list[TableId]] = {}
    for table, scope in enumerate(scopes):
        for variable in positions(scope & summed):
            users.setdefault(variable, []).append(table)
    reach = _reach(scopes, summed)
    costs = {v: cost(size(reach[v]), _added(sizes, users[v])) for v in users}
    while costs:
        checkpoint()
        join, gone, left = _join(min(costs, key=costs.__getitem__), reach, summed)
        entering: set[TableId] = set()
        for other in gone:
            entering.update(users.pop(other))
            del costs[other]
        yield join
        sizes.append(size(join.result))
        for other in left:
            users[other] = [table for table in users[other] if table not in entering]
            users[other].append(len(sizes) - 1)
            costs[other] = cost(size(reach[other]), _added(sizes, users[other]))


def _added(sizes: Sequence[float], tables: Iterable[TableId]) -> float:
    """Return the sum of some sizes, rounded alike by every version of Python, and in C."""
    total = 0.0
    for table in tables:
        total += sizes[table]
    return total


def joins_in_order(scopes: Iterable[Mask], order: Iterable[VariableId], summed: Mask) -> list[Join]:
    """Return the joins that sum the variables of ``summed`` out in this order, which must have them all."""
    reach = _reach(scopes, summed)
    joins: list[Join] = []
    for variable in order:
        if variable in reach:
            checkpoint()
            joins.append(_join(variable, reach, summed)[0])
    return joins


def _reach(scopes: Iterable[Mask], summed: Mask) -> dict[VariableId, Mask]:
    """Return the reach of each variable of ``summed``."""
    reach: dict[VariableId, Mask] = {}
    for scope in scopes:
        for variable in positions(scope & summed):
            reach[variable] = reach.get(variable, 0) | scope
    return reach


def _join(
    variable: VariableId, reach: dict[VariableId, Mask], summed: Mask
) -> tuple[Join, list[VariableId], list[VariableId]]:
    """Sum a variable out: return the join, what goes with it, and what is left with another reach."""
    scope = reach[variable]
    near = [other for other in positions(scope & summed) if other in reach]
    gone = [other for other in near if not reach[other] & ~scope]
    join = Join(variable, scope, mask_of(gone))
    for other in gone:
        del reach[other]
    left = [other for other in near if other in reach]
    for other in left:
        reach[other] = (reach[other] | scope) & ~join.summed
    return join, gone, left


def order_of(joins: Iterable[Join]) -> list[VariableId]:
    """Return the variables that go, join by join, that of the join before those that go with it."""
    order: list[VariableId] = []
    for variable, _, summed in joins:
        order += [variable, *positions(summed & ~(1 << variable))]
    return order


def work_of(joins: Iterable[Join], size: Size) -> float:
    """Return the multiplications of all joins."""
    return sum([size(join.scope) for join in joins])


def joined_tables(scopes: Sequence[Mask], joins: Sequence[Join]) -> tuple[list[list[TableId]], list[TableId]]:
    """Return which tables go into each join, and which are left: a table goes where a variable of it does."""
    turn = {variable: number for number, join in enumerate(joins) for variable in positions(join.summed)}
    summed = union([join.summed for join in joins])
    inside: list[list[TableId]] = [[] for _ in joins]
    left: list[TableId] = []
    for table, scope in enumerate([*scopes, *(join.result for join in joins)]):
        turns = [turn[variable] for variable in positions(scope & summed)]
        (inside[min(turns)] if turns else left).append(table)
    return inside, left


def eliminate(
    tables: Sequence[Table],
    scopes: Sequence[Mask],
    joins: Sequence[Join],
    multiply: Callable[[list[Table], Mask], Table],
) -> list[Table]:
    """Carry joins out: ``multiply`` returns the product of some tables without some variables."""
    return carry_out(tables, joins, *joined_tables(scopes, joins), multiply)


def carry_out(
    tables: Sequence[Table],
    joins: Sequence[Join],
    inside: Sequence[Sequence[TableId]],
    left: Sequence[TableId],
    multiply: Callable[[list[Table], Mask], Table],
) -> list[Table]:
    """Carry joins out, given which tables go into each, and which are ``left`` (``joined_tables``)."""
    made = dict(enumerate(tables))
    for number, (join, entering) in enumerate(zip(joins, inside, strict=True), len(tables)):
        made[number] = multiply([made.pop(table) for table in entering], join.summed)
    return [made[table] for table in left]


def min_fill_order(scopes: Sequence[Mask], summed: Mask, features: Mask) -> list[VariableId]:
    """Return the variables of ``summed`` in a min-fill order of the tables without their features."""
    hidden = [scope & ~features for scope in scopes]
    everything = union(hidden)
    search = MinFill(graph_of(hidden, everything.bit_length()), summed & everything)
    search.finish(0)
    return search.order


def smallest_first(scopes: Sequence[Mask], summed: Mask, size: Size, most: float = inf) -> list[Join]:
    """Return joins, the smallest first, while it has at most ``most`` entries."""
    joins = []
    for join in greedy_joins(scopes, summed, size, lambda joined, _: joined):
        if size(join.scope) > most:
            break
        joins.append(join)
    return joins


def least_growth_order(
    scopes: Sequence[Mask], summed: Mask, counts: StateCounts, most: float = inf
) -> tuple[list[VariableId], float]:
    """Return an order and its work: next comes the join that is least in ratio to the tables that go in.

    Where the work exceeds ``most``, the order ends there.
    """
    if kernels.loops is not None:
        masks = b"".join([counts.packed(scope) for scope in scopes]), counts.packed(summed)
        found = memoryview(bytearray(4 * 8 * len(masks[1]))).cast("i")
        length, work = kernels.loops.growth_order(*masks, *counts.packed_groups, most, found)
        return found[:length].tolist(), work
    order: list[VariableId] = []
    work = 0.0
    for join in greedy_joins(scopes, summed, counts.count, lambda joined, entering: joined / entering):
        order.append(join.variable)
        work += counts.count(join.scope)
        if work > most:
            break
    return order, work


@record
class Plan:
    """Joins and what they cost: all multiplications, and the entries of the largest result."""

    joins: tuple[Join, ...]
    work: float
    largest_table: float


def plan_for_rows(
    scopes: Sequence[Mask],
    summed: Mask,
    features: Mask,
    counts: StateCounts,
    rows: int,
    attempts: int,
    table_limit: float,
) -> Plan:
    """Return the cheapest of ``attempts`` greedy plans, for tables that are looked up for rows of features.

    A table counts once for each instance of the features it depends on, at most once for each row. The
    attempts differ in whether they count features at all and in how much seeded noise they add, so the plan
    is deterministic. A table over ``table_limit`` entries makes the caller split the rows, which repeats
    work; it counts as that many times the work.
    """

    def size(scope: Mask) -> float:
        return min(rows, counts.count(scope & features)) * counts.count(scope & ~features)

    def size_of_one_row(scope: Mask) -> float:
        return counts.count(scope & ~features)

    plans = []
    for attempt in range(attempts):
        rng = Random(attempt)  # noqa: S311 - ties in a heuristic, not cryptography
        noise = 1e-9 if attempt < 2 else 0.25 * (attempt % 5)

        def cost(joined: float, _entering: float, rng: Random = rng, noise: float = noise) -> float:
            return joined * float(2.0 ** (noise * rng.random()))

        counted = size_of_one_row if attempt % 2 else size
        joins = tuple(greedy_joins(scopes, summed, counted, cost))
        largest = max([size(join.result) for join in joins], default=0.0)
        plans.append(Plan(joins, work_of(joins, size), largest))
    return min(plans, key=lambda plan: plan.work * max(1.0, plan.largest_table / table_limit))


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


def components(scopes: Sequence[Mask]) -> list[Mask]:
    """Return the sets of variables that scopes connect, in the order of their first scopes."""
    groups = connected_groups([positions(scope) for scope in scopes])
    return [part for group in groups if (part := union([scopes[table] for table in group]))]
