"""Instances as people hold them (dicts, data frames, arrays) and as rows of state positions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from enum import Enum
from functools import cached_property, lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.readers.arguments import as_text, is_series, named, one_row, shown
from bnc2d.base.readers.missing import MISSING, is_missing
from bnc2d.base.readers.states import find_state, state_position
from bnc2d.base.scales import scale_of
from bnc2d.errors import InstanceError, UnknownNameError, did_you_mean

if TYPE_CHECKING:
    from collections.abc import Generator

    import pandas as pd

# Feature to state. The second is what pandas makes of its rows: ``frame.to_dict("records")``.
Instance: TypeAlias = Mapping[str, object] | Mapping[Hashable, object]
# Positions of states, or raw values, by instance and feature; an array of one axis is one instance.
StateArray: TypeAlias = NDArray[Any]
OneInstance: TypeAlias = "Instance | StateArray | pd.Series[Any]"
# Several; a Series is none of these, as it is one instance.
Instances: TypeAlias = "Sequence[Instance | pd.Series[Any]] | Generator[Instance, None, None]"
AnyInstances: TypeAlias = "OneInstance | Instances | pd.DataFrame"


# What a partial instance has for a feature that it leaves out; None may be the name of a state.
_ABSENT = object()


class Feature(Protocol):
    """What has a name and states."""

    @property
    def name(self) -> str:
        """The name."""

    @property
    def states(self) -> tuple[str, ...]:
        """The states, in order."""


class Form(Enum):
    """The form in which instances came; answers are given in the same form."""

    ONE = "one"
    LIST = "list"
    ARRAY = "array"
    FRAME = "frame"


class Encoded(NamedTuple):
    """Rows of state positions and the form they came in; ``MISSING`` where a feature of a partial one is."""

    rows: Rows
    form: Form

    @property
    def complete(self) -> bool:
        """Whether every row sets every feature."""
        return bool((self.rows != MISSING).all())


def of_positions(rows: Rows) -> Any:
    """Return rows of state positions as what is read as such, even where features have scales."""
    return Encoded(rows, Form.ARRAY)


def encode(features: Sequence[Feature], instances: Any) -> Encoded:
    """Return rows for instances of a classifier with these features (see ``InstanceReader.read``)."""
    return _reader(features).read(instances)


def encode_partial(features: Sequence[Feature], instances: Any) -> Encoded:
    """Return rows for instances that may leave features missing: these are ``MISSING`` in their row."""
    return _reader(features, partial_too=True).read(instances)


def encode_partial_one(features: Sequence[Feature], instance: OneInstance) -> list[int]:
    """Return the state positions of one instance that may leave features missing (``MISSING``)."""
    return _reader(features, partial_too=True).one(instance)


def encode_one(features: Sequence[Feature], instance: OneInstance) -> list[int]:
    """Return the state positions of one instance of such a classifier; several are an error."""
    return _reader(features).one(instance)


def values_of(given: OneInstance, instance: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of an instance as they were given, by feature; what is no mapping has its states."""
    if not isinstance(given, Mapping) and not is_series(given):
        return dict(instance)
    values: Any = given
    return {name: values.get(name, state) for name, state in instance.items()}


def check_rows(features: Sequence[Feature], array: object) -> Rows:
    """Return rows of state positions, once they are known to be some."""
    return _reader(features).check_rows(array)


def _reader(features: Sequence[Feature], *, partial_too: bool = False) -> InstanceReader:
    states = [feature.states for feature in features]
    raw = any(scale_of(one) is not None for one in states)
    return InstanceReader([f.name for f in features], states, "classifier", partial_too, raw)


def all_rows(features: Sequence[Feature], chunk: int = 1 << 16) -> Iterator[Rows]:
    """Yield all instances as rows, the last feature varying fastest, ``chunk`` at a time."""
    shape = [len(feature.states) for feature in features]
    for start in range(0, prod(shape), chunk):
        numbers = np.arange(start, min(start + chunk, prod(shape)))
        yield np.stack(np.unravel_index(numbers, shape), axis=1)


def in_the_same_form(answers: NDArray[np.object_], form: Form, instances: Any, name: str) -> Any:
    """Return answers in the question's form: one, a list, an array, a series with the frame's index."""
    if form is Form.ONE:
        return answers[0]
    if form is Form.LIST:
        return answers.tolist()
    if form is Form.FRAME:
        column = instances.iloc[:, 0].astype(object).rename(name)
        column.iloc[:] = answers
        return column
    return answers


