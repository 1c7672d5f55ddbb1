"""One reader for each kind of value: what a value means at one door it means at all, and so with refusals.

Every door of a kind is asked with the same odd values: states, classes, numbers (table entries, thresholds,
weights), limits.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnc2d
from bnc2d import CPT, NNF, Bnc2dError, Classifier, Clause, Term, UnknownNameError, Variable
from bnc2d.base.readers.arguments import shown
from bnc2d.base.readers.instances import encode
from bnc2d.base.readers.states import find_state
from bnc2d.cli.main import main
from bnc2d.errors import ClassifierError, LogicError, NetworkError
from bnc2d.experiments.problems import read_problem
from bnc2d.explain.keys import Keys

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}
COIN = Variable("Coin", ("heads", "tails"))
NETWORK = bnc2d.example("diagnosis")
CLASSIFIER = Classifier(NETWORK, "D", ["BP", "CT", "HR"])
MODEL = CLASSIFIER.compile()
SEVERAL = CLASSIFIER.compile(method="enumerate").formula("2")
CT = NNF.literal(SEVERAL.manager, "CT", "1")
# A classifier that decides what CT is.
COPY = Variable("Copy", ("0", "1"))
TWINS = bnc2d.BayesianNetwork(
    [Variable("CT", ("0", "1")), COPY],
    [
        CPT(Variable("CT", ("0", "1")), (), ["0.5", "0.5"]),
        CPT(COPY, [Variable("CT", ("0", "1"))], [1, 0, 0, 1]),
    ],
)
CT_DECIDES = Classifier(TWINS, "Copy", ["CT"])
COPIED = CT_DECIDES.compile()

Door = Callable[[Any], object]


def positions(literals: Mapping[str, Iterable[str]]) -> int:
    """Return the position of the one state that is said of CT."""
    (state,) = literals["CT"]
    return int(state)


# Each takes a value for CT, whose states are "0" and "1", and returns the position that was read.
STATES: dict[str, Door] = {
    "Variable.index": lambda v: NETWORK.variable("CT").index(v),
    "Domain.state_index": lambda v: MODEL.domain.state_index(1, v),
    "Domain.encode": lambda v: MODEL.domain.encode({**PATIENT, "CT": v})[1],
    "Domain.mask": lambda v: MODEL.domain.mask(1, v).bit_length() - 1,
    "encode": lambda v: encode(CLASSIFIER.feature_variables, {**PATIENT, "CT": v}).rows[0, 1],
    "encode list": lambda v: encode(CLASSIFIER.feature_variables, [PATIENT, {**PATIENT, "CT": v}]).rows[1, 1],
    "encode frame": lambda v: encode(
        CLASSIFIER.feature_variables, pd.DataFrame({**PATIENT, "CT": pd.Series([v], dtype=object)})
    ).rows[0, 1],
    "encode Series": lambda v: encode(
        CLASSIFIER.feature_variables, pd.Series({**PATIENT, "CT": v}, dtype=object)
    ).rows[0, 1],
    "Classifier.posterior": lambda v: int(
        CLASSIFIER.posterior({**PATIENT, "CT": v}) == CLASSIFIER.posterior(PATIENT)
    ),
    "Classifier.predict": lambda v: int(CT_DECIDES.predict({"CT": v}) == "1"),
    "CompiledModel.predict": lambda v: int(COPIED.predict({"CT": v}) == "1"),
    "CompiledModel.explain": lambda v: positions(MODEL.explain({**PATIENT, "CT": v}).instance),
    "CompiledModel.explain_many": lambda v: positions(
        MODEL.explain_many([{**PATIENT, "CT": v}], limit=1)[0].instance
    ),
    "CompiledModel.nearest": lambda v: 1 - positions(COPIED.nearest({"CT": v}).instance or {}),
    "CompiledModel.is_biased": lambda v: positions((COPIED.is_biased("CT", {"CT": v}).pair or [{}])[0]),
    "NNF.evaluate": lambda v: int(CT.evaluate({**PATIENT, "CT": v})),
    "NNF.evaluate list": lambda v: int(CT.evaluate([{**PATIENT, "CT": v}])[0]),
    "NNF.evaluate frame": lambda v: int(
        CT.evaluate(pd.DataFrame({**PATIENT, "CT": pd.Series([v], dtype=object)}))[0]
    ),
    "NNF.evaluate Series": lambda v: int(CT.evaluate(pd.Series({**PATIENT, "CT": v}, dtype=object))),
    "NNF.is_monotone_towards": lambda v: int(CT.is_monotone_towards({**PATIENT, "CT": v})),
    "NNF.condition": lambda v: int(bool(CT.condition({"CT": v}))),
    "NNF.literal": lambda v: int(NNF.literal(CT.manager, "CT", v) == CT),
    "Term": lambda v: positions(Term(MODEL.domain, {"CT": v})),
    "Clause": lambda v: positions(Clause(MODEL.domain, {"CT": v})),
    "Term.holds": lambda v: int(Term(MODEL.domain, {"CT": "1"}).holds({"CT": v})),
    "Clause.holds": lambda v: int(Clause(MODEL.domain, {"CT": "1"}).holds({"CT": v})),
    "Explanation.is_sufficient": lambda v: int(
        bool(MODEL.explain(PATIENT).is_sufficient({"BP": "High", "CT": v}))
    ),
    "Explanation.changes": lambda v: positions_of_changes(v),
    "is_monotone order": lambda v: place_in_order(v),
}


def place_in_order(value: Any) -> int:
    """Return the position of the state without which the value makes an order of all states."""
    try:
        return int(MODEL.is_monotone("CT", order=["0", value]).features == ("CT",))
    except ClassifierError:
        return int(MODEL.is_monotone("CT", order=[value, "1"]).features != ("CT",))


def positions_of_changes(value: object) -> int:
    """Return the state of CT that violating ``CT=value`` does not lead to."""
    ((instance, _),) = MODEL.explain(PATIENT).changes({"CT": value})
    return 1 - int(instance["CT"])


READ: list[tuple[object, int]] = [
    *((value, 1) for value in ("1", 1, 1.0, True, np.True_, np.int8(1), np.uint64(1), np.float32(1))),
    *((value, 1) for value in (np.float64(1), np.str_("1"), Decimal(1), Decimal("1.0"), Fraction(1))),
    *((value, 0) for value in ("0", 0, 0.0, -0.0, False, np.False_, np.float16(0), Decimal("0E+3"))),
]
UNREAD: list[object] = [
    *("1.0", " 1", "", "yes", "True", math.inf, 2, -1, 0.5, b"1", 1j, object(), 10**5000),
    *(np.float32(0.5), Fraction(1, 2), np.datetime64("2020"), int),
]
# Values that say "unknown": these doors take instances with features that are missing.
UNKNOWN: list[object] = [
    None,
    math.nan,
    np.float32("nan"),
    Decimal("nan"),
    Decimal("sNaN"),
    pd.NA,
    pd.NaT,
    "?",
]
PARTIAL = {
    *("Classifier.posterior", "Classifier.predict"),
    *("CompiledModel.predict", "CompiledModel.explain", "CompiledModel.explain_many"),
}


@pytest.mark.parametrize("door", STATES)
def test_a_state_is_read_alike_at_every_door(door: str) -> None:
    for value, position in READ:
        assert STATES[door](value) == position, shown(value)
    for value in UNREAD if door in PARTIAL else [*UNREAD, *UNKNOWN]:
        with pytest.raises(
            UnknownNameError, match=r"variable 'CT' has no state .*valid: '0', '1'|did you mean"
        ):
            STATES[door](value)


@pytest.mark.parametrize("value", UNKNOWN, ids=shown)
def test_the_doors_for_partial_instances_agree_on_what_is_unknown(value: object) -> None:
    partial, known = {**PATIENT, "CT": value}, {"BP": PATIENT["BP"], "HR": PATIENT["HR"]}
    assert CLASSIFIER.posterior(partial) == CLASSIFIER.posterior(known) != CLASSIFIER.posterior(PATIENT)
    assert CT_DECIDES.predict({"CT": value}) == CT_DECIDES.predict({}) == COPIED.predict({"CT": value})
    assert MODEL.explain(partial).missing == MODEL.explain_many([partial])[0].missing == ("CT",)


@pytest.mark.parametrize("value", [["1"], {"1": 1}, {1}, np.array([1, 0])], ids=shown)
def test_several_states_are_no_state_of_an_instance(value: object) -> None:
    for door in (
        "encode",
        "encode list",
        "Domain.encode",
        "NNF.evaluate",
        "Classifier.predict",
        "Term.holds",
    ):
        with pytest.raises(UnknownNameError, match=r"variable 'CT' has no state"):
            STATES[door](value)


def test_a_text_is_a_name_and_a_number_is_its_text_first() -> None:
    assert find_state(("1.0", "1"), 1.0) == 0
    assert find_state(("1.0", "1"), 1) == 1
    assert find_state(("0.0", "1.0"), -0.0) == 0
    assert find_state(("0.5", "1.5"), np.float32(0.5)) == 0
    assert find_state(("True", "1"), True) == 0
    assert find_state(("0", "1"), "true") is None
    assert find_state(("None", "Some"), None) == 0
    first, second = Variable("X", ("1", "1.0")), {"X": Decimal(1)}
    for values in ((Decimal(1), Decimal("1.0")), (Decimal("1.0"), Decimal(1))):  # equal, but two texts
        rows = encode([first], [{**second, "X": value} for value in values]).rows[:, 0].tolist()
        assert rows == [0 if str(value) == "1" else 1 for value in values]


# Each takes the name of a class of D, whose states are "0", "1" and "2", and returns the name that was read.
CLASSES: dict[str, Door] = {
    "label": lambda v: str(MODEL.label(v)),
    "formula": lambda v: next(c for c in MODEL.classes if MODEL.formula(c) == MODEL.formula(v)),
    "count": lambda v: {6: "0", 3: "1", 9: "2"}[MODEL.count(v)],
    "share": lambda v: {6: "0", 3: "1", 9: "2"}[int(MODEL.share(v) * 18)],
    "sample": lambda v: MODEL.predict(MODEL.sample(v)),
    "nearest": lambda v: MODEL.nearest(PATIENT, v).decision,
    "robustness": lambda v: MODEL.explain(PATIENT).robustness(v).decision,
    "contrastive": lambda v: MODEL.explain(PATIENT).contrastive(v).towards,
    "to_dict": lambda v: next(iter(MODEL.explain(PATIENT).to_dict(towards=v)["contrastive"]), "2"),
    "is_monotone": lambda v: str(MODEL.label(MODEL.is_monotone("CT", towards=v).towards)),
    "positive": lambda v: Classifier(NETWORK, "CT", ["BP"], positive=v).positive,
}


@pytest.mark.parametrize("door", CLASSES)
def test_a_class_is_read_as_a_state_is(door: str) -> None:
    for value, name in [("1", "1"), (1, "1"), (1.0, "1"), (np.int64(0), "0"), (Fraction(0), "0")]:
        assert CLASSES[door](value) == name, shown(value)
    for value in ("1.0", "one", math.nan, -1, 0.5, b"1", object(), ["1"]):
        with pytest.raises(ClassifierError, match=r"has no class|is not a state of the target"):
            CLASSES[door](value)


def bench_threshold(value: object, folder: Path) -> object:
    bnc2d.write_network(NETWORK, folder / "diagnosis.bif")
    problem = {"network": "diagnosis.bif", "target": "CT", "features": ["BP"], "threshold": value}
    (folder / "p.json").write_text(json.dumps(problem))
    return read_problem(folder, "p").classifier().threshold


def cost(value: Any) -> object:
    """Return what one change costs, where CT alone may change the decision."""
    return COPIED.nearest({"CT": 1}, weights={"CT": value}).distance


def weight(value: Any) -> object:
    """Return the weight that the key of a feature stands for."""
    return Keys(COPIED.domain, {"CT": value}).of


# Each takes a number and returns what was read; the second is what other values are compared with.
NUMBERS: dict[str, Door] = {
    "CPT": lambda v: CPT(COIN, (), [v, "0.9"]).exact[0],
    "CPT array": lambda v: CPT(COIN, (), np.array([v, Fraction(9, 10)], dtype=object)).exact[0],
    "CPT.from_numbers": lambda v: CPT.from_numbers(COIN, (), [v, 0.9])[0].exact[0],
    "threshold": lambda v: Classifier(NETWORK, "CT", ["BP"], threshold=v).threshold,
    "nearest": cost,
    "shortest": lambda v: Fraction(1, 10) if weight(v) == weight(Fraction(1, 10)) else weight(v),
}
TENTHS = [
    0.1,
    "0.1",
    ".1",
    "1e-1",
    "+0.10",
    Decimal("0.1"),
    Fraction(1, 10),
    np.float64(0.1),
    np.float32(0.1),
]
TENTHS += [np.float16(0.1), np.longdouble("0.1"), np.array(0.1)]
NO_NUMBERS = [math.nan, math.inf, "nan", "inf", "x", "", " ", "1/10", "0x1", "1_0", "½", None, True, np.True_]
NO_NUMBERS += [
    [0.1],
    {},
    1j,
    b"0.1",
    object(),
    np.array([0.1, 0.9]),
    pd.NA,
    Decimal("nan"),
    "1e99999",
    "1" * 5000,
]


@pytest.mark.parametrize("door", NUMBERS)
def test_a_number_is_read_alike_at_every_door(door: str) -> None:
    for value in TENTHS:
        assert NUMBERS[door](value) == Fraction(1, 10), shown(value)
    for value in NO_NUMBERS if door != "threshold" else [v for v in NO_NUMBERS if v is not None]:
        with pytest.raises((NetworkError, ClassifierError, LogicError), match=r"number|exponent") as refused:
            NUMBERS[door](value)
        assert any(word in str(refused.value) for word in ("Coin", "threshold", "weight of 'CT'"))
    for value in (-1, -0.5, "-1"):
        with pytest.raises(Bnc2dError, match=r"negative|positive|between 0 and 1"):
            NUMBERS[door](value)


def test_float32_tables_need_no_repair() -> None:
    assert CPT(COIN, (), np.array([0.1, 0.9], dtype=np.float32)) == CPT(COIN, (), ["0.1", "0.9"])


def test_thresholds_of_problem_files_and_of_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for value in (0.1, "0.1", "1e-1"):
        assert bench_threshold(value, tmp_path) == Fraction(1, 10)
        words = ["predict", "diagnosis", "--target=CT", "--features=BP", f"--threshold={value}", "BP=High"]
        assert main(words) == 0
    for value in ("x", "nan", "1/10", ""):
        with pytest.raises(ClassifierError, match="threshold must be a number between 0 and 1"):
            bench_threshold(value, tmp_path)
        words = ["predict", "diagnosis", "--target=CT", "--features=BP", f"--threshold={value}", "BP=High"]
        assert main(words) == 2
        assert "the threshold must be a number between 0 and 1" in capsys.readouterr().err


@pytest.mark.parametrize(
    "value", [30, 30.0, Decimal(30), Fraction(61, 2), np.float32(30), np.int16(30)], ids=shown
)
def test_every_limit_is_read_alike(value: Any) -> None:
    explanation, formula = MODEL.explain(PATIENT), MODEL.formula("2")
    assert CLASSIFIER.compile(time_limit=value).count("2") == 9
    assert [*explanation.sufficient_reasons(time_limit=value)] == [*explanation.sufficient_reasons()]
    assert MODEL.explain_many([PATIENT], time_limit=value)[0].cut == {"sufficient": None, "necessary": None}
    assert MODEL.is_biased("BP", time_limit=value)
    assert MODEL.is_monotone("BP", time_limit=value).status == "refuted"
    assert MODEL.equivalent(MODEL, time_limit=value)
    assert MODEL.compare(MODEL, time_limit=value)
    assert formula.satisfiable(time_limit=value)
    assert formula.to_sdd(time_limit=value).count() == 9
    assert explanation.is_sufficient({"BP": "High", "CT": 1}, time_limit=value)
    assert explanation.count_sufficient_reasons(time_limit=value) == 2


@pytest.mark.parametrize("value", [1, np.int64(1), np.uint8(1)], ids=shown)
def test_every_number_of_things_is_read_alike(value: Any) -> None:
    explanation, formula = MODEL.explain(PATIENT), MODEL.formula("2")
    assert len([*explanation.sufficient_reasons(limit=value)]) == 1
    assert len([*explanation.contrastive("0", limit=value)]) == 1
    assert len([*explanation.changes({"BP": "High"}, limit=value)]) == 1
    assert len(explanation.to_dict(limit=value)["sufficient_reasons"]) == 1
    assert len(MODEL.explain_many([PATIENT], limit=value)[0].reasons["sufficient"]) == 1
    assert len([*formula.prime_implicants(limit=value)]) == 1
    assert len([*MODEL.diagram.instances(2, limit=value)]) == 1
    assert len(MODEL.sample("2", size=value)) == 1
    refused: Any
    for refused in (True, 1.0, "1", -1, Decimal(1)):
        for ask in (explanation.sufficient_reasons, formula.prime_implicants, formula.to_text):
            with pytest.raises(Bnc2dError, match=r"limit must (be a whole number|not be negative)"):
                ask(limit=refused)


def test_states_of_instance_files_and_of_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["predict", "diagnosis", "--target=D", "--features=BP,CT,HR"]
    for value in ("1", 1, 1.0, True):
        (tmp_path / "p.json").write_text(json.dumps({**PATIENT, "CT": value}))
        assert main([*words, f"--instance={tmp_path / 'p.json'}"]) == 0
    assert main([*words, "BP=High", "CT=1", "HR=Normal"]) == 0
    assert len(set(capsys.readouterr().out.splitlines())) == 4  # the decision and three probabilities
    for unread in ("1.0", "yes", 2, 0.5, ""):
        (tmp_path / "p.json").write_text(json.dumps({**PATIENT, "CT": unread}))
        assert main([*words, f"--instance={tmp_path / 'p.json'}"]) == 2
        assert f"variable 'CT' has no state '{unread}'" in capsys.readouterr().err
    assert main([*words, "BP=High", "CT=1.0", "HR=Normal"]) == 2
    assert "variable 'CT' has no state '1.0'; " in capsys.readouterr().err
