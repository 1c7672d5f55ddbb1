"""In which order one side of a cut sums out its hidden variables, and the multiplications that this takes.

Summing a variable out joins the tables that mention it. Features are never summed out: a joined table has an
axis for every feature of the tables that went into it, so an order that is good for one instance may be bad
for all instances at once. A reach is all that the tables of a variable mention, itself included: the scope
of the join that sums it out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

from bnc2d.base.checkpoints import checkpoint
from bnc2d.compile.graph.masks import Mask, StateCounts, VariableIndex, positions, union
from bnc2d.compile.graph.min_fill import MinFill, graph_of

TableNumber: TypeAlias = int  # given tables come first, then the result of each join


@dataclass(frozen=True)
class Join:
    """Multiply all tables inside ``scope`` and sum ``summed`` out."""

    scope: Mask
    summed: Mask


def reaches(scopes: Iterable[Mask], summed: Mask) -> dict[VariableIndex, Mask]:
    """Return the reach of each variable of ``summed`` that a table mentions."""
    found: dict[VariableIndex, Mask] = {}
    for scope in scopes:
        for variable in positions(scope & summed):
            found[variable] = found.get(variable, 0) | scope
    return found


def joins_in_order(scopes: Iterable[Mask], order: Iterable[VariableIndex], summed: Mask) -> list[Join]:
    """Return the joins that sum the variables of ``summed`` out in this order, which must have them all.

    With a variable go all others that only tables inside its join mention.
    """
    reach = reaches(scopes, summed)
    joins: list[Join] = []
    for variable in order:
        if variable in reach:
            scope = reach[variable]
            checkpoint()
            near = [other for other in positions(scope & summed) if other in reach]
            gone = [other for other in near if not reach[other] & ~scope]
            joins.append(Join(scope, union([1 << other for other in gone])))
            for other in gone:
                del reach[other]
            for other in near:
                if other in reach:
                    reach[other] = (reach[other] | scope) & ~joins[-1].summed
    return joins


def work_of(joins: Iterable[Join], counts: StateCounts) -> float:
    """Return the multiplications of all joins."""
    return sum([counts.count(join.scope) for join in joins])


def joined_tables(
    scopes: Sequence[Mask], joins: Sequence[Join]
) -> tuple[list[list[TableNumber]], list[TableNumber]]:
    """Return which tables go into each join, and which are left: a table goes where a variable of it does."""
    place = {variable: number for number, join in enumerate(joins) for variable in positions(join.summed)}
    summed = union([join.summed for join in joins])
    inside: list[list[TableNumber]] = [[] for _ in joins]
    left: list[TableNumber] = []
    for number, scope in enumerate([*scopes, *(join.scope & ~join.summed for join in joins)]):
        turns = [place[variable] for variable in positions(scope & summed)]
        (inside[min(turns)] if turns else left).append(number)
    return inside, left


def min_fill_order(scopes: Sequence[Mask], summed: Mask, features: Mask) -> list[VariableIndex]:
    """Return the variables of ``summed`` in a min-fill order of the tables without their features."""
    hidden = [scope & ~features for scope in scopes]
    everything = union(hidden)
    search = MinFill(graph_of(hidden, everything.bit_length()), summed & everything)
    search.finish(0)
    return search.order


def smallest_first_order(
    scopes: Iterable[Mask], summed: Mask, counts: StateCounts, small: float
) -> list[VariableIndex]:
    """Return variables of ``summed``, the smallest join first, while it has at most ``small`` entries."""
    reach = reaches(scopes, summed)
    sizes = {variable: counts.count(scope) for variable, scope in reach.items()}
    order: list[VariableIndex] = []
    while sizes and sizes[variable := min(sizes, key=sizes.__getitem__)] <= small:
        order.append(variable)
        scope = reach.pop(variable)
        checkpoint()
        del sizes[variable]
        for other in positions(scope & summed):
            if other in sizes:
                reach[other] = (reach[other] | scope) & ~(1 << variable)
                sizes[other] = counts.count(reach[other])
    return order


def least_growth_order(
    scopes: Sequence[Mask], summed: Mask, counts: StateCounts, most: float = inf
) -> tuple[list[VariableIndex], float]:
    """Return an order and its work: next comes the join that is least in ratio to the tables that go in.

    Where the work exceeds ``most``, the order ends there.
    """
    count = counts.count
    tables = [(scope, count(scope)) for scope in scopes]
    reach: dict[Mask, Mask] = {}
    entering: dict[Mask, float] = {}
    for scope, size in tables:
        for variable in positions(scope & summed):
            bit = 1 << variable
            reach[bit] = reach.get(bit, 0) | scope
            entering[bit] = entering.get(bit, 0.0) + size
    growth = {bit: count(scope) / entering[bit] for bit, scope in reach.items()}
    order: list[VariableIndex] = []
    work = 0.0
    while growth:
        checkpoint()
        bit = min(growth, key=growth.__getitem__)
        joined = reach[bit]
        order.append(bit.bit_length() - 1)
        work += count(joined)
        if work > most:
            break
        inside = [table for table in tables if not table[0] & ~joined]
        tables = [table for table in tables if table[0] & ~joined]
        near = [other for other in growth if other & joined]
        gone = 0
        for other in near:
            if not reach[other] & ~joined:
                gone |= other
                del growth[other]
        result = joined & ~gone
        size = count(result)
        tables.append((result, size))
        for other in near:
            if not other & gone:
                reach[other] = scope = (reach[other] | joined) & ~gone
                replaced = sum([before for mask, before in inside if mask & other])
                # Rounding may eat up a difference of large numbers; what goes in is never less than this.
                entering[other] = total = max(entering[other] - replaced, 0.0) + size
                growth[other] = count(scope) / total
    return order, work
