"""Classifiers of a data set by other libraries: scikit-learn's naive Bayes, pyAgrum's TAN.

- A column of numbers with more than a few values is cut at quantiles of the training rows (scikit-learn's
  ``KBinsDiscretizer``; where most values are equal, so that quantiles do not cut, by k-means into two).
- Every value of another column is a state, also one that no training row has: probabilities are smoothed.
- A missing value is a state of its own. A column with one state only is left out.
- A quarter of the rows, drawn with a seed and with the classes in proportion, is held out.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from typing import Any, Literal, TypeAlias

import numpy as np

from bnc2d.adapters.from_pyagrum import from_pyagrum
from bnc2d.adapters.from_sklearn import from_sklearn
from bnc2d.api.classifier import Classifier
from bnc2d.base.arrays import Rows
from bnc2d.data.tan import fitted_tree
from bnc2d.errors import ClassifierError, MissingExtraError, NormalisationWarning
from bnc2d.experiments.data.keel import KeelData, Value
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

Structure: TypeAlias = Literal["naive", "tan"]
STRUCTURES: tuple[Structure, ...] = ("naive", "tan")
SOURCES = {"naive": "scikit-learn", "tan": "pyAgrum"}

BINS = 4
_KEPT_VALUES = 5  # a column of numbers with so many values at most keeps them as states
_HELD_OUT = 0.25
_MISSING = "missing"


@dataclass(frozen=True)
class Trained:
    """A classifier, the rows that it has not seen, and what the library that trained it says of rows."""

    classifier: Classifier
    rows: Rows
    labels: tuple[str, ...]
    source: Callable[[Rows], list[str]]


@dataclass(frozen=True)
class _Column:
    """A feature: its states, and the position of each row's state."""

    name: str
    states: tuple[str, ...]
    codes: Rows


def check_libraries() -> None:
    """Raise ``MissingExtraError`` where a library that training needs is not installed."""
    for module, package, extra in (
        ("sklearn", "scikit-learn", "sklearn"),
        ("pyagrum", "pyAgrum", "pyagrum"),
        ("pandas", "pandas", "pandas"),
    ):
        if find_spec(module) is None:
            raise MissingExtraError(package, extra)


def train(data: KeelData, structure: Structure, bins: int = BINS, seed: int = 0) -> Trained:
    """Return a classifier of the data's target, trained on three quarters of the rows."""
    check_libraries()
    labels = np.array([_text(label) for label in data.columns[data.target]])
    training, held_out = _split(labels, seed)
    columns = [_column(name, data.columns[name], training, bins) for name in data.features]
    columns = [column for column in columns if len(column.states) > 1]
    if not columns:
        raise ClassifierError("every feature has one value only")
    codes = np.stack([column.codes for column in columns], axis=1)
    fit = _naive_bayes if structure == "naive" else _tan
    classifier, source = fit(data.target, columns, codes[training], labels[training])
    return Trained(classifier, codes[held_out], tuple(map(str, labels[held_out])), source)


def _split(labels: Any, seed: int) -> tuple[Rows, Rows]:
    from sklearn.model_selection import train_test_split

    classes, counts = np.unique(labels, return_counts=True)
    if len(classes) < 2 or counts.min() < 2:
        least = str(classes[counts.argmin()])
        raise ClassifierError(
            f"class {least!r} has {counts.min()} of the rows; two classes of two are needed"
        )
    numbers = np.arange(len(labels))
    parts = train_test_split(numbers, test_size=_HELD_OUT, random_state=seed, stratify=labels)
    return np.sort(parts[0]), np.sort(parts[1])


def _column(name: str, values: Sequence[Value], training: Rows, bins: int) -> _Column:
    known = np.array([value is not None for value in values])
    found = [value for value in values if value is not None]
    codes = np.zeros(len(values), dtype=np.intp)
    numbers = [value for value in found if isinstance(value, float)]
    if len(set(numbers)) > _KEPT_VALUES:
        column = np.full(len(values), np.nan)
        column[known] = numbers
        seen = column[training]
        edges = _edges(seen[~np.isnan(seen)], bins)
        codes[known] = np.searchsorted(edges, column[known], side="right")
        states = _intervals(edges)
    else:
        kept = sorted(set(numbers)) if numbers else sorted(map(str, set(found)))
        position = {value: at for at, value in enumerate(kept)}
        codes[known] = [position[value] for value in found]
        states = tuple(_text(value) for value in kept)
    if not known.all():
        codes[~known] = len(states)
        states += (_MISSING,)
    return _Column(name, states, codes)


