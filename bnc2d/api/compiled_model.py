"""``bnc2d.CompiledModel``: the formulas of all classes; ``bnc2d.GivenModel``: the same under a constraint."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from bnc2d.api.questions import Questions
from bnc2d.base.arrays import Rows
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.readers.arguments import flag, instance_of
from bnc2d.base.readers.instances import (
    AnyInstances,
    Encoded,
    Instance,
    Instances,
    OneInstance,
    StateArray,
    encode_partial_one,
)
from bnc2d.base.readers.missing import MISSING
from bnc2d.base.scales import Label
from bnc2d.compile.model import BaseCompiledModel
from bnc2d.compile.zeros.constraint import allowed_by, constraint_of, may_be_allowed, violation
from bnc2d.logic.circuit.manager import Manager
from bnc2d.logic.diagram.restrict import restricted
from bnc2d.logic.nnf import NNF

if TYPE_CHECKING:  # loaded when asked for
    from concurrent.futures import Executor

    import pandas as pd

    from bnc2d.api.classifier import Classifier
    from bnc2d.api.explanation import Explanation
    from bnc2d.base.readers.choices import ScoreKind
    from bnc2d.compile.shares.distribution import AnyDistribution
    from bnc2d.explain.batch import ManyOptions, Row
    from bnc2d.explain.changes.allowed import Changes, Orders
    from bnc2d.explain.routes import Route
    from bnc2d.explain.scores.asking import ScoreManyOptions
    from bnc2d.explain.scores.scores import Scores
    from bnc2d.verify.report import Report


class CompiledModel(Questions):
    """A classifier whose class formulas are known.

    ``formula(c)`` is the OR-decomposable circuit of class ``c``; ``predict`` and ``count`` read the decision
    diagram behind it. Under ``ties="none"`` some instances are in no class.
    """

    classifier: Classifier

    @classmethod
    def of(cls, model: BaseCompiledModel) -> CompiledModel:
        """Return the same model as users hold it."""
        if isinstance(model, cls):
            return model
        made = cls.__new__(cls)
        made.__dict__.update(instance_of(BaseCompiledModel, model, "model").__dict__)
        return made

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``.bnc2d`` file that ``bnc2d.load`` reads; it appears whole or not at all.

        The same compilation always gives the same bytes (see ``store``).
        """
        from bnc2d.compile.store import save_model

        save_model(self, path)

    def verify(
        self,
        *,
        time_limit: float | None = 60.0,
        samples: int = 200,
        seed: int = 0,
        second_method: bool = True,
        progress: Callable[[str, int, int], object] | bool | None = None,
        memory_limit: int | None = None,
    ) -> Report:
        """Check the model by independent means and return a report (see ``verify_model``)."""
        from bnc2d.verify.checks import verify_model

        return verify_model(
            self,
            time_limit=time_limit,
            samples=samples,
            seed=seed,
            second_method=second_method,
            progress=progress,
            memory_limit=memory_limit,
        )

    def given(self, constraint: object) -> GivenModel:
        """Return the model of which only the instances that satisfy a constraint count.

        The constraint is a circuit (``NNF``), a sympy expression, a list of forbidden combinations or of
        implications, or a text such as ``"not (A=1 and B in {x,y})"`` (see ``bnc2d.logic.constraints``);
        ``"possible"`` stands for what the network knows, instances with a positive probability.
        """
        return GivenModel(self, constraint_of(self.classifier, constraint, Manager(self.domain)))

    def explain(
        self,
        instance: OneInstance,
        fixed: Iterable[str] = (),
        *,
        allowed: Changes = None,
        forbidden: Changes = None,
        order: Orders = None,
    ) -> Explanation:
        """Return the explanation of the decision on one instance.

        The instance is a mapping from feature to state, with nothing else in it, or a pandas Series, whose
        other entries are ignored. ``fixed`` names features that may not change: reasons, changes and
        distances are then about the other features, the fixed ones being as they are. Where features are
        missing, the classifier over the known ones is explained, compiled if that takes seconds at most.

        ``allowed`` has for features what they may change to: a state or states; ``"up"`` or ``"down"``, the
        states after or before their own, as listed or in the ``order`` of all states given for a feature; or
        a mapping from a state to those that may follow it (a state that is no key may not change).
        ``forbidden`` has what they may not change to. Their own state is always allowed, and other features
        change freely. Everything is then about the instances that allowed changes lead to, as under the
        constraint that a feature has a state that it may have (see ``given``).
        """
        from bnc2d.api.explanation import Explanation
        from bnc2d.explain.changes.allowed import MayChange

        may = MayChange(allowed, forbidden, order)
        return Explanation(self._route(), instance, fixed, model=self, may=may)

    def _route(self) -> Route:
        """Return what answers questions about instances."""
        from bnc2d.explain.routes import CompiledRoute

        return CompiledRoute(self)

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
        """Return the reasons for many decisions, spread over an executor (see ``batch.explain_many``)."""
        from bnc2d.explain.batch import explain_many

        return explain_many(self._route(), rows, executor, **options)

    @overload
    def robustness_of(
        self, rows: Instance, *, towards: Label | None = None, time_limit: float | None = None
    ) -> int | None: ...
    @overload
    def robustness_of(
        self, rows: Instances, *, towards: Label | None = None, time_limit: float | None = None
    ) -> list[int | None]: ...
    @overload
    def robustness_of(
        self, rows: StateArray, *, towards: Label | None = None, time_limit: float | None = None
    ) -> NDArray[np.generic]: ...
    @overload
    def robustness_of(
        self, rows: pd.DataFrame, *, towards: Label | None = None, time_limit: float | None = None
    ) -> pd.Series: ...
    @overload
    def robustness_of(
        self, rows: pd.Series[Any], *, towards: Label | None = None, time_limit: float | None = None
    ) -> int | None: ...
    def robustness_of(
        self, rows: object, *, towards: Label | None = None, time_limit: float | None = None
    ) -> object:
        """Return how many features of each row must change for another decision, or for class ``towards``.

        As ``explain(row).robustness().distance`` tells it, but of many rows at once: None where no change
        does, 0 where a row is in class ``towards`` already. Answers come in the form of the rows, as those of
        ``predict``: a data frame gives a series with its index. Where features are missing, it is about the
        classifier over the known ones. Past the time limit (seconds) it raises ``LimitExceeded``.
        """
        from bnc2d.explain.whole.profile.rows import robustness_of

        encoded, labels = self._decided(rows)
        return robustness_of(self, self._route(), rows, encoded, labels, towards, time_limit)

    @overload
    def scores_many(
        self,
        rows: pd.DataFrame,
        kind: ScoreKind,
        distribution: AnyDistribution = None,
        executor: Executor | None = None,
        **options: Unpack[ScoreManyOptions],
    ) -> pd.DataFrame: ...
    @overload
    def scores_many(
        self,
        rows: Instance | Instances | StateArray | pd.Series[Any],
        kind: ScoreKind,
        distribution: AnyDistribution = None,
        executor: Executor | None = None,
        **options: Unpack[ScoreManyOptions],
    ) -> list[Scores]: ...
    def scores_many(
        self,
        rows: AnyInstances,
        kind: ScoreKind,
        distribution: AnyDistribution = None,
        executor: Executor | None = None,
        **options: Unpack[ScoreManyOptions],
    ) -> list[Scores] | pd.DataFrame:
        """Return the scores of many decisions, as ``Explanation.scores`` has them (see ``scores_many``).

        For a data frame the answer is one with a column for each feature; values of games are floats unless
        ``exact`` asks for fractions, and all rows take the same passes over the diagram. An ``executor`` may
        share them out.
        """
        from bnc2d.explain.scores.many import scores_many

        return scores_many(self._route(), rows, kind, distribution, executor, **options)

    def _repr_html_(self) -> str:
        from bnc2d.report.notebook import model_html

        return model_html(self)


