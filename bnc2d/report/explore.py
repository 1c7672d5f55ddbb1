"""A page to explore a model: one HTML file with the model and the logic in it, and nothing from outside.

The page's own script answers everything (decisions, reasons, what-if) from the circuits and the diagram in
the file. Of a model that is too large for that, or of a classifier that is not compiled, the page has the
answers on some rows, computed beforehand.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, Protocol, cast

from bnc2d.base.atomic import atomic_write
from bnc2d.base.budget import Progress
from bnc2d.base.readers.arguments import instance_of, seconds
from bnc2d.base.readers.arguments import limit as checked_limit
from bnc2d.base.readers.instances import AnyInstances
from bnc2d.compile.model import BaseCompiledModel
from bnc2d.draw.html import asset, digest, page
from bnc2d.draw.theme import style_sheet
from bnc2d.errors import ArgumentError, LimitExceeded
from bnc2d.explain.explanation import BaseExplanation
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.picture import draw_network
from bnc2d.report.data import page_data
from bnc2d.report.rows import PageRow, check_rows, distinct, label_of, page_rows, recorded_data, rows_data

_SCRIPTS = (
    "dom.js",
    "logic.js",
    "words.js",
    "inference.js",
    "primes.js",
    "unknown.js",
    "reasons.js",
    "scores.js",
    "answers.js",
    "story.js",
    "picture.js",
    "figure_bars.js",
    "figure.js",
    "circuit.js",
    "controls.js",
    "probabilities.js",
    "score_card.js",
    "lists.js",
    "rows.js",
    "view.js",
    "recorded.js",
    "start.js",
)
LISTED, ROW_SECONDS = 12, 5.0  # reasons a list and seconds a row, where answers are computed beforehand
_MOST_DRAWN = 150  # variables of a network that is drawn in a page


class Bounds(NamedTuple):
    """What bounds answers that are computed beforehand: under which constraint, and who hears how far."""

    limit: int | None = LISTED
    time_limit: float | None = ROW_SECONDS
    given: object = None
    progress: Progress = False


def page_html(
    model: BaseCompiledModel | BaseClassifier,
    rows: Sequence[PageRow] | None = None,
    bounds: Bounds = Bounds(),  # noqa: B008 - immutable
) -> str:
    """Return the page; the same model and rows always give the same text, but for what a time limit ends.

    >>> import bnc2d
    >>> model = bnc2d.Classifier(bnc2d.example("running"), "A", ["D", "E", "F"]).compile()
    >>> "default-src 'none'" in page_html(model)
    True
    """
    classifier = model.classifier if isinstance(model, BaseCompiledModel) else model
    return page_around(classifier, page_contents(model, rows, bounds))


def page_around(classifier: BaseClassifier, contents: dict[str, Any]) -> str:
    """Return the page with these contents."""
    logic = "\n".join(asset("bnc2d.report", name) for name in _SCRIPTS)
    script = f'\n"use strict";\n(() => {{\n{logic}}})();\n'
    # No HTML parser can take this for markup: it is in ASCII, without angle brackets or ampersands.
    packed = json.dumps(contents, ensure_ascii=True, separators=(",", ":"))
    data = packed.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    fields = {"data": data, "script": script, "network": _network(classifier)}
    title = f"{classifier.target}: explore the decisions"
    return page("bnc2d.report", title, f"script-src '{digest(script)}'", fields, "\n" + style_sheet())


def page_contents(
    model: BaseCompiledModel | BaseClassifier, rows: Sequence[PageRow] | None, bounds: Bounds
) -> dict[str, Any]:
    """Return the model with rows to choose from; or, where it is too large, the answers on the rows.

    ``["rows"]["errors"]`` has the rows without an answer, by their positions as text.
    """
    if isinstance(model, BaseCompiledModel):
        if rows is None:
            return page_data(model)
        check_rows(rows)
        with_unknown = any(row.states is not None and len(row.states) < len(model.features) for row in rows)
        with suppress(LimitExceeded):  # too large
            data = page_data(model)
            if data["network"] is not None or not with_unknown:
                return _with_rows(model, data, rows)
    if rows is None:
        remedy = "compile it, or give rows= (--csv FILE), which are then explained beforehand"
        raise ArgumentError(f"a page of a classifier that is not compiled needs rows: {remedy}")
    constraint: object
    if isinstance(model, BaseCompiledModel):
        classifier, constraint, explain = (
            model.classifier,
            model.constraint,
            cast("_Explaining", model).explain,
        )
    else:
        classifier, constraint = model, bounds.given
        explain = partial(cast("_Explaining", model).explain, given=constraint)
    shown = None if constraint is None else str(constraint)
    limit, time_limit = checked_limit(bounds.limit), seconds(bounds.time_limit)
    return recorded_data(classifier, explain, rows, limit, time_limit, bounds.progress, shown)


class _Explaining(Protocol):
    """What users hold in place of the base classes."""

    def explain(self, instance: dict[str, str], **options: Any) -> BaseExplanation: ...


def _with_rows(model: BaseCompiledModel, data: dict[str, Any], rows: Sequence[PageRow]) -> dict[str, Any]:
    """Return the data of a page with rows to choose from; it opens on the first."""
    different, places = distinct(model.classifier, rows)
    instances = {at: dict(row.states) for at, row in zip(places, rows, strict=True) if row.states is not None}
    decided = model.predict([instances[at] for at in range(len(different))])
    labels = {at: label_of(model.classifier, one) for at, one in enumerate(decided)}
    start = different[0] if different else data["start"]
    return {**data, "start": start, "rows": rows_data(model.classifier, rows, labels, {})}


def _network(classifier: BaseClassifier) -> str:
    """Return the picture of the network, to be unfolded; nothing where it is too large to be read."""
    if len(classifier.network) > _MOST_DRAWN:
        return ""
    figure = draw_network(classifier.network, classifier)
    if figure.is_summary:
        return ""
    # The policy of the page allows no styles but its own.
    svg = figure.svg().replace(' style="max-width:100%;height:auto"', "", 1)
    return f'<details id="network">\n<summary><h2>Network</h2></summary>\n{svg}</details>'


def write_page(
    model: BaseCompiledModel | BaseClassifier,
    path: str | os.PathLike[str],
    rows: AnyInstances | None = None,
    *,
    limit: int | None = LISTED,
    time_limit: float | None = ROW_SECONDS,
    given: object = None,
    progress: Progress = False,
) -> None:
    """Write the page to explore a model; the file appears whole or not at all.

    ``rows`` are instances to choose from, in any form that ``predict`` takes. Where the model is too large
    for a page, or ``model`` is a classifier that is not compiled, the page has the answers on these rows
    alone, computed beforehand: at most ``limit`` reasons a list within ``time_limit`` seconds a row; a row
    whose decision is not known in this time has an error. ``given`` is a constraint on a classifier, as for
    ``Classifier.explain`` (a compiled model has its own), ``progress`` as in ``compile``.
    """
    if not isinstance(model, BaseClassifier):
        instance_of(BaseCompiledModel, model, "model", "; Classifier.compile() gives one")
        if given is not None:
            raise ArgumentError("given= is for a classifier; CompiledModel.given() makes a model under it")
    classifier = model.classifier if isinstance(model, BaseCompiledModel) else model
    chosen = None if rows is None else page_rows(classifier, rows)
    bounds = Bounds(checked_limit(limit), seconds(time_limit), given, progress)
    atomic_write(path, page_html(model, chosen, bounds).encode())
