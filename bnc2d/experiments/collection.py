"""Every public network that is small enough: its leaves as features, each of its roots as target."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from bnc2d.experiments.networks import PUBLIC, network_paths
from bnc2d.experiments.problems import read_quietly
from bnc2d.experiments.report.sections import Cell, Section, Table
from bnc2d.experiments.running.jobs import Job, Record
from bnc2d.experiments.running.journal import Key

MAX_LOG2_INSTANCES = 34.0
_PREFIX = "collection"


def chosen(limit: float = MAX_LOG2_INSTANCES) -> list[str]:
    """Return the networks whose leaves have at most ``2**limit`` instances, the smallest first."""
    names = sorted(PUBLIC, key=lambda name: (PUBLIC[name].log2_instances, PUBLIC[name].variables))
    return [name for name in names if PUBLIC[name].log2_instances <= limit]


def jobs(
    methods: Sequence[str],
    records: Mapping[Key, Record],  # noqa: ARG001 - all jobs are known from the start
    *,
    networks: Iterable[str] | None = None,
) -> list[Job]:
    """Return a job for every root of every network; by default of all that are small enough.

    Networks that are not in the cache are fetched. A root that is a leaf too is connected to nothing: it is
    a feature, but no target.
    """
    paths = network_paths(chosen() if networks is None else networks)
    found = []
    for name, path in paths.items():
        found += [
            Job(
                f"{_PREFIX}/{name}/{target}",
                "argmax",
                method,
                {"network": {"network": name, "target": target}},
            )
            for target in _targets(path)
            for method in methods
        ]
    return found


@cache  # files of the cache of networks do not change
def _targets(path: Path) -> tuple[str, ...]:
    network = read_quietly(path)
    return tuple(root for root in network.roots if network.children(root))


def sections(records: Mapping[Key, Record]) -> list[Section]:
    """Return what the records of these jobs say, network by network and target by target.

    Records of other jobs are passed over; without any of these there is nothing to say.
    """
    groups: dict[tuple[str, str], dict[str, Record]] = {}
    for (problem, _, method), record in records.items():
        prefix, _, rest = problem.partition("/")
        name, _, target = rest.partition("/")
        if prefix == _PREFIX and name in PUBLIC:
            groups.setdefault((name, method), {})[target] = record
    if not groups:
        return []
    order = {name: number for number, name in enumerate(chosen(float("inf")))}
    by_size = sorted(groups.items(), key=lambda group: (order[group[0][0]], group[0][1]))
    rows = [_summary(name, method, list(found.values())) for (name, method), found in by_size]
    left_out = [name for name in order if name not in chosen()]
    rows += [_left_out(name) for name in left_out if all(name != known for known, _ in groups)]
    details = [
        _detail(name, target, method, record)
        for (name, method), found in by_size
        for target, record in found.items()
    ]
    solved = sum(record["status"] == "ok" for found in groups.values() for record in found.values())
    text = (
        f"The {len(PUBLIC)} networks of the bnlearn repository, with all leaves as features and argmax as "
        f"the rule; every root that has children is a target once. {solved} of {len(details)} runs are "
        f"solved. Networks whose leaves have more than 2^{MAX_LOG2_INSTANCES:g} instances were not tried: "
        f"{', '.join(left_out)}. Nodes are those of the formulas of all classes together."
    )
    return [
        Section("Multi-class targets: the public networks", text, (Table(_SUMMARY, tuple(rows)),)),
        Section(
            "Multi-class targets: every target",
            "The same runs one by one; seconds are those of the whole compilation, reading excluded.",
            (Table(_DETAIL, tuple(details)),),
        ),
    ]


_SUMMARY = (
    "network",
    "features",
    "instances",
    "method",
    "targets",
    "solved",
    "timeouts",
    "other ends",
    "median s",
    "largest s",
    "nodes, all targets",
    "largest peak MiB",
)
_DETAIL = (
    "network",
    "target",
    "method",
    "classes",
    "classes met",
    "status",
    "seconds",
    "nodes",
    "instances",
    "peak MiB",
)


def _summary(name: str, method: str, records: Sequence[Record]) -> tuple[Cell, ...]:
    solved = [record for record in records if record["status"] == "ok"]
    timeouts = sum(record["status"] == "timeout" for record in records)
    counts = (len(records), len(solved), timeouts, len(records) - len(solved) - timeouts)
    if not solved:
        return (*_size(name), method, *counts, None, None, None, None)
    seconds = [record["seconds"] for record in solved]
    return (
        *_size(name),
        method,
        *counts,
        statistics.median(seconds),
        max(seconds),
        sum(sum(record["class_nodes"]) for record in solved),
        max(record["peak_mib"] for record in solved),
    )


def _left_out(name: str) -> tuple[Cell, ...]:
    return (*_size(name), "not tried: too many instances", *[None] * (len(_SUMMARY) - 4))


def _size(name: str) -> tuple[Cell, ...]:
    return name, PUBLIC[name].leaves, f"2^{PUBLIC[name].log2_instances:.1f}"


def _detail(name: str, target: str, method: str, record: Record) -> tuple[Cell, ...]:
    if record["status"] != "ok":
        failed = record["status"] == "error"
        status = str(record["message"]) if failed else record["status"]
        return name, target, method, None, None, status, None, None, None, None
    return (
        name,
        target,
        method,
        len(record["class_models"]),
        sum(count > 0 for count in record["class_models"]),
        "ok",
        record["seconds"],
        sum(record["class_nodes"]),
        record["instances"],
        record["peak_mib"],
    )
