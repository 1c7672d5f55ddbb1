"""Explain many decisions, on this process or on any executor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np

from bnc2d.base.arrays import Rows
from bnc2d.base.budget import Budget, Progress, ProgressCallback, reporting
from bnc2d.base.readers.arguments import check_executor, count, items, named, seconds
from bnc2d.base.readers.arguments import limit as checked_limit
from bnc2d.base.readers.choices import (
    EXPLAIN_KINDS,
    GAMES,
    REASON_KINDS,
    SCORE_KINDS,
    Cut,
    DecidedBy,
    ExplainKind,
    ReasonKind,
)
from bnc2d.base.readers.instances import AnyInstances, Form, encode_partial
from bnc2d.base.scales import Label
from bnc2d.base.threads import one_thread
from bnc2d.compile.shares.distribution import AnyDistribution
from bnc2d.compile.zeros.constraint import violation
from bnc2d.errors import ArgumentError, ClassifierError, TimeLimitExceeded, did_you_mean
from bnc2d.explain import listing
from bnc2d.explain.missing.smaller import COMPILE_SECONDS, smaller_route
from bnc2d.explain.routes import Route, Sendable
from bnc2d.explain.scores.asking import Question
from bnc2d.explain.scores.many import score_columns, score_rows
from bnc2d.explain.scores.scores import Scores
from bnc2d.explain.spread import PARTS, on_executor
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.terms import Clause, Term
from bnc2d.model.partial import groups_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

_Rows: TypeAlias = list[tuple[int, list[int]]]  # labels and state positions
# A reason, as masks, and its features that are not proved to be needed.
_Reason: TypeAlias = tuple[dict[FeatureId, StateMask], tuple[str, ...]]
# What a worker sends back for one instance: of each kind the reasons, and how they were cut.
_Found: TypeAlias = list[tuple[list[_Reason], Cut | None]]

KINDS: dict[ReasonKind, Any] = {kind: Clause if kind.endswith("necessary") else Term for kind in REASON_KINDS}
_LARGE_PARTS = 4  # chunks there are at least, if so many rows, where these are best asked together
_COMPILING_SECONDS = 30.0  # for the smaller classifiers of partial rows, all together
_GRACE = 0.6  # seconds past the time limit in which rows still get one reason of each kind


@dataclass(frozen=True)
class Row:
    """One decision with its reasons by kind; ``cut`` says of each kind whether a limit ended the list.

    ``scores`` has scores by kind; ``cut`` is "time" where they were not found in time, or have bounds.
    ``possible`` and ``decided_by`` say whether the instance can be met at all, and what decided it (see
    ``Basis``). Where features are ``missing``, the instance has the others, and reasons are about these.
    """

    instance: dict[str, str]
    decision: Label | None
    possible: bool
    decided_by: DecidedBy
    reasons: dict[str, tuple[Term, ...] | tuple[Clause, ...]]
    cut: dict[str, Cut | None]
    missing: tuple[str, ...] = ()
    scores: dict[str, Scores] = field(default_factory=dict)


class ManyOptions(TypedDict, total=False):
    """The options of ``explain_many``."""

    kinds: Sequence[ExplainKind]
    distribution: AnyDistribution
    limit: int | None
    time_limit: float | None
    progress: Progress
    chunk_size: int | None


def explain_many(
    route: Route,
    rows: AnyInstances,
    executor: Executor | None = None,
    *,
    kinds: Sequence[ExplainKind] = ("sufficient", "necessary"),
    distribution: AnyDistribution = None,
    limit: int | None = 5,
    time_limit: float | None = None,
    progress: Progress = False,
    chunk_size: int | None = None,
) -> list[Row] | pd.DataFrame:
    """Return a ``Row`` for each instance, in order, or for a data frame a frame with the same index.

    ``rows`` come in any form that ``predict`` takes, with features missing or not; equal rows are explained
    once. Of each of the ``kinds``
    at most ``limit`` reasons are listed. ``time_limit`` is for the whole call, in seconds: each row gets an
    even share of what those before it left, and a list that its share ends has one reason at least, which
    takes milliseconds; only where not even that fits are the last rows left without. Where even inference
    takes longer than the limit, ``LimitExceeded`` is raised. Without compiling, a list that its share ends
    may be empty, and a sufficient reason may have features that are not proved to be needed (``unproved``);
    where one sufficient reason a row is asked for, many rows are explained together, as far as the time goes.

    Kinds may also be scores (``"occurrence"``, ``"responsibility"``, ``"shapley"``, ``"banzhaf"``), as
    ``scores_many`` gives them, without a limit of their number; ``distribution`` is what features are drawn
    from in the last two. Values of games that are not known in time are left out.

    In a frame, each kind is a column of text, the reasons apart by ``"; "``, beside ``decision``,
    ``possible``, ``decided_by`` and ``cut``, which names the kinds that a limit ended; where some row lacks
    features, ``missing`` names them. Scores have a column of floats a feature, ``"shapley(BP)"``.

    ``executor`` may be any of the kind of ``concurrent.futures`` (dask's ``Client.get_executor()``, say). It
    is sent the decision diagram, or the network, with ``chunk_size`` rows at a time, and gives the same
    reasons, and scores but for roundings, as no executor where there is no time limit; a diagram that
    is too large to send within one is walked here.
    ``progress`` as in ``compile``.
    """
    kinds = items(kinds, "kinds", "a list", ClassifierError)
    for kind in kinds:
        if not isinstance(kind, str) or kind not in EXPLAIN_KINDS:
            raise ClassifierError(
                f"unknown kind of reasons or scores {named(kind)}{did_you_mean(kind, EXPLAIN_KINDS)}"
            )
    if distribution is not None and not any(kind in GAMES for kind in kinds):
        raise ArgumentError("distribution is for the kinds 'shapley' and 'banzhaf', which were not asked for")
    listed = tuple(reasons for kind in kinds for reasons in REASON_KINDS if reasons == kind)
    questions = [
        Question(route.classifier, kind, distribution if kind in GAMES else None)
        for kind in sorted(SCORE_KINDS, key=lambda kind: kind not in GAMES)  # first what is quick
        if kind in kinds
    ]
    limit, time_limit = checked_limit(limit), seconds(time_limit)
    if chunk_size is not None:
        chunk_size = count(chunk_size, "chunk_size", least=1, error=ClassifierError)
    check_executor(executor)
    left = Budget(time_limit)
    left.left()  # it runs from here on
    encoded = encode_partial(route.classifier.feature_variables, rows)
    total, compiling = max(1, len(encoded.rows)), _COMPILING_SECONDS
    records: dict[int, Row] = {}
    with reporting(progress) as report:
        for places, known, some in groups_of(encoded.rows):  # one group, but for rows with missing features
            share = left.share(len(places) / max(1, total - len(records))).left()
            own = route
            missing: tuple[str, ...] = ()
            if len(known) < len(route.domain):
                started = time.monotonic()
                most = min(COMPILE_SECONDS, compiling, compiling if share is None else share)
                own = smaller_route(route, known, most)
                compiling = max(0.0, compiling - (time.monotonic() - started))
                missing = tuple(n for feature, n in enumerate(route.domain.names) if feature not in known)
            budget = Budget(share)
            budget.left()  # it runs from here on
            mine = share if share is None or not questions else share * len(listed) / len({*kinds})
            deadline = None if mine is None else time.time() + mine
            work = _Work(own.sendable, listed, limit, deadline)
            tell = partial(_tell, report, len(records) / total, len(places) / total)
            numbers: list[int | None] = places.tolist() if total > 1 else [None]
            spread = _Spread(executor, chunk_size, budget, tell)
            found = _records(own, some, numbers, missing, work, questions, spread)
            records.update(zip(places.tolist(), found, strict=True))
    in_order = [records[place] for place in range(len(records))]
    if encoded.form is not Form.FRAME:
        return in_order
    return _frame(in_order, kinds, route.domain.names, rows)


def _tell(report: ProgressCallback | None, before: float, share: float, done: float) -> None:
    if report is not None:
        report("explain", before + share * done)


@dataclass(frozen=True)
class _Spread:
    """How rows are shared out, the time for all of them, and who hears how far it is."""

    executor: Executor | None
    chunk_size: int | None
    budget: Budget
    tell: Callable[[float], object]


def _records(
    route: Route,
    rows: Rows,
    numbers: Sequence[int | None],
    missing: tuple[str, ...],
    work: _Work,
    questions: Sequence[Question],
    spread: _Spread,
) -> list[Row]:
    """Return the records of rows that set every feature of the route; errors call them by ``numbers``."""
    distinct, inverse = np.unique(rows, axis=0, return_inverse=True)
    left = spread.budget.left()
    budget = Budget(None if left is None else max(left, _GRACE))
    with budget.limiting("the decisions are not known"):
        labels: list[int] = route.labels(distinct).tolist()
    counted = np.array([label < len(route.decisions) for label in labels], dtype=bool)
    outside = np.flatnonzero(~counted[inverse.reshape(-1)])
    if outside.size:
        raise violation(numbers[int(outside[0])])
    with budget.limiting("which rows are possible is not known"):
        bases = route.classifier.bases(distinct)
    found: list[_Found] = []
    labelled = list(zip(labels, distinct.tolist(), strict=True))
    parts = len(questions) + bool(work.kinds)
    if work.kinds:
        for answer in _answers(work, labelled, spread.executor, spread.chunk_size):
            found += answer
            spread.tell(len(found) / len(distinct) / parts)
    else:
        found = [[] for _ in labels]
    scores = _scores(questions, route, distinct, labels, spread, parts)
    records = []
    for place, row in zip(inverse.reshape(-1).tolist(), rows.tolist(), strict=True):
        reasons: dict[str, Any] = {}
        cut: dict[str, Cut | None] = {}
        for kind, (masks, ended) in zip(work.kinds, found[place], strict=True):
            reasons[kind] = tuple(KINDS[kind].from_masks(route.domain, *one) for one in masks)
            cut[kind] = ended
        own = {kind: one for kind, some in scores.items() if (one := some[place]) is not None}
        cut.update({kind: None if kind in own and own[kind].complete else "time" for kind in scores})
        decided, basis = route.decisions[labels[place]], bases[place]
        instance = route.domain.decode(row)
        records.append(Row(instance, decided, basis.possible, basis.decided_by, reasons, cut, missing, own))
    return records


def _scores(
    questions: Sequence[Question],
    route: Route,
    rows: Rows,
    labels: Sequence[int],
    spread: _Spread,
    parts: int,
) -> dict[str, list[Scores | None]]:
    """Return the scores of each row by kind, each of these having an even share of the time that is left."""
    found: dict[str, list[Scores | None]] = {}
    shares = zip(questions, spread.budget.shares(len(questions)), strict=True)
    for before, (question, share) in enumerate(shares, start=parts - len(questions)):

        def tell(done: float, before: int = before) -> None:
            spread.tell((before + done) / parts)

        more = (share, spread.executor, spread.chunk_size, tell)
        found[question.kind] = score_rows(question, route, rows, labels, *more)
    return found


@dataclass(frozen=True)
class _Work:
    """What every chunk needs: which reasons, who answers, and until when, by the machine's clock."""

    cases: Sendable
    kinds: tuple[ReasonKind, ...]
    limit: int | None
    deadline: float | None

    def left(self) -> float | None:
        """Return the seconds that are left, less than 0 past the deadline; None where there is none."""
        return None if self.deadline is None else self.deadline - time.time()

    def reasons(self, label: int, row: list[int], seconds: float | None) -> _Found:
        """Return the reasons of each kind for a row of state positions.

        Each list has one at least, if they take no search.
        """
        case = self.cases.case(label, True, row, ())
        budget = Budget(None if seconds is None else max(0.0, seconds))
        found: _Found = []
        for kind, share in zip(self.kinds, budget.shares(len(self.kinds)), strict=True):
            general = kind.startswith("general")
            listed = listing.reasons(KINDS[kind], case, general, self.limit, share.left())
            reasons = [(dict(reason.masks), reason.unproved) for reason in listed]
            unproved = any(names for _, names in reasons)
            found.append((reasons, "time" if unproved else listed.cut))
        return found

    def at_least(self, label: int, row: list[int]) -> _Found:
        """Return one reason of each kind, if that takes no search; none once the time is up."""
        left = self.left()
        late = left is not None and left < -_GRACE
        if late or not self.cases.is_quick:
            return [([], "time") for _ in self.kinds]
        return self.reasons(label, row, 0.0)

    def one_each(self, rows: _Rows) -> dict[int, _Found]:
        """Return what is found for several rows at once, by their place, if one reason each is asked for."""
        found: dict[int, _Found] = {}
        if self.kinds != ("sufficient",) or self.limit != 1:
            return found
        places: dict[int, list[int]] = {}
        for place, (label, _) in enumerate(rows):
            places.setdefault(label, []).append(place)
        left = self.left()
        try:
            with Budget(None if left is None else max(0.0, left)).limiting("no reasons"):
                for label, some in places.items():
                    positions = np.array([rows[place][1] for place in some], dtype=np.intp)
                    reasons = self.cases.one_reason_each(label, positions) or ()
                    for place, reason in zip(some, reasons, strict=False):
                        masks = {feature: 1 << rows[place][1][feature] for feature in reason.features}
                        found[place] = [([(masks, ())], None if reason.is_only else "limit")]
        except TimeLimitExceeded:  # some rows are left without
            pass
        return found


@one_thread
def _explain_chunk(work: _Work, rows: _Rows, after: int, at_least: Sequence[_Found] = ()) -> list[_Found]:
    """Explain some rows, ``after`` being the number of those that follow.

    Past the deadline a row has what is known of it ``at_least``, where that is given.
    """
    known = work.one_each(rows)
    found = []
    for number, (label, row) in enumerate(rows):
        left = work.left()
        if number in known:
            found.append(known[number])
        elif at_least and left is not None and left <= 0:
            found.append(at_least[number])
        else:
            share = None if left is None else left / (len(rows) - number + after)
            found.append(work.reasons(label, row, share))
    return found


def _explain_there(work: _Work, rows: _Rows, after: int) -> list[_Found]:
    """Explain some rows on a worker of an executor."""
    return _explain_chunk(replace(work, cases=work.cases.here()), rows, after)


def _answers(
    work: _Work, rows: _Rows, executor: Executor | None, chunk_size: int | None
) -> Iterator[list[_Found]]:
    """Yield what was found for each chunk of rows, in order; on an error those still waiting are given up.

    Rows that are not answered at the deadline get what there is at least.
    """
    together = executor is None and work.deadline is None and not work.cases.is_quick
    parts = _LARGE_PARTS if together else PARTS
    size = chunk_size or max(1, min(work.cases.rows_at_once, len(rows) // parts))
    chunks = [rows[start : start + size] for start in range(0, len(rows), size)]
    after, left = len(rows), work.left()
    at_least = [[work.at_least(*row) for row in ([] if left is None else chunk)] for chunk in chunks]
    if executor is None or (left is not None and left < work.cases.seconds_to_send):
        for chunk, known in zip(chunks, at_least, strict=True):
            after -= len(chunk)
            yield _explain_chunk(work, chunk, after, known)
        return

    def pieces() -> Iterator[tuple[partial[list[_Found]], list[_Found]]]:
        rest = len(rows)
        for chunk, known in zip(chunks, at_least, strict=True):
            rest -= len(chunk)
            yield partial(_explain_there, work, chunk, rest), known

    yield from on_executor(pieces(), executor, work.left)


def _frame(records: list[Row], kinds: Sequence[ExplainKind], names: Sequence[str], rows: Any) -> pd.DataFrame:
    """Return the records as a data frame with the index of the rows."""
    columns: dict[str, Any] = {
        name: [getattr(record, name) for record in records] for name in ("decision", "possible", "decided_by")
    }
    for kind in kinds:
        if kind in SCORE_KINDS:
            numbers = score_columns([record.scores.get(kind) for record in records], names)
            columns.update({f"{kind}({name})": column for name, column in numbers.items()})
        else:
            columns[kind] = ["; ".join(map(str, record.reasons[kind])) for record in records]
    if any(record.missing for record in records):
        columns["missing"] = [", ".join(record.missing) for record in records]
    columns["cut"] = [", ".join(kind for kind in kinds if record.cut[kind] is not None) for record in records]
    frame: pd.DataFrame = type(rows)(columns, index=rows.index)
    return frame
