"""``bnc2d.CompiledModel``: the formulas of all classes, and everything that can be asked of them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, overload

from bnc2d.base.readers.arguments import instance_of
from bnc2d.base.readers.instances import AnyInstances, Instance, Instances, OneInstance, StateArray
from bnc2d.base.readers.numbers import Number
from bnc2d.compile.model import BaseCompiledModel

if TYPE_CHECKING:  # loaded when asked for
    from concurrent.futures import Executor

    import pandas as pd

    from bnc2d.api.classifier import Classifier
    from bnc2d.api.explanation import Explanation
    from bnc2d.api.given_model import GivenModel
    from bnc2d.explain.batch import ManyOptions, Row
    from bnc2d.explain.whole.bias import Bias
    from bnc2d.explain.whole.compare import Comparison, Equivalence
    from bnc2d.explain.whole.monotone import Monotone
    from bnc2d.explain.whole.nearest import Nearest
    from bnc2d.explain.whole.rules import RuleCheck
    from bnc2d.verify.report import Report


class CompiledModel(BaseCompiledModel):
    """A classifier whose class formulas are known.

    ``formula(c)`` is the OR-decomposable circuit of class ``c``; ``predict`` and ``count`` read the decision
    diagram behind it. Under ``ties="none"`` some instances are in no class.
    """

    classifier: Classifier

    @classmethod
    def of(cls, model: BaseCompiledModel) -> CompiledModel:
        """Return the same model as users hold it."""
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
        )

    def given(self, constraint: object) -> GivenModel:
        """Return the model of which only the instances that satisfy a constraint count.

        The constraint is a circuit (``NNF``), a sympy expression, a list of forbidden combinations or of
        implications, or a text such as ``"not (A=1 and B in {x,y})"`` (see ``bnc2d.logic.constraints``);
        ``"possible"`` stands for what the network knows, instances with a positive probability.
        """
        from bnc2d.api.given_model import GivenModel, constraint_of

        return GivenModel(self, constraint_of(self, constraint))

    def check(self, rules: str, time_limit: float | None = None) -> RuleCheck:
        """Return whether all instances obey rules, or one that breaks a rule.

        Rules are formulas in the language of constraints that also mention the decision, by the name of the
        target or as ``class``: ``"if A=1 and B in {x,y} then class in {0,1}"``. Several are apart by ``;`` or
        a new line. An instance in no class has none of the classes.
        """
        from bnc2d.compile.model import decisions
        from bnc2d.explain.whole.rules import check_rules

        return check_rules(self.classifier, self.diagram, decisions(self), rules, time_limit)

    def explain(self, instance: OneInstance, fixed: Iterable[str] = ()) -> Explanation:
        """Return the explanation of the decision on one instance.

        The instance is a mapping from feature to state, with nothing else in it, or a pandas Series, whose
        other entries are ignored. ``fixed`` names features that may not change: reasons, changes and
        distances are then about the other features, the fixed ones being as they are. Where features are
        missing, the classifier over the known ones is explained, compiled if that takes seconds at most.
        """
        from bnc2d.api.explanation import Explanation
        from bnc2d.explain.routes import CompiledRoute

        return Explanation(CompiledRoute(self), instance, fixed, model=self)

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
        from bnc2d.explain.routes import CompiledRoute

        return explain_many(CompiledRoute(self), rows, executor, **options)

    def nearest(
        self,
        instance: OneInstance,
        towards: str | None = None,
        *,
        fixed: str | Iterable[str] = (),
        weights: Mapping[str, Number] | None = None,
    ) -> Nearest:
        """Return the nearest instance of class ``towards``, by default the nearest decided otherwise.

        Nearest means the fewest features changed or, with ``weights`` (features without one weigh 1), the
        least sum of weights; features in ``fixed`` keep their states. "Decided otherwise" includes "in no
        class". Among equally near ones the answer is the same on every run. The result is false where no
        change leads there. Linear in the size of the decision diagram.
        """
        from bnc2d.explain.whole.nearest import nearest

        return nearest(self, instance, towards, fixed, weights)

    def is_biased(
        self,
        protected: str | Iterable[str],
        instance: OneInstance | None = None,
        *,
        time_limit: float | None = None,
    ) -> Bias:
        """Return whether a change of protected features alone can change a decision, with a pair that does.

        With ``instance``: whether it can change the decision on it; the second of the pair is the nearest
        such change. Without: whether it can on any instance, and on how many. The verdict on any instance is
        read off the diagram. Counting follows sets of nodes, as many as there are ways to set the protected
        features in the worst case, and raises ``LimitExceeded`` at the time limit (seconds).
        """
        from bnc2d.explain.whole.bias import is_biased

        return is_biased(self, protected, instance, time_limit)

    def is_monotone(
        self,
        features: str | Iterable[str],
        order: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        *,
        towards: str | None = None,
        time_limit: float | None = None,
    ) -> Monotone:
        """Return whether raising features never takes an instance out of class ``towards``, all else equal.

        Without ``towards`` the classes count as ordered, the one listed first the lowest, and the question is
        whether raising a feature never lowers the class; instances in no class are then an error. States are
        ordered as listed; ``order`` gives another order of all of them, for several features as a mapping.
        The worst case is quadratic in the size of the diagram; past the time limit (seconds) it raises
        ``LimitExceeded``.
        """
        from bnc2d.explain.whole.monotone import is_monotone

        return is_monotone(self, features, order, towards, time_limit)

    def equivalent(self, other: BaseCompiledModel, *, time_limit: float | None = None) -> Equivalence:
        """Return whether another model decides alike, with a witness (see ``compare.equivalent``)."""
        from bnc2d.explain.whole.compare import equivalent

        return equivalent(self, other, time_limit=time_limit)

    def compare(self, other: BaseCompiledModel, *, time_limit: float | None = None) -> Comparison:
        """Return what another model decides differently, in exact numbers (see ``compare.compare``)."""
        from bnc2d.explain.whole.compare import compare

        return compare(self, other, time_limit=time_limit)

    def _repr_html_(self) -> str:
        from bnc2d.report.notebook import model_html

        return model_html(self)
