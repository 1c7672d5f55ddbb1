"""One classifier, one instance: its reasons by the compiled diagram, by the network itself, by definition."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import prod
from random import Random
from unittest.mock import patch

import numpy as np

from bnc2d import CPT, BayesianNetwork, Classifier, Explanation, LimitExceeded, Variable
from bnc2d.regions import hidden
from bnc2d.regions.decides import bounds_of
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.messages.passes import Effort
from bnc2d.regions.observed import ObservedBounds
from bnc2d.regions.odds import branching, grid
from bnc2d.regions.odds import few as enumeration
from bnc2d.regions.search import FEW_INSTANCES
from bnc2d.regions.tables import HiddenVariables
from bnc2d.testing import random_latent_tree, random_noisy_or, random_tan
from tests.brute_force.reasons import Truth, truth_of, variable_minimal_clauses, variable_minimal_terms
from tests.explain.diagram_oracle import DiagramOracle
from tests.explain.routes import assert_same, by_oracle, network_oracle
from tests.hard_classifiers import extreme_classifier, mixed_classifier
from tests.long.outcome import Outcome

# Enumerated by definition: so many terms, so many entries of the joint table.
_MOST_TERMS, _MOST_ENTRIES = 1 << 10, 1 << 12
# Bounds with hidden variables are right with any of these, also with none.
_EFFORTS = (
    hidden.EFFORTS,
    (),
    (),
    (Effort(1, 1),),
    (Effort(2, 64),),
    (Effort(4, 1 << 10), Effort(16, 1 << 16)),
)
# They are right whichever of these are forgotten.
_MOST_NUMBERS = (grid.MOST_NUMBERS, grid.MOST_NUMBERS, 1, 16, 64)
# And whatever is enumerated.
_MOST_WORK, _FEW_WAYS = (enumeration.MOST_WORK, 0, 0, 1000), (enumeration._FEW_WAYS, 1)


def check_routes(seed: int, outcome: Outcome) -> None:
    """Raise ``AssertionError`` with the reason where two routes disagree."""
    rng = Random(f"routes {seed}")  # noqa: S311 - reproducible test data
    kind = list(KINDS)[seed % len(KINDS)]
    classifier = KINDS[kind](seed)
    model = classifier.compile()
    instance = _instance(classifier, rng)
    fixed = [name for name in classifier.features if rng.random() < rng.choice((0.0, 0.2))]
    compiled = model.explain(instance, fixed)
    outcome.met.update([kind, *_cases(classifier, compiled)])
    truth = _truth(classifier, instance, fixed)
    if truth is not None:
        outcome.met["by definition"] += 1
        _assert_by_definition(truth, compiled)
    few = rng.choice((1 + classifier.instance_count // 50, FEW_INSTANCES))
    most = rng.choice(_MOST_NUMBERS) if classifier.instance_count < 500 else grid.MOST_NUMBERS
    efforts = rng.choice(_EFFORTS) if classifier.instance_count < 500 else hidden.EFFORTS
    work, ways = rng.choice(_MOST_WORK), rng.choice(_FEW_WAYS)
    for bounds in (ObservedBounds, HiddenBounds):
        with (
            patch.object(hidden, "EFFORTS", efforts),
            patch.object(grid, "MOST_NUMBERS", most),
            patch.object(branching, "MOST_WORK", work),
            patch.object(enumeration, "_FEW_WAYS", ways),
        ):
            try:
                oracle = network_oracle(classifier, bounds, few)
            except (HiddenVariables, LimitExceeded):
                assert bounds is ObservedBounds
                continue
            outcome.met[bounds.__name__] += 1
            found = by_oracle(classifier, oracle, instance, fixed)
            outcome.compared += assert_same(compiled, found, seed)
    by_diagram = by_oracle(classifier, DiagramOracle(model, rng.choice((1, 7, 64))), instance, fixed)
    outcome.compared += assert_same(compiled, by_diagram, seed)


def _instance(classifier: Classifier, rng: Random) -> dict[str, str]:
    """Return a random instance, more often than by chance one that a rule decides."""
    rows = np.array(
        [[rng.randrange(len(variable)) for variable in classifier.feature_variables] for _ in range(20)]
    )
    by_rule = [row for row, basis in enumerate(classifier.bases(rows)) if basis.decided_by != "posterior"]
    chosen = rng.choice(by_rule) if by_rule and rng.random() < 0.5 else 0
    states = zip(classifier.feature_variables, rows[chosen].tolist(), strict=True)
    return {variable.name: variable.states[state] for variable, state in states}


def _truth(classifier: Classifier, instance: dict[str, str], fixed: list[str]) -> Truth | None:
    terms = prod(2 ** len(variable) for variable in classifier.feature_variables)
    entries = prod(len(variable) for variable in classifier.network.variables)
    if terms > _MOST_TERMS or entries > _MOST_ENTRIES:
        return None
    return truth_of(classifier, instance, fixed)


def _assert_by_definition(truth: Truth, compiled: Explanation) -> None:
    formula = truth.inside({truth.decision})
    complete, general = truth.complete(formula), truth.general(formula)
    assert set(compiled.sufficient_reasons()) == truth.terms(truth.implicants(complete))
    assert set(compiled.necessary_reasons()) == truth.clauses(truth.implicates(complete))
    terms, clauses = truth.terms(truth.implicants(general)), truth.clauses(truth.implicates(general))
    assert set(compiled.general_sufficient_reasons()) == variable_minimal_terms(terms)
    assert set(compiled.general_necessary_reasons()) == variable_minimal_clauses(clauses)


def _cases(classifier: Classifier, compiled: Explanation) -> list[str]:
    """Return which hard cases an instance and its classifier hold."""
    sizes = [len(variable) for variable in classifier.feature_variables]
    cases = {
        "hidden in the way": isinstance(bounds_of(classifier), HiddenBounds),
        "zeros": any(not cpt.exact.all() for cpt in classifier.network.cpts),
        "impossible": not compiled.possible,
        "tie": compiled.possible and compiled.decided_by == "tie rule",
        "threshold hit": compiled.possible and compiled.decided_by == "threshold rule",
        "no class": compiled.decision is None,
        "threshold": classifier.threshold is not None,
        "many classes": len(classifier.classes) > 2,
        "many states": max(sizes) > 2,
        "single state": min(sizes) == 1,
        "many features": len(sizes) > 8,
        "fixed": bool(compiled.fixed),
        "nothing relevant": not compiled.relevant_features(),
    }
    return [case for case, holds in cases.items() if holds]


def _latent(seed: int) -> Classifier:
    """Return a tree with hidden variables between target and features."""
    rng = Random(f"latent {seed}")  # noqa: S311 - reproducible test data
    states, classes = rng.choice(((2, 2), (2, 3), (3, 2)))
    network = random_latent_tree(
        seed, rng.choice((4, 5, 6, 7, 8, 11) if states == 2 else (3, 4, 5, 6)), states, classes
    )
    return _decided(network, [name for name in network.names if name.startswith("X")], rng)


def _noisy_or(seed: int) -> Classifier:
    """Return a diagnosis network with hidden diseases; some are too large to sum them out."""
    rng = Random(f"noisy or {seed}")  # noqa: S311 - reproducible test data
    features = rng.choice((5, 5, 6, 6, 7, 7, 8, 8, 9, 10, 17))
    network = random_noisy_or(seed, features, diseases=rng.randint(3, 5))
    return _decided(network, [name for name in network.names if name.startswith("X")], rng)


def _observed(seed: int) -> Classifier:
    """Return a TAN, or naive Bayes of coarse entries: ties, zeros, states that make no difference."""
    rng = Random(f"observed {seed}")  # noqa: S311 - reproducible test data
    if rng.random() < 0.4:
        states, classes = rng.choice(((2, 2), (2, 4), (3, 3), (4, 2)))
        network = random_tan(seed, rng.randint(3, {2: 10, 3: 6, 4: 5}[states]), states, classes)
        return _decided(network, [name for name in network.names if name != "Y"], rng)
    target = Variable("Y", tuple("abcd"[: rng.choice((2, 2, 3, 4))]))
    whole = rng.choice((4, 6, 10, 100))
    cpts = [CPT(target, (), [Fraction(1, len(target))] * len(target))]
    for number in range(rng.choice((3, 4, 5, 6, 7, 8, 9, 11))):
        child = Variable(f"X{number}", tuple("pqrs"[: rng.choice((1, 2, 2, 2, 3, 4)) if number < 6 else 2]))
        entries = []
        for _ in target.states:
            cuts = sorted(rng.randrange(whole + 1) for _ in child.states[1:])
            entries += [Fraction(b - a, whole) for a, b in zip([0, *cuts], [*cuts, whole], strict=True)]
        cpts.append(CPT(child, (target,), entries))
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    return _decided(network, [cpt.child.name for cpt in cpts[1:]], rng)


def _apart(seed: int) -> Classifier:
    """Return a classifier none of whose features has to do with the target, but for their zeros."""
    rng = Random(f"apart {seed}")  # noqa: S311 - reproducible test data
    tan = random_tan(seed, rng.randint(1, 5), rng.choice((1, 2, 3)), rng.choice((2, 3)))
    target = Variable("T", ("a", "b"))
    chance = Fraction(rng.choice((1, 2, 3)), 4)
    network = BayesianNetwork([*tan.variables, target], [*tan.cpts, CPT(target, (), [chance, 1 - chance])])
    features = [name for name in tan.names if rng.random() < 0.8] or ["Y"]
    return _decided(network, features, rng, "T")


def _decided(network: BayesianNetwork, features: list[str], rng: Random, target: str = "Y") -> Classifier:
    """Return a classifier by some rule; half of the thresholds are hit by an instance."""
    rng.shuffle(features)
    plain = Classifier(network, target, features, ties=rng.choice(("lowest", "none")))
    if len(plain.classes) > 2 or rng.random() < 0.6:
        return plain
    threshold = Fraction(rng.randint(1, 19), 20)
    row = {variable.name: rng.choice(variable.states) for variable in plain.feature_variables}
    hit = plain.posterior(row)[plain.classes[1]]
    return Classifier(network, target, features, hit if 0 < hit < 1 and rng.random() < 0.5 else threshold)


KINDS: dict[str, Callable[[int], Classifier]] = {
    "mixed": mixed_classifier,
    "latent tree": _latent,
    "extreme": extreme_classifier,
    "observed": _observed,
    "noisy or": _noisy_or,
    "mixed again": lambda seed: mixed_classifier(10**6 + seed, 150),
    "extreme again": lambda seed: extreme_classifier(10**6 + seed),
    "apart": _apart,
}
