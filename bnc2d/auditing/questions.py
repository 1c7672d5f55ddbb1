"""Questions about all instances: protected features, monotonicity, rules, and how the classes share them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bnc2d.api.compiled_model import CompiledModel, GivenModel
from bnc2d.auditing.findings import AuditCheck, FactTable, Heading
from bnc2d.auditing.subject import (
    BY_DIAGRAM,
    Planned,
    Subject,
    change_words,
    counted,
    pair_shown,
    percent,
)
from bnc2d.base.budget import Budget
from bnc2d.base.finding import decision_words
from bnc2d.compile.model import decisions
from bnc2d.errors import ClassifierError, LimitExceeded
from bnc2d.explain.whole.monotone import Monotone
from bnc2d.explain.whole.rules.results import RuleResult

PROTECTED, MONOTONE, RULES, CLASSES = "protected", "monotone", "rules", "classes"
# Features of which it is told how they bear on the decision, where nobody asks about some.
_MOST_TOLD = 40
_NO_PROTECTED = Heading(PROTECTED, "protected", "Do decisions depend on protected features?", "none is named")
_NO_RULES = Heading(RULES, "rules", "Does the model obey rules?", "no rules were given")
_TOLD = Heading(
    MONOTONE,
    "monotone: directions",
    "Which way does raising a feature, all else equal, move the decision?",
    BY_DIAGRAM,
)
_SHARES = Heading(
    CLASSES,
    "classes: shares",
    "How many instances are in each class?",
    "exact count, by the decision diagram",
)


def planned_protected(subject: Subject) -> Iterator[Planned]:
    """Yield a check for each protected feature, and one for all of them where there are several."""
    if not subject.protected:
        asked = _NO_PROTECTED.found("not asked", "no protected feature is named (--protected)")
        yield Planned(_NO_PROTECTED, lambda _: [asked])
    for name in subject.protected:
        heading = Heading(PROTECTED, f"protected: {name}", _dependence(name), BY_DIAGRAM)
        if name in subject.model.features:
            yield _independence(subject.model, heading, [name])
        else:
            yield _no_feature(Heading(PROTECTED, heading.name, heading.question, "by definition"), name)
    together = subject.protected_features
    if len(together) > 1:
        names = ", ".join(together)
        heading = Heading(PROTECTED, f"protected: {names}", _dependence(names), BY_DIAGRAM)
        yield _independence(subject.model, heading, together)


def _dependence(names: str) -> str:
    return f"Is every decision the same whatever {names} may be, all else equal?"


def _no_feature(heading: Heading, name: str) -> Planned:
    without = f"{name} is no feature of the model, so no decision reads it"
    return Planned(heading, lambda _: [heading.found(True, without)])


def _independence(model: CompiledModel, heading: Heading, names: Sequence[str]) -> Planned:
    return Planned(
        heading, lambda budget: [_is_independent(model, heading, names, budget)], limits_itself=True
    )


def _is_independent(
    model: CompiledModel, heading: Heading, names: Sequence[str], budget: Budget
) -> AuditCheck:
    """Return whether decisions do not depend on features; where they do, on how many instances."""
    total = model.instance_count
    found = model.is_independent(names, time_limit=budget.share(0.4).left())
    if found.holds is None:
        return heading.found("open", f"not finished: {found.reason}")
    if found.holds:
        detail = f"yes, on all {counted(total, 'instance')}"
        detail += _without_constraint(model, names, budget)
        return heading.found(True, detail, facts={"instances": total, "depend": 0})
    try:
        biased = model.is_biased(names, time_limit=budget.left())
    except LimitExceeded:
        instances = pair_shown(model, found.instances)
        return heading.found(False, "no; on how many instances is not counted in time", instances)
    number = biased.count or 0
    detail = f"no: {counted(number, 'instance')} of {total:,} ({percent(number, total)}) would be decided "
    detail += "otherwise"
    if biased.pair is not None and biased.decisions is not None:
        before, after = map(decision_words, biased.decisions)
        changes = change_words(model.domain, *biased.pair)
        detail += f"; {changes} alone can change the decision from {before} to {after}"
    facts = {"instances": total, "depend": number}
    return heading.found(False, detail, pair_shown(model, biased.pair or ()), facts)


def _without_constraint(model: CompiledModel, names: Sequence[str], budget: Budget) -> str:
    """Tell where it is the constraint alone that makes decisions independent."""
    if not isinstance(model, GivenModel):
        return ""
    whole = model.unconstrained.is_independent(names, time_limit=budget.left())
    if whole.holds is None:
        return " that the constraint allows; without it, that is not known"
    does = "they do not" if whole.holds else "they do"
    return f" that the constraint allows; without it, {does} depend on {', '.join(names)}"


def planned_monotone(subject: Subject) -> Iterator[Planned]:
    """Yield a check for each feature that is asked about; where none is, tell which way each goes."""
    if subject.monotone is None:
        yield Planned(_TOLD, lambda budget: [_directions(subject, budget)], limits_itself=True)
        return
    aim = "lower the class" if subject.towards is None else f"lead out of class {subject.towards}"
    for name, direction in subject.monotone.items():
        step = "raising" if direction == "up" else "lowering"
        question = f"Does {step} {name}, all else equal, never {aim}?"
        heading = Heading(MONOTONE, f"monotone: {name} {direction}", question, BY_DIAGRAM)
        yield _monotone(subject, heading, name, direction)


def _monotone(subject: Subject, heading: Heading, name: str, direction: str) -> Planned:
    model = subject.model

    def ask(budget: Budget) -> list[AuditCheck]:
        found = _is_monotone(subject, name, direction, budget)
        if found.pair is None or found.decisions is None:
            return [heading.found(True, f"yes, on all {counted(model.instance_count, 'instance')}")]
        before, after = map(decision_words, found.decisions)
        changes = change_words(model.domain, *found.pair)
        detail = f"no: {changes} can change the decision from {before} to {after}"
        return [heading.found(False, detail, pair_shown(model, found.pair))]

    return Planned(heading, ask)


def _is_monotone(subject: Subject, name: str, direction: str, budget: Budget) -> Monotone:
    model = subject.model
    states = model.domain.states[model.domain.index(name)]
    order = states if direction == "up" else states[::-1]
    return model.is_monotone(name, order, towards=subject.towards, time_limit=budget.left())


def _directions(subject: Subject, budget: Budget) -> AuditCheck:
    """Tell of each feature whether raising it moves the decision up, down, both ways or not at all."""
    model = subject.model
    mentioned = [name for name in model.features if name in model.mentioned_features]
    told, rows = mentioned[:_MOST_TOLD], []
    for name, share in zip(told, budget.shares(len(told)), strict=True):
        try:
            up, down = (bool(_is_monotone(subject, name, one, share)) for one in ("up", "down"))
            says = _WAYS[up, down]
        except LimitExceeded:
            says = "not known: the time limit came first"
        except ClassifierError as error:
            return _TOLD.found("not asked", str(error))
        rows.append((name, says))
    idle = [name for name in model.features if name not in mentioned]
    detail = f"{counted(len(mentioned), 'feature')} of {len(model.features)} can change a decision; "
    detail += "states and classes are ordered as they are listed"
    if subject.towards is not None:
        detail += f", and up is towards class {subject.towards}"
    if len(told) < len(mentioned):
        detail += f"; told of the first {len(told)}"
    table = FactTable("Raising a feature, all else equal", ("feature", "moves the decision"), tuple(rows))
    return _TOLD.found("noted", detail, facts={"never_matter": idle}, tables=[table] if rows else [])


_WAYS = {
    (True, True): "not at all",
    (True, False): "only up",
    (False, True): "only down",
    (False, False): "up or down, as the case may be",
}


def planned_rules(subject: Subject) -> Iterator[Planned]:
    """Yield the rules as one piece of work, in which each has its share of the time."""
    if subject.rules is None:
        asked = _NO_RULES.found("not asked", "no rules were given (--rules)")
        yield Planned(_NO_RULES, lambda _: [asked])
        return
    rules = subject.rules
    yield Planned(_NO_RULES, lambda budget: _checked(subject.model, rules, budget), 2, limits_itself=True)


def _checked(model: CompiledModel, rules: str | tuple[str, ...], budget: Budget) -> list[AuditCheck]:
    found = model.check(rules, time_limit=budget.left())
    return [_rule(model, result, number) for number, result in enumerate(found.results, start=1)]


def _rule(model: CompiledModel, result: RuleResult, number: int) -> AuditCheck:
    heading = Heading(RULES, f"rules: {number}", f"Does every instance obey: {result.rule}", BY_DIAGRAM)
    facts = {"rule": result.rule, "line": result.line}
    if result.holds is None:
        return heading.found("open", f"not finished: {result.why}", facts=facts)
    if result.holds:
        return heading.found(True, f"yes, all {counted(model.instance_count, 'instance')} do", facts=facts)
    captions = ("instance",) if len(result.instances) == 1 else ("before", "after")
    shown = pair_shown(model, result.instances, captions)
    said = [decision_words(next(iter(one.decisions.values()))) for one in shown]
    detail = f"no: an instance in class {said[0]} breaks it"
    if len(shown) == 2:
        changes = change_words(model.domain, *result.instances)
        detail = f"no: {changes} changes the decision from {said[0]} to {said[1]}"
    return heading.found(False, detail, shown, facts)


def planned_shares(subject: Subject) -> Iterator[Planned]:
    """Yield how many of all instances that count are in each class."""
    yield Planned(_SHARES, lambda _: [_shares(subject.model)])


def _shares(model: CompiledModel) -> AuditCheck:
    names, total = decisions(model), model.instance_count
    counts = model.diagram.counts()[: len(names)]
    rows = [
        (decision_words(name), number, percent(number, total))
        for name, number in zip(names, counts, strict=True)
    ]
    which = "instances" if model.constraint is None else "instances that the constraint allows"
    empty = [decision_words(name) for name, number in zip(names, counts, strict=True) if not number]
    detail = f"{total:,} {which}, each counted once, however probable it is"
    detail += f"; no instance is in class {', '.join(empty)}" if empty else ""
    table = FactTable("Instances by class", ("class", "instances", "share"), tuple(rows))
    return _SHARES.found("noted", detail, facts={"instances": total}, tables=[table])
