"""Labels fit their boxes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bnc2d.draw.text import Label, name_list


@given(st.lists(st.text(min_size=1), max_size=8), st.integers(1, 4), st.booleans())
def test_lists_of_names_fit(names: list[str], lines: int, small: bool) -> None:
    label = name_list(names, width=100.0, max_lines=lines, small=small)
    assert 1 <= len(label.lines) <= lines
    assert label.width < 160
    assert isinstance(label, Label)
