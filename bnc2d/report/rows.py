"""Rows for a page: their states, and of models that are too large for it everything that it says of them.

A literal is ``[feature, mask]``, bit *i* of the mask for state *i*, as in ``page_data``; a decision is the
position of its class, one beyond them for "no class". Equal rows share their states and their answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from bnc2d.base.budget import Budget, Progress, reporting
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.readers.arguments import as_text
from bnc2d.base.readers.instances import AnyInstances, Form, encode_partial
from bnc2d.base.readers.missing import MISSING, is_missing
from bnc2d.base.scales import Intervals, scale_of
from bnc2d.errors import InstanceError, LimitExceeded
from bnc2d.explain.explanation import BaseExplanation
from bnc2d.explain.missing.words import could_do
from bnc2d.explain.text import caveat_within
from bnc2d.model.classifier import BaseClassifier
from bnc2d.report.data import features_data, mask_data
from bnc2d.report.picture import way_out, widest_reason
from bnc2d.report.records import ExplanationData, Literals, explanation_data
from bnc2d.report.scores import scores_data
from bnc2d.report.tables import page_rule

MAX_ROWS = 20_000  # of one page
_MOST_CHANGES = 64  # of one reason, to say where they lead, as in texts
_OUTCOME_SECONDS = 1.0  # for finding that out
_SCORE_SECONDS = 1.0  # at least, for the scores of a row
_LISTS = (
    ("sufficient", "sufficient_reasons"),
    ("necessary", "necessary_reasons"),
    ("generalSufficient", "general_sufficient_reasons"),
    ("generalNecessary", "general_necessary_reasons"),
)

Explain: TypeAlias = Callable[[dict[str, str]], BaseExplanation]
_Items: TypeAlias = list[list[list[int | str]]]


class PageRow(NamedTuple):
    """A row of a page by its name: the states of the features that are known, or why it has no answer.

    ``values`` are the texts of numbers that were given in place of states.
    """

    name: str
    states: Mapping[str, str] | None
    error: str = ""
    values: Mapping[str, str] = {}


def page_rows(classifier: BaseClassifier, rows: AnyInstances) -> list[PageRow]:
    """Return the rows of instances in any form that ``predict`` takes, named by their index or numbered."""
    given: Any = rows
    if (
        not isinstance(given, Mapping | str | bytes)
        and not hasattr(given, "iloc")
        and hasattr(given, "__next__")
    ):
        given = list(given)  # it is looked at twice
    encoded = encode_partial(classifier.feature_variables, given)
    names: Iterable[object] = given.index if encoded.form is Form.FRAME else range(len(encoded.rows))
    raw = _raw_texts(classifier, given, encoded.form)
    variables = classifier.feature_variables
    return [
        PageRow(
            as_text(name),
            {v.name: v.states[at] for v, at in zip(variables, row, strict=True) if at != MISSING},
            values={feature: texts[number] for feature, texts in raw.items() if texts[number]},
        )
        for number, (name, row) in enumerate(zip(names, encoded.rows.tolist(), strict=True))
    ]


def _raw_texts(classifier: BaseClassifier, given: Any, form: Form) -> dict[str, list[str]]:
    """Return, of the features that are numbers in intervals, the texts of the numbers that rows gave."""
    found = {}
    for feature in classifier.feature_variables:
        scale = scale_of(feature.states)
        if not isinstance(scale, Intervals):
            continue
        if form is Form.FRAME:
            column = list(given[feature.name]) if feature.name in given.columns else []
        elif form is Form.LIST or isinstance(given, Mapping):
            some = given if form is Form.LIST else [given]
            column = [row.get(feature.name) if hasattr(row, "get") else None for row in some]
        else:
            continue
        states = set(feature.states)
        found[feature.name] = [
            "" if is_missing(value) or str(value) in states else scale.value_text(value) for value in column
        ]
    return {name: texts for name, texts in found.items() if any(texts)}


def check_rows(rows: Sequence[PageRow]) -> None:
    """Refuse more rows than a page can hold, or none."""
    if not rows:
        raise InstanceError("there is no row for the page")
    if len(rows) > MAX_ROWS:
        remedy = "choose some of them"
        raise LimitExceeded(f"there are {len(rows)} rows, a page can hold {MAX_ROWS}; {remedy}")


def rows_data(
    classifier: BaseClassifier, rows: Sequence[PageRow], labels: Mapping[int, int], errors: Mapping[int, str]
) -> dict[str, Any]:
    """Return the rows for a page: each has a name, a label (-1: none) and the place of its states.

    ``labels`` and ``errors`` have what is known of each different one (see ``distinct``), by its place.
    """
    different, places = distinct(classifier, rows)
    failed = {number: row.error for number, row in enumerate(rows) if row.states is None}
    failed |= {number: errors[at] for number, at in enumerate(places) if at in errors}
    features = classifier.features
    return {
        "names": [row.name for row in rows],
        "labels": [-1 if number in failed else labels[at] for number, at in enumerate(places)],
        "at": places,
        "states": different,
        "errors": {str(number): text for number, text in sorted(failed.items())},
        "values": {
            str(number): [row.values.get(name) for name in features]
            for number, row in enumerate(rows)
            if row.values
        },
    }


def distinct(classifier: BaseClassifier, rows: Sequence[PageRow]) -> tuple[list[list[int]], list[int]]:
    """Return the different rows as positions of states, and for each row which it is (-1: it has none)."""
    variables = classifier.feature_variables
    known: dict[tuple[int, ...], int] = {}
    places = []
    for row in rows:
        own = row.states
        if own is None:
            places.append(-1)
            continue
        key = tuple(v.states.index(own[v.name]) if v.name in own else MISSING for v in variables)
        places.append(known.setdefault(key, len(known)))
    return [list(key) for key in known], places


def recorded_data(
    classifier: BaseClassifier,
    explain: Explain,
    rows: Sequence[PageRow],
    limit: int | None,
    time_limit: float | None,
    progress: Progress,
    constraint: str | None,
) -> dict[str, Any]:
    """Return everything that a page says of some rows, ready for JSON, each within the time limit.

    A row whose decision is not known in time has an error. Of each list there are at most ``limit`` reasons.
    """
    check_rows(rows)
    different, _ = distinct(classifier, rows)
    answers: list[dict[str, Any] | None] = []
    errors: dict[int, str] = {}
    with reporting(progress) as report:
        for at, row in enumerate(different):
            checkpoint()
            if report is not None:
                report("explain", at / len(different))
            names = zip(classifier.feature_variables, row, strict=True)
            instance = {v.name: v.states[state] for v, state in names if state != MISSING}
            try:
                answers.append({"states": row, **_answer(classifier, explain, instance, limit, time_limit)})
            except LimitExceeded as error:
                answers.append(None)
                errors[at] = str(error)
    labels = {at: answer["label"] for at, answer in enumerate(answers) if answer is not None}
    seconds = "" if time_limit is None else f", within {time_limit:g} s each"
    return {
        "name": classifier.network.name,
        "target": classifier.target,
        "features": features_data(classifier.feature_variables),
        "classes": list(classifier.classes),
        "several": len(classifier.classes) + classifier.rule.leaves_ties > 2,
        "constraint": constraint,
        "rule": page_rule(classifier),
        "rows": rows_data(classifier, rows, labels, errors),
        "answers": answers,
        "source": f"The answers on these rows were computed beforehand{seconds}.",
    }


def _answer(
    classifier: BaseClassifier,
    explain: Explain,
    instance: dict[str, str],
    limit: int | None,
    time_limit: float | None,
) -> dict[str, Any]:
    """Return what a page says of one row."""
    budget = Budget(time_limit)
    with budget.limiting("the decision is not known"):
        explanation = explain(instance)
    data = explanation_data(explanation, None, limit, budget, formulas=False, exact=False)
    lists = {key: {"items": _items(classifier, data[kind]), "cut": data["cut"][kind]} for key, kind in _LISTS}  # type: ignore[literal-required]
    outcomes = _outcomes(explanation, data["general_necessary_reasons"])
    for own, general in (("sufficient", "generalSufficient"), ("necessary", "generalNecessary")):
        if lists[own] == lists[general]:
            del lists[general]
    caveat = caveat_within(explanation, budget.left() or 0.0)
    return {
        "label": label_of(classifier, explanation.decision),
        "possible": data["possible"],
        "posterior": list(data["posterior"].values()) if any(data["posterior"].values()) else None,
        "caveat": caveat,
        "reason": _items(classifier, [data["sufficient_reason"]])[0],
        "lists": lists,
        "outcomes": outcomes,
        "against": [_contrast(classifier, data, name) for name in classifier.classes],
        "nearest": _nearest(classifier, explanation, data),
        **_picture(classifier, explanation, budget),
        "scores": scores_data(explanation, classifier.features, budget.at_least(_SCORE_SECONDS)),
        "unproved": _unproved(classifier, data),
        "formulas": [data["complete_reason"], data["general_reason"]],
        "missing": could_do(explanation, budget.left() or _OUTCOME_SECONDS) if explanation.missing else [],
    }


def label_of(classifier: BaseClassifier, decision: object) -> int:
    """Return the position of a decision among the classes; that of "no class" is one beyond them."""
    return len(classifier.classes) if decision is None else classifier.class_labels.index(decision)


def _items(classifier: BaseClassifier, reasons: Iterable[Literals]) -> _Items:
    """Return reasons as literals of the classifier's features."""
    variables = {v.name: (at, v.states) for at, v in enumerate(classifier.feature_variables)}
    found = []
    for reason in reasons:
        literals: list[list[int | str]] = []
        for name, chosen in reason.items():
            at, states = variables[name]
            literals.append([at, mask_data(sum(1 << states.index(state) for state in chosen))])
        found.append(literals)
    return found


