"""Scales: which state a value reads as, and that what texts say of numbers is true of them."""

import json
import pickle
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import inf, nan, nextafter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bnc2d
from bnc2d.base.scales import (
    Cut,
    Intervals,
    Labels,
    Scale,
    States,
    labels_of,
    scale_from_data,
    scale_of,
    state_words,
)
from tests.cases import cases

finite = st.floats(allow_nan=False, allow_infinity=False, width=64)
numbers = st.one_of(st.integers(-50, 50).map(float), st.integers(-5000, 5000).map(lambda n: n / 7), finite)


@st.composite
def intervals(draw: st.DrawFn, values: st.SearchStrategy[float] = numbers) -> Intervals:
    pairs = draw(st.lists(st.tuples(values, st.booleans()), max_size=5))
    cuts = {Cut(*pair).first_above: pair for pair in pairs if Cut(*pair).first_above < inf}
    return Intervals([cuts[edge] for edge in sorted(cuts)])


def defined(scale: Intervals, value: float | Fraction) -> int:
    """Return the position by the definition: how many cuts the value lies above."""
    return sum(value > cut.value or (value == cut.value and not cut.below) for cut in scale.cuts)


@given(intervals(), st.lists(numbers, max_size=8))
def test_a_number_lies_in_the_interval_that_the_definition_says(
    scale: Intervals, values: list[float]
) -> None:
    near = [nextafter(cut.value, way) for cut in scale.cuts for way in (-inf, inf)]
    values = [*values, *near, *(cut.value for cut in scale.cuts), inf, -inf]
    expected = [defined(scale, value) for value in values]
    assert [scale.position(value) for value in values] == expected
    assert [scale.position(repr(value)) for value in values] == expected
    assert [scale.position(np.float64(value)) for value in values] == expected
    found = scale.positions(np.array(values))
    assert found is not None
    assert found.tolist() == expected


@given(intervals(), st.integers(-(10**30), 10**30), st.integers(1, 10**20))
def test_numbers_that_no_float_holds_are_compared_exactly(scale: Intervals, top: int, bottom: int) -> None:
    value = Fraction(top, bottom)
    assert scale.position(value) == defined(scale, value)
    assert scale.position(top) == defined(scale, Fraction(top))
    assert scale.position(Decimal(top)) == defined(scale, Fraction(top))


def test_whole_columns_of_large_integers_are_not_rounded() -> None:
    scale = Intervals([float(2**53)])
    column = np.array([2**53 - 1, 2**53, 2**53 + 1])
    assert scale.positions(column) is None
    assert [scale.position(int(value)) for value in column] == [0, 1, 1]


# What texts say, read by a reader of its own. A number in a text has at most these decimals.


def said(text: str) -> Callable[[Decimal], bool]:
    """Return what a text such as ``x ∈ [1, 2) ∪ [3, ∞)`` says of a number."""
    body = text.removeprefix("x ")
    simple = re.fullmatch(r"(<|≤|≥|>|=|≠) (\S+)", body)
    if simple:
        bound, sign = number(simple[2]), simple[1]
        tests: dict[str, Callable[[Decimal], bool]] = {
            "<": lambda v: v < bound,
            "≤": lambda v: v <= bound,
            "≥": lambda v: v >= bound,
            ">": lambda v: v > bound,
            "=": lambda v: v == bound,
            "≠": lambda v: v != bound,
        }
        return tests[sign]
    sign, rest = body.split(" ", 1)
    assert sign in "∈∉"
    parts = [part(one) for one in rest.split(" ∪ ")]
    return lambda value: (sign == "∈") == any(holds(value) for holds in parts)


def part(text: str) -> Callable[[Decimal], bool]:
    if text.startswith("{"):
        only = number(text.strip("{}"))
        return lambda value: value == only
    low, high = (number(one) for one in text[1:-1].split(", "))
    return lambda v: (
        (v >= low if text[0] == "[" else v > low) and (v <= high if text[-1] == "]" else v < high)
    )


def number(text: str) -> Decimal:
    return Decimal(text.removesuffix("k").replace("∞", "Infinity")) * (1000 if text.endswith("k") else 1)


sane = st.one_of(
    st.integers(-60_000, 60_000).map(float),
    st.integers(-5000, 5000).map(lambda n: n / 7),
    st.floats(-1e4, 1e4).map(lambda x: x if abs(x) > 1e-3 else 0.25),
)


