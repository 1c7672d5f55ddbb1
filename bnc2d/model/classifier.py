"""Bayesian network classifiers: a network, a target and features."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.hashing import distinct_rows
from bnc2d.base.readers.arguments import count, flag, items, one_of, shown
from bnc2d.base.readers.choices import TIES, Ties
from bnc2d.base.readers.instances import (
    AnyInstances,
    Encoded,
    Form,
    Instance,
    Instances,
    StateArray,
    all_rows,
    check_rows,
    encode_partial,
    in_the_same_form,
)
from bnc2d.base.readers.numbers import Number
from bnc2d.base.readers.numbers import threshold as exact_threshold
from bnc2d.base.readers.predicting import Predicting
from bnc2d.base.readers.states import find_state
from bnc2d.base.scales import Label, labels_of
from bnc2d.errors import ClassifierError, FeaturesWarning, LimitExceeded, did_you_mean
from bnc2d.model.decision import Basis, DecisionRule, Labels
from bnc2d.model.inference import JointQuery
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.partial import groups_of, over, partial_labels
from bnc2d.model.training import Training
from bnc2d.model.variable import Variable

if TYPE_CHECKING:
    import pandas as pd

# At most this many names are shown in a warning.
_SHOWN_NAMES = 5


class BaseClassifier(Predicting):
    """A network, a target, features and a decision rule: what is compiled, and what decides by inference.

    ``bnc2d.Classifier``, the class that users hold, documents the arguments.
    """

    # How it was trained, where ``from_data`` did.
    training: Training | None = None

    def __init__(
        self,
        network: BayesianNetwork,
        target: str,
        features: Iterable[str] | Literal["all"] | None = None,
        threshold: Number | None = None,
        positive: Label | None = None,
        ties: Ties = "lowest",
    ) -> None:
        if not isinstance(network, BayesianNetwork):
            raise ClassifierError(
                f"expected a BayesianNetwork, not {shown(network)}; read_network(path) gives one"
            )
        self.network = network
        self.target = network.variable(target).name
        self.classes = network.variable(target).states
        if features is None:
            self.features = default_features(network, self.target)
            _warn_of_left_out(network, self.target, self.features)
        else:
            self.features = _check_features(network, self.target, features)
        self.threshold = _check_threshold(self.classes, threshold)
        self.positive = _check_positive(network.variable(target), positive)
        one_of(ties, TIES, "ties", ClassifierError)
        self.ties: Ties = ties
        positive_index = 0 if self.positive is None else self.classes.index(self.positive)
        self.rule = DecisionRule(ties, self.threshold, positive_index)

    @cached_property
    def _query(self) -> JointQuery:
        return JointQuery(self.network, self.target, self.features)

    @property
    def class_labels(self) -> tuple[Label, ...]:
        """The classes as ``predict`` gives them, in the type that they have in data."""
        return labels_of(self.classes)

    @cached_property
    def feature_variables(self) -> tuple[Variable, ...]:
        """The features as variables, in order."""
        return tuple(self.network.variable(name) for name in self.features)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the smaller classifiers: a copy makes its own."""
        return {name: value for name, value in self.__dict__.items() if name != "_smaller"}

    @property
    def instance_count(self) -> int:
        """The number of instances of the features."""
        return prod(len(feature) for feature in self.feature_variables)

    @overload
    def posterior(
        self, instances: Instance, *, exact: Literal[True] | None = None
    ) -> dict[str, Fraction]: ...
    @overload
    def posterior(self, instances: Instance, *, exact: Literal[False]) -> dict[str, float]: ...
    @overload
    def posterior(
        self, instances: Instances, *, exact: Literal[False] | None = None
    ) -> list[dict[str, float]]: ...
    @overload
    def posterior(self, instances: Instances, *, exact: Literal[True]) -> list[dict[str, Fraction]]: ...
    @overload
    def posterior(
        self, instances: StateArray, *, exact: Literal[False] | None = None
    ) -> NDArray[np.float64]: ...
    @overload
    def posterior(self, instances: StateArray, *, exact: Literal[True]) -> NDArray[np.object_]: ...
    @overload
    def posterior(self, instances: pd.DataFrame, *, exact: bool | None = None) -> pd.DataFrame: ...
    @overload
    def posterior(
        self, instances: pd.Series[Any], *, exact: Literal[True] | None = None
    ) -> dict[str, Fraction]: ...
    @overload
    def posterior(self, instances: pd.Series[Any], *, exact: Literal[False]) -> dict[str, float]: ...
    def posterior(self, instances: Any, *, exact: bool | None = None) -> object:
        """Return ``P(class | instance)``: exact for one instance, float64 for many, or as ``exact`` says.

        One dict gives a dict of fractions; a list of dicts gives a list of dicts of floats, an integer array
        an array ``[instance, class]``, a data frame a data frame. An impossible instance gives zeros. Given a
        partial instance, it is ``P(class | what is known)``.
        """
        encoded = encode_partial(self.feature_variables, instances)
        exactly = encoded.form is Form.ONE if exact is None else flag(exact, "exact")
        values = self._partial_posteriors(encoded.rows, exactly)
        if encoded.form is Form.FRAME:
            return type(instances)(values, index=instances.index, columns=list(self.classes))
        if encoded.form is Form.ARRAY:
            return values
        answers = [dict(zip(self.classes, row, strict=True)) for row in values.tolist()]
        return answers[0] if encoded.form is Form.ONE else answers

    def predict_proba(self, instances: AnyInstances) -> NDArray[np.float64]:
        """Return ``P(class | instance)`` as an array ``[instance, class]``, classes as in ``classes_``."""
        return self._partial_posteriors(encode_partial(self.feature_variables, instances).rows, exact=False)

    def _target(self) -> tuple[str, tuple[str, ...]]:
        return self.target, self.classes

    def _decided(self, instances: object) -> tuple[Encoded, Labels]:
        encoded = encode_partial(self.feature_variables, instances)
        return encoded, partial_labels(self, encoded.rows)

    def labels(self, rows: Rows) -> Labels:
        """Return the position of the class of each row of state positions, ``NO_CLASS`` (-1) for none.

        Equal rows are decided once; rows that float64 cannot decide are decided together, exactly.
        """
        checked = check_rows(self.feature_variables, rows)
        row_ids, first = distinct_rows(checked)
        return self.rule.labels(self._query, checked[first])[0][row_ids]

    @overload
    def is_possible(self, instances: Instance) -> bool: ...
    @overload
    def is_possible(self, instances: Instances) -> list[bool]: ...
    @overload
    def is_possible(self, instances: StateArray) -> NDArray[np.object_]: ...
    @overload
    def is_possible(self, instances: pd.DataFrame) -> pd.Series[bool]: ...
    @overload
    def is_possible(self, instances: pd.Series[Any]) -> bool: ...
    def is_possible(self, instances: object) -> object:
        """Return whether each instance has a positive probability, in the form of ``predict``; exact.

        Of a partial instance, whether what is known has.
        """
        encoded = encode_partial(self.feature_variables, instances)
        answers = np.empty(len(encoded.rows), dtype=object)
        for places, known, rows in groups_of(encoded.rows):
            answers[places] = over(self, known)._query.possible(rows)
        return in_the_same_form(answers, encoded.form, instances, "possible")

    def bases(self, rows: Rows) -> list[Basis]:
        """Return what the decision on each row of state positions rests on; exact.

        Rows that floats cannot decide are looked at in exact numbers.
        """
        checked = check_rows(self.feature_variables, rows)
        row_ids, first = distinct_rows(checked)
        distinct = checked[first]
        possible = self._query.possible(distinct)
        none = self.rule.exact_basis([0] * len(self.classes))
        found = [Basis(True, "posterior") if one else none for one in possible.tolist()]
        _, certain = self.rule.proved_labels(self._query, distinct)
        close = np.flatnonzero(possible & ~certain)
        if close.size:
            joint = self._query.joint(distinct[close], exact=True)
            for row, values in zip(close.tolist(), joint.values.tolist(), strict=True):
                found[row] = self.rule.exact_basis(values)
        return [found[row] for row in row_ids.tolist()]

    def count_impossible(self, limit: int = 1 << 22) -> int:
        """Return how many instances have probability zero, by asking all; refuses more than ``limit``."""
        if self.instance_count > count(limit, "limit"):
            raise LimitExceeded(
                f"counting would ask {self.instance_count} instances, more than the limit of {limit}"
            )
        return sum(int((~self._query.possible(rows)).sum()) for rows in all_rows(self.feature_variables))

    def _partial_posteriors(self, encoded: Rows, exact: bool) -> NDArray[Any]:
        """Return the posteriors of rows that may leave features missing."""
        values = np.empty((len(encoded), len(self.classes)), dtype=object if exact else np.float64)
        for places, known, rows in groups_of(encoded):
            values[places] = over(self, known)._posteriors(rows, exact)
        return values

    def _posteriors(self, rows: Rows, exact: bool) -> NDArray[Any]:
        """Return the posteriors of rows that set every feature, in fractions or in floats."""
        if not exact:
            return self._float_posteriors(rows)
        joint = self._query.joint(rows, exact=True).values.tolist()
        values = np.empty((len(joint), len(self.classes)), dtype=object)
        for row, one in enumerate(joint):
            values[row] = _normalised(one)
        return values

    def _float_posteriors(self, rows: Rows) -> NDArray[np.float64]:
        """Return the posteriors of many rows, exactly rounded where float64 would underflow."""
        joint = self._query.joint(rows, exact=False)
        totals = joint.values.sum(axis=1, keepdims=True)
        posteriors: NDArray[np.float64] = np.divide(
            joint.values, totals, out=np.zeros_like(joint.values), where=totals > 0
        )
        doubtful = np.flatnonzero(~joint.trusted)
        if doubtful.size:
            exact_joint = self._query.joint(rows[doubtful], exact=True)
            posteriors[doubtful] = [
                [float(p) for p in _normalised(row)] for row in exact_joint.values.tolist()
            ]
        return posteriors

    def __repr__(self) -> str:
        rule = "argmax" if self.threshold is None else f"P({self.positive}) > {float(self.threshold):g}"
        learnt = "" if self.training is None else f"; {self.training}"
        return f"<Classifier of {self.target} ({rule}), {len(self.features)} features{learnt}>"


