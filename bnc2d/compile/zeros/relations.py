"""Which instances tables with zeros allow: relations over features and hidden variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import StateCounts, union
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.logic.domain import Domain
from bnc2d.model.cpt import CPT
from bnc2d.model.elimination import connected_groups, order_of, smallest_first

Allowed: TypeAlias = NDArray[np.bool_]
Scope: TypeAlias = tuple[int | str, ...]  # features by position, hidden variables by name

# A relation, or a set of states of hidden variables, has at most so many entries.
_MAX_STATES = 1 << 22
# A relation that joins the features of others has at most so many.
_FEW_STATES = 1 << 12


@dataclass(frozen=True)
class Relation:
    """What a table allows: axes are ``features`` by position, then ``hidden`` variables by name."""

    features: tuple[int, ...]
    hidden: tuple[str, ...]
    allowed: Allowed


def relations_of(tables: Sequence[CPT], features: Sequence[str]) -> list[Relation]:
    """Return relations that have a common state of the hidden variables iff the tables' product is positive.

    Hidden variables are eliminated where that is cheap; what excludes nothing is left out.
    """
    position = {name: number for number, name in enumerate(features)}
    relations = []
    for table in tables:
        checkpoint()
        names = [variable.name for variable in table.scope]
        observed = [axis for axis, name in enumerate(names) if name in position]
        free = [axis for axis, name in enumerate(names) if name not in position]
        allowed = np.asarray(table.exact != 0, dtype=bool).transpose(observed + free)
        relations.append(
            Relation(
                tuple(position[names[axis]] for axis in observed),
                tuple(names[axis] for axis in free),
                allowed,
            )
        )
    relations = _eliminated(relations, len(features))
    groups = connected_groups([set(relation.hidden) for relation in relations])
    # A group without features is possible, as the network has possible instances.
    return [relations[at] for group in groups if any(relations[at].features for at in group) for at in group]


def _eliminated(relations: list[Relation], features: int) -> list[Relation]:
    """Return relations in which hidden variables are eliminated while that keeps them small.

    Joining relations of different features is left to the diagrams, unless the result has few entries.
    """
    hidden = sorted({name for relation in relations for name in relation.hidden})
    number = {name: features + place for place, name in enumerate(hidden)}
    sizes = [1] * (features + len(hidden))
    scopes = []
    for relation in relations:
        scope = [*relation.features, *(number[name] for name in relation.hidden)]
        for variable, size in zip(scope, relation.allowed.shape, strict=True):
            sizes[variable] = size
        scopes.append(union([1 << variable for variable in scope]))
    summed = union(scopes) >> features << features
    for variable in order_of(smallest_first(scopes, summed, StateCounts(sizes).count)):
        checkpoint()
        name = hidden[variable - features]
        users = [relation for relation in relations if name in relation.hidden]
        together = {feature for relation in users for feature in relation.features}
        joint = {feature: sizes[feature] for feature in together}
        joint |= {number[other]: sizes[number[other]] for user in users for other in user.hidden}
        grows = all(len(relation.features) < len(together) for relation in users)
        if users and prod(joint.values()) <= (_FEW_STATES if grows else _MAX_STATES):
            joined = _without(reduce(_joined, users), name)
            relations = [relation for relation in relations if name not in relation.hidden]
            relations += [] if joined.allowed.all() else [joined]
    return [relation for relation in relations if not relation.allowed.all()]


def _joined(one: Relation, other: Relation) -> Relation:
    """Return what both allow."""
    first: Scope = (*one.features, *one.hidden)
    second: Scope = (*other.features, *other.hidden)
    allowed, scope = _intersection(one.allowed, first, other.allowed, second)
    axes = sorted(range(len(scope)), key=lambda axis: isinstance(scope[axis], str))
    return Relation(
        tuple(name for name in scope if isinstance(name, int)),
        tuple(name for name in scope if isinstance(name, str)),
        allowed.transpose(axes),
    )


def _without(relation: Relation, name: str) -> Relation:
    """Return the relation with a hidden variable eliminated."""
    axis = len(relation.features) + relation.hidden.index(name)
    hidden = tuple(other for other in relation.hidden if other != name)
    return Relation(relation.features, hidden, np.asarray(relation.allowed.any(axis=axis)))


class RelationDiagram:
    """A relation as a diagram over its features; the terminals are the sets of hidden states that are left.

    Terminal 0 is the empty set. Without hidden variables terminal 1 is "allowed". ``features`` are those of
    the diagram, in its order.
    """

    def __init__(self, relation: Relation, rank: Mapping[int, int]) -> None:
        by_rank = sorted(range(len(relation.features)), key=lambda axis: rank[relation.features[axis]])
        hidden_axes = range(len(by_rank), relation.allowed.ndim)
        allowed = relation.allowed.transpose(*by_rank, *hidden_axes)
        self.hidden = relation.hidden
        self.hidden_sizes = allowed.shape[len(by_rank) :]
        sets = allowed.reshape(-1, prod(self.hidden_sizes))
        numbers = {bytes(sets.shape[1]): 0}
        labels = [numbers.setdefault(row.tobytes(), len(numbers)) for row in sets]
        self.hidden_states = [np.frombuffer(row, dtype=bool).reshape(self.hidden_sizes) for row in numbers]
        builder = DiagramBuilder(len(self.hidden_states))
        (root,) = reduce_table(np.array([labels], dtype=np.int64), allowed.shape[: len(by_rank)], builder)
        self.features = tuple(relation.features[axis] for axis in by_rank)
        sizes = zip(self.features, allowed.shape, strict=False)
        domain = Domain({str(feature): tuple(map(str, range(size))) for feature, size in sizes})
        self.diagram: Diagram = builder.finish(domain, range(len(domain)), int(root))


class HiddenGroup:
    """Relations that share hidden variables: the set of hidden states that the features so far allow.

    Relations are taken in the order in which their features end. After each, hidden variables that no later
    one mentions are eliminated, with the relations without features that mention them. Sets are numbered; 0
    is the empty one.
    """

    def __init__(self, relations: Sequence[RelationDiagram], featureless: Sequence[Relation]) -> None:
        self.start = 1
        self._sets: list[Allowed] = [np.zeros((), dtype=bool), np.ones((), dtype=bool)]
        self._numbers: dict[tuple[int, bytes], int] = {}
        self._known: dict[tuple[int, int, int], int] = {}
        self._relations = list(relations)
        self._scopes: list[tuple[str, ...]] = []  # by step: the hidden variables before it
        self._steps: list[tuple[list[Relation], tuple[str, ...]]] = []  # what joins, and what is eliminated
        left = list(featureless)
        scope: tuple[str, ...] = ()
        for turn, relation in enumerate(relations):
            self._scopes.append(scope)
            scope = tuple(dict.fromkeys((*scope, *relation.hidden)))
            later = {name for other in relations[turn + 1 :] for name in other.hidden}
            joins: list[Relation] = []
            while met := [other for other in left if set(other.hidden) & (set(scope) - later)]:
                left = [other for other in left if other not in met]
                joins += met
                scope = tuple(dict.fromkeys((*scope, *(name for other in met for name in other.hidden))))
            gone = tuple(name for name in scope if name not in later)
            scope = tuple(name for name in scope if name in later)
            self._steps.append((joins, gone))

    def meet(self, step: int, number: int, terminal: int) -> int:
        """Return the number of the set after a step: the relation of this step has reached a terminal."""
        key = (step, number, terminal)
        if key not in self._known:
            self._known[key] = self._met(step, self._sets[number], terminal)
        return self._known[key]

    def _met(self, step: int, found: Allowed, terminal: int) -> int:
        relation = self._relations[step]
        joins, gone = self._steps[step]
        scope: Scope = self._scopes[step]
        found, scope = _intersection(found, scope, relation.hidden_states[terminal], relation.hidden)
        for other in joins:
            found, scope = _intersection(found, scope, other.allowed, other.hidden)
        axes = tuple(axis for axis, name in enumerate(scope) if name in gone)
        found = np.asarray(found.any(axis=axes))
        if not found.any():
            return 0
        number = self._numbers.setdefault((step, found.tobytes()), len(self._sets))
        if number == len(self._sets):
            self._sets.append(found)
        return number


def _intersection(
    left: Allowed, left_scope: Scope, right: Allowed, right_scope: Scope
) -> tuple[Allowed, Scope]:
    """Return the states that both allow, and the variables they are states of."""
    scope = left_scope + tuple(name for name in right_scope if name not in left_scope)
    sizes = dict(zip(left_scope, left.shape, strict=True)) | dict(zip(right_scope, right.shape, strict=True))
    if prod(sizes.values()) > _MAX_STATES:
        raise LimitExceeded(
            f"{len(scope)} hidden variables together decide which instances are possible; make some features"
        )
    left = left.reshape(*left.shape, *(1 for _ in scope[len(left_scope) :]))
    right = right.transpose([right_scope.index(name) for name in scope if name in right_scope])
    right = right.reshape([sizes[name] if name in right_scope else 1 for name in scope])
    return left & right, scope
