"""Whether a decision, or any decision, depends on protected features."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.base.finding import Finding, decision_words
from bnc2d.base.readers.arguments import names as as_names
from bnc2d.base.readers.instances import OneInstance, encode_one
from bnc2d.base.scales import Label
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.errors import ClassifierError, LimitExceeded
from bnc2d.explain.changes.nearest import nearest
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.pairs import find_pair
from bnc2d.logic.diagram.walks import instance_with, path_to, tell_apart

# Sets of nodes at one level.
MAX_SETS = 2**22


@dataclass(frozen=True)
class Bias(Finding):
    """Whether decisions depend on protected features; true where they do.

    ``pair`` holds two instances that differ in protected features only and are decided differently, as
    ``decisions`` says. Of all instances, ``count`` have a decision that other states of the protected
    features would change, which is the ``share`` of them; both are None when one instance was asked about.
    """

    biased: bool
    protected: tuple[str, ...]
    pair: tuple[dict[str, str], dict[str, str]] | None = None
    decisions: tuple[Label | None, Label | None] | None = None
    count: int | None = None
    share: Fraction | None = None

    @property
    def holds(self) -> bool:
        """Whether decisions depend on the protected features."""
        return self.biased

    @property
    def witness(self) -> tuple[dict[str, str], dict[str, str]] | None:
        """The pair."""
        return self.pair

    def __str__(self) -> str:
        names = ", ".join(self.protected)
        if self.pair is None or self.decisions is None:
            return f"no change of {names} alone changes the decision"
        one, other = self.pair
        changes = [f"{name}: {one[name]} → {other[name]}" for name in one if one[name] != other[name]]
        before, after = map(decision_words, self.decisions)
        return f"{', '.join(changes)} alone changes the decision from {before} to {after}"


def is_biased(
    model: BaseCompiledModel,
    protected: str | Iterable[str],
    instance: OneInstance | None,
    time_limit: float | None,
) -> Bias:
    """Return whether a change of protected features alone can change a decision (see ``CompiledModel``)."""
    given = as_names(protected, "protected")
    if not given:
        raise ClassifierError("the list of protected features is empty; name at least one")
    chosen = {model.domain.index(name) for name in given}
    names = tuple(model.features[feature] for feature in sorted(chosen))
    budget = Budget(time_limit)
    with budget.limiting(), budget.phase("a pair of instances"):
        pair = _any_pair(model, chosen) if instance is None else _pair_with(model, names, instance)
    found = Bias(False, names)
    if pair is not None:
        before, after = model.predict(list(pair))
        found = Bias(True, names, pair, (before, after))
    if instance is not None:
        return found
    count, total = 0, model.instance_count
    if pair is not None:
        with budget.limiting(), budget.phase("count biased decisions"):
            if model.constraint is None:
                count = _count(model.diagram, chosen, total)
            else:
                count = _count_allowed(model.diagram, chosen, len(decisions(model)))
    return replace(found, count=count, share=Fraction(count, total))


def _pair_with(
    model: BaseCompiledModel, protected: tuple[str, ...], instance: OneInstance
) -> tuple[dict[str, str], dict[str, str]] | None:
    """Return the instance and the nearest one decided otherwise that differs in protected features only."""
    found = nearest(model, instance, None, [name for name in model.features if name not in protected])
    if found.instance is None:
        return None
    return model.domain.decode(encode_one(model.classifier.feature_variables, instance)), found.instance


def _any_pair(model: BaseCompiledModel, protected: set[int]) -> tuple[dict[str, str], dict[str, str]] | None:
    """Return two instances that differ in one protected feature and are decided differently.

    The diagram is reduced: a feature matters exactly where it has a node, and a node has two different edges.
    """
    diagram = model.diagram
    if model.constraint is not None:
        return _allowed_pair(diagram, protected, len(decisions(model)))
    for feature, level, first in diagram.walk:
        if feature in protected:
            edges = level[0].tolist()
            state = next(state for state, child in enumerate(edges) if child != edges[0])
            other = path_to(diagram, first) | tell_apart(diagram, edges[0], edges[state])
            return instance_with(diagram, other), instance_with(diagram, {**other, feature: state})
    return None


def _allowed_pair(
    diagram: Diagram, protected: set[int], labels: int
) -> tuple[dict[str, str], dict[str, str]] | None:
    """Return two allowed instances that differ in protected features only and are decided differently.

    They may differ in several: what lies between them need not be allowed.
    """
    wanted = np.zeros((diagram.terminals, diagram.terminals), dtype=bool)
    wanted[:labels, :labels] = ~np.eye(labels, dtype=bool)
    sizes = diagram.domain.cardinalities
    steps = {f: np.array(list(product(range(sizes[f]), repeat=2))) for f in sorted(protected)}
    found = find_pair(diagram, steps, wanted)
    if found is None:
        return None
    one, other = found
    return instance_with(diagram, one), instance_with(diagram, other)


def _count_allowed(diagram: Diagram, protected: set[int], labels: int) -> int:
    """Return how many allowed instances have a decision that depends on the protected features.

    As in ``_count``, but of each node it is known how many states of the protected features lead there, since
    not all that have the same other features are allowed.
    """
    sizes = diagram.domain.cardinalities
    decided = {level.feature for level in diagram.walk}
    idle = [f for f in range(len(sizes)) if f not in decided]
    ways = prod(sizes[f] for f in idle if f in protected)
    weight = prod(sizes[f] for f in idle if f not in protected)
    reached = _reached(diagram, labels)
    sets: dict[frozenset[tuple[int, int]], int] = {frozenset([(diagram.root, ways)]): weight}
    for feature, level, first in diagram.walk:
        checkpoint()
        rows, states = level.tolist(), range(level.shape[1])
        following: dict[frozenset[tuple[int, int]], int] = {}
        for nodes, weight in checked(list(sets.items()), 64):
            for chosen in [states] if feature in protected else [range(s, s + 1) for s in states]:
                after: Counter[int] = Counter()
                for node, count in nodes:
                    for state in chosen:
                        after[rows[node - first][state] if node >= first else node] += count
                if len(set().union(*(reached[node] for node in after))) > 1:
                    key = frozenset(after.items())
                    following[key] = following.get(key, 0) + weight
        if len(following) > MAX_SETS:
            raise LimitExceeded(f"more than {MAX_SETS} sets of diagram nodes to look at")
        sets = following
    return sum(
        weight * sum(count for node, count in nodes if node < labels) for nodes, weight in sets.items()
    )


def _reached(diagram: Diagram, labels: int) -> list[frozenset[int]]:
    """Return for each node which labels that count are reached from it."""
    reached = [frozenset([label] if label < labels else []) for label in range(diagram.terminals)]
    for level in reversed(diagram.walk):
        checkpoint()
        reached += [frozenset().union(*(reached[child] for child in row)) for row in level.table.tolist()]
    return reached


def _count(diagram: Diagram, protected: set[int], instances: int) -> int:
    """Return how many instances have a decision that depends on the protected features.

    Goes down the levels with the sets of nodes that all states of the protected features lead to, each with
    the number of instances that have it. A set with two labels is counted; a single node that no protected
    feature is below is dropped.
    """
    terminals = diagram.terminals
    below = _depends(diagram, protected)
    sets: dict[frozenset[int], int] = {frozenset([diagram.root]): instances}
    count = 0
    for feature, level, first in diagram.walk:
        checkpoint()
        rows = level.tolist()
        states = level.shape[1]
        following: dict[frozenset[int], int] = {}
        for nodes, weight in checked(list(sets.items()), 64):
            if max(nodes) < first:
                reached = [nodes]
            elif feature in protected:
                reached = [frozenset().union(*(rows[n - first] if n >= first else (n,) for n in nodes))]
            else:
                reached = [
                    frozenset(rows[n - first][state] if n >= first else n for n in nodes)
                    for state in range(states)
                ]
                weight //= states
            for after in reached:
                if sum(node < terminals for node in after) > 1:
                    count += weight
                elif len(after) > 1 or below[next(iter(after))]:
                    following[after] = following.get(after, 0) + weight
        if len(following) > MAX_SETS:
            raise LimitExceeded(f"more than {MAX_SETS} sets of diagram nodes to look at")
        sets = following
    return count


def _depends(diagram: Diagram, protected: set[int]) -> NDArray[np.bool_]:
    """Return for each node whether a protected feature is decided at it or below."""
    found = np.zeros(diagram.size, dtype=bool)
    for level in reversed(diagram.walk):
        checkpoint()
        found[level.nodes] = True if level.feature in protected else found[level.table].any(axis=1)
    return found
