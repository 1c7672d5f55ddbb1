"""Instances as people hold them (dicts, data frames, arrays) and as rows of state positions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arguments import is_series, one_row, shown
from bnc2d.base.arrays import Rows
from bnc2d.errors import InstanceError, UnknownNameError, did_you_mean
from bnc2d.model.variable import Variable

Instance: TypeAlias = Mapping[str, object]


class Kind(Enum):
    """The form in which instances came; answers are given in the same form."""

    ONE = "one"
    LIST = "list"
    ARRAY = "array"
    FRAME = "frame"


@dataclass(frozen=True)
class Encoded:
    """Rows of state positions and the form they came in."""

    rows: Rows
    kind: Kind


def encode(features: Sequence[Variable], instances: Any) -> Encoded:
    """Return rows for a dict, a list of dicts, an integer array of one or two axes, a Series or a data frame.

    A dict must set every feature and nothing else; a frame, or a Series, which is one instance as the row of
    a frame is, may have other columns, which are ignored. An array holds positions of states, its last axis
    the features. Raises ``InstanceError`` or ``UnknownNameError`` with the row, the feature and the nearest
    valid name.
    """
    if isinstance(instances, Mapping) or is_series(instances):
        instance = one_row(instances, [feature.name for feature in features], InstanceError)
        row = _encode_one(features, instance, [_Codes(feature) for feature in features])
        return Encoded(np.array([row], dtype=np.intp), Kind.ONE)
    if isinstance(instances, np.ndarray) and instances.shape == (len(features),):
        return Encoded(check_rows(features, instances.reshape(1, -1)), Kind.ONE)
    if isinstance(instances, np.ndarray):
        return Encoded(check_rows(features, instances), Kind.ARRAY)
    if hasattr(instances, "columns") and hasattr(instances, "iloc"):
        return Encoded(_encode_frame(features, instances), Kind.FRAME)
    if isinstance(instances, Iterable) and not isinstance(instances, str | bytes):
        return Encoded(_encode_list(features, instances), Kind.LIST)
    raise InstanceError(
        f"an instance is a mapping from feature to state, not {shown(instances)}; "
        "a list of them, a data frame, one row of it or an integer array also works"
    )


def all_rows(features: Sequence[Variable], chunk: int = 1 << 16) -> Iterator[Rows]:
    """Yield all instances as rows, the last feature varying fastest, ``chunk`` at a time."""
    shape = [len(feature) for feature in features]
    for start in range(0, prod(shape), chunk):
        numbers = np.arange(start, min(start + chunk, prod(shape)))
        yield np.stack(np.unravel_index(numbers, shape), axis=1)


def in_the_same_form(answers: NDArray[np.object_], kind: Kind, instances: Any, name: str) -> Any:
    """Return answers in the question's form: one, a list, an array, a series with the frame's index."""
    if kind is Kind.ONE:
        return answers[0]
    if kind is Kind.LIST:
        return answers.tolist()
    if kind is Kind.FRAME:
        column = instances.iloc[:, 0].astype(object).rename(name)
        column.iloc[:] = answers
        return column
    return answers


class _Codes(dict[tuple[type, object], int]):
    """Positions of a feature's states by type and value: True, 1 and "1" may read differently."""

    def __init__(self, feature: Variable) -> None:
        super().__init__()
        self._feature = feature

    def __missing__(self, key: tuple[type, object]) -> int:
        code = self[key] = self._feature.index(key[1])
        return code

    def of(self, value: object) -> int:
        """Return the position for any value, also one that no dict can hold (a list, say)."""
        try:
            return self[value.__class__, value]
        except TypeError:
            return self._feature.index(value)


def _encode_one(features: Sequence[Variable], instance: Instance, codes: Sequence[_Codes]) -> list[int]:
    try:
        values = [instance[feature.name] for feature in features]
    except KeyError:
        missing = [feature.name for feature in features if feature.name not in instance]
        shown = ", ".join(repr(name) for name in missing[:8]) + (" …" if len(missing) > 8 else "")
        unknown = [str(name) for name in instance if str(name) not in {feature.name for feature in features}]
        hint = did_you_mean(unknown[0], missing) if unknown else ""
        given = f" (given: {unknown[0]!r}{hint})" if unknown else ""
        raise InstanceError(f"the instance sets no state for {shown}{given}") from None
    if len(instance) != len(features):
        names = [feature.name for feature in features]
        extra = next(name for name in instance if name not in names)
        raise UnknownNameError(f"{extra!r} is not a feature of this classifier{did_you_mean(extra, names)}")
    try:
        return [known[value.__class__, value] for known, value in zip(codes, values, strict=True)]
    except TypeError:
        return [known.of(value) for known, value in zip(codes, values, strict=True)]


def _encode_list(features: Sequence[Variable], instances: Iterable[Any]) -> Rows:
    rows = []
    names = [feature.name for feature in features]
    codes = [_Codes(feature) for feature in features]
    for number, instance in enumerate(instances):
        if not isinstance(instance, Mapping) and not is_series(instance):
            found = shown(instance)
            raise InstanceError(f"instance {number} is not a mapping from feature to state but {found}")
        try:
            rows.append(_encode_one(features, one_row(instance, names, InstanceError), codes))
        except (InstanceError, UnknownNameError) as error:
            raise type(error)(f"instance {number}: {error}") from None
    return np.array(rows, dtype=np.intp).reshape(len(rows), len(features))


def _encode_frame(features: Sequence[Variable], frame: Any) -> Rows:
    rows = np.empty((len(frame), len(features)), dtype=np.intp)
    columns = [str(column) for column in frame.columns]
    for position, feature in enumerate(features):
        if feature.name not in frame.columns:
            hint = did_you_mean(feature.name, columns)
            raise InstanceError(f"the data frame has no column for the feature {feature.name!r}{hint}")
        if columns.count(feature.name) > 1:
            raise InstanceError(f"the data frame has more than one column {feature.name!r}")
        codes = _Codes(feature)
        for number, value in enumerate(np.asarray(frame[feature.name], dtype=object).tolist()):
            try:
                rows[number, position] = codes.of(value)
            except UnknownNameError as error:
                raise UnknownNameError(f"row {number}: {error}") from None
    return rows


def check_rows(features: Sequence[Variable], array: object) -> Rows:
    """Return rows of state positions, once they are known to be some."""
    if (
        not isinstance(array, np.ndarray)
        or array.ndim != 2
        or array.shape[1] != len(features)
        or array.dtype.kind not in "iub"
    ):
        found = f"{array.dtype} of shape {array.shape}" if isinstance(array, np.ndarray) else shown(array)
        raise InstanceError(
            f"expected an integer array of shape (instances, {len(features)}) with state positions, "
            f"not {found}"
        )
    for position, feature in enumerate(features):
        column = array[:, position]
        if column.size and (column.min() < 0 or column.max() >= len(feature)):
            row = int(np.flatnonzero((column < 0) | (column >= len(feature)))[0])
            raise InstanceError(
                f"row {row}: {int(column[row])} is no position of a state of {feature.name!r} "
                f"(0 to {len(feature) - 1})"
            )
    return array.astype(np.intp)
