"""From what a file says to a network: the checks that every format shares, each error with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import prod
from typing import TypeAlias

from bnc2d.base.readers.numbers import shorten
from bnc2d.errors import NetworkError, did_you_mean
from bnc2d.formats.parsing.decimals import is_spelt
from bnc2d.formats.parsing.source import Source
from bnc2d.model.cpt import CPT, show
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

# A `default` row can claim any size in a few bytes, so the entries of all tables together are bounded.
MAX_ENTRIES = 2**24
# Tens of times more than any published network has.
MAX_VARIABLES = 2**15
# numpy arrays have at most 64 axes.
MAX_PARENTS = 63
# Longer names are damage, and would make messages of any length.
MAX_NAME = 1000
_MAX_SUGGESTIONS = 2000
# Most numbers that are fine; only to find the line of one that is not.
_POSITIVE = re.compile(r"\+?(?:[0-9]{1,2000}\.?[0-9]{0,2000}|\.[0-9]{1,2000})(?:[eE][+-]?0*[0-9]{1,4})?")

# Given the child and its parents, the entries as texts; the child's state varies fastest.
Entries: TypeAlias = Callable[[Variable, tuple[Variable, ...]], Sequence[str]]


@dataclass(slots=True)
class ParsedVariable:
    """A declaration and where it stands."""

    name: str
    states: list[str]
    at: int


@dataclass(slots=True)
class ParsedTable:
    """A table, where it stands and where its numbers start."""

    child: str
    parents: list[str]
    entries: Entries
    at: int
    data_at: int


@dataclass(slots=True)
class ParsedNetwork:
    """All that a file says, before any check across its parts."""

    source: Source
    name: str
    variables: list[ParsedVariable]
    tables: list[ParsedTable]

    def declare(self, variable: ParsedVariable) -> None:
        """Add a variable, as long as there are not too many."""
        if len(self.variables) == MAX_VARIABLES:
            raise self.source.error(f"more than {MAX_VARIABLES} variables, the limit", variable.at)
        self.variables.append(variable)


@dataclass(slots=True)
class Repairs:
    """Which tables had columns that missed 1, and by how much at most."""

    tables: int = 0
    largest: Fraction = Fraction(0)
    first: str = ""

    def note(self, name: str, miss: Fraction) -> None:
        """Count the table of ``name`` if it was touched."""
        if miss:
            self.tables += 1
            self.largest = max(self.largest, miss)
            self.first = self.first or name

    def __str__(self) -> str:
        count = "1 table" if self.tables == 1 else f"{self.tables} tables"
        off = f"off by at most {show(self.largest)}"
        return (
            f"columns of {count} did not sum to exactly 1 and were normalised ({off}; first: {self.first!r})"
        )


def as_given(numbers: Sequence[str]) -> Entries:
    """Return the entries of a file whose order is already ours."""
    return lambda _child, _parents: numbers


def suggest(name: str, candidates: Iterable[str]) -> str:
    """Return the hint of ``did_you_mean``, looking at no more names than is quick."""
    return did_you_mean(name, islice(candidates, _MAX_SUGGESTIONS))


def assemble(parsed: ParsedNetwork, *, normalise: bool = False) -> tuple[BayesianNetwork, Repairs]:
    """Return the network that a file describes and what was normalised in it.

    Raises ``FormatError`` with the line for a duplicate or unknown name, a missing, duplicate or oversized
    table, and whatever ``Variable``, ``CPT`` and ``BayesianNetwork`` find wrong.
    """
    variables = _variables(parsed)
    source = parsed.source
    repairs = Repairs()
    cpts: dict[str, CPT] = {}
    budget = MAX_ENTRIES
    for table in parsed.tables:
        child, *parents = (_lookup(name, variables, table, source) for name in (table.child, *table.parents))
        if child.name in cpts:
            raise source.error(f"variable {child.name!r} has two tables", table.at)
        budget -= _size(child, parents, budget, table, source)
        cpts[child.name], miss = _cpt(child, tuple(parents), table, source, normalise)
        repairs.note(child.name, miss)
    for declared in parsed.variables:
        if declared.name not in cpts:
            raise source.error(f"variable {declared.name!r} has no table", declared.at)
    try:
        return BayesianNetwork(variables.values(), cpts.values(), parsed.name), repairs
    except NetworkError as error:
        raise source.error(str(error), None) from None


def _variables(parsed: ParsedNetwork) -> dict[str, Variable]:
    variables: dict[str, Variable] = {}
    if len(parsed.name) > MAX_NAME:
        message = f"the network's name has {len(parsed.name)} characters; the limit is {MAX_NAME}"
        raise parsed.source.error(message, None)
    for declared in parsed.variables:
        for text in (declared.name, *declared.states):
            if len(text) > MAX_NAME:
                message = f"the name {shorten(text)!r} has {len(text)} characters; the limit is {MAX_NAME}"
                raise parsed.source.error(message, declared.at)
        if declared.name in variables:
            raise parsed.source.error(f"variable {declared.name!r} is declared twice", declared.at)
        try:
            variables[declared.name] = Variable(declared.name, tuple(declared.states))
        except NetworkError as error:
            raise parsed.source.error(str(error), declared.at) from None
    return variables


def _lookup(name: str, variables: dict[str, Variable], table: ParsedTable, source: Source) -> Variable:
    try:
        return variables[name]
    except KeyError:
        role = "table of the" if name == table.child else f"table of {shorten(table.child)!r}:"
        message = f"{role} unknown variable {shorten(name)!r}{suggest(name, variables)}"
        raise source.error(message, table.at) from None


def _size(child: Variable, parents: list[Variable], budget: int, table: ParsedTable, source: Source) -> int:
    if len(parents) > MAX_PARENTS:
        message = f"variable {child.name!r} has {len(parents)} parents; the limit is {MAX_PARENTS}"
        raise source.error(message, table.at)
    size = prod(len(variable) for variable in (child, *parents))
    if size > budget:
        message = (
            f"with the table of {child.name!r} the network has more than {MAX_ENTRIES} entries, the limit"
        )
        raise source.error(message, table.at)
    return size


def _cpt(
    child: Variable, parents: tuple[Variable, ...], table: ParsedTable, source: Source, normalise: bool
) -> tuple[CPT, Fraction]:
    numbers = table.entries(child, parents)
    size = prod(len(variable) for variable in (*parents, child))
    if len(numbers) != size:  # before all those texts become numbers
        shape = " x ".join(str(len(variable)) for variable in (*parents, child))
        message = f"table of {child.name!r} has {len(numbers)} entries, expected {size} ({shape})"
        raise source.error(message, table.at)
    try:
        cpt, miss = CPT.from_numbers(child, parents, numbers, normalise=normalise)
    except NetworkError as error:
        raise source.error(str(error), _culprit(numbers, table, source)) from None
    return cpt, Fraction(0) if miss and is_spelt(cpt, numbers) else miss


def _culprit(numbers: Sequence[str], table: ParsedTable, source: Source) -> int:
    """Return where the first entry stands that is negative or no number, or else where the table does."""
    for text in dict.fromkeys(numbers):
        if not _POSITIVE.fullmatch(text):
            return source.find_word(text, table.data_at)
    return table.at
