"""An explanation in plain sentences, each with its formal term or clause beside it.

``tell`` says what there is to say, ``render`` lays it out as text; a terminal may lay it out otherwise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from textwrap import TextWrapper

from bnc2d.base.budget import Budget
from bnc2d.base.readers.missing import is_missing
from bnc2d.base.scales import Intervals, Label, scale_of
from bnc2d.errors import LimitExceeded, NotCompiledError, TimeLimitExceeded
from bnc2d.explain.changes.allowed import in_words
from bnc2d.explain.contrast import Robustness
from bnc2d.explain.explanation import BaseExplanation
from bnc2d.explain.missing.words import could_do, not_known
from bnc2d.explain.words import (
    always,
    as_fixed,
    decided,
    decision_name,
    opposite,
    sentence,
    series,
    whatever,
)
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, Term, TermOrClause

FEW, MANY = 2, 200  # reasons a list: by default, and when all are asked for
FEW_SECONDS, MANY_SECONDS = 5.0, 30.0  # for the whole text
_BASIS_SECONDS = 0.4  # at least, for finding out whether an instance is possible
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


def tell(
    explanation: BaseExplanation,
    *,
    everything: bool = False,
    towards: Label | None = None,
    limit: int | None = None,
    time_limit: float | None = None,
) -> tuple[str, Iterator[Answer]]:
    """Return the decision, the instance, on what rule it rests and what is fixed; then the answers.

    These are one reason and a nearest change, why, why not another class, and what changes the decision.
    "Why not" is asked of each other class, or of ``towards`` alone. ``time_limit`` is for all of it: each
    list gets an even share of what those before it left; where reasons take a search, sufficient ones come
    first and get a half.
    """
    reasons, seconds = (MANY, MANY_SECONDS) if everything else (FEW, FEW_SECONDS)
    seconds = seconds if time_limit is None else time_limit
    budget = Budget(seconds)
    budget.left()  # it runs from here on
    own = [f"{name} is {text}" for name, text in own_values(explanation).items()]
    lines = [f"Decision: {decided(explanation)}.", f"The instance: {series(own or ['nothing is known'])}."]
    if explanation.missing:
        lines.append(not_known(explanation))
    rule = caveat_within(explanation, seconds)
    if rule:
        lines.append(rule)
    if explanation.fixed:
        lines.append(f"Features that may not change: {series(explanation.fixed)}.")
    if explanation.allowed:
        lines.append(f"Allowed changes: {in_words(explanation.allowed)}.")
    if explanation.route.given:
        lines.append(f"Only instances that satisfy the constraint count: {explanation.route.given}")
    teller = _Teller(explanation, reasons if limit is None else limit, seconds, not everything)
    head = "\n".join(_wrapped(line, "", "  ") for line in lines)
    return head, teller.answers(towards, budget)


def own_values(explanation: BaseExplanation) -> dict[str, str]:
    """Return the values of the instance as people read them: states by name, numbers as they were given."""
    domain, shown = explanation.route.domain, dict(explanation.instance)
    for name, states in zip(domain.names, domain.states, strict=True):
        scale, value = scale_of(states), explanation.values[name]
        if isinstance(scale, Intervals) and value not in states:
            shown[name] = shown[name] if is_missing(value) else scale.value_text(value)
    return shown


def unproved_note(reason: Term | Clause) -> str:
    """Say which features of a reason are not proved to be needed; nothing where all are."""
    if reason.proved_minimal:
        return ""
    if 1 < len(reason) == len(reason.unproved):
        return "none of them is proved to be needed"
    return f"not proved to be needed: {series(reason.unproved)}"


def caveat_within(explanation: BaseExplanation, seconds: float) -> str:
    """Return the caveat, or that it is not known where inference takes longer or too much memory."""
    try:
        with Budget(max(seconds, _BASIS_SECONDS)).limiting("inference does not end"):
            return caveat(explanation)
    except LimitExceeded as error:
        return f"Whether the instance is possible, and no tie, is not known: {error}."


def caveat(explanation: BaseExplanation) -> str:
    """Say where the instance is impossible or no posterior decides it, and which rule does; else nothing."""
    basis, rule = explanation.basis, explanation.classifier.rule
    if basis.decided_by == "posterior":
        return ""
    if basis.decided_by == "threshold rule":
        positive = explanation.classifier.positive
        other = next(name for name in explanation.classifier.classes if name != positive)
        if basis.possible:
            exactly = "is the threshold exactly, which is not above it"
            return f"The probability of {positive} {exactly}: so {other}."
        return f"{_IMPOSSIBLE}: nothing is above the threshold, so the rule takes the other class, {other}."
    names = [explanation.classifier.classes[state] for state in basis.tied]
    chosen = f"the tie rule takes the one listed first, {names[0]}"
    if rule.leaves_ties:
        chosen = "a tie is in no class"
    if basis.possible:
        return f"{series(names)} are equally probable: {chosen}."
    return f"{_IMPOSSIBLE}: all classes tie at zero, and {chosen}."


def render(head: str, found: Iterable[Answer]) -> str:
    """Return text: a paragraph for each question, formal terms in a column where they fit."""
    text = head
    for answer in found:
        if answer.question:
            text += f"\n\n{answer.question}{f' ({answer.kind})' if answer.lines else ''}"
        widths = [len(line.plain) for line in answer.lines if len(line.plain) <= _WIDEST_PLAIN]
        body = [_laid_out(line, max(widths, default=0)) for line in answer.lines]
        rest = [f"  {answer.rest}"] if answer.rest else []
        text = "\n".join([text, _wrapped(answer.lead, "", ""), *body, *rest])
    return text


def _laid_out(line: Line, column: int) -> str:
    if len(line.plain) <= column and column + len(line.formal) + 8 <= _WIDTH:
        return f"  • {line.plain:<{column}}    {line.formal}"
    return f"{_wrapped(line.plain, '  • ', '    ')}\n{_wrapped(line.formal, '      ', '      ')}"


def _wrapped(text: str, first: str, rest: str) -> str:
    return TextWrapper(_WIDTH, first, rest, break_long_words=False, break_on_hyphens=False).fill(text)


def is_impossible(explanation: BaseExplanation, instance: dict[str, str]) -> bool:
    """Return whether another instance is known to be impossible."""
    try:
        with Budget(_BASIS_SECONDS).limiting("inference does not end"):
            return not explanation.classifier.is_possible(instance)
    except LimitExceeded:  # the caveat says so
        return False


class _Teller:
    """Answers questions about one explanation, each by a list of at most ``limit`` reasons."""

    def __init__(self, explanation: BaseExplanation, limit: int, seconds: float, brief: bool) -> None:
        self._explanation = explanation
        self._limit, self._seconds, self._brief = limit, seconds, brief
        self._nearest: Robustness | None = None  # not known in time

    def answers(self, towards: Label | None, budget: Budget) -> Iterator[Answer]:
        """Yield the answers, in the time of the budget."""
        explanation, route = self._explanation, self._explanation.route
        others = [name for name in explanation.classifier.classes if name != explanation.decision_name]
        if towards is not None:
            others = [explanation.classifier.classes[explanation.classifier.label(towards)]]
        told = len(route.decisions) == 2 and explanation.decision_name not in others
        several = max(route.domain.cardinalities, default=0) > 2
        shares = budget.shares(2 + several + len(others) + (not told) + bool(explanation.missing))
        why = None if route.sendable.is_quick else self._enough(budget.share(0.5))
        with suppress(TimeLimitExceeded):
            self._nearest = explanation.robustness(time_limit=next(shares).left())
        share = next(shares)
        yield from self._why(why or self._enough(share), share)
        if several and not self._is_constant:
            weaker = self._other_states(next(shares))
            if weaker.lines:
                yield weaker
        for name in others:
            yield self._why_not(name, next(shares))
        yield self._what_changes(None if told else next(shares))
        if explanation.missing:
            question, first, *more = could_do(explanation, next(shares).left())
            yield Answer(question, "", first)
            yield from (Answer("", "", text) for text in more)

    @property
    def _is_constant(self) -> bool:
        """Whether nothing is known to change the decision."""
        return self._nearest is not None and self._nearest.distance is None

    @property
    def _not_known(self) -> str:
        return f"not known: the time limit of {self._seconds:g} s for all ended the search"

    def _enough(self, budget: Budget) -> tuple[Primes[Term], list[Term]]:
        """Return the list of sufficient reasons, and what it gives."""
        found = self._explanation.sufficient_reasons(self._limit, budget.left())
        return found, list(found)

    def _why(self, enough: tuple[Primes[Term], list[Term]], budget: Budget) -> Iterator[Answer]:
        """Yield one reason and a nearest change, both certain however early the list ends; then the list."""
        explanation = self._explanation
        found, terms = enough
        if not self._is_constant:
            yield from self._in_short(terms[0] if terms else explanation.a_sufficient_reason(budget.left()))
        question, kind = (
            f"Why is {explanation.target} {decision_name(explanation.decision)}?",
            "sufficient reasons",
        )
        rest = self._rest(found, len(terms), explanation.count_sufficient_reasons, budget)
        if any(not term for term in terms):
            yield Answer(question, kind, f"Nothing is needed for it: {always(explanation)}.")
        else:
            lines = tuple(map(_line, terms))
            lead = f"Each line alone is enough{as_fixed(explanation)}, {whatever(explanation)}:"
            yield Answer(question, kind, lead, lines, rest)

    def _in_short(self, enough: Term) -> Iterator[Answer]:
        explanation, nearest = self._explanation, self._nearest
        lead = f"{decided(explanation)} because {sentence(enough)}: that is enough{as_fixed(explanation)}"
        note = unproved_note(enough)
        lead += f", {whatever(explanation)}" + (f" ({note})" if note else "")
        yield Answer("In short", "", f"{lead}.")
        if nearest is None:
            yield Answer("", "", f"The nearest change that leads to another decision is {self._not_known}.")
            return
        witness, own = nearest.witness or {}, explanation.instance
        changes = Term(enough.domain, {name: state for name, state in witness.items() if state != own[name]})
        lead = (
            f"{explanation.target} would be {decision_name(nearest.decision)} if {sentence(changes, 'were')}"
        )
        if is_impossible(explanation, witness):
            lead += ", though the network gives that probability 0"
        fewer = "" if nearest.distance == 1 else "; no fewer changes lead to another decision"
        yield Answer("", "", f"{lead}{fewer}.")

    def _other_states(self, budget: Budget) -> Answer:
        """Return the general sufficient reasons that allow more states than the instance's own."""
        found = self._explanation.general_sufficient_reasons(max(MANY, self._limit), budget.left())
        weaker = (term for term in found if any(len(states) > 1 for states in term.values()))
        lines = tuple(map(_line, islice(weaker, self._limit)))
        more = next(weaker, None) is not None or found.cut is not None
        found.close()
        lead = "With other states it would still be enough that"
        return Answer("", "general sufficient reasons", lead, lines, "and more" if more and lines else "")

    def _why_not(self, name: str, budget: Budget) -> Answer:
        explanation = self._explanation
        question, kind = f"Why is {explanation.target} not {name}?", "contrastive explanations"
        found = explanation.contrastive(name, self._limit, budget.left())
        if found.message is not None:
            return Answer(question, kind, found.message[0].upper() + found.message[1:] + ".")
        lines = tuple(Line(sentence(opposite(clause), "were"), str(clause)) for clause in found)
        if not lines and found.cut == "time":
            return Answer(question, kind, f"This is {self._not_known}.")

        def count(time_limit: float) -> int:
            listed = explanation.contrastive(name, _MOST_COUNTED, time_limit)
            total = sum(1 for _ in listed)
            if listed.cut:
                raise LimitExceeded("too many to count by listing")
            return total

        lead = f"{explanation.target} would be {name}, all else as it is, if"
        return Answer(question, kind, lead, lines, self._rest(found, len(lines), count, budget))

    def _what_changes(self, budget: Budget | None) -> Answer:
        """Return what leads to any other decision; without a budget, the answer before has told of it."""
        explanation, nearest = self._explanation, self._nearest
        question, kind = "What would change it?", "general necessary reasons"
        if self._is_constant:
            return Answer(question, kind, f"Nothing: {always(explanation)}.")
        least = f"How many features must change at least is {self._not_known}"
        if nearest is not None:
            features = "1 feature" if nearest.distance == 1 else f"{nearest.distance} features"
            least = f"At least {features} must change"
        if budget is None:
            return Answer(question, kind, f"{least}; there is no third class.")
        found = explanation.general_necessary_reasons(self._limit, budget.left())
        clauses = list(found)
        if not clauses and found.cut == "time":
            return Answer(question, kind, f"This is {self._not_known}.")
        outcomes = budget.at_least(_BASIS_SECONDS)
        lines = tuple(
            Line(f"{sentence(opposite(clause))}: then {_outcome(explanation, clause, outcomes)}", str(clause))
            for clause in clauses
        )
        rest = self._rest(found, len(lines), explanation.count_general_necessary_reasons, budget)
        lead = f"{least}. {explanation.target} is no longer "
        lead += f"{decision_name(explanation.decision)}, all else as it is, if"
        return Answer(question, kind, lead, lines, rest)

    def _rest(
        self, found: Primes[TermOrClause], shown: int, count: Callable[[float], int], budget: Budget
    ) -> str:
        """Say what a list leaves out."""
        if found.cut is None:
            return ""
        others = " (those shown need not be the shortest)" if shown and not found.ordered else ""
        if found.cut == "time":
            return f"and perhaps more: the time limit of {self._seconds:g} s for all ended this list{others}"
        place = "" if self._brief else f" (the list ends at its limit of {self._limit})"
        try:
            return f"and {count(min(_COUNT_SECONDS, budget.left() or 0.0)) - shown} more{place}{others}"
        except (LimitExceeded, NotCompiledError):
            return f"and more, not counted{place}{others}"


def _line(reason: Term) -> Line:
    """Return a sufficient reason in words, with what is not proved of it."""
    note = unproved_note(reason)
    return Line(sentence(reason) + (f" ({note})" if note else ""), str(reason))


def _outcome(explanation: BaseExplanation, clause: Clause, budget: Budget) -> str:
    """Say which decisions violating a general necessary reason leads to, where they are few and time is."""
    target = explanation.target
    decisions: list[Label | None] = []
    with suppress(LimitExceeded), budget.limiting("where changes lead is not known"):
        decisions = [decision for _, decision in explanation.changes(clause, _MOST_CHANGES + 1)]
    if not 0 < len(decisions) <= _MOST_CHANGES:
        return f"{target} is another"
    return f"{target} is {' or '.join(decision_name(decision) for decision in dict.fromkeys(decisions))}"
