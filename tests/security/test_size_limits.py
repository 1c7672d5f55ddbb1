"""Every file that is read has a size limit, in memory too, and Python and the command line can raise it."""

from __future__ import annotations

import gzip
import hashlib
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bnc2d
from bnc2d import NNF, Classifier, FormatError, example, read_network, write_network
from bnc2d.cli.main import COMMANDS, make_parser
from bnc2d.cli.shared import instances
from bnc2d.logic.convert.nnf_file import read_nnf
from tests.cli.running import run

RAISE = "max_bytes raises the limit (--max-bytes on the command line)"
PATIENT = ("BP=High", "CT=1", "HR=Normal")


@pytest.fixture
def files(tmp_path: Path) -> Path:
    write_network(example("diagnosis"), tmp_path / "d.bif")
    Classifier(example("diagnosis"), "D").compile().save(tmp_path / "d.bnc2d")
    (tmp_path / "p.csv").write_text("BP,CT,HR\nHigh,1,Normal\n" * 1, encoding="utf-8")
    (tmp_path / "p.json").write_text('{"BP": "High", "CT": "1", "HR": "Normal"}', encoding="utf-8")
    return tmp_path


def commands(files: Path) -> dict[str, list[str]]:
    """Return the command lines, by the file that each must measure."""
    network, model = str(files / "d.bif"), str(files / "d.bnc2d")
    out = str(files / "out")
    return {
        "info": ["info", network],
        "convert": ["convert", network, out + ".xdsl"],
        "compile": ["compile", network, "--target=D", "--features=BP,CT,HR", "-o", out + ".bnc2d"],
        "predict": ["predict", network, "--target=D", *PATIENT],
        "explain": ["explain", model, *PATIENT],
        "explore": ["explore", model, "-o", out + ".html"],
        "draw a network": ["draw", network, "-o", out + ".svg"],
        "draw a circuit": ["draw", model, "--class=2", "-o", out + ".svg"],
        "verify": ["verify", model],
        "share": ["share", model],
        "monotone": ["monotone", network, "--target=D", "--features=BP,CT,HR", "--raising=CT", "--towards=2"],
        "nearest": ["nearest", model, *PATIENT],
        "compare": ["compare", model, model],
    }


def test_the_command_line_can_lower_and_raise_every_limit(
    files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words in commands(files).values():
        code, _, err = run(capsys, *words, "--max-bytes=20")
        assert (code, err.count("\n")) == (2, 1), words
        assert "more than 20 bytes" in err
        assert RAISE in err
        code, _, err = run(capsys, *words, f"--max-bytes={2**40}")
        assert (code, err) == (0, ""), words


def test_commands_that_read_files_have_the_option() -> None:
    parser = make_parser(tuple(COMMANDS))
    without = {
        "bench",
        "demo",
        "completion",
        "experiments",
        "networks",
    }  # these choose their files themselves
    for name in COMMANDS.keys() - without:
        with pytest.raises(SystemExit):
            parser.parse_args([name, "--max-bytes=0"])
        assert "--max-bytes" in _help(parser, name)


def _help(parser: Any, name: str) -> str:
    (commands,) = (action for action in parser._actions if action.dest == "command")
    text: str = commands.choices[name].format_help()
    return text


@pytest.mark.parametrize(("option", "name"), [("--csv", "p.csv"), ("--instance", "p.json")])
def test_instances_have_a_limit_that_can_be_raised(
    option: str,
    name: str,
    files: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ["predict", "diagnosis", "--target=D", option, str(files / name)]
    assert run(capsys, *words)[0] == 0
    monkeypatch.setattr(instances, "MAX_BYTES", 10)
    code, _, err = run(capsys, *words)
    assert code == 2
    assert f"{name}: more than 10 bytes; {RAISE}" in err
    assert run(capsys, *words, "--max-bytes=1000")[0] == 0


@pytest.mark.parametrize("bad", ["0", "-1", "many", "1e9", "", "9" * 30])
def test_what_is_no_number_of_bytes(bad: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        run(capsys, "info", "asia", f"--max-bytes={bad}")
    assert f"argument --max-bytes: {bad!r} is no number of bytes" in capsys.readouterr().err


def test_python_can_lower_and_raise_every_limit(files: Path) -> None:
    circuit = files / "d.nnf"
    formula: NNF = bnc2d.load(files / "d.bnc2d").formula("2")
    formula.save(circuit)
    readers: dict[Path, Callable[..., object]] = {
        files / "d.bif": read_network,
        files / "d.bnc2d": bnc2d.load,
        circuit: read_nnf,
    }
    for path, read in readers.items():
        with pytest.raises(FormatError, match="more than 20 bytes; max_bytes raises the limit"):
            read(path, max_bytes=20)
        assert read(path, max_bytes=2**40) is not None


READ = """
import resource, sys
import bnc2d
from bnc2d.cli.main import main
from bnc2d.logic.convert.nnf_file import read_nnf
kind, path, spare = sys.argv[1], sys.argv[2], int(sys.argv[3])
import bnc2d.compile.store, bnc2d.formats.io, bnc2d.cli.commands.predict
now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (now + spare, now + spare))
try:
    if kind == "network": bnc2d.read_network(path)
    elif kind == "model": bnc2d.load(path, max_bytes=64 * 2**20)
    elif kind == "circuit": read_nnf(path, max_bytes=64 * 2**20)
    else: sys.exit(main(["predict", "diagnosis", "--target=D", kind, path, "--max-bytes=64000000"]))
except bnc2d.FormatError as error:
    print(error)
"""


def _model(body: bytes) -> bytes:
    """Return a file whose checksum is right, so that only the limit can stop it."""
    return f"bnc2d-model 1 {hashlib.sha256(body).hexdigest()}\n".encode() + body


@pytest.mark.parametrize("kind", ["network", "model", "circuit", "--csv", "--instance"])
def test_a_gzip_bomb_is_refused_in_bounded_memory(kind: str, tmp_path: Path) -> None:
    """A file of one megabyte would unpack to a gigabyte; the process may take a third of that."""
    path = tmp_path / ("bomb.bif.gz" if kind == "network" else "bomb")
    bomb = gzip.compress(b" " * (2**20 - 1) + b"\n", 9) * 1024  # gzip joins what is put end to end
    path.write_bytes(_model(bomb) if kind == "model" else bomb)
    done = subprocess.run(
        [sys.executable, "-c", READ, kind, str(path), str(340 * 2**20)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    said = done.stdout + done.stderr
    assert "more than 6" in said, said
    assert "bytes" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("option", ["--csv", "--instance"])
def test_a_file_without_a_size_is_bounded_too(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["predict", "diagnosis", "--target=D", option, "/dev/zero", "--max-bytes=5000000"]
    code, _, err = run(capsys, *words)
    assert code == 2
    assert "/dev/zero: more than 5000000 bytes" in err
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 < 8 * 2**30
    with pytest.raises(FormatError, match="more than"):
        read_network(os.devnull.replace("null", "zero"), format="bif", max_bytes=5_000_000)
