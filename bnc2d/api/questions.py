"""Questions about a compiled classifier as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, overload

from bnc2d.base.readers.instances import OneInstance
from bnc2d.base.readers.numbers import Number
from bnc2d.base.scales import Label
from bnc2d.compile.model import BaseCompiledModel, decisions

if TYPE_CHECKING:  # loaded when asked for
    from bnc2d.api.profile import RobustnessProfile
    from bnc2d.compile.shares.distribution import AnyDistribution
    from bnc2d.explain.changes.allowed import Changes, Orders
    from bnc2d.explain.changes.nearest import Nearest
    from bnc2d.explain.changes.prices import Costs
    from bnc2d.explain.routes import Route
    from bnc2d.explain.whole.bias import Bias
    from bnc2d.explain.whole.compare import Comparison, Equivalence
    from bnc2d.explain.whole.monotone import Monotone
    from bnc2d.explain.whole.rules.checking import RuleRoute
    from bnc2d.explain.whole.rules.results import RuleCheck, RuleResult
    from bnc2d.explain.whole.sensitivity.results import EntryInterval, Sensitivity, ThresholdInterval


class Questions(BaseCompiledModel):
    """A compiled model that answers questions about all instances that count."""

    def check(
        self, rules: str | Iterable[str], towards: Label | None = None, time_limit: float | None = None
    ) -> RuleCheck:
        """Return whether all instances obey rules, with an instance, or two, for each rule that some break.

        Rules are formulas in the language of constraints that also mention the decision, by the name of the
        target or as ``class``: ``"if A=1 and B in {x,y} then class in {0,1}"``; or sentences about any two
        instances: ``class does not depend on A, B``, ``class changes by at most one step [under a change of
        A, B] [in the order x, y, z]``, ``raising A, B never lowers the class``, ``raising A never leads out
        of class c``, each also after ``if … then`` with a condition that both satisfy. Several rules are
        apart by ``;`` or a new line, or come as a list of texts. An instance in no class has none of the
        classes.

        With ``towards``, each rule is a condition over features alone, and the claim is that every instance
        that satisfies it is in this class. Rules that the time limit (seconds) comes before are open.
        """
        from bnc2d.explain.whole.rules.checking import check_rules

        return check_rules(self.classifier, self._rule_route(), rules, towards, time_limit)

    def is_independent(
        self,
        features: str | Iterable[str],
        given: str | Mapping[str, object] | None = None,
        *,
        time_limit: float | None = None,
    ) -> RuleResult:
        """Return whether no change of features alone changes a decision, with a pair where one does.

        ``given`` is a condition, as a text, or a region, a mapping from feature to states: only pairs of
        which both instances satisfy it count. The result is open where the time limit (seconds) came first.
        """
        from bnc2d.explain.whole.rules.checking import check_independence

        return check_independence(self.classifier, self._rule_route(), features, given, time_limit)

    def is_coherent(
        self,
        order: Sequence[str] | None = None,
        features: str | Iterable[str] | None = None,
        given: str | Mapping[str, object] | None = None,
        *,
        time_limit: float | None = None,
    ) -> RuleResult:
        """Return whether a change of one feature leads only to the same or a neighbouring class.

        Classes are ordered as listed, or as ``order`` lists all of them. ``features`` are those that may
        change, by default all; ``given`` is as in ``is_independent``. Instances in no class do not count. A
        pair refutes it; the result is open where the time limit (seconds) came first.
        """
        from bnc2d.explain.whole.rules.checking import check_coherence

        return check_coherence(self.classifier, self._rule_route(), order, features, given, time_limit)

    def _rule_route(self) -> RuleRoute:
        from bnc2d.explain.whole.rules.by_diagram import DiagramRoute

        return DiagramRoute(self.diagram, decisions(self))

    @overload
    def nearest(
        self,
        instance: OneInstance,
        towards: Label | None = None,
        *,
        fixed: str | Iterable[str] = (),
        weights: Mapping[str, Number] | None = None,
        allowed: Changes = None,
        forbidden: Changes = None,
        order: Orders = None,
        costs: Costs | None = None,
        limit: None = None,
        time_limit: float | None = None,
    ) -> Nearest: ...
    @overload
    def nearest(
        self,
        instance: OneInstance,
        towards: Label | None = None,
        *,
        fixed: str | Iterable[str] = (),
        weights: Mapping[str, Number] | None = None,
        allowed: Changes = None,
        forbidden: Changes = None,
        order: Orders = None,
        costs: Costs | None = None,
        limit: int,
        time_limit: float | None = None,
    ) -> list[Nearest]: ...
    def nearest(
        self,
        instance: OneInstance,
        towards: Label | None = None,
        *,
        fixed: str | Iterable[str] = (),
        weights: Mapping[str, Number] | None = None,
        allowed: Changes = None,
        forbidden: Changes = None,
        order: Orders = None,
        costs: Costs | None = None,
        limit: int | None = None,
        time_limit: float | None = None,
    ) -> Nearest | list[Nearest]:
        """Return the nearest instance of class ``towards``, by default the nearest decided otherwise.

        Nearest means the fewest features changed or, with ``weights`` or ``costs``, the least sum of them.
        ``weights`` has a number a feature; ``costs`` has for a feature a number, or a mapping from the state
        that it changes to, or from a pair of states (from, to), to a number. What has none costs 1. Features
        in ``fixed`` keep their states; ``allowed``, ``forbidden`` and ``order`` say what others may change
        to, as in ``explain``. "Decided otherwise" includes "in no class". Among equally near ones the answer
        is the same on every run. The result is false where no change leads there. Linear in the size of the
        decision diagram.

        With a ``limit`` the answer is a list of at most so many different ways out, nearest first: each is
        the nearest that does not change all the features of one before it, so that it is still open if some
        feature of each cannot change. Of equally near ones that with fewer changes comes first, then that
        which changes the earlier feature. Past the time limit (seconds) it raises ``LimitExceeded``.
        """
        from bnc2d.explain.changes.allowed import MayChange
        from bnc2d.explain.changes.nearest import NearestSearch

        may = MayChange(allowed, forbidden, order)
        search = NearestSearch(self, instance, towards, fixed, weights, costs, may)
        return search.one(time_limit) if limit is None else search.several(limit, time_limit)

    def is_biased(
        self,
        protected: str | Iterable[str],
        instance: OneInstance | None = None,
        *,
        distribution: AnyDistribution = None,
        time_limit: float | None = None,
    ) -> Bias:
        """Return whether a change of protected features alone can change a decision, with a pair that does.

        With ``instance``: whether it can change the decision on it; the second of the pair is the nearest
        such change. Without: whether it can on any instance, and on which share of them, weighed by a
        ``distribution`` as in ``shares``; its rows must be complete. The verdict on any instance is read off
        the diagram. Counting follows sets of nodes, as many as there are ways to set the protected features
        in the worst case, and raises ``LimitExceeded`` at the time limit (seconds).
        """
        from bnc2d.explain.whole.bias import is_biased

        return is_biased(self, protected, instance, distribution, time_limit)

    def is_monotone(
        self,
        features: str | Iterable[str],
        order: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        *,
        towards: Label | None = None,
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

    def robustness_profile(
        self,
        distribution: AnyDistribution = None,
        *,
        towards: Label | None = None,
        time_limit: float | None = None,
    ) -> RobustnessProfile:
        """Return how many instances of each class are 1, 2, 3 ... features away from another decision.

        The numbers are exact; with them come the mean, the least and the largest distance of each class and
        of all, and an instance for each distance. With ``towards`` it is the distance from that class, of the
        instances of the other classes. A ``distribution`` weighs instances as in ``shares``; its rows must be
        complete, and counts are then of rows. "Another decision" includes "in no class"; under a constraint,
        only instances that satisfy it count, as starts and as ends, but not what lies between them.

        One diagram a class leads each instance to its distance. Where the time limit (seconds) or the size of
        diagrams ends it, the answer is exact up to the distances it names, and ``complete`` is False.
        """
        from bnc2d.api.profile import RobustnessProfile
        from bnc2d.explain.whole.profile.making import robustness_profile

        return RobustnessProfile(**vars(robustness_profile(self, distribution, towards, time_limit)))

    def probability_of_decision(
        self,
        partial: OneInstance,
        decision: Label | None = None,
        distribution: AnyDistribution = None,
        *,
        time_limit: float | None = None,
    ) -> Fraction:
        """Return the probability of a decision if only some features are known, and the others are drawn.

        By default it is the decision on the partial instance itself, as ``predict`` gives it: whether it
        stays if all features become known. ``distribution`` is as in ``shares``, given what is known and the
        constraint: ``"network"`` gives the same-decision probability; rows must be complete. Exact. It is an
        error where nothing with these states has any weight. Past the time limit (seconds), or where tables
        grow too large, it raises ``LimitExceeded``.
        """
        from bnc2d.explain.probable.question import decision_probability

        return decision_probability(self, self._route(), partial, decision, distribution, time_limit)

    def _route(self) -> Route:
        """Return what answers questions about instances."""
        raise NotImplementedError

    def threshold_interval(self, *, time_limit: float | None = None) -> ThresholdInterval:
        """Return the thresholds with which every decision stays, and which change first beyond.

        Exact: the ends are the largest posterior of the positive class up to the threshold and the smallest
        above it, over all instances that count. Up to 2^16 instances are looked at one by one; where there
        are more, the classifier is compiled again at each flip found, until none comes earlier. Past the
        time limit (seconds) the interval is open, with bounds on both sides.
        """
        from bnc2d.explain.whole.sensitivity.ranges import threshold_interval
        from bnc2d.explain.whole.sensitivity.search import Subject

        return threshold_interval(Subject(self.classifier, self), time_limit)

    def entry_interval(
        self,
        variable: str,
        state: Label,
        given: Mapping[str, Label] | None = None,
        *,
        time_limit: float | None = None,
    ) -> EntryInterval:
        """Return the values of ``P(variable = state | given)`` with which every decision stays.

        ``given`` has a state of each parent of the variable. The other entries of the column share what this
        one leaves in the proportions that they have now, equally where it is 1. The answer, its limits and
        how it is found are those of ``threshold_interval``.
        """
        from bnc2d.explain.whole.sensitivity.ranges import entry_interval
        from bnc2d.explain.whole.sensitivity.search import Subject

        return entry_interval(Subject(self.classifier, self), variable, state, given, time_limit)

    def sensitivity(self, limit: int | None = 10, *, time_limit: float | None = None) -> Sensitivity:
        """Return the table entries that can move least before a decision changes, the narrowest first.

        At most ``limit`` of them (None: all that matter), each as ``entry_interval`` gives it; of a variable
        with two states one entry of each column, as the other says the same. The time limit (seconds) is
        shared evenly among all entries.
        """
        from bnc2d.explain.whole.sensitivity.ranges import sensitivity
        from bnc2d.explain.whole.sensitivity.search import Subject

        return sensitivity(Subject(self.classifier, self), limit, time_limit)

    def equivalent(self, other: BaseCompiledModel, *, time_limit: float | None = None) -> Equivalence:
        """Return whether another model decides alike, with a witness (see ``compare.equivalent``)."""
        from bnc2d.explain.whole.compare import equivalent

        return equivalent(self, other, time_limit=time_limit)

    def compare(self, other: BaseCompiledModel, *, time_limit: float | None = None) -> Comparison:
        """Return what another model decides differently, in exact numbers (see ``compare.compare``)."""
        from bnc2d.explain.whole.compare import compare

        return compare(self, other, time_limit=time_limit)
