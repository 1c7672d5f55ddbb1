"""Explanations by the network itself, where no hidden variable is in the way: how long, and how that grows.

    python benchmarks/without_compiling.py              # the aims: cold is a first call in a new process
    python benchmarks/without_compiling.py --growth     # slopes of seconds against the size, by least squares

Networks have random entries of two digits, everything is seeded. "First" is from the instance to its first
sufficient reason; cold it includes what is made once for a classifier, and what is loaded on first use. All
are processor seconds, warm ones the median of seven instances, so that a busy machine changes little.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import islice
from random import Random
from statistics import median

import numpy as np

from bnc2d import CPT, BayesianNetwork, Classifier, Variable
from bnc2d.regions.observed import ObservedBounds
from bnc2d.testing import random_instance

# Features, least and most states of one, classes, parents that features have among those before them.
NAIVE = (60, 2, 1000, 2, 0)
TREE = (200, 4, 4, 10, 1)
MANY = (36, 2, 6, 2, 0)
NEAR = 12  # parents are among so many features before
MANY_REASONS = 500


def classifier(features: int, least: int, most: int, classes: int, parents: int, seed: int = 1) -> Classifier:
    """Return a classifier whose features have the target and so many other features as parents."""
    rng = Random(seed)  # noqa: S311 - reproducible data
    target = Variable("T", tuple(f"c{k}" for k in range(classes)))
    variables = [
        Variable(f"x{k}", tuple(f"s{j}" for j in range(rng.randint(least, most)))) for k in range(features)
    ]
    cpts = [CPT(target, (), [Fraction(1, classes)] * classes)]
    for place, variable in enumerate(variables):
        before = variables[max(0, place - NEAR) : place]
        above = [target, *rng.sample(before, min(parents, len(before)))]
        entries: list[Fraction] = []
        for _ in range(int(np.prod([len(one) for one in above]))):
            weights = [rng.randint(1, 99) for _ in variable.states]
            entries += [Fraction(weight, sum(weights)) for weight in weights]
        cpts.append(CPT(variable, above, entries))
    return Classifier(BayesianNetwork([target, *variables], cpts), "T", [one.name for one in variables])


def seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds that work takes."""
    started = time.process_time()
    work()
    return time.process_time() - started


def first(made: Classifier, seed: int) -> float:
    """Return the seconds to the first sufficient reason of an instance."""
    instance = random_instance(made, seed)
    return seconds(lambda: next(made.explain(instance).sufficient_reasons()))


def shortest(made: Classifier, seed: int) -> float:
    """Return the seconds to the shortest sufficient reason of an instance."""
    instance = random_instance(made, seed)
    return seconds(lambda: made.explain(instance).shortest_sufficient_reason())


def nearest(made: Classifier, seed: int) -> float:
    """Return the seconds to the nearest instance of another class."""
    instance = random_instance(made, seed)
    return seconds(lambda: made.explain(instance).robustness())


def a_second(made: Classifier) -> float:
    """Return how many sufficient reasons are listed a second, for the first instance that has many."""
    for seed in range(1, 20):
        reasons = made.explain(random_instance(made, seed)).sufficient_reasons()
        started = time.process_time()
        count = len(list(islice(reasons, MANY_REASONS)))
        if count == MANY_REASONS:
            return count / (time.process_time() - started)
    raise SystemExit("no instance has many reasons")


def warm(measure: Callable[[Classifier, int], float], made: Classifier) -> float:
    """Return the median of seven instances, after one that makes what instances share."""
    measure(made, 0)
    return median(measure(made, seed) for seed in range(1, 8))


def rows(made: Classifier, count: int) -> float:
    """Return the seconds for one reason of each of many rows, labels included."""
    rng = np.random.default_rng(0)
    sizes = [len(variable) for variable in made.feature_variables]
    data = np.stack([rng.integers(0, size, count) for size in sizes], axis=1)
    return seconds(lambda: made.explain_many(data, kinds=["sufficient"], limit=1))


def cold(kind: str) -> float:
    """Return the seconds of a first call in a new process, after the network is made."""
    done = subprocess.run(
        [sys.executable, __file__, "--cold", kind], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def aims() -> None:
    """Print a line for each aim."""
    naive, tree = classifier(*NAIVE), classifier(*TREE)
    print(f"{'':42}  {'aim':>12}  {'cold':>8}  {'warm':>8}")

    def line(name: str, aim: str, measured: str, figure: float) -> None:
        first_call = f"{1000 * cold(measured):6.0f} ms" if measured else ""
        print(f"{name:42}  {aim:>12}  {first_call:>8}  {figure:8.1f}", flush=True)

    line("naive Bayes 60 x 2..1000: first reason", "10 ms", "first naive", 1000 * warm(first, naive))
    line("naive Bayes 60 x 2..1000: the shortest", "50 ms", "shortest naive", 1000 * warm(shortest, naive))
    line("naive Bayes 60 x 2..1000: reasons", "1,000 a s", "", a_second(naive))
    line("TAN 200 x 4, 10 classes: first reason", "1,000 ms", "first tree", 1000 * warm(first, tree))
    line("TAN 200 x 4, 10 classes: reasons", "50 a s", "", a_second(tree))
    line("naive Bayes 36 x 2..6: 10,000 rows", "10 s", "", rows(classifier(*MANY), 10_000))


def slope(sizes: list[float], spent: list[float]) -> float:
    """Return the exponent with which seconds grow."""
    return float(np.polyfit(np.log(sizes), np.log(spent), 1)[0])


def growth() -> None:
    """Print seconds for growing sizes, and the slopes."""
    series: list[tuple[str, list[float], list[Classifier]]] = []
    for name, parents in (("naive Bayes", 0), ("TAN", 1)):
        counts = [50, 100, 200, 400]
        made = [classifier(count, 4, 4, 3, parents) for count in counts]
        series.append((f"{name}, features x 4, 3 classes", [*map(float, counts)], made))
        states = [4, 8, 16, 32] if parents else [10, 30, 100, 300, 1000]
        made = [classifier(40, count, count, 3, parents) for count in states]
        series.append((f"{name}, 40 x states, 3 classes", [*map(float, states)], made))
        classes = [2, 4, 8, 16, 32]
        made = [classifier(40, 4, 4, count, parents) for count in classes]
        series.append((f"{name}, 40 x 4, classes", [*map(float, classes)], made))
    widths = [1, 2, 3]
    made = [classifier(40, 2, 2, 3, parents) for parents in widths]
    entries = [
        float(max(cluster.table[0].size for cluster in ObservedBounds(one).of_class(0).margins.clusters))
        for one in made
    ]
    series.append(("40 x 2, 3 classes, entries of the largest table", entries, made))
    measures = {"first reason": first, "nearest": nearest}
    for name, sizes, classifiers in series:
        print(f"{name}: {', '.join(f'{size:g}' for size in sizes)}")
        for what, measure in measures.items():
            spent = [warm(measure, one) for one in classifiers]
            shown = "  ".join(f"{1000 * one:8.1f}" for one in spent)
            print(f"  {what:14} ms {shown}   slope {slope(sizes, spent):.2f}", flush=True)


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--cold", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.cold:
        measure, kind = arguments.cold.split()
        made = classifier(*(NAIVE if kind == "naive" else TREE))
        print({"first": first, "shortest": shortest}[measure](made, 1))
    elif arguments.growth:
        growth()
    else:
        aims()


if __name__ == "__main__":
    main()
