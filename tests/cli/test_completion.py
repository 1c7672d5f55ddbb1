"""``bnc2d completion``: the bash script run in bash, and all scripts made from the parsers."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from bnc2d import examples
from bnc2d.cli.completion import commands
from bnc2d.cli.main import COMMANDS
from tests.cli.running import run

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


@pytest.fixture
def script(capsys: pytest.CaptureFixture[str]) -> str:
    code, out, err = run(capsys, "completion", "bash")
    assert (code, err) == (0, "")
    return out


def complete(script: str, folder: Path, *words: str) -> set[str]:
    """Return what bash offers for the last word."""
    asked = " ".join(f"'{word}'" for word in ("bnc2d", *words))
    ask = f"\nCOMP_WORDS=({asked}); COMP_CWORD={len(words)}; _bnc2d; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(
        ["bash", "--norc", "-u", "-c", script + ask], capture_output=True, text=True, cwd=folder, check=True
    )
    assert done.stderr == ""
    return set(done.stdout.split("\n")) - {""}


@needs_bash
def test_commands(script: str, tmp_path: Path) -> None:
    assert complete(script, tmp_path, "") == {*COMMANDS, "--help", "--version"}
    assert complete(script, tmp_path, "exp") == {name for name in COMMANDS if name.startswith("exp")}
    assert complete(script, tmp_path, "nothing", "") == set()


@needs_bash
def test_options(script: str, tmp_path: Path) -> None:
    assert complete(script, tmp_path, "explain", "d.bnc2d", "--t") == {
        "--target", "--threshold", "--ties", "--towards", "--time-limit"
    }  # fmt: skip
    for command in commands():
        names = {name for option in command.options for name in option.names}
        assert complete(script, tmp_path, command.name, "-") == names
        assert "--json" in names


@needs_bash
def test_values(script: str, tmp_path: Path) -> None:
    (tmp_path / "as it is.csv").touch()
    (tmp_path / "other.bif").touch()
    files = {"as it is.csv", "other.bif"}
    assert complete(script, tmp_path, "compile", "asia", "--method", "") == {"fast", "paper"}
    assert complete(script, tmp_path, "bench", "--threshold", "") == {"file", "0.5", "both"}
    assert complete(script, tmp_path, "explain", "m", "--csv", "") == files
    assert complete(script, tmp_path, "explain", "m", "--target", "") == set()
    assert complete(script, tmp_path, "completion", "b") == {"bash"}
    assert complete(script, tmp_path, "info", "") == files | set(examples())
    assert complete(script, tmp_path, "info", "as") == {"as it is.csv", "asia"}
    assert complete(script, tmp_path, "verify", "") == files


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_name_every_option(
    shell: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    code, out, _ = run(capsys, "completion", shell)
    assert code == 0
    for command in commands():
        assert command.name in out
        for option in command.options:
            for name in option.names:
                plain = name.lstrip("-")
                flag = {"zsh": f"{name}[", "fish": f"-{'l' if name.startswith('--') else 's'} {plain} "}[
                    shell
                ]
                assert flag in out
    if shutil.which(shell):
        path = tmp_path / "script"
        path.write_text(out, encoding="utf-8")
        subprocess.run([shell, "-n", str(path)], check=True)


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "completion", "bash", "--json")
    assert [command["name"] for command in json.loads(out)] == list(COMMANDS)
