"""The paper's compiler: compile-negative and compile-positive, one class at a time.

Zhang and Darwiche, "Scaling the Explanation of Multi-Class Bayesian Network Classifiers" (XAI 2026):

1. Drop what is neither feature nor target nor above them; build a jointree and its f-tree (``spine.py``).
2. Walk the right spine. At an inner node ``q`` with ``M = P(Y, u, S_pq) / φ_qp``, enumerate the instances
   ``v_l`` of the left child's features and form ``P(Y, u, v_l, S_qr)``.
3. Where the edge to the right child is feature-splitting, decide-negative (``decide_negative.py``) tells
   whether all completions are negative, or all positive, of those that are possible. Impossible completions
   tie all classes at zero; where they differ from the others, a formula of them is added. Not in the paper:
   on request, more is decided by what is known of the completions (``decide_early.py``).
4. For undecided ``v_l``, compile the right child with ``M_qr``, giving ``α``; collect ``v_l ∧ α``.
5. At the last leaf node every instance is decided; too close calls for float64 are made exactly.

The result is an AND-decomposable NNF of the negative (positive) instances; its negation is the
OR-decomposable formula of the class (of "not the class").

Here ``M`` is an array that holds many ``u`` at once, and a batch is cut where its tables grow too large.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.readers.choices import Early
from bnc2d.base.records import record
from bnc2d.compile.graph.feature_tree import build_feature_tree
from bnc2d.compile.graph.jointree import build_jointree
from bnc2d.compile.graph.pruning import prepare
from bnc2d.compile.paper.completions import Completions, completions_below
from bnc2d.compile.paper.decide_early import decide_early
from bnc2d.compile.paper.decide_negative import (
    NO,
    UNDECIDED,
    YES,
    ClassTest,
    Flags,
    Verdicts,
    decide_instances,
    decide_negative,
    flipped,
)
from bnc2d.compile.paper.spine import Spine, SpineNode
from bnc2d.errors import LimitExceeded, LogicError
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.circuit.transforms import negate
from bnc2d.model.accounts import Floats, margin
from bnc2d.model.classifier import BaseClassifier

Nodes: TypeAlias = NDArray[np.int64]  # ids of NNF nodes

_ENTRIES_AT_ONCE = 1 << 18


@dataclass
class PaperStats:
    """How a compilation went: how many ``uv_l`` were met, decided early, and sent to exact arithmetic."""

    extended: list[int] = field(default_factory=list)  # by spine node
    decided: list[int] = field(default_factory=list)  # by spine node
    exact_rows: int = 0


class PaperCompiler:
    """Compiles the classes of one classifier; the work that they share is done once.

    ``early`` says what decides a partial instance before all features are set: ``"signs"`` as published,
    ``"intervals"`` of ratios and ``"rays"``, each also by what comes before it. ``stats`` tells about the
    last formula, also while it is made. ``report`` is called many times a second.
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        *,
        early: Early = "signs",
        seed: int = 0,
        report: Callable[[], None] = checkpoint,
    ) -> None:
        self.classifier = classifier
        self.early = early
        self.report = report
        self.prepared = prepare(classifier)
        self._jointree = build_jointree(self.prepared.network, seed)
        self.tree = build_feature_tree(self._jointree, self.prepared.target, self.prepared.features)
        self.widths = self.tree.widths(self._jointree.width)
        self.stats = PaperStats()

    @cached_property
    def spine(self) -> list[SpineNode]:
        """The nodes of the right spine with their tables."""
        return Spine(self.prepared, self.tree).nodes()

    @cached_property
    def completions(self) -> list[Completions | None]:
        """What is known, by spine node, of the completions below it."""
        if self.early == "signs":
            return [None] * len(self.spine)
        return completions_below(self.spine, len(self.classifier.classes))

    def class_formula(self, class_index: int, manager: Manager) -> NodeId:
        """Return the class formula: the negation of compile-negative's result."""
        return negate(manager, self._compile(class_index, manager, collects_members=False))

    def negated_formula(self, class_index: int, manager: Manager) -> NodeId:
        """Return the formula of "not the class": the negation of compile-positive's result."""
        return negate(manager, self._compile(class_index, manager, collects_members=True))

    def resolved(self) -> float:
        """Return the share of all instances that the current run has decided, early or at the last node."""
        done, below = self.stats.extended[-1], 1
        for decided, node in zip(reversed(self.stats.decided), reversed(self.spine), strict=True):
            done += decided * below  # each with all instances of the features further down
            below *= prod(node.cardinalities)
        return done / below

    def _compile(self, class_index: int, manager: Manager, collects_members: bool) -> NodeId:
        """Return an AND-decomposable NNF of the instances in the class, or of those that are not."""
        if manager.domain.names != self.classifier.features:
            raise LogicError("the domain must have the classifier's features, in order")
        self.stats = PaperStats([0] * len(self.spine), [0] * len(self.spine))
        run = _Run(self, manager, class_index, collects_members)
        nowhere = np.zeros((1, len(manager.domain)), dtype=np.intp)
        try:
            return int(run.compile(0, _Batch(np.ones((1, 1, 1)), nowhere, np.ones(1, dtype=bool)))[0])
        except RecursionError:
            raise LimitExceeded(
                f"the paper's method follows a spine of {len(self.spine)} nodes, deeper than Python allows; "
                "use method='fast'"
            ) from None


