"""Evaluation, conditioning, negation, reasons and building beside python-nnf, on the same Boolean circuits.

    python benchmarks/circuits.py [--large]

The circuits are OR-decomposable forms of weighted threshold functions, like the class formulas of naive Bayes
classifiers; ``--large`` adds one of a million nodes, for which python-nnf needs minutes. python-nnf has no
complete reason, so it gets the same rewriting in its own terms: literals that fail become false, then
``simplify``. Building starts from arrays here and from the list of nodes there. Times are per instance
(evaluation) or per call, the least of a few. The first call on a circuit has to find its nodes, and whether
it is OR-decomposable, which later calls on it know: both times are given.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any

import nnf
import numpy as np

from bnc2d.logic.circuit.arrays import CircuitArrays
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId
from bnc2d.logic.domain import Domain
from bnc2d.logic.nnf import NNF


def threshold_circuit(features: int, most: int, seed: int) -> NNF:
    """Return a circuit for "votes of weight 1 to ``most`` exceed half", negated from a decision diagram."""
    rng = Random(seed)  # noqa: S311 - reproducible input
    weights = [rng.randint(1, most) for _ in range(features)]
    manager = Manager(Domain({f"x{i}": ("0", "1") for i in range(features)}))
    totals: list[set[int]] = [{0}]
    for weight in weights:
        totals.append(totals[-1] | {total + weight for total in totals[-1]})
    half = sum(weights) // 2
    level: dict[int, NodeId] = {total: TRUE if total <= half else FALSE for total in totals[-1]}
    for feature in reversed(range(features)):
        below = level
        level = {}
        for total in totals[feature]:
            high, low = below[total + weights[feature]], below[total]
            if high == low:
                level[total] = high
                continue
            taken = manager.add_and([manager.add_literal(feature, 2), high])
            left = manager.add_and([manager.add_literal(feature, 1), low])
            level[total] = manager.add_or([taken, left])
    return NNF(manager, level[0]).negate()


def to_python_nnf(circuit: NNF) -> Any:
    """Return the same circuit as a python-nnf object."""
    manager = circuit.manager
    made: dict[NodeId, Any] = {FALSE: nnf.false, TRUE: nnf.true}
    for node in manager.reachable(circuit.root):
        kind = manager.kind(node)
        if kind == Kind.LITERAL:
            feature, mask = manager.literal_of(node)
            made[node] = nnf.Var(manager.domain.names[feature], mask == 2)
        elif kind in (Kind.AND, Kind.OR):
            gate = nnf.And if kind == Kind.AND else nnf.Or
            made[node] = gate({made[child] for child in manager.children(node)})
    return made[circuit.root]


def python_nnf_reason(sentence: Any, model: dict[Any, bool]) -> Any:
    """Return the complete reason by rewriting literals, in python-nnf's terms."""
    made: dict[Any, Any] = {}
    for node in reversed(list(sentence.walk())):
        if isinstance(node, nnf.Var):
            made[node] = node if model[node.name] == node.true else nnf.false
    pending = [sentence]
    while pending:
        node = pending[-1]
        missing = [] if node in made else [child for child in node.children if child not in made]
        if missing:
            pending.extend(missing)
            continue
        pending.pop()
        if node not in made:
            made[node] = type(node)({made[child] for child in node.children})
    return made[sentence].simplify()


def seconds(action: Callable[[], object], repeats: int) -> float:
    """Return the least time of a few calls."""
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return min(times)


def first_seconds(circuit: CircuitArrays, domain: Domain, action: Callable[[NNF], object]) -> float:
    """Return the least time of the first call on a few copies of a circuit, each in a manager of its own."""
    times = []
    for _ in range(9):
        manager = Manager(domain)
        [root] = circuit.add_to(manager, simplify=False)
        copy = NNF(manager, root)
        times.append(seconds(lambda copy=copy: action(copy), 1))  # type: ignore[misc]
    return min(times)


def compare(circuit: NNF) -> list[tuple[str, float, float, float]]:
    """Return the tasks with our seconds, on a circuit seen first and again, and theirs."""
    theirs = to_python_nnf(circuit)
    arrays = CircuitArrays.of(circuit.manager, [circuit.root])
    repeats = 2 if circuit.node_count > 500_000 else 5
    rng = np.random.default_rng(len(circuit.domain))
    rows = rng.integers(0, 2, size=(10_000, len(circuit.domain)))
    models = [{f"x{i}": bool(bit) for i, bit in enumerate(row)} for row in rows[:20]]
    values = circuit.evaluate(rows)
    if [theirs.satisfied_by(model) for model in models] != values[:20].tolist():
        raise SystemExit("the circuits differ")
    instance = circuit.domain.decode(rows[int(np.flatnonzero(values)[0])].tolist())
    model = {name: state == "1" for name, state in instance.items()}
    half = {name: instance[name] for name in list(instance)[::2]}
    half_model = {name: model[name] for name in half}
    tasks: list[tuple[str, Callable[[NNF], object], Callable[[], object]]] = [
        ("condition", lambda ours: ours.condition(half), lambda: theirs.condition(half_model)),
        ("negate", lambda ours: ours.negate(), theirs.negate),
        (
            "complete reason",
            lambda ours: ours.complete_reason(instance),
            lambda: python_nnf_reason(theirs, model),
        ),
    ]
    found = []
    for name, ours, other in tasks:
        first = first_seconds(arrays, circuit.domain, ours)
        again = seconds(lambda ours=ours: ours(circuit), 9)  # type: ignore[misc]
        found.append((name, first, again, seconds(other, repeats)))
    build = seconds(lambda: arrays.add_to(Manager(circuit.domain), simplify=False), 5)
    found.append(("build", build, build, seconds(lambda: to_python_nnf(circuit), repeats)))
    evaluate = seconds(lambda: circuit.evaluate(rows), 3) / len(rows)
    one_by_one = seconds(lambda: [theirs.satisfied_by(one) for one in models], 1) / len(models)
    return [*found, ("evaluate", evaluate, evaluate, one_by_one)]


def main() -> None:
    """Print one line per circuit and task, with the ratio."""
    sizes = [(12, 9), (30, 9), (45, 9), (45, 20), (50, 100)]
    if "--large" in sys.argv[1:]:
        sizes.append((60, 1000))
    print(f"{'nodes':>7} {'task':<16} {'first (s)':>10} {'again (s)':>10} {'python-nnf (s)':>15}   ratios")
    for features, most in sizes:
        circuit = threshold_circuit(features, most, seed=1)
        for task, first, again, theirs in compare(circuit):
            ratios = f"{theirs / first:>8.1f} {theirs / again:>8.1f}"
            line = (
                f"{circuit.node_count:>7} {task:<16} {first:>10.3g} {again:>10.3g} {theirs:>15.3g} {ratios}"
            )
            print(line, flush=True)


if __name__ == "__main__":
    main()
