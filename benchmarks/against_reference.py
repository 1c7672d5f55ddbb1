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
    records = []
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.bnc2d")
        for (name, which), seconds in rows.items():
            problem = problems[name, which]
            threshold = str(problem.threshold) if which == "bal" else which
            taken: dict[str, list[float]] = {}
            for _ in range(options.rounds):
                for suffix, checkout in [("", HERE), *([(" before", options.before)] * bool(options.before))]:
                    for kind, value in zip(KINDS, fresh(problem, threshold, out, checkout), strict=False):
                        taken.setdefault(kind + suffix, []).append(value)
            warm(networks[problem.network], problem, threshold)
            taken["warm"] = [
                warm(networks[problem.network], problem, threshold) for _ in range(options.rounds)
            ]
            seen = {kind: min(values) for kind, values in taken.items()}
            shown = "  ".join(
                f"{kind} {value:7.3f} ({seconds / value:5.1f}x)" for kind, value in seen.items()
            )
            print(f"{name:24} {which:4} reference {seconds:7.2f}  {shown}", flush=True)
            records.append({"reference": seconds, **seen})
            if options.json:
                with options.json.open("a") as file:
                    file.write(json.dumps({"problem": name, "threshold": which, **records[-1]}) + "\n")
    for kind in KINDS:
        ratios = [record["reference"] / record[kind] for record in records]
        print(f"{kind:7} geometric mean {mean(ratios):6.1f}x of {len(rows)} rows, least {min(ratios):.1f}x")
        if f"{kind} before" in records[0]:
            gains = [record[f"{kind} before"] / record[kind] for record in records]
            print(f"{kind:7} {mean(gains):.2f}x the checkout before, least {min(gains):.2f}x")


if __name__ == "__main__":
    main()
