"""Text in pictures: what a label shows, on few lines and not too wide, and its full text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

FONT_SIZE, SMALL_FONT = 13, 11
MAX_WIDTH = 170.0
_PADDING = 10.0
# Widths of characters that are narrower or wider than others, in units of the font's size.
_EM_CHARACTERS = {0.34: "iljI.,:;'|! ", 0.42: 'ftr()[]{}-/"', 0.84: "∈¬∧∨=<>+#&", 0.96: "mwMW%@—…"}
_EMS = {char: width for width, chars in _EM_CHARACTERS.items() for char in chars}


def clean(text: str) -> str:
    """Return the text on one line, without what is not printable (control characters, turned text, say)."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c.isspace() else "\ufffd" for c in text)


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Return about how wide a sans-serif font sets the text (rather too wide than too narrow)."""
    return size * sum(map(_em, text))


def _em(char: str) -> float:
    if char in _EMS:
        return _EMS[char]
    if char.isascii():
        return 0.7 if char.isupper() else 0.62
    if unicodedata.combining(char):
        return 0.0
    return 1.05 if unicodedata.east_asian_width(char) in "WF" else 0.74


def shorten(text: str, width: float = MAX_WIDTH, size: float = FONT_SIZE) -> str:
    """Return the text, cut with an ellipsis where it is wider than ``width``.

    >>> shorten("a" * 100, 60.0)
    'aaaaa…'
    """
    if text_width(text, size) <= width:
        return text
    left = width - text_width("…", size)
    for position, char in enumerate(text):
        left -= text_width(char, size)
        if left < 0:
            return text[:position].rstrip() + "…"
    return text


@dataclass(frozen=True)
class Label:
    """What a box shows: lines that fit it, the full text, and how large a box around the lines is."""

    lines: tuple[str, ...]
    title: str
    small: bool = False

    @property
    def font(self) -> int:
        """The size of the font."""
        return SMALL_FONT if self.small else FONT_SIZE

    @property
    def line_height(self) -> float:
        """From one line to the next."""
        return 13.0 if self.small else 16.0

    @cached_property
    def width(self) -> float:
        """The width of a box around the lines."""
        return max(30.0, 2 * _PADDING + max(text_width(line, self.font) for line in self.lines))

    @cached_property
    def height(self) -> float:
        """The height of a box around the lines."""
        return (6.0 if self.small else 12.0) + self.line_height * len(self.lines)


def one_line(text: str) -> Label:
    """Return a label of one line, cut where it is too long."""
    return Label((shorten(clean(text)),), clean(text))


def name_list(
    names: Sequence[str], *, width: float = 150.0, max_lines: int = 4, small: bool = False, prefix: str = ""
) -> Label:
    """Return a label that lists names over a few lines, and says how many it leaves out.

    >>> name_list(["A", "B"]).lines
    ('A, B',)
    >>> name_list(["first", "second", "third", "fourth"], width=80.0, max_lines=2).lines
    ('first,', 'second, +2')
    """
    size = SMALL_FONT if small else FONT_SIZE
    full = [clean(name) for name in names]
    title = f"{prefix}{{{', '.join(full)}}}"
    if not full:
        return Label(("∅",), title, small)
    lines = [""]
    for position, name in enumerate(full):
        last = position == len(full) - 1
        word = shorten(name, width - 12.0, size) + ("" if last else ",")
        longer = f"{lines[-1]} {word}".strip()
        # The last line keeps room for the count of what is left out.
        rest = f" +{len(full) - position - 1}" if len(lines) == max_lines and not last else ""
        if text_width(longer + rest, size) <= width or not lines[-1]:
            lines[-1] = longer
        elif len(lines) < max_lines:
            lines.append(word)
        else:
            lines[-1] += f" +{len(full) - position}"
            break
    return Label(tuple(lines), title, small)
