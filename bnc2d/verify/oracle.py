"""Exact decisions for single instances, by elimination on plain dictionaries.

Slow and simple on purpose: it multiplies the tables itself, in exact integers, and shares no code with the
compilers or with the inference they use, so that it can judge them. Fit for samples of instances.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import lcm
from typing import TypeAlias

from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.model.classifier import BaseClassifier

Scope: TypeAlias = tuple[str, ...]
Table: TypeAlias = dict[tuple[int, ...], int]  # over a common denominator; zero entries are left out

_ENTRIES = 256  # between two checkpoints; each may lead to many


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
    _, table, denominator = _marginal(classifier, evidence, [classifier.target])
    return {
        state: Fraction(table.get((code,), 0), denominator) for code, state in enumerate(classifier.classes)
    }


def exact_joints(classifier: BaseClassifier) -> dict[tuple[str, ...], dict[str, Fraction]]:
    """Return ``P(class, instance)`` for every class and every instance, given as states in feature order.

    Eliminates everything but the features and the target.
    """
    kept = [*classifier.features, classifier.target]
    scope, table, denominator = _marginal(classifier, {}, kept)
    states = [classifier.network.variable(name).states for name in classifier.features]
    order = [scope.index(name) for name in kept]
    entries = {tuple(codes[axis] for axis in order): entry for codes, entry in table.items()}
    return {
        tuple(names[code] for names, code in zip(states, codes, strict=True)): {
            state: Fraction(entries.get((*codes, label), 0), denominator)
            for label, state in enumerate(classifier.classes)
        }
        for codes in product(*(range(len(names)) for names in states))
    }


def _marginal(
    classifier: BaseClassifier, evidence: Mapping[str, int], keep: Sequence[str]
) -> tuple[Scope, Table, int]:
    """Return the joint of ``keep`` and the evidence: its scope, integer entries and their denominator."""
    factors, denominator = _factors(classifier, evidence)
    for name in _order(factors, set(keep)):
        users = sorted((f for f in factors if name in f[0]), key=lambda factor: len(factor[1]))
        factors = [factor for factor in factors if name not in factor[0]]
        joined = users[0]
        for factor in users[1:]:
            joined = _multiply(joined, factor)
        factors.append(_sum_out(joined, name))
    result: tuple[Scope, Table] = ((), {(): 1})
    for factor in sorted(factors, key=lambda factor: len(factor[1])):
        result = _multiply(result, factor)
    return *result, denominator


def _factors(
    classifier: BaseClassifier, evidence: Mapping[str, int]
) -> tuple[list[tuple[Scope, Table]], int]:
    factors: list[tuple[Scope, Table]] = []
    denominator = 1
    for cpt in classifier.network.cpts:
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


def _order(factors: list[tuple[Scope, Table]], keep: set[str]) -> list[str]:
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


def _multiply(left: tuple[Scope, Table], right: tuple[Scope, Table]) -> tuple[Scope, Table]:
    """Join two tables on the variables they share."""
    (left_scope, left_table), (right_scope, right_table) = left, right
    shared = [name for name in right_scope if name in left_scope]
    own = [axis for axis, name in enumerate(right_scope) if name not in left_scope]
    left_key = [left_scope.index(name) for name in shared]
    right_key = [right_scope.index(name) for name in shared]
    index: dict[tuple[int, ...], list[tuple[tuple[int, ...], int]]] = {}
    for codes, entry in checked(list(right_table.items()), _ENTRIES):
        key = tuple(codes[axis] for axis in right_key)
        index.setdefault(key, []).append((tuple(codes[axis] for axis in own), entry))
    joined: Table = {}
    for codes, entry in checked(list(left_table.items()), _ENTRIES):
        for rest, other in index.get(tuple(codes[axis] for axis in left_key), ()):
            joined[codes + rest] = entry * other
    return left_scope + tuple(right_scope[axis] for axis in own), joined


def _sum_out(factor: tuple[Scope, Table], name: str) -> tuple[Scope, Table]:
    scope, table = factor
    axis = scope.index(name)
    summed: Table = {}
    for codes, entry in checked(list(table.items()), _ENTRIES):
        key = codes[:axis] + codes[axis + 1 :]
        summed[key] = summed.get(key, 0) + entry
    return scope[:axis] + scope[axis + 1 :], summed
