"""The robustness of whole classifiers: how many models of a suite finish, and what it takes.

    python benchmarks/robustness.py SUITE --filter 'andes-*' --time-limit 10 --json robustness.jsonl

For each problem: the time of the profile (all instances of all classes, exact), with the size of the model's
diagram and the time to count instances in it; and the time of the distances of seeded random rows, all at
once and one after the other by ``explain(row).robustness()``, which must agree.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from bnc2d import CompiledModel, LimitExceeded
from bnc2d.experiments.problems import problem_names, read_problem

ONE_BY_ONE = 20  # rows that are also asked one after the other


def measure(model: CompiledModel, options: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of one model."""
    started = time.perf_counter()
    model.diagram.counts()
    counting = time.perf_counter() - started
    started = time.perf_counter()
    profile = model.robustness_profile(time_limit=options.time_limit)
    seconds = time.perf_counter() - started
    rng = np.random.default_rng(1)
    sizes = model.domain.cardinalities
    rows = np.stack([rng.integers(0, size, options.rows) for size in sizes], axis=1)
    started = time.perf_counter()
    distances = model.robustness_of(rows)
    at_once = time.perf_counter() - started
    started = time.perf_counter()
    some = [
        model.explain(model.domain.decode(row)).robustness().distance for row in rows[:ONE_BY_ONE].tolist()
    ]
    each = (time.perf_counter() - started) / max(1, len(some))
    if some != distances[:ONE_BY_ONE].tolist():
        raise AssertionError("the distances of rows differ")
    expected = profile.expected
    return {
        "nodes": model.diagram.node_count,
        "features": len(model.features),
        "complete": profile.complete,
        "known_to": profile.overall.known_to,
        "seconds": seconds,
        "counting_seconds": counting,
        "expected": None if expected is None else float(expected),
        "largest": profile.largest,
        "row_seconds": at_once / max(1, options.rows),
        "row_seconds_one_by_one": each,
    }


def main() -> None:
    """Run the problems."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--filter", default="*")
    parser.add_argument("--time-limit", type=float, default=10.0)
    parser.add_argument("--compile-limit", type=float, default=60.0)
    parser.add_argument("--rows", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: list[dict[str, Any]] = []
    for name in problem_names(options.suite, options.filter):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                model = (
                    read_problem(options.suite, name).classifier().compile(time_limit=options.compile_limit)
                )
            except LimitExceeded as error:
                print(f"{name}: not compiled: {error}")
                continue
        figures = {"problem": name, **measure(model, options)}
        found.append(figures)
        print(json.dumps(figures), flush=True)
        if options.json is not None:
            with options.json.open("a", encoding="utf-8") as file:
                file.write(json.dumps(figures) + "\n")
    summarise(found)


def summarise(found: list[dict[str, Any]]) -> None:
    """Print how many finished, the times by size, and the slope of time in nodes."""
    done = [one for one in found if one["complete"]]
    print(f"{len(done)} of {len(found)} complete; slowest {max(one['seconds'] for one in found):.2f} s")
    for low, high in ((1, 100), (100, 1_000), (1_000, 10_000), (10_000, 100_000), (100_000, 10**9)):
        some = sorted(one["seconds"] for one in found if low <= one["nodes"] < high)
        if some:
            median = some[len(some) // 2]
            print(
                f"  {low} to {high} nodes: {len(some)} models, median {median:.3f} s, most {some[-1]:.3f} s"
            )
    large = [one for one in done if one["nodes"] >= 100]
    if len(large) > 1:
        logs = np.array([(log(one["nodes"]), log(one["seconds"])) for one in large])
        print(f"  slope of log time in log nodes: {np.polyfit(logs[:, 0], logs[:, 1], 1)[0]:.2f}")


if __name__ == "__main__":
    main()
