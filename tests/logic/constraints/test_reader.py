from __future__ import annotations

import subprocess
import sys
from itertools import product
from random import Random

import numpy as np
import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from bnc2d.errors import ArgumentError, LogicError, UnknownNameError
from bnc2d.logic.circuit.manager import Manager
from bnc2d.logic.constraints.reader import read_constraint
from bnc2d.logic.domain import Domain
from bnc2d.logic.nnf import NNF
from bnc2d.logic.terms import Clause, Term
from tests.cases import cases
from tests.logic.constraints.random_texts import DOMAIN, Tree, as_text, holds, seeded, trees
from tests.logic.strategies import Circuit, circuits

SMALL = Domain({"A": ("0", "1"), "B": ("no", "yes"), "C": ("x", "y", "z"), "D": ("A", "w", "q")})


def instances(domain: Domain) -> list[dict[str, str]]:
    return [dict(zip(domain.names, states, strict=True)) for states in product(*domain.states)]


def truth(circuit: NNF) -> list[bool]:
    return [bool(value) for value in circuit.evaluate(instances(circuit.domain))]


def read(given: object, domain: Domain = SMALL) -> list[bool]:
    """Return which instances a constraint allows; the manager stays in order."""
    manager = Manager(domain)
    circuit = read_constraint(given, manager)
    assert circuit.manager is manager
    manager.assert_consistent()
    return truth(circuit)


@settings(max_examples=cases(16, 100), deadline=None)
@given(st.lists(trees(), min_size=1, max_size=3), st.integers(0, 2**32))
def test_texts_mean_what_they_say(formulas: list[Tree], seed: int) -> None:
    random = seeded(seed)
    text = ""
    for formula in formulas:
        event(formula[0])
        text += as_text(formula, random) + random.choice((";", "\n", " # 'so\n", ";\r\n\n ;"))
    expected = [all(holds(formula, instance) for formula in formulas) for instance in instances(DOMAIN)]
    event("constant" if len(set(expected)) == 1 else "depends")
    assert read(text, DOMAIN) == expected


@settings(max_examples=cases(16, 30), deadline=None)
@given(trees(max_leaves=40), st.integers(0, 2**32))
def test_larger_texts(tree: Tree, seed: int) -> None:
    expected = [holds(tree, instance) for instance in instances(DOMAIN)]
    assert read(as_text(tree, seeded(seed)), DOMAIN) == expected


@settings(max_examples=cases(22, 40), deadline=None)
@given(circuits(max_features=4, max_states=3))
def test_printed_circuits_are_texts(circuit: Circuit) -> None:
    given = NNF(*circuit)
    text = given.to_text()
    assume("[1]" not in text)
    assert truth(read_constraint(text, given.manager)) == truth(given)


def test_texts_by_example() -> None:
    def where(text: str) -> list[tuple[str, ...]]:
        return [
            tuple(row.values())[:3] for row, value in zip(instances(SMALL), read(text), strict=True) if value
        ][::3]

    assert where("A & B & C=x") == [("1", "yes", "x")]
    assert where("A=1 xor B=yes; C = x") == [("0", "yes", "x"), ("1", "no", "x")]
    assert where("not (A -> B -> C != x)") == [("1", "yes", "x")]
    assert where("A <-> B <-> C = x\nC=y") == [("0", "yes", "y"), ("1", "no", "y")]
    assert where("not (A <-> B)\nC=y") == [("0", "yes", "y"), ("1", "no", "y")]
    assert where("false") == []
    assert all(read("")) and all(read("C in {x,y,z}")) and not any(read("C not in {x,y,z}"))  # noqa: PT018


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("A; E = 1", "line 1, column 4: found 'E', expected a feature; valid: 'A', 'B', 'C', 'D'"),
        ("a", "line 1, column 1: found 'a', expected a feature; did you mean 'A'?"),
        ("A &\n C in {x, Z}", "line 2, column 11: found 'Z', expected a state of 'C'; did you mean 'z'?"),
        (
            "A = B",
            "line 1, column 5: found 'B', expected a state of 'A'; that is a feature, and two features "
            "cannot be compared; valid: '0', '1'",
        ),
        (
            "A or C",
            "line 1, column 6: found 'C' alone, expected '=', '!=', 'in' or 'not in' after it, since its "
            "states do not read as false and true; valid: 'x', 'y', 'z'",
        ),
        ("A = true", "line 1, column 5: found 'true', expected a state of 'A'; valid: '0', '1'"),
        (
            "__import__('os')",
            "line 1, column 1: found '__import__', expected a feature; valid: 'A', 'B', 'C', 'D'",
        ),
    ],
)
def test_errors_in_texts(text: str, message: str) -> None:
    with pytest.raises(LogicError) as raised:
        read(text)
    assert str(raised.value) == message
    with pytest.raises(LogicError) as raised:
        read(["A", text])
    assert str(raised.value) == f"item 2 of the constraints: {message}"


