"""Explain many decisions, on this process or on any executor."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import numpy as np

from bnc2d.compile.limits import ProgressCallback, reporting
from bnc2d.compile.model import CompiledModel
from bnc2d.compile.store import model_from_bytes, model_to_bytes
from bnc2d.errors import ClassifierError, did_you_mean
from bnc2d.explain.explanation import explain
from bnc2d.explain.questions import decisions
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.terms import Clause, Term
from bnc2d.model.decision import DecidedBy
from bnc2d.model.instances import Kind, encode

Cut: TypeAlias = Literal["limit", "time"] | None
# What a worker sends back for one instance: of each kind the reasons, as masks, and how they were cut.
_Found: TypeAlias = list[tuple[list[dict[FeatureId, StateMask]], Cut]]

KINDS: dict[str, type[Term] | type[Clause]] = {
    "sufficient": Term,
    "necessary": Clause,
    "general_sufficient": Term,
    "general_necessary": Clause,
}
# Rows of a chunk, and chunks that an executor holds: each of them holds the model.
_MOST_ROWS_AT_ONCE = 64
_MOST_CHUNKS_AT_ONCE = 256


@dataclass(frozen=True)
class Row:
    """One decision with its reasons by kind; ``cut`` says of each kind whether a limit ended the list.

    ``possible`` and ``decided_by`` say whether the instance can be met at all, and what decided it (see
    ``Basis``).
    """

    instance: dict[str, str]
    decision: str | None
    possible: bool
    decided_by: DecidedBy
    reasons: dict[str, tuple[Term, ...] | tuple[Clause, ...]]
    cut: dict[str, Cut]


def explain_many(
    model: CompiledModel,
    rows: Any,
    executor: Executor | None = None,
    *,
    kinds: Sequence[str] = ("sufficient", "necessary"),
    limit: int | None = 5,
    time_limit: float | None = None,
    progress: ProgressCallback | bool | None = False,
    chunk_size: int | None = None,
) -> Any:
    """Return a ``Row`` for each instance, in order, or for a data frame a frame with the same index.

    ``rows`` come in any form that ``predict`` takes; equal rows are explained once. Of each kind (a key of
    ``KINDS``) at most ``limit`` reasons are listed, for at most ``time_limit`` seconds a kind and row. In a
    frame, each kind is a column of text, the reasons apart by ``"; "``, beside ``decision``, ``possible``,
    ``decided_by`` and ``cut``, which names the kinds that a limit ended.

    ``executor`` may be any of the kind of ``concurrent.futures`` (dask's ``Client.get_executor()``, say). It
    is sent the model in its saved form with ``chunk_size`` rows at a time, and gives the same reasons as no
    executor unless the time limit ends a list. ``progress`` as in ``compile``.
    """
    _check_options(kinds, chunk_size)
    encoded = encode(model.classifier.feature_variables, rows)
    distinct, inverse = np.unique(encoded.rows, axis=0, return_inverse=True)
    labels = model.diagram.labels(distinct)
    for label in np.unique(labels).tolist():
        if label < len(model.classes):
            model.formula(model.classes[label])  # made once, here, and saved with the model
    work = _Work(model_to_bytes(model), tuple(kinds), limit, time_limit)
    with reporting(progress) as report:
        found = _run(work, distinct.tolist(), executor, chunk_size, report)
    names = decisions(model)
    bases = model.classifier.bases(distinct)
    records = []
    for place, row in zip(inverse.reshape(-1).tolist(), encoded.rows.tolist(), strict=True):
        lists = dict(zip(kinds, found[place], strict=True))
        reasons: Any = {
            kind: tuple(KINDS[kind].from_masks(model.domain, part) for part in parts)
            for kind, (parts, _) in lists.items()
        }
        cut = {kind: ended for kind, (_, ended) in lists.items()}
        decided, basis = names[labels[place]], bases[place]
        instance = model.domain.decode(row)
        records.append(Row(instance, decided, basis.possible, basis.decided_by, reasons, cut))
    return _frame(records, kinds, rows) if encoded.kind is Kind.FRAME else records


def _check_options(kinds: Sequence[str], chunk_size: int | None) -> None:
    if isinstance(kinds, str):
        raise ClassifierError(f"kinds must be a list, not the text {kinds!r}")
    for kind in kinds:
        if kind not in KINDS:
            raise ClassifierError(f"unknown kind of reasons {kind!r}{did_you_mean(kind, KINDS)}")
    if chunk_size is not None and chunk_size < 1:
        raise ClassifierError(f"chunk_size must be at least 1, but is {chunk_size}")


@dataclass(frozen=True)
class _Work:
    """What every chunk needs: the model as saved, and which reasons are wanted."""

    model: bytes
    kinds: tuple[str, ...]
    limit: int | None
    time_limit: float | None


@lru_cache(maxsize=2)
def _model(saved: bytes) -> CompiledModel:
    """Return the model; a process that gets many chunks of it reads it once."""
    return model_from_bytes(saved)


def _explain_chunk(work: _Work, rows: list[list[int]]) -> list[_Found]:
    """Explain some rows of state positions; this is what runs on the executor."""
    return [_reasons(_model(work.model), work, row) for row in rows]


def _reasons(model: CompiledModel, work: _Work, row: list[int]) -> _Found:
    explanation = explain(model, model.domain.decode(row))
    found: _Found = []
    for kind in work.kinds:
        reasons = getattr(explanation, f"{kind}_reasons")(limit=work.limit, time_limit=work.time_limit)
        found.append(([dict(reason.masks) for reason in reasons], reasons.cut))
    return found


def _run(
    work: _Work,
    rows: list[list[int]],
    executor: Executor | None,
    chunk_size: int | None,
    report: ProgressCallback | None,
) -> list[_Found]:
    """Return what was found for each row, in order."""
    size = chunk_size or max(1, min(_MOST_ROWS_AT_ONCE, len(rows) // 16))
    chunks = [rows[start : start + size] for start in range(0, len(rows), size)]
    found: list[_Found] = []
    for answer in _answers(work, chunks, executor):
        found += answer
        if report is not None:
            report("explain", len(found) / len(rows))
    return found


def _answers(work: _Work, chunks: list[list[list[int]]], executor: Executor | None) -> Iterator[list[_Found]]:
    """Yield the answer to each chunk, in order; on an error the chunks still waiting are given up."""
    if executor is None:
        model = model_from_bytes(work.model)  # node numbers can decide which reasons come first
        for chunk in chunks:
            yield [_reasons(model, work, row) for row in chunk]
        return
    waiting: deque[Future[list[_Found]]] = deque()
    try:
        for chunk in chunks:
            if len(waiting) == _MOST_CHUNKS_AT_ONCE:
                yield waiting.popleft().result()
            waiting.append(executor.submit(_explain_chunk, work, chunk))
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def _frame(records: list[Row], kinds: Sequence[str], rows: Any) -> Any:
    """Return the records as a data frame with the index of the rows."""
    columns: dict[str, list[object]] = {
        name: [getattr(record, name) for record in records] for name in ("decision", "possible", "decided_by")
    }
    for kind in kinds:
        columns[kind] = ["; ".join(map(str, record.reasons[kind])) for record in records]
    columns["cut"] = [", ".join(kind for kind in kinds if record.cut[kind] is not None) for record in records]
    return type(rows)(columns, index=rows.index)