class GivenModel(CompiledModel):
    """A compiled model of which only the instances that satisfy a ``constraint`` count.

    Every reason is that of "the constraint implies the class": a sufficient reason is a minimal part of the
    instance that fixes the decision on all instances that the constraint allows, and what would change the
    decision is always an instance that it allows. ``formula(c)`` is "the constraint implies class ``c``",
    negated "the constraint implies another". Counts, shares, samples and all questions about the classifier
    are of the allowed instances alone. The last terminal of its ``diagram`` is for instances that do not
    count; one that violates the constraint is an ``InstanceError``. ``unconstrained`` is the model in which
    all instances count.

    >>> import bnc2d
    >>> model = bnc2d.Classifier(bnc2d.example("running"), "A", ["D", "E", "F"]).compile()
    >>> given = model.given("D -> F")
    >>> print(*given.explain({"D": 1, "E": 0, "F": 1}).sufficient_reasons(), sep="; ")
    D; ¬E
    """

    def __init__(self, model: CompiledModel, constraint: NNF) -> None:
        allowed = allowed_by(constraint, model.diagram.order)
        from bnc2d.explain.routes import CompiledRoute, GivenRoute

        super().__init__(model.classifier, restricted(model.diagram, allowed), model.stats)
        self._whole = model
        self._constraint = constraint
        self._allowing, self._allowed = allowed, allowed.count(1)
        self._given_route = GivenRoute(CompiledRoute(model), self.diagram, str(constraint), allowed)
        self._manager = Manager(self.domain)

    @property
    def constraint(self) -> NNF:
        """What instances must satisfy to count."""
        return self._constraint

    @property
    def unconstrained(self) -> CompiledModel:
        """The model in which all instances count."""
        return self._whole

    @property
    def instance_count(self) -> int:
        """How many instances satisfy the constraint."""
        return self._allowed

    def count_allowed(self) -> int:
        """Return how many instances satisfy the constraint."""
        return self._allowed

    @property
    def manager(self) -> Manager:
        """The manager of the formulas."""
        return self._manager

    def formula(self, name: Label, negated: bool = False) -> NNF:
        """Return the OR-decomposable formula of "the constraint implies this class", or "another class"."""
        key = (self.label(name), flag(negated, "negated"))
        if key not in self._made:
            label, outside = key[0], self.diagram.terminals - 1
            wanted = set(range(outside + 1)) - {label} if negated else {label, outside}
            self._made[key] = self.diagram.leading_to(wanted).to_nnf(1, manager=self._manager)
        return self._made[key]

    def given(self, constraint: object) -> GivenModel:
        """Return the model under this constraint and another one."""
        more = constraint_of(self.classifier, constraint, self.constraint.manager)
        return GivenModel(self._whole, self.constraint & more)

    def allows(self, instance: OneInstance) -> bool:
        """Return whether an instance satisfies the constraint; where features are missing, whether it may."""
        row = encode_partial_one(self.classifier.feature_variables, instance)
        return may_be_allowed(self._given_route.allowed, row)

    def _decided(self, instances: object) -> tuple[Encoded, NDArray[np.int64]]:
        encoded, labels = super()._decided(instances)
        counting = self._counting(encoded.rows)
        if not counting.all():
            raise violation(int(counting.argmin()) if len(labels) > 1 else None)
        return encoded, labels

    def _counting(self, rows: Rows) -> NDArray[np.bool_]:
        is_partial = (rows == MISSING).any(axis=1)
        counting = np.zeros(len(rows), dtype=bool)
        counting[~is_partial] = self._allowing.labels(rows[~is_partial]) == 1
        for place in np.flatnonzero(is_partial).tolist():
            checkpoint()
            counting[place] = may_be_allowed(self._allowing, rows[place].tolist())
        return counting

    def _route(self) -> Route:
        return self._given_route

    def __repr__(self) -> str:
        return f"<GivenModel of {self.target}: {self._allowed} instances allowed>"
