"""The text of a node in a picture: as the paper prints it, on one line, not too wide."""

from __future__ import annotations

import unicodedata

from bnc2d.logic.circuit.manager import TRUE, Kind, Manager, NodeId
from bnc2d.logic.domain import Domain, FeatureId, StateMask

FONT_SIZE = 13
_MAX_LABEL = 170.0


def clean(text: str) -> str:
    """Return the text without what XML or a one-line label cannot hold (control characters, say)."""
    if text.isprintable():
        return text
    return "".join(
        " " if char.isspace() else "\ufffd" if unicodedata.category(char) in ("Cc", "Cs", "Cn") else char
        for char in text
    )


def text_width(text: str, size: float = FONT_SIZE) -> float:
    """Return about how wide a sans-serif font sets the text (rather too wide than too narrow)."""
    return size * sum(map(_em, text))


def _em(char: str) -> float:
    if char in "iljI.,:;'|! ":
        return 0.34
    if char in 'ftr()[]{}-/"':
        return 0.42
    if char in "mwMW%@—…":
        return 0.96
    if char in "∈¬∧∨=<>+#&":
        return 0.84
    if char.isascii():
        return 0.7 if char.isupper() else 0.62
    if unicodedata.combining(char):
        return 0.0
    return 1.05 if unicodedata.east_asian_width(char) in "WF" else 0.74


def shorten(text: str, width: float = _MAX_LABEL) -> str:
    """Return the text, cut with an ellipsis where it is wider than ``width``.

    >>> shorten("a" * 100, 60.0)
    'aaaaa…'
    """
    if text_width(text) <= width:
        return text
    left = width - text_width("…")
    for position, char in enumerate(text):
        left -= text_width(char)
        if left < 0:
            return text[:position].rstrip() + "…"
    return text


def short_literal(domain: Domain, feature: FeatureId, mask: StateMask) -> str:
    """Return a literal for a label: as the paper prints it, long names and long lists of states shortened."""
    full = clean(domain.show_literal(feature, mask))
    if text_width(full) <= _MAX_LABEL:
        return full
    name, states = clean(domain.names[feature]), domain.states_of(feature, mask)
    if full in (name, f"¬{name}"):
        return shorten(full)
    head = shorten(name, 0.55 * _MAX_LABEL)
    if len(states) == 1:
        return shorten(f"{head}={clean(states[0])}")
    shown = f"{head}∈{{"
    room = _MAX_LABEL - text_width(shown + ",…}")
    for state in [shorten(clean(states[0]), room), *states[1:]]:
        longer = f"{shown}{clean(state)},"
        if text_width(longer + "…}") > _MAX_LABEL:
            break
        shown = longer
    else:
        return shown[:-1] + "}"
    return shown + "…}"


def labels(manager: Manager, node: NodeId) -> tuple[str, str]:
    """Return what a node shows and its full text."""
    kind = manager.kind(node)
    if kind == Kind.LITERAL:
        literal = manager.literal_of(node)
        return short_literal(manager.domain, *literal), clean(manager.domain.show_literal(*literal))
    text = ("⊤" if node == TRUE else "⊥") if kind == Kind.CONSTANT else "∧" if kind == Kind.AND else "∨"
    return text, text
