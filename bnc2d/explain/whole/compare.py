"""Whether two classifiers over the same features are the same, and what is decided differently.

Both decision diagrams are brought into one order of features and one numbering of nodes, so that equal
functions are equal nodes. Then they are the same where the roots are; otherwise a walk through pairs of
different nodes counts what is decided differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.finding import Finding, decision_words, instance_words
from bnc2d.base.readers.arguments import shown
from bnc2d.base.scales import Label
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.errors import ClassifierError, LimitExceeded, did_you_mean
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder
from bnc2d.logic.diagram.sifting import Sifter
from bnc2d.logic.diagram.walks import instance_with, label_pairs, tell_apart

# Nodes of a diagram while its features are put into the other's order.
MAX_NODES = 2**22


@dataclass(frozen=True)
class Equivalence(Finding):
    """Whether two classifiers decide every instance alike; true where they do.

    Otherwise ``decisions`` are those of the first and the second for the instance ``witness``.
    """

    holds: bool
    witness: dict[str, str] | None = None
    decisions: tuple[Label | None, Label | None] | None = None

    def __str__(self) -> str:
        if self.witness is None or self.decisions is None:
            return "both decide every instance alike"
        first, second = map(decision_words, self.decisions)
        return f"{instance_words(self.witness)} is {first} for the first and {second} for the second"


@dataclass(frozen=True)
class Comparison(Finding):
    """How two classifiers differ, in exact numbers; true where they differ nowhere.

    ``table[before, after]`` is the number of instances that the first puts in class ``before`` and the second
    in ``after`` (None: in no class), for all pairs that occur; ``witnesses`` has an instance for each of
    them that is a change. ``count`` instances are decided differently, a ``share`` of all.
    ``only_first`` and ``only_second`` are the features that matter in one classifier and not in the other.
    """

    table: dict[tuple[str | None, str | None], int]
    witnesses: dict[tuple[str | None, str | None], dict[str, str]]
    count: int
    share: Fraction
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether both decide every instance alike."""
        return self.count == 0

    @property
    def witness(self) -> dict[str, str] | None:
        """An instance that is decided differently."""
        return next(iter(self.witnesses.values()), None)

    def __str__(self) -> str:
        lines = [f"{self.count} instances decided differently ({float(self.share):.4%})"]
        for (before, after), count in self.table.items():
            if before != after:
                lines.append(f"  {decision_words(before)} → {decision_words(after)}: {count}")
        for which, names in (("first", self.only_first), ("second", self.only_second)):
            if names:
                lines.append(f"  matters only in the {which}: {', '.join(names)}")
        return "\n".join(lines)


def equivalent(
    one: BaseCompiledModel, other: BaseCompiledModel, *, time_limit: float | None = None
) -> Equivalence:
    """Return whether both models decide every instance alike, with an instance where they do not.

    They must have the same features with the same states, and the same classes; the order of all these, the
    networks and the rules may differ. Under constraints, only instances that both models allow count. Past
    the time limit (seconds), or where the diagrams outgrow ``MAX_NODES`` in a common order, it raises
    ``LimitExceeded``.
    """
    budget = Budget(time_limit)
    diagram, roots = common_diagram(one, other, budget)
    if roots[0] == roots[1]:
        return Equivalence(True)
    if one.constraint is None and other.constraint is None:
        witness = instance_with(diagram, tell_apart(diagram, *roots))
    else:
        with budget.limiting(), budget.phase("pairs of nodes"):
            pairs = label_pairs(diagram, np.array([roots]), [one.domain.instance_count])
        inside = [pair for labels, pair in sorted(pairs.items()) if max(labels) <= len(one.classes)]
        if not inside:
            return Equivalence(True)
        witness = instance_with(diagram, inside[0].assignment)
    return Equivalence(False, witness, (one.predict(witness), other.predict(witness)))


def compare(
    one: BaseCompiledModel, other: BaseCompiledModel, *, time_limit: float | None = None
) -> Comparison:
    """Return how many instances the models decide differently, from which class to which; see ``equivalent``.

    Shares are of the instances that both allow. The walk through pairs of nodes is quadratic in the size of
    the diagrams in the worst case.
    """
    budget = Budget(time_limit)
    diagram, roots = common_diagram(one, other, budget)
    with budget.limiting(), budget.phase("pairs of nodes"):
        found = label_pairs(diagram, np.array([roots]), [one.domain.instance_count])
    names = (*one.classes, None)
    counts = [*one.diagram.counts()[: len(decisions(one))], 0][: len(names)]
    table, witnesses = {}, {}
    for before, name in enumerate(names):
        changed = {after: pair for (label, after), pair in sorted(found.items()) if label == before}
        kept = counts[before] - sum(pair.weight for pair in changed.values())
        if kept:
            table[name, name] = kept
        for after, pair in changed.items():
            if after < len(names):  # else the second model's constraint rules it out
                table[name, names[after]] = pair.weight
                witnesses[name, names[after]] = instance_with(diagram, pair.assignment)
    count = sum(number for (before, after), number in table.items() if before != after)
    total = sum(table.values())
    first, second = set(one.mentioned_features), set(other.mentioned_features)
    only_first, only_second = (
        tuple(name for name in one.features if name in only) for only in (first - second, second - first)
    )
    share = Fraction(count, total) if total else Fraction(0)
    return Comparison(table, witnesses, count, share, only_first, only_second)


