"""Shapley values against those of the ``shap`` package's exact explainer, on the same small functions.

    python -m venv /tmp/shap && /tmp/shap/bin/pip install shap python-sat==1.9.dev17
    PYTHONPATH=. /tmp/shap/bin/python benchmarks/shapley_by_shap.py --models 300

``shap`` is none of our dependencies, so this is no test. It asks the decision as a function of rows and
replaces features by those of background rows, all instances here, each as often as the marginals say: that is
the product of the marginals, so that both must agree up to roundings.
"""

from __future__ import annotations

import argparse
import warnings
from fractions import Fraction
from itertools import product
from math import prod

import numpy as np

import bnc2d
from bnc2d.testing import random_classifier


def background(weights: list[list[int]]) -> np.ndarray:
    """Return every instance, as often as the product of the weights of its states."""
    rows = product(*(range(len(column)) for column in weights))
    return np.array(
        [row for row in rows for _ in range(prod(w[s] for w, s in zip(weights, row, strict=True)))]
    )


def difference(seed: int) -> float:
    """Return how far the two are apart on an instance of a random classifier, at most."""
    import shap  # type: ignore[import-not-found]

    rng = np.random.default_rng(seed)
    classifier = random_classifier(
        seed, variables=9, features=int(rng.integers(2, 7)), max_states=3, ties=("lowest", "none")[seed % 2]
    )
    model = classifier.compile()
    sizes = model.domain.cardinalities
    weights = [[1] * size for size in sizes]
    if seed % 3:
        weights[0] = [int(n) for n in rng.integers(1, 4, sizes[0])]
    row = rng.integers(0, sizes)
    label = int(model.diagram.labels(row[None])[0])
    data = background(weights)
    masker = shap.maskers.Independent(data, max_samples=len(data))

    def decided(rows: np.ndarray) -> np.ndarray:
        found: np.ndarray = (model.diagram.labels(np.asarray(rows, dtype=np.intp)) == label).astype(float)
        return found

    theirs = shap.explainers.Exact(decided, masker)(row[None].astype(float)).values[0]
    marginals = {
        name: dict(zip(states, [Fraction(n, sum(column)) for n in column], strict=True))
        for name, states, column in zip(model.features, model.domain.states, weights, strict=True)
    }
    ours = model.explain(model.domain.decode(row.tolist())).scores("shapley", marginals)
    apart = [abs(float(number) - float(other)) for number, other in zip(ours.values(), theirs, strict=True)]
    return max(apart)


def main() -> None:
    """Print how far they are apart at most."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--models", type=int, default=300)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    found = [difference(seed) for seed in range(options.models)]
    wrong = sum(one > 1e-9 for one in found)
    print(f"bnc2d {bnc2d.__version__}: {len(found)} models, {wrong} wrong, at most {max(found):.1e} apart")


if __name__ == "__main__":
    main()
