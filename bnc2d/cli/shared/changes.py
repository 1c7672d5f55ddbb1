"""What features may change to, as the options of ``explain`` say it: ``Age=up; BP=Low,Normal``."""

from __future__ import annotations

import argparse
from typing import Any

from bnc2d.cli.shared.options import split_names
from bnc2d.compile.result import feature_domain
from bnc2d.errors import LogicError
from bnc2d.explain.changes.allowed import MayChange
from bnc2d.logic.domain import Domain
from bnc2d.model.classifier import BaseClassifier


def add_change_options(command: argparse.ArgumentParser) -> None:
    """Add ``--allowed`` and ``--forbidden``."""
    add = command.add_argument
    add("--allowed", metavar="'A=up; B=x,y'", help="what features may change to: states, `up` or `down`")
    add("--forbidden", metavar="'A=x; B=down'", help="what features may not change to")


def read_changes(options: argparse.Namespace, classifier: BaseClassifier) -> dict[str, Any]:
    """Return the arguments of ``explain`` that the options stand for; names that do not exist are errors."""
    domain = feature_domain(classifier)
    found: dict[str, Any] = {
        name: _entries(getattr(options, name), f"--{name}", domain)
        for name in ("allowed", "forbidden")
        if getattr(options, name) is not None
    }
    MayChange(**found).box(domain, [0] * len(domain))  # wrong states are errors before any row is read
    return found


def _entries(text: str, option: str, domain: Domain) -> dict[str, object]:
    found: dict[str, object] = {}
    for entry in filter(None, map(str.strip, text.split(";"))):
        name, sign, states = (part.strip() for part in entry.partition("="))
        if not sign:
            raise LogicError(f"{option} takes entries such as A=x,y apart by semicolons, not {entry!r}")
        feature = domain.index(name)
        if name in found:
            raise LogicError(f"{option} has two entries for {name!r}")
        listed = split_names(states, domain.states[feature])
        found[name] = listed[0] if len(listed) == 1 else listed
    return found
