"""How long Shapley values take, against one model count, on every model of a suite; and how that grows.

    python benchmarks/scores.py SUITE --json scores.jsonl     # SUITE/problems/*.json, SUITE/networks
    python benchmarks/scores.py --many                        # 10,000 rows of a model with 16 features
    python benchmarks/scores.py --growth                      # slopes in nodes and in states, naive Bayes

For each problem, seeded: the processor time of ``diagram.counts()`` and of the Shapley values of all features
of an instance, in floats, each the best of several. At the end: the ratios, and the slopes of the time per
point of the quadrature in the number of edges of the diagram (on a logarithmic scale, least squares).
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from fractions import Fraction
from math import exp, log
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import bnc2d
from bnc2d.errors import LimitExceeded
from bnc2d.experiments.problems import problem_names, read_problem
from bnc2d.explain.scores.passes import Points, players_of, values


def best(work: Callable[[], object], least: int = 5, seconds: float = 0.3) -> float:
    """Return the least processor time of several runs."""
    found: list[float] = []
    while len(found) < least or sum(found) < seconds:
        started = time.process_time()
        work()
        found.append(time.process_time() - started)
        if len(found) >= 500:
            break
    return min(found)


def measure(model: bnc2d.CompiledModel) -> dict[str, Any]:
    """Return the times of one model."""
    diagram = model.diagram
    rows = np.zeros((1, len(diagram.domain)), dtype=np.intp)
    wanted = np.arange(diagram.terminals)[None] == diagram.labels(rows)[:, None]
    marginals = [np.full(size, 1 / size) for size in diagram.domain.cardinalities]
    counting = best(diagram.counts)
    scoring = best(lambda: values(diagram, rows, wanted, marginals, "shapley"))
    points = len(Points.of("shapley", players_of(diagram, rows, marginals)).at)
    return {
        "features": len(diagram.walk),
        "nodes": diagram.node_count,
        "edges": sum(level.table.size for level in diagram.walk),
        "points": points,
        "count": counting,
        "shapley": scoring,
        "ratio": scoring / counting,
    }


def naive_bayes(features: int, states: int) -> bnc2d.Classifier:
    """Return a naive Bayes classifier with random tables."""
    rng = np.random.default_rng(features)
    target = bnc2d.Variable("Y", ("0", "1"))
    cpts = [bnc2d.CPT(target, (), [0.5, 0.5])]
    for number in range(features):
        child = bnc2d.Variable(f"X{number}", tuple(map(str, range(states))))
        columns = [rng.integers(1, 100, states) for _ in range(2)]
        cpts.append(bnc2d.CPT(child, (target,), [Fraction(int(n), int(c.sum())) for c in columns for n in c]))
    return bnc2d.Classifier(bnc2d.BayesianNetwork([cpt.child for cpt in cpts], cpts), "Y")


def many() -> None:
    """Time 10,000 rows."""
    for states in (2, 3):
        model = naive_bayes(16, states).compile()
        rng = np.random.default_rng(states)
        rows = np.stack([rng.integers(0, size, 10_000) for size in model.domain.cardinalities], axis=1)
        for kind in ("shapley", "banzhaf"):
            started = time.process_time()
            model.scores_many(rows, kind)
            taken = time.process_time() - started
            print(f"{model.diagram.node_count} nodes, {kind} of 10,000 rows: {taken:.1f} s", flush=True)


def growth() -> None:
    """Fit the time of a point by the nodes and by the states of a diagram, each with a slope of its own."""
    sizes = {2: (22, 26, 30, 34), 3: (14, 16, 18, 20), 4: (11, 12, 13, 15), 6: (8, 9, 10, 11), 10: (6, 7, 8)}
    rows = []
    for states, features in sizes.items():
        for count in features:
            found = measure(naive_bayes(count, states).compile(method="fast"))
            rows.append((found["nodes"], states, found["shapley"] / found["points"]))
            print(f"{count} features of {states} states: {found['nodes']} nodes, ", end="")
            print(f"{rows[-1][2] * 1e3:.3f} ms a point, {found['ratio']:.1f} counts", flush=True)
    nodes, states_of, taken = np.log(np.array(rows)).T
    matrix = np.stack([np.ones(len(rows)), nodes, states_of], axis=1)
    _, by_nodes, by_states = np.linalg.lstsq(matrix, taken, rcond=None)[0]
    print(f"slopes: {by_nodes:.2f} in the nodes, {by_states:.2f} in the states")


def main() -> None:
    """Print a line a problem, and the whole at the end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("suite", type=Path, nargs="?")
    parser.add_argument("--filter", default="*")
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--models", type=Path, help="folder in which compiled models are kept")
    parser.add_argument("--many", action="store_true")
    parser.add_argument("--growth", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.many:
        many()
    if options.growth:
        growth()
    if options.suite is None:
        return
    rows: list[dict[str, Any]] = []
    for name in problem_names(options.suite, options.filter):
        kept = None if options.models is None else options.models / f"{name}.bnc2d"
        try:
            if kept is not None and kept.exists():
                model = bnc2d.load(kept)
            else:
                model = read_problem(options.suite, name).classifier().compile(time_limit=options.time_limit)
            row = {"problem": name, **measure(model)}
        except LimitExceeded as error:
            row = {"problem": name, "error": str(error)}
        rows.append(row)
        print(json.dumps(row), flush=True)
        if options.json is not None:
            options.json.write_text("".join(json.dumps(one) + "\n" for one in rows))
    summary([row for row in rows if "ratio" in row and row["nodes"]], len(rows))


def summary(good: list[dict[str, Any]], total: int) -> None:
    """Print what all problems together say."""
    ratios = [row["ratio"] for row in good]
    print(f"{len(good)} of {total} problems; shapley / count: median {median(ratios):.1f}, ", end="")
    print(f"geometric mean {exp(sum(map(log, ratios)) / len(ratios)):.1f}, most {max(ratios):.1f}; ", end="")
    print(f"{sum(ratio <= 10 for ratio in ratios)} within 10")
    large = [row for row in good if row["edges"] >= 5_000]
    if len(large) > 2:
        edges = np.log([row["edges"] for row in large])
        taken = np.log([row["shapley"] / row["points"] for row in large])
        slope = np.polyfit(edges, taken, 1)[0]
        each = median(row["shapley"] / row["points"] / row["edges"] for row in large)
        print(
            f"{len(large)} with 5,000 edges or more: slope {slope:.2f} of the time a point in the edges, ",
            end="",
        )
        print(f"{each * 1e9:.1f} ns an edge and point (median)")


if __name__ == "__main__":
    main()
