"""Bar charts count what there is: against counting by hand."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from bnc2d.draw.summary import histogram, ranking

KINDS = [("red", "apples"), ("green", "pears")]


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 1)), min_size=1))
def test_histograms(things: list[tuple[int, int]]) -> None:
    values, groups = zip(*things, strict=True)
    bars = histogram("weight", values, KINDS, groups)
    assert len(bars) <= 16
    for bar in bars:
        first, _, last = bar.label.partition("–")
        inside = [kind for value, kind in things if int(first) <= value <= int(last or first)]
        assert list(bar.shares) == [("red", inside.count(0)), ("green", inside.count(1))]
    assert sum(length for bar in bars for _, length in bar.shares) == len(things)


@given(st.dictionaries(st.text(), st.integers(1, 9), max_size=40))
def test_rankings(counts: dict[str, int]) -> None:
    bars = ranking(counts, "uses")
    lengths = [length for bar in bars for _, length in bar.shares]
    assert lengths == sorted(counts.values(), reverse=True)[: len(lengths)]
    assert len(bars) == min(len(counts), 16)
    if len(counts) > 16:
        left = Counter(counts.values()) - Counter(lengths)
        assert bars[-1].label == f"and {left.total()} more"
        assert bars[-1].title == f"{sum(left.elements())} uses"
