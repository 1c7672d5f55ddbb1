"""Variables, tables and networks: what is accepted, what is refused and how it is named."""

import pickle
from fractions import Fraction
from math import lcm
from random import Random

import numpy as np
import pytest

from bnc2d import CPT, BayesianNetwork, Bnc2dError, NetworkError, UnknownNameError, Variable
from bnc2d.base.readers.numbers import exact

A = Variable("A", ("no", "yes"))
B = Variable("B", ("low", "mid", "high"))
HALF = Fraction(1, 2)
TINY = Fraction(1, 10**40)


def uniform(child: Variable, *parents: Variable) -> CPT:
    columns = int(np.prod([len(parent) for parent in parents], dtype=int))
    return CPT(child, parents, [Fraction(1, len(child))] * (columns * len(child)))


@pytest.mark.parametrize(
    ("name", "states", "words"),
    [
        ("", ("a",), "non-empty string"),
        ("A", (), "'A' has no states"),
        ("A", ("a", "b", "a"), "the state 'a' twice"),
        ("A", ("a", ""), "non-empty string"),
        ("A", ("a", 1), "non-empty string, not 1"),
    ],
)
def test_bad_variables(name: str, states: tuple[str, ...], words: str) -> None:
    with pytest.raises(NetworkError, match=words):
        Variable(name, states)


@pytest.mark.parametrize(
    ("states", "value", "position"),
    [
        (("0", "1"), 1, 1),
        (("0", "1"), True, 1),
        (("0", "1"), np.bool_(True), 1),
        (("0", "1"), np.int64(0), 0),
        (("0", "1"), 1.0, 1),
        (("yes", "no"), False, 1),
        (("True", "False"), True, 0),
        (("1.0", "2.0"), 2.0, 1),
        (("a", "b"), "b", 1),
    ],
)
def test_states_are_found_by_what_people_write(states: tuple[str, ...], value: object, position: int) -> None:
    assert Variable("X", states).index(value) == position


@pytest.mark.parametrize("value", ["hihg", "HIGH", 3, None, float("nan"), True])
def test_unknown_states(value: object) -> None:
    with pytest.raises(UnknownNameError, match="variable 'B' has no state"):
        B.index(value)


def test_unknown_state_suggests_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'high'"):
        B.index("Hihg")


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ([HALF], r"1 entries, expected 6 \(2 x 3\)"),
        ([1, 0, 0, 2, -1, 0], r"P\(B \| A=yes\) has a negative entry \(-1\) for 'mid'"),
        ([1, 0, 0, HALF, 0, 0], r"P\(B \| A=yes\) sums to 0.5, not 1"),
        ([0, 0, 0, 1, 0, 0], r"P\(B \| A=no\) sums to 0, not 1; give it a positive entry"),
        ([1 + TINY, 0, 0, 1, 0, 0], r"sums to 1 \+ 1e-40, not 1; correct it"),
        ([1 - TINY, 0, 0, 1, 0, 0], r"sums to 1 - 1e-40, not 1; correct it"),
        ([1 + TINY**20, 0, 0, 1, 0, 0], r"sums to 1 \+ 1e-800, not 1; correct it"),
        ([TINY**200, 0, 0, 1, 0, 0], r"sums to 1e-8000, not 1; correct it"),
        ([1, 0, -(TINY**20), 1, 0, 0], r"has a negative entry \(-1e-800\) for 'high'"),
    ],
)
def test_bad_tables(entries: list[Fraction], words: str) -> None:
    with pytest.raises(NetworkError, match=words):
        CPT(B, (A,), map(Fraction, entries))


def test_of_many_wrong_numbers_the_first_is_named() -> None:
    """Whatever the order in which a process hashes texts."""
    with pytest.raises(NetworkError, match="'x0' is not a finite decimal number"):
        CPT(B, [A], [f"x{number}" for number in range(60)])


def test_table_naming_a_variable_twice() -> None:
    with pytest.raises(NetworkError, match="names the variable 'A' twice"):
        uniform(B, A, A)


def test_small_misses_are_repaired_exactly_and_large_ones_only_on_request() -> None:
    cpt, miss = CPT.from_numbers(B, (), ["0.333333", "0.333333", "0.333333"])
    assert set(cpt.exact) == {Fraction(1, 3)}
    assert miss == Fraction(1, 10**6)
    with pytest.raises(NetworkError, match=r"P\(B\) sums to 0.9, not 1; .*--normalise"):
        CPT.from_numbers(B, (), [0.3, 0.3, 0.3])
    cpt, _ = CPT.from_numbers(B, (), [0.3, 0.3, 0.3], normalise=True)
    assert set(cpt.exact) == {Fraction(1, 3)}
    with pytest.raises(NetworkError, match="sums to 0"):
        CPT.from_numbers(B, (), [0, 0, 0], normalise=True)


