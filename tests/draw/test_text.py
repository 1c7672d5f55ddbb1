"""Labels fit their boxes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bnc2d.draw.html import fill
from bnc2d.draw.text import Label, clean, name_list


@given(st.lists(st.text(min_size=1), max_size=8), st.integers(1, 4), st.booleans())
def test_lists_of_names_fit(names: list[str], lines: int, small: bool) -> None:
    label = name_list(names, width=100.0, max_lines=lines, small=small)
    assert 1 <= len(label.lines) <= lines
    assert label.width < 160
    assert isinstance(label, Label)


@given(st.text())
def test_clean_text_is_one_printable_line(text: str) -> None:
    cleaned = clean(text)
    assert cleaned.isprintable()
    assert [c for c, kept in zip(text, cleaned, strict=True) if c.isprintable() and c != kept] == []


def test_what_steers_or_turns_text_is_replaced() -> None:
    assert clean("a\u202eb\n\x1b\ud800") == "a\ufffdb \ufffd\ufffd"


def test_what_fills_a_template_is_not_searched_for_fields() -> None:
    assert fill("{{a}}-{{b}}", {"a": "{{b}}", "b": "x"}) == "{{b}}-x"
