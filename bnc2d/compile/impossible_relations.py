"""Which instances tables with zeros allow: relations over features and hidden variables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.checking import checkpoint
from bnc2d.compile.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.errors import LimitExceeded
from bnc2d.model.cpt import CPT
from bnc2d.model.elimination import connected_groups

Allowed = NDArray[np.bool_]

# A set of states of hidden variables has at most so many members.
_MAX_STATES = 1 << 22


@dataclass(frozen=True)
class Relation:
    """What a table allows: axes are ``features`` by position, then ``hidden`` variables by name."""

    features: tuple[int, ...]
    hidden: tuple[str, ...]
    allowed: Allowed


def relations_of(tables: Sequence[CPT], features: Sequence[str]) -> list[Relation]:
    """Return relations that have a common state of the hidden variables iff the tables' product is positive.

    A hidden variable that one relation alone mentions is eliminated; what excludes nothing is left out.
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
    while True:
        uses = Counter(name for relation in relations for name in relation.hidden)
        alone = {name for name, count in uses.items() if count == 1}
        kept = [smaller for relation in relations if not (smaller := _without(relation, alone)).allowed.all()]
        if not alone and len(kept) == len(relations):
            break
        relations = kept
    groups = connected_groups([set(relation.hidden) for relation in relations])
    # A group without features is possible, as the network has possible instances.
    return [relations[at] for group in groups if any(relations[at].features for at in group) for at in group]


def _without(relation: Relation, names: set[str]) -> Relation:
    """Return the relation with some hidden variables eliminated."""
    first = len(relation.features)
    axes = tuple(first + axis for axis, name in enumerate(relation.hidden) if name in names)
    hidden = tuple(name for name in relation.hidden if name not in names)
    return Relation(relation.features, hidden, np.asarray(relation.allowed.any(axis=axes)))


class RelationDiagram:
    """A relation as a diagram over its features; the ends are the sets of hidden states that are left.

    End 0 is the empty set. Without hidden variables end 1 is "allowed".
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
        self.ends = [np.frombuffer(row, dtype=bool).reshape(self.hidden_sizes) for row in numbers]
        builder = DiagramBuilder(len(self.ends))
        (root,) = reduce_table(np.array([labels], dtype=np.int64), allowed.shape[: len(by_rank)], builder)
        order = [relation.features[axis] for axis in by_rank]
        self.diagram: Diagram = builder.finish(order, int(root))


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

    def meet(self, step: int, number: int, end: int) -> int:
        """Return the number of the set after a step: the relation of this step has reached an end."""
        key = (step, number, end)
        if key not in self._known:
            self._known[key] = self._met(step, self._sets[number], end)
        return self._known[key]

    def _met(self, step: int, found: Allowed, end: int) -> int:
        relation = self._relations[step]
        joins, gone = self._steps[step]
        scope = self._scopes[step]
        found, scope = _intersection(found, scope, relation.ends[end], relation.hidden)
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
    left: Allowed, left_scope: tuple[str, ...], right: Allowed, right_scope: tuple[str, ...]
) -> tuple[Allowed, tuple[str, ...]]:
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
