"""One compilation in a process of its own, so that its memory is its own and its limits are hard.

The process is started anew and talks JSON, so it can be started from any thread and on any machine where
bnc2d is installed: a pool of threads runs the jobs of this machine, any other executor those of a cluster.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Executor, Future, ThreadPoolExecutor, as_completed
from contextlib import nullcontext, suppress
from dataclasses import asdict, dataclass
from threading import Event
from typing import Any, TypeAlias

Record: TypeAlias = dict[str, Any]  # what is known of a job that has been run: one JSON line

NOT_APPLICABLE = "not applicable: "  # how an error's message starts where a method refuses a classifier

_GRACE = 20.0  # seconds past its own limit before a run is killed; it starts and reads a network in these too
_POLL = 0.2
_STAGES = {"data": 6}  # how many limits a job takes, by the kind of its source, where it is not one
UNFINISHED = "unfinished"  # the status of a line that a job writes before its end
LATE = 1.0  # seconds past its limit when a timer of its own ends a compilation
_FACTS = (
    *(
        "network",
        "target",
        "features",
        "instances",
        "threshold",
        "seconds",
        "cpu_seconds",
        "phases",
        "nodes",
        "edges",
    ),
    *("models", "class_nodes", "class_models", "omega", "omega_T", "diagram_nodes", "peak_mib", "message"),
)


@dataclass(frozen=True)
class Job:
    """A problem, which threshold it takes (``file``, ``0.5`` or ``argmax``), the method, and its source.

    The first three name the job in a journal; ``source`` says how to make the classifier, as plain data (see
    ``worker``).
    """

    problem: str
    which: str
    method: str
    source: dict[str, Any]

    @property
    def key(self) -> tuple[str, str, str]:
        """What names the job in a journal."""
        return self.problem, self.which, self.method

    @property
    def stages(self) -> int:
        """How many times its limit the job may take: a stage of it keeps the limit."""
        return max((_STAGES.get(kind, 1) for kind in self.source), default=1)

    def record(self, status: str, **facts: Any) -> Record:
        """Return this job's record: ``ok``, ``timeout``, ``memory`` or ``error``, and the facts known."""
        named = {"problem": self.problem, "which": self.which, "method": self.method, "status": status}
        return named | dict.fromkeys(_FACTS) | facts


def run_jobs(
    jobs: Iterable[Job],
    time_limit: float,
    *,
    workers: int = 1,
    executor: Executor | None = None,
    memory_limit: int | None = None,
) -> Generator[tuple[Job, Record], None, None]:
    """Give each job with its record as it ends.

    Without an ``executor``, as many as ``workers`` run at a time on this machine, and closing the generator
    ends them; jobs that an executor has begun end at their limits.
    """
    stop = Event()
    stopped = stop.is_set if executor is None else None
    futures: dict[Future[Record], Job] = {}
    with ThreadPoolExecutor(max(1, workers)) if executor is None else nullcontext(executor) as pool:
        try:
            futures |= {pool.submit(run_job, job, time_limit, memory_limit, stopped): job for job in jobs}
            for future in as_completed(futures):
                job = futures[future]
                try:
                    record = future.result()
                except Exception as error:  # a worker of a cluster may fail in any way; the others go on
                    record = job.record("error", message=f"{type(error).__name__}: {error}")
                yield job, record
        finally:
            for future in futures:
                future.cancel()
            stop.set()


def run_job(
    job: Job, time_limit: float, memory_limit: int | None = None, stopped: Callable[[], bool] | None = None
) -> Record:
    """Run a job in a new process and return its record; the process is killed when it is late or ``stopped``.

    The process ends by itself when this one goes away. What it had written before it was ended, as a line
    with the status ``unfinished``, is part of the record.
    """
    order = asdict(job) | {"time_limit": time_limit, "memory_limit": memory_limit}
    with subprocess.Popen(
        [sys.executable, "-m", "bnc2d.experiments.running.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,  # nothing is left to be written when the pipes are closed
        start_new_session=True,  # Ctrl-C reaches the whole group of a terminal; the child is ended from here
    ) as process:
        try:
            to_child, from_child = process.stdin, process.stdout
            if to_child is None or from_child is None:
                raise TypeError("the process must be started with pipes")
            started = time.monotonic()
            with suppress(BrokenPipeError):  # a child that is dead already is found below
                to_child.write(json.dumps(order).encode() + b"\n")
            late = ""
            while process.poll() is None:
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL)
                if time.monotonic() - started > time_limit * job.stages + _GRACE:
                    whole = time_limit * job.stages
                    late = f"killed {_GRACE:g} s after its limit of {whole:g} s"
                    process.kill()
                if stopped is not None and stopped():
                    return job.record("error", message="stopped")
            written, code = from_child.read(), process.returncode
        finally:
            process.kill()
    found: Record = job.record(UNFINISHED)
    for line in written.splitlines():
        with suppress(ValueError, TypeError):
            found |= json.loads(line)
    if found["status"] != UNFINISHED:
        return found
    if late:
        return found | {"status": "timeout", "message": late}
    if code == -signal.SIGALRM:
        message = f"ended {LATE:g} s after its limit of {time_limit:g} s"
        return found | {"status": "timeout", "message": message}
    if code < 0:  # killed from outside, most likely for its memory
        return found | {"status": "memory", "message": f"ended by signal {-code}"}
    return found | {"status": "error", "message": f"ended with code {code} and no result"}
