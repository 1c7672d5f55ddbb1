"""A classifier divided by a cut: the table of each side, the weights of the classes, what a tie means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import prod
from typing import TypeAlias

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import Mask, VariableId, mask_of, positions, union
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.meet.boxes import Boxes
from bnc2d.compile.meet.cut.cut import CutSide
from bnc2d.compile.meet.join import Join, join_tables
from bnc2d.compile.meet.labels import Decider
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor, compressed_cpt
from bnc2d.compile.meet.tables.products import AnyFactor, made, multiply_out
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.elimination import Join as Elimination
from bnc2d.model.elimination import TableId, carry_out, joined_tables, smallest_first

Given: TypeAlias = Mapping[VariableId, int]  # states of features that are set beforehand


class Side:
    """Computes the table of one side, over its features, the separator and, where it is here, the target.

    The prior of a target without parents is left out: it is a weight of the decision. Inside a step, the
    smallest join comes first.
    """

    def __init__(self, prepared: Prepared, side: CutSide) -> None:
        self._prepared, self.features = prepared, side.features
        apart = None if prepared.network.parents(prepared.target) else prepared.target_id
        self._tables: list[VariableId] = []
        self._joins: list[Elimination] = []
        left: list[Mask] = []
        for tables, summed in side.steps:
            entering = [table for table in tables if table != apart]
            self._tables += entering
            left += [prepared.scopes[table] for table in entering]
            joins = smallest_first(left, summed, prepared.counts.count)
            left = [scope for scope in (*left, *(join.result for join in joins)) if not scope & summed]
            self._joins += joins
        self._last = union(left)
        self._inside, self._left = self._places([prepared.scopes[table] for table in self._tables])
        # The table that was made last, and what it was made for.
        self._made: tuple[tuple[object, ...], CompressedFactor] | None = None

    def _places(self, scopes: list[Mask]) -> tuple[list[list[TableId]], list[TableId]]:
        """Return which tables go into each join, and which are left.

        A table without features that no join needs goes into the last one that mentions all of it: there it
        meets small tables, at the end it would meet the largest.
        """
        inside, left = joined_tables(scopes, self._joins)
        results = [*scopes, *(join.result for join in self._joins)]
        features = mask_of(self._prepared.feature_ids)
        kept = []
        for table in left:
            later = range(max(0, table - len(scopes) + 1), len(self._joins))
            fitting = [join for join in later if not results[table] & ~self._joins[join].scope]
            if fitting and not results[table] & features:
                inside[fitting[-1]].append(table)
            else:
                kept.append(table)
        return inside, kept

    def factor(self, given: Given, exact: bool = False, structural: bool = False) -> CompressedFactor:
        """Return the table with some features set, its rows in the order of the others in ``features``.

        ``structural`` as in ``multiply_out``.
        """
        key = exact, tuple((v, state) for v, state in given.items() if v in self.features)
        known = self._made
        if known is not None and known[0] == key and (known[1].structural or not structural):
            return known[1]
        factor = self._factor(given, exact, structural)
        self._made = key, factor
        return factor

    def _factor(self, given: Given, exact: bool, structural: bool) -> CompressedFactor:
        prepared = self._prepared

        def multiply(some: list[AnyFactor], gone: Mask) -> AnyFactor:
            checkpoint()
            return multiply_out(some, positions(gone), exact, structural)

        merged = prepared.merged
        states = {v: int(merged[v][state]) if v in merged else state for v, state in given.items()}
        tables: list[AnyFactor] = [compressed_cpt(prepared, t, states, exact) for t in self._tables]
        left = carry_out(tables, self._joins, self._inside, self._left, multiply)
        whole = made(multiply(left, 0))
        free = [variable for variable in self.features if variable not in given]
        rows = whole.pattern_of_row.reshape([prepared.sizes[v] for v in whole.features])
        rows = rows.transpose([whole.features.index(v) for v in free])
        for axis, variable in enumerate(free):
            if variable in merged:
                rows = rows.take(merged[variable], axis=axis)
        return replace(whole, features=tuple(free), pattern_of_row=rows.reshape(-1))

    def features_to_fix(self, max_entries: int) -> list[VariableId]:
        """Return features to set beforehand: those in the most large tables, until none is over the limit."""
        tables = [*(join.result for join in self._joins), self._last]
        features = mask_of(self._prepared.feature_ids)
        fixed: Mask = 0
        while True:
            checkpoint()
            large = [scope for scope in tables if self._prepared.counts.count(scope & ~fixed) > max_entries]
            votes = Counter(v for scope in large for v in positions(scope & features & ~fixed))
            if not votes:
                return positions(fixed)
            fixed |= 1 << max(sorted(votes), key=lambda variable: votes[variable])


def priors_of(prepared: Prepared) -> list[Fraction]:
    """Return the prior of each class, which no table of a ``Side`` has; 1 where the target has parents."""
    return _priors(prepared.network.cpt(prepared.target))


def _priors(table: CPT) -> list[Fraction]:
    return [Fraction(1)] * len(table.child) if table.parents else table.exact.tolist()


class CutProblem:
    """Two sides, that with more instances first; ``fixed`` features are set beforehand and belong to neither.

    ``structural`` tables show every tie that follows from the structure (see ``compressed_factor``).
    """

    def __init__(
        self,
        classifier: BaseClassifier,
        prepared: Prepared,
        sides: Sequence[Side],
        fixed: Sequence[VariableId] = (),
        structural: bool = False,
    ) -> None:
        self.classifier, self.prepared, self.fixed = classifier, prepared, tuple(fixed)
        self._structural = structural
        variables = [classifier.network.variable(name) for name in classifier.features]
        self._sizes = dict(zip(prepared.feature_ids, map(len, variables), strict=True))
        self._sides = sorted(sides, key=lambda side: prod(self.cardinalities(self._free(side))), reverse=True)
        self.first, self.second = (self._free(side) for side in self._sides)
        self.position = {feature: position for position, feature in enumerate(prepared.feature_ids)}
        self.terminals = len(classifier.classes) + classifier.rule.leaves_ties
        self.priors = _priors(classifier.network.cpt(classifier.target))
        # By class: the state of the target that stands for it in the tables.
        self.state_of_class = prepared.merged.get(prepared.target_id, np.arange(len(self.priors)))

    def _free(self, side: Side) -> tuple[VariableId, ...]:
        return tuple(feature for feature in side.features if feature not in self.fixed)

    def cardinalities(self, features: Sequence[VariableId]) -> list[int]:
        """Return the number of states of each feature."""
        return [self._sizes[feature] for feature in features]

    def fixed_instances(self) -> Iterator[Given]:
        """Yield every instance of the fixed features."""
        for states in product(*map(range, self.cardinalities(self.fixed))):
            yield dict(zip(self.fixed, states, strict=True))

    def factors(self, given: Given, exact: bool = False) -> tuple[CompressedFactor, CompressedFactor]:
        """Return the tables of both sides."""
        first, second = (side.factor(given, exact, self._structural) for side in self._sides)
        return first, second

    def join(self, first: CompressedFactor, second: CompressedFactor) -> Join:
        """Return what decides between the classes."""
        weights = self.classifier.rule.weighted(self.priors)
        return join_tables(first, second, self.prepared.target_id, weights, self.state_of_class)

    def decider(self, join: Join, boxes: Boxes | None = None) -> Decider:
        """Return what labels the cells; a tie of all classes decides like an impossible instance."""
        rule, classes = self.classifier.rule, len(self.classifier.classes)
        tie = rule.exact_label([0] * classes) % (classes + 1)
        winners = tuple(classes if len(ys) > 1 and rule.leaves_ties else ys[0] for ys in join.labels)
        return Decider(join, tie, winners, boxes)
