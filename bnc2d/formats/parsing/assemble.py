"""From what a file says to a network: the checks that every format shares, each error with its line."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from math import prod
from typing import TypeAlias

from bnc2d.base.readers.numbers import shorten
from bnc2d.errors import NetworkError, NormalisationWarning, did_you_mean
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

# The entries as texts, the child's state varying fastest, or what gives them for the child and its parents.
Entries: TypeAlias = Sequence[str] | Callable[[Variable, tuple[Variable, ...]], Sequence[str]]


@dataclass(slots=True)
class ParsedTable:
    """A table of variables called by their identifiers, where it stands and where its numbers start."""

    child: str
    parents: list[str]
    entries: Entries
    at: int
    data_at: int


def warn_of_misses(misses: Mapping[str, Fraction], path: str = "") -> None:
    """Tell the caller of our caller which tables had columns that missed 1, and by how much at most."""
    repaired = {name: miss for name, miss in misses.items() if miss}
    if repaired:
        count = "1 table" if len(repaired) == 1 else f"{len(repaired)} tables"
        off = f"off by at most {show(max(repaired.values()))}; first: {next(iter(repaired))!r}"
        message = f"columns of {count} did not sum to exactly 1 and were normalised ({off})"
        warnings.warn(f"{path}: {message}" if path else message, NormalisationWarning, stacklevel=3)


def suggest(name: str, candidates: Iterable[str]) -> str:
    """Return the hint of ``did_you_mean``, looking at no more names than is quick."""
    return did_you_mean(name, islice(candidates, _MAX_SUGGESTIONS))


class ParsedNetwork:
    """All that a file says; its tables are not read before every variable is known.

    Tables call a variable by its identifier, which is its name unless the format restricts identifiers.
    """

    def __init__(self, source: Source, name: str = "") -> None:
        self.source, self.error = source, source.error
        self.name = name
        self.tables: list[ParsedTable] = []
        self.variables: dict[str, Variable] = {}  # by identifier
        self._declared_at: dict[str, int] = {}  # by name

    def declare(self, name: str, states: Sequence[str], at: int, identifier: str | None = None) -> None:
        """Add a variable, as long as there are not too many and it is the first of its name."""
        if len(self.variables) == MAX_VARIABLES:
            raise self.error(f"more than {MAX_VARIABLES} variables, the limit", at)
        for text in (name, *states):
            if len(text) > MAX_NAME:
                message = f"the name {shorten(text)!r} has {len(text)} characters; the limit is {MAX_NAME}"
                raise self.error(message, at)
        if name in self._declared_at:
            raise self.error(f"variable {name!r} is declared twice", at)
        self._declared_at[name] = at
        try:
            self.variables[name if identifier is None else identifier] = Variable(name, tuple(states))
        except NetworkError as error:
            raise self.error(str(error), at) from None

    def known(self, identifier: str, unknown: str, at: int) -> Variable:
        """Return the variable; ``unknown`` says what there is no such one of, at ``at``."""
        try:
            return self.variables[identifier]
        except KeyError:
            hint = suggest(identifier, self.variables)
            raise self.error(f"{unknown} {shorten(identifier)!r}{hint}", at) from None

    def assemble(self, *, normalise: bool = False) -> tuple[BayesianNetwork, dict[str, Fraction]]:
        """Return the network that the file describes, and by how much each table missed 1 before.

        Raises ``FormatError`` with the line for an unknown name, a missing, duplicate or oversized table, and
        whatever ``CPT`` and ``BayesianNetwork`` find wrong.
        """
        if len(self.name) > MAX_NAME:
            message = f"the network's name has {len(self.name)} characters; the limit is {MAX_NAME}"
            raise self.error(message, None)
        misses: dict[str, Fraction] = {}
        cpts: dict[str, CPT] = {}
        entries = 0
        for table in self.tables:
            child = self.known(table.child, "table of the unknown variable", table.at)
            unknown = f"table of {shorten(table.child)!r}: unknown variable"
            parents = tuple(self.known(parent, unknown, table.at) for parent in table.parents)
            if child.name in cpts:
                raise self.error(f"variable {child.name!r} has two tables", table.at)
            if len(parents) > MAX_PARENTS:
                message = f"variable {child.name!r} has {len(parents)} parents; the limit is {MAX_PARENTS}"
                raise self.error(message, table.at)
            entries += prod(map(len, (child, *parents)))
            if entries > MAX_ENTRIES:
                more = f"the network has more than {MAX_ENTRIES} entries, the limit"
                raise self.error(f"with the table of {child.name!r} {more}", table.at)
            cpts[child.name], misses[child.name] = self._cpt(child, parents, table, normalise)
        for name, at in self._declared_at.items():
            if name not in cpts:
                raise self.error(f"variable {name!r} has no table", at)
        try:
            return BayesianNetwork(self.variables.values(), cpts.values(), self.name), misses
        except NetworkError as error:
            raise self.error(str(error), None) from None

    def _cpt(
        self, child: Variable, parents: tuple[Variable, ...], table: ParsedTable, normalise: bool
    ) -> tuple[CPT, Fraction]:
        numbers = table.entries(child, parents) if callable(table.entries) else table.entries
        shape = [len(variable) for variable in (*parents, child)]
        if len(numbers) != prod(shape):  # before all those texts become numbers
            expected = f"expected {prod(shape)} ({' x '.join(map(str, shape))})"
            raise self.error(f"table of {child.name!r} has {len(numbers)} entries, {expected}", table.at)
        try:
            cpt, miss = CPT.from_numbers(child, parents, numbers, normalise=normalise)
        except NetworkError as error:
            bad = next((text for text in dict.fromkeys(numbers) if not _POSITIVE.fullmatch(text)), None)
            at = table.at if bad is None else self.source.find_word(bad, table.data_at)
            raise self.error(str(error), at) from None
        return cpt, Fraction(0) if miss and is_spelt(cpt, numbers) else miss
