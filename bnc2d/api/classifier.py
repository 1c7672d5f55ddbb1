"""``bnc2d.Classifier``: what a network decides, and the way from there to its compiled model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Unpack, overload

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.readers.arguments import instance_of
from bnc2d.base.readers.choices import Arithmetic, Early, Method
from bnc2d.base.readers.instances import AnyInstances, Instance, Instances, OneInstance, StateArray
from bnc2d.base.scales import Label
from bnc2d.errors import LimitExceeded
from bnc2d.model.classifier import BaseClassifier

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

    from bnc2d.api.explanation import Explanation
    from bnc2d.base.readers.choices import ScoreKind
    from bnc2d.compile.shares.distribution import AnyDistribution
    from bnc2d.explain.batch import ManyOptions, Row
    from bnc2d.explain.changes.allowed import Changes, Orders
    from bnc2d.explain.routes import NetworkRoute
    from bnc2d.explain.scores.asking import ScoreManyOptions
    from bnc2d.explain.scores.scores import Scores
    from bnc2d.explain.whole.rules.by_regions import RegionRoute
    from bnc2d.explain.whole.rules.results import RuleCheck, RuleResult
    from bnc2d.explain.whole.sensitivity.results import EntryInterval, Sensitivity, ThresholdInterval
    from bnc2d.regions.decides import Decided
    from bnc2d.regions.oracle import NetworkOracle
    from bnc2d.regions.search import Bounds


_WAY_OUT = "without compiling: classifier.explain(instance), or bnc2d explain --route network"


class Classifier(BaseClassifier):
    """Decides the class of an instance ``x`` of the features: ``argmax_y P(y | x)``, or a threshold.

    ``features`` default to all leaves but the target, with a ``FeaturesWarning`` where these leave out
    variables that touch the target; ``"all"`` takes every variable but the target, a list those it names.
    With a ``threshold`` (binary targets), ``x`` is in class ``positive`` (default: the state listed second)
    iff ``P(positive | x) > threshold``, else in the other class. ``ties="lowest"`` gives a tied instance to
    the tied state listed first, ``ties="none"`` to no class (``predict`` returns None). An impossible
    instance (``P(x) = 0``) ties all classes at zero.

    Decisions are exact: float64 answers only where a rigorous error bound proves them right.
    """

    # The constraint that was asked about last, and what answers under it.
    _given: tuple[object, NetworkRoute] | None = None

    @classmethod
    def of(cls, classifier: BaseClassifier) -> Classifier:
        """Return the same classifier as users hold it."""
        if isinstance(classifier, cls):
            return classifier
        made = cls.__new__(cls)
        made.__dict__.update(instance_of(BaseClassifier, classifier, "classifier").__getstate__())
        return made

    def with_units(self, units: Mapping[str, str]) -> Classifier:
        """Return the same classifier with units for columns of numbers, ``{"age": "years"}``, shown in texts.

        Decisions and states stay what they are. A feature whose states are not intervals of numbers has none.
        """
        from bnc2d.model.units import with_units

        made = Classifier.of(with_units(self, units))
        made.training = self.training
        return made

    def compile(
        self,
        *,
        method: Method = "fast",
        time_limit: float | None = None,
        memory_limit: int | None = None,
        arithmetic: Arithmetic = "certified",
        progress: Callable[[str, float], object] | bool | None = None,
        executor: Executor | None = None,
        jobs: int = 1,
        early: Early | None = None,
    ) -> CompiledModel:
        """Return the model with every class as an OR-decomposable formula (see ``compile_classifier``).

        ``jobs`` threads share the work; the result is the same, byte by byte. Where a limit ends it,
        ``explain`` answers without compiling.
        """
        from bnc2d.compile.compiler import compile_classifier

        try:
            compiled = compile_classifier(
                self,
                method=method,
                time_limit=time_limit,
                memory_limit=memory_limit,
                arithmetic=arithmetic,
                progress=progress,
                executor=executor,
                jobs=jobs,
                early=early,
            )
        except LimitExceeded as error:
            raise type(error)(f"{error}; {_WAY_OUT}") from None
        return CompiledModel.of(compiled)

    def decides(
        self, region: Mapping[str, object], towards: Label | None = None, time_limit: float | None = None
    ) -> Decided:
        """Return whether every instance of a region is in class ``towards``; nothing is compiled.

        The region maps features to the state, or the states, that they may have; features that it leaves out
        may have any. Without ``towards``, the question is whether all of them are decided alike, and the
        answer says how. The answer is exact: proved, or refuted by an instance, or open where the time limit
        (seconds) comes first.

        Where features cover all that touches the target (naive Bayes, TAN and the like), or hidden variables
        leave small tables, time grows with the width of the tables and hardly with the number of features.
        Otherwise regions are split until bounds settle them, which can take long.
        """
        from bnc2d.regions.decides import decides

        return decides(self, lambda: self._bounds, region, towards, time_limit)

    def check(
        self,
        rules: str | Iterable[str],
        towards: Label | None = None,
        time_limit: float | None = None,
        given: str | Mapping[str, object] | None = None,
    ) -> RuleCheck:
        """Return whether all instances obey rules (see ``CompiledModel.check``); nothing is compiled.

        A rule over features and decision is a question about regions (see ``decides``) for each way in which
        the features that it mentions can break it. Rules about two instances split regions at the features
        that stay equal. Every answer is exact; rules that the time limit (seconds) comes before are open, and
        say what share is settled. Only instances that satisfy ``given``, a text or a region, count.
        """
        from bnc2d.explain.whole.rules.checking import check_rules

        return check_rules(self, self._rule_route(), rules, towards, time_limit, given)

    def is_independent(
        self,
        features: str | Iterable[str],
        given: str | Mapping[str, object] | None = None,
        *,
        time_limit: float | None = None,
    ) -> RuleResult:
        """Return whether no change of features alone changes a decision (see ``CompiledModel``)."""
        from bnc2d.explain.whole.rules.checking import check_independence

        return check_independence(self, self._rule_route(), features, given, time_limit)

    def is_coherent(
        self,
        order: Sequence[str] | None = None,
        features: str | Iterable[str] | None = None,
        given: str | Mapping[str, object] | None = None,
        *,
        time_limit: float | None = None,
    ) -> RuleResult:
        """Return whether a change of one feature leads to a neighbouring class (see ``CompiledModel``)."""
        from bnc2d.explain.whole.rules.checking import check_coherence

        return check_coherence(self, self._rule_route(), order, features, given, time_limit)

    def threshold_interval(self, *, time_limit: float | None = None) -> ThresholdInterval:
        """Return the thresholds with which every decision stays (see ``CompiledModel``).

        The classifier is compiled only where it has more than 2^16 instances.
        """
        from bnc2d.explain.whole.sensitivity.ranges import threshold_interval
        from bnc2d.explain.whole.sensitivity.search import Subject

        return threshold_interval(Subject(self), time_limit)

    def entry_interval(
        self,
        variable: str,
        state: Label,
        given: Mapping[str, Label] | None = None,
        *,
        time_limit: float | None = None,
    ) -> EntryInterval:
        """Return the values of a table entry with which every decision stays (see ``CompiledModel``)."""
        from bnc2d.explain.whole.sensitivity.ranges import entry_interval
        from bnc2d.explain.whole.sensitivity.search import Subject

        return entry_interval(Subject(self), variable, state, given, time_limit)

    def sensitivity(self, limit: int | None = 10, *, time_limit: float | None = None) -> Sensitivity:
        """Return the table entries that can move least before a decision changes (see ``CompiledModel``)."""
        from bnc2d.explain.whole.sensitivity.ranges import sensitivity
        from bnc2d.explain.whole.sensitivity.search import Subject

        return sensitivity(Subject(self), limit, time_limit)

    def _rule_route(self) -> RegionRoute:
        from bnc2d.explain.whole.rules.by_regions import RegionRoute

        return RegionRoute(self, lambda: self._bounds)

    def explain(
        self,
        instance: OneInstance,
        fixed: Iterable[str] = (),
        time_limit: float | None = None,
        given: object = None,
        *,
        allowed: Changes = None,
        forbidden: Changes = None,
        order: Orders = None,
    ) -> Explanation:
        """Return the explanation of the decision on one instance; nothing is compiled.

        Reasons are those of ``compile().explain(instance, fixed)``, found by questions about regions (see
        ``decides``), so the number of features is no obstacle. ``time_limit`` (seconds) holds for the
        decision, which has 0.7 s at least, and for each thing asked of the explanation that is given no
        other. Where features are missing, the classifier over the known ones is explained. ``given`` is a
        constraint in the forms of ``CompiledModel.given``: only instances that satisfy it count, and reasons
        are those of ``compile().given(constraint).explain(instance, fixed)``. ``allowed``, ``forbidden`` and
        ``order`` say what features may change to, as in ``CompiledModel.explain``.

        Several threads may ask one classifier, but one at a time an explanation.
        """
        from bnc2d.api.explanation import Explanation
        from bnc2d.explain.changes.allowed import MayChange

        may = MayChange(allowed, forbidden, order)
        return Explanation(self._route(given), instance, fixed, time_limit, may=may)

    def _route(self, given: object) -> NetworkRoute:
        """Return what explains instances under a constraint (None: there is none)."""
        from bnc2d.explain.routes import NetworkRoute

        if given is None:
            return NetworkRoute(self, self._oracle)
        if self._given is None or not isinstance(given, str) or self._given[0] != given:
            from bnc2d.compile.zeros.constraint import allowed_instances

            self._given = given, NetworkRoute(self, self._oracle, *allowed_instances(self, given))
        return self._given[1]

    @overload
    def explain_many(
        self,
        rows: pd.DataFrame,
        executor: Executor | None = None,
        given: object = None,
        **options: Unpack[ManyOptions],
    ) -> pd.DataFrame: ...
    @overload
    def explain_many(
        self,
        rows: Instance | Instances | StateArray | pd.Series[Any],
        executor: Executor | None = None,
        given: object = None,
        **options: Unpack[ManyOptions],
    ) -> list[Row]: ...
    def explain_many(
        self,
        rows: AnyInstances,
        executor: Executor | None = None,
        given: object = None,
        **options: Unpack[ManyOptions],
    ) -> list[Row] | pd.DataFrame:
        """Return the reasons for many decisions, spread over an executor; nothing is compiled.

        ``given`` as for ``explain``; other options and answers are those of ``CompiledModel.explain_many``
        (see ``batch.explain_many``).
        """
        from bnc2d.explain.batch import explain_many

        return explain_many(self._route(given), rows, executor, **options)

    @overload
    def scores_many(
        self,
        rows: pd.DataFrame,
        kind: ScoreKind,
        distribution: AnyDistribution = None,
        executor: Executor | None = None,
        given: object = None,
        **options: Unpack[ScoreManyOptions],
    ) -> pd.DataFrame: ...
    @overload
    def scores_many(
        self,
        rows: Instance | Instances | StateArray | pd.Series[Any],
        kind: ScoreKind,
        distribution: AnyDistribution = None,
        executor: Executor | None = None,
        given: object = None,
        **options: Unpack[ScoreManyOptions],
    ) -> list[Scores]: ...
    def scores_many(
        self,
        rows: AnyInstances,
        kind: ScoreKind,
        distribution: AnyDistribution = None,
        executor: Executor | None = None,
        given: object = None,
        **options: Unpack[ScoreManyOptions],
    ) -> list[Scores] | pd.DataFrame:
        """Return the scores of many decisions; nothing is compiled (see ``scores_many``).

        Occurrence and responsibility come from the reasons, or have bounds. Shapley and Banzhaf values take
        few instances (65,536), which are all asked once; beyond that, ``compile()`` has them. ``given`` as
        for ``explain``.
        """
        from bnc2d.explain.scores.many import scores_many

        return scores_many(self._route(given), rows, kind, distribution, executor, **options)

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what was found about regions: a copy finds it again."""
        found = {"_oracle", "_bounds", "_given"}
        return {name: value for name, value in super().__getstate__().items() if name not in found}

    @cached_property
    def _oracle(self) -> NetworkOracle:
        from bnc2d.regions.oracle import NetworkOracle

        return NetworkOracle(self, lambda: self._bounds)

    @cached_property
    def _bounds(self) -> Bounds:
        """What is known of regions; made when one is first asked about."""
        from bnc2d.regions.decides import bounds_of

        return bounds_of(self)

    def _repr_html_(self) -> str:
        from bnc2d.report.notebook import classifier_html

        return classifier_html(self)
