"""Ctrl-C ends every command within a second, with one line and no broken file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
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


def interrupted(words: list[str], seconds: float) -> tuple[float, subprocess.Popen[str], str]:
    """Start the command line, send Ctrl-C while it works; return how long it went on, and what it said."""
    process = subprocess.Popen(
        [sys.executable, "-m", "bnc2d", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    deadline = time.monotonic() + 60
    while processor_seconds(process) < seconds:
        assert process.poll() is None, f"it ended by itself: {process.communicate()}"
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    sent = time.monotonic()
    _, said = process.communicate(timeout=60)
    return time.monotonic() - sent, process, said


def commands(folder: Path) -> dict[str, tuple[list[str], float]]:
    """Return the words of each command, and its processor time when Ctrl-C comes."""
    network, model, suite = folder / "net.bif", folder / "model.bnc2d", folder / "suite"
    # Half a minute of sorting tables of 36 million patterns, which takes seconds each where it is one call.
    write_network(random_naive_bayes(1, 20, 12, 3), network)
    tree = random_latent_tree(1, 60, 4, 2)
    large_model().save(model)
    for name in ("networks", "problems"):
        (suite / name).mkdir(parents=True)
    write_network(tree, suite / "networks" / "net.bif")
    features = [name for name in tree.names if name.startswith("X")]
    problem = {"network": "net.bif", "target": "Y", "threshold": 0.5, "features": features}
    (suite / "problems" / "tree.json").write_text(json.dumps(problem), encoding="utf-8")
    instance = [f"{name}={state}" for name, state in large_model().sample("1", seed=3).items()]
    output = str(folder / "out.bnc2d")
    return {
        "compile": (["compile", str(network), "--target=Y", "-o", output], 6.0),
        "explain": (["explain", str(model), *instance, "--all", "--time-limit=60"], START),
        "verify": (["verify", str(model)], START),
        "bench": (["bench", "--suite", str(suite), "--time-limit=60", "--json", f"{output}.jsonl"], 0.3),
    }


@pytest.mark.parametrize("command", ["compile", "explain", "verify", "bench"])
def test_ctrl_c_ends_a_command_within_a_second(tmp_path: Path, command: str) -> None:
    words, seconds = commands(tmp_path)[command]
    late = []
    for _ in range(ATTEMPTS):
        took, process, said = interrupted(words, seconds)
        assert (process.returncode, said) == (130, "bnc2d: interrupted\n")
        assert not list(tmp_path.glob("out*"))
        late.append(took)
        if took < ALLOWANCE:
            return
    raise AssertionError(f"it went on for {', '.join(f'{seconds:.1f}' for seconds in late)} s")
