"""How far compiling is from what the machine could do: operations and bytes of the chosen cuts.

    python benchmarks/limits.py SUITE [--filter GLOB]        # SUITE/problems/*.json, SUITE/networks

The rates of one core are measured first: products of matrices in float64 and float32, copies in memory. For
each problem, with its own threshold: the seconds that the multiplications of all messages (float64), the
products of the join for all instances (float32) and the bytes of both tables (written and read once) would
take at those rates; then the seconds of the whole compile call (best of three, warm), and of its phases. The
join may take less than its limit: where a box of instances is decided at once, no cell is computed.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from math import exp, log
from pathlib import Path

import numpy as np

import bnc2d
from bnc2d.base.budget import default_memory
from bnc2d.base.threads import one_thread
from bnc2d.compile.graph.pruning import prepare, target_part
from bnc2d.compile.meet.cut_problem import CutProblem, Side
from bnc2d.compile.meet.method import cheapest_cut
from bnc2d.experiments.problems import problem_names, read_problem, read_quietly


def best(work: Callable[[], object], rounds: int = 3) -> float:
    """Return the least seconds of several runs."""
    found = []
    for _ in range(rounds):
        started = time.perf_counter()
        work()
        found.append(time.perf_counter() - started)
    return min(found)


@one_thread
def rates() -> dict[str, float]:
    """Return operations or bytes a second on one core."""
    found = {}
    for name, kind in (("float64", np.float64), ("float32", np.float32)):
        a, b = np.ones((512, 512), dtype=kind), np.ones((512, 2048), dtype=kind)
        found[name] = 2 * 512 * 512 * 2048 / best(partial(np.matmul, a, b), 10)
    source, copy = np.ones(1 << 24), np.ones(1 << 24)
    found["bytes"] = 2 * source.nbytes / best(lambda: np.copyto(copy, source), 5)
    return found


@one_thread
def work_of(classifier: bnc2d.Classifier) -> dict[str, float]:
    """Return operations and bytes of the cut that the compiler chooses."""
    part = target_part(classifier).classifier
    prepared = prepare(part)
    cut = cheapest_cut(prepared, default_memory())
    problem = CutProblem(part, prepared, [Side(prepared, side) for side in (cut.first, cut.second)])
    first, second = problem.factors({})
    join = problem.join(first, second)
    terms = sum(product.terms for product in join.products)
    return {
        "float64": 2 * (first.work + second.work),
        "float32": 2.0 * first.patterns * second.patterns * terms,
        "bytes": 2.0 * (first.table.nbytes + second.table.nbytes),
    }


def main() -> None:
    """Print a line for each problem, and means by group."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", type=Path)
    parser.add_argument("--filter", default="*")
    options = parser.parse_args()
    speed = rates()
    print(", ".join(f"{name} {rate / 1e9:.1f} G/s" for name, rate in speed.items()))
    groups: dict[str, list[tuple[float, float, float, float]]] = defaultdict(list)
    for name in problem_names(options.suite, options.filter):
        problem = read_problem(options.suite, name)
        network = read_quietly(problem.network)
        parts_of = network, problem.target, problem.features, problem.threshold
        work = work_of(bnc2d.Classifier(*parts_of))
        limit = {part: amount / speed[part] for part, amount in work.items()}
        runs = []
        for _ in range(3):
            made = bnc2d.Classifier(*parts_of)
            started = time.perf_counter()
            model = made.compile()
            runs.append((time.perf_counter() - started, model.stats.seconds))
        seconds, phases = min(runs, key=lambda run: run[0])
        parts = " ".join(f"{part} {value:.3f}" for part, value in limit.items())
        spent = " ".join(f"{phase} {value:.3f}" for phase, value in phases.items())
        print(
            f"{name:28} limit {sum(limit.values()):6.3f} ({parts})  took {seconds:6.3f} ({spent})", flush=True
        )
        group = f"{problem.network_name}, {len(problem.features or ())} features"
        inner = phases.get("tables", 0.0) + phases.get("labels", 0.0)
        groups[group].append((sum(limit.values()), seconds, inner, seconds - inner))
    for group, rows in groups.items():
        means = [exp(sum(log(max(row[at], 1e-6)) for row in rows) / len(rows)) for at in range(4)]
        print(
            f"{group:24} {len(rows):3} problems, geometric means: limit {means[0]:.4f}, took {means[1]:.4f}"
            f" (tables and labels {means[2]:.4f}, the rest {means[3]:.4f})"
        )


if __name__ == "__main__":
    main()
