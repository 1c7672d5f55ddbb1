"""An explanation in plain sentences, each with its formal term or clause beside it.

``answers`` says what there is to say, ``render`` lays it out as text; a terminal may lay it out otherwise.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, TypeVar

from bnc2d.errors import LimitExceeded
from bnc2d.explain.contrast import Contrast
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, Term

if TYPE_CHECKING:
    from bnc2d.explain.explanation import Explanation

Reason = TypeVar("Reason", Term, Clause)

FEW, MANY = 2, 200  # reasons a list: by default, and when all are asked for
_FEW_SECONDS, _MANY_SECONDS = 2.0, 10.0  # for each list
_COUNT_SECONDS = 1.0  # for saying how many more there are
_MOST_COUNTED = 1000  # where counting means listing
_MOST_CHANGES = 64  # of one reason, to say where they lead
_IMPOSSIBLE = "This instance is impossible, the network gives it probability 0"
_WIDTH = 100
_WIDEST_PLAIN = 60  # sentences up to this width have their formal term on the same line


@dataclass(frozen=True)
class Line:
    """A reason in words and in the paper's notation."""

    plain: str
    formal: str


@dataclass(frozen=True)
class Answer:
    """The answer to one question: what leads to the lines, the lines, and what is left out.

    ``kind`` is what the paper calls the lines; an answer that goes on from the one before has no question.
    """

    question: str
    kind: str
    lead: str
    lines: tuple[Line, ...] = ()
    rest: str = ""

    @property
    def heading(self) -> str:
        """The question, with the name of what answers it where something does."""
        return f"{self.question} ({self.kind})" if self.question and self.lines else self.question


@dataclass(frozen=True)
class _Limits:
    reasons: int
    seconds: float
    brief: bool


def to_text(
    explanation: Explanation,
    *,
    everything: bool = False,
    towards: str | None = None,
    limit: int | None = None,
    time_limit: float | None = None,
) -> str:
    """Return the explanation as text (see ``Explanation.to_text``)."""
    found = answers(explanation, everything=everything, towards=towards, limit=limit, time_limit=time_limit)
    return render(headline(explanation), found)


def headline(explanation: Explanation) -> str:
    """Return the decision, the instance and what is fixed, in sentences."""
    own = [f"{name} is {state}" for name, state in explanation.instance.items()]
    lines = [f"Decision: {_decided(explanation)}.", f"The instance: {_series(own)}."]
    if explanation.caveat:
        lines.append(explanation.caveat)
    if explanation.fixed:
        lines.append(f"Features that may not change: {_series(explanation.fixed)}.")
    return "\n".join(_wrapped(line, "", "  ") for line in lines)


def caveat(explanation: Explanation) -> str:
    """Say where the instance is impossible or no posterior decides it, and which rule does; else nothing."""
    basis, rule = explanation.basis, explanation.model.classifier.rule
    if basis.decided_by == "posterior":
        return ""
    names = [explanation.model.classes[state] for state in basis.tied]
    if basis.decided_by == "threshold rule":
        positive = explanation.model.classifier.positive
        other = next(name for name in explanation.model.classes if name != positive)
        if basis.possible:
            return (
                f"The probability of {positive} is the threshold exactly, which is not above it: so {other}."
            )
        return f"{_IMPOSSIBLE}: nothing is above the threshold, so the rule takes the other class, {other}."
    chosen = (
        "a tie is in no class" if rule.leaves_ties else f"the tie rule takes the one listed first, {names[0]}"
    )
    if basis.possible:
        return f"{_series(names)} are equally probable: {chosen}."
    return f"{_IMPOSSIBLE}: all classes tie at zero, and {chosen}."


