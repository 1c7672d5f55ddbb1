"""Scores as a picture: a bar for each feature, and what the numbers are."""

from __future__ import annotations

from functools import partial

from bnc2d.base.finding import decision_words
from bnc2d.base.readers.arguments import wrong
from bnc2d.draw.chart import WIDTH, Chart
from bnc2d.draw.score_bars import ScoreBar, ScoreBars, draw_score_bars
from bnc2d.draw.theme import Theme
from bnc2d.explain.scores.html import first_and_rest
from bnc2d.explain.scores.numbers import shown_number
from bnc2d.explain.scores.scores import Scores

_MOST_BARS = 30
_NAMES = {
    "occurrence": "occurrence in reasons",
    "responsibility": "responsibility",
    "shapley": "Shapley values",
    "banzhaf": "Banzhaf values",
}
_OVER = {
    "shapley": "all orders in which features become known",
    "banzhaf": "all sets of other features that are known",
}
_DRAWN = {"uniform": "with all states alike", "columns": "by the columns of the rows given"}


def score_chart(scores: Scores, *, width: int = WIDTH, theme: Theme = "auto") -> Chart:
    """Return a picture of ``scores``, as ``e.scores(kind)`` gives them: the largest first, 30 at most.

    Numbers below zero go to the left; a line shows between which numbers one lies that is not known. Many
    features without a score are counted in one line.
    """
    if not isinstance(scores, Scores):
        raise wrong("scores", scores, "what e.scores(kind) returns")
    names, rest = first_and_rest(scores, _MOST_BARS)
    bars = [
        ScoreBar(
            name,
            float(scores[name]),
            shown_number(scores[name]).replace("-", "\N{MINUS SIGN}"),
            None if scores.bounds is None else (float(scores.bounds[name][0]), float(scores.bounds[name][1])),
        )
        for name in names
    ]
    title = f"{scores.target} = {decision_words(scores.decision)}: {_NAMES[scores.kind]}"
    told = [*([rest] if rest else []), *scores.notes()]
    notes = [f"{note[0].upper()}{note[1:]}.".replace(" - ", " \N{MINUS SIGN} ") for note in told]
    chart = ScoreBars(title, _lead(scores), bars, notes, str(scores))
    return Chart(title, str(scores), width, theme, _draw=partial(draw_score_bars, chart))


def _lead(scores: Scores) -> str:
    """Return what the numbers are, in a sentence."""
    if scores.kind == "occurrence":
        of = "the sufficient reasons" if scores.reasons is None else _counted(scores.reasons)
        if scores.weighted:
            return f"What the feature gets of {of} on the average, each shared out evenly among its features."
        return f"The share of {of} that have the feature."
    if scores.kind == "responsibility":
        return (
            "1 / the number of features in the smallest necessary reason that has the feature: 1 where it "
            "can change the decision alone, 0 where no reason has it."
        )
    asked = scores.decision if scores.towards is None else scores.towards
    what = "the probability that" if scores.of == "decision" else "the mean posterior of"
    of = f"{what} {scores.target} = {decision_words(asked)}"
    drawn = _DRAWN.get(str(scores.distribution), "by the marginals given")
    return (
        f"What knowing the feature adds to {of}, on the average over {_OVER[scores.kind]}, what is not known "
        f"being drawn {drawn}."
    )


def _counted(reasons: int) -> str:
    return f"the {reasons:,} sufficient reason{'' if reasons == 1 else 's'}"
