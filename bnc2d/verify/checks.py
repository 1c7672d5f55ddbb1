"""Independent checks of a compiled model: structure, SAT, SDD, a second compiler, exact inference."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from graphlib import TopologicalSorter
from itertools import combinations
from time import monotonic
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.budget import Budget, default_memory, reporting
from bnc2d.base.readers.arguments import count, flag, seconds, size_in_bytes
from bnc2d.base.readers.choices import Method
from bnc2d.base.readers.instances import all_rows, of_positions
from bnc2d.compile.compiler import compile_classifier
from bnc2d.compile.model import BaseCompiledModel
from bnc2d.compile.result import feature_domain
from bnc2d.errors import LimitExceeded
from bnc2d.logic.convert import sat, sdd
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import BaseClassifier
from bnc2d.verify.constraint import Outcome, allowed_counts, implications
from bnc2d.verify.oracle import decide, exact_joint, exact_joints
from bnc2d.verify.report import Check, Report

# Told the name of the check to come, how many are done, and how many there are.
CheckProgress = Callable[[str, int, int], object]

# Up to this many instances the oracle asks all of them.
MAX_ALL_INSTANCES = 1 << 16
_MOST_SAMPLES = 10**6
_DRAWN = 20  # instances for each that is asked


def verify_model(
    model: BaseCompiledModel,
    *,
    time_limit: float | None = 60.0,
    samples: int = 200,
    seed: int = 0,
    second_method: bool = True,
    progress: CheckProgress | bool | None = None,
    memory_limit: int | None = None,
) -> Report:
    """Check a model by independent means, each within ``time_limit`` (seconds, or None) and ``memory_limit``.

    The latter is how many bytes the process may grow by, and the one that makes SDDs may have (default: 4 GiB
    or half of the machine's memory). Of a model under a constraint, the model without it is checked, and then
    what the constraint makes of it.

    A check that reaches a limit is not finished, except the oracle, which then asks a seeded sample of
    ``samples`` instances, half of them the possible ones nearest to a tie among many drawn. ``progress``
    takes three arguments, unlike that of ``compile``: before each check its name, how many are done, and how
    many there are; what it raises ends the verification. True shows a bar on standard error.
    """
    time_limit = seconds(time_limit)
    samples = count(samples, "samples", least=1, most=_MOST_SAMPLES)
    seed = count(seed, "seed")
    memory = default_memory() if memory_limit is None else size_in_bytes(memory_limit, "memory_limit")
    under, model = model, model.unconstrained
    constraint = under.constraint
    checks: list[tuple[str, Callable[[Budget], Outcome]]] = [
        ("structure", lambda _: _structure(model)),
        ("sat: disjoint", lambda _: _disjoint(model)),
        ("sat: exhaustive", lambda _: _exhaustive(model)),
        ("sat: complements", lambda _: _complements(model)),
        ("sdd: equal", lambda budget: _sdd_equal(model, budget)),
        ("sdd: counts", lambda budget: _sdd_counts(model, budget)),
        ("oracle", lambda budget: _oracle(model, budget, samples, seed)),
    ]
    if flag(second_method, "second_method"):
        checks.insert(4, ("second method", lambda budget: _second_method(model, budget)))
    if constraint is not None:
        checks.append(("constraint: implied", lambda _: implications(under, constraint)))
        checks.append(("constraint: counts", lambda budget: allowed_counts(under, constraint, budget)))
    found: list[Check] = []
    with _told(progress) as report:
        for name, check in checks:
            report(name, len(found), len(checks))
            found.append(_run(name, check, Budget(time_limit, memory)))
    return Report(tuple(found))


@contextmanager
def _told(progress: CheckProgress | bool | None) -> Iterator[CheckProgress]:
    """Give the callback of three arguments that ``progress`` stands for."""
    if callable(progress):
        yield progress
        return
    with reporting(progress) as report:
        yield lambda name, done, total: None if report is None else report(name, done / total)


def _run(name: str, check: Callable[[Budget], Outcome], budget: Budget) -> Check:
    started = monotonic()
    try:
        with budget.limiting("no result"):
            passed, detail, witness = check(budget)
    except LimitExceeded as error:
        return Check(name, False, monotonic() - started, f"not finished: {error}", finished=False)
    return Check(name, passed, monotonic() - started, detail, witness)


def _formulas(model: BaseCompiledModel) -> Iterator[tuple[str, NNF, NNF]]:
    for name in model.classes:
        yield name, model.formula(name), model.formula(name, negated=True)


def _structure(model: BaseCompiledModel) -> Outcome:
    nodes = 0
    for name, formula, negated in _formulas(model):
        for circuit, which in ((formula, name), (negated, f"not {name}")):
            nodes += circuit.node_count
            if not circuit.is_or_decomposable():
                return False, f"the formula of {which} is not OR-decomposable", None
    model.manager.assert_consistent()
    return True, f"{2 * len(model.classes)} formulas, {nodes} nodes, all OR-decomposable", None


def _disjoint(model: BaseCompiledModel) -> Outcome:
    for first, second in combinations(model.classes, 2):
        answer = model.formula(first).disjoint(model.formula(second))
        if not answer:
            return False, f"an instance is in class {first} and in class {second}", answer.witness
    return True, f"{len(model.classes)} classes, pairwise", None


def _exhaustive(model: BaseCompiledModel) -> Outcome:
    if model.classifier.rule.leaves_ties:
        return True, "does not apply: tied instances are in no class", None
    roots = [model.formula(name).root for name in model.classes]
    answer = sat.exhaustive(model.manager, roots)
    detail = "every instance has a class" if answer else "an instance has no class"
    return bool(answer), detail, answer.witness


def _complements(model: BaseCompiledModel) -> Outcome:
    for name, formula, negated in _formulas(model):
        answer = formula.equivalent(negated.negate())
        if not answer:
            return False, f"class {name} and 'not {name}' are no complements", answer.witness
    return True, f"{len(model.classes)} pairs", None


def _second_method(model: BaseCompiledModel, budget: Budget) -> Outcome:
    """Compile again by a method that shares as little as possible with the model's own."""
    method: Method = "fast" if model.stats.method == "paper" else "paper"
    other = compile_classifier(model.classifier, method=method, memory_limit=budget.memory)
    for name in model.classes:
        answer = model.formula(name).equivalent(other.formula(name))
        if not answer:
            return False, f"the method {method!r} disagrees on class {name}", answer.witness
    return True, f"the method {method!r} agrees on {len(model.classes)} classes", None


def _sdd_equal(model: BaseCompiledModel, budget: Budget) -> Outcome:
    size = 0
    for name, formula, negated in _formulas(model):
        memory = budget.memory
        form = formula.to_sdd(time_limit=budget.left(), memory_limit=memory)
        complement = negated.negate()
        circuit, left = (complement.manager, complement.root), budget.left()
        other = sdd.to_sdd(*circuit, like=form, time_limit=left, memory_limit=memory)
        size += form.size
        if not form.equivalent(other):
            witness = formula.equivalent(complement).witness
            return False, f"class {name}: the SDDs of the formula and its double negation differ", witness
    return True, f"{len(model.classes)} SDDs, size {size}", None


def _sdd_counts(model: BaseCompiledModel, budget: Budget) -> Outcome:
    total = 0
    for name in model.classes:
        form = model.formula(name).to_sdd(time_limit=budget.left(), memory_limit=budget.memory)
        count = form.count()
        if count != model.count(name):
            return False, f"class {name}: the SDD has {count} models, the diagram {model.count(name)}", None
        total += count
    instances = model.domain.instance_count
    if total != instances and not model.classifier.rule.leaves_ties:
        return False, f"the classes have {total} of {instances} instances", None
    return True, f"{total} of {instances} instances", None


class Asked(NamedTuple):
    """Instances that the oracle was asked about, as rows, what it said, and which they are in words."""

    rows: Rows
    expected: list[str | None]
    which: str
    is_all: bool


def ask_oracle(classifier: BaseClassifier, budget: Budget, samples: int, seed: int) -> Asked:
    """Return the exact decisions on all instances, or on a sample where these are many or take too long."""
    if classifier.instance_count <= MAX_ALL_INSTANCES:
        with suppress(LimitExceeded), budget.share(0.5).limiting("not all instances are asked"):
            joints = exact_joints(classifier)
            rows = np.concatenate(list(all_rows(classifier.feature_variables)))
            expected = [decide(classifier, joint) for joint in joints.values()]
            return Asked(rows, expected, f"all {len(rows)} instances", is_all=True)
    rows = _sample(classifier, samples, seed)
    domain = feature_domain(classifier)
    expected = []
    with suppress(LimitExceeded), budget.share(0.8).limiting("not all of the sample is asked"):
        for row in rows:
            expected.append(decide(classifier, exact_joint(classifier, domain.decode(row.tolist()))))
    asked = len(expected)
    if not asked:
        raise LimitExceeded("no instance was asked")
    which = f"{asked} instances, the nearest to a tie among them"
    return Asked(rows[:asked], expected, which, is_all=False)


def disagreeing(
    model: BaseCompiledModel, rows: Rows, expected: list[str | None], formulas: bool = True
) -> NDArray[np.intp]:
    """Return the rows on which the decision of a model, or one of its formulas, is not as expected."""
    answers = np.array(expected, dtype=object)
    wrong = np.array([*model.classes, None], dtype=object)[model.diagram.labels(rows)] != answers
    for name, formula, negated in _formulas(model) if formulas else ():
        truth = answers == name
        wrong |= (formula.evaluate(rows) != truth) | (negated.evaluate(rows) == truth)
    return np.flatnonzero(wrong)


def _oracle(model: BaseCompiledModel, budget: Budget, samples: int, seed: int) -> Outcome:
    rows, expected, which, _ = ask_oracle(model.classifier, budget, samples, seed)
    wrong = disagreeing(model, rows, expected)
    if not len(wrong):
        return True, which, None
    first = int(wrong[0])
    return False, f"the oracle says {expected[first]}", model.domain.decode(rows[first].tolist())


def _sample(classifier: BaseClassifier, count: int, seed: int) -> Rows:
    """Return rows of states: half of them the closest calls among many possible instances that were drawn.

    Half of all are drawn from the network itself: where tables have zeros, an arbitrary instance is hardly
    ever possible.
    """
    rng = np.random.default_rng(seed)
    half = _DRAWN * count // 2
    sizes = [len(variable) for variable in classifier.feature_variables]
    likely = _likely(classifier, rng, half)
    arbitrary = rng.integers(0, sizes, size=(half, len(sizes)))
    drawn = np.concatenate([likely, arbitrary])
    posteriors = classifier.posterior(of_positions(drawn))
    if classifier.threshold is None:
        ranked = np.sort(posteriors, axis=1)
        margins = ranked[:, -1] - (ranked[:, -2] if ranked.shape[1] > 1 else 0)
    else:
        positive = classifier.classes.index(str(classifier.positive))
        margins = np.abs(posteriors[:, positive] - float(classifier.threshold))
    margins[~posteriors.any(axis=1)] = np.inf
    nearest = drawn[np.argsort(margins, kind="stable")[: count // 2]]
    left = count - len(nearest)
    return np.concatenate([nearest, likely[: left // 2], arbitrary[: left - left // 2]])


def _likely(classifier: BaseClassifier, rng: np.random.Generator, count: int) -> Rows:
    """Return instances drawn from the network, parents before children."""
    network = classifier.network
    states: dict[str, NDArray[np.intp]] = {}
    for name in TopologicalSorter({name: network.parents(name) for name in network.names}).static_order():
        columns = network.cpt(name).values[tuple(states[parent] for parent in network.parents(name))]
        upto = np.cumsum(np.broadcast_to(columns, (count, columns.shape[-1])), axis=1)
        chosen = (upto <= rng.random((count, 1)) * upto[:, -1:]).sum(axis=1)
        states[name] = np.minimum(chosen, columns.shape[-1] - 1)
    return np.stack([states[name] for name in classifier.features], axis=1)
