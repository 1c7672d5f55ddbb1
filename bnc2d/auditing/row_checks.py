"""What a model does with the rows that the auditor brings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

import numpy as np
from numpy.typing import NDArray

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.auditing.against_network import brought_classifier, rows_of_network, unlike
from bnc2d.auditing.findings import AuditCheck, FactTable, Heading
from bnc2d.auditing.groups import Rates, by_group, hit_by_group
from bnc2d.auditing.rows import RowTable
from bnc2d.auditing.subject import (
    BROUGHT,
    BY_DIAGRAM,
    MODEL,
    Planned,
    Subject,
    as_shown,
    change_words,
    counted,
    decision_of,
    pair_shown,
    percent,
)
from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.finding import decision_words
from bnc2d.base.hashing import distinct_rows
from bnc2d.base.readers.missing import MISSING
from bnc2d.compile.model import decisions
from bnc2d.errors import LimitExceeded
from bnc2d.explain.whole.profile.rows import distances_in_turn
from bnc2d.logic.diagram.nearest import nearest
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.partial import partial_labels

GROUP = "rows"
_MOST_NAMED = 20  # rows that are named; all are counted
_MOST_FRAGILE = 10
_MOST_VARIANTS = 2**12  # ways to set the protected features that are all tried

_READ = Heading(GROUP, "rows: read", "Can every row be decided?", "each row by itself")
_DECIDED = Heading(GROUP, "rows: decisions", "How are the rows decided?", "the model's decision on each row")
_AS_BROUGHT = Heading(
    GROUP,
    "rows: network",
    "Is every row decided as the network brought decides it?",
    "exact inference, every row",
)
_ROBUST = Heading(
    GROUP,
    "rows: robustness",
    "How many features must change for another decision?",
    "exact: the nearest other decision, by the decision diagram",
)
_NO_ROWS = Heading(GROUP, "rows", "What does the model do with real rows?", "no rows were brought")


def planned(subject: Subject) -> Iterator[Planned]:
    """Yield the checks of the rows."""
    rows, model = subject.rows, subject.model
    if rows is None:
        asked = _NO_ROWS.found("not asked", "no rows were brought (--csv)")
        yield Planned(_NO_ROWS, lambda _: [asked])
        return
    yield Planned(_READ, lambda _: [_read(rows)])
    if not len(rows.numbers):
        return
    yield Planned(_DECIDED, lambda _: [_decided(subject, rows)])
    network = subject.network
    if network is not None and not unlike(model, network):
        yield Planned(_AS_BROUGHT, lambda _: [_as_brought(model, network, rows)], weight=2)
    if subject.protected_features:
        names = ", ".join(subject.protected_features)
        question = f"Would every row be decided alike if {names} alone were otherwise?"
        heading = Heading(GROUP, "rows: protected", question, BY_DIAGRAM.replace("instances", "rows"))
        yield Planned(heading, lambda _: [_protected(subject, rows, heading)], weight=2)
    yield Planned(_ROBUST, lambda budget: [_robust(model, rows, budget)], 3, limits_itself=True)


def _read(rows: RowTable) -> AuditCheck:
    partial = rows.numbers[rows.partial].tolist()
    facts = {
        "rows": rows.total,
        "wrong": len(rows.wrong),
        "wrong_rows": [row.number for row in rows.wrong],
        "missing": len(partial),
        "missing_rows": partial,
    }
    tables = []
    if rows.wrong:
        listed = tuple((row.number, row.line, row.error) for row in rows.wrong[:_MOST_NAMED])
        tables.append(FactTable(_first("Rows that cannot be decided", rows.wrong), _WRONG, listed))
    if partial:
        lacking = [
            (name, int((rows.codes[:, at] == MISSING).sum())) for at, name in enumerate(rows.domain.names)
        ]
        found = tuple((name, number) for name, number in lacking if number)
        tables.append(FactTable("Missing values", ("feature", "rows"), found))
    detail = f"yes, all {counted(rows.total, 'row')}"
    if rows.wrong:
        detail = f"no: {len(rows.wrong):,} of {counted(rows.total, 'row')} cannot be decided: "
        detail += _numbers([row.number for row in rows.wrong])
    if partial:
        detail += f"; {counted(len(partial), 'row')} with missing values, decided by what is known: "
        detail += _numbers(partial)
    if not rows.total:
        return _READ.found("open", "there is no row")
    return _READ.found(not rows.wrong, detail, facts=facts, tables=tables)


_WRONG = ("row", "line", "what is wrong")


def _decided(subject: Subject, rows: RowTable) -> AuditCheck:
    """Tell the decisions, all together and in each group of each protected name."""
    found = _decisions(subject.model, rows)
    names = decisions(subject.model)
    total = len(found)
    by_class = Counter(found)
    table = tuple((decision_words(name), by_class[name], percent(by_class[name], total)) for name in names)
    tables = [FactTable("Rows by class", ("class", "rows", "share"), table)]
    rates: list[Rates] = []
    favoured = subject.towards or subject.model.classifier.positive
    for name, groups in rows.groups.items():
        tables.append(by_group(names, name, groups, found))
        if favoured is not None and len(set(groups)) > 1:
            rates.append(Rates.of(name, groups, found, favoured))
    detail = f"{counted(total, 'row')}: "
    detail += ", ".join(f"{by_class[name]:,} in class {decision_words(name)}" for name in names)
    detail += "".join(f"; {one}" for one in rates)
    facts = {"rows": total, "rates": [one.to_dict() for one in rates]}
    return _DECIDED.found("noted", detail, facts=facts, tables=tables)


def _decisions(model: CompiledModel, rows: RowTable) -> list[str | None]:
    """Return the decisions on all rows: by the diagram, by inference where features are missing."""
    names = np.array([*model.classes, None], dtype=object)
    found = np.empty(len(rows.codes), dtype=object)
    found[rows.complete] = names[model.diagram.labels(rows.codes[rows.complete])]
    found[rows.partial] = names[partial_labels(model.classifier, rows.codes[rows.partial])]
    return list(found)


def _as_brought(model: CompiledModel, network: BayesianNetwork, rows: RowTable) -> AuditCheck:
    brought = brought_classifier(model, network)
    mine = _decisions(model, rows)
    names = np.array([*brought.classes, None], dtype=object)
    theirs = names[partial_labels(brought, rows_of_network(model, brought, rows.codes))].tolist()
    differ = [at for at, (one, two) in enumerate(zip(mine, theirs, strict=True)) if one != two]
    numbers = rows.numbers[differ].tolist()
    facts = {"rows": len(mine), "differ": len(differ), "differing_rows": numbers}
    if not differ:
        return _AS_BROUGHT.found(True, f"yes, all {counted(len(mine), 'row')}", facts=facts)
    first = differ[0]
    shown = as_shown(
        brought, f"row {numbers[0]}", rows.instance(first), {MODEL: mine[first], BROUGHT: theirs[first]}
    )
    detail = f"no: {len(differ):,} of {counted(len(mine), 'row')} {_are(differ)} decided otherwise: "
    detail += _numbers(numbers)
    return _AS_BROUGHT.found(False, detail, [shown], facts)


def _protected(subject: Subject, rows: RowTable, heading: Heading) -> AuditCheck:
    """Tell which complete rows would be decided otherwise if only the protected features were otherwise."""
    model = subject.model
    chosen = [model.domain.index(name) for name in subject.protected_features]
    others = _other_decisions(model, chosen, rows.codes[rows.complete])
    places = [(int(rows.complete[at]), other) for at, other in enumerate(others) if other is not None]
    numbers = [int(rows.numbers[place]) for place, _ in places]
    asked = len(rows.complete)
    facts = {"rows": asked, "depend": len(numbers), "depending_rows": numbers}
    tables = []
    if places:
        hit, complete = [place for place, _ in places], rows.complete.tolist()
        tables = [hit_by_group(name, groups, complete, hit) for name, groups in rows.groups.items()]
    left_out = (
        f"; {counted(len(rows.partial), 'row')} with missing values not asked" if len(rows.partial) else ""
    )
    if not places:
        return heading.found(True, f"yes, all {counted(asked, 'complete row')}{left_out}", facts=facts)
    place, other = places[0]
    pair = [rows.instance(place), model.domain.decode(list(other or ()))]
    shown = pair_shown(model, pair, (f"row {numbers[0]}", "if it were"))
    would = "row would" if len(numbers) == 1 else "rows would"
    detail = f"no: {len(numbers):,} of {asked:,} complete {would} be decided otherwise: {_numbers(numbers)}"
    return heading.found(False, detail + left_out, shown, facts, tables)


def _other_decisions(
    model: CompiledModel, chosen: Sequence[int], codes: NDArray[np.intp]
) -> list[list[int] | None]:
    """Return for each row the nearest one that is decided otherwise and differs in these features alone."""
    row_ids, first = distinct_rows(codes)
    distinct = codes[first]
    known = range(len(decisions(model)))
    own = model.diagram.labels(distinct)
    sizes = [model.domain.cardinalities[feature] for feature in chosen]
    fixed = [feature for feature in range(len(model.domain)) if feature not in chosen]
    differs = np.ones(len(distinct), dtype=bool)
    if prod(sizes) <= _MOST_VARIANTS:  # cheaper than a search for every row
        differs[:] = False
        for states in product(*map(range, sizes)):
            checkpoint()
            variant = distinct.copy()
            variant[:, chosen] = states
            labels = model.diagram.labels(variant)
            differs |= (labels != own) & (labels < len(known))
    found: list[list[int] | None] = []
    for row, label, may in zip(distinct.tolist(), own.tolist(), differs.tolist(), strict=True):
        checkpoint()
        wanted = [other for other in known if other != label]
        found.append(nearest(model.diagram, row, wanted, fixed) if may else None)
    return [found[row] for row in row_ids.tolist()]


def _robust(model: CompiledModel, rows: RowTable, budget: Budget) -> AuditCheck:
    """Tell how far rows are from another decision, as many distinct ones as time allows."""
    codes = rows.codes[rows.complete]
    row_ids, first = distinct_rows(codes)
    found: list[int | None] = []
    try:
        with budget.limiting("not every row is asked"):
            labels = model.diagram.labels(codes[first])
            for some in distances_in_turn(model, codes[first], labels):
                found += [None if far < 0 else far for far in some.tolist()]
    except LimitExceeded:
        if not found:
            raise
    asked = np.flatnonzero(row_ids < len(found))
    spread = Counter(found[row_ids[at]] for at in asked.tolist())
    listed = sorted(spread.items(), key=lambda item: (item[0] is None, item[0]))
    table = tuple(
        ("no change does" if far is None else far, number, percent(number, len(asked)))
        for far, number in listed
    )
    tables = [FactTable("Features that must change", ("changes", "rows", "share"), table)]
    tables += _fragile(model, rows, codes, row_ids, asked, found)
    detail = f"{counted(len(asked), 'complete row')}"
    least = min((one for one in spread if one is not None), default=None)
    if least is None:
        detail += ": no change leads to another decision"
    else:
        alone = "change of one feature" if least == 1 else f"change of {least} features"
        detail += f": {spread[least]:,} of them a {alone} away from another decision"
    facts = {
        "rows": len(asked),
        "distances": {"none" if far is None else str(far): number for far, number in listed},
    }
    if len(asked) < len(codes):
        detail += f"; not finished: {len(codes) - len(asked):,} rows were not asked within the time limit"
        return _ROBUST.found("open", detail, facts=facts, tables=tables)
    if not len(codes):
        return _ROBUST.found("not asked", "no row is complete")
    return _ROBUST.found("noted", detail, facts=facts, tables=tables)


def _fragile(
    model: CompiledModel,
    rows: RowTable,
    codes: NDArray[np.intp],
    row_ids: NDArray[np.intp],
    asked: NDArray[np.intp],
    found: Sequence[int | None],
) -> list[FactTable]:
    """Return the rows nearest to another decision, with the change that leads there."""
    near = []
    for at in asked.tolist():
        far = found[row_ids[at]]
        if far is not None:
            near.append((far, int(rows.numbers[rows.complete[at]]), at))
    near.sort()
    if not near:
        return []
    chosen = near[:_MOST_FRAGILE]
    known = range(len(decisions(model)))
    own_labels = model.diagram.labels(codes[[at for *_, at in chosen]]).tolist()
    instances = []
    for (*_, at), label in zip(chosen, own_labels, strict=True):
        wanted = [one for one in known if one != label]
        nearest_row = nearest(model.diagram, codes[at].tolist(), wanted, ())
        instances.append(model.domain.decode(nearest_row or codes[at].tolist()))
    possible = model.classifier.is_possible(instances)
    listed = []
    for (far, number, at), other, may in zip(chosen, instances, possible, strict=True):
        own = model.domain.decode(codes[at].tolist())
        before, after = (decision_words(decision_of(model, one)) for one in (own, other))
        changes = change_words(model.domain, own, other) + ("" if may else " (probability 0)")
        listed.append((number, far, before, changes, after))
    columns = ("row", "changes", "decision", "change", "would be")
    return [FactTable("The rows nearest to another decision", columns, tuple(listed))]


def _numbers(numbers: Sequence[int]) -> str:
    """Return rows by their numbers, the first of many."""
    more = f" and {len(numbers) - _MOST_NAMED:,} more" if len(numbers) > _MOST_NAMED else ""
    return f"row{'' if len(numbers) == 1 else 's'} " + ", ".join(map(str, numbers[:_MOST_NAMED])) + more


def _are(found: Sequence[object]) -> str:
    return "is" if len(found) == 1 else "are"


def _first(caption: str, rows: Sequence[object]) -> str:
    return caption if len(rows) <= _MOST_NAMED else f"{caption} (the first {_MOST_NAMED} of {len(rows):,})"
