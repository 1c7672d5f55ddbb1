"""Circuits as sympy's Boolean expressions, and back.

A two-state feature that reads as false and true is one symbol, ``CT``; any other has a symbol for each
state, ``BP=Low``, and a set literal is their disjunction. Both directions agree on every instance; sympy
itself does not know that exactly one state of a feature holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from bnc2d.base.readers.states import false_true
from bnc2d.errors import LimitExceeded, LogicError, UnknownNameError, did_you_mean
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId
from bnc2d.logic.domain import Domain, FeatureId, StateMask

if TYPE_CHECKING:
    from sympy.logic.boolalg import Boolean

# An expression, to be read as it is (True) or negated (False).
_Signed: TypeAlias = tuple[Any, bool]


def to_sympy(manager: Manager, root: NodeId) -> Boolean:
    """Return the circuit as a sympy expression, simplified no further than sympy does on its own."""
    from sympy import And, Not, Or, Symbol, false, true

    domain = manager.domain
    _symbols(domain)  # refuses names that would mean two things

    def literal(feature: FeatureId, mask: StateMask) -> Boolean:
        name, chosen = domain.names[feature], domain.states_of(feature, mask)
        reading = false_true(domain.states[feature])
        if reading is not None:
            return Symbol(name) if chosen[0] == reading[1] else Not(Symbol(name))
        return Or(*(Symbol(f"{name}={state}") for state in chosen))

    made: dict[NodeId, Boolean] = {FALSE: false, TRUE: true}
    try:
        for node in _heads(manager, root):
            kind = manager.kind(node)
            if kind == Kind.LITERAL:
                made[node] = literal(*manager.literal_of(node))
            elif kind != Kind.CONSTANT:
                parts = [made[part] for part in _flat_children(manager, node)]
                made[node] = And(*parts) if kind == Kind.AND else Or(*parts)
    except RecursionError:
        raise LimitExceeded("the circuit is too deep for sympy, whose expressions recurse") from None
    return made[root]


def _heads(manager: Manager, root: NodeId) -> list[NodeId]:
    """Return the nodes that sympy gets to see, bottom-up: it would flatten an AND into a parent AND."""
    heads = {root}
    pending = [root]
    while pending:
        fresh = set(_flat_children(manager, pending.pop())) - heads
        heads |= fresh
        pending += fresh
    return sorted(heads)


def _flat_children(manager: Manager, node: NodeId) -> list[NodeId]:
    """Return the children of a gate, those of its own kind replaced by their children, and so on."""
    kind = manager.kind(node)
    found: dict[NodeId, None] = {}
    seen = {node}
    pending = [node]
    while pending:
        for child in manager.children(pending.pop()):
            if manager.kind(child) != kind:
                found.setdefault(child)
            elif child not in seen:
                seen.add(child)
                pending.append(child)
    return list(found)


def from_sympy(manager: Manager, expression: object) -> NodeId:
    """Return the circuit of a sympy expression over the symbols that ``to_sympy`` uses.

    Accepts And, Or, Not, Xor, Implies, Equivalent, ITE and what sympy reduces to them, true and false, and
    Python's True and False. ``BP=Low`` is also understood for features that are a single symbol.
    """
    from sympy import Basic, false, true

    if isinstance(expression, bool):
        expression = true if expression else false
    if not isinstance(expression, Basic):
        raise LogicError(f"expected a sympy expression, not {type(expression).__name__}")
    symbols = _symbols(manager.domain)
    made: dict[tuple[int, bool], NodeId] = {}  # by id(): the hash of a deep expression may recurse
    pending: list[_Signed] = [(expression, True)]
    while pending:
        here = pending[-1]
        if _key(here) in made:
            pending.pop()
        elif here[0].is_Symbol:
            made[_key(here)] = _read_symbol(manager, symbols, here)
        else:
            kind, groups = _parts(here)
            missing = [part for group in groups for part in group if _key(part) not in made]
            pending.extend(missing)
            if not missing:
                nodes = [[made[_key(part)] for part in group] for group in groups]
                made[_key(here)] = _combine(manager, kind, nodes)
    return made[_key((expression, True))]


def _key(signed: _Signed) -> tuple[int, bool]:
    return id(signed[0]), signed[1]


def _symbols(domain: Domain) -> dict[str, tuple[FeatureId, StateMask]]:
    """Return what each symbol's name means."""
    meanings: dict[str, tuple[FeatureId, StateMask]] = {}
    optional: dict[str, tuple[FeatureId, StateMask]] = {}
    for feature, (name, states) in enumerate(zip(domain.names, domain.states, strict=True)):
        reading = false_true(states)
        symbols = {f"{name}={state}": (feature, 1 << position) for position, state in enumerate(states)}
        if reading is not None:
            optional |= symbols
            symbols = {name: (feature, 1 << states.index(reading[1]))}
        for symbol in symbols.keys() & meanings.keys():
            other = domain.names[meanings[symbol][0]]
            raise LogicError(f"symbol {symbol!r} would stand for features {other!r} and {name!r}")
        meanings |= symbols
    return optional | meanings


