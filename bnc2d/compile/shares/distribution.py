"""Distributions of the instances, as users give them: uniform, by rows, by marginals, by the network."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows
from bnc2d.base.readers.arguments import as_text, is_series, named, shown, wrong
from bnc2d.base.readers.instances import Form, Instances, StateArray, encode_partial
from bnc2d.base.readers.missing import MISSING
from bnc2d.base.readers.numbers import Number, exact
from bnc2d.compile.shares.masses import Table, masses
from bnc2d.errors import ArgumentError, ClassifierError, UnknownNameError, did_you_mean
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.fixing import with_fixed
from bnc2d.logic.domain import FeatureId, StateMask
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

Box: TypeAlias = Mapping[FeatureId, StateMask]  # the states that some features may have

UNIFORM, NETWORK, ROWS = "uniform", "network", "rows"
_EXPECTED = (
    "'uniform', 'network', a mapping from feature to the probabilities of its states, or rows: "
    "a data frame, a list of instances or an integer array"
)


class Distribution(ABC):
    """What the instances of a classifier weigh."""

    name: str

    @abstractmethod
    def masses(self, diagram: Diagram, within: Box | None = None) -> list[int]:
        """Return how much leads to each terminal of a diagram over the features, with one unit for all.

        ``within`` leaves only the instances that have certain states of some features.
        """

    @abstractmethod
    def marginals(self, sizes: Sequence[int]) -> list[list[Fraction]] | None:
        """Return the probabilities of the states of each feature; None where features are not independent.

        ``sizes`` are the numbers of states.
        """

    @abstractmethod
    def columns(self, features: Sequence[Variable]) -> list[list[Fraction]]:
        """Return the probabilities of the states of each feature, drawn independently of the others.

        ``features`` are those of the classifier. Of rows they are the shares of the states in each column.
        The network's own has none: a ``ClassifierError``.
        """

    @abstractmethod
    def over(self, classifier: BaseClassifier, features: Sequence[FeatureId]) -> Distribution:
        """Return the distribution of some of the features, which are those of a smaller classifier."""


class Uniform(Distribution):
    """Every instance weighs the same."""

    name = UNIFORM

    def masses(self, diagram: Diagram, within: Box | None = None) -> list[int]:
        """Return how many instances lead to each terminal; within states, times a number for all."""
        if not within:
            return diagram.counts()
        sizes = diagram.domain.cardinalities
        asked = [level.feature for level in diagram.walk]
        tables = [_indicator(feature, sizes[feature], within.get(feature, -1)) for feature in asked]
        return masses(diagram, tables, sizes)

    def marginals(self, sizes: Sequence[int]) -> list[list[Fraction]]:
        """Return the same for all states of a feature."""
        return [[Fraction(1, size)] * size for size in sizes]

    def columns(self, features: Sequence[Variable]) -> list[list[Fraction]]:
        """Return the same probability for all states of a feature."""
        return self.marginals([len(feature) for feature in features])

    def over(self, _classifier: BaseClassifier, _features: Sequence[FeatureId]) -> Distribution:
        """Return itself."""
        return self


class ByNetwork(Distribution):
    """Instances weigh what the network gives them, ``P(x)``."""

    name = NETWORK

    def __init__(self, classifier: BaseClassifier) -> None:
        self._classifier = classifier

    def masses(self, diagram: Diagram, within: Box | None = None) -> list[int]:
        """Return how much leads to each terminal; features that nothing asks are left out."""
        own, features = self._classifier, self._classifier.features
        within = within or {}
        known = {f: mask.bit_length() - 1 for f, mask in within.items() if mask.bit_count() == 1}
        asked = {*diagram.features, *(features[feature] for feature in within)}
        names, tables = network_tables(own, asked)
        sizes = [len(own.network.variable(name)) for name in names]
        for feature, state in known.items():
            tables = [table.at(feature, state) for table in tables]
        tables += [_indicator(f, sizes[f], mask) for f, mask in within.items() if f not in known]
        return masses(with_fixed(diagram, known) if known else diagram, tables, sizes)

    def marginals(self, _sizes: Sequence[int]) -> None:
        """Return None: features depend on each other."""

    def columns(self, _features: Sequence[Variable]) -> list[list[Fraction]]:
        """Refuse: its features depend on each other."""
        raise ClassifierError(
            "distribution='network' is no product of independent features, which is needed here; give the "
            "marginals of the features, a data frame for the shares of its columns, or 'uniform'"
        )

    def over(self, classifier: BaseClassifier, _features: Sequence[FeatureId]) -> Distribution:
        """Return that of the smaller classifier, which has the same network."""
        return ByNetwork(classifier)


def network_tables(
    classifier: BaseClassifier, asked: Collection[str], *, exact: bool = True
) -> tuple[list[str], list[Table]]:
    """Return the tables of a network whose product, summed over all else, gives P of what is asked.

    With them come the names of their variables, by number: the features of the classifier first. Entries are
    whole numbers, each table over a denominator of its own, or not ``exact``, in float64.
    """
    network, features = classifier.network, classifier.features
    relevant = network.ancestors(asked)
    names = [*features, *(name for name in network.names if name in relevant and name not in features)]
    ids = {name: number for number, name in enumerate(names)}
    tables = []
    for cpt in network.cpts:
        if cpt.child.name in relevant:
            scope = [ids[variable.name] for variable in cpt.scope]
            tables.append(Table.of(scope, cpt.integers) if exact else Table(tuple(scope), cpt.values[None]))
    return names, tables


class ByMarginals(Distribution):
    """Features are independent, each with its own probabilities of its states."""

    name = "marginals"

    def __init__(self, features: Sequence[Variable], marginals: Mapping[str, Sequence[Fraction]]) -> None:
        self._features = features
        self._sizes = [len(feature) for feature in features]
        self._columns = []
        for feature in features:
            even = [Fraction(1, len(feature))] * len(feature)
            self._columns.append(list(marginals.get(feature.name, even)))

    def masses(self, diagram: Diagram, within: Box | None = None) -> list[int]:
        """Return how much leads to each terminal, by one pass over the diagram."""
        asked = {level.feature for level in diagram.walk}
        tables, others = [], 1
        for feature, column in enumerate(self._columns):
            mask = (within or {}).get(feature, -1)
            whole = over_common_denominator(np.array(column, dtype=object))
            chosen = [number * (mask >> state & 1) for state, number in enumerate(whole.tolist())]
            if feature in asked:
                tables.append(Table.of([feature], np.array(chosen, dtype=object)))
            elif mask != -1:
                others *= sum(chosen)
        return [mass * others for mass in masses(diagram, tables, self._sizes)]

    def marginals(self, _sizes: Sequence[int]) -> list[list[Fraction]]:
        """Return the probabilities as they were given."""
        return [list(column) for column in self._columns]

    def columns(self, features: Sequence[Variable]) -> list[list[Fraction]]:
        """Return the probabilities as they were given."""
        return self.marginals([len(feature) for feature in features])

    def over(self, _classifier: BaseClassifier, features: Sequence[FeatureId]) -> Distribution:
        """Return the same probabilities of fewer features."""
        chosen = [self._features[feature] for feature in features]
        columns = {self._features[feature].name: self._columns[feature] for feature in features}
        return ByMarginals(chosen, columns)


class ByRows(Distribution):
    """Each of some rows of state positions weighs the same; some may be partial."""

    name = ROWS

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    def masses(self, diagram: Diagram, within: Box | None = None) -> list[int]:
        """Return how many rows lead to each terminal; all must be complete."""
        labels = diagram.labels(self.rows[self.agreeing(within or {})])
        return [int(n) for n in np.bincount(labels, minlength=diagram.terminals)]

    def agreeing(self, within: Box) -> NDArray[np.bool_]:
        """Return which rows have certain states of some features."""
        found = np.ones(len(self.rows), dtype=bool)
        for feature, mask in within.items():
            states = self.rows[:, feature]
            allowed = [state for state in range(mask.bit_length()) if mask >> state & 1]
            found &= np.isin(states, allowed)
        return found

    def marginals(self, _sizes: Sequence[int]) -> None:
        """Return None: features of rows depend on each other."""

    def columns(self, features: Sequence[Variable]) -> list[list[Fraction]]:
        """Return the share of each state in its column, among the rows that have a value there."""
        found = []
        for feature, column in zip(features, self.rows.T, strict=True):
            known = column[column != MISSING]
            if not len(known):
                raise ClassifierError(f"distribution: the column of {feature.name!r} has no value")
            counts = np.bincount(known, minlength=len(feature)).tolist()
            found.append([Fraction(count, len(known)) for count in counts])
        return found

    def over(self, _classifier: BaseClassifier, features: Sequence[FeatureId]) -> Distribution:
        """Return the rows with the columns of fewer features."""
        return ByRows(self.rows[:, list(features)])


def _indicator(feature: FeatureId, size: int, mask: StateMask) -> Table:
    """Return the table that is 1 at the states of a mask, else 0."""
    return Table.of([feature], np.array([mask >> state & 1 for state in range(size)], dtype=object))


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
