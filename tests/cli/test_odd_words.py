"""Odd words for any command and option: an answer, or one line that says what is wrong."""

from __future__ import annotations

import argparse
import io
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from bnc2d import Classifier, example, write_network
from bnc2d.cli.main import COMMANDS, main, make_parser
from tests.cases import cases

INSTANCE = ["BP=High", "CT=1", "HR=Normal"]
# A call of each command that works.
CALLS = {
    "audit": ["d.bnc2d", "--network", "diagnosis"],
    "bench": ["--suite", "suite"],
    "bias": ["d.bnc2d", "--protected", "CT"],
    "check": ["d.bnc2d", "rules.txt"],
    "compare": ["d.bnc2d", "d.bnc2d"],
    "compile": ["diagnosis", "--target", "D", "-o", "new.bnc2d"],
    "completion": ["bash"],
    "convert": ["diagnosis", "new.bif"],
    "count": ["d.bnc2d"],
    "demo": [],
    "draw": ["diagnosis", "-o", "new.svg"],
    "experiments": ["--suite", "suite", "-o", "report"],
    "explain": ["d.bnc2d", *INSTANCE],
    "explore": ["d.bnc2d", "-o", "new.html"],
    "info": ["diagnosis"],
    "monotone": ["d.bnc2d"],
    "nearest": ["d.bnc2d", *INSTANCE],
    "networks": ["--list"],
    "predict": ["d.bnc2d", *INSTANCE],
    "robustness": ["d.bnc2d"],
    "scores": ["d.bnc2d", *INSTANCE],
    "sensitivity": ["a.bnc2d"],
    "share": ["d.bnc2d"],
    "verify": ["d.bnc2d"],
}
NUMBERS = [
    "0",
    "-1",
    "1e308",
    "1e-400",
    "1e400",
    "nan",
    "inf",
    "9" * 25,
    "9" * 5000,
    "1/3",
    "1/0",
    "0x10",
    "٣",
    "²",
]
NAMES = [
    "",
    ",",
    "=",
    "A=",
    "=B",
    "BP=",
    "BP=High",
    "CT",
    "BP,CT",
    "CT=1,1",
    "*",
    "all",
    "x" * 5000,
    "{}",
]
FILES = ["nowhere", "@nowhere", "@rules.txt", ".", "rules.txt", "-", "--", "no/such/folder/x.svg"]
ODD = [*NUMBERS, *NAMES, *FILES]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"]).compile().save(folder / "d.bnc2d")
    Classifier(example("asia"), "lung", ["smoke", "xray"], threshold="0.3").compile().save(folder / "a.bnc2d")
    (folder / "rules.txt").write_text("if BP=High then class in {1,2}\n", encoding="utf-8")
    (folder / "suite" / "networks").mkdir(parents=True)
    (folder / "suite" / "problems").mkdir()
    write_network(example("asia"), folder / "suite" / "networks" / "asia.bif")
    return folder


def odd_calls(command: str) -> Iterator[list[str]]:
    """Yield the command's working call, with one more odd word, and with odd words after each option."""
    parser = make_parser([command])
    (commands,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    options = [
        action.option_strings[-1] for action in commands.choices[command]._actions if action.option_strings
    ]
    rng = Random(command)  # noqa: S311 - reproducible test data
    call = [command, *CALLS[command]]
    yield call
    for place in range(1, len(call) + 1):
        yield [*call[:place], rng.choice(ODD), *call[place:]]
    for option in sorted({*options} - {"--help"}):
        yield [*call, option]
        for odd in rng.sample(ODD, min(len(ODD), cases(4, 99))):
            yield [*call, option, odd]


@pytest.mark.parametrize("command", COMMANDS)
def test_odd_words_end_in_one_line(
    command: str,
    made: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("BNC2D_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))  # where - is read
    for number, words in enumerate(odd_calls(command)):
        folder = tmp_path / str(number)
        shutil.copytree(made, folder)
        monkeypatch.chdir(folder)
        try:
            code: object = main(words)
        except SystemExit as stop:  # argparse ends what it does not understand, and help
            code = stop.code
        out, err = capsys.readouterr()
        said = [line for line in err.splitlines() if not line.startswith("bnc2d: warning:")]
        assert code in {0, 1, 2, 3}, words
        assert "Traceback" not in out + err, words
        if code == 2:
            assert len(said) == 1 or (not said and out), (words, said)
        shutil.rmtree(folder)


def test_a_word_too_many_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    """``audit`` has rules, but no list of them: the word ended in a traceback."""
    with pytest.raises(SystemExit):
        main(["audit", "d.bnc2d", "extra"])
    assert "unrecognized arguments: extra" in capsys.readouterr().err


def test_a_name_that_is_too_long_is_no_full_disk(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--suite", "x" * 5000]) == 2
    said = f"bnc2d: error: {'x' * 200}: File name too long; name another file or folder\n"
    assert capsys.readouterr().err == said


def test_any_length_of_lists_is_understood(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts = []
    for limit in ("200", "000000000200", "9" * 25, "9" * 5000):
        assert main(["explain", str(made / "d.bnc2d"), *INSTANCE, "--limit", limit]) == 0
        texts.append(capsys.readouterr().out)
    assert texts == texts[:1] * 4
