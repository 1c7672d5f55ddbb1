"""``bnc2d.GivenModel``: a compiled model under a constraint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from bnc2d.api.explanation import Explanation
from bnc2d.base.budget import Budget
from bnc2d.base.readers.instances import (
    AnyInstances,
    Encoded,
    Instance,
    Instances,
    OneInstance,
    StateArray,
    encode,
    encode_one,
)
from bnc2d.base.readers.predicting import Predicting
from bnc2d.compile.model import BaseCompiledModel
from bnc2d.compile.zeros.possible import possible_instances
from bnc2d.errors import ClassifierError, InstanceError, LogicError
from bnc2d.explain.batch import explain_many
from bnc2d.explain.routes import GivenRoute
from bnc2d.explain.whole.rules.by_diagram import DiagramRoute
from bnc2d.explain.whole.rules.checking import check_coherence, check_independence, check_rules
from bnc2d.explain.whole.rules.results import RuleCheck, RuleResult
from bnc2d.logic.circuit.manager import Manager
from bnc2d.logic.constraints.reader import read_constraint
from bnc2d.logic.diagram.from_circuits import diagram_of_circuit
from bnc2d.logic.diagram.restrict import restricted
from bnc2d.logic.nnf import NNF

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

    from bnc2d.explain.batch import ManyOptions, Row

# The constraint that the network itself knows: instances that have a positive probability.
POSSIBLE = "possible"


class GivenModel(Predicting):
    """A compiled model of which only the instances that satisfy a ``constraint`` count.

    Every reason is that of "the constraint implies the class": a sufficient reason is a minimal part of the
    instance that fixes the decision on all instances that the constraint allows, and what would change the
    decision is always an instance that it allows. Counts, shares and samples are of these instances alone.
    An instance that violates the constraint is an ``InstanceError``.

    >>> import bnc2d
    >>> model = bnc2d.Classifier(bnc2d.example("running"), "A", ["D", "E", "F"]).compile()
    >>> given = model.given("D -> F")
    >>> print(*given.explain({"D": 1, "E": 0, "F": 1}).sufficient_reasons(), sep="; ")
    D; ¬E
    """

    def __init__(self, model: BaseCompiledModel, constraint: NNF) -> None:
        self._model = model
        self.constraint = constraint
        order = model.diagram.order
        budget = Budget()
        with budget.limiting():
            allowed = diagram_of_circuit(constraint.manager, constraint.root, order, budget.progress)
        self._allowed = allowed.count(1)
        if not self._allowed:
            raise LogicError("no instance satisfies the constraint, so that nothing is left to explain")
        self.diagram = restricted(model.diagram, allowed)
        self.domain = self.diagram.domain
        self._route = GivenRoute(model.classifier, self.diagram, str(constraint))

    @property
    def classes(self) -> tuple[str, ...]:
        """The states of the target."""
        return self._model.classes

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features."""
        return self._model.features

    @property
    def target(self) -> str:
        """The name of the target."""
        return self._model.target

    def given(self, constraint: object) -> GivenModel:
        """Return the model under this constraint and another one."""
        more = constraint_of(self._model, constraint, self.constraint.manager)
        return GivenModel(self._model, self.constraint & more)

    def allows(self, instance: OneInstance) -> bool:
        """Return whether an instance satisfies the constraint."""
        row = encode_one(self._model.classifier.feature_variables, instance)
        return bool(self.diagram.labels(np.array([row], dtype=np.intp))[0] < self.diagram.terminals - 1)

    def _target(self) -> tuple[str, tuple[str, ...]]:
        return self.target, self.classes

    def _decided(self, instances: object) -> tuple[Encoded, NDArray[np.int64]]:
        encoded = encode(self._model.classifier.feature_variables, instances)
        labels = self.diagram.labels(encoded.rows)
        outside = np.flatnonzero(labels == self.diagram.terminals - 1)
        if outside.size:
            which = f"row {outside[0]}" if len(labels) > 1 else "the instance"
            raise InstanceError(f"{which} violates the constraint, which says that it cannot be")
        return encoded, labels

    def count(self, name: str) -> int:
        """Return the exact number of allowed instances in a class."""
        return self.diagram.count(self.label(name))

    def count_allowed(self) -> int:
        """Return how many instances satisfy the constraint."""
        return self._allowed

    def shares(self) -> dict[str | None, Fraction]:
        """Return which share of the allowed instances is in each class (None: in no class)."""
        counts = self.diagram.counts()[:-1]
        return {
            name: Fraction(number, self._allowed)
            for name, number in zip(self._route.decisions, counts, strict=True)
        }

    def sample(self, name: str, seed: int = 0, size: int = 1) -> list[dict[str, str]]:
        """Return a list of allowed instances of a class, each with the same probability."""
        label = self.label(name)
        if not self.diagram.count(label):
            raise ClassifierError(f"no allowed instance is in class {name!r} of {self.target!r}")
        return self.diagram.sample(label, seed, size)

    def check(
        self, rules: str | Iterable[str], towards: str | None = None, time_limit: float | None = None
    ) -> RuleCheck:
        """Return whether all allowed instances obey rules (see ``CompiledModel.check``)."""
        return check_rules(self._model.classifier, self._rule_route(), rules, towards, time_limit)

    def is_independent(
        self,
        features: str | Iterable[str],
        given: str | Mapping[str, object] | None = None,
        *,
        time_limit: float | None = None,
    ) -> RuleResult:
        """Return whether no change of features alone, from allowed to allowed, changes a decision."""
        return check_independence(self._model.classifier, self._rule_route(), features, given, time_limit)

    def is_coherent(
        self,
        order: Sequence[str] | None = None,
        features: str | Iterable[str] | None = None,
        given: str | Mapping[str, object] | None = None,
        *,
        time_limit: float | None = None,
    ) -> RuleResult:
        """Return whether a change of one feature, from allowed to allowed, leads to a neighbouring class."""
        return check_coherence(self._model.classifier, self._rule_route(), order, features, given, time_limit)

    def _rule_route(self) -> DiagramRoute:
        return DiagramRoute(self.diagram, self._route.decisions)

    def explain(self, instance: OneInstance, fixed: Iterable[str] = ()) -> Explanation:
        """Return the explanation of the decision on one instance that satisfies the constraint."""
        return Explanation(self._route, instance, fixed)

    @overload
    def explain_many(
        self, rows: pd.DataFrame, executor: Executor | None = None, **options: Unpack[ManyOptions]
    ) -> pd.DataFrame: ...
    @overload
    def explain_many(
        self,
        rows: Instance | Instances | StateArray | pd.Series[Any],
        executor: Executor | None = None,
        **options: Unpack[ManyOptions],
    ) -> list[Row]: ...
    def explain_many(
        self, rows: AnyInstances, executor: Executor | None = None, **options: Unpack[ManyOptions]
    ) -> list[Row] | pd.DataFrame:
        """Return the reasons for many decisions (see ``CompiledModel.explain_many``)."""
        self._decided(rows)
        return explain_many(self._route, rows, executor, **options)

    def __repr__(self) -> str:
        return f"<GivenModel of {self.target}: {self._allowed} instances allowed>"


def constraint_of(model: BaseCompiledModel, given: object, manager: Manager | None = None) -> NNF:
    """Return a constraint in any of its forms as a circuit; ``"possible"`` is what the network knows."""
    manager = Manager(model.domain) if manager is None else manager
    if isinstance(given, str) and given.strip() == POSSIBLE:
        return possible_instances(model.classifier).to_nnf(1, manager=manager)
    return read_constraint(given, manager)
