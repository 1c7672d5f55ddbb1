"""Comparisons with numbers: each against the numbers themselves, and what reasons print reads back."""

from __future__ import annotations

from itertools import product

import pytest

import bnc2d
from bnc2d.base.scales import Intervals, Labels, States
from bnc2d.logic.constraints.reader import read_constraint
from bnc2d.logic.domain import Domain

CUTS: dict[str, list[tuple[float, bool]]] = {
    "age": [(20, False), (37.5, False), (50, False)],
    "income": [(20_000, False), (50_000, True)],
    "dose": [(-1.25, False), (0.1, False), (0.1, True), (3e-7 + 4, True)],
}
SCALES: dict[str, Intervals | Labels | None] = {
    "age": Intervals(CUTS["age"], missing=4),
    "income": Intervals(CUTS["income"], unit="EUR"),
    "dose": Intervals(CUTS["dose"], unit="mg/dL"),
    "grade": Labels([1, 2, 2.5, 10]),
    "plain": None,
}
DOMAIN = Domain({name: ("1", "2") if scale is None else States(scale) for name, scale in SCALES.items()})
POINTS = [-5, -1.25, 0.05, 0.1, 0.2, 4, 5, 19.9, 20, 30, 37.5, 40, 50, 51, 2e4, 3e4, 5e4, 50_000.5, 1e6]


def literal(text: str) -> tuple[str, int]:
    """Return the feature and the states of a text that says something of one feature."""
    circuit = read_constraint(text, bnc2d.Manager(DOMAIN))
    (name,) = circuit.features
    feature = DOMAIN.index(name)
    first = {other: states[0] for other, states in zip(DOMAIN.names, DOMAIN.states, strict=True)}
    states = DOMAIN.states[feature]
    holds = [circuit.evaluate({**first, name: state}) for state in states]
    return name, sum(1 << at for at, one in enumerate(holds) if one)


@pytest.mark.parametrize("name", CUTS)
def test_whatever_a_scale_prints_reads_back(name: str) -> None:
    scale = SCALES[name]
    assert isinstance(scale, Intervals)
    full = (1 << len(scale.names)) - 1
    for mask in range(1, full):
        assert literal(scale.symbols(name, mask)) == (name, mask), scale.symbols(name, mask)


@pytest.mark.parametrize("name", CUTS)
def test_a_comparison_holds_for_the_numbers_that_it_says(name: str) -> None:
    scale = SCALES[name]
    assert isinstance(scale, Intervals)
    signs = {
        "<": lambda x, y: x < y,
        "<=": lambda x, y: x <= y,
        ">": lambda x, y: x > y,
        ">=": lambda x, y: x >= y,
    }
    exact, refused = 0, []
    for (value, _), sign in product(CUTS[name], signs):
        for text, mirrored in ((f"{name} {sign} {value}", False), (f"{value} {sign} {name}", True)):
            try:
                _, mask = literal(text)
            except bnc2d.LogicError as error:
                refused.append(str(error))
                continue
            exact += 1
            for point in POINTS:
                wanted = signs[sign](value, point) if mirrored else signs[sign](point, value)
                position = scale.position(point)
                assert position is not None
                assert bool(mask >> position & 1) == wanted, (text, point)
    assert all("is cut at" in one for one in refused)
    values = [value for value, _ in CUTS[name]]
    # Each cut goes with two signs, in both directions; two cuts at one number are asked about twice.
    assert exact == sum(4 * values.count(value) for value in values)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20 <= age < 50", 0b00110),
        ("50 > age >= 20", 0b00110),
        ("age in [20, 50)", 0b00110),
        ("age not in [20, 50)", 0b11001),
        ("age ∉ [20, 50)", 0b11001),
        ("not age < 37.5", 0b11100),
        ("age ∈ (-∞, 20) ∪ {missing}", 0b10001),
        ("age in {missing, 25}", 0b10010),
        ("income < 20k", 0b001),
        ("income ∈ [20k, 50k] EUR", 0b010),
        ("20000 <= income", 0b110),
        ("income <= 5e4 EUR", 0b011),
        ("dose ≤ 0.1 mg/dL", 0b00111),
        ("dose ≠ 0.1", 0b11011),
        ("grade < 2.5", 0b0011),
        ("2 <= grade <= 9", 0b0110),
        ("grade > 2.5", 0b1000),
    ],
)
def test_ranges_in_all_spellings(text: str, expected: int) -> None:
    assert literal(text)[1] == expected


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("age < 40", "column 7: found '40', where 'age' is not cut; the nearest cuts are 37.5 and 50"),
        ("age <= 37.5", "'age' is cut at 37.5 with 37.5 itself above, expected < 37.5 or >= 37.5"),
        ("income > 20k", "is cut at 20k with 20k itself above"),
        ("income < 50k", "itself below, expected <= 50k or > 50k"),
        ("age in (20, 50)", "itself above"),
        ("age in [50, 20)", r"found \[50, 20\), expected a range with a value of 'age'"),
        ("income < 20k USD", "found 'USD' after a number, expected its unit 'EUR' or nothing"),
        ("age < 20 years", "found 'years' after a number, expected nothing"),
        ("plain < 2", "'plain' with a number, .* it is no column of numbers"),
        ("grade > 10", r"found \(10, ∞\), expected a range with a value of 'grade'"),
        ("agee < 20", "expected a feature; did you mean 'age'"),
        ("age < age", "found 'age', expected a number"),
        ("age < 37.49999999999999999999999", "'age' is not cut"),
    ],
)
def test_what_is_not_exact_is_refused(text: str, message: str) -> None:
    with pytest.raises(bnc2d.LogicError, match=message) as caught:
        read_constraint(text, bnc2d.Manager(DOMAIN))
    assert "\n" not in str(caught.value)


def test_rules_and_conditions_of_a_trained_classifier() -> None:
    import pandas as pd

    frame = pd.DataFrame({"age": list(range(20, 60)) * 2, "smoker": [False, True] * 40})
    frame["ill"] = (frame["age"] >= 40) & frame["smoker"] | (frame["age"] >= 50)
    clf = bnc2d.from_data(frame, target="ill", bins={"age": [30, 40, 50]}, test_size=0)
    assert clf.check("if age >= 50 and smoker then ill").holds
    assert clf.check("if age < 30 then class = False").holds
    assert not clf.check("if 30 <= age < 50 then not ill").holds
    assert clf.decides({"age": [55], "smoker": True}).decision == "True"
    given = clf.compile().given("age >= 40 and smoker")
    assert given.count("True") + given.count("False") == 2
    reason = clf.explain({"age": 57, "smoker": True}).shortest_sufficient_reason()
    assert clf.check(f"if {reason} then ill".replace("∧", "and")).holds