def answers(
    explanation: Explanation,
    *,
    everything: bool = False,
    towards: str | None = None,
    limit: int | None = None,
    time_limit: float | None = None,
) -> Iterator[Answer]:
    """Yield why, why not each other class (or only ``towards``), and what would change the decision."""
    limits = _Limits(
        (MANY if everything else FEW) if limit is None else limit,
        (_MANY_SECONDS if everything else _FEW_SECONDS) if time_limit is None else time_limit,
        not everything,
    )
    classes = explanation.model.classes
    others = [name for name in classes if name != explanation.decision] if towards is None else [towards]
    yield from _why(explanation, limits)
    for name in others:
        yield _why_not(explanation, name, limits)
    only = explanation.model.diagram.ends == 2 and explanation.decision not in others
    yield _what_changes(explanation, limits, told=only)


def render(head: str, found: Iterable[Answer]) -> str:
    """Return text: a paragraph for each question, formal terms in a column where they fit."""
    paragraphs = [head]
    for answer in found:
        opening = f"{answer.heading}\n{answer.lead}" if answer.question else answer.lead
        column = max(
            (len(line.plain) for line in answer.lines if len(line.plain) <= _WIDEST_PLAIN), default=0
        )
        body = [_laid_out(line, column) for line in answer.lines]
        text = "\n".join([opening, *body, *([f"  {answer.rest}"] if answer.rest else [])])
        if answer.question:
            paragraphs.append(text)
        else:
            paragraphs[-1] += "\n" + text
    return "\n\n".join(paragraphs)


def _laid_out(line: Line, column: int) -> str:
    if len(line.plain) <= column and column + len(line.formal) + 8 <= _WIDTH:
        return f"  • {line.plain:<{column}}    {line.formal}"
    return f"{_wrapped(line.plain, '  • ', '    ')}\n{_wrapped(line.formal, '      ', '      ')}"


