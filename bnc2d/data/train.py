"""``bnc2d.from_data``: a classifier from a data frame, trained by the usual libraries."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.api.classifier import Classifier
from bnc2d.base.readers.arguments import as_text, count, one_of, wrong
from bnc2d.base.readers.choices import Ties
from bnc2d.base.readers.numbers import Number, exact
from bnc2d.base.scales import Intervals, Label, States
from bnc2d.data.columns import Column, check_frame, feature_names, find_column, read_column
from bnc2d.data.naive import train_naive
from bnc2d.data.scaling import (
    Bins,
    Missing,
    NoFeature,
    Scaled,
    check_bins,
    class_labels,
    positions,
    scale_feature,
)
from bnc2d.data.tan import train_tan
from bnc2d.errors import ClassifierError, DataWarning, InstanceError
from bnc2d.model.training import Structure, Training
from bnc2d.model.variable import Variable

if TYPE_CHECKING:
    import pandas as pd

STRUCTURES = ("naive", "tan")
MISSING = ("state", "drop", "unknown")


def from_data(
    frame: pd.DataFrame,
    *,
    target: str,
    features: Iterable[str] | None = None,
    structure: Structure = "naive",
    bins: Bins = "auto",
    missing: Missing = "state",
    test_size: float = 0.25,
    seed: int = 0,
    alpha: float = 1.0,
    threshold: Number | None = None,
    positive: Label | None = None,
    ties: Ties = "lowest",
    units: Mapping[str, str] | None = None,
) -> Classifier:
    """Return a classifier of a column of a data frame by the others; it takes raw rows and knows its units.

    ``structure="naive"`` is trained by scikit-learn's ``CategoricalNB``, ``"tan"`` (each feature may also
    depend on another) by pyAgrum's ``BNClassifier``; both with ``alpha`` added to every count. Probabilities
    are the exact quotients of counts, so decisions are those of the library but where that rounds a tie.

    ``test_size`` of the rows, drawn by ``seed`` so that all classes have their share, are held out: the
    classifier is trained on the others, and ``classifier.training.accuracy`` is its own accuracy on these.
    ``test_size=0`` trains on all rows and reports none.

    ``features`` are columns, by default all but the target. Numbers become intervals: ``bins`` is how many,
    or ``"auto"`` (five, fewer where there are few rows; up to 7 whole numbers stay labels), or a mapping from
    column to a number, a list of cuts, ``"auto"`` or ``"labels"``. Bins have about equally many rows
    (``KBinsDiscretizer``), and their cuts are moved between neighbouring values to numbers of few digits.
    Other columns are labels; past 50 of them the rarest become one state, ``other``. Columns of one value,
    texts that all differ and row numbers are no features, with a ``DataWarning``; they are errors where
    ``features`` names them.

    ``missing`` entries are a state of their own by default; ``"drop"`` drops their rows, ``"unknown"`` leaves
    them out of the counts (naive Bayes only). With the last two, and in columns that miss nothing, entries
    that are missing later are unknown: what is known decides. Rows whose class is missing are dropped.

    ``units`` has for columns of numbers what is shown behind them: ``{"age": "years"}``. ``threshold``,
    ``positive`` and ``ties`` are those of ``Classifier``.
    """
    table = check_frame(frame)
    one_of(structure, STRUCTURES, "structure")
    one_of(missing, MISSING, "missing")
    name = find_column(table, target, "target")
    wanted = feature_names(table, name, features)
    check_bins(bins, wanted)
    share, chance, smoothing = _share(test_size), count(seed, "seed"), _smoothing(alpha)
    if structure == "tan" and not smoothing:
        raise ClassifierError("alpha must be positive with structure='tan'")
    classes = read_column(table, name)
    columns = [read_column(table, one) for one in wanted]
    kept = classes.codes >= 0
    if not kept.any():
        raise InstanceError(f"the target {name!r} has no value in any row")
    if missing == "drop":
        for column in columns:
            if column.values:
                kept = kept & (column.codes >= 0)
        if not kept.any():
            raise InstanceError("no row has a value in every column; missing='state' keeps such rows")
    classes, columns = classes.only(kept), [column.only(kept) for column in columns]
    labels = class_labels(classes)
    target_variable = Variable(name, States(labels))
    truth = positions(classes, labels)
    held_out = _held_out(truth, share, chance)
    scaled, dropped = _scaled(columns, ~held_out, bins, missing, features is not None)
    variables = [Variable(column, States(one.scale)) for column, one in scaled.items()]
    codes = np.column_stack([one.codes for one in scaled.values()])
    train = train_naive if structure == "naive" else train_tan
    trained = train(variables, target_variable, codes[~held_out], truth[~held_out], smoothing)
    network, library = trained
    wanted_class = None if positive is None else labels.position(positive)
    positive_name = None if positive is None else as_text(positive)
    if wanted_class is not None:
        positive_name = labels.names[wanted_class]
    made = Classifier(network, name, list(scaled), threshold, positive_name, ties)
    tested = table.loc[:, list(scaled)].iloc[np.flatnonzero(kept)[held_out]]
    answers = [labels.label(label) for label in truth[held_out]]
    most = int(np.bincount(truth[~held_out]).argmax())
    made.training = Training(
        structure=structure,
        library=library,
        rows=int((~held_out).sum()),
        held_out=len(answers),
        accuracy=made.score(tested, answers) if answers else None,
        baseline=float((truth[held_out] == most).mean()) if answers else None,
        dropped_rows=int((~kept).sum()),
        dropped=dropped,
        cuts=_cuts(scaled),
        seed=chance,
    )
    return made if units is None else made.with_units(units)


def _scaled(
    columns: Iterable[Column], training: NDArray[np.bool_], bins: Bins, missing: Missing, is_named: bool
) -> tuple[dict[str, Scaled], dict[str, str]]:
    """Return the features, and why other columns are none; there must be a feature."""
    scaled: dict[str, Scaled] = {}
    dropped: dict[str, str] = {}
    for column in columns:
        found, warning = scale_feature(column, training, bins, missing, is_named)
        if isinstance(found, NoFeature):
            dropped[column.name] = found.reason
            if is_named:
                raise ClassifierError(f"features: column {column.name!r} {found.reason}; leave it out")
        else:
            scaled[column.name] = found
        if warning:
            warnings.warn(warning, DataWarning, stacklevel=3)
    told = [f"{name!r} {reason}" for name, reason in dropped.items()]
    more = f"; and {len(told) - 5} more" if len(told) > 5 else ""
    if not scaled:
        raise ClassifierError(f"no column can be a feature: {'; '.join(told[:5])}{more}")
    if told:
        words = f"left out of the features: {'; '.join(told[:5])}{more}"
        warnings.warn(words, DataWarning, stacklevel=3)
    return scaled, dropped


def _cuts(scaled: Mapping[str, Scaled]) -> dict[str, tuple[float, ...]]:
    scales = {name: one.scale for name, one in scaled.items()}
    return {
        name: tuple(cut.value for cut in scale.cuts)
        for name, scale in scales.items()
        if isinstance(scale, Intervals)
    }


def _held_out(truth: NDArray[np.intp], share: float, seed: int) -> NDArray[np.bool_]:
    """Return which rows are held out: of each class its share, to the nearest number, but never all."""
    chance = np.random.default_rng(seed)
    chosen = np.zeros(len(truth), dtype=bool)
    for label in range(int(truth.max()) + 1):
        rows = np.flatnonzero(truth == label)
        size = min(int(len(rows) * share + 0.5), len(rows) - 1)
        chosen[chance.permutation(rows)[:size]] = True
    return chosen


def _share(test_size: Any) -> float:
    try:
        share = float(exact(test_size))
    except (ValueError, OverflowError):
        share = -1.0
    if isinstance(test_size, bool) or not 0 <= share < 1:
        raise wrong("test_size", test_size, "a share of the rows, from 0 to below 1", ClassifierError)
    return share


def _smoothing(alpha: Any) -> float:
    try:
        found = float(exact(alpha))
    except (ValueError, OverflowError):
        found = -1.0
    if isinstance(alpha, bool) or not 0 <= found < 1e9:
        raise wrong("alpha", alpha, "a number from 0 on", ClassifierError)
    return found
