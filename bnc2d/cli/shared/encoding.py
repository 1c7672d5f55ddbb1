"""Standard output holds every name and sign in any locale: nothing that is printed ends in an error."""

from __future__ import annotations

import codecs
import io
import os
import sys

_ERRORS = "bnc2d"
# What a terminal shows for signs that its encoding has not; anything else is its escape.
_STAND_INS = {
    "∧": "&", "∨": "|", "¬": "!", "⊤": "true", "⊥": "false", "∈": " in ", "∉": " not in ", "∅": "{}",
    "→": "->", "↔": "<->", "≠": "!=", "≤": "<=", "≥": ">=", "∞": "inf", "…": "...", "—": "--", "–": "-",
    "•": "*", "·": "*", "′": "'", "✓": "yes", "✗": "no", "█": "#",
}  # fmt: skip


def hold_every_sign() -> None:
    """Make standard output UTF-8 unless it is a terminal or ``PYTHONIOENCODING`` says what it is.

    Files and other commands, ours among them, read UTF-8. Where the encoding has to stay and lacks a sign, a
    terminal shows a stand-in in ASCII, and else the escape of JSON is written.
    """
    stream = sys.stdout
    if not isinstance(stream, io.TextIOWrapper) or codecs.lookup(stream.encoding).name.startswith("utf"):
        return
    in_terminal = stream.isatty()
    if not in_terminal and "PYTHONIOENCODING" not in os.environ:
        stream.reconfigure(encoding="utf-8")
        return
    codecs.register_error(_ERRORS, _stand_ins if in_terminal else _escapes)
    stream.reconfigure(errors=_ERRORS)


def _stand_ins(error: UnicodeError) -> tuple[str, int]:
    text, end = _missing(error)
    return "".join(_STAND_INS.get(sign) or _escape(sign) for sign in text), end


def _escapes(error: UnicodeError) -> tuple[str, int]:
    text, end = _missing(error)
    return "".join(map(_escape, text)), end


def _missing(error: UnicodeError) -> tuple[str, int]:
    """Return the signs that the encoding lacks, and where they end."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return error.object[error.start : error.end], error.end


def _escape(sign: str) -> str:
    r"""Return the sign as JSON writes it in ASCII.

    >>> _escape("é"), _escape("😀")
    ('\\u00e9', '\\ud83d\\ude00')
    """
    code = sign.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{code[at : at + 4]}" for at in range(0, len(code), 4))
