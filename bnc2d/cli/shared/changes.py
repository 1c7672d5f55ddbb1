"""What features may change to, and at what cost, as options say it: ``Age=up; BP=Low,Normal``."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from typing import Any

from bnc2d.cli.shared.options import split_names
from bnc2d.compile.result import feature_domain
from bnc2d.errors import LogicError
from bnc2d.logic.domain import Domain
from bnc2d.model.classifier import BaseClassifier


def add_change_options(command: argparse.ArgumentParser) -> None:
    """Add ``--allowed``, ``--forbidden`` and ``--order``."""
    add = command.add_argument
    add("--allowed", metavar="'A=up; B=x,y'", help="what features may change to: states, `up` or `down`")
    add("--forbidden", metavar="'A=x; B=down'", help="what features may not change to")
    add_order_option(command)


def add_cost_option(command: argparse.ArgumentParser) -> None:
    """Add ``--costs``."""
    costs = "what changes cost (default 1): of a feature, to a state, or from a state to another"
    command.add_argument("--costs", metavar="'A=2; B=x:1,y:3; C=x>y:2'", help=costs)


def add_order_option(command: argparse.ArgumentParser) -> None:
    """Add ``--order``."""
    order = "all states of features from the lowest to the highest (default: as listed)"
    command.add_argument("--order", metavar="'A=x,y,z'", help=order)


def read_changes(options: argparse.Namespace, classifier: BaseClassifier) -> dict[str, Any]:
    """Return the arguments of ``explain`` that the options stand for; names that do not exist are errors."""
    from bnc2d.explain.changes.allowed import MayChange  # which drawing a network does not need

    domain = feature_domain(classifier)
    found: dict[str, Any] = {
        name: _entries(getattr(options, name), f"--{name}", domain)
        for name in ("allowed", "forbidden")
        if getattr(options, name) is not None
    }
    if options.order is not None:
        found["order"] = read_order(options, domain)
    MayChange(**found).box(domain, [0] * len(domain))  # wrong states are errors before any row is read
    return found


def read_order(options: argparse.Namespace, domain: Domain) -> dict[str, list[str]]:
    """Return the states of each feature that ``--order`` names, in its order."""
    found = _entries(options.order or "", "--order", domain)
    return {name: [states] if isinstance(states, str) else list(states) for name, states in found.items()}


def read_costs(options: argparse.Namespace, domain: Domain) -> dict[str, Any] | None:
    """Return the costs of ``--costs``: ``A=2``, by state ``A=x:1,y:3``, or by pair of states ``A=x>y:2``."""
    if options.costs is None:
        return None
    found: dict[str, Any] = {}
    for name, feature, costs in _parted(options.costs, "--costs", domain, "A=2 or A=x:1,y:3"):
        if ":" not in costs:
            found[name] = costs
            continue
        numbers = _by_state(costs, "--costs", name)
        found[name] = {_pair(key, domain.states[feature]): number for key, number in numbers.items()}
    return found


def read_marginals(text: str, domain: Domain) -> dict[str, Any]:
    """Return the marginals of ``--marginals``: ``A=x:0.2,y:0.8``."""
    entries = _parted(text, "--marginals", domain, "A=x:0.2,y:0.8")
    return {name: _by_state(numbers, "--marginals", name) for name, _, numbers in entries}


def _by_state(text: str, option: str, name: str) -> dict[str, str]:
    """Return the numbers of ``x:1,y:3``; a state may itself hold these signs."""
    found: dict[str, str] = {}
    rest = text
    while rest:
        match = re.match(r"\s*(.+?)\s*:\s*([^,:]+?)\s*(?:,|$)", rest)
        if match is None:
            raise LogicError(f"{option}: {rest!r} of {name!r} is not of the form STATE:NUMBER")
        if match[1] in found:
            raise LogicError(f"{option} has two numbers for {match[1]!r} of {name!r}")
        found[match[1]] = match[2]
        rest = rest[match.end() :]
    return found


def _pair(key: str, states: Sequence[str]) -> str | tuple[str, ...]:
    """Return a state, or the two of ``x>y``."""
    if key in states or ">" not in key:
        return key
    cuts = [at for at, sign in enumerate(key) if sign == ">"]
    pairs = [(key[:at].strip(), key[at + 1 :].strip()) for at in cuts]
    return next((pair for pair in pairs if set(pair) <= set(states)), pairs[0])


def _entries(text: str, option: str, domain: Domain) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, feature, states in _parted(text, option, domain, "A=x,y"):
        listed = split_names(states, domain.states[feature])
        found[name] = listed[0] if len(listed) == 1 else listed
    return found


def _parted(text: str, option: str, domain: Domain, form: str) -> Iterator[tuple[str, int, str]]:
    """Yield the entries of an option: the name of a feature, its number, and what is said of it."""
    seen = set()
    for entry in filter(None, map(str.strip, text.split(";"))):
        name, sign, said = (part.strip() for part in entry.partition("="))
        if not sign:
            raise LogicError(f"{option} takes entries such as {form} apart by semicolons, not {entry!r}")
        feature = domain.index(name)
        if name in seen:
            raise LogicError(f"{option} has two entries for {name!r}")
        seen.add(name)
        yield name, feature, said
