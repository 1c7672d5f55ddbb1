"""The process of one job: reads it as a line of JSON, compiles, writes the record as a line of JSON.

A job of several stages writes a line after each, so that what is known survives the process.

Started by ``jobs.run_job`` as ``python -m bnc2d.experiments.running.worker``. It ends when its standard input
is closed, that is, when whoever started it is gone.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread
from typing import TypeAlias

from bnc2d.api.classifier import Classifier
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.readers.choices import read_method
from bnc2d.compile.baselines import enumerate as brute_force
from bnc2d.compile.baselines.block_order import method as block_order
from bnc2d.compile.compiler import compile_classifier
from bnc2d.compile.formula import minimise
from bnc2d.compile.meet import method as meet
from bnc2d.compile.paper import method as paper
from bnc2d.compile.ratio import method as ratio
from bnc2d.compile.ratio import outline
from bnc2d.compile.zeros import diagram as zeros
from bnc2d.errors import Bnc2dError, Bnc2dWarning, ClassifierError, LimitExceeded, TimeLimitExceeded
from bnc2d.experiments.data.measure import DataRun
from bnc2d.experiments.networks import PUBLIC, network_path
from bnc2d.experiments.problems import plain_name, read_problem
from bnc2d.experiments.running.jobs import LATE, NOT_APPLICABLE, UNFINISHED, Job, Record
from bnc2d.experiments.scaling import synthetic_classifier
from bnc2d.formats.io import read_network
from bnc2d.model.classifier import default_features

NetworkName: TypeAlias = str

# What is loaded when it is first asked for is loaded here, so that the clock measures compilations.
LOADED = (meet, ratio, outline, zeros, minimise, paper, block_order, brute_force)

_GONE = 3  # exit code when nobody waits for the answer any more


def main() -> None:
    """Run the one job on standard input."""
    order = json.loads(_line(0))
    Thread(target=_end_with_input, args=(0,), daemon=True).start()
    job = Job(order["problem"], order["which"], order["method"], order["source"])
    warnings.simplefilter("ignore", Bnc2dWarning)  # a record has no place for them
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # it ends the process, whatever is going on
    set_timer = partial(signal.setitimer, signal.ITIMER_REAL)
    write(record_of(job, order["time_limit"], order["memory_limit"], set_timer, write))


def write(record: Record) -> None:
    """Write a record as a line of its own."""
    print(json.dumps(record), flush=True)


def record_of(
    job: Job,
    time_limit: float,
    memory_limit: int | None = None,
    set_timer: Callable[[float], object] = lambda _: None,
    tell: Callable[[Record], object] = lambda _: None,
) -> Record:
    """Run a job in this process and return its record, whatever happens to it.

    ``set_timer`` is called before the compilation, with the seconds it may take at most, and with 0 after it.
    ``tell`` is told what is known of a job of several stages before it ends.
    """
    known: Record = {}

    def compiled(classifier: Classifier) -> CompiledModel:
        set_timer(time_limit + LATE)
        try:
            model = compile_classifier(
                classifier, method=read_method(job.method), time_limit=time_limit, memory_limit=memory_limit
            )
        finally:
            set_timer(0.0)
        return CompiledModel.of(model)

    try:
        if "data" not in job.source:
            return _measure(job, *_classifier(job), compiled)[0]
        run = DataRun(**job.source["data"], time_limit=time_limit)
        known["data"] = run.facts  # which grow
        run.ask_network()
        tell(job.record(UNFINISHED, **known))
        record, model = _measure(job, job.source["data"]["name"], run.classifier, compiled)
        if model is not None:
            run.ask_model(model)
        return record | known
    except TimeLimitExceeded as error:
        return job.record("timeout", message=str(error), **known)
    except LimitExceeded as error:  # a table that is too large
        return job.record("memory", message=str(error), **known)
    except MemoryError:
        return job.record("memory", message="out of memory", **known)
    except (Bnc2dError, ValueError, KeyError, OSError) as error:
        return job.record("error", message=f"{type(error).__name__}: {error}", **known)


def _measure(
    job: Job, network: NetworkName, classifier: Classifier, compiled: Callable[[Classifier], CompiledModel]
) -> tuple[Record, CompiledModel | None]:
    """Compile and return the record with the facts, and the model where the method takes the classifier.

    ``seconds`` is the whole compilation, reading excluded. ``nodes``, ``edges`` and ``models`` are those of
    the positive class of a binary target; for other targets nodes and edges of all classes are added up.
    """
    started, started_cpu = time.perf_counter(), time.process_time()
    try:
        model = compiled(classifier)
    except ClassifierError as error:  # the classifier is sound, so it is not one for this method
        return job.record("error", message=f"{NOT_APPLICABLE}{error}"), None
    formulas = [model.formula(name) for name in model.classes]
    seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - started_cpu
    counts = [model.count(name) for name in model.classes]
    positive = None if classifier.positive is None else classifier.classes.index(classifier.positive)
    shown = formulas if positive is None else [formulas[positive]]
    record = job.record(
        "ok",
        network=network,
        target=classifier.target,
        features=len(classifier.features),
        instances=classifier.instance_count,
        threshold=None if classifier.threshold is None else float(classifier.threshold),
        seconds=round(seconds, 4),
        cpu_seconds=round(cpu_seconds, 4),
        phases={phase: round(spent, 4) for phase, spent in model.stats.seconds.items()},
        nodes=sum(formula.node_count for formula in shown),
        edges=sum(formula.edge_count for formula in shown),
        models=None if positive is None else counts[positive],
        class_nodes=[formula.node_count for formula in formulas],
        class_models=counts,
        omega=model.stats.omega,
        omega_T=model.stats.omega_total,
        diagram_nodes=model.stats.diagram_nodes,
        peak_mib=round(_peak_kib() / 1024, 1),
    )
    return record, model


def _peak_kib() -> int:
    """Return the largest memory of this process; where there is no /proc, that of its parent may be meant."""
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="utf-8").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _classifier(job: Job) -> tuple[NetworkName, Classifier]:
    """Return the network's name and the classifier; the one key of ``Job.source`` says how it is made.

    ``suite``: a problem of a suite, with its own threshold or with another. ``leaves``: all leaves of a
    suite's network, by threshold where the target is binary. ``network``: all leaves of a public network, by
    its name, or of any other, by its file. ``synthetic``: one of a family, which stands for the network.
    (``data``, a data set and a structure to train, is a run of its own: see ``DataRun``.)
    """
    (kind, given), *_ = job.source.items()
    normalise = given.get("normalise", False)
    if kind == "suite":
        problem = read_problem(Path(given["suite"]), job.problem)
        if job.which != "file":
            problem = replace(problem, threshold=float(job.which))
        return problem.network_name, problem.classifier(normalise=normalise)
    if kind == "synthetic":
        return given["family"], synthetic_classifier(**given)
    if kind == "leaves":
        path = Path(given["file"])
        name = plain_name(path)
    else:
        name = given["network"]
        path = network_path(name) if name in PUBLIC else Path(name)
    network, target = read_network(path, normalise=normalise), given["target"]
    by_threshold = kind == "leaves" and len(network.variable(target)) == 2
    threshold = float(job.which) if by_threshold else None
    return name, Classifier(network, target, default_features(network, target), threshold)


def _line(descriptor: int) -> bytes:
    """Return the bytes up to the end of the line, and no more: the rest stays for ``_end_with_input``."""
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(descriptor, 1)):
        line += byte
    return line


def _end_with_input(descriptor: int) -> None:
    while os.read(descriptor, 1):
        pass
    os._exit(_GONE)


if __name__ == "__main__":
    main()
