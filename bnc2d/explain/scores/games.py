"""Shapley and Banzhaf values of a decision: which distribution, which function, and by which route."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.readers.choices import ScoreKind, ScoreOf
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.shares.distribution import ROWS, ByMarginals, read_distribution
from bnc2d.errors import ClassifierError, LimitExceeded, NotCompiledError
from bnc2d.explain.changes.allowed import Box
from bnc2d.explain.routes import CompiledRoute, GivenRoute, NetworkRoute, Route
from bnc2d.explain.scores.by_table import MOST_EXACT, MOST_INSTANCES, table_values
from bnc2d.explain.scores.exact import exact_values, is_cheap
from bnc2d.explain.scores.numbers import Score
from bnc2d.explain.scores.passes import error_bound, players_of, values
from bnc2d.explain.scores.quadrature import Floats
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.logic.domain import FeatureId
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.variable import Variable

Marginals: TypeAlias = list[list[Fraction]]  # of each feature the probabilities of its states

_ROUNDING = 2.0**-53
_ROWS_AT_ONCE = 1 << 12


class Drawn:
    """How the features of a classifier are drawn, each independently of the others."""

    def __init__(self, classifier: BaseClassifier, distribution: object) -> None:
        read = read_distribution(classifier, distribution)
        self.name = "columns" if read.name == ROWS else read.name
        self._of = dict(zip(classifier.features, read.columns(classifier.feature_variables), strict=True))

    def over(self, features: Sequence[str]) -> Marginals:
        """Return the probabilities of the states of some features."""
        return [self._of[name] for name in features]


def limited(
    marginals: Sequence[Sequence[Fraction]],
    row: Sequence[int],
    held: Collection[FeatureId],
    box: Box,
    names: Sequence[str],
) -> Marginals:
    """Return marginals where some features are always held, and others have only states that a box allows."""
    found = [list(marginal) for marginal in marginals]
    for feature, mask in box.items():
        inside = [share if mask >> state & 1 else Fraction(0) for state, share in enumerate(found[feature])]
        if feature not in held and not sum(inside):
            raise ClassifierError(
                f"distribution: no state that {names[feature]!r} may have has a positive probability"
            )
        found[feature] = [share / (sum(inside) or 1) for share in inside]
    for feature in held:
        found[feature] = [Fraction(int(state == row[feature])) for state in range(len(found[feature]))]
    return found


def free_diagram(route: Route) -> Diagram | None:
    """Return the diagram of all instances, or None where nothing is compiled; under a constraint refuse."""
    if route.allowed is not None:
        raise ClassifierError(
            f"what the constraint {route.given[:200]} leaves of a distribution is no product of independent "
            "features, which these values are of: ask model.unconstrained.explain(instance), or for "
            "'occurrence' or 'responsibility', which are about the reasons under the constraint"
        )
    if isinstance(route, GivenRoute):  # within allowed changes
        return route.free.model.diagram
    return route.model.diagram if isinstance(route, CompiledRoute) else None


class Game(NamedTuple):
    """The game of one decision: a set of features is worth the probability of ``label`` when it is held.

    With ``of="posterior"`` it is worth the mean posterior of the class with this label instead.
    """

    route: Route
    kind: ScoreKind
    row: Sequence[int]
    label: int
    marginals: Marginals
    of: ScoreOf = "decision"

    def played(self, exact: bool | None) -> tuple[list[Score], float, Score]:
        """Return the values, how far they may be off, and what the empty set is worth."""
        diagram = free_diagram(self.route)
        if self.of == "posterior" or diagram is None:
            return self._by_table(exact)
        if exact or (exact is None and is_cheap(diagram, self.row, self.marginals, self.kind)):
            found = exact_values(diagram, self.row, {self.label}, self.marginals, self.kind)
            baseline = exact_means(diagram, self.route.classifier.feature_variables, self.marginals)
            return list(found), 0.0, baseline[self.label]
        wanted = np.zeros((1, diagram.terminals), dtype=bool)
        wanted[0, self.label] = True
        floats, rows = as_floats(self.marginals), np.array([self.row], dtype=np.intp)
        numbers = values(diagram, rows, wanted, floats, self.kind)[0]
        error = error_bound(diagram, players_of(diagram, rows, floats), self.kind)
        return numbers.tolist(), error, float(means(diagram, floats)[self.label])

    def with_all_held(self, *, exact: bool) -> Score:
        """Return what the set of all features is worth."""
        row = np.array([self.row], dtype=np.intp)
        if self.of == "posterior":
            found = self.route.classifier.posterior(row, exact=True)[0, self.label]
            return found if exact else float(found)
        label = int(self.route.labels(row)[0])
        return Fraction(int(label == self.label)) if exact else float(label == self.label)

    def _by_table(self, exact: bool | None) -> tuple[list[Score], float, Score]:
        """Ask all instances, one by one."""
        count, sizes = self.route.domain.instance_count, self.route.domain.cardinalities
        check_count(self.route, self.kind, self.of, MOST_EXACT if exact else MOST_INSTANCES)
        fractions = exact or (exact is None and count <= MOST_EXACT)
        if self.of == "posterior":
            table = all_posteriors(self.route, fractions)[:, self.label]
        else:
            found = all_labels(self.route) == self.label
            table = found.astype(np.int64).astype(object) if fractions else found.astype(np.float64)
        marginals: Sequence[Any] = self.marginals if fractions else as_floats(self.marginals)
        found, mean = table_values(table.reshape(sizes), self.row, marginals, self.kind)
        if fractions:
            return [Fraction(number) for number in found], 0.0, Fraction(mean)
        return [float(number) for number in found], table_error(sizes), float(mean)


def check_count(route: Route, kind: ScoreKind, of: ScoreOf, most: int) -> None:
    """Refuse where more than ``most`` instances would have to be asked one by one."""
    if route.domain.instance_count <= most:
        return
    if of == "posterior":
        raise LimitExceeded(
            "the posterior is no function of the decision diagram, so that all instances are asked, and "
            f"these are more than {most}; ask of='decision', or choose fewer features"
        )
    raise NotCompiledError(f"{kind!r} of more than {most} instances")


def all_labels(route: Route) -> NDArray[np.intp]:
    """Return the label of each instance, the last feature varying fastest; none is left out."""
    free = route.free if isinstance(route, NetworkRoute) else route
    rows = all_rows(route.classifier.feature_variables, _ROWS_AT_ONCE)
    return np.concatenate([np.asarray(free.labels(some), dtype=np.intp) for some in rows])


def all_posteriors(route: Route, fractions: bool) -> NDArray[Any]:
    """Return ``[instance, class]`` the posteriors in the same order; 0 for an instance that is impossible."""
    classifier = route.classifier
    parts: list[NDArray[Any]] = [
        classifier.posterior(some, exact=True) if fractions else classifier.posterior(some)
        for some in all_rows(classifier.feature_variables, _ROWS_AT_ONCE)
    ]
    return np.concatenate(parts)


def table_error(sizes: Sequence[int]) -> float:
    """Return how far values from a table in floats may be off; posteriors are good to a few roundings."""
    return _ROUNDING * 4 * (sum(sizes) + 2 * prod(sizes).bit_length() + 32)


def listed_diagram(route: Route, kind: ScoreKind) -> Diagram:
    """Return the diagram of the decisions on all instances, where nothing is compiled and they are few."""
    check_count(route, kind, "decision", MOST_INSTANCES)
    labels = all_labels(route).astype(np.int64)
    builder = DiagramBuilder(len(route.decisions))
    (root,) = reduce_table(labels[None], route.domain.cardinalities, builder)
    return builder.finish(route.domain, range(len(route.domain)), int(root))


def as_floats(marginals: Sequence[Sequence[Fraction]]) -> list[Floats]:
    """Return marginals in floats."""
    return [np.array([float(share) for share in marginal]) for marginal in marginals]


def exact_means(diagram: Diagram, features: Sequence[Variable], marginals: Marginals) -> list[Fraction]:
    """Return the probability of each terminal where all features are drawn, exactly."""
    named = dict(zip((feature.name for feature in features), marginals, strict=True))
    masses = ByMarginals(features, named).masses(diagram)
    return [Fraction(mass, sum(masses)) for mass in masses]


def means(diagram: Diagram, marginals: Sequence[Floats]) -> Floats:
    """Return the probability of each terminal where all features are drawn."""
    met = np.zeros(diagram.size)
    met[diagram.root] = 1.0
    for feature, table, first in diagram.walk:
        checkpoint()
        here = met[first : first + len(table)]
        for state, share in enumerate(marginals[feature].tolist()):
            np.add.at(met, table[:, state], here * share)
    return met[: diagram.terminals]
