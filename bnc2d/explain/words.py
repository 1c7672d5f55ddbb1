"""What a decision and its reasons are called in sentences."""

from __future__ import annotations

from collections.abc import Iterable

from bnc2d.base.readers.arguments import as_text
from bnc2d.base.scales import Intervals, Label, scale_of
from bnc2d.explain.explanation import BaseExplanation
from bnc2d.logic.domain import Domain, FeatureId, StateMask
from bnc2d.logic.terms import Clause, Term


def decision_name(decision: Label | None) -> str:
    """Return the class that is decided, or that there is none."""
    return "undecided (a tie)" if decision is None else as_text(decision)


def decided(explanation: BaseExplanation) -> str:
    """Return the decision: ``D is 2``."""
    return f"{explanation.target} is {decision_name(explanation.decision)}"


def as_fixed(explanation: BaseExplanation) -> str:
    """Return the condition that fixed features are: ``, with A and B as here``."""
    return f", with {series(explanation.fixed)} as here" if explanation.fixed else ""


def whatever(explanation: BaseExplanation, other: str = "other ") -> str:
    """Return what may change besides: ``whatever the other features are``."""
    known = "known " if explanation.missing else ""
    within = " within the allowed changes" if explanation.allowed else ""
    return f"whatever the {other}{known}features are{within}"


def always(explanation: BaseExplanation) -> str:
    """Say that nothing changes the decision."""
    decision, fixed = decided(explanation), explanation.fixed
    if not explanation.instance:
        return f"where nothing is known, {decision}"
    if len(fixed) == len(explanation.instance):
        return f"{decision}, and no feature may change"
    if fixed:
        return f"with {series(fixed)} as here, {decision} {whatever(explanation)}"
    return f"{decision} {whatever(explanation, '')}"


def opposite(clause: Clause) -> Term:
    """Return the term that holds where the clause does not."""
    full = clause.domain.full
    return Term.from_masks(clause.domain, {f: full(f) & ~mask for f, mask in clause.masks.items()})


def sentence(term: Term, verb: str = "is") -> str:
    """Return a term in words: ``BP is Low or High, and HR is Normal``."""
    clauses, mixed = [], False
    for feature, mask in term.masks.items():
        said = literal_words(term.domain, feature, mask, verb)
        clauses.append(f"{term.domain.names[feature]} {said}")
        is_numeric = isinstance(scale_of(term.domain.states[feature]), Intervals)
        mixed = mixed or (" or " in clauses[-1] if is_numeric else mask.bit_count() > 1)
    return series(clauses, mixed)


def literal_words(domain: Domain, feature: FeatureId, mask: StateMask, verb: str = "is") -> str:
    """Return what a literal says of its feature: ``is Low or High``, ``< 37.5``, ``were < 37.5``."""
    scale = scale_of(domain.states[feature])
    if isinstance(scale, Intervals):
        return scale.words("", mask, verb).strip()
    return f"{verb} {states_words(domain, feature, mask)}"


def states_words(domain: Domain, feature: FeatureId, mask: StateMask) -> str:
    """Return a set of states, named by those in it or by those that are not, whichever are fewer."""
    states = domain.states_of(feature, mask)
    others = domain.states_of(feature, domain.full(feature) & ~mask)
    if len(states) <= max(2, len(others)):
        return " or ".join(states) if len(states) <= 2 else f"one of {', '.join(states)}"
    return f"not {others[0]}" if len(others) == 1 else f"none of {', '.join(others)}"


def series(words: Iterable[str], comma: bool = False) -> str:
    """Join words by commas and a last "and", with a ``comma`` before it where that reads better."""
    *first, last = words
    return f"{', '.join(first)}{',' if comma else ''} and {last}" if first else last