def _normalised(joint: list[int]) -> list[Fraction]:
    """Return the joint divided by its sum, or zeros for an impossible instance."""
    total = sum(joint) or 1
    return [Fraction(value, total) for value in joint]


def default_features(network: BayesianNetwork, target: str) -> tuple[str, ...]:
    """Return all leaves but the target."""
    leaves = tuple(name for name in network.leaves if name != target)
    if not leaves:
        raise ClassifierError(
            f"the network has no leaf besides the target {target!r}; name the features, or take 'all'"
        )
    return leaves


def _warn_of_left_out(network: BayesianNetwork, target: str, features: Sequence[str]) -> None:
    """Say which variables that touch the target are no features, at the line that makes the classifier."""
    missing = [name for name in network.markov_blanket(target) if name not in features]
    if missing:
        shown = ", ".join(repr(name) for name in missing[:_SHOWN_NAMES])
        more = f" and {len(missing) - _SHOWN_NAMES} more" if len(missing) > _SHOWN_NAMES else ""
        warnings.warn(
            f"by default only the leaves are features: {len(features)} of {len(network) - 1} variables, "
            f"without {shown}{more} next to the target {target!r}; features='all' (--features all) takes "
            f"every variable, a list of names chooses",
            FeaturesWarning,
            stacklevel=3,
        )


