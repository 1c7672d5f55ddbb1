"""Whether a decision, or any decision, depends on protected features."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.finding import Finding, decision_words
from bnc2d.base.readers.arguments import names as as_names
from bnc2d.base.readers.instances import OneInstance, encode_one
from bnc2d.base.readers.missing import MISSING
from bnc2d.base.scales import Label
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.compile.shares.distribution import AnyDistribution, ByRows, Uniform, read_distribution
from bnc2d.compile.shares.weighing import weigh
from bnc2d.errors import ClassifierError, InstanceError
from bnc2d.explain.changes.nearest import nearest
from bnc2d.explain.whole.biased import biased_diagram
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.pairs import find_pair
from bnc2d.logic.diagram.walks import instance_with, path_to, tell_apart


@dataclass(frozen=True)
class Bias(Finding):
    """Whether decisions depend on protected features; true where they do.

    ``pair`` holds two instances that differ in protected features only and are decided differently, as
    ``decisions`` says. Of all instances, or of the rows of a distribution, ``count`` have a decision that
    other states of the protected features would change; the ``share`` of them is that of the distribution.
    Both are None when one instance was asked about, and there is no count where instances weigh unequally.
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
    distribution: AnyDistribution,
    time_limit: float | None,
) -> Bias:
    """Return whether a change of protected features alone can change a decision (see ``CompiledModel``)."""
    given = as_names(protected, "protected")
    if not given:
        raise ClassifierError("the list of protected features is empty; name at least one")
    chosen = {model.domain.index(name) for name in given}
    names = tuple(model.features[feature] for feature in sorted(chosen))
    if instance is not None and distribution is not None:
        raise ClassifierError("a distribution is of all instances, so it does not go with a single one")
    weights = read_distribution(model.classifier, distribution)
    if isinstance(weights, ByRows) and (weights.rows == MISSING).any():
        row = int((weights.rows == MISSING).any(axis=1).argmax())
        raise InstanceError(
            f"row {row} of the distribution leaves features out; bias is one of complete rows"
        )
    budget = Budget(time_limit)
    with budget.limiting(), budget.phase("a pair of instances"):
        pair = _any_pair(model, chosen) if instance is None else _pair_with(model, names, instance)
    found = Bias(False, names)
    if pair is not None:
        before, after = model.predict(list(pair))
        found = Bias(True, names, pair, (before, after))
    if instance is not None:
        return found
    with budget.limiting(), budget.phase("count biased decisions"):
        biased = biased_diagram(model.diagram, chosen, len(decisions(model)))
        weighed = weigh(weights, biased, ("alike", "biased"))
    share = weighed.shares["biased"]
    total = model.instance_count if isinstance(weights, Uniform) else weighed.rows
    return replace(found, count=None if total is None else int(share * total), share=share)


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
