"""Random networks that pgmpy learnt from random frames: naive Bayes, trees, searched and latent ones."""

from __future__ import annotations

import logging
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from tests.adapters.random_frames import random_classes, random_frame, random_rows

with warnings.catch_warnings():  # its package imports its own deprecated modules
    warnings.simplefilter("ignore")
    from pgmpy.estimators import HillClimbSearch, TreeSearch
    from pgmpy.inference import VariableElimination
    from pgmpy.models import DiscreteBayesianNetwork, NaiveBayes
    from pgmpy.parameter_estimator import DiscreteBayesianEstimator, DiscreteEM, DiscreteMLE

CLASSES: list[list[Any]] = [["no", "yes"], [0, 1], [False, True], [3, 8, 5], [0.5, 2.0], ["a", "b", "c"]]
STRUCTURES = ["naive", "tan", "chow-liu", "search", "latent"]


class Learnt(NamedTuple):
    """A model with its tables, the target, and rows with a column for each feature."""

    model: Any
    target: str
    rows: pd.DataFrame
    structure: str

    @property
    def features(self) -> list[str]:
        """The variables that rows have."""
        return [name for name in self.model.nodes() if name in self.rows.columns]

    def decisions(self) -> list[Any]:
        """Return the most probable class of each row by pgmpy, None where it is impossible."""
        plain = DiscreteBayesianNetwork(self.model.edges())  # the class NaiveBayes of 1.1 cannot infer
        plain.add_nodes_from(self.model.nodes())
        plain.add_cpds(*self.model.get_cpds())
        engine = VariableElimination(plain)
        found: list[Any] = []
        for _, row in self.rows[self.features].astype(object).iterrows():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of 0/0
                weights = engine.query([self.target], evidence=row.to_dict(), show_progress=False)
            if np.isnan(weights.values).any():
                found.append(None)
            else:
                found.append(weights.state_names[self.target][int(np.argmax(weights.values))])
        return found


def random_learnt(seed: int, size: int = 80, new: int = 30) -> Learnt:
    """Return a model that pgmpy learnt from a random frame."""
    logging.disable(logging.INFO)  # it tells what it takes each column for
    rng = np.random.default_rng(seed)
    frame = random_frame(rng, size, int(rng.integers(2, 6)), numbers=False)
    if rng.random() < 0.5:
        frame["cut"] = pd.cut(
            rng.normal(0, 10, size), [-100, -8, 0.5, 9, 100], right=bool(rng.random() < 0.5)
        )
    classes = random_classes(rng, frame, CLASSES[int(rng.integers(len(CLASSES)))])
    target = str(classes.name)
    data = pd.concat([frame, classes], axis=1)
    structure = STRUCTURES[seed % len(STRUCTURES)]
    estimator: Any = [DiscreteMLE(), DiscreteBayesianEstimator(prior_type="K2"), DiscreteBayesianEstimator()][
        int(rng.integers(3))
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if structure == "naive":
            model: Any = NaiveBayes()
            model.fit(data, target, estimator)
        elif structure == "latent":
            arcs = [(target, name) for name in frame.columns] + [
                ("hidden", name) for name in frame.columns[:2]
            ]
            model = DiscreteBayesianNetwork(arcs, latents={"hidden"})
            settings: Any = {
                "latent_card": {"hidden": 2},
                "max_iter": 2,
                "seed": seed,
                "show_progress": False,
            }
            model.fit(data, DiscreteEM(**settings))
        else:
            model = DiscreteBayesianNetwork(_edges(rng, data, target, structure))
            model.add_nodes_from(data.columns)
            model.fit(data, estimator)
    rows = pd.concat([frame, random_rows(rng, frame, new)], ignore_index=True)
    return Learnt(model, target, rows, structure)


def _edges(rng: np.random.Generator, data: pd.DataFrame, target: str, structure: str) -> Any:
    codes = data.apply(lambda column: pd.factorize(column, sort=True)[0])  # which its searches take quietly
    if structure == "search":
        score = str(rng.choice(["bic-d", "k2", "bdeu"]))
        return HillClimbSearch(codes.astype(str)).estimate(scoring_method=score, show_progress=False).edges()
    others = [name for name in data.columns if name != target]
    search = TreeSearch(codes, root_node=str(rng.choice(others)), n_jobs=1)
    return search.estimate(structure, class_node=target, show_progress=False).edges()
