"""Values as people hold them are taken, others refused by name: cases that were seen, each with its words."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnc2d
from bnc2d import CPT, NNF, ArgumentError, Bnc2dError, Classifier, Domain, LogicError, Manager, Variable
from bnc2d.base.readers.arguments import count, flag, limit, seconds, shown, size_in_bytes
from bnc2d.cli.main import main
from bnc2d.errors import ClassifierError, InstanceError, NetworkError, NormalisationWarning
from bnc2d.experiments.run import run_experiments

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}
COIN = Variable("Coin", ("heads", "tails"))
TEXT: Any = "x"  # what mypy would not let through


def classifier() -> Classifier:
    return Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"])


def test_a_series_and_a_row_of_an_array_are_one_instance() -> None:
    clf, model = classifier(), classifier().compile()
    frame = pd.DataFrame([{**PATIENT, "remark": "the paper's"}, {**PATIENT, "BP": "Normal"}])
    positions = np.array([2, 1, 1])
    one: Any
    for one in (frame.iloc[0], pd.Series(PATIENT), positions):
        assert clf.predict(one) == model.predict(one) == "2"
        assert clf.posterior(one) == clf.posterior(PATIENT)
        assert str(model.explain(one)) == str(model.explain(PATIENT))
        assert model.nearest(one) == model.nearest(PATIENT)
        assert model.formula("2").evaluate(one)
    assert clf.predict(positions.reshape(1, 3)).tolist() == ["2"]
    assert clf.predict([frame.iloc[0], PATIENT]) == ["2", "2"]
    term = next(model.explain(PATIENT).sufficient_reasons())
    row: Any = frame.iloc[0]
    assert term.holds(row)


@pytest.mark.parametrize(
    ("instance", "words"),
    [
        (pd.Series([1, 2]), "sets no state for 'BP', 'CT', 'HR'"),
        (pd.Series({**PATIENT, "BP": "Hihg"}), "no state 'Hihg'; did you mean 'High'"),
        (pd.Series([1, 2, 3], index=["BP", "BP", "CT"]), "two entries of one name"),
        (np.array([2, 1]), r"int64 of shape \(2,\)"),
        (np.array([2, 1, 9]), "9 is no position of a state of 'HR'"),
        (np.array(["High", "1", "Normal"]), r"not <U6 of shape \(1, 3\)"),
    ],
)
def test_what_is_no_instance_after_all(instance: Any, words: str) -> None:
    with pytest.raises(Bnc2dError, match=words):
        classifier().predict(instance)


def test_only_constants_have_a_truth_value() -> None:
    manager = Manager(Domain({"X": ("0", "1")}))
    literal = NNF.literal(manager, "X", "1")
    assert bool(NNF.false(manager)) is bool(literal & ~literal) is False
    assert bool(NNF.true(manager)) is True
    with pytest.raises(LogicError, match=r"neither true nor false by itself; ask circuit.satisfiable"):
        bool(literal)
    assert NNF.false(manager) in [NNF.true(manager), NNF.false(manager)]


@pytest.mark.parametrize(
    "combine",
    [
        lambda a: a & True,
        lambda a: True & a,
        lambda a: a | None,
        lambda a: 0 | a,
        lambda a: np.array([1, 2]) & a,
        lambda a: a & np.array([1]),
        lambda a: NNF.all_of([a, TEXT]),
        lambda a: a.implies(True),
    ],
)
def test_circuits_combine_with_circuits_only(combine: Callable[[Any], Any]) -> None:
    with pytest.raises(ArgumentError, match=r"must be an NNF, not (bool|None|int|ndarray|str)"):
        combine(NNF.literal(Manager(Domain({"X": ("0", "1")})), "X", "1"))


def test_floats_in_a_table_are_read_as_in_files() -> None:
    assert CPT(COIN, (), [0.5, 0.5]) == CPT(COIN, (), [Fraction(1, 2)] * 2)
    assert CPT(COIN, (), ["0.1", Decimal("0.9")]) == CPT(COIN, (), [0.1, 0.9])
    assert CPT(COIN, (), [0.1, 0.9]).exact.tolist() == [Fraction(1, 10), Fraction(9, 10)]
    assert CPT(COIN, (), np.array([0, 1])) == CPT(COIN, (), [0, 1])
    with pytest.warns(NormalisationWarning, match="table of 'Coin' .*off by at most 1e-16") as caught:
        third = CPT(COIN, (), [1 / 3, 2 / 3])
    assert caught[0].filename == __file__
    assert third.exact.sum() == 1
    assert third.exact[1] == 2 * third.exact[0]  # 0.3333333333333333, 0.6666666666666666
    with pytest.raises(NetworkError, match=r"P\(Coin\) sums to 0.8, not 1"):
        CPT(COIN, (), [0.5, 0.3])
    with pytest.raises(NetworkError, match="not 1; correct it"):  # exact numbers are meant exactly
        CPT(COIN, (), [Fraction(1, 3), Fraction(666667, 10**6)])


def test_a_table_as_an_array_has_the_shape_of_its_scope() -> None:
    other = Variable("Other", ("a", "b", "c"))
    table = np.array([[0.25, 0.75], [0.5, 0.5], [1, 0]])
    assert CPT(COIN, [other], table) == CPT(COIN, [other], table.reshape(-1))
    with pytest.raises(NetworkError, match=r"has the shape \(2, 3\), expected \(3, 2\)"):
        CPT(COIN, [other], table.reshape(2, 3))


@pytest.mark.parametrize(
    ("act", "error", "words"),
    [
        (lambda: Domain(TEXT), LogicError, "must be a mapping from name to states, not str 'x'"),
        (lambda: Domain([("X", ("0", "1"))]), LogicError, "not list"),  # type: ignore[arg-type]
        (lambda: Domain({"X": "01"}), LogicError, "the states of 'X' must be a list of names, not str '01'"),
        (lambda: Domain({"X": None}), LogicError, "the states of 'X' .* not None"),  # type: ignore[dict-item]
        (lambda: Variable("X", "01"), NetworkError, "the states of 'X' .* not str '01'"),  # type: ignore[arg-type]
        (lambda: CPT(TEXT, (), [1]), ArgumentError, "must be a Variable, not str 'x'"),
        (lambda: CPT(COIN, TEXT, [0.5, 0.5]), NetworkError, "parents of 'Coin' must be a list"),
        (lambda: CPT(COIN, (), [0.5, TEXT]), NetworkError, "table of 'Coin': 'x' is not"),
        (lambda: CPT(COIN, (), [0.5, [0.5]]), NetworkError, "list .0.5. is not a number"),  # type: ignore[list-item]
        (lambda: CPT(COIN, (), [math.nan, 1]), NetworkError, "'nan' is not a finite"),
        (lambda: bnc2d.read_network(None), ArgumentError, "path must be the name of a file.* not None"),  # type: ignore[arg-type]
        (lambda: bnc2d.read_network(b"x.bif"), ArgumentError, "not bytes b'x.bif'"),  # type: ignore[arg-type]
        (lambda: bnc2d.load(3), ArgumentError, "not int 3"),  # type: ignore[arg-type]
        (lambda: classifier().compile().save(None), ArgumentError, "not None"),  # type: ignore[arg-type]
        (
            lambda: bnc2d.write_page(TEXT, "p.html"),
            ArgumentError,
            "must be a CompiledModel, not str 'x'; Class",
        ),
        (lambda: classifier().compile().formula("2", TEXT), ArgumentError, "negated must be True or False"),
        (lambda: classifier().compile(executor=3), ArgumentError, "executor must be .* not int 3"),  # type: ignore[arg-type]
        (lambda: classifier().compile(progress=3), ArgumentError, "progress must be .* not int 3"),  # type: ignore[arg-type]
        (lambda: classifier().compile().equivalent(TEXT), ClassifierError, "not str 'x'"),
        (lambda: classifier().compile().explain(PATIENT, fixed=3), ArgumentError, "fixed must be a name or"),  # type: ignore[arg-type]
        (lambda: classifier().predict(None), InstanceError, "mapping from feature to state, not None"),  # type: ignore[call-overload]
    ],
)
def test_foreign_types_are_named(act: Callable[[], Any], error: type[Bnc2dError], words: str) -> None:
    with pytest.raises(error, match=words):
        act()


NO_SECONDS = [
    math.nan,
    math.inf,
    -1,
    -0.5,
    "1",
    "",
    True,
    np.bool_(True),
    [1],
    10**400,
    1e10,
    1j,
    Decimal("nan"),
]


@pytest.mark.parametrize("value", NO_SECONDS, ids=shown)
def test_every_time_limit_is_a_number_of_seconds(value: Any, tmp_path: Path) -> None:
    model = classifier().compile()
    formula, explanation = model.formula("2"), model.explain(PATIENT)
    for act in (
        lambda: classifier().compile(time_limit=value),
        lambda: model.verify(time_limit=value),
        lambda: explanation.sufficient_reasons(time_limit=value),
        lambda: explanation.is_sufficient({"BP": "High"}, time_limit=value),
        lambda: explanation.to_text(time_limit=value),
        lambda: model.explain_many([PATIENT], time_limit=value),
        lambda: model.is_biased("BP", PATIENT, time_limit=value),
        lambda: model.robustness_profile(time_limit=value),
        lambda: model.robustness_of(PATIENT, time_limit=value),
        lambda: model.compare(model, time_limit=value),
        lambda: model.sensitivity(time_limit=value),
        lambda: model.entry_interval("D", "1", time_limit=value),
        lambda: formula.satisfiable(time_limit=value),
        lambda: formula.to_sdd(time_limit=value),
        lambda: run_experiments(None, tmp_path, time_limit=value),
    ):
        with pytest.raises(Bnc2dError, match="time_limit must be a number of seconds from 0"):
            act()


def test_limits_that_are_some() -> None:
    given = (None, 0, 2.5, Fraction(1, 2), np.float32(0.5), np.int64(3), 1e9)
    assert [seconds(value) for value in given] == [None, 0, 2.5, 0.5, 0.5, 3, 1e9]
    assert (count(np.int64(3), "n"), limit(None), limit(10**400)) == (3, None, 2**63 - 1)
    assert (size_in_bytes(4e9, "n"), size_in_bytes(7, "n")) == (4 * 10**9, 7)
    assert flag(np.bool_(False), "f") is False
    assert classifier().compile(time_limit=60, memory_limit=1e9).verify(time_limit=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["nan", "inf", "-1", "1s", ""])
@pytest.mark.parametrize(
    "words",
    [
        ["compile", "diagnosis", "--target=D", "-o=x"],
        ["verify", "x.bnc2d"],
        ["check", "x.bnc2d", "x.txt"],
        ["explain", "x.bnc2d"],
        ["bench", "--suite=x"],
        ["experiments", "-o=x"],
    ],
)
def test_limits_on_the_command_line(words: list[str], text: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([*words, f"--time-limit={text}"])
    assert stop.value.code == 2
    assert f"{text!r} is no number from 0 on" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "x", "", "٣", "1_0", "1e6"])
def test_sizes_on_the_command_line(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["info", "diagnosis", "--max-bytes=1000000", "--json"]) == 0
    with pytest.raises(SystemExit) as stop:
        main(["info", "diagnosis", f"--max-bytes={text}"])
    assert stop.value.code == 2
    assert f"{text!r} is no number of bytes" in capsys.readouterr().err
