"""The cache of data sets: what goes in is checked, what is in needs nothing from outside."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnc2d import FormatError
from bnc2d.errors import UnknownNameError
from bnc2d.experiments.data.keel import read_keel
from bnc2d.experiments.data.sets import PUBLIC, chosen, data_path, data_paths
from tests.experiments.data.wheels import ROWS, make_wheel


def test_data_come_out_of_a_wheel_and_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = make_wheel(tmp_path, monkeypatch)
    paths = data_paths(["iris"], wheel)
    assert [path.name for path in (tmp_path / "cache" / "data").iterdir()] == ["iris.dat"]
    wheel.unlink()
    assert data_path("car-good").is_file()  # from the wheel that was kept
    assert read_keel(paths["iris"]).row_count == ROWS


def test_names_are_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_wheel(tmp_path, monkeypatch)
    with pytest.raises(UnknownNameError, match="unknown data set 'irs'; did you mean 'iris'"):
        data_path("irs")
    with pytest.raises(FormatError, match="no data set matches 'irs'; did you mean 'iris'"):
        chosen("irs")
    assert not (tmp_path / "cache").exists()


def test_without_the_wheel_the_remedy_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wheel = make_wheel(tmp_path, monkeypatch)
    wheel.write_bytes(wheel.read_bytes() + b"x")
    with pytest.raises(FormatError, match=r"not the wheel of .*experiments --data --wheel FILE"):
        data_paths(["iris"], wheel)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2\n", "iris has 1 rows, 1 features and 1 classes, not those expected"),
        ("1,2\n1\n", ":2: 1 values in this row"),
        ("1,2\n" * 5_000_000, "more than"),
    ],
)
def test_what_is_not_expected_never_reaches_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    wheel = make_wheel(tmp_path, monkeypatch, iris=text)
    with pytest.raises(FormatError, match=message):
        data_paths(["iris"], wheel)
    assert list((tmp_path / "cache" / "data").iterdir()) == []


def test_small_sets_come_first() -> None:
    names = chosen()
    assert len(names) == len(PUBLIC) >= 20
    assert PUBLIC[names[0]].features <= 4 < 60 <= PUBLIC[names[-1]].features
    assert chosen("wi*") == ["wisconsin", "wine"]
    assert chosen("wine, iris,wi*") == ["iris", "wisconsin", "wine"]
    with pytest.raises(FormatError, match="no data set matches 'wien'; did you mean 'wine'"):
        chosen("iris,wien")
