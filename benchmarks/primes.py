"""All prime implicants and prime implicates of monotone circuits, timed beside python-sat's Primer.

    python benchmarks/primes.py                 # 10 to 10,000 primes, about four minutes
    python benchmarks/primes.py --time-out 300  # more patience with Primer

Circuits: complete reasons of weighted votes (what a compiled naive Bayes classifier gives: a decision diagram
as an OR-decomposable circuit) and random OR-decomposable circuits of ANDs and ORs. All are seeded.

Counted for bnc2d: everything from the circuit to the list of Term or Clause objects, its structure checks
and the sorting included. Counted for Primer: building the enumerator and all primes as lists of integers.
Its formula and the negation are built and turned into clauses beforehand. Primer runs as it comes (sorted)
and unsorted with pure SAT, its fastest setting on these circuits; the ratio is to the faster of the two.
Best of several runs, each on a new circuit. ``>`` marks a time-out: the ratio is then a lower bound.
"""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Callable
from functools import cache, partial
from random import Random
from typing import Any

from pysat.examples.primer import Primer
from pysat.formula import And, Atom, Formula, Neg, Or

from bnc2d.logic.circuit.fold import fold
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.circuit.queries import node_count
from bnc2d.logic.domain import Domain
from bnc2d.logic.primes import direct
from bnc2d.logic.terms import Clause, Term

SETTINGS: list[dict[str, Any]] = [{}, {"unsorted": True, "puresat": "mgh"}]

# Kind, family, features, seed: about 10, 100, 1,000 and 10,000 primes each.
CASES = [
    ("implicants", "votes", 6, 3),
    ("implicants", "votes", 11, 2),
    ("implicants", "votes", 15, 1),
    ("implicants", "votes", 18, 2),
    ("implicants", "random", 8, 1),
    ("implicants", "random", 18, 2),
    ("implicants", "random", 26, 3),
    ("implicants", "random", 36, 5),
    ("implicates", "votes", 6, 3),
    ("implicates", "votes", 11, 2),
    ("implicates", "votes", 15, 1),
    ("implicates", "votes", 18, 2),
    ("implicates", "random", 8, 3),
    ("implicates", "random", 22, 3),
    ("implicates", "random", 36, 4),
    ("implicates", "random", 56, 3),
]


