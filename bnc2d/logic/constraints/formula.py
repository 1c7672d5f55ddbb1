"""Formulas as trees, with leaves of any type, and how they become circuits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Generic, TypeAlias, TypeVar

from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.constraints.tokens import Position

Leaf = TypeVar("Leaf")

_NODES_BETWEEN_CHECKPOINTS = 1 << 12


class Operator(IntEnum):
    """What joins two or more formulas; a greater number binds tighter.

    ``IMPLIES``: if all but the last hold, the last does, which is what a chain of arrows means that is read
    from the right. ``IFF``: a chain of ``<->`` is read from the left; it does not say that all are equal.
    """

    IFF = 0
    IMPLIES = 1
    OR = 2
    XOR = 3
    AND = 4


@dataclass(frozen=True, slots=True)
class Constant:
    """True or false."""

    value: bool


@dataclass(frozen=True, slots=True)
class Atom(Generic[Leaf]):
    """What the text says of one feature, in the form that the caller of the parser made of it."""

    meaning: Leaf
    position: Position = field(compare=False)


@dataclass(frozen=True, slots=True)
class Not(Generic[Leaf]):
    """The negation of a formula."""

    operand: Formula[Leaf]


@dataclass(frozen=True, slots=True)
class Gate(Generic[Leaf]):
    """Two or more formulas, joined by an operator."""

    operator: Operator
    operands: tuple[Formula[Leaf], ...]


Formula: TypeAlias = Constant | Atom[Leaf] | Not[Leaf] | Gate[Leaf]
# A formula, to be read as it is (True) or negated (False).
_Signed: TypeAlias = tuple[Formula[Leaf], bool]


def build(formula: Formula[Leaf], manager: Manager, literal: Callable[[Leaf, bool], NodeId]) -> NodeId:
    """Return the circuit of a formula; ``literal`` gives the node of a leaf (True) or of its negation.

    Negations are pushed down to the leaves. Each part is built at most once as it is and once negated, so the
    circuit is linear in the formula, ``xor`` and ``iff`` included. No recursion.
    """
    made: dict[tuple[int, bool], NodeId] = {}  # by id(): the hash of a deep formula recurses
    pending: list[_Signed[Leaf]] = [(formula, True)]
    steps = 0
    while pending:
        steps += 1
        if not steps % _NODES_BETWEEN_CHECKPOINTS:
            checkpoint()
        here, positive = pending[-1]
        if (id(here), positive) in made:
            pending.pop()
        elif isinstance(here, Constant):
            made[id(here), positive] = TRUE if here.value == positive else FALSE
        elif isinstance(here, Atom):
            made[id(here), positive] = literal(here.meaning, positive)
        else:
            parts = _parts(here, positive)
            missing = [part for part in parts if (id(part[0]), part[1]) not in made]
            pending += missing
            if not missing:
                nodes = [made[id(part), sign] for part, sign in parts]
                made[id(here), positive] = _combine(manager, here, positive, nodes)
    return made[id(formula), True]


def _parts(here: Not[Leaf] | Gate[Leaf], positive: bool) -> list[_Signed[Leaf]]:
    """Return the formulas of which the circuit is made; of parities, each as it is and then negated."""
    if isinstance(here, Not):
        return [(here.operand, not positive)]
    if here.operator in (Operator.AND, Operator.OR):
        return [(part, positive) for part in here.operands]
    if here.operator is Operator.IMPLIES:
        *conditions, conclusion = here.operands
        return [*((part, not positive) for part in conditions), (conclusion, positive)]
    return [(part, sign) for part in here.operands for sign in (True, False)]


def _combine(
    manager: Manager, here: Not[Leaf] | Gate[Leaf], positive: bool, nodes: Sequence[NodeId]
) -> NodeId:
    """Return the node of a formula from those of its ``_parts``."""
    if isinstance(here, Not):
        return nodes[0]
    if here.operator in (Operator.XOR, Operator.IFF):
        odd, even = _parity(manager, list(zip(nodes[::2], nodes[1::2], strict=True)))
        # Each <-> is a negated xor, so those of an even number of operands leave one negation over.
        flipped = here.operator is Operator.IFF and len(here.operands) % 2 == 0
        return odd if positive != flipped else even
    is_and = (here.operator is Operator.AND) == positive
    return manager.add_and(nodes) if is_and else manager.add_or(nodes)


def _parity(manager: Manager, pairs: list[tuple[NodeId, NodeId]]) -> tuple[NodeId, NodeId]:
    """Return the nodes of "an odd number holds" and "an even number holds", for pairs of node and negation.

    Neighbours are joined first, so that the depth is logarithmic.
    """
    add_and, add_or = manager.add_and, manager.add_or
    while len(pairs) > 1:
        joined = []
        for first in checked(range(0, len(pairs) - 1, 2)):
            (one, not_one), (other, not_other) = pairs[first : first + 2]
            differ = add_or([add_and([one, not_other]), add_and([not_one, other])])
            agree = add_or([add_and([one, other]), add_and([not_one, not_other])])
            joined.append((differ, agree))
        pairs = joined + pairs[len(joined) * 2 :]
    return pairs[0]
