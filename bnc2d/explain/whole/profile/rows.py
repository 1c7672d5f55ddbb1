"""How far rows are from another decision, all of them in one pass over the diagram."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bnc2d.base.arrays import Numbers, Rows, joined, take
from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct_rows
from bnc2d.base.readers.instances import Encoded, Form, in_the_same_form
from bnc2d.base.readers.missing import MISSING
from bnc2d.base.scales import Label
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.explain.explanation import BaseExplanation
from bnc2d.explain.routes import Route
from bnc2d.logic.diagram.distances import row_distances


def distances_in_turn(
    model: BaseCompiledModel, rows: Rows, labels: Numbers, target: int | None = None
) -> Iterator[Numbers]:
    """Yield how far complete rows with labels that count are from other labels, some rows after the other.

    With ``target`` it is how far they are from that label. -1 stands for none.
    """
    known = len(decisions(model))
    wanted = np.zeros((len(rows), model.diagram.terminals), dtype=bool)
    if target is None:
        wanted[:, :known] = labels[:, None] != np.arange(known)
    else:
        wanted[:, target] = True
    return row_distances(model.diagram, rows, wanted)


def distances_of(model: BaseCompiledModel, rows: Rows, labels: Numbers, target: int | None = None) -> Numbers:
    """Return how far complete rows are from other labels; equal rows are asked once."""
    row_ids, first = distinct_rows(rows)
    found = distances_in_turn(model, take(rows, first), take(labels, first), target)
    return take(joined([np.zeros(0, dtype=np.int64), *found]), row_ids)


def robustness_of(
    model: BaseCompiledModel,
    route: Route,
    instances: object,
    encoded: Encoded,
    labels: Numbers,
    towards: Label | None,
    time_limit: float | None,
) -> object:
    """Return the distance of each instance, in the form in which they came (see ``CompiledModel``)."""
    target = None if towards is None else model.label(towards)
    budget = Budget(time_limit)
    rows = encoded.rows
    is_partial = (rows == MISSING).any(axis=1)
    distances = np.zeros(len(rows), dtype=np.int64)
    with budget.limiting("the robustness of these rows is not known"):
        distances[~is_partial] = distances_of(model, rows[~is_partial], labels[~is_partial], target)
        known: dict[tuple[int, ...], int] = {}
        for place in np.flatnonzero(is_partial).tolist():
            checkpoint()
            row = tuple(rows[place].tolist())
            if row not in known:
                known[row] = _of_partial(model, route, row, towards)
            distances[place] = known[row]
    answers = np.empty(len(rows), dtype=object)
    answers[:] = [None if distance < 0 else distance for distance in distances.tolist()]
    found = in_the_same_form(answers, encoded.form, instances, "robustness")
    return found.astype("Int64") if encoded.form is Form.FRAME else found


def _of_partial(model: BaseCompiledModel, route: Route, row: tuple[int, ...], towards: Label | None) -> int:
    """Return the distance of what is known of a row, by the classifier over the features known."""
    states = zip(model.domain.names, model.domain.states, row, strict=True)
    instance = {name: values[at] for name, values, at in states if at != MISSING}
    distance = BaseExplanation(route, instance).robustness(towards).distance
    return -1 if distance is None else distance
