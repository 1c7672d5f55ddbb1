"""Frames and arguments that no classifier can be trained on: each is one line that names what is wrong."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnc2d

ROWS = 40


def frame(**more: Any) -> pd.DataFrame:
    chance = np.random.default_rng(0)
    plain = {
        "a": chance.normal(size=ROWS),
        "b": chance.integers(0, 3, ROWS),
        "y": chance.integers(0, 2, ROWS),
    }
    return pd.DataFrame({**plain, **more})


def renamed(names: list[Any]) -> pd.DataFrame:
    found = frame()
    found.columns = pd.Index(names)
    return found


HOSTILE: dict[str, tuple[Callable[[], Any], str]] = {
    "no frame": (lambda: {"a": [1, 2]}, "takes a pandas DataFrame, not dict"),
    "no rows": (lambda: frame().iloc[:0], "the data frame has no rows"),
    "no columns": (pd.DataFrame, "the data frame has no rows"),
    "no features": (lambda: frame()[["y"]], "there is no column for a feature"),
    "no target": (lambda: frame()[["a", "b"]], "no column 'y'; valid: 'a', 'b'"),
    "one row": (lambda: frame().iloc[:1], "the target 'y' has only the class"),
    "one class": (lambda: frame(y=1), "the target 'y' has only the class '1'"),
    "all missing": (lambda: frame(a=None, b=np.nan), "no column can be a feature: 'a' has no value; 'b'"),
    "target missing": (lambda: frame(y=np.nan), "the target 'y' has no value in any row"),
    "numbers as target": (lambda: frame(y=np.linspace(0, 1, ROWS)), "must be a few classes, but column 'y'"),
    "many classes": (lambda: pd.concat([frame()] * 4).assign(y=range(160)), "has 160 different values"),
    "equal names": (lambda: renamed(["a", "a", "y"]), "more than one column 'a'"),
    "names that are numbers": (lambda: renamed([0, 1, "y"]), r"named by texts, not by 0 \(int\)"),
    "pairs of names": (lambda: renamed([("a", 1), ("a", 2), ("y", 1)]), "named by texts, not by"),
    "an empty name": (lambda: renamed(["", "b", "y"]), "named by texts, not by ''"),
    "mixed types": (lambda: frame(b=["x", 1.5] * 20), r"column 'b' mixes a text \(x\) with a number"),
    "bools and numbers": (lambda: frame(b=pd.Series([True, 7] * 20, dtype=object)), "mixes a bool"),
    "infinite": (lambda: frame(a=[np.inf, 1] * 20), "column 'a' holds inf, no finite number"),
    "huge": (lambda: frame(a=pd.Series([10**400, 1] * 20, dtype=object)), "no finite number"),
    "complex": (lambda: frame(a=np.ones(ROWS) * 1j), "column 'a' holds complex numbers"),
    "dates": (
        lambda: frame(a=pd.date_range("2020-01-01", periods=ROWS)),
        r"column 'a' holds dates .*dt\.year",
    ),
    "dates as objects": (lambda: frame(a=[datetime.date(2020, 1, k % 9 + 1) for k in range(ROWS)]), "dates"),
    "periods": (lambda: frame(a=pd.period_range("2020", periods=ROWS)), "holds dates"),
    "durations": (lambda: frame(a=pd.to_timedelta(range(ROWS), "D")), "holds dates"),
    "lists": (lambda: frame(b=[[1], [2]] * 20), r"column 'b' holds list \[1\]"),
    "tuples": (lambda: frame(b=[(1, 2), (2, 3)] * 20), "column 'b' holds tuple"),
    "number and its text": (lambda: frame(y=["1", "1 "] * 20, b=["", "(empty)"] * 20), "both written"),
}


@pytest.mark.parametrize("structure", ["naive", "tan"])
@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_frame_is_one_line(case: str, structure: Any) -> None:
    make, message = HOSTILE[case]
    with pytest.raises(bnc2d.Bnc2dError, match=message) as caught:
        bnc2d.from_data(make(), target="y", structure=structure)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"target": "Y"}, "no column 'Y'; did you mean 'y'"),
        ({"target": 3}, "no column 3 "),
        ({"structure": "forest"}, "structure must be 'naive' or 'tan'"),
        ({"missing": "guess"}, "missing must be 'state'"),
        ({"features": "a"}, "must be a list of columns"),
        ({"features": ["a", "c"]}, "no column 'c'"),
        ({"features": ["a", "y"]}, "the target 'y' is among the features"),
        ({"features": ["a", "a"]}, "listed twice"),
        ({"features": []}, "no column for a feature"),
        ({"features": 3}, "features must be a list of columns"),
        ({"bins": 1}, "bins must be a number of bins from 2 on"),
        ({"bins": True}, "bins must be"),
        ({"bins": "many"}, "bins must be"),
        ({"bins": [1, 2]}, "cuts are given by column"),
        ({"bins": {"c": 3}}, "bins: no feature str 'c'"),
        ({"bins": {"a": [2, 1]}}, "bins of 'a': cuts must be finite numbers that increase"),
        ({"bins": {"a": [1, "x"]}}, "a cut in bins of 'a' must be a number, not str 'x'"),
        ({"bins": {"a": [np.nan]}}, "cuts must be finite"),
        ({"bins": {"a": 0.5}}, "bins of 'a' must be"),
        ({"test_size": 1}, "test_size must be a share"),
        ({"test_size": "half"}, "test_size must be a share"),
        ({"seed": -1}, "seed must not be negative"),
        ({"alpha": -1}, "alpha must be a number from 0 on"),
        ({"alpha": float("nan")}, "alpha must be a number"),
        ({"alpha": 0, "structure": "tan"}, "alpha must be positive"),
        ({"threshold": 2}, "threshold"),
        ({"positive": "maybe"}, "positive=str 'maybe' is not a state"),
        ({"ties": "highest"}, "ties must be"),
    ],
)
def test_wrong_arguments_are_one_line(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(bnc2d.Bnc2dError, match=message) as caught:
        bnc2d.from_data(frame(), **{"target": "y", **arguments})
    assert "\n" not in str(caught.value)


def test_cuts_of_labels_and_unknown_entries_of_a_tan_are_refused() -> None:
    with pytest.raises(bnc2d.ClassifierError, match="column 'b' holds no numbers"):
        bnc2d.from_data(frame(b=["x", "y"] * 20), target="y", bins={"b": 3})
    with pytest.raises(bnc2d.ClassifierError, match="structure='tan' needs a value in every row"):
        bnc2d.from_data(frame(b=[None, 1.0, 2.0, 3.0] * 10), target="y", structure="tan", missing="unknown")
    with pytest.raises(bnc2d.InstanceError, match="no row has a value in every column"):
        bnc2d.from_data(frame(a=[None, 1.0] * 20, b=[1.0, None] * 20), target="y", missing="drop")


def test_rows_without_a_class_are_dropped_and_counted() -> None:
    given = frame(y=[0.0, 1.0, np.nan, 1.0] * 10)
    clf = bnc2d.from_data(given, target="y")
    assert clf.training is not None
    assert clf.training.dropped_rows == 10
    assert clf.training.rows + clf.training.held_out == 30
    assert clf.classes_.tolist() == [0.0, 1.0]
    assert clf.classes == ("0", "1")


def test_two_rows_of_two_classes_are_enough() -> None:
    clf = bnc2d.from_data(pd.DataFrame({"a": [1.5, 2.5], "y": ["p", "n"]}), target="y")
    assert clf.predict([{"a": 1}, {"a": 3}]) == ["p", "n"]
    assert clf.training is not None
    assert (clf.training.rows, clf.training.accuracy) == (2, None)


def test_huge_whole_numbers_are_compared_exactly() -> None:
    given = frame(a=[2**62 + k % 4 for k in range(ROWS)], b=[10**25 + 10**10 * (k % 9) for k in range(ROWS)])
    clf = bnc2d.from_data(given, target="y", bins={"a": [2**62 + 1024]}, missing="unknown")
    assert clf.predict(given).tolist() == [clf.predict(row) for row in given[["a", "b"]].to_dict("records")]


@pytest.mark.parametrize(
    ("module", "structure", "library"),
    [("sklearn", "naive", "scikit-learn"), ("pyagrum", "tan", "pyAgrum")],
)
def test_a_library_that_is_not_installed_is_named(
    module: str, structure: Any, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [*sys.modules]:
        if name.split(".")[0] == module:
            monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(bnc2d.MissingExtraError, match=rf"{library} is not installed.*bnc2d\[data\]"):
        bnc2d.from_data(frame(a=[0, 1] * 20), target="y", structure=structure)