def test_a_state_may_be_called_as_a_feature() -> None:
    assert read("D = A") == [row["D"] == "A" for row in instances(SMALL)]


WIDTH = cases(2_500, 10_000)
WIDE = Domain({f"F{number}": ("0", "1") for number in range(WIDTH)})


@pytest.mark.parametrize("joint", [" and ", "|", " xor ", "->", "<->"])
def test_long_chains(joint: str) -> None:
    manager = Manager(WIDE)
    circuit = read_constraint(joint.join(WIDE.names), manager)
    assert circuit.node_count <= 8 * WIDTH
    assert circuit.depth <= 30
    random = seeded(joint)
    rows = [[1] * WIDTH, [0] * WIDTH, [1] * (WIDTH - 1) + [0], [0] * (WIDTH - 1) + [1]]
    rows += [random.choices((0, 1), k=WIDTH) for _ in range(2)]
    expected = {
        " and ": [all(row) for row in rows],
        "|": [any(row) for row in rows],
        " xor ": [sum(row) % 2 == 1 for row in rows],
        "->": [row[-1] == 1 or not all(row[:-1]) for row in rows],
        "<->": [row.count(0) % 2 == 0 for row in rows],
    }[joint]
    states = np.array(rows)
    assert circuit.evaluate(states).tolist() == expected
    negated = read_constraint(f"not ({joint.join(WIDE.names[:1000])})", manager)
    part = read_constraint(joint.join(WIDE.names[:1000]), manager)
    assert (negated.evaluate(states) == ~part.evaluate(states)).all()


def test_many_statements() -> None:
    manager = Manager(WIDE)
    circuit = read_constraint("\n".join(f"!{name}" for name in WIDE.names), manager)
    assert circuit == read_constraint([{name: "1"} for name in WIDE.names], manager)
    assert len(circuit.features) == circuit.edge_count == WIDTH


def test_deep_texts() -> None:
    """As deep as texts may be, every operator on every level: no recursion, each part built twice at most."""
    manager = Manager(SMALL)
    opening = "A <-> B=no -> A or B xor C!=x and not ("
    circuit = read_constraint(opening * 200 + "C=y" + ")" * 200, manager)
    assert circuit.node_count <= 200 * 20
    for instance in instances(SMALL):
        a, b, c = instance["A"] == "1", instance["B"] == "yes", instance["C"]
        value = c == "y"
        for _ in range(200):
            value = a == (b or a or (b != (c != "x" and not value)))
        assert circuit.evaluate(instance) is value


@settings(max_examples=cases(22, 40), deadline=None)
@given(circuits(max_features=4, max_states=3), st.randoms(use_true_random=False))
def test_circuits_of_other_managers(circuit: Circuit, random: Random) -> None:
    """Features and states in another order, and a feature more."""
    given = NNF(*circuit)
    names = random.sample(given.domain.names, len(given.domain))
    own = dict(zip(given.domain.names, given.domain.states, strict=True))
    other = Domain({"more": ("0", "1"), **{name: random.sample(own[name], len(own[name])) for name in names}})
    event("renumbered" if names != list(own) else "same order")
    manager = Manager(other)
    copied = read_constraint(given, manager)
    manager.assert_consistent()
    assert copied.node_count == given.node_count
    for instance in instances(other):
        part = {name: state for name, state in instance.items() if name != "more"}
        assert copied.evaluate(instance) is given.evaluate(part)
    assert read_constraint(given, given.manager) == given


