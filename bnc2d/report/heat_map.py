"""Which features occur in the reasons of many decisions: what ``explain_many`` gave, as a heat map."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.readers.arguments import as_text, items, named, names, wrong
from bnc2d.base.readers.choices import ReasonKind
from bnc2d.draw.chart import WIDTH, Chart
from bnc2d.draw.heat_map import Group, HeatMap, draw_heat_map, share_text
from bnc2d.draw.theme import Theme
from bnc2d.errors import ArgumentError, did_you_mean
from bnc2d.explain.batch import KINDS, Row

if TYPE_CHECKING:
    import pandas as pd

_MOST_FEATURES = 30
_FIRST = 100  # rows that are asked which features there are
_MOST_GROUPS = 12
_MOST_TOLD = 5  # classes of a tooltip
# How a literal goes on after the name of its feature.
_AFTER_NAME = re.compile(r"=|∈|∉| [<≤>≥=≠∈∉] ")


@dataclass(frozen=True)
class _Line:
    """A row: its decision, of each listed reason the features, and whether there are more reasons."""

    decision: object
    reasons: Sequence[Iterable[str]]
    is_cut: bool


def heat_map(
    rows: Sequence[Row] | pd.DataFrame,
    kind: ReasonKind | None = None,
    *,
    features: Iterable[str] | None = None,
    width: int = WIDTH,
    theme: Theme = "auto",
) -> Chart:
    """Return a heat map of which features occur in the reasons that ``explain_many`` listed.

    A line for each feature, those that occur most first (30 at most); a column for each row, grouped by
    decision, or for several neighbouring rows where there are many. The shade is the share of the row's
    listed reasons that have the feature, the number at the right the mean over all rows. ``kind`` says which
    reasons, where there are several kinds; by default the first. A data frame has the reasons as text: where
    names of features contain ``=`` or ``∈``, ``features`` must list them.
    """
    known = None if features is None else names(features, "features")
    lines, chosen = _lines(rows, kind, known)
    told = [line for line in lines if line.reasons or not line.is_cut]
    if not any(line.reasons for line in told):
        raise ArgumentError("none of the rows has a reason, so there is nothing to draw")
    found = {name: None for line in told for reason in line.reasons for name in reason}
    if known is None and not hasattr(rows, "columns"):
        known = [name for row in rows[:_FIRST] for name in (*row.instance, *row.missing)]
    if known is not None:
        found = dict.fromkeys([*known, *found])
    chart = _chart(list(found), told, len(lines), chosen)
    return Chart(chart.title, chart.text, width, theme, _draw=partial(draw_heat_map, chart))


def _lines(rows: Any, kind: str | None, known: list[str] | None) -> tuple[list[_Line], str]:
    """Return the rows, and the kind of reasons that is drawn."""
    if hasattr(rows, "columns") and hasattr(rows, "iloc"):
        chosen = _kind(kind, [kind for kind in KINDS if kind in rows.columns])
        if "decision" not in rows.columns:
            raise ArgumentError("the data frame has no column 'decision'; explain_many() gives such a frame")
        cut = rows["cut"] if "cut" in rows.columns else [""] * len(rows)
        cells = zip(rows["decision"].tolist(), rows[chosen].tolist(), list(cut), strict=True)
        lines = [_read(decision, text, chosen, ended, known) for decision, text, ended in cells]
        return lines, chosen
    listed = items(rows, "rows", "what explain_many() returns: a list of Row or a data frame")
    for row in listed:
        if not isinstance(row, Row):
            raise wrong("a row", row, "a Row of explain_many()")
    shared = [kind for kind in KINDS if listed and all(kind in row.reasons for row in listed)]
    chosen = _kind(kind, shared)
    return [
        _Line(row.decision, [reason.features for reason in row.reasons[chosen]], row.cut[chosen] is not None)
        for row in listed
    ], chosen


def _kind(wanted: object, there: Sequence[str]) -> str:
    if wanted is None:
        if not there:
            raise ArgumentError("the rows have no reasons; explain_many() gives such rows")
        return there[0]
    if not isinstance(wanted, str) or wanted not in there:
        listed = f"; the rows have: {', '.join(there)}" if there else ""
        raise ArgumentError(f"the rows have no reasons of the kind {named(wanted)}{listed}")
    return wanted


def _read(decision: object, text: object, kind: str, cut: object, known: list[str] | None) -> _Line:
    """Return a row of a data frame; its reasons are text."""
    joint = " ∨ " if KINDS[kind].__name__ == "Clause" else " ∧ "  # type: ignore[index]
    reasons = [
        [_feature(literal, known) for literal in reason.split(joint) if literal not in ("⊤", "⊥")]
        for reason in (text.split("; ") if isinstance(text, str) and text else [])
    ]
    return _Line(decision, reasons, kind in as_text(cut).split(", "))


def _feature(literal: str, known: list[str] | None) -> str:
    """Return the feature of a literal as it is printed."""
    plain = literal.removeprefix("¬")
    if known is None:
        return _AFTER_NAME.split(plain, maxsplit=1)[0]
    for name in sorted(known, key=len, reverse=True):
        rest = plain[len(name) :]
        if plain.startswith(name) and (not rest or _AFTER_NAME.match(rest)):
            return name
    name = _AFTER_NAME.split(plain, maxsplit=1)[0]
    raise ArgumentError(f"unknown feature {name!r} in the reason {literal!r}{did_you_mean(name, known)}")


def _chart(features: list[str], lines: list[_Line], total: int, kind: str) -> HeatMap:
    place = {name: at for at, name in enumerate(features)}
    shades = np.zeros((len(lines), len(features)))
    for at, line in enumerate(lines):
        checkpoint()
        for reason in line.reasons:
            shades[at, [place[name] for name in reason]] += 1 / len(line.reasons)
    np.minimum(shades, 1.0, out=shades)  # sums of fractions
    shades[shades > 1 - 1e-9] = 1.0
    means = shades.mean(axis=0)
    order = sorted(range(len(features)), key=lambda feature: (-means[feature], feature))
    occurring = [feature for feature in order if means[feature] > 0]
    drawn, rest = occurring[:_MOST_FEATURES], occurring[_MOST_FEATURES:]
    by_name: dict[str, list[int]] = {}
    for at, line in enumerate(lines):
        by_name.setdefault("no class" if line.decision is None else as_text(line.decision), []).append(at)
    largest = sorted(by_name.items(), key=lambda group: -len(group[1]))
    if len(largest) > _MOST_GROUPS:
        others = largest[_MOST_GROUPS - 1 :]
        together = [place for _, places in others for place in places]
        largest = [*largest[: _MOST_GROUPS - 1], (f"{len(others)} other classes", together)]
    groups = [Group(name, _sorted(shades[places][:, drawn])) for name, places in largest]
    tooltips = [
        f"{features[feature]}: in {share_text(means[feature])} of the reasons"
        + _by_class([(group.name, float(group.shades[:, at].mean())) for group in groups])
        for at, feature in enumerate(drawn)
    ]
    never = [feature for feature in order if means[feature] == 0]
    folded = []
    if rest:
        most = share_text(means[rest[0]])
        folded.append(f"{_count(len(rest), 'more feature')}, each in at most {most} of the reasons")
    if never:
        folded.append(f"{_count(len(never), 'feature')} in none of the reasons")
    words = kind.replace("_", " ")
    cut = sum(line.is_cut for line in lines)
    notes = [f"Of {_count(cut, 'row')} not all reasons were listed."] if cut else []
    if total > len(lines):
        notes.append(f"{_count(total - len(lines), 'row')} without a reason in time are left out.")
    return HeatMap(
        title=f"Features in {words} reasons",
        lead=f"{_count(len(lines), 'row')}, by decision. The shade is the share of a row's reasons that have "
        "the feature; the number at the right is the mean over all rows.",
        features=[features[feature] for feature in drawn],
        shares=[float(means[feature]) for feature in drawn],
        tooltips=tooltips,
        groups=groups,
        folded="; ".join(folded),
        names=[features[feature] for feature in rest + never],
        notes=notes,
    )


def _sorted(shades: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the rows with those that are alike side by side: by the first feature, then the next."""
    if not shades.shape[1]:
        return shades
    return shades[np.lexsort([-shades[:, feature] for feature in reversed(range(shades.shape[1]))])]


def _by_class(shares: Sequence[tuple[str, float]]) -> str:
    if len(shares) == 1:
        return ""
    told = [f"{name} {share_text(share)}" for name, share in shares[:_MOST_TOLD]]
    return f" ({', '.join(told)}{', …' if len(shares) > _MOST_TOLD else ''})"


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