def _read_symbol(
    manager: Manager, symbols: dict[str, tuple[FeatureId, StateMask]], signed: _Signed
) -> NodeId:
    symbol, positive = signed
    if symbol.name not in symbols:
        hint = did_you_mean(symbol.name, symbols)
        raise UnknownNameError(f"unknown symbol {symbol.name!r}{hint}")
    feature, mask = symbols[symbol.name]
    return manager.add_literal(feature, mask if positive else manager.domain.full(feature) & ~mask)


def _parts(signed: _Signed) -> tuple[str, list[list[_Signed]]]:
    """Return how an expression combines groups of parts, negation pushed down to them.

    ``"and"``: a conjunction of disjunctions; ``"or"``: a disjunction of conjunctions; ``"xor"``: of groups
    that hold a part and its negation.
    """
    from sympy import ITE, And, Equivalent, Implies, Not, Or, Xor, false, true

    expression, positive = signed
    if expression is true or expression is false:
        return ("and" if (expression is true) == positive else "or"), []
    args: Sequence[Any] = getattr(expression, "args", ())
    if isinstance(expression, Not):
        return "and", [[(args[0], not positive)]]
    if isinstance(expression, And | Or):
        dual = isinstance(expression, And) == positive
        return ("and" if dual else "or"), [[(part, positive)] for part in args]
    if isinstance(expression, Implies):
        parts = [[(args[0], not positive)], [(args[1], positive)]]
        return ("or" if positive else "and"), parts
    if isinstance(expression, Equivalent):  # all parts hold, or none; else some hold and some do not
        groups = [[(part, sign) for part in args] for sign in (True, False)]
        return ("or" if positive else "and"), groups
    if isinstance(expression, ITE):
        test, then, otherwise = args
        return "or", [[(test, True), (then, positive)], [(test, False), (otherwise, positive)]]
    if isinstance(expression, Xor):
        flip = [] if positive else [[(true, True), (true, False)]]
        return "xor", [[(part, True), (part, False)] for part in args] + flip
    raise LogicError(f"cannot read {type(expression).__name__} as a circuit; use And, Or, Not, Xor, Implies")


def _combine(manager: Manager, kind: str, groups: list[list[NodeId]]) -> NodeId:
    if kind == "and":
        return manager.add_and([manager.add_or(group) for group in groups])
    if kind == "or":
        return manager.add_or([manager.add_and(group) for group in groups])
    odd, even = FALSE, TRUE
    for part, negated in groups:
        odd, even = (
            manager.add_or([manager.add_and([odd, negated]), manager.add_and([even, part])]),
            manager.add_or([manager.add_and([even, negated]), manager.add_and([odd, part])]),
        )
    return odd