def test_deep_circuits_of_other_managers() -> None:
    source = Manager(Domain({f"F{number}": ("0", "1") for number in range(3000)}))
    root = source.add_literal(0, 2)
    for feature in range(1, 3000):
        add = source.add_or if feature % 2 else source.add_and
        root = add([root, source.add_literal(feature, 1 + feature % 3 % 2)])
    turned = Manager(Domain(dict.fromkeys(reversed(source.domain.names), ("1", "0"))))
    given, copied = NNF(source, root), read_constraint(NNF(source, root), turned)
    turned.assert_consistent()
    assert (copied.node_count, copied.depth) == (given.node_count, given.depth)
    random = seeded(1)
    for _ in range(5):
        instance = {name: random.choice("01") for name in source.domain.names}
        assert copied.evaluate(instance) is given.evaluate(instance)


def test_circuits_of_domains_that_do_not_fit() -> None:
    other = Manager(Domain({"A": ("0", "1"), "C": ("x", "y"), "c": ("x",), "B": ("no", "yes", "maybe")}))
    a = NNF.literal(other, "A", 1)
    assert read(a) == [
        row["A"] == "1" for row in instances(SMALL)
    ]  # what it does not mention does not matter
    with pytest.raises(
        LogicError, match="feature 'C' has a state 'z' that the domain of the given constraint lacks"
    ):
        read(a & NNF.literal(other, "C", "x"))
    with pytest.raises(UnknownNameError, match="'B' has no state 'maybe'"):
        read(a | NNF.literal(other, "B", "no"))
    with pytest.raises(UnknownNameError, match="unknown feature 'X'; valid"):
        read(NNF.literal(Manager(Domain({"X": ("0", "1")})), "X", 1))
    for constant in (NNF.true(other), NNF.false(other)):
        assert set(read(constant)) == {bool(constant)}
    with pytest.raises(LogicError, match=r"^item 1 of the constraints: feature 'C' has a state 'z'"):
        read([Clause(other.domain, {"A": 0, "C": "x"})])


def test_sympy() -> None:
    from sympy import Equivalent, Implies, Symbol, Xor, false, true

    a, b, x = Symbol("A"), Symbol("B"), Symbol("C=x")
    rows = instances(SMALL)
    assert read(Implies(a & ~b, x)) == read("A & !B -> C=x")
    assert read(~x) == [row["C"] != "x" for row in rows]
    assert read(Xor(a, Equivalent(b, x))) == read("A ^ (B <-> C=x)")
    assert all(read(true))
    assert not any(read(false))
    assert read([a | b, ~x]) == read("A | B; C in {y, z}")
    with pytest.raises(UnknownNameError, match="unknown symbol 'E'"):
        read(Symbol("E"))
    with pytest.raises(LogicError, match="cannot read"):
        read(Symbol("A") + 1)


