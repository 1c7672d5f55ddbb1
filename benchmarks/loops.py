"""What the optional loops in C bring: compilations of a suite with them and by numpy alone, in turns.

    python benchmarks/loops.py SUITE [--filter GLOB] [--rounds 3] [--jobs 1]

SUITE has ``problems`` and ``networks``. Each problem is compiled with its own threshold, warm, in one
process; seconds are the least of the rounds. Both models must be equal, byte for byte.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from math import exp, log
from pathlib import Path

from bnc2d import Classifier
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base import kernels
from bnc2d.compile.store import model_to_bytes
from bnc2d.experiments.problems import read_problem, read_quietly

WAYS = {"C": kernels.loops, "numpy": None}


def main() -> None:
    """Print a line for each problem, then for each phase, then the geometric mean."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", type=Path)
    parser.add_argument("--filter", default="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if WAYS["C"] is None:
        parser.error("the loops are not built here")
    names = sorted(path.stem for path in (options.suite / "problems").glob(options.filter + ".json"))
    if not names:
        parser.error(f"no problem of {options.suite} is called like {options.filter}")
    problems = [read_problem(options.suite, name) for name in names]
    networks = {path: read_quietly(path) for path in {problem.network for problem in problems}}
    phases: Counter[tuple[str, str]] = Counter()
    gains = []
    for problem in problems:
        seen: dict[str, tuple[float, CompiledModel]] = {}
        for _ in range(options.rounds):
            for way, loops in WAYS.items():
                kernels.loops = loops
                network = networks[problem.network]
                classifier = Classifier(network, problem.target, problem.features, str(problem.threshold))
                started = time.perf_counter()
                model = classifier.compile(jobs=options.jobs)
                seconds = time.perf_counter() - started
                if way not in seen or seconds < seen[way][0]:
                    seen[way] = seconds, model
        (by_loops, first), (by_numpy, second) = seen["C"], seen["numpy"]
        same = "same bytes" if model_to_bytes(first) == model_to_bytes(second) else "DIFFERENT BYTES"
        gains.append(by_numpy / by_loops)
        print(f"{problem.name:24} {by_loops:7.3f} {by_numpy:7.3f}  {gains[-1]:.2f}x  {same}", flush=True)
        for way, (_, model) in seen.items():
            phases.update({(phase, way): spent for phase, spent in model.stats.seconds.items()})
    for phase in dict.fromkeys(phase for phase, _ in phases):
        by_loops, by_numpy = (max(phases[phase, way], 1e-9) for way in WAYS)
        print(f"{phase:24} {by_loops:7.3f} {by_numpy:7.3f}  {by_numpy / by_loops:.2f}x")
    mean = exp(sum(map(log, gains)) / len(gains))
    print(f"geometric mean {mean:.2f}x of {len(gains)} problems, least {min(gains):.2f}x")


if __name__ == "__main__":
    main()
