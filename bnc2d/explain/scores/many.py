"""Scores of many decisions: the values of games for all rows by the same passes over the diagram."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from math import ceil, nan
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bnc2d.base.arrays import Rows
from bnc2d.base.budget import Budget, Progress, reporting
from bnc2d.base.readers.arguments import check_executor, count, seconds
from bnc2d.base.readers.choices import ScoreKind, ScoreOf
from bnc2d.base.readers.instances import AnyInstances, Form, encode_partial
from bnc2d.base.scales import Label
from bnc2d.base.threads import one_thread
from bnc2d.compile.shares.distribution import AnyDistribution
from bnc2d.compile.zeros.constraint import violation
from bnc2d.errors import TimeLimitExceeded
from bnc2d.explain.missing.smaller import smaller_route
from bnc2d.explain.routes import Route
from bnc2d.explain.scores.asking import Question, Scored
from bnc2d.explain.scores.scores import Scores
from bnc2d.explain.scores.workers import Worker, worker_of
from bnc2d.explain.spread import PARTS, on_executor
from bnc2d.model.partial import groups_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

_Found: TypeAlias = list[Scored | None]  # None where the time was up

_GRACE = 0.6  # seconds for decisions, whatever the time limit is
_MORE = 0.1  # seconds past the time limit in which rows still get bounds from a look at them


def scores_many(
    route: Route,
    rows: AnyInstances,
    kind: ScoreKind,
    distribution: AnyDistribution = None,
    executor: Executor | None = None,
    *,
    towards: Label | None = None,
    of: ScoreOf = "decision",
    weighted: bool = False,
    exact: bool | None = None,
    time_limit: float | None = None,
    progress: Progress = False,
    chunk_size: int | None = None,
) -> list[Scores] | pd.DataFrame:
    """Return the scores of each instance, in order, or for a data frame a frame with a column a feature.

    ``rows`` come in any form that ``predict`` takes; equal ones are asked once. Options are those of
    ``Explanation.scores``; ``exact`` is False unless it is asked for, and ``time_limit`` (seconds) is for the
    whole call: values of games raise ``LimitExceeded`` there, scores of reasons get an even share a row, and
    bounds. In the frame, which has the index of the rows, numbers are floats, and nan where a feature is
    missing. ``executor``, ``progress`` and ``chunk_size`` as in ``explain_many``.
    """
    question = Question(
        route.classifier, kind, distribution, towards=towards, of=of, weighted=weighted, exact=exact
    )
    time_limit = seconds(time_limit)
    if chunk_size is not None:
        chunk_size = count(chunk_size, "chunk_size", least=1)
    check_executor(executor)
    encoded = encode_partial(route.classifier.feature_variables, rows)
    budget = Budget(time_limit)
    budget.left()  # it runs from here on
    found: dict[int, Scores] = {}
    with reporting(progress) as report:
        for places, known, some in groups_of(encoded.rows):  # one group, but for rows with missing features
            own = route if len(known) == len(route.domain) else smaller_route(route, known)
            numbers = places.tolist() if len(encoded.rows) > 1 else [None]
            distinct, inverse = np.unique(some, axis=0, return_inverse=True)
            inverse = inverse.reshape(-1)
            left = budget.left()
            deciding = Budget(None if left is None else max(left, _GRACE))
            with deciding.limiting("the decisions are not known"):
                labels = np.asarray(own.labels(distinct), dtype=np.intp)
            outside = np.flatnonzero(labels[inverse] >= len(own.decisions))
            if outside.size:
                raise violation(numbers[int(outside[0])])

            def tell(done: float, before: int = len(found), size: int = len(places)) -> None:
                if report is not None:
                    report("score", (before + size * done) / len(encoded.rows))

            scores = score_rows(question, own, distinct, labels.tolist(), budget, executor, chunk_size, tell)
            for place, at in zip(places.tolist(), inverse.tolist(), strict=True):
                one = scores[at]
                if one is None:
                    raise TimeLimitExceeded(
                        f"the {kind} values are not known within the time limit of {time_limit:g} s"
                    )
                found[place] = one
    in_order = [found[place] for place in range(len(found))]
    if encoded.form is not Form.FRAME:
        return in_order
    return _frame(in_order, route.domain.names, rows)


def _frame(scores: Sequence[Scores], names: Sequence[str], rows: Any) -> pd.DataFrame:
    """Return the scores as a data frame with the index of the rows."""
    frame: pd.DataFrame = type(rows)(score_columns(scores, names), index=rows.index)
    return frame


def score_columns(scores: Sequence[Scores | None], names: Sequence[str]) -> dict[str, list[float]]:
    """Return for each feature the scores of all rows as floats; nan where it is missing, or time was up."""
    found: list[Scores | dict[str, float]] = [{} if one is None else one for one in scores]
    return {name: [float(one.get(name, nan)) for one in found] for name in names}


def score_rows(
    question: Question,
    route: Route,
    rows: Rows,
    labels: Sequence[int],
    budget: Budget,
    executor: Executor | None,
    chunk_size: int | None,
    tell: Callable[[float], object],
) -> list[Scores | None]:
    """Return the scores of rows that set every feature of the route; None where the time was up.

    ``tell`` hears how much is done.
    """
    for label in set(labels):
        question.check_label(route, label)
    try:
        with (budget if question.is_game else Budget()).limiting(f"the {question.kind} values are not known"):
            worker = worker_of(question, route)
    except TimeLimitExceeded:
        return [None] * len(rows)
    left = budget.left()
    deadline = None if left is None else time.time() + left
    found: _Found = []
    for some in _answers(worker, rows, labels, deadline, executor, chunk_size):
        found += some
        tell(len(found) / len(rows))
    return [
        None if one is None else question.scores(route, label, one)
        for one, label in zip(found, labels, strict=True)
    ]


def _answers(
    worker: Worker,
    rows: Rows,
    labels: Sequence[int],
    deadline: float | None,
    executor: Executor | None,
    chunk_size: int | None,
) -> Iterator[_Found]:
    """Yield what is found of each chunk of rows, in order."""
    most = worker.rows_at_once if executor is None else min(worker.rows_at_once, ceil(len(rows) / PARTS))
    size = chunk_size or max(1, most)
    starts = range(0, len(rows), size)

    def pieces() -> Iterator[tuple[partial[_Found], _Found]]:
        for start in starts:
            some, own = rows[start : start + size], labels[start : start + size]
            after = max(0, len(rows) - start - size)
            score = _score_chunk if executor is None else _score_there
            yield partial(score, worker, some, own, deadline, after), [worker.unknown] * len(some)

    def left() -> float | None:
        return None if deadline is None else deadline - time.time()

    if executor is not None:
        yield from on_executor(pieces(), executor, left)
        return
    for piece, _ in pieces():
        yield piece()


@one_thread
def _score_chunk(
    worker: Worker, rows: Rows, labels: Sequence[int], deadline: float | None, after: int
) -> _Found:
    """Score some rows, ``after`` being the number of those that follow."""
    left = None if deadline is None else deadline - time.time()
    if left is not None and left < -_MORE:
        return [worker.unknown] * len(rows)
    own = None
    if left is not None:
        own = max(0.0, left) * (len(rows) / (len(rows) + after) if worker.unknown is not None else 1)
    try:
        return list(worker.scored(rows, labels, Budget(own)))
    except TimeLimitExceeded:
        return [None] * len(rows)


def _score_there(
    worker: Worker, rows: Rows, labels: Sequence[int], deadline: float | None, after: int
) -> _Found:
    """Score some rows on a worker of an executor."""
    return _score_chunk(worker.here(), rows, labels, deadline, after)