def _outcomes(explanation: BaseExplanation, reasons: Sequence[Literals]) -> list[list[int] | None]:
    """Return the decisions that violating each general necessary reason leads to; None where not known."""
    classifier, budget = explanation.classifier, Budget(_OUTCOME_SECONDS)
    found: list[list[int] | None] = []
    for reason in reasons:
        decisions: list[object] = []
        with suppress(LimitExceeded), budget.limiting("where changes lead is not known"):
            decisions = [decision for _, decision in explanation.changes(reason, _MOST_CHANGES + 1)]
        few = 0 < len(decisions) <= _MOST_CHANGES
        labels = dict.fromkeys(label_of(classifier, decision) for decision in decisions)
        found.append(list(labels) if few else None)
    return found


def _contrast(classifier: BaseClassifier, data: ExplanationData, name: str) -> dict[str, Any] | None:
    """Return why not a class; None for the class that is decided."""
    if name not in data["contrastive"]:
        return None
    contrast = data["contrastive"][name]
    message = contrast["message"]
    if message is not None:
        return {"message": f"{message[0].upper()}{message[1:]}."}
    return {"items": _items(classifier, contrast["reasons"]), "cut": contrast["cut"]}


def _nearest(
    classifier: BaseClassifier, explanation: BaseExplanation, data: ExplanationData
) -> dict[str, Any] | None:
    """Return the nearest other decision; None where nothing changes it."""
    nearest, route = data["robustness"], explanation.route
    if "cut" in nearest:
        return {"cut": nearest["cut"]}
    witness = nearest["witness"]
    if witness is None:
        return None
    variables = classifier.feature_variables
    states = [v.states.index(witness[v.name]) if v.name in witness else MISSING for v in variables]
    label = int(route.labels(np.array([route.domain.encode(witness)], dtype=np.intp))[0])
    return {"states": states, "label": label, "possible": nearest["possible"]}


