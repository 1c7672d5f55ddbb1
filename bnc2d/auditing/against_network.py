"""Whether a model is one of the network that the auditor brings: what both say, and what both decide."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from bnc2d.api.classifier import Classifier
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.auditing.findings import AuditCheck, FactTable, Heading, Shown
from bnc2d.auditing.networks import Differences, differences, entry_text
from bnc2d.auditing.subject import (
    BROUGHT,
    MODEL,
    Planned,
    Subject,
    as_shown,
    counted,
    decision_of,
    network_decision,
    percent,
)
from bnc2d.base.arrays import Rows
from bnc2d.base.budget import Budget
from bnc2d.base.finding import decision_words
from bnc2d.base.readers.missing import MISSING
from bnc2d.base.readers.states import state_position
from bnc2d.compile.compiler import compile_classifier
from bnc2d.compile.model import BaseCompiledModel
from bnc2d.errors import Bnc2dError, LimitExceeded, UnknownNameError
from bnc2d.explain.whole.compare import Comparison, compare, equivalent
from bnc2d.model.network import BayesianNetwork
from bnc2d.verify.checks import ask_oracle, disagreeing

GROUP = "network"
_NAMES = ("the model's file", BROUGHT)
_MOST_SENTENCES = 12
_MOST_PAIRS = 12

_VARIABLES = Heading(
    GROUP,
    "network: variables",
    "Has the network in the model's file the variables and states of the network brought?",
    "comparison by name",
)
_TABLES = Heading(
    GROUP,
    "network: tables",
    "Has it the same tables, entry by entry?",
    "comparison of exact fractions",
)
_QUESTION = Heading(
    GROUP,
    "network: question",
    "Can the model's question be put to the network brought: the same target, classes, features and states?",
    "comparison by name",
)
_PROOF = Heading(
    GROUP,
    "network: decisions proved",
    "Does the model decide every instance as the network brought does?",
    "proof: the network brought is compiled with the model's settings, and both diagrams are compared",
)
_INFERENCE = Heading(
    GROUP,
    "network: decisions by inference",
    "Does exact inference in the network brought, which uses no code of the compiler, decide alike?",
    "exact inference",
)
_NOT_BROUGHT = Heading(
    GROUP, "network", "Is the model one of a network that the auditor knows?", "no network was brought"
)


def planned(subject: Subject) -> Iterator[Planned]:
    """Yield the checks against the network brought."""
    network, model = subject.network, subject.model
    if network is None:
        asked = _NOT_BROUGHT.found("not asked", "no network was brought (--network)")
        yield Planned(_NOT_BROUGHT, lambda _: [asked])
        return
    yield Planned(_VARIABLES, lambda _: _compared(model, network))
    problems = unlike(model, network)
    if problems:
        more = len(problems) - _MOST_SENTENCES
        said = "; ".join(problems[:_MOST_SENTENCES]) + (f"; and {more} more" if more > 0 else "")
        yield Planned(_QUESTION, lambda _: [_QUESTION.found(False, said, facts={"problems": problems})])
        cannot = "the question cannot be put"
        yield Planned(_PROOF, lambda _: [_PROOF.found("open", cannot)])
        yield Planned(_INFERENCE, lambda _: [_INFERENCE.found("open", cannot)])
        return
    brought = brought_classifier(model, network)
    yield Planned(_QUESTION, lambda _: [_QUESTION.found(True, _settings(brought))])
    yield Planned(_PROOF, lambda budget: [_proved(model, brought, budget)], 6, limits_itself=True)
    yield Planned(_INFERENCE, lambda budget: [_asked(subject, brought, budget)], weight=3)


def unlike(model: CompiledModel, network: BayesianNetwork) -> list[str]:
    """Return why the model's question cannot be put to a network; nothing where it can."""
    problems: list[str] = []
    own = model.classifier
    for name in (own.target, *own.features):
        try:
            theirs = network.variable(name).states
        except UnknownNameError as error:
            problems.append(str(error))
            continue
        mine = own.network.variable(name).states
        for state in mine:
            try:
                state_position(name, theirs, state)
            except UnknownNameError as error:
                problems.append(str(error))
        more = [state for state in theirs if state not in mine]
        if more:
            problems.append(f"variable {name!r} also has {', '.join(map(repr, more))}, unknown to the model")
    if not problems:
        try:
            brought_classifier(model, network)
        except Bnc2dError as error:
            problems.append(str(error))
    return problems


def brought_classifier(model: CompiledModel, network: BayesianNetwork) -> Classifier:
    """Return the classifier of the model's question on another network."""
    own = model.classifier
    return Classifier(network, own.target, own.features, own.threshold, own.positive, own.ties)


def rows_of_network(model: CompiledModel, brought: Classifier, rows: Rows) -> Rows:
    """Return rows of the model with the positions that their states have in the network brought."""
    return _translated(_positions(model, brought), rows)


def _compared(model: CompiledModel, network: BayesianNetwork) -> list[AuditCheck]:
    found = differences(model.classifier.network, network, _NAMES)
    size = f"{counted(len(network), 'variable')}, {sum(cpt.exact.size for cpt in network.cpts):,} entries"
    variables = _VARIABLES.found(
        not found.variables,
        _sentences(found.variables) or f"yes: {counted(len(network), 'variable')}",
        facts={"differences": list(found.variables)},
    )
    tables = _TABLES.found(
        not found.tables and not found.variables,
        _sentences(found.tables)
        or ("only variables with other states differ" if found.variables else f"yes: {size}"),
        facts={
            "differences": list(found.tables),
            "entries": found.count,
            "largest_difference": float(found.gap) if found.count else None,
        },
        tables=_entries(found),
    )
    return [variables, tables]


