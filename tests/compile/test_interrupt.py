"""Ctrl-C: real signals to real processes, and interruptions from inside; nothing is left half done."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

import bnc2d
from bnc2d import Classifier, write_network
from bnc2d.base.readers.choices import Method
from bnc2d.testing import random_classifier, random_naive_bayes

PATIENCE = 60.0  # seconds, for a loaded machine
BUSY = 1.5  # seconds of processor time: start and imports take a third of that


@pytest.fixture(autouse=True)
def heard() -> Iterator[None]:
    """Let the processes hear Ctrl-C even where a script runs the tests with ``&``, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def start(*words: str) -> subprocess.Popen[str]:
    """Start Python in a process group of its own, as a shell does."""
    return subprocess.Popen(
        [sys.executable, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def processor_seconds(process: subprocess.Popen[str]) -> float:
    fields = Path(f"/proc/{process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert process.poll() is None, f"it ended by itself: {process.communicate()}"
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.02)


def wait_until_gone(group: int) -> None:
    """Wait until no process of the group lives."""
    deadline = time.monotonic() + PATIENCE
    with suppress(ProcessLookupError):
        while time.monotonic() < deadline:
            os.killpg(group, 0)
            time.sleep(0.02)
        raise AssertionError("a child lives on")


def interrupt(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    """Send what Ctrl-C sends; return the exit code, standard output and standard error."""
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    return process.returncode, out, err


@pytest.mark.parametrize("old", [None, b"what was there before"])
def test_compile_leaves_no_file_and_one_line(tmp_path: Path, old: bytes | None) -> None:
    network, output = tmp_path / "naive.bif", tmp_path / "naive.bnc2d"
    write_network(random_naive_bayes(1, 40), network)
    if old is not None:
        output.write_bytes(old)
    words = ["compile", str(network), "--target=Y", "--method=paper", "-o", str(output)]
    process = start("-m", "bnc2d", *words)
    wait_until(lambda: processor_seconds(process) > BUSY, process)
    assert interrupt(process) == (130, "", "bnc2d: interrupted\n")
    if old is None:
        assert list(tmp_path.iterdir()) == [network]
    else:
        assert sorted(tmp_path.iterdir()) == [network, output]
        assert output.read_bytes() == old


def test_verify_ends_with_one_line(tmp_path: Path) -> None:
    """For many seconds a SAT solver is at work, which turns Ctrl-C into an error of its own."""
    path = tmp_path / "model.bnc2d"
    Classifier(random_naive_bayes(3, 24), "Y").compile().save(path)
    process = start("-m", "bnc2d", "verify", str(path))
    wait_until(lambda: processor_seconds(process) > BUSY, process)
    assert interrupt(process) == (130, "", "bnc2d: interrupted\n")


SAVING = """
import sys
from bnc2d import load
model = load(sys.argv[1])
try:
    print("ready", flush=True)
    while True:
        model.save(sys.argv[1])
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.11])
def test_save_leaves_a_whole_file(tmp_path: Path, delay: float) -> None:
    path = tmp_path / "model.bnc2d"
    model = random_classifier(3, variables=14, features=9, zero_share=0.0, digits=4).compile()
    model.save(path)
    before = path.read_bytes()
    process = start("-c", SAVING, str(path))
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(delay)
    assert interrupt(process) == (0, "interrupted\n", "")
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    assert bnc2d.load(path).classes == model.classes


def test_bench_keeps_whole_lines_and_resumes(tmp_path: Path) -> None:
    log = tmp_path / "runs.jsonl"
    for name, features in (("a-small", 3), ("b-large", 40)):
        network = random_naive_bayes(1, features)
        for folder in ("networks", "problems"):
            (tmp_path / folder).mkdir(exist_ok=True)
        write_network(network, tmp_path / "networks" / f"{name}.bif")
        names = [variable for variable in network.names if variable != "Y"]
        problem = {"network": f"{name}.bif", "target": "Y", "threshold": 0.5, "features": names}
        (tmp_path / "problems" / f"{name}.json").write_text(json.dumps(problem), encoding="utf-8")
    words = ["-m", "bnc2d", "bench", "--suite", str(tmp_path), "--method=paper", "--json", str(log)]
    process = start(*words, "--time-limit=600")
    assert process.stdout is not None
    assert process.stdout.readline().startswith("a-small file: ok")  # after the line in the log
    assert interrupt(process) == (130, "", "bnc2d: interrupted\n")
    wait_until_gone(process.pid)
    text = log.read_text(encoding="utf-8")
    (first,) = map(json.loads, text.splitlines())
    assert (first["problem"], first["method"], first["status"]) == ("a-small", "paper", "ok")

    done = subprocess.run(
        [sys.executable, *words, "--time-limit=1"], capture_output=True, text=True, check=True
    )
    assert "a-small file" not in done.stdout
    assert "1 of 2 solved" in done.stdout
    again, second = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    assert again == first
    assert (second["problem"], second["status"]) == ("b-large", "timeout")


@pytest.mark.parametrize("method", ["fast", "paper"])
def test_a_classifier_survives_an_interruption_in_any_phase(method: Method) -> None:
    classifier = random_classifier(8, variables=10, features=6)
    phases: dict[str, int] = {}
    whole = classifier.compile(
        method=method, progress=lambda phase, _: phases.update({phase: phases.get(phase, 0) + 1})
    )
    assert len(phases) >= 5
    for phase in phases:

        def stop(now: str, _: float, phase: str = phase) -> None:
            if now == phase:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            classifier.compile(method=method, progress=stop)
    again = classifier.compile(method=method)
    for name in classifier.classes:
        assert str(again.formula(name)) == str(whole.formula(name))
        assert again.count(name) == whole.count(name)
