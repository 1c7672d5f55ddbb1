"""``bnc2d bench``: compile a folder of problems and write one JSON line for each."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from contextlib import closing
from pathlib import Path

from bnc2d.base.readers.choices import METHODS
from bnc2d.cli.shared.options import add_run_options
from bnc2d.errors import FormatError
from bnc2d.experiments.problems import problem_names
from bnc2d.experiments.running.jobs import Job, Record, run_jobs
from bnc2d.experiments.running.journal import Journal


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.epilog = (
        "A problem is a JSON file with network, target, threshold and features. Networks lie in\n"
        "DIR/networks, problems in DIR/problems. An interrupted run goes on where its --json file ends.\n\n"
        "example:\n  bnc2d bench --suite DIR --filter 'andes-*' --threshold 0.5 --jobs 2 --json runs.jsonl"
    )
    add("--suite", required=True, metavar="DIR", help="the folder with networks and problems")
    add_run_options(command, "problem")
    add("--method", choices=METHODS, default="fast", help="default: fast")
    add("--json", metavar="FILE", help="append a line per problem (default: print them)")


def run(options: argparse.Namespace) -> int:
    """Run what is missing, then print a summary."""
    suite = Path(options.suite)
    names = problem_names(suite, options.filter)
    if not names and options.filter == "*":
        raise FormatError("no problems: no folder 'problems' with JSON files, nor such files below", suite)
    thresholds = ("file", "0.5") if options.threshold == "both" else (options.threshold,)
    source = {"suite": {"suite": str(suite), "normalise": options.normalise}}
    wanted = [Job(name, which, options.method, source) for name in names for which in thresholds]
    if not options.json:
        _run(wanted, options, None)
        return 0
    with Journal(Path(options.json)) as journal:
        _run(wanted, options, journal)
        records = [journal.records[job.key] for job in wanted if job.key in journal.records]
    if records:
        _summarise(records)
    return 0


def _run(wanted: list[Job], options: argparse.Namespace, journal: Journal | None) -> None:
    missing = [job for job in wanted if journal is None or job.key not in journal.records]
    _show_progress(0, len(missing))
    with closing(run_jobs(missing, options.time_limit, workers=options.jobs)) as finished:
        for number, (job, record) in enumerate(finished, start=1):
            if sys.stderr.isatty():
                print("\r\x1b[K", end="", file=sys.stderr, flush=True)  # the line of progress makes room
            if journal is None:
                print(json.dumps(record, ensure_ascii=False), flush=True)
            else:
                journal.add(job, record)
                shown = f"{record['seconds']:.2f} s" if record["seconds"] is not None else ""
                print(f"{job.problem} {job.which}: {record['status']} {shown}", flush=True)
            _show_progress(number, len(missing))


def _show_progress(done: int, total: int) -> None:
    """Say on a terminal how far it is."""
    if sys.stderr.isatty():
        end = "" if done < total else "\r\x1b[K"
        print(f"\r{done} of {total} problems done{end}", end="", file=sys.stderr, flush=True)


def _summarise(records: list[Record]) -> None:
    done = [record for record in records if record["status"] == "ok"]
    print(f"{len(done)} of {len(records)} solved")
    if done:
        seconds = sorted(record["seconds"] for record in done)
        peak = max(record["peak_mib"] for record in done)
        median, total = statistics.median(seconds), sum(seconds)
        print(f"seconds: median {median:.2f}, largest {seconds[-1]:.2f}, sum {total:.1f}")
        print(f"nodes: largest {max(record['nodes'] for record in done)}; peak memory {peak:.0f} MiB")