def test_sympy_is_loaded_only_for_its_expressions() -> None:
    program = (
        "import sys\nfrom bnc2d.logic.constraints.reader import *\n"
        "manager = Manager(Domain({'A': ('0', '1')}))\n"
        "read_constraint(['A', {'A': 0}, read_constraint('A', manager)], manager)\n"
        "sys.exit('sympy' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


@settings(max_examples=cases(14, 60), deadline=None)
@given(st.data())
def test_lists(data: st.DataObject) -> None:
    """Forbidden and implied combinations, terms and clauses, against their definitions."""
    masks = st.dictionaries(st.sampled_from(range(4)), st.integers(1, 6), max_size=3).map(
        lambda drawn: {feature: 1 + mask % (SMALL.full(feature) - 1) for feature, mask in drawn.items()}
    )
    items: list[object] = []
    expected = [True] * SMALL.instance_count
    rows = instances(SMALL)
    for _ in range(data.draw(st.integers(0, 4))):
        one, other = (
            {SMALL.names[f]: set(SMALL.states_of(f, m)) for f, m in data.draw(masks).items()} for _ in "12"
        )
        all_of = [[row[name] in states for name, states in one.items()] for row in rows]
        kind = data.draw(
            st.sampled_from(("forbidden", "term", "clause", "implied", "terms", "implied clause"))
        )
        event(kind)
        then = [[row[name] in states for name, states in other.items()] for row in rows]
        if kind in ("forbidden", "term"):
            items.append(one if kind == "forbidden" else Term(SMALL, one))
            demanded = [not all(values) for values in all_of]
        elif kind == "clause":
            items.append(Clause(SMALL, one))
            demanded = [any(values) for values in all_of]
        elif kind == "implied clause":
            items.append((one, Clause(SMALL, other)))
            demanded = [any(b) if all(a) else True for a, b in zip(all_of, then, strict=True)]
        else:
            items.append((one, other) if kind == "implied" else [Term(SMALL, one), Term(SMALL, other)])
            demanded = [all(b) if all(a) else True for a, b in zip(all_of, then, strict=True)]
        expected = [before and now for before, now in zip(expected, demanded, strict=True)]
    assert read(items) == read(tuple(items)) == expected


def test_lists_by_example() -> None:
    assert read([{"A": 1, "C": "x"}, {"B": True}]) == read("not (A & C=x); not B")
    assert read([({"A": 1, "B": "yes"}, {"C": ["x", "y"], "D": "w"})]) == read("if A & B then C != z & D = w")
    assert read(({"A": 1}, {"B": "yes"})) == read("!A & !B")  # a tuple at the top is a list
    assert read([({}, {"B": "yes"})]) == read("B")
    assert all(read([]))
    assert not any(read([{}]))
    cnf = [Clause(SMALL, {"A": "1", "C": "x"}), Clause(SMALL, {"B": "no"})]
    assert read(cnf) == read("A or C = x; B = no")
    other = Domain({"C": ("z", "x", "y"), "A": ("1", "0")})
    assert read([Clause(other, {"A": "1", "C": "x"})]) == read("A or C = x")
    assert read([Term(other, {"A": "1", "C": {"x", "z"}})]) == read("!A or C = y")
    manager = Manager(SMALL)
    mixed = read_constraint([NNF.literal(manager, "A", 1), "B", {"C": "x"}], manager)
    assert truth(mixed) == read("A & B & C!=x")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([{"A": 1}, {"E": 1}], "item 2 of the constraints: unknown feature 'E'; valid: 'A', 'B', 'C', 'D'"),
        ([{"C": "X"}], "item 1 of the constraints: variable 'C' has no state 'X'; did you mean 'x'?"),
        (
            [{"C": []}],
            "item 1 of the constraints: the combination has no state for 'C'; leave the feature out or",
        ),
        (
            [({"A": 1},)],
            "item 1 of the constraints: a list inside the list must be a pair of mappings, (if, then)",
        ),
        ([["A", "B"]], "item 1 of the constraints: a list inside the list must be a pair of mappings"),
        (
            [3],
            "item 1 of the constraints: a constraint must be a text, a circuit, a sympy expression, a CNF",
        ),
        (
            None,
            "must be a text, a circuit, a sympy expression, a CNF or a list of combinations, not None",
        ),
        (
            True,
            "must be a text, a circuit, a sympy expression, a CNF or a list of combinations, not bool",
        ),
        (
            {"A": 1},
            "must be a text, a circuit, a sympy expression, a CNF or a list of combinations; put a",
        ),
        (Clause(SMALL, {"A": 1}), "; put a single Clause in a list"),
        (b"A", "a constraint must be a text"),
    ],
)
def test_what_is_no_constraint(given: object, message: str) -> None:
    with pytest.raises(LogicError) as raised:
        read(given)
    assert message in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_the_manager_is_checked() -> None:
    with pytest.raises(ArgumentError, match="manager must be a Manager"):
        read_constraint("A", SMALL)  # type: ignore[arg-type]
