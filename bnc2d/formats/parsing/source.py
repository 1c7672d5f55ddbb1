"""Where a parsed thing stands: positions turn into ``file:line`` only when an error needs it."""

from __future__ import annotations

import re
from itertools import islice

from bnc2d.base.readers.numbers import shorten
from bnc2d.errors import FormatError, UnsupportedError

_MAX_WORD = 200
_MAX_MESSAGE = 500  # several long names, or one of control characters, would fill a screen


class Source:
    """A text file; a position is an offset into ``text``."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    def line(self, at: int) -> int:
        """Return the line of a position, counted from 1."""
        return self.text.count("\n", 0, at) + 1

    def find_word(self, word: str, at: int) -> int:
        """Return the first position from ``at`` where ``word`` stands alone, or ``at`` itself."""
        after = r"(?![^\s,();}])" if len(word) <= _MAX_WORD else ""
        pattern = rf"(?<![^\s,();|{{]){re.escape(word[:_MAX_WORD])}{after}"
        match = re.compile(pattern).search(self.text, at)
        return at if match is None else match.start()

    def error(self, message: str, at: int | None) -> FormatError:
        """Return (not raise) the error that ``message`` describes at this position, if it has one."""
        line = None if at is None else self.line(at)
        return FormatError(_one_line(message), self.path, line)

    def unsupported(self, message: str, at: int) -> UnsupportedError:
        """Return the error for something that is well formed but that bnc2d has no meaning for."""
        return UnsupportedError(_one_line(message), self.path, self.line(at))


def _one_line(message: str) -> str:
    """Return a message of bounded length without the newlines and control characters that names may hold."""
    return "".join(char if char.isprintable() else " " for char in shorten(message, _MAX_MESSAGE))


class WordSource(Source):
    """A text file of bare words; a position is the number of a word."""

    def line(self, at: int) -> int:
        """Return the line of the word with this number; past the last word, the last line."""
        match = next(islice(re.finditer(r"\S+", self.text), max(at, 0), None), None)
        return super().line(len(self.text.rstrip()) if match is None else match.start())

    def find_word(self, word: str, at: int) -> int:
        """Return the number of the first such word from ``at``."""
        words = islice(re.finditer(r"\S+", self.text), at, None)
        return next((number for number, match in enumerate(words, at) if match[0] == word), at)


class XmlSource(Source):
    """An XML file; a position is already a line."""

    def __init__(self, path: str) -> None:
        super().__init__(path, "")

    def line(self, at: int) -> int:
        """Return the position: it is a line."""
        return at

    def find_word(self, word: str, at: int) -> int:  # noqa: ARG002 - lines inside an element are not kept
        """Return ``at``."""
        return at
