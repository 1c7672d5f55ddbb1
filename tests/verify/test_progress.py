"""A long verification says which check runs and how many are done: to a callback, and on a terminal."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from bnc2d import Classifier, example
from bnc2d.verify.checks import verify_model
from tests.cli.running import sent_to


def test_the_callback_hears_of_each_check_before_it_runs() -> None:
    model = Classifier(example("diagnosis"), "D").compile()
    heard: list[tuple[str, int, int]] = []
    report = model.verify(progress=lambda *now: heard.append(now))
    assert heard == [(check.name, done, 8) for done, check in enumerate(report.checks)]
    heard.clear()
    verify_model(model, second_method=False, progress=lambda *now: heard.append(now))
    assert heard[-1] == ("oracle", 6, 7)


def test_what_the_callback_raises_ends_the_verification() -> None:
    def stop(name: str, done: int, total: int) -> None:
        if done == 2:
            raise KeyboardInterrupt(name, total)

    with pytest.raises(KeyboardInterrupt, match="sat: exhaustive"):
        verify_model(Classifier(example("running"), "A").compile(), progress=stop)


def run_on_a_terminal(*words: str) -> tuple[str, str]:
    """Return standard output, which is a pipe, and what a terminal on standard error was sent."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(
        [sys.executable, "-m", "bnc2d", *words], stdout=subprocess.PIPE, stderr=theirs, env=environment
    )
    os.close(theirs)
    shown = sent_to(ours)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    return out.decode(), shown.decode()


def test_a_terminal_is_told(tmp_path: Path) -> None:
    path = tmp_path / "d.bnc2d"
    Classifier(example("diagnosis"), "D").compile().save(path)
    out, shown = run_on_a_terminal("verify", str(path))
    assert out.endswith("\nverified\n")
    assert "check 8 of 8: oracle" in shown
    assert "check" not in out
    out, shown = run_on_a_terminal("verify", "--json", str(path))
    assert shown == ""
    assert out.startswith("{")
