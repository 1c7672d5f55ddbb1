"""``bnc2d completion``: each script run in its shell, where the machine has it, and made from the parsers."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import shutil
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from bnc2d import examples
from bnc2d.base.readers.choices import METHODS
from bnc2d.cli.commands.completion import commands
from bnc2d.cli.main import COMMANDS, make_parser
from tests import machine
from tests.cli.running import run

PATIENCE = 60.0  # seconds, for a loaded machine
SHELLS = [
    pytest.param(shell, marks=pytest.mark.skipif(shutil.which(shell) is None, reason=f"no {shell}"))
    for shell in machine.SHELLS
]

# What an interactive zsh runs before the Tab key: whatever is offered also goes to a file.
ZSH_SETUP = r"""
fpath=($1 $fpath)
autoload -Uz compinit
compinit -u -d $1/known
bindkey '^I' complete-word
typeset -g offered=$1/offered
compadd() {
    if [[ " ${(j: :)@[1,(i)(-|--)]} " == *" -"[OAD]* ]]; then
        builtin compadd "$@"
        return
    fi
    local -a found
    builtin compadd -A found "$@"
    print -rl -- $found >> $offered
    builtin compadd "$@"
}
leave() { exit }
comppostfuncs=(leave)
LISTMAX=10000  # a longer list asks first whether it is to be shown
PROMPT='READY>'
"""


class Shell:
    """A shell that has loaded the script; ``complete`` gives what it offers for the last word."""

    def __init__(self, name: str, script: str, home: Path) -> None:
        self.name, self.script, self.home = name, script, home
        self.folder = home / "folder"
        self.folder.mkdir()
        asked: dict[str, Callable[..., str]] = {"bash": self._bash, "zsh": self._zsh, "fish": self._fish}
        self._ask = asked[name]

    def complete(self, *words: str) -> set[str]:
        return set(self._ask("bnc2d", *words).split("\n")) - {""}

    def _bash(self, *words: str) -> str:
        asked = " ".join(f"'{word}'" for word in words)
        ask = f"\nCOMP_WORDS=({asked}); COMP_CWORD={len(words) - 1}; _bnc2d; "
        return self._run(
            "bash", "--norc", "-u", "-c", self.script + ask + "printf '%s\\n' \"${COMPREPLY[@]}\""
        )

    def _fish(self, *words: str) -> str:
        """Leave out the descriptions, which follow a tab."""
        ask = f"{self.script}\ncomplete -C '{' '.join(words)}'"
        return re.sub(r"\t.*", "", self._run("fish", "--no-config", "-c", ask))

    def _run(self, *command: str) -> str:
        home = {**os.environ, "HOME": str(self.home)}
        done = subprocess.run(
            command, capture_output=True, text=True, cwd=self.folder, check=True, env=home, timeout=PATIENCE
        )
        assert done.stderr == ""
        return done.stdout

    def _zsh(self, *words: str) -> str:
        """Press the Tab key in an interactive zsh, which completes nowhere else."""
        (self.home / "_bnc2d").write_text(self.script, encoding="utf-8")
        (self.home / "setup").write_text(ZSH_SETUP, encoding="utf-8")
        (self.home / "offered").write_text("", encoding="utf-8")
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            ["zsh", "-f", "-i"],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=self.folder,
            env={**os.environ, "HOME": str(self.home), "TERM": "xterm", "PROMPT": "START>"},
            start_new_session=True,
        )
        os.close(theirs)
        with suppress(OSError):  # Linux reports the end of a terminal as an error
            self._type(ours, b"", until=b"START>")
            self._type(ours, f"source {self.home}/setup {self.home}\n".encode(), until=b"READY>")
            self._type(ours, b"\x15" + " ".join(words).encode() + b"\t", until=b"NEVER SHOWN")
        os.close(ours)
        process.wait(PATIENCE)
        offered = (self.home / "offered").read_text(encoding="utf-8")
        return re.sub(r"\\(.)", r"\1", offered)

    @staticmethod
    def _type(terminal: int, keys: bytes, until: bytes) -> None:
        """Type, again after a silence: a shell throws away what is typed before it reads its first line."""
        shown, end = b"", time.monotonic() + PATIENCE
        while until not in shown:
            assert time.monotonic() < end, f"zsh does not answer: {shown!r}"
            os.write(terminal, keys)
            while until not in shown and select.select([terminal], [], [], 2.0)[0]:
                shown += os.read(terminal, 4096)


def script_for(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    code, out, err = run(capsys, "completion", shell)
    assert (code, err) == (0, "")
    return out


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Shell:
    return Shell(request.param, script_for(request.param, capsys), tmp_path)


def test_commands(shell: Shell) -> None:
    assert shell.complete("") - {"--help", "--version"} == set(COMMANDS)
    assert shell.complete("exp") == {name for name in COMMANDS if name.startswith("exp")}
    assert shell.complete("--") == {"--help", "--version"}
    assert shell.complete("nothing", "") == set()


def test_options(shell: Shell) -> None:
    assert shell.complete("explain", "d.bnc2d", "--t") == {
        "--target", "--threshold", "--ties", "--towards", "--time-limit"
    }  # fmt: skip
    for command in commands(make_parser(tuple(COMMANDS))):
        names = {name for option in command.options for name in option.names}
        long = {name for name in names if name.startswith("--")}
        assert shell.complete(command.name, "--") == long
        assert shell.complete(command.name, "-") == names
        assert "--json" in names


def test_a_file_with_the_name_of_a_command(shell: Shell) -> None:
    assert "--out" not in shell.complete("info", "demo", "--")
    assert "--variables" in shell.complete("info", "demo", "--")


def test_values(shell: Shell) -> None:
    (shell.folder / "as it is.csv").touch()
    (shell.folder / "other.bif").touch()
    files = {"as it is.csv", "other.bif"}
    assert shell.complete("compile", "asia", "--method", "") == set(METHODS)
    assert shell.complete("bench", "--threshold", "") == {"file", "0.5", "both"}
    assert shell.complete("explain", "m", "--csv", "") == files
    assert shell.complete("compile", "asia", "-o", "") == files
    assert shell.complete("explain", "m", "--target", "") == set()
    assert shell.complete("completion", "b") == {"bash"}
    assert shell.complete("info", "") == files | set(examples())
    assert shell.complete("info", "as") == {"as it is.csv", "asia"}
    assert shell.complete("verify", "") == files


@pytest.mark.parametrize("name", ["zsh", "fish"])
def test_other_shells_name_every_option(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where the shell is missing."""
    out = script_for(name, capsys)
    for command in commands(make_parser(tuple(COMMANDS))):
        assert command.name in out
        for option in command.options:
            for flag in option.names:
                kind = "l" if flag.startswith("--") else "s"
                assert {"zsh": f"{flag}[", "fish": f"-{kind} {flag.lstrip('-')} "}[name] in out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "completion", "bash", "--json")
    assert [command["name"] for command in json.loads(out)] == list(COMMANDS)