@pytest.mark.parametrize("bits", [8, 60])
def test_columns_of_unrelated_fractions_are_divided_by_their_sums(bits: int) -> None:
    """With 60 bits the common denominator is long, with 8 it is short."""
    rng = Random(bits)  # noqa: S311 - reproducible test data
    many = Variable("many", tuple(map(str, range(120))))
    numbers = [Fraction(rng.randrange(1, 1 << bits), rng.randrange(1, 1 << bits)) for _ in range(240)]
    columns = numbers[:120], numbers[120:]
    assert (lcm(*[number.denominator for number in columns[0]]).bit_length() > 4096) == (bits == 60)
    cpt, miss = CPT.from_numbers(many, (Variable("coin", ("no", "yes")),), numbers, normalise=True)
    assert cpt.exact.tolist() == [[entry / sum(column) for entry in column] for column in columns]
    assert miss == max(abs(sum(column, Fraction(-1))) for column in columns)


@pytest.mark.parametrize(
    "number", ["nan", "inf", "1e999999999", "1" * 5000, "0x1", "1_0", "", ".", "½", None, float("nan")]
)
def test_numbers_that_are_none(number: object) -> None:
    with pytest.raises(ValueError, match=r"number|exponent"):
        exact(number)


@pytest.mark.parametrize(
    "number", ["0.1", ".1", "1e-1", "+0.10", 0.1, np.float64(0.1), Fraction(1, 10), "1E-1"]
)
def test_numbers_are_read_exactly(number: object) -> None:
    assert exact(number) == Fraction(1, 10)


@pytest.mark.parametrize(
    ("variables", "cpts", "words"),
    [
        ([], [], "no variables"),
        ([A, A], [uniform(A)], "two variables have the name 'A'"),
        ([A], [], "variable 'A' has no table"),
        ([A], [uniform(A), uniform(A)], "'A' has two tables"),
        ([A], [uniform(A), uniform(B)], "unknown variable 'B'"),
        ([A, B], [uniform(A), uniform(B, Variable("A", ("x", "y")))], "'A' has other states there"),
        ([A, B], [uniform(A, B), uniform(B, A)], "cycle: [AB] → [AB] → [AB]"),
    ],
)
def test_networks_that_are_none(variables: list[Variable], cpts: list[CPT], words: str) -> None:
    with pytest.raises(NetworkError, match=words):
        BayesianNetwork(variables, cpts)


def test_a_long_cycle_is_named_at_once() -> None:
    ring = [Variable(f"V{number}", ("0", "1")) for number in range(20_000)]
    cpts = [uniform(child, ring[number - 1]) for number, child in enumerate(ring)]
    with pytest.raises(NetworkError, match=r"cycle: V0 → V1 → V2 → .* → … → V0$"):
        BayesianNetwork(ring, cpts)


def test_a_network_is_a_value() -> None:
    net = BayesianNetwork([B, A], [uniform(A), uniform(B, A)], name="pair")
    assert [v.name for v in net.variables] == ["B", "A"]
    assert net.parents("B") == ("A",)
    assert net.children("A") == ("B",)
    assert (net.roots, net.leaves, net.edges) == (("A",), ("B",), (("A", "B"),))
    assert net == BayesianNetwork([B, A], [uniform(B, A), uniform(A)])
    assert hash(net) == hash(pickle.loads(pickle.dumps(net)))  # noqa: S301 - our own bytes
    assert net != BayesianNetwork([A, B], [uniform(B, A), uniform(A)])
    with pytest.raises(AttributeError):
        net.name = "other"
    with pytest.raises(AttributeError):
        net.cpt("A").child = B
    with pytest.raises(ValueError, match="read-only"):
        net.cpt("A").exact[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        net.cpt("A").values[0] = 1
    with pytest.raises(UnknownNameError, match="unknown variable 'b'; did you mean 'B'"):
        net.variable("b")


def test_every_error_has_one_base() -> None:
    assert issubclass(NetworkError, Bnc2dError)
    assert issubclass(UnknownNameError, Bnc2dError)
