"""How many times faster than the authors' code: fresh processes and a warm one, row by row.

    python benchmarks/against_reference.py SUITE [--filter GLOB] [--rounds 3] [--json FILE] [--before FOLDER]

SUITE has ``problems``, ``networks`` and ``reference_times.tsv`` (seconds inside the authors' compile call).
For each row with seconds: "fresh", the wall time of ``bnc2d compile FILE ... -o OUT`` from the shell, start
of Python, reading and writing included; "inside", what such a process says of its compile call; and "warm",
the compile call in a process that has compiled others before, its classifier new. Each is the least of
several rounds, with nothing set in the environment.

The seconds of the authors' code are from another machine, of the same kind but not equally quick. What holds
on any machine is a ratio within one run: ``--before FOLDER`` takes another checkout of bnc2d in turns, in
fresh processes, and says how many times faster this one is.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from fnmatch import fnmatch
from math import exp, log
from pathlib import Path

import bnc2d
from bnc2d.experiments.problems import Problem, read_problem, read_quietly

KINDS = ("fresh", "inside", "warm")
HERE = Path(__file__).parent.parent


def reference(suite: Path) -> dict[tuple[str, str], float]:
    """Return the seconds of the rows that have them."""
    lines = (suite / "reference_times.tsv").read_text().splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")][1:]
    return {(row[0], row[1]): float(row[2]) for row in rows if not row[2].startswith(">")}


def fresh(problem: Problem, threshold: str, out: Path, folder: Path = HERE) -> tuple[float, float]:
    """Return the wall time of a new process, and that of the compile call in it."""
    words = [
        "--target",
        problem.target,
        "--threshold",
        threshold,
        "--features",
        ",".join(problem.features or ()),
    ]
    command = [
        sys.executable,
        "-P",  # the folder is that of PYTHONPATH, not this one
        "-m",
        "bnc2d",
        "compile",
        str(problem.network),
        *words,
        "--json",
        "-o",
        str(out),
    ]
    started = time.perf_counter()
    done = subprocess.run(
        command, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": str(folder)}
    )
    seconds = time.perf_counter() - started
    return seconds, float(json.loads(done.stdout)["seconds"])


def warm(network: bnc2d.BayesianNetwork, problem: Problem, threshold: str) -> float:
    """Return the time of one compile call."""
    classifier = bnc2d.Classifier(network, problem.target, problem.features, threshold)
    started = time.perf_counter()
    classifier.compile()
    return time.perf_counter() - started


def mean(values: list[float]) -> float:
    """Return the geometric mean."""
    return exp(sum(map(log, values)) / len(values))


def main() -> None:
    """Print a line for each row, and the means."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", type=Path)
    parser.add_argument("--filter", default="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--before", type=Path)
    options = parser.parse_args()
    rows = {
        key: seconds for key, seconds in reference(options.suite).items() if fnmatch(key[0], options.filter)
    }
    problems = {key: read_problem(options.suite, key[0]) for key in rows}
    networks = {path: read_quietly(path) for path in {problem.network for problem in problems.values()}}
    ratios: dict[str, list[float]] = {kind: [] for kind in KINDS}
    gains: dict[str, list[float]] = {"fresh": [], "inside": []}
    with tempfile.TemporaryDirectory() as folder:
        for key, seconds in rows.items():
            problem = problems[key]
            threshold = str(problem.threshold) if key[1] == "bal" else key[1]
            out = Path(folder, "out.bnc2d")
            pairs, pairs_before = [], []
            for _ in range(options.rounds):
                pairs.append(fresh(problem, threshold, out))
                if options.before:
                    pairs_before.append(fresh(problem, threshold, out, options.before))
            for kind, one, other in zip(
                gains, zip(*pairs, strict=True), zip(*pairs_before, strict=False), strict=False
            ):
                gains[kind].append(min(other) / min(one))
            again = [warm(networks[problem.network], problem, threshold) for _ in range(options.rounds + 1)]
            seen = dict(zip(KINDS, (*map(min, zip(*pairs, strict=True)), min(again[1:])), strict=True))
            shown = "  ".join(f"{kind} {seen[kind]:7.3f} ({seconds / seen[kind]:5.1f}x)" for kind in KINDS)
            print(f"{key[0]:24} {key[1]:4} reference {seconds:7.2f}  {shown}", flush=True)
            for kind in KINDS:
                ratios[kind].append(seconds / seen[kind])
            if options.json:
                with options.json.open("a") as file:
                    file.write(
                        json.dumps({"problem": key[0], "threshold": key[1], "reference": seconds, **seen})
                        + "\n"
                    )
    for kind in KINDS:
        found = ratios[kind]
        print(f"{kind:7} geometric mean {mean(found):6.1f}x of {len(rows)} rows, least {min(found):.1f}x")
    for kind, found in gains.items():
        if found:
            print(f"{kind:7} {mean(found):.2f}x the checkout before, least {min(found):.2f}x")


if __name__ == "__main__":
    main()
