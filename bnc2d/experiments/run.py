"""Repeating the paper's evaluation, and more, by one call: run what is missing, then write the report."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bnc2d.base.budget import Progress, ProgressCallback, reporting
from bnc2d.base.readers.arguments import check_executor, count, finite_seconds, size_in_bytes
from bnc2d.base.readers.choices import METHODS
from bnc2d.errors import ClassifierError, did_you_mean
from bnc2d.experiments import collection, scaling
from bnc2d.experiments.data import plan as data
from bnc2d.experiments.evaluation import Evaluation
from bnc2d.experiments.report.plots import check_matplotlib
from bnc2d.experiments.report.published import read_reference
from bnc2d.experiments.report.sections import Section, write_report
from bnc2d.experiments.report.tables import disagreement_section, failed_check_section
from bnc2d.experiments.running.jobs import Job, Record, run_jobs
from bnc2d.experiments.running.journal import Journal, Key, Records, disagreements, failed_checks
from bnc2d.formats.files import make_folder

MORE_PARTS = {"collection": collection, "scaling": scaling, "data": data}
THRESHOLDS = ("file", "0.5")
_TITLE = "Compiling Bayesian network classifiers: experiments"


@dataclass(frozen=True)
class Outcome:
    """What was found, where the page is, and on how many problems methods disagree (a bug if any).

    ``failed_checks`` counts runs on real data whose explanations are wrong (a bug, too).
    """

    sections: tuple[Section, ...]
    page: Path
    disagreements: int
    failed_checks: int = 0


@dataclass(frozen=True)
class _Part:
    jobs: Callable[[Records], Sequence[Job]]  # to run so far, given what is known
    sections: Callable[[Records], list[Section]]


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
    wheel: str | os.PathLike[str] | None = None,
    progress: Progress = None,
) -> Outcome:
    """Compile a suite's problems by every method and write a report to the folder ``output``.

    Each run is a process of its own with a ``time_limit`` (seconds) and a ``memory_limit`` (bytes), ``jobs``
    at a time on this machine, or wherever ``executor`` runs them. Runs are kept in ``output/runs.jsonl``:
    calling again runs only what is missing, what failed, and what was stopped by a smaller limit.
    ``more`` adds the parts of ``MORE_PARTS``; without a ``suite`` only these are run. ``pattern`` chooses
    problems of the suite, and data sets; ``wheel`` is a file to take these from. ``progress`` as in
    ``compile``: it is told the number of runs that are done and the first of the others, and the share done.
    """
    if not methods:
        raise ClassifierError(f"name at least one method of {', '.join(METHODS)}")
    for method in methods:
        if method not in METHODS:
            raise ClassifierError(f"unknown method {method!r}{did_you_mean(method, METHODS)}")
    time_limit = finite_seconds(time_limit)
    memory_limit = None if memory_limit is None else size_in_bytes(memory_limit, "memory_limit")
    jobs = count(jobs, "jobs", least=1)
    check_executor(executor)
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
        planned = evaluation.jobs()
        parts.append(_Part(lambda _: planned, evaluation.sections))
    for name in more:
        module = MORE_PARTS[name]
        options = {"pattern": pattern, "wheel": wheel} if name == "data" else {}
        parts.append(_Part(partial(module.jobs, methods, **options), module.sections))
    folder = Path(output)
    make_folder(folder)
    limits = {"time_limit": time_limit, "memory_limit": memory_limit}
    done: set[Key] = set()  # by this call
    with Journal(folder / "runs.jsonl") as journal, reporting(progress) as report:

        def missing() -> dict[Key, Job]:
            return {
                job.key: job
                for part in parts
                for job in part.jobs(journal.records)
                if job.key not in done and not _stands(journal.records.get(job.key), job, limits)
            }

        while pending := missing():
            _tell(report, len(done), pending.values())
            running = run_jobs(
                list(pending.values()), time_limit, workers=jobs, executor=executor, memory_limit=memory_limit
            )
            with closing(running) as finished:
                for job, record in finished:
                    journal.add(job, record | limits | {"source": job.source})
                    del pending[job.key]
                    done.add(job.key)
                    _tell(report, len(done), pending.values())
        records = journal.records
    by_part = [{job.key: records[job.key] for job in part.jobs(records)} for part in parts]
    found = {key: record for some in by_part for key, record in some.items()}
    sections = [*disagreement_section(found), *failed_check_section(found)]
    for part, some in zip(parts, by_part, strict=True):
        sections += part.sections(some)
    page = write_report(folder, _TITLE, sections)
    return Outcome(tuple(sections), page, len(disagreements(found)), len(failed_checks(found)))


def _tell(report: ProgressCallback | None, done: int, pending: Collection[Job]) -> None:
    """Say how many jobs are done, of how many, and which is the first of the others."""
    if report is not None:
        job, total = next(iter(pending), None), done + len(pending)
        now = "writing the report" if job is None else f"{job.problem} {job.which} {job.method}"
        report(f"{done} of {total}: {now}", done / total)


def _stands(record: Record | None, job: Job, limits: Mapping[str, float | int | None]) -> bool:
    """Return whether a record stands: of the same job, and not one that might end better this time."""
    if record is None or record.get("source") != job.source or record["status"] == "error":
        return False
    if record["status"] == "timeout":
        return bool(record["time_limit"] >= limits["time_limit"])
    return bool(record["status"] != "memory" or record["memory_limit"] == limits["memory_limit"])
