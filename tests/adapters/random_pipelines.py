"""Random data frames, random fitted pipelines that end in a naive Bayes, and rows near every cut."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.feature_selection import SelectKBest, VarianceThreshold
from sklearn.impute import SimpleImputer
from sklearn.model_selection import FixedThresholdClassifier, GridSearchCV
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    Binarizer,
    KBinsDiscretizer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

from bnc2d import Classifier
from bnc2d.base.scales import Intervals, scale_of

KINDS = {
    "age": "number",
    "income": "number",
    "rooms": "whole",
    "job": "text",
    "city": "text",
    "smoker": "bool",
}
CLASSES: list[list[Any]] = [
    [0, 1],
    ["no", "yes"],
    [False, True],
    [0.5, 1.5, 2.5],
    ["a", "b", "c", "d"],
    [3, 1, 2],
]
MAX_COUNT = 6


@dataclass
class Case:
    """A fitted pipeline, the data that it was fitted on, and what ``from_sklearn`` needs to know."""

    estimator: Any
    frame: pd.DataFrame
    max_counts: int | None


def random_frame(rng: np.random.Generator, rows: int, gaps: bool) -> pd.DataFrame:
    """Return columns of every kind; with ``gaps``, values are missing in those of numbers and texts."""
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 12, rows).round(int(rng.integers(0, 4))),
            "income": rng.lognormal(10, 1, rows) * (rng.random(rows) < 0.9),
            "rooms": rng.integers(0, MAX_COUNT + 1, rows),
            "job": rng.choice(
                ["clerk", "nurse", "smith", "judge", "baker"], rows, p=[0.4, 0.3, 0.2, 0.07, 0.03]
            ),
            "city": rng.choice(["Rome", "Oslo", "Bonn"], rows),
            "smoker": rng.random(rows) < 0.4,
        }
    )
    if gaps:
        for name in ("age", "income", "job", "city"):
            frame.loc[rng.random(rows) < 0.15, name] = np.nan
    return frame


def random_classes(rng: np.random.Generator, frame: pd.DataFrame) -> Any:
    """Return a class for each row, that depends on the columns."""
    labels = CLASSES[rng.integers(len(CLASSES))]
    score = (
        frame["age"].fillna(40) / 12
        + 2 * frame["smoker"]
        + (frame["job"] == "nurse")
        + rng.normal(0, 1, len(frame))
    )
    position = np.clip(
        ((score - score.min()) / (np.ptp(score) + 1e-9) * len(labels)).astype(int), 0, len(labels) - 1
    )
    position[: len(labels)] = range(len(labels))
    return np.array(labels)[position]


def random_case(seed: int, rows: int = 60) -> Case:
    """Return a fitted pipeline; some fits fail, as scikit-learn refuses gaps (``ValueError``)."""
    rng = np.random.default_rng(seed)
    gaps = bool(rng.random() < 0.5)
    frame = random_frame(rng, rows, gaps)
    classes = random_classes(rng, frame)
    bayes = _naive_bayes(rng, len(set(classes.tolist())))
    before: list[Any] = [_column_transformer(rng, bayes, gaps)]
    if rng.random() < 0.15:
        before.append(SelectKBest(_score, k="all") if rng.random() < 0.3 else VarianceThreshold())
    estimator: Any = make_pipeline(*before, bayes)
    if rng.random() < 0.1:
        name = bayes.__class__.__name__.lower()
        estimator = GridSearchCV(estimator, {f"{name}__alpha": [0.5, 2]}, cv=2)
    elif len(set(classes.tolist())) == 2 and rng.random() < 0.2:
        estimator = FixedThresholdClassifier(estimator, threshold=float(rng.choice([0.2, 0.5, 0.75])))
    estimator.fit(frame, classes)
    return Case(estimator, frame, MAX_COUNT if isinstance(bayes, MultinomialNB | ComplementNB) else None)


def _score(table: Any, classes: Any) -> Any:  # the form that scikit-learn asks for
    return np.arange(table.shape[1], dtype=float) + len(classes)


def _naive_bayes(rng: np.random.Generator, classes: int) -> Any:
    alpha = float(rng.choice([1.0, 0.5, 0.1, 3.0]))
    prior: Any = {"fit_prior": bool(rng.random() < 0.7)}
    if rng.random() < 0.2:
        prior = {"class_prior": rng.dirichlet(np.ones(classes)).round(3) + 0.001}
    which = rng.integers(4)
    if which == 0:
        return CategoricalNB(alpha=alpha, min_categories=int(rng.choice([7, 8])), **prior)
    if which == 1:
        return BernoulliNB(alpha=alpha, binarize=float(rng.choice([0.0, 0.5, 2.0])), **prior)
    return MultinomialNB(alpha=alpha, **prior) if which == 2 else ComplementNB(alpha=alpha)


def _column_transformer(rng: np.random.Generator, bayes: Any, gaps: bool) -> Any:
    names = list(KINDS)
    parts = []
    chosen = [name for name in names if rng.random() < 0.8] or ["rooms"]
    if rng.random() < 0.3:
        chosen.append(str(rng.choice(chosen)))  # one column twice
    for number, name in enumerate(chosen):
        parts.append((f"part{number}", _steps(rng, bayes, KINDS[name], gaps), _selection(rng, names, name)))
    together = [name for name in names if KINDS[name] == "text"]
    if rng.random() < 0.3:
        parts.append(("texts", _text_steps(rng, gaps), together))
    if rng.random() < 0.1:
        parts.append(("gone", "drop", ["income"]))
    remainder = "drop"
    left = {
        KINDS[name]
        for name in names
        if name not in chosen and not (name in together and len(parts) > len(chosen))
    }
    if left and left <= {"bool", "whole"} and rng.random() < 0.7:
        remainder = "passthrough"
    return ColumnTransformer(
        parts, remainder=remainder, sparse_threshold=0 if isinstance(bayes, CategoricalNB) else 0.3
    )


def _selection(rng: np.random.Generator, names: Sequence[str], name: str) -> Any:
    place = names.index(name)
    return [
        [name],
        [place],
        [place - len(names)],
        slice(place, place + 1),
        slice(name, name),
        [one == name for one in names],
        lambda frame: [column for column in frame.columns if column == name],
    ][rng.integers(7)]


def _steps(rng: np.random.Generator, bayes: Any, kind: str, gaps: bool) -> Any:
    if kind == "text":
        return _text_steps(rng, gaps)
    if kind in ("bool", "whole") and rng.random() < 0.35:
        return "passthrough"
    if kind == "bool" or (kind == "whole" and rng.random() < 0.4):
        return _encoder(rng)
    return _number_steps(rng, bayes, gaps and kind == "number")


def _number_steps(rng: np.random.Generator, bayes: Any, gaps: bool) -> Any:
    steps: list[Any] = []
    if gaps or rng.random() < 0.2:
        strategy = str(rng.choice(["mean", "median", "most_frequent", "constant"]))
        marked = bool(rng.random() < 0.1)
        fill = -1 if rng.random() < 0.3 else None
        steps.append(SimpleImputer(strategy=strategy, fill_value=fill, add_indicator=marked))
    elif rng.random() < 0.1:
        steps.append(SimpleImputer(missing_values=0, strategy="mean"))
    if rng.random() < 0.4:
        scalers = [
            StandardScaler(),
            MinMaxScaler(clip=bool(rng.random() < 0.5)),
            RobustScaler(),
            MaxAbsScaler(),
        ]
        steps.append(scalers[rng.integers(4)])
    if isinstance(bayes, BernoulliNB) and rng.random() < 0.3:
        return make_pipeline(*steps) if steps else "passthrough"
    if rng.random() < 0.3:
        last: Any = Binarizer(threshold=float(rng.choice([0.0, 0.3, 35.0])))
    else:
        encode = str(rng.choice(["ordinal", "onehot", "onehot-dense"]))
        strategy = str(rng.choice(["uniform", "quantile", "kmeans"]))
        last = KBinsDiscretizer(int(rng.integers(2, 6)), encode=encode, strategy=strategy, **_quantiles())
        if rng.random() < 0.1:
            last = FeatureUnion([("bins", last), ("above", Binarizer(threshold=0.1))])
    return make_pipeline(*steps, last)


def _quantiles() -> dict[str, Any]:
    """Return the parameter that newer releases ask for, so that they do not warn."""
    known = "quantile_method" in KBinsDiscretizer().get_params()
    return {"quantile_method": "averaged_inverted_cdf"} if known else {}


def _text_steps(rng: np.random.Generator, gaps: bool) -> Any:
    encoder = _encoder(rng)
    if rng.random() < (0.6 if gaps else 0.2):
        constant = rng.random() < 0.5
        filled = (
            SimpleImputer(strategy="constant", fill_value="none")
            if constant
            else SimpleImputer(strategy="most_frequent")
        )
        return make_pipeline(filled, encoder)
    if gaps and isinstance(encoder, OrdinalEncoder) and rng.random() < 0.5:
        return Pipeline([("codes", encoder), ("fill", SimpleImputer(strategy="most_frequent"))])
    return encoder


def _encoder(rng: np.random.Generator) -> Any:
    sizes: list[dict[str, Any]] = [{}, {"min_frequency": 8}, {"max_categories": 3}, {"min_frequency": 0.1}]
    groups = sizes[rng.integers(4)]
    if rng.random() < 0.4:
        unknown: dict[str, Any] = {}
        if rng.random() < 0.5:
            unknown = {"handle_unknown": "use_encoded_value", "unknown_value": 6}
        missing = {"encoded_missing_value": 5} if rng.random() < 0.7 else {}
        return OrdinalEncoder(**groups, **unknown, **missing)
    unknown = {"handle_unknown": str(rng.choice(["error", "ignore", "infrequent_if_exist"]))}
    drop = [None, None, "first", "if_binary"][rng.integers(4)]
    return OneHotEncoder(drop=drop, sparse_output=bool(rng.random() < 0.5), **unknown, **groups)


def rows_near_cuts(case: Case, classifier: Classifier, seed: int, rows: int = 40) -> pd.DataFrame:
    """Return rows of the data and new ones: values at cuts and next to them, labels not seen, gaps."""
    rng = np.random.default_rng(seed + 1)
    fresh = random_frame(rng, rows, gaps=True)
    fresh["job"] = fresh["job"].where(rng.random(rows) < 0.9, "pilot")
    for name in classifier.features:
        scale = scale_of(classifier.network.variable(name).states)
        if isinstance(scale, Intervals) and scale.cuts and KINDS[name] == "number":
            near = [near for cut in scale.cuts for near in _around(cut.value)]
            places = rng.random(rows) < 0.6
            fresh.loc[places, name] = rng.choice(near, int(places.sum()))
    return pd.concat([case.frame, fresh], ignore_index=True).astype({"smoker": bool, "rooms": int})


def _around(value: float) -> list[float]:
    return [value, float(np.nextafter(value, np.inf)), float(np.nextafter(value, -np.inf))]


def taken_rows(case: Case, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that the estimator itself decides: it raises for gaps and labels not seen, or not.

    As every step works column by column, one row with one such value shows it.
    """
    texts = [name for name, kind in KINDS.items() if kind == "text"]
    seen = {name: frame[name].isin(case.frame[name]) if name in texts else True for name in frame}
    is_strange = pd.DataFrame(
        {name: frame[name].isna() | ~(frame[name].notna() & seen[name]) for name in frame}
    )
    refused = pd.Series(False, index=frame.index)
    plain = frame[~is_strange.any(axis=1)].iloc[:1]
    for name in frame.columns[is_strange.any()]:
        for value in frame.loc[is_strange[name], name].unique():
            try:
                case.estimator.predict(plain.assign(**{name: [value]}).astype(frame.dtypes))
            except (ValueError, IndexError):
                refused |= frame[name].isna() if pd.isna(value) else frame[name] == value
    return frame[~refused]
