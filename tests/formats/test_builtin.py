"""The built-in networks against the publications, by multiplying out every joint instance."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import product

import numpy as np
import pytest

from bnc2d.errors import UnknownNameError
from bnc2d.formats.builtin import example, examples

NAMES = list(examples())
PAPER = ["running", "diagnosis"]

EDGES = {
    "running": "A>G A>B G>B A>C B>D B>E C>E B>F C>F",
    "diagnosis": "D>X D>Y X>Y X>BP Y>BP Y>CT X>HR Y>HR",
    "asia": "asia>tub smoke>lung smoke>bronc lung>either tub>either either>xray bronc>dysp either>dysp",
    "cancer": "Pollution>Cancer Smoker>Cancer Cancer>Xray Cancer>Dyspnoea",
    "earthquake": "Burglary>Alarm Earthquake>Alarm Alarm>JohnCalls Alarm>MaryCalls",
    "burglary": "Burglary>Alarm Earthquake>Alarm Alarm>JohnCalls Alarm>MaryCalls",
    "survey": "A>E S>E E>O E>R O>T R>T",
    "sprinkler": "Cloudy>Sprinkler Cloudy>Rain Sprinkler>WetGrass Rain>WetGrass",
    "student": "Intelligence>Grade Difficulty>Grade Intelligence>SAT Grade>Letter",
    "dog": "FamilyOut>LightOn FamilyOut>DogOut BowelProblem>DogOut DogOut>HearBark",
    "coma": "MetastaticCancer>SerumCalcium MetastaticCancer>BrainTumour SerumCalcium>Coma BrainTumour>Coma "
    "BrainTumour>SevereHeadaches",
    "fire": "Tampering>Alarm Fire>Alarm Fire>Smoke Alarm>Leaving Leaving>Report",
    "car": "Fuel>FuelMeter Fuel>Start CleanSparkPlugs>Start",
    "led": "Digit>Top Digit>UpperLeft Digit>UpperRight Digit>Middle Digit>LowerLeft Digit>LowerRight "
    "Digit>Bottom",
    "weather": "Day2>Day3 Day3>Day4 Day4>Day5 Day5>Day6 Day6>Day7 Day7>Day8",
}

# Name, query, evidence and probability: as the source (or a textbook that uses its network) prints it; the
# marginals of asia and P(Alarm) of earthquake are worked out by hand from the printed tables.
KNOWN = [
    ("asia", "either=yes", "", "0.064828"),
    ("asia", "xray=yes", "", "0.11029"),
    ("asia", "dysp=yes", "", "0.435971"),
    ("asia", "tub=yes", "asia=yes dysp=yes", "0.088"),
    ("asia", "bronc=yes", "asia=yes dysp=yes", "0.811"),
    ("cancer", "Xray=positive", "", "0.208"),
    ("cancer", "Dyspnoea=True", "", "0.304"),
    ("cancer", "Cancer=True", "Dyspnoea=True", "0.025"),
    ("cancer", "Pollution=high", "Cancer=True", "0.249"),
    ("cancer", "Smoker=True", "Cancer=True", "0.825"),
    ("cancer", "Pollution=high", "Cancer=True Smoker=True", "0.156"),
    ("cancer", "Cancer=True", "Dyspnoea=True Smoker=True", "0.067"),
    ("earthquake", "Alarm=True", "", "0.0161142"),
    ("burglary", "Burglary=true", "JohnCalls=true MaryCalls=true", "0.284"),
    ("survey", "T=car", "", "0.5618340"),
    ("survey", "T=train", "S=F", "0.2806144"),
    ("survey", "S=M T=car", "E=high", "0.3426644"),
    ("sprinkler", "WetGrass=true", "", "0.6471"),
    ("sprinkler", "Sprinkler=true", "WetGrass=true", "0.430"),
    ("sprinkler", "Rain=true", "WetGrass=true", "0.708"),
    ("sprinkler", "Sprinkler=true", "WetGrass=true Rain=true", "0.1945"),
    ("student", "Letter=l1", "", "0.502"),
    ("student", "Letter=l1", "Intelligence=i0", "0.389"),
    ("student", "Letter=l1", "Intelligence=i0 Difficulty=d0", "0.513"),
    ("student", "Intelligence=i1", "Grade=g3", "0.079"),
    ("student", "Difficulty=d1", "Grade=g3", "0.629"),
    ("student", "Intelligence=i1", "Grade=g3 SAT=s1", "0.578"),
    ("student", "Intelligence=i1 Difficulty=d0 Grade=g2 SAT=s1 Letter=l0", "", "0.004608"),
    ("dog", "FamilyOut=true", "LightOn=true HearBark=false", "0.5"),
    ("coma", "MetastaticCancer=true", "Coma=false SevereHeadaches=true", "0.097"),
    ("fire", "Fire=true", "Report=true", "0.2305"),
    ("fire", "Tampering=true", "Report=true", "0.399"),
    ("fire", "Smoke=true", "Report=true", "0.215"),
    ("fire", "Fire=true", "Report=true Smoke=true", "0.964"),
    ("fire", "Tampering=true", "Report=true Smoke=true", "0.0284"),
    ("car", "CleanSparkPlugs=no", "Start=no", "0.58"),
    ("car", "Fuel=no", "Start=no", "0.29"),
    ("car", "CleanSparkPlugs=no", "Start=no FuelMeter=half", "0.804"),
    (
        "weather",
        "Day2=sunny Day3=sunny Day4=rain Day5=rain Day6=sunny Day7=cloudy Day8=sunny",
        "",
        "0.0001536",
    ),
]


@cache
def joint(name: str) -> list[tuple[dict[str, str], Fraction]]:
    """Return every joint instance with its probability, the product of one entry of each table."""
    net = example(name)
    found = []
    for states in product(*(variable.states for variable in net.variables)):
        instance = dict(zip(net.names, states, strict=True))
        probability = Fraction(1)
        for cpt in net.cpts:
            entry = tuple(variable.states.index(instance[variable.name]) for variable in cpt.scope)
            probability *= cpt.exact[entry]
        found.append((instance, probability))
    assert sum(probability for _, probability in found) == 1
    return found


def event(text: str) -> set[tuple[str, str]]:
    return {(variable, state) for variable, _, state in (part.partition("=") for part in text.split())}


def probability_of(name: str, query: str, given: str = "") -> Fraction:
    wanted, evidence = event(query), event(given)
    possible = [(instance.items(), p) for instance, p in joint(name) if evidence <= instance.items()]
    return sum((p for items, p in possible if wanted <= items), Fraction(0)) / sum(p for _, p in possible)


def posteriors(name: str, target: str, features: list[str]) -> dict[tuple[str, ...], dict[str, Fraction]]:
    """Return P(target | x) for every instance x of the features."""
    weights: dict[tuple[str, ...], dict[str, Fraction]] = {}
    for instance, p in joint(name):
        row = weights.setdefault(tuple(instance[feature] for feature in features), {})
        row[instance[target]] = row.get(instance[target], Fraction(0)) + p
    return {x: {state: p / sum(row.values()) for state, p in row.items()} for x, row in weights.items()}


def winner(posterior: Mapping[str, Fraction]) -> tuple[str, Fraction]:
    """Return the most probable state and its lead over the second."""
    (best, high), (_, second), *_ = sorted(posterior.items(), key=lambda item: item[1], reverse=True)
    return best, high - second


def test_running_has_the_class_formula_of_the_paper() -> None:
    decisions = {x: winner(row) for x, row in posteriors("running", "A", ["D", "E", "F"]).items()}
    assert len(decisions) == 8
    for x, (decision, lead) in decisions.items():
        d, e, f = (state == "1" for state in x)
        assert (decision == "1") == ((d or not e) and (not d or not e or f)), x
        assert lead > Fraction(1, 2), x


def test_diagnosis_has_the_class_formulas_of_the_paper() -> None:
    decisions = {x: winner(row) for x, row in posteriors("diagnosis", "D", ["BP", "CT", "HR"]).items()}
    assert len(decisions) == 18
    for (bp, ct_state, hr), (decision, lead) in decisions.items():
        ct = ct_state == "1"
        fast = hr in ("Normal", "High")
        class_2 = (fast or (ct and bp == "High")) and (bp in ("Low", "High") or hr == "Low")
        not_class_0 = (
            (bp in ("Normal", "High") or fast)
            and (bp in ("Low", "High") or ((not ct or fast) and (ct or hr == "High")))
            and (bp in ("Low", "Normal") or ct or fast)
        )
        assert (decision == "2") == class_2, (bp, ct, hr)
        assert (decision != "0") == not_class_0, (bp, ct, hr)
        assert lead > Fraction(1, 3), (bp, ct, hr)
    classes = Counter(decision for decision, _ in decisions.values())
    assert classes == {"2": 9, "1": 3, "0": 6}
    assert {x for x, (decision, _) in decisions.items() if decision == "1"} == {
        ("Normal", "0", "High"),
        ("Normal", "1", "Normal"),
        ("Normal", "1", "High"),
    }


def test_the_states_of_the_worked_examples() -> None:
    assert example("running").names == tuple("AGBCDEF")
    assert {variable.states for variable in example("running").variables} == {("0", "1")}
    states = {variable.name: variable.states for variable in example("diagnosis").variables}
    levels, binary = ("Low", "Normal", "High"), ("0", "1")
    assert states == {
        "D": ("0", "1", "2"),
        "X": binary,
        "Y": binary,
        "BP": levels,
        "CT": binary,
        "HR": levels,
    }


@pytest.mark.parametrize("name", PAPER)
def test_the_worked_examples_have_short_positive_entries(name: str) -> None:
    for cpt in example(name).cpts:
        for entry in map(Fraction, cpt.exact.ravel().tolist()):
            assert 0 < entry < 1
            assert (entry * 100).denominator == 1


@pytest.mark.parametrize("name", NAMES)
def test_structure(name: str) -> None:
    net = example(name)
    assert net.name == name
    assert sorted(f"{parent}>{child}" for parent, child in net.edges) == sorted(EDGES[name].split())


@pytest.mark.parametrize("name", NAMES)
def test_every_edge_matters(name: str) -> None:
    for cpt in example(name).cpts:
        for axis, parent in enumerate(cpt.parents):
            columns = np.moveaxis(cpt.exact, axis, 0)
            assert any((column != columns[0]).any() for column in columns[1:]), (cpt, parent)


@pytest.mark.parametrize("name", NAMES)
def test_columns_sum_to_exactly_one(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a column that had to be normalised would warn
        example(name)


@pytest.mark.parametrize(("name", "query", "given", "printed"), KNOWN)
def test_known_probability(name: str, query: str, given: str, printed: str) -> None:
    half_a_digit = Fraction(1, 2 * 10 ** len(printed.partition(".")[2]))
    assert abs(probability_of(name, query, given) - Fraction(printed)) <= half_a_digit


def test_every_classic_is_checked_against_a_known_number() -> None:
    assert {name for name, *_ in KNOWN} | {*PAPER, "led"} == set(NAMES)


def test_the_best_classifier_of_the_led_display_is_right_74_percent_of_the_time() -> None:
    segments = [name for name in example("led").names if name != "Digit"]
    best: dict[tuple[str, ...], Fraction] = {}
    for instance, p in joint("led"):
        x = tuple(instance[segment] for segment in segments)
        best[x] = max(p, best.get(x, Fraction(0)))
    assert round(float(sum(best.values())), 2) == 0.74


def test_the_led_display_lights_the_right_segments() -> None:
    segments = {
        "Top": "02356789",
        "UpperLeft": "045689",
        "UpperRight": "01234789",
        "Middle": "2345689",
        "LowerLeft": "0268",
        "LowerRight": "013456789",
        "Bottom": "0235689",
    }
    net = example("led")
    for segment, digits in segments.items():
        lit = [entry == Fraction(9, 10) for entry in net.cpt(segment).exact[:, 1]]
        assert lit == [digit in digits for digit in "0123456789"], segment


def test_names_and_files_agree() -> None:
    folder = files("bnc2d") / "networks"
    assert {path.name for path in folder.iterdir()} == {f"{name}.bif" for name in NAMES}
    for name, description in examples().items():
        assert (folder / f"{name}.bif").read_text(encoding="utf-8").startswith(f"// {description}\n")


def test_the_list_is_a_copy() -> None:
    examples().clear()
    assert list(examples()) == NAMES


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("diagnose", "unknown example 'diagnose'; did you mean 'diagnosis'?"),
        ("Asia", "unknown example 'Asia'; did you mean 'asia'?"),
        ("../networks/asia", "unknown example '../networks/asia'"),
        ("", "unknown example ''; valid: 'running', 'diagnosis'"),
        (None, "unknown example None"),
        (["asia"], "unknown example ['asia']"),
    ],
)
def test_unknown_name(name: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        example(name)
    assert str(caught.value).startswith(message)
