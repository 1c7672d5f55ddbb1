"""The rows that an auditor brings: each is read by itself, so that a wrong one costs no other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.api.compiled_model import CompiledModel, GivenModel
from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import checked
from bnc2d.base.readers.arguments import as_text, is_series, items, one_row, shown
from bnc2d.base.readers.instances import encode_partial, encode_partial_one
from bnc2d.base.readers.missing import MISSING, is_missing
from bnc2d.compile.zeros.constraint import violation
from bnc2d.errors import InstanceError, UnknownNameError, did_you_mean
from bnc2d.logic.domain import Domain

UNKNOWN_GROUP = "(unknown)"


@dataclass(frozen=True)
class RawRow:
    """A row as it came: its cells by column, or what is wrong with it; ``line`` is that of a file."""

    number: int
    cells: Mapping[str, object]
    error: str = ""
    line: int | None = None


@dataclass(frozen=True)
class WrongRow:
    """A row that cannot be decided, and why."""

    number: int
    line: int | None
    error: str


@dataclass(frozen=True)
class RowTable:
    """The rows that can be decided, and those that cannot.

    ``codes`` has positions of states, ``MISSING`` where a feature is; ``numbers`` are those of the rows, from
    1; ``groups`` has for each protected name the group of each row.
    """

    domain: Domain
    numbers: NDArray[np.int64]
    codes: Rows
    groups: Mapping[str, Sequence[str]]
    wrong: tuple[WrongRow, ...]

    @property
    def total(self) -> int:
        """How many rows there are."""
        return len(self.numbers) + len(self.wrong)

    @cached_property
    def complete(self) -> NDArray[np.intp]:
        """The positions of the rows that set every feature."""
        return np.flatnonzero((self.codes != MISSING).all(axis=1))

    @cached_property
    def partial(self) -> NDArray[np.intp]:
        """The positions of the rows in which a feature is missing."""
        return np.flatnonzero((self.codes == MISSING).any(axis=1))

    def instance(self, position: int) -> dict[str, str]:
        """Return what a row knows."""
        pairs = zip(self.domain.names, self.domain.states, self.codes[position].tolist(), strict=True)
        return {name: states[code] for name, states, code in pairs if code != MISSING}


def read_rows(model: CompiledModel, rows: object, protected: Sequence[str]) -> RowTable:
    """Return rows in any form that ``predict`` takes, or ``RawRow`` objects, each read by itself.

    A row that names an unknown state, lacks a column or violates the model's constraint is wrong and says
    why. Columns that are no features are ignored, but for those that are protected.
    """
    features = model.classifier.feature_variables
    numbers: list[int] = []
    codes: list[list[int]] = []
    groups: dict[str, list[str]] = {name: [] for name in protected}
    wrong: list[WrongRow] = []
    known: dict[tuple[object, ...], list[int] | str] = {}
    for row in checked(list(_raw(model, rows)), 64):
        found = row.error or _codes(model, row.cells, known)
        if isinstance(found, str):
            wrong.append(WrongRow(row.number, row.line, found))
            continue
        numbers.append(row.number)
        codes.append(found)
        for name, listed in groups.items():
            listed.append(_group(model, name, found, row.cells))
    array = np.array(codes, dtype=np.intp).reshape(len(codes), len(features))
    return RowTable(model.domain, np.array(numbers, dtype=np.int64), array, groups, tuple(wrong))


def columns_of(rows: object) -> list[str]:
    """Return the names of the columns, as far as the rows tell."""
    if hasattr(rows, "columns") and hasattr(rows, "iloc"):
        return [str(name) for name in rows.columns]
    if isinstance(rows, Sequence) and not isinstance(rows, str | bytes):
        first = next(iter(rows), None)
        cells = first.cells if isinstance(first, RawRow) else first
        return [str(name) for name in cells] if isinstance(cells, Mapping) else []
    return []


def _raw(model: CompiledModel, rows: Any) -> Iterable[RawRow]:
    if isinstance(rows, np.ndarray):
        found = encode_partial(model.classifier.feature_variables, rows).rows
        return [RawRow(at, model.domain.decode(row)) for at, row in enumerate(found.tolist(), start=1)]
    if hasattr(rows, "columns") and hasattr(rows, "iloc"):
        return _of_frame(model, rows)
    if isinstance(rows, Mapping | str | bytes) or is_series(rows):
        raise InstanceError(f"rows are a list of instances or a data frame, not {shown(rows)}")
    listed = items(rows, "rows", "a list of instances or a data frame", InstanceError)
    return [row if isinstance(row, RawRow) else _of_mapping(row, at) for at, row in enumerate(listed, 1)]


def _of_frame(model: CompiledModel, frame: Any) -> list[RawRow]:
    columns = [str(name) for name in frame.columns]
    for name in model.features:
        if name not in columns:
            hint = did_you_mean(name, columns)
            raise InstanceError(f"the rows have no column for the feature {name!r}{hint}")
        if columns.count(name) > 1:
            raise InstanceError(f"the rows have more than one column {name!r}")
    lists = [np.asarray(frame.iloc[:, at], dtype=object).tolist() for at in range(len(columns))]
    cells = zip(*lists, strict=True)
    return [RawRow(at, dict(zip(columns, row, strict=True))) for at, row in enumerate(cells, start=1)]


def _of_mapping(row: Any, number: int) -> RawRow:
    if not isinstance(row, Mapping) and not is_series(row):
        raise InstanceError(f"row {number} is no mapping from feature to state but {shown(row)}")
    found = one_row(row, row.index if is_series(row) else (), InstanceError)
    return RawRow(number, {str(name): value for name, value in found.items()})


def _codes(
    model: CompiledModel,
    cells: Mapping[str, object],
    known: dict[tuple[object, ...], list[int] | str],
) -> list[int] | str:
    """Return the positions of the states of a row, or what is wrong with it; equal rows are read once."""
    own = {name: cells[name] for name in model.features if name in cells}
    key = (
        tuple((type(value), as_text(value)) for value in own.values())
        if len(own) == len(model.features)
        else None
    )
    if key is not None and key in known:
        return known[key]
    found: list[int] | str
    try:
        found = encode_partial_one(model.classifier.feature_variables, own)
        if isinstance(model, GivenModel) and not model.allows(_known(model, found)):
            found = str(violation())
    except (InstanceError, UnknownNameError) as error:
        found = str(error)
    if key is not None:
        known[key] = found
    return found


def _known(model: CompiledModel, codes: list[int]) -> dict[str, str]:
    pairs = zip(model.domain.names, model.domain.states, codes, strict=True)
    return {name: states[code] for name, states, code in pairs if code != MISSING}


def _group(model: CompiledModel, name: str, codes: list[int], cells: Mapping[str, object]) -> str:
    """Return the group of a row: the state of a feature, or what the column says."""
    if name in model.features:
        feature = model.domain.index(name)
        code = codes[feature]
        return UNKNOWN_GROUP if code == MISSING else model.domain.show_literal(feature, 1 << code)
    value = cells.get(name)
    return (
        UNKNOWN_GROUP if name not in cells or value == "" or is_missing(value) else f"{name}={as_text(value)}"
    )
