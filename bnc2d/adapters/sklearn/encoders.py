"""The codes that fitted ``OrdinalEncoder`` and ``OneHotEncoder`` give to labels and groups of labels."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from bnc2d.adapters.sklearn.steps import Encoded, is_nan

NO_CODE = -1.0  # of a label that is 0 in every one-hot column


def ordinal(encoder: Any, column: int) -> Encoded:
    """Return the codes of one column of an ``OrdinalEncoder``."""
    categories = _categories(encoder, column)
    with_nan = bool(categories) and is_nan(categories[-1])
    codes: list[float] = [
        float(code) for code in _grouped(encoder, column, categories[: -1 if with_nan else None])
    ]
    if with_nan:  # which is in no group
        codes.append(float(encoder.encoded_missing_value))
    unknown = float(encoder.unknown_value) if encoder.handle_unknown == "use_encoded_value" else None
    return _encoded(categories, codes, unknown)


def one_hot(encoder: Any, column: int) -> tuple[Encoded, list[float]]:
    """Return the codes of one column of a ``OneHotEncoder``, and those that have an output column."""
    categories = _categories(encoder, column)
    groups = _grouped(encoder, column, categories)
    codes = [float(group) for group in groups]
    kept = sorted(set(codes))
    dropped = None if encoder.drop_idx_ is None else encoder.drop_idx_[column]
    if dropped is not None:
        gone = codes[int(dropped)]
        kept.remove(gone)
        codes = [NO_CODE if code == gone else code for code in codes]
    return _encoded(categories, codes, _unknown(encoder, column, codes)), kept


def _unknown(encoder: Any, column: int, codes: Sequence[float]) -> float | None:
    """Return the code of a label that was not seen: that of the infrequent ones, none, or an error."""
    if encoder.handle_unknown == "error":
        return None
    infrequent = _infrequent(encoder, column)
    if encoder.handle_unknown == "ignore" or infrequent is None:
        return NO_CODE
    return codes[infrequent.index(True)]


def _categories(encoder: Any, column: int) -> list[Any]:
    return [value.item() if isinstance(value, np.generic) else value for value in encoder.categories_[column]]


def _infrequent(encoder: Any, column: int) -> list[bool] | None:
    """Return for each category whether it is infrequent; None where none is."""
    groups = getattr(encoder, "infrequent_categories_", None)  # there only where grouping was asked for
    if groups is None or groups[column] is None:
        return None
    members = list(groups[column])
    nan_too = any(map(is_nan, members))
    return [
        nan_too if is_nan(value) else any(value is one or value == one for one in members)
        for value in encoder.categories_[column]
    ]


def _grouped(encoder: Any, column: int, categories: Sequence[Any]) -> list[int]:
    """Return the codes of categories: frequent ones in order, then one for all that are infrequent."""
    infrequent = _infrequent(encoder, column)
    if infrequent is None:
        return list(range(len(categories)))
    frequent = iter(range(len(categories)))
    of_group = len(categories) - sum(infrequent[: len(categories)])
    return [of_group if infrequent[place] else next(frequent) for place in range(len(categories))]


def _encoded(categories: Sequence[Any], codes: Sequence[float], unknown: float | None) -> Encoded:
    table: dict[Hashable, float] = {}
    nan: float | None = None
    for value, code in zip(categories, codes, strict=True):
        if is_nan(value):
            nan = code
        else:
            table[value] = code
    return Encoded(table, nan, unknown, tuple(categories))
