"""The interval of one number, as users ask for it, and the most sensitive entries of a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product
from typing import TypeVar

from bnc2d.base.budget import Budget
from bnc2d.base.readers.arguments import limit as checked_limit
from bnc2d.base.readers.arguments import mapping, named
from bnc2d.base.readers.states import state_position
from bnc2d.base.scales import Label
from bnc2d.compile.result import feature_domain
from bnc2d.errors import ArgumentError, ClassifierError, UnknownNameError, did_you_mean
from bnc2d.explain.whole.sensitivity.family import EntryFamily, Family, ThresholdFamily
from bnc2d.explain.whole.sensitivity.results import EntryInterval, Sensitivity, ThresholdInterval
from bnc2d.explain.whole.sensitivity.search import SensitivitySearch, Subject
from bnc2d.explain.whole.sensitivity.side import Side
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork

Found = TypeVar("Found", ThresholdInterval, EntryInterval)


def threshold_interval(subject: Subject, time_limit: float | None) -> ThresholdInterval:
    """Return the interval of thresholds in which every decision stays (see ``CompiledModel``)."""
    return _threshold_interval(subject, Budget(time_limit))


def _threshold_interval(subject: Subject, budget: Budget) -> ThresholdInterval:
    classifier = subject.classifier
    if classifier.threshold is None or classifier.positive is None:
        raise ClassifierError(
            "the classifier has no threshold: it takes the most probable class; give threshold=0.5, say, or "
            "ask about a table entry (entry_interval)"
        )
    family = ThresholdFamily(classifier, classifier.threshold)
    return _interval(partial(ThresholdInterval, positive=classifier.positive), subject, family, budget)


def entry_interval(
    subject: Subject,
    variable: str,
    state: Label,
    given: Mapping[str, Label] | None,
    time_limit: float | None,
) -> EntryInterval:
    """Return the interval of a table entry in which every decision stays (see ``CompiledModel``)."""
    budget = Budget(time_limit)
    network = subject.classifier.network
    cpt = network.cpt(variable)
    position = state_position(cpt.child.name, cpt.child.states, state)
    return _entry_interval(subject, cpt, read_column(network, cpt, given), position, budget)


def read_column(network: BayesianNetwork, cpt: CPT, given: Mapping[str, Label] | None) -> tuple[int, ...]:
    """Return the column of a table that states of all parents choose."""
    chosen = {} if given is None else mapping(given, "given", "a mapping from parent to state")
    names = [parent.name for parent in cpt.parents]
    for name in chosen:
        if name not in names:
            known = f"its parents are {', '.join(names)}" if names else "it has no parents"
            network.index(name)
            raise UnknownNameError(
                f"{named(name)} is no parent of {cpt.child.name!r}: {known}{did_you_mean(name, names)}"
            )
    missing = [name for name in names if name not in chosen]
    if missing:
        states = ", ".join(cpt.parents[names.index(missing[0])].states)
        raise ArgumentError(
            f"given must have a state of every parent of {cpt.child.name!r}: {missing[0]!r} is missing, "
            f"with the states {states}"
        )
    return tuple(state_position(parent.name, parent.states, chosen[parent.name]) for parent in cpt.parents)


def _entry_interval(
    subject: Subject, cpt: CPT, column: tuple[int, ...], state: int, budget: Budget
) -> EntryInterval:
    family = EntryFamily(subject.classifier, cpt, column, state)
    given = {parent.name: parent.states[place] for parent, place in zip(cpt.parents, column, strict=True)}
    make = partial(EntryInterval, variable=cpt.child.name, state=cpt.child.states[state], given=given)
    interval = _interval(make, subject, family, budget)
    if len(cpt.child) == 1:  # a column of one entry is 1, whatever else
        return replace(interval, low=Fraction(1), sure_low=Fraction(1))
    return interval


def _interval(make: Callable[..., Found], subject: Subject, family: Family, budget: Budget) -> Found:
    """Search on both sides and return what was found."""
    search = SensitivitySearch(subject, family)
    search.run(budget)
    below, above = search.below, search.above
    first_below, decisions_below = _first(subject, below)
    first_above, decisions_above = _first(subject, above)
    return make(
        value=family.value,
        low=below.value(below.end),
        high=above.value(above.end),
        low_included=_included(family, below),
        high_included=_included(family, above),
        first_below=first_below,
        first_above=first_above,
        decisions_below=decisions_below,
        decisions_above=decisions_above,
        sure_low=below.value(below.sure),
        sure_high=above.value(above.sure),
        status="proved" if below.proved and above.proved else "open",
    )


def _included(family: Family, side: Side) -> bool:
    return family.closed if side.flip is None else side.flip.included


def _first(
    subject: Subject, side: Side
) -> tuple[dict[str, str] | None, tuple[Label | None, Label | None] | None]:
    """Return the instance that flips first on a side, and its decisions before and after."""
    if side.row is None:
        return None, None
    names: tuple[Label | None, ...] = (*subject.classifier.class_labels, None)
    return feature_domain(subject.classifier).decode(side.row), (names[side.label], names[side.beyond])


def sensitivity(subject: Subject, limit: int | None, time_limit: float | None) -> Sensitivity:
    """Return the entries that can move least before a decision changes (see ``CompiledModel``)."""
    most = checked_limit(limit, ClassifierError)
    budget = Budget(time_limit)
    network = subject.classifier.network
    entries = [
        (cpt, column, state)
        for cpt in network.cpts
        for column in product(*(range(len(parent)) for parent in cpt.parents))
        for state in _states_to_ask(cpt)
    ]
    shares = budget.shares(len(entries) + 1)
    own = next(shares)
    threshold = None if subject.classifier.threshold is None else _threshold_interval(subject, own)
    found = []
    for cpt, column, state in entries:
        share = next(shares)
        if budget.left() == 0.0:
            break
        found.append(_entry_interval(subject, cpt, column, state, share))
    moving = [(entry.margin, place) for place, entry in enumerate(found) if entry.margin is not None]
    moving.sort()
    idle = sum(entry.margin is None and entry.status == "proved" for entry in found)
    asked = [*found, *([] if threshold is None else [threshold])]
    is_open = len(found) < len(entries) or any(one.status == "open" for one in asked)
    return Sensitivity(
        entries=tuple(found[place] for _, place in moving[:most]),
        threshold=threshold,
        idle=idle,
        looked_at=len(found),
        total=len(entries),
        status="open" if is_open else "proved",
    )


def _states_to_ask(cpt: CPT) -> range:
    """Return the states of a column to ask about: of two the second, which says what the first does."""
    return range(1, 2) if len(cpt.child) == 2 else range(len(cpt.child) if len(cpt.child) > 1 else 0)
