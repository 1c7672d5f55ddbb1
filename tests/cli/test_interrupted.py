"""Ctrl-C ends every command within a second, with one line and no broken file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from bnc2d import write_network
from bnc2d.testing import random_latent_tree, random_naive_bayes
from tests.deadlines import ALLOWANCE, ATTEMPTS, large_model

START = 1.5  # seconds of processor time: past start and reading, into the work


def processor_seconds(process: subprocess.Popen[str]) -> float:
    """Return the processor time of a process and of its children that have ended."""
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Command:
    """Its words, and when Ctrl-C comes: after so much processor time, or once a file is there."""

    words: list[str]
    seconds: float = 0.0
    file: Path | None = None

    def is_at_work(self, process: subprocess.Popen[str]) -> bool:
        here = self.file is None or self.file.exists()
        return here and processor_seconds(process) >= self.seconds


def interrupted(command: Command) -> tuple[float, subprocess.Popen[str], str]:
    """Start the command line, send Ctrl-C while it works; return how long it went on, and what it said."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bnc2d", *command.words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while not command.is_at_work(process):
        assert process.poll() is None, f"it ended by itself: {process.communicate()}"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    if command.file is not None:
        time.sleep(0.5)  # the workers start
    os.killpg(process.pid, signal.SIGINT)
    sent = time.monotonic()
    _, said = process.communicate(timeout=60)
    return time.monotonic() - sent, process, said


def compiling(folder: Path) -> Command:
    """Half a minute of sorting tables of 36 million patterns, seconds each where that is one call."""
    write_network(random_naive_bayes(1, 20, 12, 3), folder / "net.bif")
    return Command(["compile", str(folder / "net.bif"), "--target=Y", "-o", str(folder / "out.bnc2d")], 6.0)


def explaining(folder: Path) -> Command:
    """A minute of many rows: a single one takes less than a second."""
    large_model().save(folder / "model.bnc2d")
    rows = large_model().sample("1", seed=3, size=1000)
    lines = [",".join(rows[0]), *(",".join(row.values()) for row in rows)]
    (folder / "rows.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    files = ["--csv", str(folder / "rows.csv"), "-o", str(folder / "out.csv")]
    return Command(["explain", str(folder / "model.bnc2d"), *files], START)


def verifying(folder: Path) -> Command:
    large_model().save(folder / "model.bnc2d")
    return Command(["verify", str(folder / "model.bnc2d")], START)


def measuring(folder: Path) -> Command:
    for name in ("networks", "problems"):
        (folder / "suite" / name).mkdir(parents=True)
    tree = random_latent_tree(1, 60, 4, 2)
    write_network(tree, folder / "suite" / "networks" / "net.bif")
    features = [name for name in tree.names if name.startswith("X")]
    problem = {"network": "net.bif", "target": "Y", "threshold": 0.5, "features": features}
    (folder / "suite" / "problems" / "tree.json").write_text(json.dumps(problem), encoding="utf-8")
    journal = folder / "results.jsonl"
    words = ["bench", "--suite", str(folder / "suite"), "--time-limit=60", "--json", str(journal)]
    return Command(words, file=journal)


@pytest.mark.parametrize("make", [compiling, explaining, verifying, measuring])
def test_ctrl_c_ends_a_command_within_a_second(tmp_path: Path, make: Callable[[Path], Command]) -> None:
    command = make(tmp_path)
    late = []
    for _ in range(ATTEMPTS):
        took, process, said = interrupted(command)
        assert (process.returncode, said) == (130, "bnc2d: interrupted\n")
        assert not list(tmp_path.glob("out*"))
        if command.file is not None:  # a journal is there from the start: it has whole lines, here none
            assert command.file.read_text(encoding="utf-8") == ""
        late.append(took)
        if took < ALLOWANCE:
            return
    raise AssertionError(f"it went on for {', '.join(f'{seconds:.1f}' for seconds in late)} s")


LOADING = """
import os, runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name == sys.argv[-1]:
            sys.argv.pop()
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Finder)
runpy.run_module("bnc2d", run_name="__main__")
"""


@pytest.mark.parametrize(
    "module",
    ["bnc2d.cli.main", "argparse", "bnc2d.cli.commands.predict", "numpy", "numpy.linalg", "bnc2d.api.files"],
)
def test_modules_that_are_being_loaded_make_no_noise(module: str) -> None:
    words = ["predict", "no such file", "A=1"]
    process = subprocess.run(
        [sys.executable, "-c", LOADING, *words, module], capture_output=True, text=True, check=False
    )
    assert (process.returncode, process.stdout, process.stderr) == (130, "", "bnc2d: interrupted\n")
