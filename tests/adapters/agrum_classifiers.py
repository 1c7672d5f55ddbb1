"""Random fitted ``BNClassifier`` objects with every option of theirs, and new rows for them."""

from __future__ import annotations

import importlib
import pickle
import tempfile
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tests.adapters.random_frames import random_classes, random_frame, random_rows

with warnings.catch_warnings():  # as errors inside its C++ modules, loaded lazily, they end the process
    warnings.filterwarnings("ignore", "builtin type swig", DeprecationWarning)
    warnings.filterwarnings("ignore", "builtin type Swig", DeprecationWarning)
    gum: Any = importlib.import_module("pyagrum")
    skbn: Any = importlib.import_module("pyagrum.skbn")

CLASSES: list[list[Any]] = [
    ["no", "yes"],
    [0, 1],
    [False, True],
    [-3, 8],
    [1.0, 2.0],
    ["9", "10"],
    ["low", "middle", "high"],
    [1, 2, 3, 4],
    [5, 7, 20],
]
LEARNING = ["NaiveBayes", "TAN", "Chow-Liu", "MIIC", "GHC", "Tabu"]


class Fitted(NamedTuple):
    """A fitted classifier, its training rows and new ones."""

    classifier: Any
    rows: pd.DataFrame
    options: dict[str, Any]
    as_array: bool = False

    def decisions(self) -> list[Any]:
        """Return pyAgrum's decision on each row; an error of its where it cannot decide."""
        rows: Any = self.rows.to_numpy() if self.as_array else self.rows
        try:
            return list(self.classifier.predict(rows))
        except (ZeroDivisionError, gum.GumException):
            return [self._decision(rows[at : at + 1]) for at in range(len(rows))]

    def _decision(self, row: Any) -> Any:
        try:
            return self.classifier.predict(row)[0]
        except (ZeroDivisionError, gum.GumException) as error:
            return error


def random_fitted(seed: int, size: int = 120, new: int = 60) -> Fitted:
    """Return a fitted classifier; what pyAgrum cannot fit raises its error."""
    rng = np.random.default_rng(seed)
    gum.initRandom(seed + 1)
    frame = random_frame(rng, size, int(rng.integers(2, 7)))
    classes = random_classes(rng, frame, CLASSES[int(rng.integers(len(CLASSES)))])
    options: dict[str, Any] = {
        "learningMethod": LEARNING[seed % len(LEARNING)],
        "prior": [None, "Smoothing", "BDeu", "NoPrior", "Dirichlet"][int(rng.integers(5))],
        "priorWeight": float(rng.choice([0.1, 1, 3])),
        "scoringType": str(rng.choice(["AIC", "BIC", "BD", "BDeu", "K2", "Log2"])),
        "discretizationStrategy": str(rng.choice(["quantile", "uniform", "kmeans", "NML", "CAIM", "MDLP"])),
        "discretizationNbBins": int(rng.integers(2, 6)),
        "discretizationThreshold": [5, 10, 0.3][int(rng.integers(3))],
        "usePR": bool(rng.random() < 0.5),
        "beta": float(rng.choice([0.5, 1, 2])),
        "significant_digit": int(rng.choice([1, 2, 3, 10, 10, 10, 16])),
    }
    if len(set(classes)) > 2 and options["discretizationStrategy"] == "CAIM":  # for two classes only
        options["discretizationStrategy"] = "quantile"
    if options["scoringType"] in ("BDeu", "K2") and options["learningMethod"] in ("GHC", "Tabu"):
        options["prior"] = "NoPrior"  # pyAgrum refuses both together
    if options["discretizationThreshold"] == 0.3:  # means a share; texts have fewer values than that
        frame = frame.loc[:, [not name.startswith("steps") for name in frame.columns]]
        if frame.empty:
            frame = random_frame(rng, size, 2)
    new_rows = random_rows(rng, frame, new)
    with tempfile.TemporaryDirectory() as folder:
        if options["prior"] == "Dirichlet":
            source = Path(folder) / "prior.csv"
            pd.concat([classes, frame], axis=1).to_csv(source, index=False)
            options["DirichletCsv"] = str(source)
        if rng.random() < 0.3 and options["learningMethod"] in ("MIIC", "GHC", "Tabu"):
            options["constraints"] = {"MandatoryArcs": [(classes.name, frame.columns[0])]}
        as_array = bool(rng.random() < 0.15)
        if as_array:
            frame.columns = new_rows.columns = [f"x{number}" for number in range(frame.shape[1])]
            options.pop("constraints", None)
        data = (frame.to_numpy(), classes.to_numpy()) if as_array else (frame, classes)
        fitted = skbn.createBNClassifier(**options).fit(*data)
    rows = pd.concat([frame, new_rows], ignore_index=True)
    if rng.random() < 0.2:
        fitted = pickle.loads(pickle.dumps(fitted))  # noqa: S301 # our own
    elif rng.random() < 0.2:
        fitted = _of_trained(rng, fitted)
    return Fitted(fitted, rows, options, as_array)


def _of_trained(rng: np.random.Generator, fitted: Any) -> Any:
    """Return a classifier of the same network with another rule."""
    labels = fitted.bn_.variable(fitted.target_).labels()
    whole = all(label.lstrip("-").isdigit() for label in labels) and rng.random() < 0.5
    made = skbn.createBNClassifier(significant_digit=int(rng.choice([2, 10])))
    made.fromTrainedModel(
        fitted.bn_,
        fitted.target_,
        targetModality=str(rng.choice(labels)) if len(labels) == 2 and rng.random() < 0.7 else "",
        threshold=float(rng.choice([0.5, 0.2, round(rng.random(), 3)])),
        variableList=list(fitted.variableNameIndexDictionary_),
        dtype=int if whole else str,
    )
    return made
