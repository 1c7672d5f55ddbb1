"""Distributions of the instances, as users give them: uniform, by rows, by marginals, by the network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from bnc2d.base.arrays import Rows
from bnc2d.base.readers.arguments import as_text, is_series, named, shown, wrong
from bnc2d.base.readers.instances import Form, Instances, StateArray, encode_partial
from bnc2d.base.readers.missing import MISSING
from bnc2d.base.readers.numbers import Number, exact
from bnc2d.compile.shares.masses import Table, masses
from bnc2d.errors import ArgumentError, ClassifierError, UnknownNameError, did_you_mean
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import COLUMN_TOLERANCE, over_common_denominator, show
from bnc2d.model.variable import Variable

if TYPE_CHECKING:
    import pandas as pd

# What users give: None is "uniform".
AnyDistribution: TypeAlias = (
    "Literal['uniform', 'network'] | Mapping[str, Mapping[Any, Number] | pd.Series[Any]] "
    "| Instances | StateArray | pd.DataFrame | None"
)

UNIFORM, NETWORK, ROWS = "uniform", "network", "rows"
_EXPECTED = (
    "'uniform', 'network', a mapping from feature to the probabilities of its states, or rows: "
    "a data frame, a list of instances or an integer array"
)


class Distribution(ABC):
    """What the instances of a classifier weigh."""

    name: str

    @abstractmethod
    def masses(self, diagram: Diagram) -> list[int]:
        """Return how much leads to each terminal of a diagram over the features, with one unit for all."""

    @abstractmethod
    def marginals(self, features: Sequence[Variable]) -> list[list[Fraction]]:
        """Return the probabilities of the states of each feature, drawn independently of the others.

        ``features`` are those of the classifier. Of rows they are the shares of the states in each column. A
        distribution that is no product has none: a ``ClassifierError``.
        """


class Uniform(Distribution):
    """Every instance weighs the same."""

    name = UNIFORM

    def masses(self, diagram: Diagram) -> list[int]:
        """Return how many instances lead to each terminal."""
        return diagram.counts()

    def marginals(self, features: Sequence[Variable]) -> list[list[Fraction]]:
        """Return the same probability for all states of a feature."""
        return [_even(feature) for feature in features]


class ByNetwork(Distribution):
    """Instances weigh what the network gives them, ``P(x)``."""

    name = NETWORK

    def __init__(self, classifier: BaseClassifier) -> None:
        self._classifier = classifier

    def masses(self, diagram: Diagram) -> list[int]:
        """Return how much leads to each terminal; features that the diagram does not ask are left out."""
        network = self._classifier.network
        relevant = network.ancestors(diagram.features)
        features = self._classifier.features
        names = [*features, *(name for name in network.names if name in relevant and name not in features)]
        ids = {name: number for number, name in enumerate(names)}
        tables = [
            Table.of([ids[variable.name] for variable in cpt.scope], cpt.integers)
            for cpt in network.cpts
            if cpt.child.name in relevant
        ]
        return masses(diagram, tables, [len(network.variable(name)) for name in names])

    def marginals(self, _features: Sequence[Variable]) -> list[list[Fraction]]:
        """Refuse: its features depend on each other."""
        raise ClassifierError(
            "distribution='network' is no product of independent features, which is needed here; give the "
            "marginals of the features, a data frame for the shares of its columns, or 'uniform'"
        )


class ByMarginals(Distribution):
    """Features are independent, each with its own probabilities of its states."""

    name = "marginals"

    def __init__(self, features: Sequence[Variable], marginals: Mapping[str, Sequence[Fraction]]) -> None:
        self._sizes = [len(feature) for feature in features]
        self._marginals = [list(marginals.get(feature.name, _even(feature))) for feature in features]
        self._tables = []
        for place, probabilities in enumerate(self._marginals):
            column = np.array(probabilities, dtype=object)
            self._tables.append(Table.of([place], over_common_denominator(column)))

    def masses(self, diagram: Diagram) -> list[int]:
        """Return how much leads to each terminal, by one pass over the diagram."""
        asked = {level.feature for level in diagram.walk}
        tables = [table for table in self._tables if table.scope[0] in asked]
        return masses(diagram, tables, self._sizes)

    def marginals(self, _features: Sequence[Variable]) -> list[list[Fraction]]:
        """Return what was given."""
        return [list(probabilities) for probabilities in self._marginals]


class ByRows(Distribution):
    """Each of some rows of state positions weighs the same; some may be partial."""

    name = ROWS

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    def masses(self, diagram: Diagram) -> list[int]:
        """Return how many rows lead to each terminal; all must be complete."""
        return [int(n) for n in np.bincount(diagram.labels(self.rows), minlength=diagram.terminals)]

    def marginals(self, features: Sequence[Variable]) -> list[list[Fraction]]:
        """Return the share of each state in its column, among the rows that have a value there."""
        found = []
        for feature, column in zip(features, self.rows.T, strict=True):
            known = column[column != MISSING]
            if not len(known):
                raise ClassifierError(f"distribution: the column of {feature.name!r} has no value")
            counts = np.bincount(known, minlength=len(feature)).tolist()
            found.append([Fraction(count, len(known)) for count in counts])
        return found


def _even(feature: Variable) -> list[Fraction]:
    return [Fraction(1, len(feature))] * len(feature)


def read_distribution(classifier: BaseClassifier, given: object) -> Distribution:
    """Return the distribution that an argument stands for.

    None or ``"uniform"``: all instances alike. ``"network"``: ``P(x)``. A mapping from feature to a mapping
    from state to probability: independent features, uniform where one is left out. A data frame, a list of
    instances or an integer array: each row alike.
    """
    if given is None:
        return Uniform()
    if isinstance(given, str):
        if given not in (UNIFORM, NETWORK):
            raise wrong("distribution", given, _EXPECTED)
        return Uniform() if given == UNIFORM else ByNetwork(classifier)
    features = classifier.feature_variables
    if isinstance(given, Mapping):
        return ByMarginals(features, _marginals(features, given))
    if is_series(given) or not hasattr(given, "__iter__") or isinstance(given, bytes | type):
        raise wrong("distribution", given, _EXPECTED)
    encoded = encode_partial(features, given)
    if encoded.form is Form.ONE:
        raise ArgumentError("distribution must be rows, and this is one instance; a list holds one or more")
    if not len(encoded.rows):
        raise ClassifierError("distribution has no rows, so that nothing has a share of them")
    return ByRows(encoded.rows)


def _marginals(features: Sequence[Variable], given: Mapping[Any, object]) -> dict[str, list[Fraction]]:
    by_name = {feature.name: feature for feature in features}
    found = {}
    for name, probabilities in given.items():
        feature = by_name.get(name) if isinstance(name, str) else None
        if feature is None:
            hint = did_you_mean(name, by_name)
            raise UnknownNameError(f"distribution: {named(name)} is not a feature of this classifier{hint}")
        found[feature.name] = _column(feature, probabilities)
    return found


def _column(feature: Variable, given: Any) -> list[Fraction]:
    """Return the probability of each state; one that is left out has none."""
    what = f"distribution of {feature.name!r}"
    if is_series(given) and given.index.is_unique:
        given = dict(zip(given.index.tolist(), given.tolist(), strict=True))
    if not isinstance(given, Mapping):
        raise wrong(what, given, "a mapping from state to probability")
    column = [Fraction(0)] * len(feature)
    seen: dict[int, object] = {}
    for state, number in given.items():
        place = feature.index(state)
        if place in seen:
            both = f"{as_text(seen[place])!r} and {as_text(state)!r}"
            raise ArgumentError(f"{what}: {both} are the same state")
        seen[place] = state
        try:
            column[place] = exact(number)
        except ValueError as error:
            raise ArgumentError(f"{what}: the probability of {as_text(state)[:60]!r}: {error}") from None
        if column[place] < 0:
            raise ArgumentError(f"{what}: {as_text(state)[:60]!r} has {shown(number)}, which is negative")
    total = sum(column, Fraction(0))
    if abs(total - 1) > COLUMN_TOLERANCE:
        raise ArgumentError(f"{what} sums to {show(total)}, not 1; divide by the sum, or name all states")
    return [number / total for number in column]
