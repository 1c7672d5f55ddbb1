"""Exact posteriors and batches of decisions, timed beside pyAgrum's exact inference in the same run.

    python benchmarks/posteriors.py                          # a random network
    python benchmarks/posteriors.py andes.net --target GOAL_2  # your own file

Prints seconds for one exact posterior (first call, so planning included), for a batch of random rows, and
pyAgrum's rate on some of the same rows, with the ratio and the largest difference between the two answers.
"""

from __future__ import annotations

import argparse
import importlib
import time
import warnings
from typing import Any

import numpy as np

from bnc2d import BayesianNetwork, Classifier, read_network
from bnc2d.base.arrays import Rows
from bnc2d.model.classifier import default_features
from bnc2d.testing import random_network


def main() -> None:
    """Run the comparison."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("network", nargs="?", help="network file (default: a random network)")
    parser.add_argument("--target", help="default: the first root")
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--against", type=int, default=200, help="rows to ask pyAgrum")
    options = parser.parse_args()
    network = read_network(options.network) if options.network else random_network(1, variables=60, digits=4)
    target = options.target or network.roots[0]
    rng = np.random.default_rng(0)

    classifier = Classifier(network, target, default_features(network, target))
    states = [len(variable) for variable in classifier.feature_variables]
    rows = rng.integers(0, states, size=(options.rows, len(states)))
    instance = _as_dict(classifier, rows[0])
    print(f"{network!r}, target {target}, {len(states)} features, {options.rows} rows")

    started = time.perf_counter()
    classifier.posterior(instance)
    print(f"one exact posterior, planning included: {time.perf_counter() - started:8.3f} s")
    started = time.perf_counter()
    classifier.posterior(instance)
    print(f"one exact posterior, again:             {time.perf_counter() - started:8.3f} s")
    started = time.perf_counter()
    classifier.predict(rows)
    seconds = time.perf_counter() - started
    print(f"{options.rows} certified decisions:            {seconds:8.3f} s")

    posteriors = classifier.posterior(rows[: options.against])
    theirs, their_seconds = _ask_pyagrum(classifier, rows[: options.against])
    ratio = (their_seconds / len(theirs)) / (seconds / options.rows)
    print(f"pyAgrum, {len(theirs)} posteriors:               {their_seconds:8.3f} s")
    difference = np.abs(posteriors - theirs)[posteriors.any(axis=1)].max(initial=0)
    print(f"ratio per row: {ratio:.1f}; largest difference {difference:.1e}")


def _as_dict(classifier: Classifier, row: Rows) -> dict[str, str]:
    return {v.name: v.states[code] for v, code in zip(classifier.feature_variables, row, strict=True)}


def _ask_pyagrum(classifier: Classifier, rows: Rows) -> tuple[np.ndarray, float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gum: Any = importlib.import_module("pyagrum")
    engine = gum.LazyPropagation(_to_pyagrum(gum, classifier.network))
    engine.addTarget(classifier.target)
    started = time.perf_counter()
    answers = []
    for row in rows:
        engine.setEvidence(dict(zip(classifier.features, map(int, row), strict=True)))
        try:
            engine.makeInference()
            answers.append(engine.posterior(classifier.target)[:].tolist())
        except gum.IncompatibleEvidence:
            answers.append([0.0] * len(classifier.classes))
    return np.array(answers), time.perf_counter() - started


def _to_pyagrum(gum: Any, network: BayesianNetwork) -> Any:
    model = gum.BayesNet()
    for variable in network.variables:
        model.add(gum.LabelizedVariable(variable.name, "", [str(i) for i in range(len(variable))]))
    for cpt in network.cpts:
        for parent in cpt.parents:
            model.addArc(parent.name, cpt.child.name)
        names = [variable.name for variable in cpt.scope]
        theirs = list(model.cpt(cpt.child.name).names)[::-1]  # the axes of their arrays run backwards
        values = cpt.values.transpose([names.index(name) for name in theirs])
        model.cpt(cpt.child.name)[:] = np.ascontiguousarray(values)
    return model


if __name__ == "__main__":
    main()
