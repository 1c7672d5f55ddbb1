"""Who scores rows: what one kind of scores needs, by itself, so that it can be sent to workers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.budget import Budget
from bnc2d.base.readers.choices import ScoreKind
from bnc2d.explain.routes import Route, Sendable
from bnc2d.explain.scores import by_reasons
from bnc2d.explain.scores.asking import REASON_SECONDS, Question, Scored
from bnc2d.explain.scores.by_table import MOST_EXACT, MOST_INSTANCES, table_values
from bnc2d.explain.scores.exact import exact_values
from bnc2d.explain.scores.games import (
    Marginals,
    all_posteriors,
    as_floats,
    check_count,
    exact_means,
    free_diagram,
    listed_diagram,
    means,
    table_error,
)
from bnc2d.explain.scores.numbers import Score
from bnc2d.explain.scores.passes import error_bound, players_of, rows_at_once, values
from bnc2d.logic.diagram.diagram import Diagram


class Worker(Protocol):
    """Scores rows; ``rows_at_once`` says how many are best asked about together."""

    @property
    def rows_at_once(self) -> int:
        """The number of rows."""

    @property
    def unknown(self) -> Scored | None:
        """What is known of any row without looking at it."""

    def here(self) -> Self:
        """Return what answers in the thread of a worker."""

    def scored(self, rows: Rows, labels: Sequence[int], budget: Budget) -> list[Scored]:
        """Return the scores of rows that have these labels."""


@dataclass(frozen=True)
class OfReasons:
    """Occurrence or responsibility, from the reasons of each row, which get an even share of the time."""

    cases: Sendable
    kind: ScoreKind
    weighted: bool
    features: int
    rows_at_once: int = 16

    @property
    def unknown(self) -> Scored:
        """Shares are between 0 and 1."""
        return Scored([Fraction(1, 2)] * self.features, [(Fraction(0), Fraction(1))] * self.features)

    def here(self) -> Self:
        """Return what answers in the thread of a worker."""
        return replace(self, cases=self.cases.here())

    def scored(self, rows: Rows, labels: Sequence[int], budget: Budget) -> list[Scored]:
        """Return the scores, or their bounds."""
        found = []
        for row, label, share in zip(rows.tolist(), labels, budget.shares(len(rows)), strict=True):
            case = self.cases.case(label, True, row, ())
            left = share.left()
            own = Budget(REASON_SECONDS if left is None else left)
            own.left()  # it runs from here on
            if self.kind == "occurrence":
                one = by_reasons.occurrence(case, own, weighted=self.weighted)
            else:
                one = by_reasons.responsibility(case, own)
            found.append(Scored(one.numbers, one.bounds, one.reasons))
        return found


@dataclass(frozen=True)
class OnDiagram:
    """Values of games of the decision, or of class ``towards``, for all rows by the same passes."""

    diagram: Diagram
    kind: ScoreKind
    marginals: Marginals
    towards: int | None
    baseline: Sequence[Score]  # of each label
    exact: bool
    unknown: None = None

    @property
    def rows_at_once(self) -> int:
        """As many as passes take at a time."""
        return 16 if self.exact else rows_at_once(self.diagram, self.kind)

    def here(self) -> Self:
        """Return itself: a diagram does not change."""
        return self

    def scored(self, rows: Rows, labels: Sequence[int], budget: Budget) -> list[Scored]:
        """Return the values; without time ``TimeLimitExceeded`` is raised."""
        asked = list(labels) if self.towards is None else [self.towards] * len(rows)
        with budget.limiting(f"the {self.kind} values are not known"):
            numbers, error = self._exact(rows, asked) if self.exact else self._floats(rows, asked)
        found = []
        for one, own, of in zip(numbers, labels, asked, strict=True):
            value = Fraction(own == of) if self.exact else float(own == of)
            found.append(Scored(one, error=error, baseline=self.baseline[of], value=value))
        return found

    def _exact(self, rows: Rows, asked: Sequence[int]) -> tuple[Sequence[Sequence[Score]], float]:
        found = [
            exact_values(self.diagram, row, {label}, self.marginals, self.kind)
            for row, label in zip(rows.tolist(), asked, strict=True)
        ]
        return found, 0.0

    def _floats(self, rows: Rows, asked: Sequence[int]) -> tuple[Sequence[Sequence[Score]], float]:
        wanted = np.zeros((len(rows), self.diagram.terminals), dtype=bool)
        wanted[np.arange(len(rows)), asked] = True
        floats = as_floats(self.marginals)
        found: list[list[float]] = values(self.diagram, rows, wanted, floats, self.kind).tolist()
        return found, error_bound(self.diagram, players_of(self.diagram, rows, floats), self.kind)


@dataclass(frozen=True)
class OnTable:
    """Values of games of the posterior of a class, ``table[state, state, ..., class]``."""

    table: NDArray[Any]
    kind: ScoreKind
    marginals: Marginals
    towards: int | None
    exact: bool
    rows_at_once: int = 16
    unknown: None = None

    def here(self) -> Self:
        """Return itself: a table does not change."""
        return self

    def scored(self, rows: Rows, labels: Sequence[int], budget: Budget) -> list[Scored]:
        """Return the values; without time ``TimeLimitExceeded`` is raised."""
        marginals: Sequence[Any] = self.marginals if self.exact else as_floats(self.marginals)
        error = 0.0 if self.exact else table_error(self.table.shape[:-1])
        number = Fraction if self.exact else float
        found = []
        with budget.limiting(f"the {self.kind} values are not known"):
            for row, own in zip(rows.tolist(), labels, strict=True):
                label = own if self.towards is None else self.towards
                one, mean = table_values(self.table[..., label], row, marginals, self.kind)
                value = number(self.table[(*row, label)])
                found.append(Scored([number(x) for x in one], None, None, error, number(mean), value))
        return found


def worker_of(question: Question, route: Route) -> Worker:
    """Return who answers a question about rows that set every feature of a route."""
    kind, of = question.kind, question.of
    if not question.is_game:
        return OfReasons(route.sendable, kind, question.weighted, len(route.domain))
    diagram, exact = free_diagram(route), bool(question.exact)
    marginals = question.drawn.over(route.domain.names)
    if of == "posterior":
        check_count(route, kind, of, MOST_EXACT if exact else MOST_INSTANCES)
        table = all_posteriors(route, exact)
        shaped = table.reshape(*route.domain.cardinalities, table.shape[-1])
        return OnTable(shaped, kind, marginals, question.towards, exact)
    diagram = listed_diagram(route, kind) if diagram is None else diagram
    if exact:
        baseline: Sequence[Score] = exact_means(diagram, route.classifier.feature_variables, marginals)
    else:
        baseline = means(diagram, as_floats(marginals)).tolist()
    return OnDiagram(diagram, kind, marginals, question.towards, baseline, exact)
