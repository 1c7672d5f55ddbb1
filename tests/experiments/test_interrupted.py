"""Ctrl-C on the command line: whole lines, nothing left running, and the same command goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

from bnc2d import write_network
from bnc2d.testing import random_naive_bayes
from tests.experiments.processes import PATIENCE, is_alive, wait_until, workers_of
from tests.experiments.suites import write_problem
from tests.experiments.test_experiments import journal, rows


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    suite, out = tmp_path / "suite", tmp_path / "out"
    (suite / "networks").mkdir(parents=True)
    for name, features in (("a-small", 3), ("b-large", 40)):
        network = random_naive_bayes(1, features)
        write_network(network, suite / "networks" / f"{name}.bif")
        names = [variable for variable in network.names if variable != "Y"]
        problem = {"network": f"{name}.bif", "target": "Y", "threshold": 0.5, "features": names}
        write_problem(suite, name, problem)
    words = [sys.executable, "-m", "bnc2d", "experiments", "--suite", str(suite), "-o", str(out)]
    words.append("--methods=paper")
    process = subprocess.Popen(
        [*words, "--time-limit=600"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    log = out / "runs.jsonl"
    wait_until(lambda: log.exists() and log.read_bytes().endswith(b"\n") and workers_of(process.pid))
    workers = workers_of(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    printed = process.communicate(timeout=PATIENCE)
    assert (process.returncode, *printed) == (130, "", "bnc2d: interrupted\n")
    assert not any(map(is_alive, workers))
    (first,) = journal(out)
    assert (first["problem"], first["status"]) == ("a-small", "ok")
    assert sorted(path.name for path in out.iterdir()) == ["runs.jsonl"]

    done = subprocess.run([*words, "--time-limit=0.5"], capture_output=True, text=True, check=True)
    assert str(out / "index.html") in done.stdout
    again, second = journal(out)
    assert again == first
    assert (second["problem"], second["status"], second["time_limit"]) == ("b-large", "timeout", 0.5)
    assert rows(out, "summary-1")[1][:4] == ["paper", "2", "1", "1"]