def _edges(numbers: Any, bins: int) -> Any:
    """Return where numbers are cut, from the lowest cut to the highest."""
    from sklearn.preprocessing import KBinsDiscretizer

    column = numbers[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on bins that fall together, and on another default to come
        cutter = KBinsDiscretizer(bins, encode="ordinal", strategy="quantile").fit(column)
        if cutter.n_bins_[0] < 2:
            cutter = KBinsDiscretizer(2, encode="ordinal", strategy="kmeans").fit(column)
    return cutter.bin_edges_[0][1:-1]


def _intervals(edges: Any) -> tuple[str, ...]:
    texts = [f"{edge:.6g}" for edge in edges]
    if len(set(texts)) < len(texts):
        texts = [repr(float(edge)) for edge in edges]
    inner = [f"[{low}, {high})" for low, high in pairwise(texts)]
    return (f"< {texts[0]}", *inner, f">= {texts[-1]}") if texts else ("any",)


def _text(value: Value) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


_Fitted: TypeAlias = tuple[Classifier, Callable[[Rows], list[str]]]


def _naive_bayes(target: str, columns: Sequence[_Column], codes: Rows, labels: Any) -> _Fitted:
    from sklearn.naive_bayes import CategoricalNB

    estimator = CategoricalNB(min_categories=[len(column.states) for column in columns]).fit(codes, labels)
    classifier = from_sklearn(
        estimator,
        feature_names=[column.name for column in columns],
        feature_states=[column.states for column in columns],
        target=target,
    )
    return classifier, lambda rows: [str(label) for label in estimator.predict(rows)]


def _tan(target: str, columns: Sequence[_Column], codes: Rows, labels: Any) -> _Fitted:
    """Let pyAgrum find the tree and the smoothed parameters; names and states are given back afterwards."""
    import pandas as pd

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # its import warns, and where a warning is an error it crashes
        pyagrum: Any = import_module("pyagrum")
        skbn: Any = import_module("pyagrum.skbn")
    classes = tuple(map(str, np.unique(labels)))
    names = [f"x{number}" for number in range(len(columns))]
    make = getattr(skbn, "createBNClassifier", skbn.BNClassifier)  # newer versions have a shorter way

    def frame(rows: Rows) -> Any:
        return pd.DataFrame({name: [f"s{code}" for code in rows[:, at]] for at, name in enumerate(names)})

    table = frame(codes)
    marks = {label: f"c{number}" for number, label in enumerate(classes)}
    column = pd.Series([marks[str(label)] for label in labels], name="y")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on many classes
        tree = fitted_tree(skbn, table, column)
        template = pyagrum.BayesNet()
        template.add(pyagrum.LabelizedVariable("y", "", [marks[label] for label in classes]))
        for name, one in zip(names, columns, strict=True):
            states = [f"s{state}" for state in range(len(one.states))]
            template.add(pyagrum.LabelizedVariable(name, "", states))
        learner = pyagrum.BNLearner(table.assign(y=column), template)
        learner.useSmoothingPrior(1.0)
        for parent, child in tree.arcs():
            template.addArc(tree.variable(parent).name(), tree.variable(child).name())
        learnt = learner.learnParameters(template.dag())
        source = make()
        source.fromTrainedModel(learnt, "y", variableList=names)
        warnings.simplefilter("ignore", NormalisationWarning)
        network = from_pyagrum(learnt)
    own = {"y": Variable(target, classes)}
    own |= {name: Variable(one.name, one.states) for name, one in zip(names, columns, strict=True)}
    cpts = [
        CPT(own[cpt.child.name], [own[parent.name] for parent in cpt.parents], cpt.exact.ravel().tolist())
        for cpt in network.cpts
    ]
    features = [one.name for one in columns]
    classifier = Classifier(BayesianNetwork(list(own.values()), cpts), target, features)

    def predict(rows: Rows) -> list[str]:
        back = {mark: label for label, mark in marks.items()}
        return [back[str(mark)] for mark in source.predict(frame(rows))]

    return classifier, predict
