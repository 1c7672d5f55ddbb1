"""Scores of many decisions: the values of games for all rows by the same passes over the diagram."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.budget import Budget
from bnc2d.base.readers.arguments import seconds
from bnc2d.base.readers.instances import AnyInstances, Form, encode_partial
from bnc2d.base.scales import Label
from bnc2d.compile.shares.distribution import AnyDistribution
from bnc2d.compile.zeros.constraint import violation
from bnc2d.explain.missing.smaller import smaller_route
from bnc2d.explain.routes import Route
from bnc2d.explain.scores.asking import Asked, Question
from bnc2d.explain.scores.games import as_floats, free_diagram, means
from bnc2d.explain.scores.passes import error_bound, players_of, values
from bnc2d.explain.scores.scores import ScoreKind, ScoreOf, Scores
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.model.partial import groups_of

if TYPE_CHECKING:
    import pandas as pd


def scores_many(
    route: Route,
    rows: AnyInstances,
    kind: ScoreKind,
    distribution: AnyDistribution = None,
    *,
    towards: Label | None = None,
    of: ScoreOf = "decision",
    weighted: bool = False,
    exact: bool | None = None,
    time_limit: float | None = None,
) -> list[Scores] | pd.DataFrame:
    """Return the scores of each instance, in order, or for a data frame a frame with a column a feature.

    ``rows`` come in any form that ``predict`` takes; equal ones are asked once. Options are those of
    ``Explanation.scores``; ``exact`` is False unless it is asked for, and ``time_limit`` (seconds) is for the
    whole call: values of games raise ``LimitExceeded`` there, scores of reasons get an even share a row. In
    the frame, which has the index of the rows, numbers are floats, and nan where a feature is missing.
    """
    question = Question(
        route.classifier, kind, distribution, towards=towards, of=of, weighted=weighted, exact=exact
    )
    encoded = encode_partial(route.classifier.feature_variables, rows)
    budget = Budget(seconds(time_limit))
    budget.left()  # it runs from here on
    found: dict[int, Scores] = {}
    for places, known, some in groups_of(encoded.rows):  # one group, but for rows with missing features
        own = route if len(known) == len(route.domain) else smaller_route(route, known)
        numbers = places.tolist() if len(encoded.rows) > 1 else [None]
        distinct, inverse = np.unique(some, axis=0, return_inverse=True)
        inverse = inverse.reshape(-1)
        with budget.limiting("the decisions are not known"):
            labels = np.asarray(own.labels(distinct), dtype=np.intp)
        outside = np.flatnonzero(labels[inverse] >= len(own.decisions))
        if outside.size:
            raise violation(numbers[int(outside[0])])
        scores = _scores(question, own, distinct, labels, budget)
        found.update(zip(places.tolist(), (scores[place] for place in inverse.tolist()), strict=True))
    in_order = [found[place] for place in range(len(found))]
    if encoded.form is not Form.FRAME:
        return in_order
    return _frame(in_order, route.domain.names, rows)


def _frame(scores: Sequence[Scores], names: Sequence[str], rows: Any) -> pd.DataFrame:
    """Return the scores as a data frame with the index of the rows."""
    columns = {name: [float(one.get(name, nan)) for one in scores] for name in names}
    frame: pd.DataFrame = type(rows)(columns, index=rows.index)
    return frame


def _scores(
    question: Question, route: Route, rows: Rows, labels: NDArray[np.intp], budget: Budget
) -> list[Scores]:
    """Return the scores of rows that set every feature of the route."""
    if question.is_game and question.of == "decision" and not question.exact:
        diagram = free_diagram(route)
        if diagram is not None:
            with budget.limiting(f"the {question.kind} values are not known"):
                return _games(question, route, diagram, rows, labels)
    found = []
    for row, label, share in zip(rows.tolist(), labels.tolist(), budget.shares(len(rows)), strict=True):
        case = route.case(label, True, row, ())
        asked = Asked(route, row, label, frozenset(), {}, case)
        found.append(question.about(asked, share.left()))
    return found


def _games(
    question: Question, route: Route, diagram: Diagram, rows: Rows, labels: NDArray[np.intp]
) -> list[Scores]:
    """Return the values of games, in floats."""
    asked = labels if question.towards is None else np.full_like(labels, question.towards)
    wanted = np.zeros((len(rows), diagram.terminals), dtype=bool)
    wanted[np.arange(len(rows)), asked] = True
    marginals = as_floats(question.drawn.over(route.domain.names))
    numbers = values(diagram, rows, wanted, marginals, question.kind).tolist()
    error = error_bound(diagram, players_of(diagram, rows, marginals), question.kind)
    drawn = means(diagram, marginals).tolist()
    names = route.domain.names
    return [
        question.game_scores(
            route,
            label,
            dict(zip(names, row, strict=True)),
            error,
            drawn[of],
            float(label == of),
        )
        for row, label, of in zip(numbers, labels.tolist(), asked.tolist(), strict=True)
    ]
