"""Conditional probability tables with exact entries."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm, log10, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import OBJECTS, array_pieces
from bnc2d.base.checkpoints import pieces
from bnc2d.base.readers.arguments import flag, instance_of, items
from bnc2d.base.readers.numbers import Number, exact
from bnc2d.errors import NetworkError, NormalisationWarning
from bnc2d.model.accounts import exponents
from bnc2d.model.extended import extended_values
from bnc2d.model.variable import Variable

# A column may miss 1 by this much and still be normalised without being asked (design, "numbers").
COLUMN_TOLERANCE = Fraction(1, 10**6)
# Bits of a common denominator from which entries, with shorter ones of their own, are divided quicker.
_LONG = 4096


class CPT:
    """``P(child | parents)``: an immutable table of exact rationals, the child's state varying fastest.

    ``entries`` are a flat list, or an array with an axis per parent, in order, and then the child's, which is
    the form of ``exact``; ``values`` is the same in float64. Fractions and integers are taken as they are,
    and every column must sum to exactly 1. Floats, decimals and texts are read as in files: a float counts as
    its shortest decimal text, and columns that miss 1 by at most 1e-6 are normalised exactly, with a
    ``NormalisationWarning``. Raises ``NetworkError`` when the number of entries is wrong, an entry is
    negative or no number, or a column misses 1 otherwise; ``CPT.from_numbers`` can repair that.

    >>> coin = Variable("Coin", ("heads", "tails"))
    >>> CPT(coin, (), [0.1, 0.9]).exact.tolist()
    [Fraction(1, 10), Fraction(9, 10)]
    """

    child: Variable
    parents: tuple[Variable, ...]
    exact: NDArray[np.object_]

    def __init__(self, child: Variable, parents: Iterable[Variable], entries: Iterable[Number]) -> None:
        scope = _scope(child, parents)
        given = _flat(child, scope, entries)
        is_exact = all(isinstance(entry, Fraction | int) for entry in given)
        columns, miss = _normalised(child, scope, given, Fraction(0) if is_exact else COLUMN_TOLERANCE)
        if miss:
            warnings.warn(
                f"columns of the table of {child.name!r} did not sum to exactly 1 and were normalised "
                f"(off by at most {show(miss)})",
                NormalisationWarning,
                stacklevel=2,
            )
        self._set(child, scope, columns)

    def _set(self, child: Variable, parents: tuple[Variable, ...], columns: NDArray[np.object_]) -> None:
        table = columns.reshape(*(len(parent) for parent in parents), len(child))
        table.flags.writeable = False
        self.__dict__.update(child=child, parents=parents, exact=table)

    @classmethod
    def from_numbers(
        cls,
        child: Variable,
        parents: Iterable[Variable],
        numbers: Sequence[object],
        *,
        normalise: bool = False,
    ) -> tuple[CPT, Fraction]:
        """Return the table of ``numbers`` with its columns normalised, and the largest miss repaired.

        Numbers are texts, floats (read as their shortest decimal) or rationals. A miss above 1e-6 raises
        ``NetworkError`` unless ``normalise``; a column of zeros always does.
        """
        scope = _scope(child, parents)
        flag(normalise, "normalise")
        tolerance = None if normalise else COLUMN_TOLERANCE
        columns, worst = _normalised(child, scope, _flat(child, scope, numbers), tolerance)
        cpt = cls.__new__(cls)
        cpt._set(child, scope, columns)
        return cpt, worst

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a CPT is immutable; cannot set {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return CPT, (self.child, self.parents, list(self.exact.flat))

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The entries in float64, each correctly rounded; read-only."""
        array = np.empty(self.exact.shape)
        for piece in array_pieces(array.shape, OBJECTS):
            array[piece] = self.exact[piece]
        array.flags.writeable = False
        return array

    @cached_property
    def _extended(self) -> NDArray[Any]:
        """The entries in extended precision, where there is one; read-only."""
        array = extended_values(self.exact, self.values)
        array.flags.writeable = False
        return array

    @cached_property
    def integers(self) -> NDArray[np.object_]:
        """The entries times their common denominator, as Python integers; read-only."""
        array = over_common_denominator(self.exact)
        array.flags.writeable = False
        return array

    @cached_property
    def rounds_to_zero(self) -> bool:
        """Whether a positive entry is too small for float64."""
        return any(self.exact[self.values == 0].tolist())

    @cached_property
    def lowest_exponent(self) -> float:
        """log2 of the smallest positive entry in float64."""
        return exponents(self.values)[0]

    @property
    def scope(self) -> tuple[Variable, ...]:
        """The parents, then the child: one variable per axis of the table."""
        return (*self.parents, self.child)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CPT):
            return NotImplemented
        return self.scope == other.scope and bool(np.array_equal(self.exact, other.exact))

    def __hash__(self) -> int:
        return hash((self.scope, tuple(self.exact.flat)))

    def __repr__(self) -> str:
        given = " | " + ", ".join(parent.name for parent in self.parents) if self.parents else ""
        return f"<CPT P({self.child.name}{given}), {self.exact.size} entries>"


