"""Fitted transformers, read by their attributes: which columns come out, and by which steps."""

from __future__ import annotations

from collections import UserList
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from bnc2d.adapters.sklearn.encoders import one_hot, ordinal
from bnc2d.adapters.sklearn.names import class_names, fitted, input_names, is_own, is_word, pipeline_steps
from bnc2d.adapters.sklearn.steps import (
    Binarised,
    Binned,
    Chain,
    Encoded,
    Filled,
    Indicator,
    Missing,
    float32_first,
    is_nan,
    scaled_by,
)
from bnc2d.base.readers.arguments import shown
from bnc2d.errors import UnsupportedError

_SUPPORTED = (
    "KBinsDiscretizer, OrdinalEncoder, OneHotEncoder, Binarizer, SimpleImputer, MissingIndicator, "
    "StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, feature selection, ColumnTransformer, "
    "FeatureUnion and Pipeline"
)
_MIXES = "its columns mix several of the data; a reason must name columns of the data"
_TEXT = "it makes counts out of texts; count first, and fit the naive Bayes alone to the counts"
_REASONS = {
    "FunctionTransformer": "it calls a function; apply that to the data first, and fit without it",
    **dict.fromkeys(("CountVectorizer", "HashingVectorizer", "TfidfVectorizer", "DictVectorizer"), _TEXT),
    "TfidfTransformer": "it gives fractions; a naive Bayes is exact for counts, so leave it out",
    **dict.fromkeys(("Normalizer", "PolynomialFeatures", "PCA", "TruncatedSVD", "NMF"), _MIXES),
    **dict.fromkeys(
        ("KNNImputer", "IterativeImputer"), "what it fills in depends on other columns; use SimpleImputer"
    ),
    "TargetEncoder": "it gives fractions; use OrdinalEncoder or OneHotEncoder",
    **dict.fromkeys(
        ("QuantileTransformer", "PowerTransformer", "SplineTransformer"),
        "its float64 values cannot be traced back to exact cuts; let KBinsDiscretizer read the column itself",
    ),
}


class Column(NamedTuple):
    """A column on its way: the raw one that it comes from, by position, and what was done to it."""

    raw: int
    chain: Chain = ()

    def then(self, *steps: Any) -> Column:
        """Return the column after more steps."""
        return Column(self.raw, (*self.chain, *steps))


def transformed(transformer: Any, columns: Sequence[Column]) -> list[Column]:
    """Return the columns that a fitted transformer makes of columns; refuse what is not exact."""
    if is_word(transformer, "passthrough"):
        return list(columns)
    return _READERS[transformer_kind(transformer)](transformer, list(columns))


def transformer_kind(transformer: Any) -> str:
    """Return which of the known transformers this is; refuse all others, with the reason."""
    names = class_names(transformer)
    kind = next((name for name in names if name in _READERS), None)
    is_known = is_own(transformer, "transform") or kind == "Pipeline"
    if kind is None or not is_known or (kind == "FunctionTransformer" and transformer.func is not None):
        raise UnsupportedError(_refusal(transformer, names))
    return kind


def _refusal(transformer: object, names: Sequence[str]) -> str:
    found = type(transformer).__qualname__
    reason = next((_REASONS[name] for name in names if name in _REASONS), None)
    if reason is None:
        own = (
            "it has a transform of its own" if any(name in _READERS for name in names) else "it is not known"
        )
        reason = f"{own}; known are {_SUPPORTED}"
    return f"from_sklearn cannot take in {found} exactly: {reason}"


def _pipeline(pipeline: Any, columns: list[Column]) -> list[Column]:
    for step in pipeline_steps(pipeline):
        columns = transformed(step, columns)
    return columns


def _union(union: Any, columns: list[Column]) -> list[Column]:
    _no_weights(union)
    return [
        column
        for _, transformer in union.transformer_list
        if not is_word(transformer, "drop")
        for column in transformed(transformer, columns)
    ]


def _column_transformer(transformer: Any, columns: list[Column]) -> list[Column]:
    _no_weights(transformer)
    names = input_names(transformer)
    found: list[Column] = []
    for _, part, selection in fitted(transformer, "transformers_"):
        chosen = [] if is_word(part, "drop") else selected(selection, names, len(columns))
        if chosen:
            found += transformed(part, [columns[place] for place in chosen])
    return found


def _no_weights(transformer: Any) -> None:
    if transformer.transformer_weights:
        raise UnsupportedError(
            f"{type(transformer).__qualname__} has transformer_weights, which a discrete naive Bayes cannot "
            "count exactly; fit it without them"
        )


def selected(selection: Any, names: list[str] | None, size: int) -> list[int]:
    """Return the positions of a selection of columns: names, positions, a slice of either, or a mask."""

    def place(one: Any) -> int:
        if isinstance(one, str) and names is not None and one in names:
            return names.index(one)
        if isinstance(one, int | np.integer) and -size <= one < size:
            return int(one) % size
        raise UnsupportedError(
            f"the ColumnTransformer selects {shown(one)}, which is no column that it was fitted on"
        )

    if isinstance(selection, slice):
        by_name = any(isinstance(end, str) for end in (selection.start, selection.stop))
        start, stop = (
            None if end is None else place(end) if by_name else end
            for end in (selection.start, selection.stop)
        )
        last = stop if stop is None or not by_name else stop + 1  # a slice of names has its end in it
        return list(range(size))[slice(start, last, selection.step)]
    if isinstance(selection, UserList):  # of scikit-learn 1.5 and 1.6, which warns of what 1.7 does
        selection = selection.data
    ones: list[Any] = [selection] if isinstance(selection, str | int | np.integer) else list(selection)
    if ones and all(isinstance(one, bool | np.bool_) for one in ones):
        return [position for position, chosen in enumerate(ones) if chosen]
    return [place(one) for one in ones]


