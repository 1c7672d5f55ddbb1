"""``e.scores``: checks what is asked, finds who answers, and puts the numbers together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypedDict

from bnc2d.base.budget import Budget, Progress
from bnc2d.base.readers.arguments import flag, named, one_of
from bnc2d.base.readers.choices import GAMES, SCORE_KINDS, ScoreKind, ScoreOf
from bnc2d.base.scales import Label
from bnc2d.compile.shares.distribution import AnyDistribution
from bnc2d.errors import ArgumentError, ClassifierError, did_you_mean
from bnc2d.explain.routes import Route
from bnc2d.explain.scores import by_reasons
from bnc2d.explain.scores.asked import Asked
from bnc2d.explain.scores.games import Drawn, Game, limited
from bnc2d.explain.scores.numbers import Bounds, Score
from bnc2d.explain.scores.scores import Scores
from bnc2d.model.classifier import BaseClassifier

REASON_SECONDS = 10.0  # for the reasons, unless the user says otherwise


class ScoreOptions(TypedDict, total=False):
    """The options of ``e.scores``."""

    towards: Label | None
    of: ScoreOf
    weighted: bool
    exact: bool | None
    time_limit: float | None


class ScoreManyOptions(ScoreOptions, total=False):
    """The options of ``scores_many``."""

    progress: Progress
    chunk_size: int | None


class Scored(NamedTuple):
    """What is found of one instance; of the scores of reasons the bounds, of games what belongs to these."""

    numbers: Sequence[Score]
    bounds: Sequence[Bounds] | None = None
    reasons: int | None = None
    error: float = 0.0
    baseline: Score | None = None
    value: Score | None = None


class Question:
    """What is asked about decisions, checked; ``whole`` is the classifier over all features."""

    def __init__(
        self,
        whole: BaseClassifier,
        kind: ScoreKind,
        distribution: AnyDistribution = None,
        *,
        towards: Label | None = None,
        of: ScoreOf = "decision",
        weighted: bool = False,
        exact: bool | None = None,
    ) -> None:
        if not isinstance(kind, str) or kind not in SCORE_KINDS:
            raise ArgumentError(f"unknown kind of scores {named(kind)}{did_you_mean(kind, SCORE_KINDS)}")
        one_of(of, ("decision", "posterior"), "of")
        self.kind, self.of = kind, of
        self.weighted = flag(weighted, "weighted")
        self.exact = None if exact is None else flag(exact, "exact")
        self.is_game = kind in GAMES
        if self.is_game:
            if self.weighted:
                raise ArgumentError(f"weighted=True is for kind='occurrence', not for {kind!r}")
            self.drawn = Drawn(whole, distribution)
            self.towards = None if towards is None else whole.label(towards)
            return
        self.towards = None
        if weighted and kind != "occurrence":
            raise ArgumentError(f"weighted=True is for kind='occurrence', not for {kind!r}")
        for name, value in (("distribution", distribution), ("towards", towards)):
            if value is not None:
                raise ArgumentError(
                    f"{name} is for kind='shapley' and 'banzhaf'; {kind!r} rests on reasons alone"
                )
        if of != "decision":
            raise ArgumentError(f"of={of!r} is for kind='shapley' and 'banzhaf', not for {kind!r}")
        if self.exact is False:
            raise ArgumentError(f"exact=False is for kind='shapley' and 'banzhaf'; {kind!r} has fractions")

    def about(self, asked: Asked, time_limit: float | None) -> Scores:
        """Return the answer, within so many seconds."""
        return self._game(asked, time_limit) if self.is_game else self._reasons(asked, time_limit)

    def _reasons(self, asked: Asked, time_limit: float | None) -> Scores:
        budget = Budget(REASON_SECONDS if time_limit is None else time_limit)
        budget.left()  # it runs from here on
        if self.kind == "occurrence":
            found = by_reasons.occurrence(asked.case, budget, weighted=self.weighted)
        else:
            found = by_reasons.responsibility(asked.case, budget)
        return self.scores(asked.route, asked.label, Scored(found.numbers, found.bounds, found.reasons))

    def _game(self, asked: Asked, time_limit: float | None) -> Scores:
        route, names = asked.route, asked.route.domain.names
        label = asked.label if self.towards is None else self.towards
        self.check_label(route, asked.label)
        marginals = limited(self.drawn.over(names), asked.row, asked.held, asked.box, names)
        game = Game(route, self.kind, asked.row, label, marginals, self.of)
        with Budget(time_limit).limiting(f"the {self.kind} values are not known"):
            numbers, error, baseline = game.played(self.exact)
            value = game.with_all_held(exact=not error)
        return self.scores(route, asked.label, Scored(numbers, None, None, error, baseline, value))

    def check_label(self, route: Route, label: int) -> None:
        """Refuse where what the values are of is not known for an instance with this label."""
        if self.of == "posterior" and self.towards is None and label >= len(route.classifier.classes):
            raise ClassifierError("the instance is in no class, which has no posterior; name one: towards=")

    def scores(self, route: Route, label: int, found: Scored) -> Scores:
        """Return what was found of an instance with a label, with all that was asked."""
        names = route.domain.names
        return Scores(
            self.kind,
            route.classifier.target,
            route.decisions[label],
            dict(zip(names, found.numbers, strict=True)),
            None if found.bounds is None else dict(zip(names, found.bounds, strict=True)),
            error=found.error,
            distribution=self.drawn.name if self.is_game else None,
            towards=None if self.towards is None else route.decisions[self.towards],
            of=self.of if self.is_game else None,
            weighted=self.weighted,
            baseline=found.baseline,
            value=found.value,
            reasons=found.reasons,
        )
