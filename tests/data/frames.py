"""Random data frames of all the types that pandas has for columns, and what a library decides on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bnc2d.api.classifier import Classifier
from bnc2d.base.scales import Intervals, Labels, scale_of


def random_frame(seed: int, rows: int = 120) -> pd.DataFrame:
    """Return a frame with a column of each type, some with missing entries, and the class ``y``."""
    chance = np.random.default_rng(seed)
    hidden = chance.normal(size=rows)

    def noisy(scale: float) -> NDArray[np.float64]:
        return hidden + scale * chance.normal(size=rows)

    def gaps(values: Any, dtype: Any = object) -> Any:
        series = pd.Series(values).astype(dtype)
        series[chance.random(rows) < 0.15] = None
        return series

    sizes = np.clip(np.round(noisy(1) + 2), 0, 4).astype(int)
    words = np.array(["red", "green", "blue", "sea green", "x=1"])[sizes]
    columns = {
        "float": noisy(0.7).round(3),
        "float32": noisy(1).astype(np.float32),
        "float gaps": gaps(noisy(1), float),
        "int": (40 + 15 * noisy(1)).astype(int),
        "uint8": (100 + 20 * np.clip(noisy(1), -3, 3)).astype(np.uint8),
        "Int64": gaps(np.round(noisy(1) * 1000).astype(int), "Int64"),
        "Float64": gaps(noisy(1), "Float64"),
        "few": sizes,
        "bool": noisy(1) > 0,
        "boolean": gaps(noisy(1) > 0.3, "boolean"),
        "object bool": gaps(noisy(1) > -0.3, object),
        "str": words,
        "object": gaps(words, object),
        "string": gaps(words, "string"),
        "category": pd.Categorical(
            np.array(["none", "low", "mid", "high", "top"])[sizes],
            ["none", "low", "mid", "high", "top"],
            ordered=True,
        ),
        "int category": pd.Categorical(chance.integers(7, 10, rows)),
        "large": (noisy(1) * 2**60).astype(np.int64),
    }
    chosen = chance.permutation(list(columns))[: chance.integers(2, 7)]
    frame = pd.DataFrame({name: columns[name] for name in chosen})
    classes: list[Any] = [
        np.where(noisy(0.5) > 0, "yes", "no"),
        np.clip(np.round(noisy(0.5)), -1, 1).astype(int),
        noisy(0.5) > 0.5,
        np.clip(np.round(noisy(0.5)), 0, 2).astype(float),
    ]
    frame["y"] = classes[seed % len(classes)]
    return frame.set_index(pd.Index(chance.permutation(rows) + 1000))


def codes_of(frame: pd.DataFrame, clf: Classifier) -> NDArray[np.intp]:
    """Return states by comparing each value with the cuts and labels, one after another; -1 for unknown."""
    rows = []
    for _, row in frame[list(clf.features)].astype(object).iterrows():
        codes = []
        for name in clf.features:
            value, scale = row[name], scale_of(clf.network.variable(name).states)
            if pd.isna(value):
                codes.append(-1 if scale is None or scale.missing is None else scale.missing)
            elif isinstance(scale, Intervals):
                codes.append(sum(value >= cut.value for cut in scale.cuts))
            else:
                assert isinstance(scale, Labels)
                codes.append(next(at for at, group in enumerate(scale.values) if value in group))
        rows.append(codes)
    return np.array(rows, dtype=np.intp).reshape(len(frame), len(clf.features))