def extended_entries(cpt: CPT) -> NDArray[Any]:
    """Return the entries in extended precision, where there is one; read-only."""
    return cpt._extended


def with_parent(cpt: CPT, parent: Variable, fewer: Variable, states: Sequence[int]) -> CPT:
    """Return the table with some ``states`` of a parent only, which are those of ``fewer``."""
    axis = cpt.parents.index(parent)
    parents = (*cpt.parents[:axis], fewer, *cpt.parents[axis + 1 :])
    made = CPT.__new__(CPT)
    made._set(cpt.child, parents, np.take(cpt.exact, states, axis=axis))
    for name in ("values", "integers"):  # what is known of all entries is known of some
        if name in cpt.__dict__:
            some = np.take(cpt.__dict__[name], states, axis=axis)
            some.flags.writeable = False
            made.__dict__[name] = some
    return made


def with_child(cpt: CPT, fewer: Variable, new_state: Sequence[int]) -> CPT:
    """Return the table with states of the child merged, given the new one of each: entries add up."""
    table = np.zeros((*cpt.exact.shape[:-1], len(fewer)), dtype=object)
    for state, new in enumerate(new_state):
        for piece in array_pieces(table.shape[:-1], OBJECTS):
            table[(*piece, ..., new)] += cpt.exact[(*piece, ..., state)]
    made = CPT.__new__(CPT)
    made._set(fewer, cpt.parents, table)
    return made


def _scope(child: Variable, parents: Iterable[Variable]) -> tuple[Variable, ...]:
    """Return the parents, once it is known that they and the child are variables."""
    instance_of(Variable, child, "the child of a table")
    given = items(parents, f"the parents of {child.name!r}", "a list of variables", NetworkError)
    return tuple(instance_of(Variable, parent, f"a parent of {child.name!r}") for parent in given)


def _flat(child: Variable, parents: tuple[Variable, ...], entries: object) -> list[object]:
    """Return the entries one after another; an array of several axes must have those of the table."""
    if isinstance(entries, np.ndarray) and entries.ndim > 1:
        shape = (*(len(parent) for parent in parents), len(child))
        if entries.shape != shape:
            raise NetworkError(f"table of {child.name!r} has the shape {entries.shape}, expected {shape}")
        entries = entries.reshape(-1)
    return items(entries, f"the table of {child.name!r}", "a list of numbers", NetworkError)


