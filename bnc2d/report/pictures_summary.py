"""What is shown in place of a network or tree with too many nodes to draw: figures and bar charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from bnc2d.logic.pictures.labels import clean, shorten
from bnc2d.logic.pictures.summary import MAX_BARS, Bar, summary_page
from bnc2d.model.network import BayesianNetwork
from bnc2d.report.pictures_network import longest_paths, parents_by_index
from bnc2d.report.pictures_svg import Look

_PLAIN = "#b58a1b"
_LOOKS: Mapping[Look, tuple[str, str]] = {
    "target": ("#4c5fd5", "target"),
    "feature": ("#0b8276", "features"),
    "inner": ("#8c96a3", "others"),
    "dropped": ("#c9ced6", "that do not matter"),
}


def network_summary(network: BayesianNetwork, looks: Sequence[Look], marked: bool) -> str:
    """Return an SVG page: variables by level, and those with most neighbours."""
    parents = parents_by_index(network)
    levels, _ = longest_paths(parents)
    figures = [
        f"{len(network):,} variables",
        f"{len(network.edges):,} edges",
        f"depth {max(levels):,}",
        f"{max(map(len, parents)):,} parents at most",
    ]
    states = [len(variable) for variable in network.variables]
    properties = [
        f"{len(network.roots):,} roots",
        f"{len(network.leaves):,} leaves",
        f"{min(states)} to {max(states)} states",
    ]
    kinds = Counter(looks)
    legend = [(colour, f"{kinds[look]:,} {text}") for look, (colour, text) in _LOOKS.items() if kinds[look]]
    degree = Counter(name for edge in network.edges for name in edge)
    panels = [
        ("Variables by level, roots first", _by_level(levels, looks)),
        ("Variables by neighbours", _largest(degree)),
    ]
    title = f"{network.name or 'Network'}: {', '.join(figures[:3])}"
    return summary_page(clean(title), figures, properties, legend if marked else [], panels)


def tree_summary(
    title: str, sizes: Sequence[int], separators: Sequence[int], depths: Sequence[int], notes: Sequence[str]
) -> str:
    """Return an SVG page: clusters by depth and by size."""
    figures = [
        f"{len(sizes):,} clusters",
        f"width {max(sizes) - 1:,}",
        f"depth {max(depths):,}",
        f"separators of {max(separators, default=0):,} at most",
    ]
    panels = [
        ("Clusters by depth, root first", _by_level(depths, ["inner"] * len(depths))),
        ("Clusters by number of variables", _by_number(sizes)),
    ]
    return summary_page(clean(title), figures, notes, [], panels)


def _by_level(levels: Sequence[int], looks: Sequence[Look]) -> list[Bar]:
    step = -(-(max(levels) + 1) // MAX_BARS)  # levels in a bar
    counts: list[Counter[Look]] = [Counter() for _ in range(max(levels) // step + 1)]
    for level, look in zip(levels, looks, strict=True):
        counts[level // step][look] += 1
    bars: list[Bar] = []
    for bar, count in enumerate(counts):
        first, last = bar * step, min(bar * step + step - 1, max(levels))
        name = f"{first:,}" if first == last else f"{first:,}–{last:,}"
        shares = [(colour, count[look]) for look, (colour, _) in _LOOKS.items()]
        bars.append((name, f"level {name}: {count.total():,}", shares))
    return bars


def _largest(counts: Counter[str]) -> list[Bar]:
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:MAX_BARS]
    return [
        (shorten(clean(name), 100), f"{clean(name)}: {count:,} neighbours", [(_PLAIN, count)])
        for name, count in ranked
    ]


def _by_number(sizes: Sequence[int]) -> list[Bar]:
    step = -(-(max(sizes) + 1) // MAX_BARS)
    counts = Counter(size // step for size in sizes)
    bars: list[Bar] = []
    for bar in range(min(counts), max(counts) + 1):
        first, last = bar * step, bar * step + step - 1
        name = f"{first:,}" if first == last else f"{first:,}–{last:,}"
        bars.append((name, f"{counts[bar]:,} clusters of {name} variables", [(_PLAIN, counts[bar])]))
    return bars
