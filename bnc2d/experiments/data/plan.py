"""Real data as an experiment: each data set with each structure is a job."""

from __future__ import annotations

import os
from collections.abc import Sequence

from bnc2d.experiments.data.sets import chosen, data_paths
from bnc2d.experiments.data.summary import sections
from bnc2d.experiments.data.train import STRUCTURES, check_libraries
from bnc2d.experiments.running.jobs import Job
from bnc2d.experiments.running.journal import Records

__all__ = ["jobs", "sections"]

_PREFIX = "data"


def jobs(
    methods: Sequence[str],
    records: Records,  # noqa: ARG001 - all jobs are known from the start
    *,
    pattern: str = "*",
    wheel: str | os.PathLike[str] | None = None,
) -> list[Job]:
    """Return a job for every data set whose name matches, every structure and every method.

    Data sets that are not in the cache are fetched, or taken from a file, the ``wheel``.
    """
    check_libraries()
    names = chosen(pattern)
    data_paths(names, wheel)
    return [
        Job(
            f"{_PREFIX}/{name}/{structure}",
            "argmax",
            method,
            {"data": {"name": name, "structure": structure}},
        )
        for name in names
        for structure in STRUCTURES
        for method in methods
    ]
