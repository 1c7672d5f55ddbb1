"""``bnc2d.Explanation``: everything that can be asked about one decision, in sentences and as data, too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.readers.arguments import flag, names, seconds
from bnc2d.base.readers.arguments import limit as checked_limit
from bnc2d.base.readers.instances import OneInstance
from bnc2d.base.readers.numbers import Number
from bnc2d.base.scales import Label
from bnc2d.errors import LogicError, NotCompiledError
from bnc2d.explain.changes.allowed import MayChange
from bnc2d.explain.changes.prices import Costs, Prices
from bnc2d.explain.explanation import BaseExplanation
from bnc2d.explain.routes import CompiledRoute, Route
from bnc2d.logic.domain import FeatureId
from bnc2d.logic.terms import Term

if TYPE_CHECKING:
    from bnc2d.api.compiled_model import CompiledModel
    from bnc2d.base.readers.choices import ScoreKind, ScoreOf
    from bnc2d.compile.shares.distribution import AnyDistribution
    from bnc2d.draw.chart import Chart
    from bnc2d.draw.theme import Theme
    from bnc2d.explain.changes.nearest import Nearest
    from bnc2d.explain.probable.question import Drawn, Question
    from bnc2d.explain.probable.reason import ProbableReason
    from bnc2d.explain.scores.scores import Scores
    from bnc2d.logic.primes.stream import Primes
    from bnc2d.logic.terms import Term
    from bnc2d.report.records import ExplanationData


class Explanation(BaseExplanation):
    """Why a classifier decides one instance as it does.

    ``classifier``, ``instance`` (feature to state), ``decision`` (a class, or None where the instance is in
    no class), ``target``, ``fixed`` and ``allowed`` (features whose changes are limited, and to which states)
    say what is explained; ``missing`` names features whose states are not known: the others decide, and
    reasons are about them (see ``if_known``). ``possible`` and ``decided_by`` say whether the instance can be
    met at all, and what decided it. Reasons are those of Zhang and Darwiche (2026):

    - *sufficient reasons*: minimal parts of the instance that fix the decision whatever else changes;
    - *necessary reasons*: minimal parts that, given up together, can change the decision;
    - *general* ones have sets of states as literals: as weak, or as strong, as they can be. Violating a
      general necessary reason in any way, changing only its features, changes the decision.

    Lists of reasons are lazy iterators. ``complete`` says whether all were given, ``cut`` what ended them
    early (``"limit"`` or ``"time"``), and ``ordered`` whether they come shortest first, and then in the order
    of the features: so they do unless the model is large around the instance, or there are very many; then in
    another order, whose first member the diagram gives at once. The order depends on model and instance
    alone: a list that a limit or time ends is the beginning of the whole one, and has at least one reason, if
    there is any.

    ``avoid`` names features that reasons had better not have, and ``tiers`` lists features by tier, the best
    first; features not named are a tier after these, and those to avoid the last. The lists then have the
    same reasons in another order: those whose worst feature is of a better tier come first.

    An explanation of ``Classifier.explain`` asks the network itself, not a compiled ``model``: the reasons
    are the same, as they are found. What needs a formula raises ``NotCompiledError``: ``complete_reason``,
    ``general_reason``, counts. Hidden variables can make questions hard: lists may then end without a reason,
    and a sufficient reason may have features that are not proved to be needed (see ``a_sufficient_reason``).

    >>> import bnc2d
    >>> model = bnc2d.Classifier(bnc2d.example("running"), "A", ["D", "E", "F"]).compile()
    >>> explanation = model.explain({"D": 1, "E": 0, "F": 1})
    >>> print(*explanation.sufficient_reasons(), sep="; ")
    ¬E; D ∧ F
    >>> print(*explanation.necessary_reasons(), sep="; ")
    D ∨ ¬E; ¬E ∨ F
    """

    def __init__(
        self,
        route: Route,
        instance: OneInstance,
        fixed: Iterable[str] = (),
        time_limit: float | None = None,
        model: CompiledModel | None = None,
        may: MayChange = MayChange(),  # noqa: B008 - does not change
    ) -> None:
        super().__init__(route, instance, fixed, time_limit, may)
        self._model = model

    @property
    def model(self) -> CompiledModel:
        """The compiled model; ``NotCompiledError`` where the network itself gives the explanation.

        Where features are missing, that of the classifier over the known ones.
        """
        if self.missing and self._model is not None and isinstance(self.route, CompiledRoute):
            return type(self._model).of(self.route.model)
        if self._model is None or self.missing:
            raise NotCompiledError("the model of an explanation")
        return self._model

    @property
    def caveat(self) -> str:
        """Where the posterior does not decide, a sentence with the rule that does; else empty."""
        from bnc2d.explain.text import caveat

        return caveat(self)

    def ways_out(
        self,
        limit: int | None = 5,
        towards: Label | None = None,
        *,
        costs: Costs | None = None,
        weights: Mapping[str, Number] | None = None,
        time_limit: float | None = None,
    ) -> list[Nearest]:
        """Return different ways to another decision, or to class ``towards``, ``limit`` of them at most.

        The nearest comes first; each next one is the nearest that does not change all the features of one
        before it, so that it is still open if some feature of each cannot change. ``costs`` and ``weights``
        as for ``CompiledModel.nearest``; where nothing is compiled, a cost for each state of a feature is a
        ``NotCompiledError``. Past the time limit (seconds) it raises ``LimitExceeded``.
        """
        from bnc2d.explain.changes.nearest import listed, reached

        label = self._label if towards is None else self.classifier.label(towards)
        prices = Prices(self.route.domain, self._positions, weights, costs, self._box)

        def search(kept: frozenset[FeatureId]) -> list[int] | None:
            if towards is not None and label == self._label:
                return list(self._positions)
            case = self.route.case(label, label == self._label, self._positions, self._held | kept)
            return case.nearest(None, prices)

        rows = listed(search, prices, limit, self._time(seconds(time_limit)))
        labels = self.route.labels(np.array(rows, dtype=np.intp)).tolist() if rows else []
        named = [self.route.decisions[label] for label in labels]
        return [reached(self.route.domain, prices, *found) for found in zip(rows, named, strict=True)]

    def probability(
        self,
        given: Iterable[str] | Mapping[str, object] = (),
        distribution: AnyDistribution = None,
        *,
        time_limit: float | None = None,
    ) -> Fraction:
        """Return the probability of this decision if only some features are known, and the others are drawn.

        ``given`` names features, which are then as in the instance, or is a term, or a mapping from feature
        to a state or to states that it has one of. What is drawn comes from a ``distribution`` as in
        ``CompiledModel.shares``, given all that is known, what is fixed, the allowed changes and the
        constraint; rows must be complete. Exact. It is an error where none of it has any weight. Where
        nothing is compiled, it takes rows, or a classifier of at most 16,384 instances. Past the time limit
        (seconds) it raises ``LimitExceeded``.
        """
        own, domain = self._case.instance_masks, self.route.domain
        if isinstance(given, Mapping):
            masks = dict(self._literals(Term, given).masks)
        else:
            chosen = [self._known(domain, name) for name in names(given, "given")]
            masks = {feature: own[feature] for feature in chosen}
        for feature in self._held:
            if not masks.get(feature, own[feature]) & own[feature]:
                raise LogicError(f"{domain.names[feature]!r} is fixed, so that it has no other state")
            masks[feature] = own[feature]
        with Budget(self._time(seconds(time_limit))).limiting("the probability is not known"):
            return self._drawn(distribution).known_probability(self._label, masks, "what is given")

    def probable_reasons(
        self,
        d: Number,
        distribution: AnyDistribution = None,
        *,
        limit: int | None = None,
        time_limit: float | None = None,
        shortest: bool = False,
    ) -> Primes[ProbableReason]:
        """Return the minimal sets of feature values that keep the decision with probability ``d`` or more.

        Other features are drawn from a ``distribution`` (see ``probability``). A set counts where no proper
        subset has that probability. The list is lazy, shortest first and then in the order of the features;
        with ``shortest`` it ends with the sets of the least size. For ``d = 1``, where every instance has a
        positive probability, these are the sufficient reasons, in their order. Sets that nothing in the
        distribution agrees with do not count, so that there may be none. Time (seconds) may end the list
        before its first set (``cut``); ``a_probable_reason`` gives one at once.
        """
        checked = flag(shortest, "shortest")
        question = self._probably(d, distribution)
        return question.listed(limit, self._time(seconds(time_limit)), checked)

    def a_probable_reason(
        self, d: Number, distribution: AnyDistribution = None, *, time_limit: float | None = None
    ) -> ProbableReason:
        """Return one set of feature values that keeps the decision with probability ``d`` or more, at once.

        None of its features can be given up alone. ``proved_minimal`` says whether no proper subset has the
        probability, which is found out unless there are many; the set need not be among the shortest. It is
        an error where there is none (see ``probable_reasons``).
        """
        return self._probably(d, distribution).one(self._time(seconds(time_limit)))

    def shortest_probable_reason(
        self, d: Number, distribution: AnyDistribution = None, *, time_limit: float | None = None
    ) -> ProbableReason:
        """Return the first of the smallest sets that keep the decision with probability ``d`` or more.

        Where the time limit (seconds) comes first, it is the best that is known: ``proved_shortest`` is then
        False, and ``least`` a number of features that every set needs. ``LimitExceeded`` where none is known.
        """
        return self._probably(d, distribution).shortest(self._time(seconds(time_limit)))

    def _drawn(self, distribution: object) -> Drawn:
        """Return the instances over the known features, as a distribution over all of them gives them."""
        from bnc2d.compile.shares.distribution import read_distribution
        from bnc2d.explain.probable.question import Drawn

        chosen = read_distribution(self.whole.classifier, distribution)
        if self.missing:
            known = [self.whole.domain.index(name) for name in self.instance]
            chosen = chosen.over(self.classifier, known)
        return Drawn(self.route, chosen)

    def _probably(self, d: object, distribution: object) -> Question:
        from bnc2d.explain.probable.question import Question, wanted_probability

        wanted = wanted_probability(d)
        return Question(self._drawn(distribution), self._case, self._label, wanted)

    def scores(
        self,
        kind: ScoreKind,
        distribution: AnyDistribution = None,
        *,
        towards: Label | None = None,
        of: ScoreOf = "decision",
        weighted: bool = False,
        exact: bool | None = None,
        time_limit: float | None = None,
    ) -> Scores:
        """Return a number for each feature (see ``Scores``).

        ``"occurrence"`` is the share of the sufficient reasons with the feature (``weighted``: each reason
        shares 1 out among its features), ``"responsibility"`` 1 / the size of the smallest necessary reason
        with it. Where not all reasons are known at the time limit (seconds; by default that of the
        explanation, or else 10) the scores have ``bounds``.

        ``"shapley"`` and ``"banzhaf"`` values are of the probability of the decision, or of class
        ``towards``, when features are as in the instance and the others drawn from a ``distribution`` of
        independent features: ``"uniform"`` (default), marginals, or rows, whose columns are the marginals;
        the network's own is none. ``of="posterior"`` takes the mean posterior of the class instead, where
        instances are few. ``exact`` gives fractions, or (False) floats with a bound of their error; by
        default what is quick. Fixed features are always as in the instance, and have 0; under allowed
        changes, features are drawn among the states that they may have. A constraint is refused.
        """
        from bnc2d.explain.scores.asking import Question

        limit, whole = self._time(seconds(time_limit)), self.whole.classifier
        question = Question(whole, kind, distribution, towards=towards, of=of, weighted=weighted, exact=exact)
        return question.about(self._asked, limit)

    def to_text(
        self,
        all: bool = False,  # noqa: A002 - reads best where it is called
        *,
        towards: Label | None = None,
        limit: int | None = None,
        time_limit: float | None = None,
    ) -> str:
        """Return one reason and a nearest change, then why, why not and what would change it, in sentences.

        Each line of a list has its formal reason beside it. The two shortest reasons a question are given,
        and how many more there are; with ``all`` up to 200. ``limit`` replaces these numbers. ``time_limit``
        is for the whole text, in seconds (5, with ``all`` 30): lists that it ends say so, and have one reason
        at least where a model is compiled. ``towards`` asks "why not" of that class alone.
        """
        name = None if towards is None else self._class(towards)
        everything, most = flag(all, "all"), checked_limit(limit)
        from bnc2d.explain.text import render, tell

        time_limit = self._time(seconds(time_limit))
        return render(*tell(self, everything=everything, towards=name, limit=most, time_limit=time_limit))

    def to_dict(
        self,
        *,
        towards: Label | None = None,
        limit: int | None = None,
        time_limit: float | None = None,
        formulas: bool = False,
        exact: bool = False,
    ) -> ExplanationData:
        """Return everything about the decision as plain data, ready for JSON; ``docs/json.md`` says the keys.

        ``limit`` holds for each list of reasons, ``time_limit`` (seconds) for all of them; ``cut`` and
        ``complete`` say whether they ended one. ``towards`` asks "why not" of that class alone. ``formulas``
        adds the complete and the general reason as nodes, which takes a compiled model, ``exact`` the
        posterior as fractions of any length.
        """
        from bnc2d.report.records import explanation_data

        wanted = flag(formulas, "formulas"), flag(exact, "exact")
        budget = Budget(self._time(seconds(time_limit)))
        return explanation_data(self, towards, checked_limit(limit), budget, *wanted)

    def figure(
        self,
        reason: Term | Mapping[str, object] | None = None,
        towards: str | None = None,
        *,
        width: int = 680,
        theme: Theme = "auto",
        time_limit: float | None = None,
    ) -> Chart:
        """Return a picture of the decision: a bar for each feature, with what keeps the decision shaded.

        Shaded is one general sufficient reason: the widest over the features of the shortest sufficient
        reason, or the ``reason`` that is asked for, which must be enough (else ``LogicError``). A dot marks
        each value, an arrow the nearest way to another decision, or to class ``towards``. With more than 12
        features, those that neither needs are counted in one line. What is not known at the time limit
        (seconds, by default 5) is left out, and the picture says so.

        ``width`` is in pixels (360 for a phone), ``theme`` is ``"light"``, ``"dark"`` or, following the page
        and the reader's system, ``"auto"``; a notebook shows the picture as it is, ``save("x.svg")`` and
        ``save("x.png")`` write it.
        """
        from bnc2d.report.picture import decision_chart

        name = None if towards is None else self._class(towards)
        limit = self._time(seconds(time_limit))
        return decision_chart(self, reason, name, width, theme, limit)

    def _repr_html_(self) -> str:
        from bnc2d.report.notebook import explanation_html

        return explanation_html(self)
