"""A raw column, parted into the cells in which nothing that is derived from it changes.

A cell is an interval of numbers, a set of labels, or what is left over (labels that were not seen, missing
values); it becomes a state of the column. Its weight for a class is the product of the weights of all columns
that were derived from it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from math import inf, isfinite, nextafter, prod
from operator import or_
from typing import Any, NamedTuple, TypeAlias

from bnc2d.adapters.sklearn.steps import OTHER, Chain, Marks, NotTaken, is_nan, marks_of, run
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.scales import Cut, Intervals, Labels, Scale
from bnc2d.errors import UnsupportedError

# What the naive Bayes reads of a raw value, in each derived column; None where scikit-learn refuses it.
Image: TypeAlias = tuple[int, ...] | None
_NAN = float("nan")
_MOST_NAMED = 4  # labels of one state that its name lists


class RawColumn(NamedTuple):
    """The states of a raw column, and their weights by class and state."""

    scale: Scale
    weights: list[list[Fraction]]


def raw_column(
    name: str,
    chains: Sequence[Chain],
    weights: Callable[[int, int], list[Fraction]],
) -> RawColumn:
    """Return the cells of a raw column; ``weights`` are those of a value of one of its derived columns."""
    try:
        marks = reduce(or_, map(marks_of, chains), Marks())
    except UnsupportedError as error:
        raise UnsupportedError(f"column {name!r}: {error}") from None
    if marks.unbounded:
        raise UnsupportedError(
            f"column {name!r}: {marks.whole} reads counts of any size; pass max_counts= with the largest "
            "that can be (1 for columns of 0 and 1)"
        )
    scale, images = (_numbers if marks.is_number else _labels)(name, chains, marks)
    rows = [[weights(place, value) for place, value in enumerate(image)] for image in images]
    by_cell = [list(map(prod, zip(*row, strict=True))) for row in rows]
    return RawColumn(scale, [list(column) for column in zip(*by_cell, strict=True)])


def _image(chains: Sequence[Chain], value: object) -> Image:
    checkpoint()
    try:
        return tuple(run(chain, value) for chain in chains)
    except NotTaken:
        return None


def _reason(chains: Sequence[Chain], value: object) -> str:
    """Return why scikit-learn refuses a value."""
    try:
        for chain in chains:
            run(chain, value)
    except NotTaken as refusal:
        return str(refusal)
    return ""


def _numbers(name: str, chains: Sequence[Chain], marks: Marks) -> tuple[Scale, list[tuple[int, ...]]]:
    """Return intervals, or single values where nothing between them is taken."""
    points: list[Any] = [value for value in marks.values if value is not None and not is_nan(value)]
    strange = [value for value in points if not isinstance(value, int | float)]
    if strange:
        raise UnsupportedError(
            f"column {name!r} is read as numbers and as labels such as {strange[0]!r}; "
            "give them columns of their own"
        )
    around = [Cut(float(point), below) for point in points if isfinite(point) for below in (False, True)]
    by_edge = {cut.first_above: cut for cut in around} | {cut.first_above: cut for cut in marks.cuts}
    cuts = [by_edge[edge] for edge in sorted(by_edge)]
    examples = [nextafter(cuts[0].first_above, -inf) if cuts else 0.0, *(cut.first_above for cut in cuts)]
    images = [_image(chains, example) for example in examples]
    is_point = [example in points for example in examples]
    if any(image is None for image in images):
        if points and all((image is None) or point for image, point in zip(images, is_point, strict=True)):
            return _labels(name, chains, marks)
        example = examples[images.index(None)]
        raise UnsupportedError(
            f"column {name!r}: scikit-learn itself refuses values such as {example:g} "
            f"({_reason(chains, example)}), though others are taken; fit CategoricalNB with min_categories, "
            "or to data with values in every bin"
        )
    kept = [place for place in range(1, len(examples)) if images[place] != images[place - 1]]
    found = [image for place, image in enumerate(images) if image is not None and place in (0, *kept)]
    missing = _missing_image(name, chains, marks)
    if missing is not None and missing not in found:
        found.append(missing)  # a state of its own, after the intervals
    position = None if missing is None else found.index(missing)
    return Intervals([cuts[place - 1] for place in kept], missing=position), found


def _labels(name: str, chains: Sequence[Chain], marks: Marks) -> tuple[Scale, list[tuple[int, ...]]]:
    """Return groups of labels, one for each image."""
    groups: dict[tuple[int, ...], list[Any]] = {}
    for value in dict.fromkeys(value for value in marks.values if value is not None and not is_nan(value)):
        image = _image(chains, value)
        if image is not None:
            groups.setdefault(image, []).append(value)
    other = _image(chains, OTHER)
    if other is not None:
        groups.setdefault(other, [])
    missing = _missing_image(name, chains, marks)
    if missing is not None and missing not in groups:
        groups[missing] = [_NAN]
    if not groups:
        raise UnsupportedError(
            f"column {name!r}: scikit-learn takes none of its values ({_reason(chains, OTHER)})"
        )
    found = list(groups)
    texts = [_name(members, image == other) for image, members in groups.items()]
    scale = Labels(
        [tuple(members) for members in groups.values()],
        names=_distinct(texts),
        other=None if other is None else found.index(other),
        missing=None if missing is None else found.index(missing),
    )
    return scale, found


def _missing_image(name: str, chains: Sequence[Chain], marks: Marks) -> Image:
    """Return what a missing value reads as; refuse NaN and None that are different categories."""
    nan, none = _image(chains, _NAN), _image(chains, None)
    if nan is not None and none is not None and nan != none and any(value is None for value in marks.values):
        raise UnsupportedError(
            f"column {name!r}: None and NaN are different categories, but both say that a value is missing; "
            "replace one of them by a label"
        )
    return none if nan is None else nan


def _name(members: Sequence[object], with_other: bool) -> str:
    shown = members if len(members) <= _MOST_NAMED else members[: _MOST_NAMED - 1]
    texts = list(Labels([tuple(shown)]).names) if shown else []
    if len(shown) < len(members):
        texts.append(f"{len(members) - len(shown)} more")
    return " or ".join([*texts, "other"] if with_other else texts)


def _distinct(names: Sequence[str]) -> list[str]:
    """Return the names, with a number behind those that occur before: a label may be called "other"."""
    found: list[str] = []
    for name in names:
        candidate, number = name, 2
        while candidate in found or (candidate != name and candidate in names):
            candidate, number = f"{name} ({number})", number + 1
        found.append(candidate)
    return found
