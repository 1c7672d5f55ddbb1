"""Messages through the tree for a class and a rival: towards the root over a region, and back again.

``least`` bounds the ratio of class and rival over all instances of a region, and names the worst instance
met. ``changes`` says what each change of one feature makes of an instance, all of them from one pass back
(Darwiche 2003, "A differential approach to inference in Bayesian networks").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import isqrt, prod
from typing import NamedTuple, TypeAlias

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import mask_of, positions
from bnc2d.model.classifier import BaseClassifier
from bnc2d.regions.messages.clusters import Weights, reduced
from bnc2d.regions.messages.expected import ExpectedWeights
from bnc2d.regions.messages.leaves import Leaves
from bnc2d.regions.messages.message import SMALLEST, Indices, Messages, Values
from bnc2d.regions.messages.product import MOST_WORK, Product, Scope, Sizes
from bnc2d.regions.messages.tree import Node, Tree
from bnc2d.regions.region import Region

Key: TypeAlias = tuple[object, ...]

# Messages are forgotten when they take more than this many numbers.
_MOST_KNOWN = 1 << 24
# Numbers of a piece of the last product.
_PIECE = 1 << 20


class Effort(NamedTuple):
    """How many rows a message may have, and how many numbers a product."""

    rows: int
    numbers: int


class Question(NamedTuple):
    """A class and a rival, by position."""

    label: int
    rival: int


class Worst(NamedTuple):
    """A lower bound on all ratios of a region, and the worst instance that was met."""

    bound: float
    instance: list[int]


class Passes:
    """Messages of one tree; those that questions share are computed once."""

    def __init__(self, classifier: BaseClassifier) -> None:
        self.tree = Tree(classifier)
        self.leaves = Leaves(self.tree)
        self._known: list[dict[Key, Messages]] = [{} for _ in self.tree.nodes]
        self._known_numbers = 0
        self._expected = ExpectedWeights(self.tree, self.leaves)
        self._products: dict[Key, Product] = {}

    def least(self, region: Region, question: Question, effort: Effort) -> Worst | None:
        """Return the worst of a region; None where the rival is zero everywhere. Raises ``Unknown``."""
        messages = self._towards_root(region, question, effort)
        return None if messages is None else self._at_root(messages, region)

    def changes(self, instance: Sequence[int], question: Question, free: Region) -> dict[int, Values]:
        """Return for features that a region leaves free, by column, the ratio after a change to each state.

        It is infinite where the rival has zero. Features that several tables have are left out.
        """
        tree = self.tree
        asked = mask_of(v for v in tree.leaf_of if len(free[tree.column[v]]) > 1)
        region = [np.array([state], dtype=np.intp) for state in instance]
        inward = self._towards_root(region, question, Effort(1 << 10, 1 << 30))
        if inward is None:
            return {}
        sizes = self.leaves.sizes(region)
        one = np.ones((1, 1))
        outward = {len(tree.nodes) - 1: (one, one)}  # for the rival and for the class
        for number in reversed(range(len(tree.nodes))):
            checkpoint()
            node = tree.nodes[number]
            for place, to in enumerate(node.inputs):
                if tree.nodes[to].below & asked:
                    other = node.inputs[1 - place]
                    scopes = node.scope, tree.nodes[other].scope, tree.nodes[to].scope
                    product = self._product_of(*scopes, (), sizes)
                    rival, own = outward[number]
                    rival, own = (
                        product.numbers(rival, inward[other].rival),
                        product.numbers(own, inward[other].for_class),
                    )
                    scale = 1.0 / max(float(rival.max()), float(own.max()), SMALLEST)
                    outward[to] = rival * scale, own * scale
        found = {}
        for feature in positions(asked):
            number, column = tree.leaf_of[feature], tree.column[feature]
            said = self._leaf(number, [*region[:column], free[column], *region[column + 1 :]], question)
            rival, own = outward[number]
            above, below = (said.for_class * own).sum(axis=1), (said.rival * rival).sum(axis=1)
            with np.errstate(over="ignore"):  # infinite is large enough
                found[column] = np.divide(above, below, out=np.full(len(above), np.inf), where=below > 0)
        return found

    def _at_root(self, messages: Sequence[Messages], region: Region) -> Worst:
        """Return the worst of all products at the root."""
        root = self.tree.nodes[-1]
        choices = [message.choice for message in messages]
        if not root.inputs:
            bound, _, row = _worst(messages[-1])
            return Worst(bound, self.leaves.instance(choices, region, choices[-1][row]))
        left, right = (messages[number] for number in root.inputs)
        product = self._product(root, self.leaves.sizes(region))
        step = max(1, _PIECE // (len(right) * max(product.ways, right.rival.shape[1])))
        found = []
        for start in range(0, len(left), step):
            checkpoint()
            piece = product(left.take(slice(start, start + step)), right)
            bound, ratio, row = _worst(piece)
            found.append((bound, ratio, piece.choice[row] + [start, 0, 0]))
        *_, choice = min(found, key=lambda worst: worst[1])
        return Worst(min(bound for bound, *_ in found), self.leaves.instance(choices, region, choice))

    def _towards_root(self, region: Region, question: Question, effort: Effort) -> list[Messages] | None:
        """Return what each node says towards the root, of the root itself only where it is a table.

        None where the rival is zero everywhere.
        """
        if self._known_numbers > _MOST_KNOWN:
            self._known = [{} for _ in self.tree.nodes]
            self._known_numbers = 0
        sizes = self.leaves.sizes(region)
        states = {feature: region[column].tobytes() for feature, column in self.tree.column.items()}
        messages: list[Messages] = []
        for number, node in enumerate(self.tree.nodes):
            if number == len(self.tree.nodes) - 1 and node.inputs:
                break
            asked = question if node.has_target else None
            key: Key = (effort, asked, *(states[feature] for feature in positions(node.below)))
            known = self._known[number].get(key)
            if known is None:
                checkpoint()
                if node.inputs:
                    inputs = [messages[other] for other in node.inputs]
                    product = self._product(node, sizes)
                    weights = [partial(self._weights, other, sizes, question) for other in node.inputs]
                    made = _product_that_fits(product, inputs, weights, effort)
                else:
                    made = self._leaf(number, region, question)
                known = reduced(made, effort.rows, partial(self._weights, number, sizes, question))
                self._known[number][key] = known
                self._known_numbers += known.rival.size
            if not len(known):
                return None
            messages.append(known)
        return messages

    def _weights(self, number: int, sizes: Sizes, question: Question) -> Values:
        """Return how much each state of a separator is expected to count for the rival."""
        scope = self.tree.nodes[number].scope
        if any(variable in self.tree.column for variable in scope):
            return np.ones(prod([sizes[variable] for variable in scope]))
        weights = self._expected.of(number)
        return np.asarray(weights[question.rival if len(weights) > 1 else 0])

    def _product(self, node: Node, sizes: Sizes) -> Product:
        left, right = (self.tree.nodes[number].scope for number in node.inputs)
        return self._product_of(left, right, node.scope, node.chosen, sizes)

    def _product_of(self, left: Scope, right: Scope, kept: Scope, chosen: Scope, sizes: Sizes) -> Product:
        """Return how two messages are multiplied; what regions share is laid out once."""
        key = (left, right, kept, chosen, *(sizes[v] for v in (*left, *right) if v in self.tree.column))
        if key not in self._products:
            self._products[key] = Product(left, right, kept, chosen, sizes)
        return self._products[key]

    def _leaf(self, number: int, region: Region, question: Question) -> Messages:
        rows = self.leaves.rows(number, region)
        rival, own = rows[0], None
        if len(rows) > 1:
            rival, own = rows[question.rival], rows[question.label]
        return Messages(rival, own, None, self.leaves.choice(len(rival)))


def _product_that_fits(
    product: Product, inputs: Sequence[Messages], weights: Sequence[Weights], effort: Effort
) -> Messages:
    """Return the product of two messages, of fewer rows where it would have too many numbers."""
    left, right = inputs
    fits = max(1, min(effort.numbers // (product.ways * product.states), MOST_WORK // product.work))
    if len(left) * len(right) <= fits:
        return product(left, right)
    left, from_left = _fewer(left, max(isqrt(fits), fits // len(right)), weights[0])
    right, from_right = _fewer(right, max(1, fits // len(left)), weights[1])
    made = product(left, right)
    made.choice[:, 0] = from_left[made.choice[:, 0]]
    made.choice[:, 1] = from_right[made.choice[:, 1]]
    return made


def _fewer(messages: Messages, most: int, weights: Weights) -> tuple[Messages, Indices]:
    """Return fewer rows, and which of those given each is about."""
    numbered = replace(messages, choice=np.arange(len(messages))[:, None])
    kept = reduced(numbered, most, weights)
    return kept, kept.choice[:, 0]


def _worst(messages: Messages) -> tuple[float, float, int]:
    """Return the least bound, the least ratio and its row, of messages about nothing else."""
    rival, own = messages.rival[:, 0], messages.for_class[:, 0]
    ratios = np.divide(own, rival, out=np.full(len(own), np.inf), where=rival > 0)
    row = int(ratios.argmin())
    return float(messages.ratios().min()), float(ratios[row]), row