def _picture(classifier: BaseClassifier, explanation: BaseExplanation, budget: Budget) -> dict[str, Any]:
    """Return the reason that the picture shades, and the states that its way out leads to."""
    place, names = {name: at for at, name in enumerate(classifier.features)}, explanation.route.domain.names
    found: dict[str, Any] = {"shaded": None, "out": None}
    with suppress(LimitExceeded):
        reason = widest_reason(explanation, budget.share(0.5))
        found["shaded"] = [[place[names[f]], mask_data(mask)] for f, mask in reason.masks.items()]
        way = way_out(explanation, None, budget.left())
        found["out"] = [[place[names[f]], mask_data(mask), way.nearest[f]] for f, mask in way.states.items()]
    return found


def _unproved(classifier: BaseClassifier, data: ExplanationData) -> dict[str, dict[str, Any]]:
    """Return, by list and position, the features of a reason that are not proved to be needed."""
    found: dict[str, dict[str, Any]] = {}
    for entry in data["unproved"]:
        key, position = entry["key"], entry["position"]
        listed = [data["sufficient_reason"]] if key == "sufficient_reason" else data[key]  # type: ignore[literal-required]
        features = [classifier.features.index(name) for name in entry["features"]]
        found.setdefault(key, {})[str(position)] = {"features": features, "size": len(listed[position])}
    return found
