"""The weights of a fitted naive Bayes: exact rationals from its counts, not from its rounded logarithms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, isclose
from typing import Any, TypeAlias

import numpy as np

from bnc2d.adapters.sklearn.names import class_names, fitted, is_own
from bnc2d.adapters.sklearn.steps import Binarised, Counted, Step
from bnc2d.base.readers.arguments import count, items
from bnc2d.base.readers.numbers import exact
from bnc2d.errors import ClassifierError, NetworkError, UnknownNameError, UnsupportedError, did_you_mean

Table: TypeAlias = list[list[Fraction]]  # by class and value, or by class and feature

SUPPORTED = ("CategoricalNB", "BernoulliNB", "MultinomialNB", "ComplementNB")
_SMALLEST_ALPHA = Fraction(1, 10**10)  # what scikit-learn raises alpha to when force_alpha=False
_FLOAT_NOISE = 1e-9
_DISCRETISE = "discretise first: KBinsDiscretizer before CategoricalNB"
_REASONS = {
    "GaussianNB": f"the densities of continuous columns have no exact tables; {_DISCRETISE}",
    "CalibratedClassifierCV": "calibration changes probabilities by a learnt curve, an average over folds; "
    "convert the naive Bayes without it, and set threshold= where a calibrated threshold is wanted",
}


@dataclass(frozen=True)
class Likelihood:
    """``P(class)`` and, for each column that the naive Bayes reads, a weight of each value for each class.

    Only the proportions between classes count. ``tables`` list the weights of values; where a column holds
    counts, ``powers`` has the weight of 1, by class, and n weighs its nth power.
    """

    kind: str
    classes: Sequence[Any]
    prior: list[Fraction]
    readers: list[list[Step]]
    tables: list[Table] = field(default_factory=list)
    powers: list[list[Fraction]] = field(default_factory=list)

    def weights(self, column: int, value: int) -> list[Fraction]:
        """Return the weights of a value of a column, by class."""
        if self.tables:
            return [row[value] for row in self.tables[column]]
        return [weight**value for weight in self.powers[column]]


def likelihood(estimator: Any, bounds: Sequence[int | None], names: Sequence[str]) -> Likelihood:
    """Return the weights of a fitted naive Bayes, after checking that they are those that it works with.

    ``bounds`` are the largest counts of the columns that it reads, where that is known, ``names`` what
    errors call these columns.
    """
    kind = naive_bayes_kind(estimator)
    if kind in ("CategoricalNB", "BernoulliNB"):
        tables = _tables(estimator, kind, names)
        readers: list[list[Step]] = [_reader(estimator, kind, len(table[0])) for table in tables]
        return Likelihood(kind, estimator.classes_, _prior(estimator), readers, tables=tables)
    powers = _multinomial(estimator, names) if kind == "MultinomialNB" else _complement(estimator, names)
    readers = [[Counted(kind, bound)] for bound in bounds]
    prior = _prior(estimator)
    if kind == "ComplementNB" and len(prior) > 1:  # which then does not use it
        prior = [Fraction(1, len(prior))] * len(prior)
    return Likelihood(kind, estimator.classes_, prior, readers, powers=powers)


def naive_bayes_kind(estimator: object) -> str:
    """Return which of the supported estimators this is, after checking that it is fitted."""
    names = class_names(estimator)
    kind = next((name for name in names if name in SUPPORTED), None)
    found = type(estimator).__qualname__
    if kind is None:
        reason = next((f": {_REASONS[name]}" for name in names if name in _REASONS), "")
        one_of = f"{', '.join(SUPPORTED[:-1])} or {SUPPORTED[-1]}"
        raise UnsupportedError(
            f"from_sklearn converts a fitted {one_of}, alone or at the end of a Pipeline, not {found}{reason}"
        )
    if not is_own(estimator, "predict"):
        raise UnsupportedError(
            f"{found} has a predict of its own; from_sklearn converts scikit-learn's {kind}"
        )
    fitted(estimator, "feature_log_prob_")
    return kind


def _reader(estimator: Any, kind: str, size: int) -> list[Step]:
    """Return what a table needs of its column."""
    if kind == "BernoulliNB" and estimator.binarize is not None:
        return [Binarised(float(estimator.binarize)), Counted(kind, 1)]
    return [Counted(kind, size - 1)]


def _tables(estimator: Any, kind: str, names: Sequence[str]) -> list[Table]:
    """Return ``P(value | class)`` of each column."""
    if kind == "CategoricalNB":
        # n_categories_ would be of the last batch only.
        counts = [[_exact(row, "category_count_") for row in table] for table in estimator.category_count_]
        logs = estimator.feature_log_prob_
    else:  # which keeps the logarithms of P(1 | class) only
        counts, logs = _binary_counts(estimator), np.transpose(estimator.feature_log_prob_)[:, :, None]
    found = []
    for name, rows, alpha, own in zip(names, counts, _alphas(estimator, len(counts)), logs, strict=True):
        table = _smoothed(name, estimator.classes_, rows, alpha)
        _check_same(f"feature_log_prob_ of {name!r}", table, own)
        found.append(table)
    return found


def _binary_counts(estimator: Any) -> list[Table]:
    """Return how often each feature was 0 and 1, by feature and class."""
    totals = _exact(estimator.class_count_, "class_count_")
    counts = []
    for column in np.transpose(estimator.feature_count_):
        pairs = list(zip(totals, _exact(column, "feature_count_"), strict=True))
        if any(ones > total * (1 + _FLOAT_NOISE) for total, ones in pairs):
            remedy = "with binarize=None every value must be 0 or 1"
            raise NetworkError(f"a feature_count_ exceeds its class_count_: {remedy}")
        # Float sums of sample weights may differ a little.
        counts.append([[max(total - ones, Fraction(0)), ones] for total, ones in pairs])
    return counts


def _smoothed(name: str, classes: Iterable[Any], counts: Table, alpha: Fraction) -> Table:
    """Return ``P(category | class)`` by class and category."""
    table = []
    for label, row in zip(classes, counts, strict=True):
        total = sum(row) + alpha * len(row)
        if total == 0:
            raise NetworkError(f"P({name} | class={label}) is 0/0: the class was never seen and alpha is 0")
        table.append([(count + alpha) / total for count in row])
    return table


def _multinomial(estimator: Any, names: Sequence[str]) -> list[list[Fraction]]:
    """Return ``(count + alpha) / total`` by feature and class."""
    alphas = _alphas(estimator, len(names))
    found = []
    for label, row, logs in zip(
        estimator.classes_, estimator.feature_count_, estimator.feature_log_prob_, strict=True
    ):
        counts = [count + alpha for count, alpha in zip(_exact(row, "feature_count_"), alphas, strict=True)]
        total = sum(counts)
        if total == 0:
            raise NetworkError(f"P(feature | class={label}) is 0/0: the class has no counts and alpha is 0")
        shares = [count / total for count in counts]
        _check_same("feature_log_prob_", [shares], [logs])
        found.append(shares)
    return [list(column) for column in zip(*found, strict=True)]


def _complement(estimator: Any, names: Sequence[str]) -> list[list[Fraction]]:
    """Return ``total / (count in all other classes + alpha)`` by feature and class."""
    if estimator.norm:
        raise UnsupportedError(
            "ComplementNB(norm=True) divides logarithms by their sum, which gives irrational weights; "
            "fit it with norm=False"
        )
    alphas = _alphas(estimator, len(names))
    counts = [_exact(row, "feature_count_") for row in estimator.feature_count_]
    sums = [sum(column) for column in zip(*counts, strict=True)]
    found = []
    for row, logs in zip(counts, estimator.feature_log_prob_, strict=True):
        # Float sums of sample weights may differ a little.
        others = [
            max(whole - count, Fraction(0)) + alpha
            for whole, count, alpha in zip(sums, row, alphas, strict=True)
        ]
        if not all(others):
            name = names[others.index(Fraction(0))]
            raise NetworkError(
                f"the weight of {name!r} is infinite: one class has it all; fit with alpha above 0"
            )
        weights = [sum(others) / other for other in others]
        _check_same("feature_log_prob_", [weights], [logs])
        found.append(weights)
    return [list(column) for column in zip(*found, strict=True)]


def _alphas(estimator: Any, size: int) -> list[Fraction]:
    """Return the smoothing of each feature, with the lower bound that ``force_alpha=False`` sets."""
    given = _exact(np.ravel(np.asarray(estimator.alpha, dtype=object)), "alpha")
    if len(given) not in (1, size):
        raise ClassifierError(f"alpha has {len(given)} values for {size} features")
    if not estimator.force_alpha:
        given = [max(alpha, _SMALLEST_ALPHA) for alpha in given]
    return given * size if len(given) == 1 else given


def _prior(estimator: Any) -> list[Fraction]:
    """Return the class probabilities, of which scikit-learn uses the proportions only."""
    if estimator.class_prior is not None:
        weights = _exact(estimator.class_prior, "class_prior")
    elif estimator.fit_prior:
        weights = _exact(estimator.class_count_, "class_count_")
    else:
        weights = [Fraction(1)] * len(estimator.classes_)
    total = sum(weights)
    if total <= 0 or len(weights) != len(estimator.classes_):
        raise NetworkError(f"the class weights {[str(weight) for weight in weights]} give no distribution")
    prior = [weight / total for weight in weights]
    logs = np.asarray(estimator.class_log_prior_)
    _check_same("class_log_prior_", [prior], [logs - np.log(np.exp(logs).sum())])
    return prior


def _check_same(what: str, table: Table, logs: Iterable[Sequence[float]]) -> None:
    """Raise where the estimator's own probabilities are not the rebuilt ones.

    ``logs`` has a row for each row of ``table``, for all of its columns or for the last ones.
    """
    for row, log_row in zip(table, logs, strict=True):
        for entry, log in zip(row[-len(log_row) :], log_row, strict=True):
            if not isclose(entry, exp(log), rel_tol=_FLOAT_NOISE):
                says = f"{exp(log):.6g}, but the counts and parameters give {float(entry):.6g}"
                why = (
                    "a parameter was changed after fit(), or alpha is an array (BernoulliNB misapplies those)"
                )
                raise ClassifierError(f"{what} says {says}: {why}")


def _exact(numbers: Iterable[object], what: str) -> list[Fraction]:
    try:
        return [exact(number) for number in numbers]
    except ValueError as error:
        raise NetworkError(f"{what}: {error}") from None


def count_bounds(given: object, names: Sequence[str]) -> list[int | None]:
    """Return the largest count of each raw column, from one number, or one for each by name or position."""
    if given is None:
        return [None] * len(names)
    if isinstance(given, Mapping):
        by_name = {str(name): bound for name, bound in given.items()}
        for name in by_name:
            if name not in names:
                raise UnknownNameError(f"max_counts: unknown feature {name!r}{did_you_mean(name, names)}")
        return [
            count(by_name[name], f"max_counts of {name!r}") if name in by_name else None for name in names
        ]
    if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str):
        bounds = items(given, "max_counts", "a list of whole numbers")
        if len(bounds) != len(names):
            raise ClassifierError(f"max_counts has {len(bounds)} entries for {len(names)} features")
        return [None if bound is None else count(bound, "max_counts") for bound in bounds]
    return [count(given, "max_counts")] * len(names)