def _entries(found: Differences) -> list[FactTable]:
    if not found.entries:
        return []
    rows = tuple(
        (one.table, one.states, entry_text(one.first), entry_text(one.second)) for one in found.entries
    )
    which = "the first of each table, " if len(rows) < found.count else ""
    caption = f"Entries that differ ({which}{found.count:,} in all, by at most {float(found.gap):.4g})"
    return [FactTable(caption, ("table", "entry", "model's file", "network brought"), rows)]


def _sentences(found: tuple[str, ...]) -> str:
    more = len(found) - _MOST_SENTENCES
    return "; ".join(found[:_MOST_SENTENCES]) + (f"; and {more} more" if more > 0 else "")


def _settings(brought: Classifier) -> str:
    rule = "the most probable class" if brought.threshold is None else f"P({brought.positive}) > threshold"
    return f"yes: {counted(len(brought.features), 'feature')}, {len(brought.classes)} classes, {rule}"


def _proved(model: CompiledModel, brought: Classifier, budget: Budget) -> AuditCheck:
    """Compile the network brought and compare all decisions; count them where time allows."""
    left = budget.left()
    other = compile_classifier(brought, time_limit=None if left is None else 0.7 * left, formulas=False)
    whole, total = model.unconstrained, model.domain.instance_count
    alike = equivalent(whole, other, time_limit=budget.left())
    if alike:
        detail = f"yes: both diagrams are the same function of all {counted(total, 'instance')}"
        return _PROOF.found(True, detail, facts={"instances": total, "differ": 0})
    witness = alike.witness or {}
    instances = [_decided(model, brought, witness)]
    try:
        found = compare(whole, other, time_limit=budget.left())
    except LimitExceeded:
        return _PROOF.found(False, "no: they differ, on how many instances is not known", instances)
    detail = f"no: {counted(found.count, 'instance')} of {total:,} ({percent(found.count, total)}) "
    detail += f"{'is' if found.count == 1 else 'are'} decided otherwise"
    facts = {"instances": total, "differ": found.count}
    if model.constraint is not None:
        with suppress(LimitExceeded):
            inside = compare(model, other, time_limit=budget.left()).count
            facts["differ_among_allowed"] = inside
            detail += f", {inside:,} of them among the {model.instance_count:,} that the constraint allows"
    return _PROOF.found(False, detail, instances, facts, [_changes(found)])


def _changes(found: Comparison) -> FactTable:
    changed = [(pair, number) for pair, number in found.table.items() if pair[0] != pair[1]]
    changed.sort(key=lambda one: -one[1])
    rows = [(decision_words(one), decision_words(two), number) for (one, two), number in changed]
    more = f" (the {_MOST_PAIRS} most frequent)" if len(rows) > _MOST_PAIRS else ""
    columns = (MODEL, BROUGHT, "instances")
    return FactTable(f"Instances decided otherwise{more}", columns, tuple(rows[:_MOST_PAIRS]))


def _asked(subject: Subject, brought: Classifier, budget: Budget) -> AuditCheck:
    """Ask the oracle about the network brought, and the model about the same instances."""
    asked = ask_oracle(brought, budget, subject.samples, subject.seed)
    whole: BaseCompiledModel = subject.model.unconstrained
    back = [np.argsort(positions) for positions in _positions(subject.model, brought)]
    rows = _translated(back, asked.rows)
    # Formulas that are made from the diagram say what it says; those in a file may have been changed.
    wrong = disagreeing(whole, rows, asked.expected, formulas=bool(whole.formulas))
    sample = f"a sample (seed {subject.seed}), half of it the nearest to a tie among many drawn"
    heading = Heading(
        _INFERENCE.group,
        _INFERENCE.name,
        _INFERENCE.question,
        f"{_INFERENCE.method}, {'all instances' if asked.is_all else sample}",
    )
    facts = {
        "asked": len(rows),
        "all": asked.is_all,
        "differ": len(wrong),
        "seed": None if asked.is_all else subject.seed,
    }
    if not len(wrong):
        return heading.found(True, f"yes, on {asked.which}", facts=facts)
    first = int(wrong[0])
    instance = whole.domain.decode(rows[first].tolist())
    is_are = "is" if len(wrong) == 1 else "are"
    detail = f"no: {len(wrong):,} of {len(rows):,} asked {is_are} decided otherwise"
    return heading.found(False, detail, [_decided(subject.model, brought, instance)], facts)


def _decided(model: CompiledModel, brought: Classifier, instance: dict[str, str]) -> Shown:
    decisions = {MODEL: decision_of(model, instance), BROUGHT: network_decision(brought, instance)}
    return as_shown(brought, "instance", instance, decisions)


def _positions(model: CompiledModel, brought: Classifier) -> list[NDArray[np.intp]]:
    """Return for each feature where the network brought lists each of the model's states."""
    return [
        np.array([theirs.states.index(state) for state in mine.states], dtype=np.intp)
        for mine, theirs in zip(model.classifier.feature_variables, brought.feature_variables, strict=True)
    ]


def _translated(positions: list[NDArray[np.intp]], rows: Rows) -> Rows:
    """Return rows with the states of each column renumbered; what is missing stays so."""
    columns = [
        np.where(rows[:, at] == MISSING, MISSING, one[rows[:, at]]) for at, one in enumerate(positions)
    ]
    return np.stack(columns, axis=1)