def common_diagram(
    one: BaseCompiledModel, other: BaseCompiledModel, budget: Budget
) -> tuple[Diagram, tuple[int, int]]:
    """Return one diagram with both functions and their roots; features, states, labels are the first's.

    After the labels of the classes come those of "in no class" and "does not count".
    """
    for model in (one, other):
        if not isinstance(model, BaseCompiledModel):
            raise ClassifierError(f"expected another compiled model, not {shown(model)}")
    _check_alike(one, other)
    with budget.limiting(), budget.phase("a common order of features"):
        return _merge(one, other)


def _check_alike(one: BaseCompiledModel, other: BaseCompiledModel) -> None:
    """Raise unless features, states and classes are the same but for their order."""
    for mine, theirs, which in ((one, other, "second"), (other, one, "first")):
        for name in mine.features:
            if name not in theirs.features:
                hint = did_you_mean(name, theirs.features)
                raise ClassifierError(f"the {which} model has no feature {name!r}{hint}")
    for name, states in zip(one.domain.names, one.domain.states, strict=True):
        found = other.domain.states[other.domain.index(name)]
        if set(found) != set(states):
            both = f"{', '.join(states)} in the first model and {', '.join(found)} in the second"
            raise ClassifierError(f"the feature {name!r} has the states {both}")
    if set(one.classes) != set(other.classes):
        first, second = ", ".join(one.classes), ", ".join(other.classes)
        raise ClassifierError(f"the first model has the classes {first}, the second {second}")


def _merge(one: BaseCompiledModel, other: BaseCompiledModel) -> tuple[Diagram, tuple[int, int]]:
    """Return one diagram with both functions, in the order of the larger one, if possible."""
    models = [one, other]
    orders = [[model.features[feature] for feature in model.diagram.order] for model in models]
    target = orders[0] if one.diagram.node_count >= other.diagram.node_count else orders[1]
    try:
        diagrams = [_in_order(model, target) for model in models]
    except LimitExceeded:
        target = orders[0] if target == orders[1] else orders[1]
        diagrams = [_in_order(model, target) for model in models]
    builder = DiagramBuilder(len(one.classes) + 2)  # classes, in no class, does not count
    order = [one.domain.index(name) for name in target]
    images = []  # for each diagram the number that each of its nodes has in the common one
    for model, diagram in zip(models, diagrams, strict=True):
        image = np.zeros(diagram.size, dtype=np.int64)
        known = len(decisions(model))
        labels = [*(one.classes.index(name) for name in model.classes), len(one.classes)]
        image[:known], image[known : diagram.terminals] = labels[:known], len(one.classes) + 1
        images.append(image)
    firsts = [diagram.terminals for diagram in diagrams]
    for place in range(len(target) - 1, -1, -1):
        checkpoint()
        rows = []
        for model, diagram, image in zip(models, diagrams, images, strict=True):
            theirs = model.domain.states[model.domain.index(target[place])]
            columns = [theirs.index(state) for state in one.domain.states[order[place]]]
            rows.append(image[diagram.levels[place][:, columns]])
        numbers = builder.add_level(np.concatenate(rows))
        for at, found in enumerate(np.split(numbers, [len(rows[0])])):
            images[at][firsts[at] : firsts[at] + len(found)] = found
            firsts[at] += len(found)
    roots = [int(image[diagram.root]) for image, diagram in zip(images, diagrams, strict=True)]
    return builder.finish(one.domain, order, roots[0]), (roots[0], roots[1])


def _in_order(model: BaseCompiledModel, target: Sequence[str]) -> Diagram:
    """Return a model's diagram with its features in another order, by swapping neighbouring levels."""
    wanted = [model.domain.index(name) for name in target]
    if tuple(wanted) == model.diagram.order:
        return model.diagram
    sifter = Sifter(model.diagram)
    for place, feature in enumerate(wanted):
        for upper in range(sifter.order.index(feature) - 1, place - 1, -1):
            sifter.swap(upper)
            if sifter.nodes > MAX_NODES:
                size = f"more than {MAX_NODES} nodes"
                raise LimitExceeded(f"in a common order of features the diagrams have {size}")
    return sifter.diagram()
