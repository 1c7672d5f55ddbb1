"""``bnc2d bench``: compile a folder of problems and write one JSON line for each."""

from __future__ import annotations

import argparse
import json
import multiprocessing
import resource
import signal
import statistics
import sys
import time
from collections.abc import Generator
from contextlib import closing, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, TextIO

from bnc2d.atomic import atomic_write
from bnc2d.compile.compiler import METHODS, compile_classifier
from bnc2d.errors import Bnc2dError, FormatError, LimitExceeded
from bnc2d.formats.io import read_network
from bnc2d.model.classifier import Classifier

_GRACE = 5.0  # seconds past its own limit before a run is killed


@dataclass(frozen=True)
class Run:
    """A problem, which threshold it takes (``file`` or ``0.5``), and the method."""

    problem: str
    which: str
    method: str


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = (
        "A problem is a JSON file with network, target, threshold and features. Networks lie in\n"
        "DIR/networks, problems in DIR/problems. An interrupted run goes on where its --json file ends.\n\n"
        "example:\n  bnc2d bench --suite DIR --filter 'andes-*' --threshold 0.5 --jobs 2 --json runs.jsonl"
    )
    command.add_argument(
        "--suite", required=True, metavar="DIR", help="the folder with networks and problems"
    )
    command.add_argument("--filter", default="*", metavar="GLOB", help="names of problems to run")
    command.add_argument("--threshold", choices=("file", "0.5", "both"), default="file")
    command.add_argument("--method", choices=METHODS, default="fast", help="default: fast")
    command.add_argument(
        "--time-limit", type=float, default=60.0, metavar="S", help="per problem (default 60)"
    )
    command.add_argument("--jobs", type=int, default=1, metavar="N", help="problems at a time")
    command.add_argument("--json", metavar="FILE", help="append a line per problem (default: print them)")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run what is missing, then print a summary."""
    suite = Path(options.suite)
    if not (suite / "problems").is_dir():
        raise FormatError("no folder 'problems' in the suite", suite)
    names = sorted(
        path.stem for path in (suite / "problems").glob("*.json") if fnmatch(path.stem, options.filter)
    )
    kinds = ("file", "0.5") if options.threshold == "both" else (options.threshold,)
    wanted = [Run(name, kind, options.method) for name in names for kind in kinds]
    output = Path(options.json) if options.json else None
    records = _finished(output)
    missing = [item for item in wanted if item not in records]
    stream = _opened(output)
    _show_progress(0, len(missing))
    try:
        with closing(_run_all(suite, missing, options.time_limit, max(1, options.jobs))) as finished:
            for number, (item, record) in enumerate(finished, start=1):
                _write(record, stream)
                records[item] = record
                _show_progress(number, len(missing))
    finally:
        if stream is not None:
            stream.close()
    _summarise([records[item] for item in wanted if item in records], stream is not None)
    return 0


def _finished(path: Path | None) -> dict[Run, dict[str, Any]]:
    """Return the records of an earlier run; a last line without an end is dropped from the file."""
    if path is None or not path.exists():
        return {}
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise FormatError(f"cannot read: {error.strerror}", path) from None
    *lines, cut_short = text.split("\n")
    if cut_short:
        atomic_write(path, "".join(line + "\n" for line in lines).encode())
    records = {}
    for line in lines:
        with suppress(ValueError, KeyError, TypeError, AttributeError):  # other lines are left alone
            record = json.loads(line)
            records[Run(record["problem"], record["which"], record.get("method", "fast"))] = record
    return records


def _opened(path: Path | None) -> TextIO | None:
    try:
        return None if path is None else path.open("a", encoding="utf-8")
    except OSError as error:
        raise FormatError(f"cannot write: {error.strerror}", path) from None


def _write(record: dict[str, Any], stream: TextIO | None) -> None:
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)  # the line of progress makes room
    print(json.dumps(record, ensure_ascii=False) + "\n", end="", file=stream, flush=True)  # a line at once
    if stream is not None:
        shown = f"{record['seconds']:.2f} s" if record["seconds"] is not None else ""
        print(f"{record['problem']} {record['which']}: {record['status']} {shown}", flush=True)


def _show_progress(done: int, total: int) -> None:
    """Say on a terminal how far it is; no thread draws it, because problems run in forked processes."""
    if sys.stderr.isatty():
        end = "" if done < total else "\r\x1b[K"
        print(f"\r{done} of {total} problems done{end}", end="", file=sys.stderr, flush=True)


def _run_all(
    suite: Path, runs: list[Run], time_limit: float, jobs: int
) -> Generator[tuple[Run, dict[str, Any]], None, None]:
    """Run each problem in a process of its own, so that peaks of memory are its own and limits are hard."""
    context = multiprocessing.get_context("fork")
    pending = list(reversed(runs))
    running: dict[Connection, tuple[BaseProcess, Run, float]] = {}
    try:
        while pending or running:
            while pending and len(running) < jobs:
                item = pending.pop()
                receiver, sender = context.Pipe(duplex=False)
                arguments = (suite, item, time_limit, sender)
                process = context.Process(target=_run_one, args=arguments, daemon=True)
                running[receiver] = process, item, time.monotonic()
                _start_without_interrupts(process)
                sender.close()
            ready = wait(list(running), timeout=0.2)
            for receiver, (child, item, started) in list(running.items()):
                late = time.monotonic() - started > time_limit + _GRACE
                if receiver not in ready and not late:
                    continue
                record = _record(item, "timeout" if late else "error")
                if receiver in ready:
                    try:
                        record = receiver.recv()
                    except EOFError:  # killed from outside, most likely for its memory
                        record = _record(item, "memory")
                child.kill()
                child.join()
                del running[receiver]
                yield item, record
    finally:
        for left, *_ in running.values():
            if left.pid is not None:
                left.kill()


def _start_without_interrupts(process: BaseProcess) -> None:
    """Start a process that does not see Ctrl-C, which reaches the whole group: its parent ends it."""
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _record(item: Run, status: str, **facts: Any) -> dict[str, Any]:
    empty = dict.fromkeys(
        (
            "threshold",
            "seconds",
            "phases",
            "nodes",
            "edges",
            "models",
            "omega",
            "omega_T",
            "peak_mib",
            "message",
        )
    )
    known = {"problem": item.problem, "which": item.which, "method": item.method, "status": status}
    return known | empty | facts


def _run_one(suite: Path, item: Run, time_limit: float, sender: Connection) -> None:
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C reaches the whole group; the parent ends its children
    try:
        sender.send(_compile_problem(suite, item, time_limit))
    except LimitExceeded as error:
        status = "memory" if "memory_limit" in str(error) else "timeout"
        sender.send(_record(item, status, message=str(error)))
    except MemoryError:
        sender.send(_record(item, "memory", message="out of memory"))
    except (Bnc2dError, ValueError, KeyError, OSError) as error:
        sender.send(_record(item, "error", message=f"{type(error).__name__}: {error}"))


def _compile_problem(suite: Path, item: Run, time_limit: float) -> dict[str, Any]:
    problem = json.loads((suite / "problems" / f"{item.problem}.json").read_text(encoding="utf-8"))
    network = read_network(suite / "networks" / problem["network"])
    threshold = problem["threshold"] if item.which == "file" else 0.5
    classifier = Classifier(network, problem["target"], problem["features"], threshold)
    started = time.perf_counter()
    model = compile_classifier(classifier, method=item.method, time_limit=time_limit)
    formula = model.formula(str(classifier.positive))
    seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return _record(
        item,
        "ok",
        threshold=threshold,
        seconds=round(seconds, 4),
        phases={phase: round(spent, 4) for phase, spent in model.stats.seconds.items()},
        nodes=formula.node_count,
        edges=formula.edge_count,
        models=model.count(str(classifier.positive)),
        omega=model.stats.omega,
        omega_T=model.stats.omega_total,
        peak_mib=round(peak, 1),
    )


def _summarise(records: list[dict[str, Any]], visible: bool) -> None:
    if not visible or not records:
        return
    done = [record for record in records if record["status"] == "ok"]
    print(f"{len(done)} of {len(records)} solved")
    if done:
        seconds = sorted(record["seconds"] for record in done)
        peak = max(record["peak_mib"] for record in done)
        median, total = statistics.median(seconds), sum(seconds)
        print(f"seconds: median {median:.2f}, largest {seconds[-1]:.2f}, sum {total:.1f}")
        print(f"nodes: largest {max(record['nodes'] for record in done)}; peak memory {peak:.0f} MiB")
