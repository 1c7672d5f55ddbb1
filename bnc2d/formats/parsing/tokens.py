"""The lexer that BIF and Hugin NET share: lazy, linear in the length of the file."""

from __future__ import annotations

import re

from bnc2d.base.readers.numbers import shorten
from bnc2d.errors import FormatError
from bnc2d.formats.parsing.assemble import MAX_PARENTS
from bnc2d.formats.parsing.source import Source

_MAX_ESCAPED = 2**14  # longer strings are too long for names, escapes or not
_ESCAPE = re.compile(r"\\([\s\S])")
# The last alternative of a possessive repetition. It never matches: before Python 3.11.5 a repetition goes on
# from where its last alternative gave up (CPython's gh-106052), and this one gives up where it starts.
NONE = "(?!)"


class Language:
    """The lexer of a format with these one-character symbols, insides of strings and comments.

    A comment is one only where a token could start; ``comments`` lists what starts one yet may be in a name.
    With ``escapes`` a backslash in a string stands for the character after it. ``plain`` is a run without
    symbols (commas aside) and strings, ``inside`` a run of whole tokens without braces. Every repetition is
    possessive, so no text costs more than linear time.
    """

    def __init__(
        self, symbols: str, strings: str, comment: str, comments: tuple[str, ...] = (), escapes: bool = False
    ) -> None:
        self.comments, self.escapes = comments, escapes
        reserved = re.escape(symbols + '"' + ("" if comments else comment[0]))
        name = rf"[^\s{reserved}]++"
        token = rf"""(?: \s++ | {comment} | {NONE} )*+ (?: (?P<symbol> [{re.escape(symbols)}] )
            | "(?P<string> {strings} )" | (?P<name> {name} ) | (?P<end> \Z ) )"""
        flat = re.escape("".join(symbol for symbol in symbols if symbol not in "{}"))
        inside = rf"""(?: [\s{flat}]++ | {comment} | "{strings}" | {name} | {NONE} )*+"""
        self.token, self.inside = re.compile(token, re.VERBOSE), re.compile(inside, re.VERBOSE)
        self.plain = re.compile(f"[^{reserved.replace(',', '')}]*+")


class Scanner:
    """The current token of a stretch of text: its ``kind`` (symbol, name, string, end), and where it is."""

    def __init__(self, source: Source, language: Language, start: int = 0, limit: int | None = None) -> None:
        self.source, self.text = source, source.text
        self.error, self.unsupported = source.error, source.unsupported
        self._language = language
        self._token = language.token
        self._limit = len(self.text) if limit is None else limit
        self.kind = "end"
        self.token = ""
        self.at = self.end = start
        self.advance()

    def advance(self) -> None:
        """Move to the next token, over whitespace and comments."""
        match = self._token.match(self.text, self.end, self._limit)
        if match is None:
            raise self._unclosed('"', "a quoted string")
        kind = match.lastgroup or "end"
        self.kind, self.token, self.at, self.end = kind, match[kind], match.start(kind), match.end()
        if kind == "string":
            self.at -= 1  # its quote
            if self._language.escapes and "\\" in self.token and len(self.token) <= _MAX_ESCAPED:
                self.token = _ESCAPE.sub(r"\1", self.token)
        elif kind == "name" and self.token.startswith("/*") and self._language.comments:
            raise self._unclosed("/*", "a comment")

    def _unclosed(self, opening: str, what: str) -> FormatError:
        at = self.text.find(opening, self.at)
        return self.error(f"{what} is opened here and never closed", at)

    def is_symbol(self, symbol: str) -> bool:
        """Tell whether the current token is this symbol (and not a quoted string of the same text)."""
        return self.token == symbol and self.kind == "symbol"

    def is_keyword(self, word: str) -> bool:
        """Tell whether the current token is this word, unquoted."""
        return self.token == word and self.kind == "name"

    def accept(self, symbol: str) -> bool:
        """Move on if the current token is this symbol; tell whether it was."""
        if self.is_symbol(symbol):
            self.advance()
            return True
        return False

    def expect(self, symbol: str, where: str) -> None:
        """Move over this symbol; anything else is an error."""
        if not self.accept(symbol):
            raise self.unexpected(f"{symbol!r} {where}")

    def name(self, what: str) -> str:
        """Return the current name, quoted or bare, and move on."""
        if self.kind not in ("name", "string"):
            raise self.unexpected(what)
        name = self.token
        self.advance()
        return name

    def scope(self, word: str, item: str) -> tuple[list[str], int | None]:
        """Return the names of items in the ``(a | b, c)`` after ``word``, and how many precede the bar."""
        at = self.at
        self.expect("(", f"after {word!r}")
        names: list[str] = []
        children = None
        while not self.accept(")"):
            if children is None and self.accept("|"):
                children = len(names)
            elif not self.accept(","):
                names.append(self.name(f"a {item}'s name or ')'"))
                if len(names) > MAX_PARENTS + 1:
                    raise self.error(f"a table with more than {MAX_PARENTS} parents, the limit", at)
        return names, children

    def words(self, stop: str, where: str) -> list[str]:
        """Return the names and numbers between the current token and the symbol ``stop``; stay on ``stop``.

        Whitespace and commas separate them. Stretches without quotes and comments are split in one go.
        """
        words: list[str] = []
        while True:
            match = self._language.plain.match(self.text, self.end, self._limit)
            stretch = "" if match is None else match[0]
            if not any(mark in stretch for mark in self._language.comments):
                words += stretch.replace(",", " ").split()
                self.end += len(stretch)
            self.advance()
            if self.kind in ("name", "string"):
                words.append(self.token)
            elif self.is_symbol(stop):
                return words
            elif not self.is_symbol(","):
                raise self.unexpected(f"{stop!r} {where}")

    def listed(self, opening: str, closing: str, what: str) -> list[str]:
        """Return the words between two symbols, of which the first is the current token, and move on."""
        if not self.is_symbol(opening):
            raise self.unexpected(f"{opening!r} before {what}")
        words = self.words(closing, f"after {what}")
        self.advance()
        return words

    def skip(self, pattern: re.Pattern[str], start: int, unmatched: str = "") -> int:
        """Move past what the pattern matches at ``start`` and return where that ends."""
        match = pattern.match(self.text, start, self._limit)
        if match is None:
            raise self.error(unmatched, start)
        self.end = match.end()
        self.advance()
        return match.end()

    def skip_block(self, where: str) -> tuple[int, int]:
        """Move over a block without inner braces, from its ``{``; return where its inside starts and ends."""
        if not self.is_symbol("{"):
            raise self.unexpected(f"'{{' to open {where}")
        start, opened = self.end, self.at
        end = self.skip(self._language.inside, start)
        if self.kind == "end":
            raise self.error(f"{where} is opened here and never closed", opened)
        self.expect("}", f"to close {where}")
        return start, end

    def unexpected(self, expected: str) -> FormatError:
        """Return the error that says what was expected instead of the current token."""
        found = f"found {shorten(self.token)!r}"
        if self.kind == "end":
            found = "the file ends" if self._limit == len(self.text) else "the block ends"
        return self.error(f"expected {expected}, but {found}", self.at)
