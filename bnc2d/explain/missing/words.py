"""What the missing features could do, in sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING

from bnc2d.base.budget import Budget
from bnc2d.base.finding import decision_words
from bnc2d.base.scales import Label
from bnc2d.errors import LimitExceeded
from bnc2d.explain.missing.if_known import Bounds, IfKnown

if TYPE_CHECKING:
    from bnc2d.explain.explanation import BaseExplanation

_SHOWN = 8  # names in a list
_SHOWN_ALONE = 5  # features that have a sentence of their own
_POSSIBLE_SECONDS = 0.4  # for finding out whether a completion is possible
_NOTHING: Bounds = (Fraction(0), Fraction(1))


def not_known(explanation: BaseExplanation) -> str:
    """Say which features are missing, and what decides then."""
    decides = "What is known decides, and is explained" if explanation.instance else "The prior decides"
    return f"Not known: {listed(explanation.missing)}. {decides}."


def could_do(explanation: BaseExplanation, time_limit: float | None) -> list[str]:
    """Return the question what the missing features could do, and what there is to say, a paragraph each."""
    found = explanation.if_known(time_limit)
    possible = True
    if found.witness is not None:
        with suppress(LimitExceeded), Budget(_POSSIBLE_SECONDS).limiting("inference does not end"):
            possible = bool(explanation.whole.classifier.is_possible(found.witness))
    return [f"What could {listed(found.missing)} do?", *_sentences(explanation.target, found, possible)]


def _sentences(target: str, found: IfKnown, possible: bool) -> list[str]:
    """Return what an answer says about a target; ``possible`` is whether its witness is."""
    if found.holds:
        verb = "is" if len(found.missing) == 1 else "are"
        kept = decision_words(found.decision)
        return [f"Nothing: {target} is {kept} whatever {listed(found.missing)} {verb}."]
    first = _how_often(target, found)
    if found.witness is not None:
        changed = [f"{name} were {found.witness[name]}" for name in found.missing]
        impossible = "" if possible else ", though the network gives that probability 0"
        first += f" It would be {decision_words(found.other)} if {listed(changed)}{impossible}."
    if len(found.missing) == 1:  # it is alone, and alone can tip the decision
        return [first]
    alone = list((found.alone or {}).items())
    told = [_alone(target, name, states) for name, states in alone[:_SHOWN_ALONE]]
    if len(alone) > _SHOWN_ALONE:
        rest = listed([name for name, _ in alone[_SHOWN_ALONE:]])
        told.append(f"Each of these alone would change it, too: {rest}.")
    if found.alone is not None and not told:
        told.append("No single one of them would change it while the others stay unknown.")
    tipping = f"{listed(list(found.matters))} can tip it where all else is known." if found.matters else ""
    never = f"Whatever else is known, {listed(found.irrelevant)} cannot." if found.irrelevant else ""
    unknown = f"Whether {listed(found.open)} can tip it is not known in this time." if found.open else ""
    return [first, *told, " ".join(filter(None, [tipping, never, unknown]))]


def _alone(target: str, name: str, states: Mapping[str, Label | None]) -> str:
    """Say what a feature would change if it alone became known."""
    by_decision: dict[Label | None, list[str]] = {}
    for state, decision in states.items():
        by_decision.setdefault(decision, []).append(state)
    ways = [
        f"{decision_words(decision)} if it is {_either(chosen)}" for decision, chosen in by_decision.items()
    ]
    return f"Knowing {name} alone would make {target} {listed(ways)}."


def _how_often(target: str, found: IfKnown) -> str:
    """Say with how many completions the decision stays, and with what probability."""
    kept = decision_words(found.decision)
    states = "its states" if len(found.missing) == 1 else "the combinations of their states"
    if found.share_bounds == _NOTHING and found.probability_bounds in (None, _NOTHING):
        return f"With which share of {states} {target} stays {kept} is not known in this time."
    text = f"{target} stays {kept} with {_percents(found.share_bounds)} of {states}"
    if found.probability_bounds is None:
        return f"{text}; with what probability is undefined, as that of what is known is 0."
    return f"{text}, and with a probability of {_percents(found.probability_bounds)}, given what is known."


def listed(names: Sequence[str]) -> str:
    """Join some names by commas and a last "and"."""
    if len(names) > _SHOWN:
        return f"{', '.join(names[:_SHOWN])} and {len(names) - _SHOWN} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _either(states: Sequence[str]) -> str:
    return f"{', '.join(states[:-1])} or {states[-1]}" if len(states) > 1 else states[0]


def _percents(bounds: Bounds) -> str:
    low, high = bounds
    if low == high:
        return percent(low)
    below, above = floor(low * 10_000), ceil(high * 10_000)  # outwards, so that it is still true
    if below == above:
        return percent(low)
    return f"{below / 100:.2f} % to {above / 100:.2f} %"


def percent(share: Fraction) -> str:
    """Return a share that is 0 % or 100 % only where it is so exactly."""
    if share in (0, 1):
        return f"{int(100 * share)} %"
    return f"{min(max(float(100 * share), 0.01), 99.99):.2f} %"
