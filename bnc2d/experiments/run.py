"""Repeating the paper's evaluation, and more, by one call: run what is missing, then write the report."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from bnc2d.compile.compiler import METHODS
from bnc2d.errors import ClassifierError, did_you_mean
from bnc2d.experiments.evaluation import Evaluation
from bnc2d.experiments.jobs import Job, Record, run_jobs
from bnc2d.experiments.journal import Journal, Key
from bnc2d.experiments.measures import disagreements
from bnc2d.experiments.page import make_folder, write_report
from bnc2d.experiments.plots import check_matplotlib
from bnc2d.experiments.published import read_reference
from bnc2d.experiments.sections import Section
from bnc2d.experiments.tables import disagreement_section

MORE_PARTS = ("collection", "scaling")  # modules of this package with ``jobs`` and ``sections``
THRESHOLDS = ("file", "0.5")
_TITLE = "Compiling Bayesian network classifiers: experiments"

# Told how many jobs are done, of how many, and which is the first of the others.
Progress: TypeAlias = Callable[[int, int, Job | None], None]


@dataclass(frozen=True)
class Outcome:
    """What was found, where the page is, and on how many problems methods disagree (a bug if any)."""

    sections: tuple[Section, ...]
    page: Path
    disagreements: int


@dataclass(frozen=True)
class _Part:
    jobs: Sequence[Job]
    sections: Callable[[Mapping[Key, Record]], list[Section]]


def run_experiments(
    suite: str | os.PathLike[str] | None,
    output: str | os.PathLike[str],
    *,
    methods: Sequence[str] = ("fast",),
    thresholds: Sequence[str] = ("file",),
    pattern: str = "*",
    time_limit: float = 60.0,
    memory_limit: int | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    normalise: bool = False,
    leaves_table: str | None = None,
    reference: str | os.PathLike[str] | None = None,
    more: Sequence[str] = (),
    progress: Progress | None = None,
) -> Outcome:
    """Compile a suite's problems by every method and write a report to the folder ``output``.

    Each run is a process of its own with a ``time_limit`` (seconds) and a ``memory_limit`` (bytes), ``jobs``
    at a time on this machine, or wherever ``executor`` runs them. Runs are kept in ``output/runs.jsonl``:
    calling again runs only what is missing, what failed, and what was stopped by a smaller limit.
    ``more`` adds the parts of ``MORE_PARTS``; without a ``suite`` only these are run.
    """
    if not methods:
        raise ClassifierError(f"name at least one method of {', '.join(METHODS)}")
    for method in methods:
        if method not in METHODS:
            raise ClassifierError(f"unknown method {method!r}{did_you_mean(method, METHODS)}")
    check_matplotlib()  # before hours of work
    parts: list[_Part] = []
    if suite is not None:
        evaluation = Evaluation(
            Path(suite),
            methods,
            pattern=pattern,
            thresholds=thresholds,
            normalise=normalise,
            leaves_table=leaves_table,
            reference=None if reference is None else read_reference(Path(reference)),
        )
        parts.append(_Part(evaluation.jobs(), evaluation.sections))
    for name in more:
        module = import_module(f"bnc2d.experiments.{name}")
        parts.append(_Part(module.jobs(methods), module.sections))
    folder = Path(output)
    make_folder(folder)
    wanted = {job.key: job for part in parts for job in part.jobs}
    with Journal(folder / "runs.jsonl") as journal:
        missing = [
            job
            for key, job in wanted.items()
            if not _is_done(journal.records.get(key), job, time_limit, memory_limit)
        ]
        limits = {"time_limit": time_limit, "memory_limit": memory_limit}
        pending = {job.key: job for job in missing}
        report = progress or (lambda *_: None)
        report(0, len(missing), missing[0] if missing else None)
        with closing(
            run_jobs(missing, time_limit, workers=jobs, executor=executor, memory_limit=memory_limit)
        ) as finished:
            for done, (job, record) in enumerate(finished, start=1):
                journal.add(job, record | limits | {"source": job.source})
                del pending[job.key]
                report(done, len(missing), next(iter(pending.values()), None))
        records = journal.records
    found = {key: records[key] for key in wanted}
    sections = disagreement_section(found)
    for part in parts:
        sections += part.sections({job.key: records[job.key] for job in part.jobs})
    return Outcome(tuple(sections), write_report(folder, _TITLE, sections), len(disagreements(found)))


def _is_done(record: Record | None, job: Job, time_limit: float, memory_limit: int | None) -> bool:
    """Return whether a record stands: of the same job, and not one that might end better this time."""
    if record is None or record.get("source") != job.source or record["status"] == "error":
        return False
    if record["status"] == "timeout":
        return bool(record["time_limit"] >= time_limit)
    if record["status"] == "memory":
        return bool(record["memory_limit"] == memory_limit)
    return True
