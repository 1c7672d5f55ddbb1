"""The words that options take, each list once: for annotations, for checks and for the command line."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from bnc2d.base.readers.arguments import named
from bnc2d.errors import ClassifierError

# How a classifier is compiled (see ``compile_classifier``).
Method: TypeAlias = Literal["fast", "paper", "block-order", "enumerate"]
Arithmetic: TypeAlias = Literal["certified", "float"]
# What decides a partial instance in the paper's method.
Early: TypeAlias = Literal["signs", "intervals", "rays"]
# Whether a tied instance is in the class listed first or in none.
Ties: TypeAlias = Literal["lowest", "none"]
# What a decision rests on (see ``Basis``).
DecidedBy: TypeAlias = Literal["posterior", "tie rule", "threshold rule"]
# Reasons of ``explain_many``, and what ends a list of reasons early.
ReasonKind: TypeAlias = Literal["sufficient", "necessary", "general_sufficient", "general_necessary"]
Cut: TypeAlias = Literal["limit", "time"]
# Numbers for features (see ``Scores``), whose values those of games are, and all that ``explain_many`` gives.
ScoreKind: TypeAlias = Literal["occurrence", "responsibility", "shapley", "banzhaf"]
ScoreOf: TypeAlias = Literal["decision", "posterior"]
ExplainKind: TypeAlias = Literal[ReasonKind, ScoreKind]

METHODS: tuple[Method, ...] = get_args(Method)
ARITHMETICS: tuple[Arithmetic, ...] = get_args(Arithmetic)
EARLY: tuple[Early, ...] = get_args(Early)
TIES: tuple[Ties, ...] = get_args(Ties)
REASON_KINDS: tuple[ReasonKind, ...] = get_args(ReasonKind)
SCORE_KINDS: tuple[ScoreKind, ...] = get_args(ScoreKind)
GAMES: tuple[ScoreKind, ...] = ("shapley", "banzhaf")  # of the scores those that are values of games
EXPLAIN_KINDS: tuple[ExplainKind, ...] = get_args(ExplainKind)


def read_method(value: object) -> Method:
    """Return the name of a method; an unknown one is an error."""
    for method in METHODS:
        if isinstance(value, str) and value == method:
            return method
    raise ClassifierError(f"unknown method {named(value)}; the methods are {', '.join(map(repr, METHODS))}")
