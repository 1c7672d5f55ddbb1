"""Processes of their own: limits hold, failures are records, nothing lives on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from bnc2d import example
from bnc2d.experiments.running import jobs
from bnc2d.experiments.running.jobs import Job, Record, run_job, run_jobs
from tests.experiments.processes import is_alive, wait_until, workers_of
from tests.experiments.suites import our_suite


def naive_bayes(features: int, method: str = "paper") -> Job:
    """A job whose work doubles with every feature, and that no limit can be too small for."""
    source = {"family": "naive-bayes", "features": features, "states": 2, "classes": 2, "seed": 1}
    return Job(f"naive-{features}", "argmax", method, {"synthetic": source})


ENDLESS = naive_bayes(40)


def test_a_record_has_the_facts(tmp_path: Path) -> None:
    job = Job("asia-lung", "file", "paper", {"suite": {"suite": str(our_suite(tmp_path))}})
    record = run_job(job, 60)
    assert (record["problem"], record["which"], record["method"]) == job.key
    assert (record["status"], record["message"]) == ("ok", None)
    assert (record["network"], record["target"], record["threshold"]) == ("asia", "lung", 0.2)
    assert (record["features"], record["instances"]) == (2, 4)
    assert sum(record["class_models"]) == 4
    assert record["models"] == record["class_models"][1]
    assert record["nodes"] == record["class_nodes"][1]
    assert {"order", "tables", "formulas"} <= record["phases"].keys()
    assert record["seconds"] > 0
    assert record["peak_mib"] > 1


def test_the_time_limit(tmp_path: Path) -> None:
    record = run_job(ENDLESS, 0.3)
    assert record["status"] == "timeout"
    assert "0.3" in record["message"]
    assert workers_of(os.getpid()) == []


def test_a_late_process_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "_GRACE", -59.9)  # so soon that it cannot even have started
    record = run_job(ENDLESS, 60)
    assert (record["status"], record["message"][:6]) == ("timeout", "killed")
    assert workers_of(os.getpid()) == []


def test_the_memory_limit() -> None:
    record = run_job(naive_bayes(20), 60, memory_limit=1000)
    assert record["status"] == "memory"
    assert "memory_limit" in record["message"]


@pytest.mark.parametrize(
    ("script", "status", "message"),
    [
        ("kill -9 $$", "memory", "ended by signal 9"),
        ("exit 7", "error", "ended with code 7 and no result"),
        ("echo not JSON", "error", "ended with code 0 and no result"),
    ],
)
def test_a_process_that_dies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, status: str, message: str
) -> None:
    run_instead(script, tmp_path, monkeypatch)
    record = run_job(ENDLESS, 60)
    assert (record["status"], record["message"]) == (status, message)


def run_instead(script: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    python = folder / "python"
    python.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    python.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(python))


@pytest.mark.parametrize(
    ("end", "status", "message"),
    [
        ("kill -9 $$", "memory", "ended by signal 9"),
        ("kill -14 $$", "timeout", "ended 1 s after its limit of 60 s"),
        ("exit 7", "error", "ended with code 7 and no result"),
        ('echo \'{"status": "ok", "nodes": 3}\'', "ok", None),
    ],
)
def test_what_was_told_before_the_end_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str, status: str, message: str | None
) -> None:
    told = '{"status": "unfinished", "data": {"accuracy": 0.5}}'
    run_instead(f"echo '{told}'\n{end}", tmp_path, monkeypatch)
    record = run_job(ENDLESS, 60)
    assert (record["status"], record["message"], record["data"]) == (status, message, {"accuracy": 0.5})
    assert record["nodes"] == (3 if status == "ok" else None)


def test_a_job_of_several_stages_has_the_time_of_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_instead('echo \'{"status": "unfinished", "nodes": 3}\'\nexec sleep 60', tmp_path, monkeypatch)
    monkeypatch.setattr(jobs, "_GRACE", -359.0)
    job = Job("data/iris/tan", "argmax", "fast", {"data": {"name": "iris", "structure": "tan"}})
    record = run_job(job, 60)
    assert (record["status"], record["nodes"]) == ("timeout", 3)
    assert record["message"] == "killed -359 s after its limit of 360 s"


def test_closing_the_generator_ends_the_processes() -> None:
    small = naive_bayes(3)
    finished = run_jobs([small, ENDLESS, ENDLESS], 600, workers=2)
    job, record = next(finished)
    assert (job, record["status"]) == (small, "ok")
    wait_until(lambda: workers_of(os.getpid()))
    finished.close()
    assert workers_of(os.getpid()) == []


def test_a_process_ends_with_its_parent() -> None:
    code = f"from bnc2d.experiments.running.jobs import Job, run_job; run_job({ENDLESS!r}, 600)"
    with subprocess.Popen([sys.executable, "-c", code]) as parent:
        wait_until(lambda: workers_of(parent.pid))
        (child,) = workers_of(parent.pid)
        parent.send_signal(signal.SIGKILL)
    wait_until(lambda: not is_alive(child))


def test_a_failing_executor_spoils_only_its_own_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_on_large(job: Job, *_: Any) -> Record:
        if job is ENDLESS:
            raise OSError("the machine is gone")
        return job.record("ok")

    monkeypatch.setattr(jobs, "run_job", fail_on_large)
    small = naive_bayes(3)
    with ThreadPoolExecutor(1) as pool:
        found = {job.problem: record for job, record in run_jobs([ENDLESS, small], 60, executor=pool)}
    assert found[small.problem]["status"] == "ok"
    assert found[ENDLESS.problem]["status"] == "error"
    assert found[ENDLESS.problem]["message"] == "OSError: the machine is gone"


def test_all_leaves_are_features(tmp_path: Path) -> None:
    suite = our_suite(tmp_path)
    source = {"leaves": {"file": str(suite / "networks" / "Andes.net"), "target": "A"}}
    record = run_job(Job("all leaves", "0.5", "fast", source), 60)
    assert (record["status"], record["network"], record["threshold"]) == ("ok", "Andes", 0.5)
    assert record["features"] == len(example("running").leaves)
