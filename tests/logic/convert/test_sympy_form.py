from __future__ import annotations

from itertools import product
from typing import Any

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d.errors import LimitExceeded, LogicError, UnknownNameError
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.convert.sympy_form import from_sympy, to_sympy
from bnc2d.logic.domain import Domain
from tests.cases import cases
from tests.logic.strategies import Circuit, circuits, models


def values(domain: Domain, positions: tuple[int, ...]) -> dict[Any, bool]:
    """Return the truth of every symbol for an instance."""
    from sympy import Symbol

    truth: dict[Any, bool] = {}
    for name, states, position in zip(domain.names, domain.states, positions, strict=True):
        truth |= {Symbol(f"{name}={state}"): state == states[position] for state in states}
        truth[Symbol(name)] = position == 1
    return truth


def sympy_models(domain: Domain, expression: Any) -> set[tuple[int, ...]]:
    return {
        positions
        for positions in product(*map(range, domain.cardinalities))
        if bool(expression.xreplace(values(domain, positions)))
    }


@settings(max_examples=cases(14, 60))
@given(circuits(max_features=4, max_states=3))
def test_there_and_back(circuit: Circuit) -> None:
    manager, root = circuit
    expression = to_sympy(manager, root)
    event(type(expression).__name__)
    assert sympy_models(manager.domain, expression) == models(manager, root)
    assert models(manager, from_sympy(manager, expression)) == models(manager, root)


BOOLEAN = Domain({"A": ["0", "1"], "B": ["no", "yes"], "C": ["0", "1"], "D": ["Low", "Normal", "High"]})


@st.composite
def expressions(draw: st.DrawFn) -> Any:
    from sympy import ITE, And, Equivalent, Implies, Nand, Nor, Not, Or, Symbol, Xor, false, true

    leaves = st.sampled_from([true, false, *map(Symbol, ("A", "B", "C", "D=Low", "D=High", "A=0"))])

    def gates(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        some = st.lists(parts, min_size=1, max_size=4)
        wide = st.sampled_from([And, Or, Xor, Equivalent, Nand, Nor])
        return st.one_of(
            st.tuples(wide, some).map(lambda drawn: drawn[0](*drawn[1])),
            parts.map(Not),
            st.tuples(parts, parts).map(lambda drawn: Implies(*drawn)),
            st.tuples(parts, parts, parts).map(lambda drawn: ITE(*drawn)),
        )

    return draw(st.recursive(leaves, gates, max_leaves=10))


@settings(max_examples=cases(16, 100))
@given(expressions())
def test_every_operator(expression: Any) -> None:
    event(type(expression).__name__)
    manager = Manager(BOOLEAN)
    assert models(manager, from_sympy(manager, expression)) == sympy_models(BOOLEAN, expression)


def test_every_operator_unreduced() -> None:
    from sympy import ITE, And, Equivalent, Implies, Not, Or, Xor, symbols

    a, b, c = symbols("A B C")
    manager = Manager(BOOLEAN)
    for made in (
        And(a, Not(b)),
        Or(a, b, c),
        Xor(a, b, c),
        Implies(a, b),
        Equivalent(a, b, c),
        ITE(a, b, c),
    ):
        for expression in (made, Not(made, evaluate=False), Xor(made, Not(c, evaluate=False))):
            assert models(manager, from_sympy(manager, expression)) == sympy_models(BOOLEAN, expression)


def test_names_of_symbols() -> None:
    from sympy import Not, Or, Symbol, false, true

    manager = Manager(BOOLEAN)
    assert to_sympy(manager, manager.add_literal(0, 0b10)) == Symbol("A")
    assert to_sympy(manager, manager.add_literal(1, 0b01)) == Not(Symbol("B"))
    assert to_sympy(manager, manager.add_literal(3, 0b101)) == Or(Symbol("D=Low"), Symbol("D=High"))
    assert (to_sympy(manager, TRUE), to_sympy(manager, FALSE)) == (true, false)
    assert (from_sympy(manager, True), from_sympy(manager, false)) == (TRUE, FALSE)
    single = Manager(Domain({"one": ["only"]}))
    assert from_sympy(single, Symbol("one=only")) == TRUE


def test_what_cannot_be_read() -> None:
    from sympy import Eq, Symbol

    manager = Manager(BOOLEAN)
    with pytest.raises(UnknownNameError, match="did you mean 'D=Low'"):
        from_sympy(manager, Symbol("A") & Symbol("D=low"))
    for wrong in (Eq(Symbol("A"), 1), Symbol("A") + 1):
        with pytest.raises(LogicError, match="cannot read"):
            from_sympy(manager, wrong)
    for wrong in ("A & B", 1, None):
        with pytest.raises(LogicError, match="expected a sympy expression"):
            from_sympy(manager, wrong)


def test_a_symbol_means_one_thing() -> None:
    clash = Manager(Domain({"A=x": ["0", "1"], "A": ["x", "y", "z"]}))
    with pytest.raises(LogicError, match="'A=x'"):
        to_sympy(clash, TRUE)
    from sympy import Symbol

    harmless = Manager(Domain({"A": ["0", "1"], "A=1": ["0", "1"]}))
    assert from_sympy(harmless, Symbol("A=1")) == harmless.add_literal(1, 2)


def chain(manager: Manager, alternate: bool) -> NodeId:
    root = manager.add_literal(0, 2)
    for feature in range(1, len(manager.domain)):
        add = manager.add_or if alternate and feature % 2 else manager.add_and
        root = add([root, manager.add_literal(feature, 2)])
    return root


def test_long_conjunctions_and_deep_circuits() -> None:
    length = cases(3_000, 10_000)
    manager = Manager(Domain({f"F{i}": ["0", "1"] for i in range(length)}))
    expression = to_sympy(manager, chain(manager, alternate=False))
    assert len(expression.args) == length
    assert from_sympy(manager, expression) == manager.add_and(
        manager.add_literal(feature, 2) for feature in range(length)
    )
    with pytest.raises(LimitExceeded, match="too deep for sympy"):
        to_sympy(manager, chain(manager, alternate=True))


def test_deep_expressions_are_read_without_recursion() -> None:
    from sympy import Implies, Not, Symbol

    manager = Manager(Domain({f"F{i}": ["0", "1"] for i in range(5000)}))
    deep = Symbol("F0")
    for feature in range(1, 5000):
        deep = Implies(Symbol(f"F{feature}"), Not(deep, evaluate=False), evaluate=False)
    root = from_sympy(manager, deep)
    assert len(manager.reachable(root)) == 2 * 5000 - 1
