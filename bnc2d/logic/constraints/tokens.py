"""The words of a constraint's text, each with its line and column; see ``syntax`` for what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from bnc2d.errors import LogicError

# The kind of a token is one of these, a keyword, or the sign itself where no keyword says the same.
NAME, NEWLINE, END = "name", "newline", "end"

KEYWORDS = frozenset(("true", "false", "not", "and", "or", "xor", "implies", "iff", "if", "then", "in"))
_SPELLINGS = {
    **{sign: sign for sign in "=(){}[],;<>∪"},
    "<=": "<= ≤",
    ">=": ">= ≥",
    "!=": "!= ≠",
    "not": "! ¬",
    "and": "& ∧",
    "or": "| ∨",
    "xor": "^",
    "implies": "-> => →",
    "iff": "<-> <=> ↔",
    "in": "∈",
    "not in": "∉",
    "true": "⊤",
    "false": "⊥",
}
SIGNS = {sign: kind for kind, signs in _SPELLINGS.items() for sign in signs.split()}

_SIGN = "|".join(map(re.escape, sorted(SIGNS, key=len, reverse=True)))
_TOKEN = re.compile(
    rf"""(?P<skip>     [^\S\r\n]+ | \#[^\r\n]* )
       | (?P<newline>  \r\n | \r | \n )
       | (?P<quoted>   '(?:[^'\\\r\n]|\\[^\r\n])*' | "(?:[^"\\\r\n]|\\[^\r\n])*" )
       | (?P<sign>     {_SIGN} )
       | (?P<word>     (?:[\w.+∞%°€$£/]|-(?!>))+ )""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_MOST_SHOWN = 60


class Position(NamedTuple):
    """Where something stands in a text, counted from 1."""

    line: int
    column: int


class Token(NamedTuple):
    """A word, a sign, the end of a line or that of the text; the text of a name is without quotes.

    ``span`` is where it begins and ends, counted in characters from the beginning of the whole text.
    """

    kind: str
    text: str
    position: Position
    span: tuple[int, int]

    def __str__(self) -> str:
        """Return the token as messages quote it."""
        if self.kind in (NEWLINE, END):
            return "the end of the line" if self.kind == NEWLINE else "the end of the text"
        return quoted(self.text)


def quoted(text: str) -> str:
    """Return a text in quotes, on one line and not too long."""
    return repr(text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…")


def error_at(position: Position, message: str) -> LogicError:
    """Return (not raise) the error that says where in the text something is wrong."""
    return LogicError(f"line {position.line}, column {position.column}: {message}")


def tokenise(text: str) -> Iterator[Token]:
    """Yield the tokens of a text, the last of kind ``END``; comments and spaces are left out."""
    line, line_start, start = 1, 0, 0
    while start < len(text):
        position = Position(line, start - line_start + 1)
        found = _TOKEN.match(text, start)
        if found is None:
            raise _unreadable(text[start], position)
        start, word, span = found.end(), found.group(), found.span()
        if found.lastgroup == "newline":
            yield Token(NEWLINE, word, position, span)
            line, line_start = line + 1, start
        elif found.lastgroup == "quoted":
            yield Token(NAME, _unquoted(word, position), position, span)
        elif found.lastgroup == "sign":
            yield Token(SIGNS[word], word, position, span)
        elif found.lastgroup == "word":
            keyword = word.lower()
            yield Token(keyword if keyword in KEYWORDS else NAME, word, position, span)
    yield Token(END, "", Position(line, start - line_start + 1), (start, start))


def _unquoted(word: str, position: Position) -> str:
    """Return what stands in quotes, with its escapes resolved."""
    for escape in _ESCAPE.finditer(word):
        if escape[1] not in "\\'\"":
            where = Position(position.line, position.column + escape.start())
            raise error_at(
                where, rf"found {quoted(escape[0])}, expected \\, \' or \" after a backslash in quotes"
            )
    name = _ESCAPE.sub(r"\1", word[1:-1])
    if not name:
        raise error_at(position, f"found {word}, expected a name between the quotes")
    return name


def _unreadable(character: str, position: Position) -> LogicError:
    if character in "'\"":
        return error_at(
            position, f"found {character} without the same quote later on its line, which is expected"
        )
    return error_at(
        position,
        f"found {character!r}, expected a name, a sign or a keyword; names with other characters than "
        "letters, digits and _ . - + / % are written in quotes",
    )