def _wrapped(text: str, first: str, rest: str) -> str:
    return textwrap.fill(
        text,
        _WIDTH,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _why(explanation: Explanation, limits: _Limits) -> Iterator[Answer]:
    question = f"Why is {explanation.target} {_name(explanation.decision)}?"
    kind = "sufficient reasons"
    found = explanation.sufficient_reasons(limits.reasons, limits.seconds)
    reasons = list(found)
    if any(not term for term in reasons):
        yield Answer(question, kind, f"Nothing is needed for it: {_always(explanation)}.")
        return
    lines = tuple(Line(_sentence(term), str(term)) for term in reasons)
    rest = _rest(found, len(lines), explanation.count_sufficient_reasons, limits)
    fixed = f", with {_series(explanation.fixed)} as here" if explanation.fixed else ""
    lead = f"Each line alone is enough{fixed}, whatever the other features are:"
    yield Answer(question, kind, lead, lines, rest)
    if max(explanation.model.domain.cardinalities, default=0) > 2:
        weaker = _other_states(explanation, limits)
        if weaker.lines:
            yield weaker


def _other_states(explanation: Explanation, limits: _Limits) -> Answer:
    """Return the general sufficient reasons that allow more states than the instance's own."""
    found = explanation.general_sufficient_reasons(max(MANY, limits.reasons), limits.seconds)
    weaker = (term for term in found if any(len(states) > 1 for states in term.values()))
    lines = tuple(Line(_sentence(term), str(term)) for term in islice(weaker, limits.reasons))
    more = next(weaker, None) is not None or found.cut is not None
    found.close()
    rest = "and more" if more and lines else ""
    lead = "With other states it would still be enough that"
    return Answer("", "general sufficient reasons", lead, lines, rest)


def _why_not(explanation: Explanation, name: str, limits: _Limits) -> Answer:
    question, kind = f"Why is {explanation.target} not {name}?", "contrastive explanations"
    found = explanation.contrastive(name, limits.reasons, limits.seconds)
    if found.message is not None:
        return Answer(question, kind, found.message[0].upper() + found.message[1:] + ".")
    lines = tuple(Line(_sentence(_opposite(clause), "were"), str(clause)) for clause in found)

    def count(time_limit: float) -> int:
        listed = explanation.contrastive(name, _MOST_COUNTED, time_limit)
        total = sum(1 for _ in listed)
        if listed.cut:
            raise LimitExceeded("too many to count by listing")
        return total

    lead = f"{explanation.target} would be {name}, all else as it is, if"
    return Answer(question, kind, lead, lines, _rest(found, len(lines), count, limits))


def _what_changes(explanation: Explanation, limits: _Limits, told: bool) -> Answer:
    """Return what leads to any other decision, in short where the only other one was ``told`` of before."""
    question, kind = "What would change it?", "general necessary reasons"
    distance = explanation.robustness().distance
    if distance is None:
        return Answer(question, kind, f"Nothing: {_always(explanation)}.")
    features = "1 feature" if distance == 1 else f"{distance} features"
    if told:
        return Answer(question, kind, f"At least {features} must change, as above: there is no third class.")
    found = explanation.general_necessary_reasons(limits.reasons, limits.seconds)
    lines = tuple(
        Line(f"{_sentence(_opposite(clause))}: then {_outcome(explanation, clause)}", str(clause))
        for clause in found
    )
    rest = _rest(found, len(lines), explanation.count_general_necessary_reasons, limits)
    lead = f"At least {features} must change. {explanation.target} is no longer "
    return Answer(question, kind, lead + f"{_name(explanation.decision)}, all else as it is, if", lines, rest)


def _rest(
    found: Primes[Reason] | Contrast, shown: int, count: Callable[[float], int], limits: _Limits
) -> str:
    """Say what a list leaves out."""
    if found.cut is None:
        return ""
    if found.cut == "time":
        return f"and perhaps more: the list ended after {limits.seconds:g} s"
    place = "" if limits.brief else f" (the list ends at its limit of {limits.reasons})"
    if shown and not found.ordered:
        place += " (those shown need not be the shortest)"
    try:
        return f"and {count(min(_COUNT_SECONDS, limits.seconds)) - shown} more{place}"
    except LimitExceeded:
        return f"and many more, not counted{place}"


def _outcome(explanation: Explanation, clause: Clause) -> str:
    """Say which decisions violating a clause leads to."""
    target = explanation.target
    decisions = [decision for _, decision in explanation.changes(clause, _MOST_CHANGES + 1)]
    if len(decisions) > _MOST_CHANGES:
        return f"{target} is another"
    return f"{target} is {' or '.join(_name(decision) for decision in dict.fromkeys(decisions))}"


def _always(explanation: Explanation) -> str:
    decided, fixed = _decided(explanation), explanation.fixed
    if len(fixed) == len(explanation.instance):
        return f"{decided}, and no feature may change"
    if fixed:
        return f"with {_series(fixed)} as here, {decided} whatever the other features are"
    return f"{decided} whatever the features are"


def _decided(explanation: Explanation) -> str:
    return f"{explanation.target} is {_name(explanation.decision)}"


def _name(decision: str | None) -> str:
    return "undecided (a tie)" if decision is None else decision


def _opposite(clause: Clause) -> Term:
    """Return the term that holds where the clause does not."""
    domain = clause.domain
    others = {
        domain.names[feature]: domain.states_of(feature, domain.full(feature) & ~mask)
        for feature, mask in clause.masks.items()
    }
    return Term(domain, others)


def _sentence(term: Term, verb: str = "is") -> str:
    """Return a term in words: ``BP is Low or High, and HR is Normal``."""
    domain = term.domain
    parts = []
    for feature, mask in term.masks.items():
        states = domain.states_of(feature, mask)
        others = domain.states_of(feature, domain.full(feature) & ~mask)
        if len(states) <= max(2, len(others)):
            chosen = " or ".join(states) if len(states) <= 2 else f"one of {', '.join(states)}"
        else:
            chosen = f"not {others[0]}" if len(others) == 1 else f"none of {', '.join(others)}"
        parts.append(f"{domain.names[feature]} {verb} {chosen}")
    mixed = any(len(domain.states_of(feature, mask)) > 1 for feature, mask in term.masks.items())
    return _series(parts, mixed)


def _series(parts: Iterable[str], comma: bool = False) -> str:
    """Join words by commas and a last "and", which has a comma too where the parts are long."""
    *first, last = parts
    if not first:
        return last
    return f"{', '.join(first)}{',' if comma else ''} and {last}"