def _check_features(network: BayesianNetwork, target: str, features: Iterable[str]) -> tuple[str, ...]:
    if isinstance(features, str):
        if features != "all":
            raise ClassifierError(f"features must be a list of names or 'all', not the text {features!r}")
        features = [name for name in network.names if name != target]
        if not features:
            raise ClassifierError(f"the network has no variable besides the target {target!r}")
    wanted = items(features, "features", "a list of names or 'all'", ClassifierError)
    chosen = [network.variable(name).name for name in wanted]
    if not chosen:
        raise ClassifierError(
            "the list of features is empty; name at least one, or leave it out for all leaves, or take 'all'"
        )
    if target in chosen:
        raise ClassifierError(f"the target {target!r} is among the features; remove it there")
    for name in chosen:
        if chosen.count(name) > 1:
            raise ClassifierError(f"the feature {name!r} is listed twice")
    return tuple(chosen)


def _check_threshold(classes: tuple[str, ...], threshold: Number | None) -> Fraction | None:
    if threshold is None:
        return None
    if len(classes) != 2:
        raise ClassifierError(f"a threshold needs a target with two states, this one has {len(classes)}")
    return exact_threshold(threshold)


def _check_positive(target: Variable, positive: Label | None) -> str | None:
    """Return the positive state: the one given, or the second of a binary target."""
    if positive is None:
        return target.states[1] if len(target) == 2 else None
    position = find_state(target.states, positive)
    if position is None:
        hint = did_you_mean(positive, target.states)
        raise ClassifierError(
            f"positive={shown(positive)} is not a state of the target {target.name!r}{hint}"
        )
    if len(target) != 2:
        raise ClassifierError(
            f"positive={positive!r} needs a target with two states, {target.name!r} has {len(target)}"
        )
    return target.states[position]
