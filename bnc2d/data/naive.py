"""Naive Bayes by scikit-learn's ``CategoricalNB``, read with its exact counts."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bnc2d.adapters.from_sklearn import from_sklearn
from bnc2d.errors import MissingExtraError
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable


def train_naive(
    features: Sequence[Variable],
    target: Variable,
    codes: NDArray[np.intp],
    classes: NDArray[np.intp],
    alpha: float,
) -> tuple[BayesianNetwork, str]:
    """Return the network of features given the target, and the library that trained it.

    Columns that are unknown in some rows (-1) are fitted on the other rows, those with equal rows together:
    a table of naive Bayes depends on no other column.
    """
    try:
        import sklearn
        from sklearn.naive_bayes import CategoricalNB
    except ImportError:
        raise MissingExtraError("scikit-learn", "data") from None
    groups: dict[bytes, list[int]] = {}
    for position, column in enumerate(codes.T):
        groups.setdefault((column >= 0).tobytes(), []).append(position)
    counts = np.bincount(classes, minlength=len(target)).tolist()
    cpts = [CPT(target, (), [Fraction(count, sum(counts)) for count in counts])]
    for chosen in groups.values():
        known = codes[:, chosen[0]] >= 0
        sizes = [len(features[position]) for position in chosen]
        with warnings.catch_warnings(), np.errstate(divide="ignore"):
            warnings.simplefilter("ignore")  # log(0) without smoothing
            fitted = CategoricalNB(alpha=alpha, min_categories=sizes)
            fitted.partial_fit(codes[known][:, chosen], classes[known], classes=np.arange(len(target)))
        names = [features[position].name for position in chosen]
        tables = from_sklearn(fitted, feature_names=names, target=target.name).network
        for position in chosen:
            feature = features[position]
            cpts.append(CPT(feature, (target,), tables.cpt(feature.name).exact.ravel().tolist()))
    network = BayesianNetwork([target, *features], cpts, name="CategoricalNB")
    return network, f"scikit-learn {sklearn.__version__}"
