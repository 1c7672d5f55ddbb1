"""What a compilation gives: every class as a formula, with decisions and counts read off a diagram."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.budget import Budget
from bnc2d.base.readers.arguments import count, flag
from bnc2d.base.readers.instances import AnyInstances, Encoded, encode_partial
from bnc2d.base.readers.missing import MISSING
from bnc2d.base.readers.predicting import Predicting
from bnc2d.base.scales import Label
from bnc2d.errors import ClassifierError
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.partial import partial_labels

if TYPE_CHECKING:  # loaded where a formula is asked for
    from bnc2d.base.arrays import Rows
    from bnc2d.compile.formula.minimise import Minimiser
    from bnc2d.compile.shares.distribution import AnyDistribution
    from bnc2d.compile.shares.weighing import Weighed
    from bnc2d.logic.circuit.manager import Manager
    from bnc2d.logic.counting.weights import StateNumbers

# Diagrams of at most this many nodes are worth every effort: people read their formulas.
_TINY = 64
_MOST_DRAWS = 10**8  # more would not fit in memory
# Figures of Stats that time, threads or the kind of processor may change.
_OF_THE_RUN = frozenset(["seconds", "log2_work", "frontier", "cells", "exact_calls"])
# What Stats hold; the mapping is that of seconds.
Figure: TypeAlias = str | int | float | Mapping[str, float] | None


@dataclass(frozen=True)
class Stats:
    """How a compilation went.

    What the compilation gives, on every machine: ``method`` by its name, the paper's widths, the size of the
    diagram. How this run of it went: ``seconds`` per phase; ``log2_work`` multiplications and ``frontier``,
    the distinct sub-functions where the two tables meet (None where the method has neither); ``cells``
    decided and ``exact_calls`` among them that float64 could not prove. The run leaves no trace in files, so
    a loaded model has no ``seconds`` and None for the others.
    """

    method: str
    seconds: Mapping[str, float] = field(default_factory=dict)
    omega: int = 0
    omega_right: int = 0
    omega_left: int = 0
    omega_total: int = 0
    log2_work: float | None = None
    frontier: int | None = None
    cells: int | None = None
    exact_calls: int | None = None
    diagram_nodes: int = 0

    def as_dict(self) -> dict[str, Figure]:
        """Return plain data, for JSON."""
        return asdict(self)

    def of_any_run(self) -> dict[str, Figure]:
        """Return as plain data what does not depend on the machine or the moment, for files."""
        return {name: value for name, value in asdict(self).items() if name not in _OF_THE_RUN}


def decisions(model: BaseCompiledModel) -> tuple[str | None, ...]:
    """Return the decision that each label of a model's diagram stands for: a class, or None for no class.

    Under a constraint the last label stands for none of them: its instances do not count.
    """
    found: tuple[str | None, ...] = (*model.classes, None)
    return found[: model.diagram.terminals - (model.constraint is not None)]


class BaseCompiledModel(Predicting):
    """A classifier whose class formulas are known; ``bnc2d.CompiledModel`` is the class that users hold."""

    def __init__(self, classifier: BaseClassifier, diagram: Diagram, stats: Stats) -> None:
        self.classifier = classifier
        self.diagram = diagram
        self.stats = stats
        self.domain = diagram.domain
        # By label and negation: formulas that the method made in its own way, and those made of the diagram.
        self.formulas: dict[tuple[int, bool], NNF] = {}
        self._made: dict[tuple[int, bool], NNF] = {}
        self._sizes: dict[int, tuple[int, int]] = {}

    @cached_property
    def _minimiser(self) -> Minimiser:
        from bnc2d.compile.formula.minimise import Minimiser

        return Minimiser(self.diagram, self.domain, 1.0 if self.diagram.node_count <= _TINY else 0.0)

    @property
    def manager(self) -> Manager:
        """The manager of the formulas."""
        return self._minimiser.manager

    @property
    def constraint(self) -> NNF | None:
        """What instances must satisfy to count; None where all do."""
        return None

    @property
    def unconstrained(self) -> BaseCompiledModel:
        """The model in which all instances count."""
        return self

    @property
    def instance_count(self) -> int:
        """How many instances count."""
        return self.domain.instance_count

    @property
    def classes(self) -> tuple[str, ...]:
        """The states of the target."""
        return self.classifier.classes

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features."""
        return self.classifier.features

    @property
    def mentioned_features(self) -> tuple[str, ...]:
        """The features on which some decision depends; the others never matter."""
        return self.diagram.features

    @property
    def target(self) -> str:
        """The name of the target."""
        return self.classifier.target

    def formula(self, name: Label, negated: bool = False) -> NNF:
        """Return the OR-decomposable formula of a class, or of "not this class"."""
        key = (self.label(name), flag(negated, "negated"))
        if key in self.formulas:
            return self.formulas[key]
        if key not in self._made:
            self._made[key] = NNF(self.manager, self._minimiser.formula(*key))
        return self._made[key]

    def has_formula(self, name: Label) -> bool:
        """Return whether the formula of a class is there already."""
        return (self.label(name), False) in {**self.formulas, **self._made}

    def formula_size(self, name: Label) -> tuple[int, int]:
        """Return how many nodes and edges the formula of a class has; a file knows it without the formula."""
        label = self.label(name)
        if label not in self._sizes:
            formula = self.formula(name)
            self._sizes[label] = (formula.node_count, formula.edge_count)
        return self._sizes[label]

    def set_formula_size(self, name: Label, size: tuple[int, int]) -> None:
        """Say what the size of a formula is, where that is known."""
        self._sizes[self.label(name)] = size

    def _target(self) -> tuple[str, tuple[str, ...]]:
        return self.target, self.classes

    def _decided(self, instances: object) -> tuple[Encoded, NDArray[np.int64]]:
        encoded = encode_partial(self.classifier.feature_variables, instances)
        return encoded, self._labels(encoded.rows)

    def _labels(self, rows: Rows) -> NDArray[np.int64]:
        """Return the label of each row, of which some may be partial; -1 where these are in no class."""
        is_partial = (rows == MISSING).any(axis=1)
        if not is_partial.any():
            return self.diagram.labels(rows)
        labels = np.empty(len(is_partial), dtype=np.int64)
        labels[is_partial] = partial_labels(self.classifier, rows[is_partial])
        labels[~is_partial] = self.diagram.labels(rows[~is_partial])
        return labels

    def _counting(self, rows: Rows) -> NDArray[np.bool_]:
        """Return which rows count: of a partial one, whether some completion does."""
        return np.ones(len(rows), dtype=bool)

    def predict_proba(self, instances: AnyInstances) -> NDArray[np.float64]:
        """Return ``P(class | instance)``, by the network (see ``Classifier.predict_proba``)."""
        return self.classifier.predict_proba(instances)

    @overload
    def count(self, name: Label, weights: None = None) -> int: ...
    @overload
    def count(self, name: Label, weights: StateNumbers) -> Fraction: ...
    def count(self, name: Label, weights: StateNumbers | None = None) -> int | Fraction:
        """Return the exact number of instances in a class, or what they weigh (see ``NNF.model_count``)."""
        label = self.label(name)
        return self.diagram.count(label) if weights is None else self.diagram.count(label, weights)

    def shares(
        self, distribution: AnyDistribution = None, *, time_limit: float | None = None
    ) -> dict[str | None, Fraction]:
        """Return which share of all instances that count is in each class, exactly.

        They sum to 1. Under ``ties="none"`` the key None holds the share of the instances in no class.

        ``distribution`` says what instances weigh. By default, or by ``"uniform"``, all weigh the same.
        ``"network"``: what the network gives them, ``P(x)``, given the constraint if there is one. A mapping
        from feature to a mapping from state to probability: features are independent, and uniform where one
        is left out. A data frame, a list of instances or an integer array: each row weighs the same; one with
        missing features is decided as ``predict`` does, and rows that violate the constraint do not count,
        of which a warning tells. Where nothing that counts weighs anything, it is an error. Past the time
        limit (seconds), or where tables grow too large, it raises ``LimitExceeded``.
        """
        return self.weigh(distribution, time_limit=time_limit).shares

    def share(
        self, name: str | None, distribution: AnyDistribution = None, *, time_limit: float | None = None
    ) -> Fraction:
        """Return the share of a class among all instances that count (None: of no class); see ``shares``."""
        label = -1 if name is None and self.classifier.ties == "none" else self._label(name)
        found = self.weigh(distribution, time_limit=time_limit).shares
        return found.get((*self.classes, None)[label], Fraction(0))

    def weigh(self, distribution: AnyDistribution = None, *, time_limit: float | None = None) -> Weighed:
        """Return the shares (see ``shares``) with what they are shares of."""
        from bnc2d.compile.shares.distribution import ByRows, read_distribution
        from bnc2d.compile.shares.weighing import weigh, weigh_labels

        budget = Budget(time_limit)
        with budget.limiting("the shares are not known"):
            chosen = read_distribution(self.classifier, distribution)
            if isinstance(chosen, ByRows):
                labels, counting = self._labels(chosen.rows), self._counting(chosen.rows)
                return weigh_labels(self.classes, decisions(self), labels, counting)
            return weigh(chosen, self.diagram, decisions(self))

    @overload
    def sample(self, name: Label | None, seed: int = 0, size: None = None) -> dict[str, str]: ...
    @overload
    def sample(self, name: Label | None, seed: int, size: int) -> list[dict[str, str]]: ...
    @overload
    def sample(self, name: Label | None, seed: int = 0, *, size: int) -> list[dict[str, str]]: ...
    def sample(
        self, name: Label | None, seed: int = 0, size: int | None = None
    ) -> dict[str, str] | list[dict[str, str]]:
        """Return an instance of a class, each with the same probability, or a list of ``size`` of them.

        Exact, by their position in the list of all of them. Draws are independent, and the same seed gives
        the same ones. A class without instances is an error.
        """
        label, seed = self._label(name), count(seed, "seed")
        if size is not None:
            size = count(size, "size", most=_MOST_DRAWS, error=ClassifierError)
        if not self.diagram.count(label):
            where = "in no class" if name is None else f"in class {name!r} of {self.target!r}"
            raise ClassifierError(f"no instance is {where}, so there is none to draw")
        drawn = self.diagram.sample(label, seed, 1 if size is None else size)
        return drawn[0] if size is None else drawn

    def _label(self, name: Label | None) -> int:
        """Return the label of a class, or of "in no class" (None), where ties leave instances so."""
        in_none = name is None and None in decisions(self)
        return len(self.classes) if in_none else self.label(name)

    def __repr__(self) -> str:
        return (
            f"<CompiledModel of {self.target}: {len(self.classes)} classes, {len(self.features)} features, "
            f"{self.diagram.node_count} diagram nodes>"
        )


def prepare_formulas(model: BaseCompiledModel) -> None:
    """Make what the formulas of all classes need, side by side where there are threads (``workers``)."""
    model._minimiser.prepare(range(len(model.classes)))
