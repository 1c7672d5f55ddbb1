"""Files of KEEL, with their declarations and without; what is wrong is said with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnc2d import FormatError
from bnc2d.experiments.data.keel import KeelData, read_keel

DECLARED = """\
@relation weather
@attribute outlook {sunny, overcast, rain}
@attribute temperature real [0.0, 40.0]
@attribute 'wind speed' integer[0,9]
@attribute play {yes, no}
@inputs outlook, temperature, wind speed
@outputs play
@data
sunny, 21.5, 3, no
% a remark
overcast,<null>,9,yes

?, 1e1, 0, yes
"""


def read(tmp_path: Path, text: str) -> KeelData:
    path = tmp_path / "some.dat"
    path.write_text(text, encoding="utf-8")
    return read_keel(path)


def test_declared_columns(tmp_path: Path) -> None:
    data = read(tmp_path, DECLARED)
    assert data.columns == {
        "outlook": ["sunny", "overcast", None],
        "temperature": [21.5, None, 10.0],
        "wind speed": [3.0, 9.0, 0.0],
        "play": ["no", "yes", "yes"],
    }
    assert (data.target, data.features, data.row_count) == (
        "play",
        ("outlook", "temperature", "wind speed"),
        3,
    )


def test_inputs_choose_columns_and_outputs_need_not_be_last(tmp_path: Path) -> None:
    text = DECLARED.replace(
        "@inputs outlook, temperature, wind speed\n@outputs play", "@input play\n@output outlook"
    )
    data = read(tmp_path, text.replace("?, 1e1", "rain, 1e1"))
    assert (list(data.columns), data.target) == (["outlook", "play"], "outlook")


def test_without_inputs_and_outputs_the_last_attribute_is_the_target(tmp_path: Path) -> None:
    text = "".join(line for line in DECLARED.splitlines(True) if not line.startswith(("@inputs", "@outputs")))
    assert read(tmp_path, text) == read(tmp_path, DECLARED)


def test_rows_alone(tmp_path: Path) -> None:
    data = read(tmp_path, "1, x, 3.5, 1\n<null>, y,  4, 2\n2, 7, nan, 1\n")
    assert data.columns == {
        "a1": [1.0, None, 2.0],
        "a2": ["x", "y", "7"],
        "a3": ["3.5", "4", "nan"],  # a word, so that none of them is a number
        "class": ["1", "2", "1"],
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "no line @data"),
        ("@relation x\n", "no line @data"),
        ("@relation x\n@data\n", "no rows of data"),
        ("@data\n1,2\n", "no @attribute is declared"),
        ("1,2\n1,2,3\n", r"some\.dat:2: 3 values in this row, not 2"),
        ("1\n2\n", ":1: a row needs a feature and a class"),
        ("1,a\n2,?\n", ":2: the class of this row is missing"),
        ("@atribute x real\n@data\n", r":1: unknown declaration '@atribute'; did you mean '@attribute'"),
        ("@attribute\n@data\n", ":1: expected: @attribute name"),
        ("@attribute x {a, a}\n@data\n", ":1: the states of 'x' must be different"),
        ("@attribute x text\n@data\n", ":1: 'x' is neither .* but 'text'"),
        ("@attribute x real [2, 1]\n@data\n", r":1: 'real \[2, 1\]' is no range"),
        ("@attribute x real [a, 1]\n@data\n", "is no range"),
        ("@attribute x real\n@attribute x real\n@data\n", ":2: attribute 'x' is declared twice"),
        (
            DECLARED.replace("@inputs outlook", "@inputs outlok"),
            "'outlok', which is no .* did you mean 'outlook'",
        ),
        (DECLARED.replace("@outputs play", "@outputs play, outlook"), "expected one output, found 2"),
        (
            DECLARED.replace("sunny, 21.5", "suny, 21.5"),
            ":9: 'outlook' has no state 'suny'; did you mean 'sunny'",
        ),
        (DECLARED.replace("21.5", "warm"), ":9: 'temperature' is a number, not 'warm'"),
        (DECLARED.replace("21.5", "41"), r":9: 'temperature' is in \[0, 40\], not 41"),
        (DECLARED.replace("0, yes", "0, <null>"), ":13: the class of this row is missing"),
    ],
)
def test_errors_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(FormatError, match=message) as caught:
        read(tmp_path, text)
    assert "\n" not in str(caught.value)
