"""Exact decisions for single instances, by elimination on plain dictionaries.

Slow and simple on purpose: it multiplies the tables itself, in exact integers, and shares no code with the
compilers or with the inference they use, so that it can judge them. Fit for samples of instances.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import chain, product
from math import lcm
from typing import TypeAlias

from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.network import BayesianNetwork

Scope: TypeAlias = tuple[str, ...]
Codes: TypeAlias = tuple[int, ...]
Table: TypeAlias = dict[Codes, int]  # over a common denominator; zero entries are left out
Factor: TypeAlias = tuple[Scope, Table]

_ENTRIES = 256  # between two checkpoints


def decide(classifier: BaseClassifier, joint: dict[str, Fraction]) -> str | None:
    """Return the class by the words of the documentation, from exact joint probabilities."""
    if classifier.threshold is not None:
        positive = classifier.positive
        (other,) = [name for name in classifier.classes if name != positive]
        total = sum(joint.values())
        posterior = joint[str(positive)] / total if total else Fraction(0)
        return positive if posterior > classifier.threshold else other
    best = max(joint.values())
    tied = [name for name in classifier.classes if joint[name] == best]
    return tied[0] if len(tied) == 1 or classifier.ties == "lowest" else None


def exact_joint(classifier: BaseClassifier, instance: Mapping[str, str]) -> dict[str, Fraction]:
    """Return ``P(class, instance)`` for every class."""
    network = classifier.network
    evidence = {name: network.variable(name).states.index(state) for name, state in instance.items()}
    table, denominator = _marginal(classifier, evidence, [classifier.target])
    labelled = enumerate(classifier.classes)
    return {state: Fraction(table.get((label,), 0), denominator) for label, state in labelled}


def exact_joints(classifier: BaseClassifier) -> dict[tuple[str, ...], dict[str, Fraction]]:
    """Return ``P(class, instance)`` for every class and every instance, given as states in feature order.

    Eliminates everything but the features and the target.
    """
    table, denominator = _marginal(classifier, {}, [*classifier.features, classifier.target])
    features = classifier.feature_variables
    joints: dict[tuple[str, ...], dict[str, Fraction]] = {}
    for codes in checked(list(product(*(range(len(variable)) for variable in features))), _ENTRIES):
        states = tuple(variable.states[code] for variable, code in zip(features, codes, strict=True))
        labelled = enumerate(classifier.classes)
        joints[states] = {state: Fraction(table.get((*codes, at), 0), denominator) for at, state in labelled}
    return joints


def _marginal(
    classifier: BaseClassifier, evidence: Mapping[str, int], keep: Sequence[str]
) -> tuple[Table, int]:
    """Return the joint of ``keep`` and the evidence, as integers, and their denominator."""
    network = classifier.network
    factors, denominator = _factors(network, evidence, _ancestry(network, keep, evidence))
    for name in _order(factors, set(keep)):
        users = [factor for factor in factors if name in factor[0]]
        factors = [factor for factor in factors if name not in factor[0]]
        factors.append(_product(users, name))
    scope, table = _product(factors)
    axes = [scope.index(name) for name in keep]
    return {tuple(codes[axis] for axis in axes): entry for codes, entry in table.items()}, denominator


def _ancestry(network: BayesianNetwork, *names: Iterable[str]) -> set[str]:
    """Return the variables with all that are above them; the others sum to 1 (Shachter 1986)."""
    found: set[str] = set()
    waiting = list(chain(*names))
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += network.parents(name)
    return found


def _factors(
    network: BayesianNetwork, evidence: Mapping[str, int], wanted: set[str]
) -> tuple[list[Factor], int]:
    factors: list[Factor] = []
    denominator = 1
    for cpt in network.cpts:
        if cpt.child.name not in wanted:
            continue
        names = [variable.name for variable in cpt.scope]
        sizes = [range(len(variable)) for variable in cpt.scope]
        entries: list[Fraction] = cpt.exact.reshape(-1).tolist()
        scale = lcm(*(entry.denominator for entry in entries))
        denominator *= scale
        table: Table = {}
        for codes, entry in zip(product(*sizes), checked(entries, _ENTRIES), strict=True):
            agrees = all(evidence.get(name, code) == code for name, code in zip(names, codes, strict=True))
            if entry and agrees:
                free = tuple(code for name, code in zip(names, codes, strict=True) if name not in evidence)
                table[free] = entry.numerator * (scale // entry.denominator)
        factors.append((tuple(name for name in names if name not in evidence), table))
    return factors, denominator


def _order(factors: list[Factor], keep: set[str]) -> list[str]:
    """Return the variables to eliminate, each time one that joins fewest variables not yet joined."""
    near: dict[str, set[str]] = {}
    for scope, _ in factors:
        for name in scope:
            near.setdefault(name, set()).update(scope)
    order = []
    left = near.keys() - keep
    while left:
        checkpoint()
        name = min(sorted(left), key=lambda n: (sum(len(near[n] - near[m]) for m in near[n]), len(near[n])))
        joined = near.pop(name) - {name}
        for other in joined:
            near[other] = (near[other] | joined) - {name}
        left.discard(name)
        order.append(name)
    return order


def _product(factors: Iterable[Factor], gone: str | None = None) -> Factor:
    """Multiply the factors, small ones first, and sum out a variable."""
    *others, last = sorted(factors, key=lambda factor: len(factor[1]))
    product_of_others: Factor = ((), {(): 1})
    for factor in others:
        product_of_others = _multiply(product_of_others, factor)
    return _multiply(product_of_others, last, gone)


def _multiply(left: Factor, right: Factor, gone: str | None = None) -> Factor:
    """Join two tables on the variables they share; a variable is summed out on the way."""
    (left_scope, left_table), (right_scope, right_table) = left, right
    shared = [name for name in right_scope if name in left_scope]
    own = [axis for axis, name in enumerate(right_scope) if name not in left_scope]
    left_key = [left_scope.index(name) for name in shared]
    right_key = [right_scope.index(name) for name in shared]
    index: dict[Codes, list[tuple[Codes, int]]] = {}
    for codes, entry in checked(list(right_table.items()), _ENTRIES):
        key = tuple(codes[axis] for axis in right_key)
        index.setdefault(key, []).append((tuple(codes[axis] for axis in own), entry))
    scope = left_scope + tuple(right_scope[axis] for axis in own)
    kept = [axis for axis, name in enumerate(scope) if name != gone]
    table: Table = {}
    for number, (codes, entry) in enumerate(_joined(left_table, left_key, index)):
        if number % _ENTRIES == 0:
            checkpoint()
        key = codes if gone is None else tuple(codes[axis] for axis in kept)
        table[key] = table.get(key, 0) + entry
    return tuple(scope[axis] for axis in kept), table


def _joined(
    table: Table, key: list[int], index: Mapping[Codes, list[tuple[Codes, int]]]
) -> Iterator[tuple[Codes, int]]:
    """Yield the entries of a table times those of the other with the same states of what they share."""
    for codes, entry in checked(list(table.items()), _ENTRIES):
        for rest, other in index.get(tuple(codes[axis] for axis in key), ()):
            yield codes + rest, entry * other
