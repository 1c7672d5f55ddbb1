"""The picture of an explanation: which reason and which way out it shows, and what it says of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import partial
from itertools import islice
from math import prod
from numbers import Real

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.readers.missing import is_missing
from bnc2d.base.scales import Intervals, Label, scale_of
from bnc2d.draw.chart import WIDTH, Chart
from bnc2d.draw.decision import Cuts, Decision, FeatureBar, Role, draw_decision
from bnc2d.draw.theme import Theme
from bnc2d.errors import LimitExceeded, LogicError, TimeLimitExceeded
from bnc2d.explain.explanation import BaseExplanation
from bnc2d.explain.text import caveat, is_impossible, own_values, unproved_note
from bnc2d.explain.words import (
    always,
    as_fixed,
    decided,
    decision_name,
    literal_words,
    sentence,
    states_words,
    whatever,
)
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.terms import Term

MOST_BARS = 12  # features that no reason needs are counted, not drawn, where there would be more bars
_MOST_REASONS = 64  # that are compared to find the widest
_SECONDS = 5.0
_LEAST_SECONDS = 0.4  # for inference


@dataclass(frozen=True)
class WayOut:
    """The nearest way to another decision, by the states that lead there; without any there is no way.

    ``states`` has the mask of each feature that changes, ``nearest`` the state that is nearest.
    """

    states: Mapping[FeatureId, StateMask]
    nearest: Mapping[FeatureId, int]
    decision: Label | None = None
    is_impossible: bool = False


def decision_chart(
    explanation: BaseExplanation,
    reason: Term | Mapping[str, object] | None = None,
    towards: str | None = None,
    width: int = WIDTH,
    theme: Theme = "auto",
    time_limit: float | None = None,
) -> Chart:
    """Return the picture of a decision (see ``Explanation.figure``)."""
    budget = Budget(_SECONDS if time_limit is None else time_limit)
    budget.left()  # it runs from here on
    decision = picture_of(explanation, reason, towards, budget)
    return Chart(decision.title, decision.text, width, theme, _draw=partial(draw_decision, decision))


def picture_of(
    explanation: BaseExplanation,
    reason: Term | Mapping[str, object] | None,
    towards: str | None,
    budget: Budget,
) -> Decision:
    """Return what the picture says, as far as it is known in time."""
    notes: list[str] = []
    if reason is None:
        term = widest_reason(explanation, budget, notes)
    else:
        term = _checked_reason(explanation, reason, budget.share(0.5))
    try:
        way = way_out(explanation, towards, budget.share(0.5).left())
    except TimeLimitExceeded:
        way = None
    bars = list(_bars(explanation, term, way))
    shown, folded, names = _folded(explanation, bars)
    if explanation.route.given:
        notes.append(f"Only instances that satisfy the constraint count: {explanation.route.given}")
    return Decision(
        title=decided(explanation),
        chance=_chance(explanation, budget, notes),
        lead=_lead(explanation, term),
        bars=shown,
        way_out=_way_out_words(explanation, way, towards),
        notes=notes,
        folded=folded,
        names=names,
    )


def _checked_reason(
    explanation: BaseExplanation, reason: Term | Mapping[str, object], budget: Budget
) -> Term:
    """Return the reason that was asked for, which must be enough for the decision."""
    term = explanation._literals(Term, reason)
    verdict = explanation.is_general_sufficient(term, max(budget.left() or 0.0, _LEAST_SECONDS))
    if not verdict.holds and verdict.smaller is None:
        raise LogicError(f"{term} is no sufficient reason: {verdict}")
    return term


def widest_reason(explanation: BaseExplanation, budget: Budget, notes: list[str] | None = None) -> Term:
    """Return a general sufficient reason over the features of the shortest sufficient one.

    Of several it is the one that most instances satisfy. Where time ends the search, it is one over the
    features of some sufficient reason, or has the instance's own states alone; ``notes`` get a sentence that
    says so.
    """
    notes = [] if notes is None else notes
    case = explanation._case
    try:
        one = explanation.shortest_sufficient_reason(time_limit=budget.share(0.4).left())
    except LimitExceeded:
        one = explanation.a_sufficient_reason(budget.share(0.4).left())
        notes.append("Shorter reasons may exist: the time limit ended the search.")
        note = unproved_note(one)
        if note:
            notes.append(f"{note[0].upper()}{note[1:]}.")
    share = budget.share(0.5)
    share.left()
    wider: list[Term] = []
    with suppress(LimitExceeded), share.limiting("wider reasons are not known"):
        boxes = islice(case.boxes(clauses=False).over(list(one.masks), share), _MOST_REASONS)
        wider.extend(Term.from_masks(case.domain, masks, one.unproved) for masks in boxes)
    if not wider and any(case.domain.cardinalities[feature] > 2 for feature in one.masks):
        notes.append("Other states may keep the decision, too: the time limit ended the search.")
    return _widest(wider or [one])


def _widest(reasons: Iterable[Term]) -> Term:
    """Return the reason that most instances satisfy; of several the first, by features, then by states."""

    def key(reason: Term) -> tuple[int, list[FeatureId], list[StateMask]]:
        sizes = reason.domain.cardinalities
        instances = prod(reason.masks.get(f, (1 << size) - 1).bit_count() for f, size in enumerate(sizes))
        return -instances, [*reason.masks], [*reason.masks.values()]

    return min(reasons, key=key)


def way_out(explanation: BaseExplanation, towards: str | None, time_limit: float | None) -> WayOut:
    """Return the nearest way to another decision, or to class ``towards``.

    The fewest features change. Numbers move as little as they can, one after another; where one feature
    changes, all its states that lead to the same decision are given.
    """
    found = explanation.robustness(towards, time_limit)
    if found.witness is None or not found.distance:
        return WayOut({}, {})
    route, own = explanation.route, list(explanation._positions)
    domain = route.domain
    row = domain.encode(found.witness)
    label = int(route.labels(np.array([row], dtype=np.intp))[0])
    changed = [feature for feature, state in enumerate(row) if state != own[feature]]

    def leading(feature: FeatureId, states: Sequence[int]) -> list[int]:
        """Return which of some states of a feature lead to the same decision."""
        rows = np.array([row] * len(states), dtype=np.intp).reshape(-1, len(row))
        rows[:, feature] = states
        allowed = explanation._box.get(feature, domain.full(feature))
        labels = route.labels(rows).tolist() if states else []
        return [s for s, other in zip(states, labels, strict=True) if other == label and allowed >> s & 1]

    masks = {}
    for feature in changed:
        others = [state for state in range(domain.cardinalities[feature]) if state != own[feature]]
        several = len(changed) == 1
        if isinstance(scale_of(domain.states[feature]), Intervals):
            may = leading(feature, others)
            row[feature] = min(may, key=lambda state: (abs(state - own[feature]), state))
        else:
            may = leading(feature, others) if several else [row[feature]]
        masks[feature] = sum(1 << state for state in may) if several else 1 << row[feature]
    impossible = is_impossible(explanation, domain.decode(row))
    return WayOut(masks, {feature: row[feature] for feature in changed}, found.decision, impossible)


def _bars(explanation: BaseExplanation, reason: Term, way: WayOut | None) -> Iterable[FeatureBar]:
    """Yield the features: those of the reason first, then those that change, then the others."""
    domain, own = explanation.route.domain, explanation._positions
    values, out = own_values(explanation), way or WayOut({}, {})
    rank = dict.fromkeys(out.states, 1) | dict.fromkeys(reason.masks, 0)
    for feature in sorted(range(len(domain)), key=lambda feature: (rank.get(feature, 2), feature)):
        states, name = domain.states[feature], domain.names[feature]
        full, mine = domain.full(feature), 1 << own[feature]
        allowed = explanation._box.get(feature, full) | mine
        kept = reason.masks.get(feature, 0) & allowed  # states that do not count keep it in words only
        role: Role = "free"
        said = "any allowed value" if allowed != full else "any value"
        if kept:
            role, said = "needed", _said(explanation, feature, kept)
        elif feature in explanation._held:
            role, said, allowed = "fixed", "fixed", mine
        scale, cuts = scale_of(states), None
        if isinstance(scale, Intervals) and scale.cuts and not scale.has_missing_state:
            number = _number(explanation.values[name], states)
            texts = [scale.cut_text(cut) for cut in scale.cuts]
            cuts = Cuts([cut.value for cut in scale.cuts], texts, number)
        yield FeatureBar(
            name=name,
            said=said,
            role=role,
            states=states,
            own=own[feature],
            kept=kept,
            out=out.states.get(feature, 0),
            target=out.nearest.get(feature, -1),
            barred=full & ~allowed,
            cuts=cuts,
            value=values[name],
        )
    whole = explanation.whole.domain
    for name in explanation.missing:
        yield FeatureBar(name, "not known", "missing", whole.states[whole.index(name)], -1)


def _said(explanation: BaseExplanation, feature: FeatureId, mask: StateMask) -> str:
    """Return the states of a literal, without "is"."""
    domain = explanation.route.domain
    if isinstance(scale_of(domain.states[feature]), Intervals):
        return literal_words(domain, feature, mask)
    return states_words(domain, feature, mask)


def _number(value: object, states: Sequence[str]) -> float | None:
    """Return the number that was given, None where it was a state by its name or nothing."""
    if is_missing(value) or value in states:
        return None
    try:
        return float(value) if isinstance(value, Real | str | Decimal) else None
    except (ValueError, OverflowError):
        return None


def _folded(
    explanation: BaseExplanation, bars: Sequence[FeatureBar]
) -> tuple[list[FeatureBar], str, list[str]]:
    """Return the bars to draw, and a line on the others, where there are too many, with their names."""
    if len(bars) <= MOST_BARS:
        return list(bars), "", []
    is_drawn = [bar.role == "needed" or bar.target >= 0 for bar in bars]
    rest = [bar for bar, drawn in zip(bars, is_drawn, strict=True) if not drawn]
    parts: list[str] = []
    for role, words in (("free", "any value"), ("fixed", "fixed"), ("missing", "not known")):
        count = sum(bar.role == role for bar in rest)
        if count:
            other = "" if parts else "other "
            parts.append(f"{count} {other}feature{'' if count == 1 else 's'}: {words}")
    if explanation.allowed and parts and parts[0].endswith("any value"):
        parts[0] = parts[0].replace("any value", "any allowed value")
    shown = [bar for bar, drawn in zip(bars, is_drawn, strict=True) if drawn]
    return shown, "; ".join(parts), [bar.name for bar in rest]


def _lead(explanation: BaseExplanation, reason: Term) -> str:
    """Say what the shaded parts do."""
    if not reason:
        return f"Nothing is needed for it: {always(explanation)}."
    count, known = len(reason), len(explanation.instance)
    name = decision_name(explanation.decision)
    which = "1 feature" if count == 1 else f"{count} features"
    lead = f"It stays {name} as long as {which} of {known + len(explanation.missing)} "
    lead += f"{'keeps' if count == 1 else 'keep'} to the shaded part{as_fixed(explanation)}"
    return f"{lead}, {whatever(explanation)}." if count + len(explanation._held) < known else f"{lead}."


def _way_out_words(explanation: BaseExplanation, way: WayOut | None, towards: str | None) -> str:
    """Return the nearest way out in words."""
    if way is None:
        return "The nearest change that leads to another decision is not known in time."
    if not way.states:
        if towards is not None and explanation._class(towards) == explanation.decision_name:
            return f"It is in class {explanation._class(towards)} already."
        goal = "another decision" if towards is None else f"class {explanation._class(towards)}"
        allowed = "allowed " if explanation.fixed or explanation.allowed else ""
        return f"No {allowed}change leads to {goal}."
    changes = Term.from_masks(explanation.route.domain, way.states)
    words = f"{explanation.target} would be {decision_name(way.decision)} if {sentence(changes, 'were')}"
    if way.is_impossible:
        words += ", though the network gives that probability 0"
    return f"{words}."


def _chance(explanation: BaseExplanation, budget: Budget, notes: list[str]) -> str:
    """Return the probability of the decision; what else decides it goes to the notes."""
    classifier = explanation.classifier
    seconds = max(budget.left() or 0.0, _LEAST_SECONDS)
    try:
        with Budget(seconds).limiting("inference does not end"):
            rule = caveat(explanation)
            posterior = classifier.posterior(explanation.instance, exact=False)
            possible = explanation.possible
    except LimitExceeded:
        return "Its probability is not known in time"
    if rule:
        notes.append(rule)
    if not possible or explanation.decision is None:
        return ""
    if classifier.threshold is None or classifier.positive is None:
        return f"Probability {percent(float(posterior[str(explanation.decision_name)]))}"
    name = classifier.positive
    share = percent(float(posterior[name]))
    above = "above" if explanation.decision_name == classifier.positive else "not above"
    return f"Probability of {name} {share}, {above} the threshold of {percent(float(classifier.threshold))}"


def percent(probability: float) -> str:
    """Return a probability in percent, to three digits, never rounded to certainty.

    >>> percent(0.5), percent(0.12345), percent(0.99999), percent(1.0), percent(1e-9)
    ('50.0 %', '12.3 %', '> 99.9 %', '100 %', '1.00e-7 %')
    """
    if probability in (0.0, 1.0):
        return f"{100 * int(probability)} %"
    if probability > 0.9995:
        return "> 99.9 %"
    exact = Decimal(100 * probability)
    rounded = exact.quantize(Decimal(1).scaleb(exact.adjusted() - 2), ROUND_HALF_UP)
    if rounded.adjusted() > exact.adjusted():  # 9.995 becomes 10.0
        rounded = rounded.quantize(Decimal(1).scaleb(rounded.adjusted() - 2))
    if rounded.adjusted() >= -6:
        return f"{rounded:f} %"
    digits = str(rounded.as_tuple().digits[0]) + "." + "".join(map(str, rounded.as_tuple().digits[1:]))
    return f"{digits}e{rounded.adjusted()} %"