def votes(features: int, seed: int) -> tuple[Manager, NodeId]:
    """Return "at least half of the weight", a decision diagram in which each node is ``high ∧ (x ∨ low)``."""
    rng = Random(seed)  # noqa: S311
    weights = sorted((rng.randint(1, 20) for _ in range(features)), reverse=True)
    manager = _manager(features)

    @cache
    def reach(feature: int, needed: int) -> NodeId:
        if needed <= 0 or sum(weights[feature:]) < needed:
            return TRUE if needed <= 0 else FALSE
        vote = manager.add_literal(feature, 0b10)
        high, low = reach(feature + 1, needed - weights[feature]), reach(feature + 1, needed)
        return manager.add_and([high, manager.add_or([vote, low])])

    return manager, reach(0, sum(weights) // 2)


def random_circuit(features: int, seed: int) -> tuple[Manager, NodeId]:
    """Return alternating ANDs, which share features, and ORs, which do not."""
    rng = Random(seed)  # noqa: S311
    manager = _manager(features)

    def build(below: list[int], conjunction: bool) -> NodeId:
        if len(below) == 1:
            return manager.add_literal(below[0], 0b10)
        order = rng.sample(below, len(below))
        if conjunction:
            size = max(1, 2 * len(order) // 3)
            return manager.add_and([build(rng.sample(order, size), False) for _ in range(3)])
        cut = rng.randint(1, len(order) - 1)
        return manager.add_or([build(order[:cut], True), build(order[cut:], True)])

    return manager, build(list(range(features)), True)


def _manager(features: int) -> Manager:
    return Manager(Domain({f"X{feature}": ("0", "1") for feature in range(features)}))


FAMILIES: dict[str, Callable[[int, int], tuple[Manager, NodeId]]] = {
    "votes": votes,
    "random": random_circuit,
}


def formulas(manager: Manager, root: NodeId) -> tuple[Formula, Formula]:
    """Return the circuit and its negation as python-sat formulas, already clauses."""
    Formula.cleanup()
    formula = fold(
        manager,
        root,
        lambda value: value,
        lambda feature, _: Atom(feature + 1),
        lambda parts: And(*parts),
        lambda parts: Or(*parts),
    )
    negated = Neg(formula)
    formula.clausify()
    negated.clausify()
    return formula, negated


class TimeOutError(Exception):
    """Primer has had its time."""


def best_time(prepare: Callable[[], Callable[[], int]], time_out: float) -> tuple[int | None, float]:
    """Return the answer and the shortest time of several runs, about a second in all; None after a time-out.

    Every run is prepared afresh, so that nothing remembered from the run before helps.
    """
    best = spent = 0.0
    answer: int | None = None
    while spent < 1:
        run = prepare()
        signal.setitimer(signal.ITIMER_REAL, time_out)
        started = time.perf_counter()
        try:
            answer = run()
        except TimeOutError:
            return None, time.perf_counter() - started
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        seconds = time.perf_counter() - started
        best, spent = min(best or seconds, seconds), spent + seconds
    return answer, best


def prepare_direct(kind: str, family: str, features: int, seed: int) -> Callable[[], int]:
    """Return the run of bnc2d on a new circuit."""
    manager, root = FAMILIES[family](features, seed)
    wanted: Any = Term if kind == "implicants" else Clause
    return lambda: len(list(direct.primes(wanted, manager, root, positions=[1] * features)))


def prepare_primer(
    kind: str, family: str, features: int, seed: int, settings: dict[str, Any]
) -> Callable[[], int]:
    """Return the run of Primer on new formulas."""
    formula, negated = formulas(*FAMILIES[family](features, seed))

    def run() -> int:
        with Primer(formula, negated=negated, implicates=kind == "implicates", **settings) as primer:
            return len(list(primer.enumerate()))

    return run


def measure(kind: str, family: str, features: int, seed: int, time_out: float) -> tuple[str, float]:
    """Return a line of the table and the ratio."""
    case = (kind, family, features, seed)
    count, seconds = best_time(partial(prepare_direct, *case), 0)
    times, marks = [], []
    for settings in SETTINGS:
        answer, spent = best_time(partial(prepare_primer, *case, settings), time_out)
        assert answer in (count, None), f"{case}: bnc2d lists {count} primes, Primer {answer}"
        times.append(spent)
        marks.append(">" if answer is None else " ")
    fastest = min(times)
    ratio = fastest / seconds
    ours, *theirs = (f"{1000 * time:.2f}" for time in (seconds, *times))
    shown = [f"{mark + value:>12}" for mark, value in zip(marks, theirs, strict=True)]
    shown.append(f"{marks[times.index(fastest)]}{ratio:.1f}".rjust(8))
    nodes = node_count(*FAMILIES[family](features, seed))
    return f"{kind:<10} {family:<7} {features:>3} {nodes:>6} {count:>7} {ours:>10} {' '.join(shown)}", ratio


def _raise_time_out(*_: object) -> None:
    raise TimeOutError


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--time-out", type=float, default=30, help="seconds for one run of Primer")
    options = parser.parse_args()
    print(
        f"{'primes':<10} {'circuit':<7} {'n':>3} {'nodes':>6} {'count':>7} {'bnc2d ms':>10} "
        f"{'sorted ms':>12} {'pure SAT ms':>12} {'ratio':>8}"
    )
    signal.signal(signal.SIGALRM, _raise_time_out)
    ratios = []
    for case in CASES:
        line, ratio = measure(*case, options.time_out)
        ratios.append(ratio)
        print(line, flush=True)
    print(f"smallest ratio {min(ratios):.1f}, target 10")


if __name__ == "__main__":
    main()
