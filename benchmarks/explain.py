"""All sufficient and necessary reasons of decisions, by three routes in one run.

    python benchmarks/explain.py                              # seeded naive Bayes models
    python benchmarks/explain.py child.bif --target Disease   # also a model of a network file

Routes, each from the complete reason of a decision to the list of all its primes: native (read off the
circuit), SAT (bnc2d.logic.primes.by_sat) and python-sat's Primer (the faster of two settings; turning the
circuit into clauses is not counted for it). ``>`` marks a time-out: the ratio is then a lower bound.
``first`` is the time from the instance to its first sufficient reason, the complete reason included. Every
figure is the sum (rates: the mean) over the same seeded instances, one a class at least.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from itertools import islice
from random import Random
from typing import Any, TypeAlias

from primes import SETTINGS, TimeOutError, formulas
from pysat.examples.primer import Primer

import bnc2d
from bnc2d.logic.primes import by_sat
from bnc2d.logic.terms import Clause, Term

# Features and states of each.
SHAPES = [(12, 2), (14, 2), (16, 2), (18, 2), (20, 2), (12, 3), (14, 3), (16, 3)]
INSTANCES = 4

Route: TypeAlias = Callable[..., Iterator[Any]]


def naive_bayes(features: int, states: int, seed: int) -> bnc2d.CompiledModel:
    """Return a compiled naive Bayes of two classes with random tables."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    target = bnc2d.Variable("Y", ("0", "1"))
    cpts = [bnc2d.CPT(target, (), [Fraction(1, 2)] * 2)]
    for number in range(features):
        feature = bnc2d.Variable(f"X{number}", tuple(map(str, range(states))))
        columns = [[rng.randint(1, 999) for _ in range(states)] for _ in target.states]
        entries = [Fraction(entry, sum(column)) for column in columns for entry in column]
        cpts.append(bnc2d.CPT(feature, (target,), entries))
    network = bnc2d.BayesianNetwork([cpt.child for cpt in cpts], cpts)
    model: bnc2d.CompiledModel = bnc2d.Classifier(network, "Y").compile()
    return model


def timed(run: Callable[[], int], time_out: float) -> tuple[int | None, float]:
    """Return the answer, None after a time-out, and the seconds."""
    signal.setitimer(signal.ITIMER_REAL, time_out)
    started = time.perf_counter()
    try:
        answer: int | None = run()
    except TimeOutError:
        answer = None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return answer, time.perf_counter() - started


def exhaust(route: Route, *arguments: Any) -> int:
    """Return how many reasons a route lists."""
    return len(list(route(*arguments)))


def first_reason(model: bnc2d.CompiledModel, instance: dict[str, str]) -> int:
    """Return 1 once the first sufficient reason is there."""
    return len(list(islice(model.explain(instance).sufficient_reasons(), 1)))


def exhaust_primer(formula: Any, negated: Any, implicates: bool, settings: dict[str, Any]) -> int:
    """Return how many primes Primer lists."""
    with Primer(formula, negated=negated, implicates=implicates, **settings) as enumerator:
        return len(list(enumerator.enumerate()))


def primer(reason: bnc2d.NNF, implicates: bool, time_out: float) -> tuple[int | None, float]:
    """Return how many primes Primer lists, and the seconds of its faster setting."""
    best: tuple[int | None, float] | None = None
    for settings in SETTINGS:
        formula, negated = formulas(reason.manager, reason.root)

        answer = timed(partial(exhaust_primer, formula, negated, implicates, settings), time_out)
        if best is None or answer[1] < best[1]:
            best = answer
    assert best is not None
    return best


class Sum:
    """Seconds of one route added up, with the mark of a time-out."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.mark = ""

    def add(self, answer: tuple[int | None, float], expected: int) -> None:
        """Add a run, whose count must be the expected one unless it timed out."""
        count, seconds = answer
        assert count in (expected, None), f"{expected} primes expected, {count} found"
        self.seconds += seconds
        self.mark = ">" if count is None else self.mark

    def __str__(self) -> str:
        return f"{self.mark}{1000 * self.seconds:.1f}"


def measure(name: str, model: bnc2d.CompiledModel, time_out: float) -> str:
    """Return a line of the table for a model."""
    classes = [name for name in model.classes if model.count(name)]
    each = -(-INSTANCES // len(classes))
    instances = [instance for label in classes for instance in model.sample(label, seed=1, size=each)]
    native, sat, other = Sum(), Sum(), Sum()
    counts = {"sufficient": 0, "necessary": 0}
    spent = dict.fromkeys(counts, 0.0)
    first = 0.0
    first_reason(model, instances[0])  # loads what is loaded on first use
    for instance in instances:
        first += timed(partial(first_reason, model, instance), 0)[1]
        explanation = model.explain(instance)
        reason = explanation.complete_reason
        routes: dict[str, tuple[Route, Route]] = {
            "sufficient": (explanation.sufficient_reasons, partial(by_sat.primes, Term)),
            "necessary": (explanation.necessary_reasons, partial(by_sat.primes, Clause)),
        }
        for kind, (ours, by_solver) in routes.items():
            found, seconds = timed(partial(exhaust, ours), 0)
            assert found is not None
            counts[kind] += found
            spent[kind] += seconds
            native.add((found, seconds), found)
            sat.add(timed(partial(exhaust, by_solver, reason.manager, reason.root), time_out), found)
            if reason.features:  # Primer takes no constants
                other.add(primer(reason, kind == "necessary", time_out), found)
    ratios = [
        f"{route.mark}{route.seconds / native.seconds:.1f}" if route.seconds else "-"
        for route in (sat, other)
    ]
    rate = counts["sufficient"] / spent["sufficient"]
    return (
        f"{name:<16} {model.diagram.node_count:>6} {counts['sufficient']:>7} {counts['necessary']:>7} "
        f"{native!s:>9} {sat!s:>10} {other!s:>10} {ratios[0]:>8} {ratios[1]:>8} "
        f"{1000 * first / len(instances):>8.2f} {rate:>8.0f}"
    )


def _raise_time_out(*_: object) -> None:
    raise TimeOutError


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("network", nargs="?", help="a network file to compile and explain as well")
    parser.add_argument("--target", help="its target")
    parser.add_argument("--features", help="its features, separated by commas (default: all leaves)")
    parser.add_argument("--threshold", help="its threshold, for a target of two states")
    parser.add_argument("--time-out", type=float, default=10, help="seconds for one run of SAT or Primer")
    options = parser.parse_args()
    if options.network and not options.target:
        parser.error("a network file needs --target")
    signal.signal(signal.SIGALRM, _raise_time_out)
    print(
        f"{'model':<16} {'nodes':>6} {'SRs':>7} {'NRs':>7} {'native ms':>9} {'SAT ms':>10} {'Primer ms':>10} "
        f"{'SAT/':>8} {'Primer/':>8} {'first ms':>8} {'SRs/s':>8}"
    )
    for features, states in SHAPES:
        model = naive_bayes(features, states, seed=features)
        print(measure(f"naive {features} x {states}", model, options.time_out), flush=True)
    if options.network:
        chosen = options.features.split(",") if options.features else None
        network = bnc2d.read_network(options.network)
        model = bnc2d.Classifier(network, options.target, chosen, options.threshold).compile()
        print(measure(options.target[:16], model, options.time_out), flush=True)


if __name__ == "__main__":
    main()
