"""Allowed changes, costs and preferences drawn at random, and what they mean by definition."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

from bnc2d import Classifier
from bnc2d.model.variable import Variable

States = tuple[str, ...]


def draw_changes(
    classifier: Classifier, own: States, rng: Random
) -> tuple[dict[str, Any], dict[str, frozenset[str]]]:
    """Return arguments of ``explain`` and the states that each feature may have by them."""
    arguments: dict[str, Any] = {"allowed": {}, "forbidden": {}, "order": {}}
    may: dict[str, frozenset[str]] = {}
    for variable, state in zip(classifier.feature_variables, own, strict=True):
        found = set(variable.states)
        ranked = list(variable.states)
        if rng.random() < 0.3:
            rng.shuffle(ranked)
            arguments["order"][variable.name] = ranked
        for called in ("allowed", "forbidden"):
            if rng.random() < (0.6 if called == "allowed" else 0.25):
                given, named = _draw(variable, state, ranked, rng)
                arguments[called][variable.name] = given
                found = found & named if called == "allowed" else found - named
        may[variable.name] = frozenset(found | {state})
    return arguments, may


def _draw(variable: Variable, own: str, ranked: list[str], rng: Random) -> tuple[Any, set[str]]:
    """Return an entry for a feature, and the states that it names for an instance with a state."""
    kind = rng.choice(["one", "some", "way", "mapping"])
    place = ranked.index(own)
    if kind == "way" and not {"up", "down"} & set(variable.states):
        way = rng.choice(["up", "down"])
        return way, set(ranked[place + 1 :] if way == "up" else ranked[:place])
    if kind == "one":
        state = rng.choice(variable.states)
        return state, {state}
    some = {state: _some(variable, rng) for state in variable.states if rng.random() < 0.7}
    if kind == "mapping":
        return some, set(some.get(own, []))
    chosen = _some(variable, rng)
    return chosen, set(chosen)


def _some(variable: Variable, rng: Random) -> list[str]:
    return rng.sample(variable.states, rng.randint(0, len(variable)))


def draw_costs(
    classifier: Classifier, own: States, rng: Random, most: str = "pairs"
) -> tuple[dict[str, Any], dict[tuple[str, str], Fraction]]:
    """Return arguments of ``nearest`` and what it costs to change each feature to each state."""
    arguments: dict[str, Any] = {}
    cost: dict[tuple[str, str], Fraction] = {}
    for variable, state in zip(classifier.feature_variables, own, strict=True):
        kind = rng.choice(["none", "weight", "one", "states", "pairs"])
        if most == "one" and kind in ("states", "pairs"):
            kind = "one"
        by_state = dict.fromkeys(variable.states, Fraction(1))
        if kind == "weight":
            number = _number(rng)
            arguments.setdefault("weights", {})[variable.name] = number
            by_state = dict.fromkeys(variable.states, Fraction(number))
        elif kind == "one":
            number = _number(rng)
            arguments.setdefault("costs", {})[variable.name] = number
            by_state = dict.fromkeys(variable.states, Fraction(number))
        elif kind != "none":
            given: dict[Any, Any] = {other: _number(rng) for other in variable.states if rng.random() < 0.6}
            by_state |= {other: Fraction(number) for other, number in given.items()}
            if kind == "pairs":
                for before in variable.states:
                    for after in variable.states:
                        if rng.random() < 0.4:
                            number = given[before, after] = _number(rng)
                            if before == state:
                                by_state[after] = Fraction(number)
            arguments.setdefault("costs", {})[variable.name] = given
        cost |= {(variable.name, other): number for other, number in by_state.items()}
    return arguments, cost


def _number(rng: Random) -> str | int | Fraction:
    numbers: list[str | int | Fraction] = ["0.5", 0, 1, 2, Fraction(1, 3), Fraction(7, 3), "2.25"]
    return rng.choice(numbers)
