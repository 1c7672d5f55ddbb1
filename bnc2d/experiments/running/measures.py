"""What is read off records: which are solved, how long they took, where methods disagree."""

from __future__ import annotations

from typing import Any

from bnc2d.experiments.running.jobs import NOT_APPLICABLE, Record
from bnc2d.experiments.running.journal import Records

_PUBLISHED_PHASES = ("order", "tables", "formulas")


def is_solved(record: Record) -> bool:
    """Return whether the job ended with a model."""
    return bool(record["status"] == "ok")


def is_not_applicable(record: Record) -> bool:
    """Return whether the method is not made for such classifiers, which says nothing about its speed."""
    return record["status"] == "error" and str(record["message"]).startswith(NOT_APPLICABLE)


def is_refused(record: Record) -> bool:
    """Return whether there was nothing to compile: a bad problem or a damaged network."""
    return record["status"] == "error" and not is_not_applicable(record)


def seconds_of(record: Record) -> float:
    """Return the time of a solved job.

    For the method ``paper`` it is what Zhang and Darwiche measure, the trees, the tables and the class
    formulas without their negations; for every other method the whole compilation.
    """
    phases = record["phases"] or {}
    if record["method"] == "paper" and all(phase in phases for phase in _PUBLISHED_PHASES):
        return max(float(sum(phases[phase] for phase in _PUBLISHED_PHASES)), 1e-4)
    return max(float(record["seconds"]), 1e-4)  # records round to this


def disagreements(records: Records) -> list[tuple[str, str, dict[str, Any]]]:
    """Return problems that methods decide differently: the sizes of all classes by method.

    No two solved runs of a problem may differ in them, whatever the method.
    """
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for (problem, which, method), record in records.items():
        if is_solved(record):
            found.setdefault((problem, which), {})[method] = record["class_models"]
    return [
        (problem, which, models)
        for (problem, which), models in found.items()
        if any(one != next(iter(models.values())) for one in models.values())
    ]
