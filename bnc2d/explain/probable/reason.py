"""A probable reason: what is kept of an instance, and with which probability that keeps its decision."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bnc2d.explain.missing.words import percent
from bnc2d.logic.terms import Term


@dataclass(frozen=True)
class ProbableReason:
    """Feature values of an instance, a ``term``, that keep its decision with a ``probability``, exactly.

    Other features are drawn. ``wanted`` is the probability that was asked for: this one is at least as large.
    Without any single one of its features it is smaller; ``proved_minimal`` says whether it is proved to be
    smaller for every set of fewer of them, too, which does not follow, since a set may keep a decision more
    surely than a larger one. ``least`` is a number of features that every set needs: proved.
    """

    term: Term
    probability: Fraction
    wanted: Fraction
    proved_minimal: bool = True
    least: int = 0

    @property
    def features(self) -> tuple[str, ...]:
        """The features that are kept, in the order of the domain."""
        return self.term.features

    @property
    def proved_shortest(self) -> bool:
        """Whether no set of fewer features keeps the decision with the probability wanted: proved."""
        return len(self.term) <= self.least

    def __len__(self) -> int:
        return len(self.term)

    def __bool__(self) -> bool:
        return True

    def __str__(self) -> str:
        return f"{self.term} (probability {percent(self.probability)})"

    def _repr_html_(self) -> str:
        """Return the term with its probability on one line."""
        return f"{self.term._repr_html_()} (probability {percent(self.probability)})"