def _normalised(
    child: Variable, parents: tuple[Variable, ...], numbers: list[object], tolerance: Fraction | None
) -> tuple[NDArray[np.object_], Fraction]:
    """Return the columns, each divided by its sum, and the largest miss; one beyond the tolerance raises."""
    columns = _columns(child, parents, _rationals(child, numbers))
    worst = (0, 1)  # numerator, denominator
    for index, entries in enumerate(columns.tolist()):
        ratios = [entry.as_integer_ratio() for entry in entries]
        scale = lcm(*[denominator for _, denominator in ratios])
        parts = [numerator * (scale // denominator) for numerator, denominator in ratios]
        total = sum(parts)
        if total == scale:
            continue
        miss = (abs(total - scale), scale)
        if total == 0 or (tolerance is not None and _exceeds(miss, tolerance.as_integer_ratio())):
            raise NetworkError(_off_by(child, parents, index, Fraction(total, scale)))
        if scale.bit_length() > _LONG:
            columns[index] /= Fraction(total, scale)
        else:
            columns[index] = [Fraction(part, total) for part in parts]
        worst = miss if _exceeds(miss, worst) else worst
    return columns, Fraction(*worst)


def _exceeds(ratio: tuple[int, int], other: tuple[int, int]) -> bool:
    return ratio[0] * other[1] > other[0] * ratio[1]


def _rationals(child: Variable, numbers: Sequence[object]) -> list[Fraction]:
    """Return the numbers as exact rationals, each distinct text or float read once."""
    try:
        if all(isinstance(number, str | float) for number in numbers):
            known = {number: exact(number) for number in dict.fromkeys(numbers)}
            return [known[number] for number in numbers]
        return [exact(number) for number in numbers]
    except ValueError as error:
        raise NetworkError(f"table of {child.name!r}: {error}") from None


def _columns(child: Variable, parents: tuple[Variable, ...], entries: list[Fraction]) -> NDArray[np.object_]:
    """Return the entries as one row per parent instance, after the checks that need no sums."""
    names = [variable.name for variable in (*parents, child)]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise NetworkError(f"table of {child.name!r} names the variable {twice!r} twice")
    size = prod(len(variable) for variable in (*parents, child))
    if len(entries) != size:
        shape = " x ".join(str(len(variable)) for variable in (*parents, child))
        raise NetworkError(f"table of {child.name!r} has {len(entries)} entries, expected {size} ({shape})")
    for position, entry in enumerate(entries):
        if entry.numerator < 0:
            column, state = divmod(position, len(child))
            where = column_name(child, parents, column)
            raise NetworkError(f"{where} has a negative entry ({show(entry)}) for {child.states[state]!r}")
    columns = np.empty(size, dtype=object)
    columns[:] = entries
    return columns.reshape(-1, len(child))


def over_common_denominator(table: NDArray[np.object_]) -> NDArray[np.object_]:
    """Return the rationals of a table times their common denominator, as Python integers."""
    entries: NDArray[np.object_] = table.reshape(-1)
    scale = 1
    for piece in pieces(len(entries), OBJECTS):
        scale = lcm(scale, *{entry.denominator for entry in entries[piece]})
    scaled = np.empty(len(entries), dtype=object)
    for piece in pieces(len(entries), OBJECTS):
        scaled[piece] = [entry.numerator * (scale // entry.denominator) for entry in entries[piece]]
    return scaled.reshape(table.shape)


def column_name(child: Variable, parents: tuple[Variable, ...], column: int) -> str:
    """Return ``P(child | parent=state, ...)`` for the column with this number.

    >>> column_name(Variable("X", ("a", "b")), (Variable("Y", ("0", "1")),), 1)
    'P(X | Y=1)'
    """
    given = []
    for parent in reversed(parents):
        column, state = divmod(column, len(parent))
        given.append(f"{parent.name}={parent.states[state]}")
    return f"P({child.name}{' | ' if given else ''}{', '.join(reversed(given))})"


def show(number: Fraction) -> str:
    """Return a short decimal for messages, ``0`` and ``1`` for these alone; never overflows.

    >>> show(Fraction(1, 3)), show(1 + Fraction(1, 10**30)), show(Fraction(-1, 10**400))
    ('0.3333333333', '1 + 1e-30', '-1e-400')
    """
    if abs(number) >= 10**300:
        return "a huge number"
    text = f"{float(number):.10g}"
    if text == "1" and number != 1:
        return f"1 {'+' if number > 1 else '-'} {show(abs(number - 1))}"
    if float(number) == 0 and number:  # it underflows: to the next power of ten
        bits = number.denominator.bit_length() - number.numerator.bit_length()
        return f"{'-' if number < 0 else ''}1e-{round(bits * log10(2))}"
    return text


def _off_by(child: Variable, parents: tuple[Variable, ...], column: int, total: Fraction) -> str:
    remedy = (
        "give it a positive entry" if total == 0 else "correct it, or ask for normalise=True / --normalise"
    )
    return f"{column_name(child, parents, column)} sums to {show(total)}, not 1; {remedy}"
