"""What a constraint costs: explanations of a model under it, against those of the model without.

    python benchmarks/given.py SUITE --filter 'Win95pts-*' --json given.jsonl

For each problem of a suite, seeded: a constraint of a few implications between random features, instances
that it allows, and for each the time of one explanation (five reasons of each kind and the nearest change),
without the constraint and under it, in turns; the best of three each. Making the model under the constraint
is timed apart, as it is done once.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from dataclasses import replace
from math import exp, log
from pathlib import Path
from random import Random
from typing import Any

from bnc2d import Classifier, CompiledModel, LimitExceeded
from bnc2d.experiments.problems import problem_names, read_problem

KINDS = ("sufficient_reasons", "necessary_reasons", "general_sufficient_reasons", "general_necessary_reasons")


def asked(model: CompiledModel, instance: dict[str, str]) -> float:
    """Ask for five reasons of each kind and the nearest change; return the seconds that it takes."""
    started = time.perf_counter()
    explanation = model.explain(instance)
    for kind in KINDS:
        list(getattr(explanation, kind)(limit=5, time_limit=10))
    explanation.robustness()
    return time.perf_counter() - started


def constraint(classifier: Classifier, rng: Random, count: int) -> list[Any]:
    """Return implications: if one feature has a state, another has not some state."""
    found = []
    for _ in range(count):
        one, other = rng.sample(list(classifier.feature_variables), 2)
        out = rng.choice(other.states)
        rest = [state for state in other.states if state != out] or [out]
        found.append(({one.name: rng.choice(one.states)}, {other.name: rest}))
    return found


def measure(model: CompiledModel, options: argparse.Namespace) -> dict[str, Any]:
    """Return the times of one model."""
    rng = Random(1)  # noqa: S311 - reproducible
    rules = constraint(model.classifier, rng, options.rules)
    started = time.perf_counter()
    given = model.given(rules)
    making = time.perf_counter() - started
    ratios, plain, under = [], [], []
    for number in range(options.instances):
        names = [name for name in given.classes if given.count(name)]
        instance = given.sample(names[number % len(names)], seed=number)
        both = [(asked(model, instance), asked(given, instance)) for _ in range(3)]
        plain.append(min(one for one, _ in both))
        under.append(min(other for _, other in both))
        ratios.append(under[-1] / plain[-1])
    return {
        "nodes": model.diagram.node_count,
        "given_nodes": given.diagram.node_count,
        "making": making,
        "plain": sum(plain) / len(plain),
        "given": sum(under) / len(under),
        "ratio": exp(sum(map(log, ratios)) / len(ratios)),
        "worst": max(ratios),
    }


def main() -> None:
    """Print a line a problem, and the whole at the end."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("suite", type=Path)
    parser.add_argument("--filter", default="*")
    parser.add_argument("--threshold", help="in place of the problem's own")
    parser.add_argument("--rules", type=int, default=4)
    parser.add_argument("--instances", type=int, default=4)
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = []
    for name in problem_names(options.suite, options.filter):
        try:
            problem = read_problem(options.suite, name)
            if options.threshold is not None:
                problem = replace(problem, threshold=options.threshold)
            model = problem.classifier().compile(time_limit=options.time_limit)
            row = {"problem": name, **measure(model, options)}
        except LimitExceeded as error:
            row = {"problem": name, "error": str(error)}
        rows.append(row)
        print(json.dumps(row), flush=True)
        if options.json is not None:
            options.json.write_text("".join(json.dumps(one) + "\n" for one in rows))
    good = [row for row in rows if "ratio" in row]
    mean = exp(sum(log(row["ratio"]) for row in good) / len(good))
    worst = max(good, key=lambda row: row["ratio"])
    print(f"{len(good)} of {len(rows)} problems: ratio {mean:.2f} (geometric mean), ", end="")
    print(f"most {worst['ratio']:.2f} ({worst['problem']}), {sum(row['ratio'] > 3 for row in good)} above 3")


if __name__ == "__main__":
    main()