def _chosen(selector: Any, columns: list[Column]) -> list[Column]:
    return [column for column, keep in zip(columns, selector.get_support(), strict=True) if keep]


def _each(step_of: Callable[[Any, int], Iterable[Any]]) -> Callable[[Any, list[Column]], list[Column]]:
    """Return what gives each column its own steps."""

    def read(transformer: Any, columns: list[Column]) -> list[Column]:
        return [column.then(*step_of(transformer, place)) for place, column in enumerate(columns)]

    return read


def _bins(binner: Any, columns: list[Column]) -> list[Column]:
    found = []
    for column, edges in zip(columns, fitted(binner, "bin_edges_"), strict=True):
        inner = tuple(float(edge) for edge in edges[1:-1])
        if any(low > high for low, high in pairwise(inner)):
            raise UnsupportedError(f"the edges of a KBinsDiscretizer decrease: {shown(list(inner))}")
        chain: Chain = (Binned(inner),)
        column = column.then(*(float32_first(chain) if binner.dtype in (np.float32, "float32") else chain))
        codes = [None] if binner.encode == "ordinal" else list(range(len(inner) + 1))
        found += [column if code is None else column.then(Indicator(float(code))) for code in codes]
    return found


def _one_hot(encoder: Any, columns: list[Column]) -> list[Column]:
    fitted(encoder, "categories_")
    found = []
    for place, column in enumerate(columns):
        encoded, kept = one_hot(encoder, place)
        found += [column.then(encoded, Indicator(code)) for code in kept]
    return found


def _ordinal(encoder: Any, place: int) -> Iterable[Encoded]:
    fitted(encoder, "categories_")
    return (ordinal(encoder, place),)


def _imputer(imputer: Any, columns: list[Column]) -> list[Column]:
    missing = _missing_value(imputer.missing_values)
    fills = [fill.item() if isinstance(fill, np.generic) else fill for fill in fitted(imputer, "statistics_")]
    found = [
        column.then(Filled(missing, fill))
        for column, fill in zip(columns, fills, strict=True)
        if imputer.keep_empty_features or not is_nan(fill)
    ]
    return found + (_indicator(imputer.indicator_, columns) if imputer.add_indicator else [])


def _indicator(indicator: Any, columns: list[Column]) -> list[Column]:
    missing = _missing_value(indicator.missing_values)
    return [columns[int(place)].then(Missing(missing)) for place in fitted(indicator, "features_")]


def _missing_value(value: Any) -> Any:
    """Return the value that stands for missing ones; pandas' NA comes in as NaN."""
    if type(value).__name__ == "NAType":
        return float("nan")
    return value.item() if isinstance(value, np.generic) else value


def _standard(scaler: Any, place: int) -> Iterable[Any]:
    done = [("-", scaler.mean_[place])] if scaler.with_mean else []
    done += [("/", scaler.scale_[place])] if scaler.with_std else []
    return (scaled_by("StandardScaler", done),)


def _min_max(scaler: Any, place: int) -> Iterable[Any]:
    done = [("*", fitted(scaler, "scale_")[place]), ("+", scaler.min_[place])]
    low, high = scaler.feature_range
    return (
        scaled_by("MinMaxScaler", [*done, *([("at least", low), ("at most", high)] if scaler.clip else [])]),
    )


def _max_abs(scaler: Any, place: int) -> Iterable[Any]:
    clip = [("at least", -1.0), ("at most", 1.0)] if getattr(scaler, "clip", False) else []
    return (scaled_by("MaxAbsScaler", [("/", fitted(scaler, "scale_")[place]), *clip]),)


def _robust(scaler: Any, place: int) -> Iterable[Any]:
    done = [("-", scaler.center_[place])] if scaler.with_centering else []
    done += [("/", scaler.scale_[place])] if scaler.with_scaling else []
    return (scaled_by("RobustScaler", done),)


_READERS: dict[str, Callable[[Any, list[Column]], list[Column]]] = {
    "FunctionTransformer": lambda _, columns: columns,  # without a function
    "SelectorMixin": _chosen,
    "Pipeline": _pipeline,
    "FeatureUnion": _union,
    "ColumnTransformer": _column_transformer,
    "KBinsDiscretizer": _bins,
    "OneHotEncoder": _one_hot,
    "OrdinalEncoder": _each(_ordinal),
    "Binarizer": _each(lambda binarizer, _: (Binarised(float(binarizer.threshold)),)),
    "SimpleImputer": _imputer,
    "MissingIndicator": _indicator,
    "StandardScaler": _each(_standard),
    "MinMaxScaler": _each(_min_max),
    "MaxAbsScaler": _each(_max_abs),
    "RobustScaler": _each(_robust),
}
