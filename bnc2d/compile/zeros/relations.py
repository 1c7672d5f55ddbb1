"""Which instances tables with zeros allow: relations over features and hidden variables."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import StateCounts, VariableId, mask_of, union
from bnc2d.base.records import record
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import DiagramBuilder, Level, reduce_table
from bnc2d.logic.domain import Domain
from bnc2d.model.accounts import EXACT
from bnc2d.model.cpt import CPT
from bnc2d.model.elimination import connected_groups, order_of, smallest_first
from bnc2d.model.factors import ONE_ROW, Factor, multiply_out

Allowed: TypeAlias = NDArray[np.bool_]

# A relation, or a set of states of hidden variables, has at most this many entries.
_MAX_STATES = 1 << 22
# A relation that joins the features of others has at most this many.
_FEW_STATES = 1 << 12


@record
class Relation:
    """What a table allows: axes are ``features`` by position, then ``hidden`` variables with higher ids."""

    features: tuple[VariableId, ...]
    hidden: tuple[VariableId, ...]
    allowed: Allowed

    @property
    def scope(self) -> tuple[VariableId, ...]:
        """All variables, one for each axis."""
        return (*self.features, *self.hidden)


def relations_of(tables: Sequence[CPT], features: Sequence[str]) -> list[Relation]:
    """Return relations that have a common state of the hidden variables iff the tables' product is positive.

    Hidden variables are eliminated where that is cheap; what excludes nothing is left out.
    """
    hidden = sorted({variable.name for table in tables for variable in table.scope}.difference(features))
    ids = {name: number for number, name in enumerate([*features, *hidden])}
    relations = []
    for table in tables:
        checkpoint()
        relations.append(_relation(Factor.of_cpt(table, ids, np.bool_), len(features)))
    relations = _eliminated(relations, len(features), len(ids))
    groups = connected_groups([set(relation.hidden) for relation in relations])
    # A group without features is possible, as the network has possible instances.
    return [relations[at] for group in groups if any(relations[at].features for at in group) for at in group]


def _relation(factor: Factor, features: int) -> Relation:
    scope = sorted(factor.scope)
    observed = sum(variable < features for variable in scope)
    return Relation(tuple(scope[:observed]), tuple(scope[observed:]), factor.over(scope)[0])


def _eliminated(relations: list[Relation], features: int, variables: int) -> list[Relation]:
    """Return relations in which hidden variables are eliminated while that keeps them small.

    Joining relations of different features is left to the diagrams, unless the result has few entries.
    """
    sizes = [1] * variables
    for relation in relations:
        for variable, size in zip(relation.scope, relation.allowed.shape, strict=True):
            sizes[variable] = size
    scopes = [mask_of(relation.scope) for relation in relations]
    hidden = union(scopes) >> features << features
    for variable in order_of(smallest_first(scopes, hidden, StateCounts(sizes).count)):
        checkpoint()
        users = [relation for relation in relations if variable in relation.hidden]
        together = {other for relation in users for other in relation.scope}
        count = sum(other < features for other in together)
        grows = all(len(relation.features) < count for relation in users)
        if users and prod(sizes[other] for other in together) <= (_FEW_STATES if grows else _MAX_STATES):
            joined = _joined([(user.scope, user.allowed) for user in users], [variable])
            relations = [relation for relation in relations if variable not in relation.hidden]
            relations += [] if joined.table.all() else [_relation(joined, features)]
    return [relation for relation in relations if not relation.allowed.all()]


def _joined(tables: Sequence[tuple[Sequence[VariableId], Allowed]], summed: Collection[VariableId]) -> Factor:
    """Return what all of some tables allow, for some state of the variables ``summed``."""
    sizes: dict[VariableId, int] = {}
    for scope, allowed in tables:
        sizes.update(zip(scope, allowed.shape, strict=True))
    if prod(sizes.values()) > _MAX_STATES:
        raise LimitExceeded(
            f"{len(sizes)} hidden variables together decide which instances are possible; make some features"
        )
    factors = [Factor(tuple(scope), allowed[None], ONE_ROW, EXACT) for scope, allowed in tables]
    return multiply_out(factors, summed)


@dataclass(eq=False)
class Column:
    """A part of the nodes of a product: what a diagram has come to, or a set of hidden states.

    It starts at ``start`` and is open from the ``first`` to the ``last`` feature of an order, by rank; a
    feature with one of the ``levels`` changes it.
    """

    levels: Mapping[int, Level]
    start: int
    first: int
    last: int


class RelationDiagram(Column):
    """A relation as a diagram over its features; the terminals are the sets of hidden states that are left.

    Terminal 0 is the empty set. Without hidden variables terminal 1 is "allowed"; with them, the relation has
    its turn in a ``group``.
    """

    def __init__(self, relation: Relation, rank: Mapping[int, int]) -> None:
        by_rank = sorted(range(len(relation.features)), key=lambda axis: rank[relation.features[axis]])
        hidden_axes = range(len(by_rank), relation.allowed.ndim)
        allowed = relation.allowed.transpose(*by_rank, *hidden_axes)
        self.hidden = relation.hidden
        self.group: HiddenGroup | None = None
        self.turn = 0
        hidden_sizes = allowed.shape[len(by_rank) :]
        sets = allowed.reshape(-1, prod(hidden_sizes))
        numbers = {bytes(sets.shape[1]): 0}
        labels = [numbers.setdefault(row.tobytes(), len(numbers)) for row in sets]
        self.hidden_states = [np.frombuffer(row, dtype=bool).reshape(hidden_sizes) for row in numbers]
        self.terminals = len(numbers)
        builder = DiagramBuilder(self.terminals)
        (root,) = reduce_table(np.array([labels], dtype=np.int64), allowed.shape[: len(by_rank)], builder)
        features = [relation.features[axis] for axis in by_rank]
        sizes = zip(features, allowed.shape, strict=False)
        domain = Domain({str(feature): tuple(map(str, range(size))) for feature, size in sizes})
        diagram = builder.finish(domain, range(len(domain)), int(root))
        levels = {features[level.feature]: level for level in diagram.walk}
        super().__init__(levels, diagram.root, rank[features[0]], rank[features[-1]])


class HiddenGroup(Column):
    """Relations that share hidden variables: the set of hidden states that the features so far allow.

    Relations are taken in the order in which their features end. After each, hidden variables that no later
    one mentions are eliminated, with the relations without features that mention them. Sets are numbered; 0
    is the empty one.
    """

    def __init__(self, relations: Sequence[RelationDiagram], featureless: Sequence[Relation]) -> None:
        super().__init__({}, 1, min(relation.first for relation in relations), relations[-1].last)
        self._sets: list[Allowed] = [np.zeros((), dtype=bool), np.ones((), dtype=bool)]
        self._numbers: dict[tuple[int, bytes], int] = {}
        self._known: dict[tuple[int, int, int], int] = {}
        self._relations = list(relations)
        self._scopes: list[list[VariableId]] = []  # by step: the hidden variables before it
        self._joins: list[list[Relation]] = []  # by step: what joins
        left = list(featureless)
        scope: set[VariableId] = set()
        for turn, relation in enumerate(relations):
            relation.group, relation.turn = self, turn
            self._scopes.append(sorted(scope))
            scope = scope.union(relation.hidden)
            later = {variable for other in relations[turn + 1 :] for variable in other.hidden}
            joins: list[Relation] = []
            while met := [other for other in left if not (scope - later).isdisjoint(other.hidden)]:
                left = [other for other in left if other not in met]
                joins += met
                scope = scope.union(*(other.hidden for other in met))
            scope &= later
            self._joins.append(joins)
        self._scopes.append(sorted(scope))

    def meet(self, step: int, number: int, terminal: int) -> int:
        """Return the number of the set after a step: the relation of this step has reached a terminal."""
        key = (step, number, terminal)
        if key not in self._known:
            self._known[key] = self._met(step, self._sets[number], terminal)
        return self._known[key]

    def _met(self, step: int, found: Allowed, terminal: int) -> int:
        relation = self._relations[step]
        tables = [(self._scopes[step], found), (relation.hidden, relation.hidden_states[terminal])]
        tables += [(other.hidden, other.allowed) for other in self._joins[step]]
        kept = self._scopes[step + 1]
        gone = {variable for scope, _ in tables for variable in scope}.difference(kept)
        found = _joined(tables, gone).over(kept)[0]
        if not found.any():
            return 0
        number = self._numbers.setdefault((step, found.tobytes()), len(self._sets))
        if number == len(self._sets):
            self._sets.append(found)
        return number
