"""No test is skipped in silence: the last line counts them, and in CI that is a failure."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests import machine

TESTS = """
import pytest

@pytest.mark.parametrize("number", range(3))
@pytest.mark.skipif(True, reason="no browser")
def test_a_mark(number): raise AssertionError

def test_in_the_middle(): pytest.skip("pip is offline")

def test_that_runs(): pass
"""


@pytest.mark.parametrize(("workers", "ci", "code"), [("0", "", 0), ("2", "true", 1)])
def test_what_is_skipped_is_said_last(tmp_path: Path, workers: str, ci: str, code: int) -> None:
    shutil.copy(Path(__file__).with_name("conftest.py"), tmp_path)
    (tmp_path / "test_some.py").write_text(TESTS, encoding="utf-8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "xdist", "-n", workers],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
        env={**clean, "CI": ci, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
    )
    assert done.returncode == code, done.stdout
    assert "1 passed, 4 skipped" in done.stdout
    *_, last = done.stdout.splitlines()
    assert last == "NOT TRIED ON THIS MACHINE: 3 tests: no browser; 1 tests: pip is offline"


class Apt:
    """Stands for ``subprocess.run`` on a machine that offers some packages."""

    def __init__(self, offered: set[str], there: set[str]) -> None:
        self.offered, self.there = offered, there
        self.asked: list[str] = []

    def run(self, command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        assert "timeout" in command
        name = command[-1]
        self.asked.append(" ".join(word for word in command if word in ("sudo", name)))
        fine = name == "update" or name in self.offered
        self.there |= {name} if fine else set()
        return subprocess.CompletedProcess(command, 0 if fine else 100)

    def which(self, name: str) -> str | None:
        return f"/bin/{name}" if name in self.there else None


@pytest.fixture
def apt(monkeypatch: pytest.MonkeyPatch) -> Apt:
    found = Apt({"chromium", "zsh", "fish"}, {"apt-get", "bash"})
    monkeypatch.setattr(subprocess, "run", found.run)
    monkeypatch.setattr(shutil, "which", found.which)
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("CI", "")
    return found


def test_root_installs_what_is_missing_and_only_that(apt: Apt) -> None:
    machine.install()
    assert apt.asked == ["update", "chromium-headless-shell", "chromium", "zsh", "fish"]
    assert machine.missing() == []
    machine.install()
    assert len(apt.asked) == 5


def test_others_are_not_asked_for_a_password(apt: Apt, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    machine.install()
    assert apt.asked == []
    assert len(machine.missing()) == 3
    monkeypatch.setenv("CI", "true")
    machine.install()
    assert apt.asked[0] == "sudo update"
    assert machine.missing() == []


def test_a_machine_where_nothing_can_be_installed(apt: Apt) -> None:
    apt.there.remove("apt-get")
    machine.install()
    assert apt.asked == []
    apt.there.add("apt-get")
    apt.offered.clear()
    machine.install()
    assert machine.missing() == [("chromium-headless-shell", "chromium"), ("zsh",), ("fish",)]