@settings(max_examples=cases(44, 300))
@given(intervals(sane), st.integers(0, 2**6), st.lists(st.integers(-(10**7), 10**7), max_size=6))
def test_texts_are_true_of_every_number_that_has_no_more_decimals(
    scale: Intervals, mask: int, others: list[int]
) -> None:
    full = (1 << len(scale.names)) - 1
    if not 0 < mask & full < full:
        return
    text = scale.symbols("x", mask & full)
    holds, shown = said(text), [number(scale.cut_text(cut)) for cut in scale.cuts]
    exponents = [bound.as_tuple().exponent for bound in shown]
    step = Decimal(1).scaleb(min([-2, *(one for one in exponents if isinstance(one, int))]))
    values = [near for bound in shown for near in (bound - step, bound, bound + step)]
    values += [Decimal(other) * step for other in others]
    for value in values:
        if Decimal(repr(float(value))) != value:
            continue  # floats have no such number: it would be read as another
        position = scale.position(float(value))
        assert position is not None
        assert holds(value) == bool(mask >> position & 1), (text, value, scale.cuts)


def test_texts_are_short() -> None:
    thirds = Intervals([2.6 / 3, 4.9 / 3])
    assert thirds.names == ("<0.86667", "[0.86667, 1.63334)", "≥1.63334")
    assert Intervals([(2.6 / 3, True)]).names == ("≤0.86666", ">0.86666")
    income = Intervals([20_000, 37_500, 1_234_567], unit="€")
    assert income.names == ("<20k", "[20k, 37.5k)", "[37.5k, 1234567)", "≥1234567")
    assert income.symbols("income", 0b0110) == "income ∈ [20k, 1234567) €"
    assert income.words("income", 0b0001, "were") == "income were < 20k €"
    assert income.value_text(30_000.0) == "30k €"
    assert Intervals([1, (1, True)]).names == ("<1", "1", ">1")
    assert Intervals([1, (1, True)]).symbols("n", 0b101) == "n ≠ 1"
    assert Intervals([1, 2, 3]).words("n", 0b0101) == "n in (-∞, 1) or [2, 3)"


@given(intervals())
def test_names_differ_and_data_goes_there_and_back(scale: Intervals) -> None:
    assert len(set(scale.names)) == len(scale.names)
    again = scale_from_data(json.loads(json.dumps(scale.to_data())))
    assert isinstance(again, Intervals)
    assert again.cuts == scale.cuts
    assert again.names == scale.names


@pytest.mark.parametrize("cuts", [[2, 1], [1, 1], [nan], [inf], [(1, True), 1]])
def test_cuts_that_do_not_increase_are_refused(cuts: list[float]) -> None:
    with pytest.raises(bnc2d.NetworkError, match="cuts must be finite numbers that increase"):
        Intervals(cuts)


def test_missing_values_read_as_the_state_that_stands_for_them() -> None:
    plain, filled = Intervals([1]), Intervals([1], missing=1)
    for value in (None, nan, pd.NA, "?", "nan", Decimal("nan")):
        assert plain.position(value) is None
        assert filled.position(value) == 1
    assert plain.position("abc") is None
    assert filled.position("abc") is None
    found = plain.positions(np.array([nan, 0.0]))
    assert found is not None
    assert found.tolist() == [-1, 0]


def test_labels_of_any_type() -> None:
    scale = Labels([(1, 2), 3.5, "x", nan])
    assert scale.names == ("1 or 2", "3.5", "x", "missing")
    values = [1, np.int64(2), 2.0, "2", "2.0", 3.5, "3.5", "x", None, "missing", "1 or 2"]
    assert [scale.position(value) for value in values] == [0, 0, 0, 0, 0, 1, 1, 2, 3, 3, 0]
    assert scale.position(7) is None
    assert scale.position([1]) is None
    assert Labels(["a", "b"], other=1).position("zzz") == 1
    assert Labels([True, False]).label(1) is False
    again = scale_from_data(json.loads(json.dumps(scale.to_data())))
    assert [again.position(value) for value in values] == [scale.position(value) for value in values]


@pytest.mark.parametrize("scale", [Intervals([1, 2], unit="m"), Labels([0, 1], missing=0)])
def test_states_keep_their_scale(scale: Scale) -> None:
    states = States(scale)
    assert states == scale.names  # a tuple of names like any other
    copy = pickle.loads(pickle.dumps(states))  # noqa: S301 # made on the line
    assert scale_of(copy) is not None
    assert copy.scale.to_data() == scale.to_data()
    assert scale_of(("a", "b")) is None
    with pytest.raises(bnc2d.NetworkError, match="1 names for a scale of"):
        States(scale, ["one"])


def test_labels_keep_their_type() -> None:
    assert labels_of(States(Labels([0, 1]))) == (0, 1)
    assert labels_of(("0", "1")) == ("0", "1")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("Low", "x=Low"),
        ("<37.5", "x < 37.5"),
        ("≥-2", "x ≥ -2"),
        ("[2, 5)", "x in [2, 5)"),
        ("(a, b)", "x=(a, b)"),
    ],
)
def test_states_in_words(state: str, words: str) -> None:
    assert state_words("x", state) == words