class InstanceReader:
    """Reads instances of named features, each with its states; ``owner`` is whose features they are.

    Instances must set every feature unless ``partial_too``: then a dict may leave features out, and values
    that say "unknown" (see ``is_missing``) are ``MISSING``. A Series or a frame still needs an entry or a
    column for each feature: others are ignored there, so that a misspelt one would be lost. Arrays hold
    positions of states; where some features have a scale and ``raw`` says so, values of the columns.
    """

    def __init__(
        self,
        names: Sequence[str],
        states: Sequence[Sequence[str]],
        owner: str,
        partial_too: bool = False,
        raw: bool = False,
    ) -> None:
        self._names = names
        self._states = states
        self._owner = owner
        self._partial_too = partial_too
        self._raw = raw

    @cached_property
    def _tables(self) -> list[dict[object, int]]:
        return [{state: position for position, state in enumerate(states)} for states in self._states]

    @cached_property
    def _codes(self) -> list[Callable[[object], int]]:
        pairs = zip(self._names, self._states, strict=True)
        return [_code_of(name, states, self._partial_too) for name, states in pairs]

    def read(self, instances: Any) -> Encoded:
        """Return rows for a dict, a list of them, an integer array of one or two axes, a Series or a frame.

        A dict must set every feature and nothing else; a frame, or a Series, which is one instance as the
        row of a frame is, may have other columns, which are ignored. An array holds positions of states, or
        raw values, its last axis the features. Raises ``InstanceError`` or ``UnknownNameError`` with the row,
        the feature and the nearest valid name.
        """
        if isinstance(instances, Encoded):  # of ours, positions whatever the features are
            return Encoded(self.check_rows(instances.rows), instances.form)
        if isinstance(instances, Mapping) or is_series(instances):
            row = self._encode_row(instances)
            return Encoded(np.array([row], dtype=np.intp), Form.ONE)
        if isinstance(instances, np.ndarray) and instances.shape == (len(self._names),):
            return Encoded(self._encode_array(instances.reshape(1, -1)), Form.ONE)
        if isinstance(instances, np.ndarray):
            return Encoded(self._encode_array(instances), Form.ARRAY)
        if hasattr(instances, "columns") and hasattr(instances, "iloc"):
            return Encoded(self._encode_frame(instances), Form.FRAME)
        if isinstance(instances, Iterable) and not isinstance(instances, str | bytes):
            return Encoded(self._encode_list(instances), Form.LIST)
        also = "a list of them, a data frame, one row of it or an integer array also works"
        raise InstanceError(f"an instance is a mapping from feature to state, not {shown(instances)}; {also}")

    def one(self, instance: Any) -> list[int]:
        """Return the state positions of one instance: a dict, a Series or a row of an integer array."""
        if type(instance) is dict:
            return self._encode_one(instance, alone=True)
        encoded = self.read(instance)
        if encoded.form is not Form.ONE:
            expected = "one instance, given as a mapping from feature to state"
            raise InstanceError(f"this question is about {expected}, not {type(instance).__name__}")
        return [int(position) for position in encoded.rows[0]]

    def check_rows(self, array: object) -> Rows:
        """Return rows of state positions, once they are known to be some."""
        width = len(self._names)
        if not isinstance(array, np.ndarray) or array.shape[1:] != (width,) or array.dtype.kind not in "iub":
            found = f"{array.dtype} of shape {array.shape}" if isinstance(array, np.ndarray) else shown(array)
            expected = f"an integer array of shape (instances, {width}) with state positions"
            raise InstanceError(f"expected {expected}, not {found}")
        for position, (name, states) in enumerate(zip(self._names, self._states, strict=True)):
            column = array[:, position]
            if column.size and (column.min() < 0 or column.max() >= len(states)):
                row = int(np.flatnonzero((column < 0) | (column >= len(states)))[0])
                wrong = f"{int(column[row])} is no position of a state of {name!r}"
                raise InstanceError(f"row {row}: {wrong} (0 to {len(states) - 1})")
        return array.astype(np.intp)

    def _encode_array(self, array: NDArray[Any]) -> Rows:
        if not self._raw:
            return self.check_rows(array)
        if array.shape[1:] != (len(self._names),):
            expected = f"an array of shape (instances, {len(self._names)}) with a value for each feature"
            raise InstanceError(f"expected {expected}, not one of shape {array.shape}")
        return self._encode_columns([array[:, position] for position in range(len(self._names))])

    def _encode_row(self, instance: object) -> list[int]:
        row = one_row(instance, self._names, InstanceError)
        if row is not instance and len(row) < len(self._names):
            unknown = "; '?' or None says that it is unknown" if self._partial_too else ""
            raise InstanceError(f"{self._missing(row)}{unknown}")
        return self._encode_one(row)

    def _encode_one(self, instance: Instance, *, alone: bool = False) -> list[int]:
        try:
            values = [instance[name] for name in self._names]
        except KeyError:
            if not self._partial_too:
                raise self._missing(instance) from None
            filled: dict[Any, object] = {**dict.fromkeys(self._names, _ABSENT), **instance}
            return self._encode_one(filled, alone=alone)
        if len(instance) != len(values):
            extra = next(name for name in instance if name not in self._names)
            hint = did_you_mean(extra, self._names)
            raise UnknownNameError(f"{named(extra)} is not a feature of this {self._owner}{hint}")
        try:  # the plain case, many times faster: every state by its name
            if alone:  # to look once takes less than a table does
                return [states.index(value) for states, value in zip(self._states, values, strict=True)]
            return [table[value] for table, value in zip(self._tables, values, strict=True)]
        except (KeyError, TypeError, ValueError):
            return [code(value) for code, value in zip(self._codes, values, strict=True)]

    def _missing(self, instance: Instance) -> InstanceError:
        missing = [name for name in self._names if name not in instance]
        listed = ", ".join(repr(name) for name in missing[:8]) + (" …" if len(missing) > 8 else "")
        unknown = [text for text in map(as_text, instance) if text not in self._names]
        hint = did_you_mean(unknown[0], missing) if unknown else ""
        given = f" (given: {unknown[0]!r}{hint})" if unknown else ""
        return InstanceError(f"the instance sets no state for {listed}{given}")

    def _encode_list(self, instances: Iterable[Any]) -> Rows:
        rows = []
        for number, instance in enumerate(instances):
            if not isinstance(instance, Mapping) and not is_series(instance):
                found = shown(instance)
                raise InstanceError(f"instance {number} is not a mapping from feature to state but {found}")
            try:
                rows.append(self._encode_row(instance))
            except (InstanceError, UnknownNameError) as error:
                raise type(error)(f"instance {number}: {error}") from None
        return np.array(rows, dtype=np.intp).reshape(len(rows), len(self._names))

    def _encode_frame(self, frame: Any) -> Rows:
        columns = [str(column) for column in frame.columns]
        for name in self._names:
            if name not in frame.columns:
                hint = did_you_mean(name, columns)
                unknown = "; a column of '?' or None says that it is unknown" if self._partial_too else ""
                raise InstanceError(f"the data frame has no column for the feature {name!r}{hint}{unknown}")
            if columns.count(name) > 1:
                raise InstanceError(f"the data frame has more than one column {name!r}")
        return self._encode_columns([_as_array(frame[name]) for name in self._names])

    def _encode_columns(self, columns: Sequence[NDArray[Any]]) -> Rows:
        rows = np.empty((len(columns[0]) if columns else 0, len(self._names)), dtype=np.intp)
        for position, (states, code, column) in enumerate(
            zip(self._states, self._codes, columns, strict=True)
        ):
            scale = scale_of(states)
            read = None if scale is None else scale.positions(column)
            if read is not None and (self._partial_too or not (read == MISSING).any()):
                rows[:, position] = read
                continue
            for number, value in enumerate(column.astype(object).tolist()):
                try:
                    rows[number, position] = code(value)
                except UnknownNameError as error:
                    raise UnknownNameError(f"row {number}: {error}") from None
        return rows


def _as_array(column: Any) -> NDArray[Any]:
    """Return a column of a frame with its numbers as numbers; all else as objects."""
    is_plain = getattr(getattr(column, "dtype", None), "kind", "O") in "iuf" and hasattr(
        column.dtype, "newbyteorder"
    )
    return np.asarray(column) if is_plain else np.asarray(column, dtype=object)


def _code_of(name: str, states: Sequence[str], partial_too: bool) -> Callable[[object], int]:
    """Return what gives the position of the state for any value; True, 1 and "1" may read differently."""

    def read(value: object) -> int:
        if value is _ABSENT or (partial_too and find_state(states, value) is None and is_missing(value)):
            return MISSING
        return state_position(name, states, value)

    known = lru_cache(maxsize=None, typed=True)(read)

    def code(value: object) -> int:
        # 1 and 1.0 are equal as Decimals, but differ in their texts; no NaN is equal to another.
        if isinstance(value, Decimal) or value is None or (isinstance(value, float) and value != value):
            return read(value)
        try:
            return known(value)
        except TypeError:  # no dict can hold it (a list, say)
            return read(value)

    return code