@record
class _Batch:
    """Partial instances ``u`` that reach a spine node."""

    factor: Floats  # M as [u, class, separator state], scaled
    rows: Rows  # [u, feature]: the states of u; features not yet set are 0
    trusted: Flags  # by u: float64 lost nothing

    def __getitem__(self, chosen: slice) -> _Batch:
        return _Batch(self.factor[chosen], self.rows[chosen], self.trusted[chosen])

    def __len__(self) -> int:
        return len(self.factor)


class _Run:
    """One call of compile-negative or compile-positive."""

    def __init__(
        self, compiler: PaperCompiler, manager: Manager, class_index: int, collects_members: bool
    ) -> None:
        self._spine, self._classifier = compiler.spine, compiler.classifier
        self._stats, self._report, self._manager = compiler.stats, compiler.report, manager
        self._test = ClassTest.of(self._classifier.rule, len(self._classifier.classes), class_index)
        self._completions, self._early = compiler.completions, compiler.early
        self._collects_members = collects_members
        self._collects_impossible = self._test.has_impossible == collects_members
        # Where float64 loses something in a table, nothing is decided before the end, and there exactly.
        self._trusted = self._test.trusted and all(node.trusted for node in self._spine)
        self._special: dict[tuple[int, bytes], NodeId] = {}

    def compile(self, depth: int, batch: _Batch) -> Nodes:
        """Return for each ``u`` of the batch the NNF of the completions to collect at or below a spine node.

        Recursion is as deep as the spine.
        """
        node = self._spine[depth]
        width = max(node.table.shape[0], batch.factor.shape[1]) * node.right_message.shape[1]
        step = max(1, _ENTRIES_AT_ONCE // (width * len(node.states)))
        found = []
        for start in range(0, len(batch), step):
            self._report()
            chunk = batch[start : start + step]
            joint = node.extend(chunk.factor)
            joint = joint.reshape(-1, *joint.shape[2:])
            rows = np.repeat(chunk.rows, len(node.states), axis=0)
            rows[:, node.features] = np.tile(node.states, (len(chunk), 1))
            extended = _Batch(joint, rows, np.repeat(chunk.trusted, len(node.states)))
            self._stats.extended[depth] += len(extended)
            answers = self._instances(node, extended) if node.is_last else self._right(depth, extended)
            found.append(self._collect(node, answers.reshape(len(chunk), *node.cardinalities)))
        return np.concatenate(found)

    def _right(self, depth: int, extended: _Batch) -> Nodes:
        """Return ``α`` for each ``uv_l``, whose joint ``P(Y, u, v_l, S_qr)`` is given."""
        node = self._spine[depth]
        verdicts = np.full(len(extended), UNDECIDED, dtype=np.int8)
        if node.splits_features and self._trusted:
            verdicts = self._decide(depth, extended)
        answers = np.where(verdicts == YES, TRUE, FALSE).astype(np.int64)
        differing = np.flatnonzero(verdicts == (NO if self._collects_impossible else YES))
        if differing.size:
            possible_states = np.any(extended.factor[differing], axis=1, keepdims=True).astype(np.float64)
            answers[differing] = self._with_impossible(depth + 1, possible_states)
        undecided = np.flatnonzero(verdicts == UNDECIDED)
        self._stats.decided[depth] += len(extended) - len(undecided)
        if undecided.size:
            factor, in_range = node.divide(extended.factor[undecided])
            trusted = extended.trusted[undecided] & in_range
            answers[undecided] = self.compile(depth + 1, _Batch(factor, extended.rows[undecided], trusted))
        return answers

    def _decide(self, depth: int, extended: _Batch) -> Verdicts:
        """Return whether all possible completions of each ``uv_l`` are to be collected, or none."""
        roundings, known = self._spine[depth].roundings, self._completions[depth]
        verdicts = decide_negative(extended.factor, self._test, margin(roundings))
        verdicts[~extended.trusted] = UNDECIDED
        if known is not None:
            left = np.flatnonzero((verdicts == UNDECIDED) & extended.trusted)
            verdicts[left] = decide_early(extended.factor[left], known, self._early, self._test, roundings)
        return flipped(verdicts) if self._collects_members else verdicts

    def _instances(self, node: SpineNode, extended: _Batch) -> Nodes:
        """Return true or false for each instance, by float64 where that is certain, else exactly."""
        members = decide_instances(extended.factor[:, :, 0], self._test, margin(node.roundings))
        close = np.flatnonzero((members == UNDECIDED) | ~extended.trusted | (not self._trusted))
        if close.size:
            self._stats.exact_rows += close.size
            members[close] = self._classifier.labels(extended.rows[close]) == self._test.index
        return np.where((members == YES) == self._collects_members, TRUE, FALSE).astype(np.int64)

    def _with_impossible(self, depth: int, allowed: Floats) -> Nodes:
        """Return the NNF of what to collect where only impossible completions differ from the others.

        ``allowed`` is 1 for the separator states that ``u`` leaves possible; a completion is impossible when
        none of them allows it. The answer depends on nothing else, so it is remembered.
        """
        nodes = []
        for key, states in zip(np.packbits(allowed[:, 0] > 0, axis=1), allowed, strict=True):
            known = self._special.get((depth, key.tobytes()))
            if known is None:
                known = self._special[depth, key.tobytes()] = self._impossible_below(depth, states[None])
            nodes.append(known)
        return np.array(nodes, dtype=np.int64)

    def _impossible_below(self, depth: int, allowed: Floats) -> NodeId:
        self._report()
        node = self._spine[depth]
        onward = (node.extend(allowed)[0] > 0).astype(np.float64)  # states of S_qr that v_l leaves possible
        dead = ~np.any(onward, axis=(1, 2))
        answers = np.where(dead == self._collects_impossible, TRUE, FALSE).astype(np.int64)
        if not node.is_last and not dead.all():
            answers[~dead] = self._with_impossible(depth + 1, onward[~dead])
        return int(self._collect(node, answers.reshape(1, *node.cardinalities))[0])

    def _collect(self, node: SpineNode, answers: Nodes) -> Nodes:
        """Return ``∨ v_l ∧ α`` for each ``u`` from an array ``[u, *left features]`` of the ``α``.

        Built as a reduced decision diagram over the left features: states, and then partial instances, that
        lead to the same ``α`` are one branch.
        """
        for feature, states in zip(reversed(node.features), reversed(node.cardinalities), strict=True):
            branches = answers.reshape(-1, states)
            merged = branches[:, 0].copy()
            mixed = np.flatnonzero((branches != merged[:, None]).any(axis=1))
            if mixed.size:
                distinct, inverse = np.unique(branches[mixed], axis=0, return_inverse=True)
                built = [self._branch(feature, row) for row in distinct.tolist()]
                merged[mixed] = np.array(built, dtype=np.int64)[inverse.reshape(-1)]
            answers = merged.reshape(answers.shape[:-1])
        return answers

    def _branch(self, feature: int, targets: list[NodeId]) -> NodeId:
        masks: dict[NodeId, int] = {}
        for state, target in enumerate(targets):
            masks[target] = masks.get(target, 0) | 1 << state
        literal, conjoin = self._manager.add_literal, self._manager.add_and
        return self._manager.add_or(
            conjoin([literal(feature, mask), target]) for target, mask in masks.items()
        )
