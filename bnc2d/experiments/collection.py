"""Every public network that is small enough: its leaves as features, each of its roots as target."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from bnc2d.experiments.networks import PUBLIC, network_paths
from bnc2d.experiments.problems import read_quietly
from bnc2d.experiments.report.sections import Cell, Section, Table
from bnc2d.experiments.running.jobs import Job, Record
from bnc2d.experiments.running.journal import Records, is_solved

MAX_LOG2_INSTANCES = 34.0
_PREFIX = "collection"


def chosen(limit: float = MAX_LOG2_INSTANCES) -> list[str]:
    """Return the networks whose leaves have at most ``2**limit`` instances, the smallest first."""
    names = sorted(PUBLIC, key=lambda name: (PUBLIC[name].log2_instances, PUBLIC[name].variables))
    return [name for name in names if PUBLIC[name].log2_instances <= limit]


def jobs(
    methods: Sequence[str],
    records: Records,  # noqa: ARG001 - all jobs are known from the start
    *,
    networks: Iterable[str] | None = None,
) -> list[Job]:
    """Return a job for every root of every network; by default of all that are small enough.

    Networks that are not in the cache are fetched. A root that is a leaf too is connected to nothing: it is
    a feature, but no target.
    """
    paths = network_paths(chosen() if networks is None else networks)
    sources = [{"network": name, "target": target} for name in paths for target in _targets(paths[name])]
    return [
        Job("/".join((_PREFIX, *source.values())), "argmax", method, {"network": source})
        for source in sources
        for method in methods
    ]


@cache  # files of the cache of networks do not change
def _targets(path: Path) -> tuple[str, ...]:
    network = read_quietly(path)
    return tuple(root for root in network.roots if network.children(root))


def sections(records: Records) -> list[Section]:
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
    not_tried: dict[str, Cell] = {"method": "not tried: too many instances"}
    rows += [_size(name) | not_tried for name in left_out if all(name != known for known, _ in groups)]
    details = [
        _detail(name, target, method, record)
        for (name, method), found in by_size
        for target, record in found.items()
    ]
    solved = sum(is_solved(record) for found in groups.values() for record in found.values())
    text = (
        f"The {len(PUBLIC)} networks of the bnlearn repository, with all leaves as features and argmax as "
        f"the rule; every root that has children is a target once. {solved} of {len(details)} runs are "
        f"solved. Networks whose leaves have more than 2^{MAX_LOG2_INSTANCES:g} instances were not tried: "
        f"{', '.join(left_out)}. Nodes are those of the formulas of all classes together."
    )
    more = "The same runs one by one; seconds are those of the whole compilation, reading excluded."
    return [
        Section("Multi-class targets: the public networks", text, (Table.of(rows),)),
        Section("Multi-class targets: every target", more, (Table.of(details),)),
    ]


def _summary(name: str, method: str, records: Sequence[Record]) -> dict[str, Cell]:
    solved = [record for record in records if is_solved(record)]
    timeouts = sum(record["status"] == "timeout" for record in records)
    seconds = [record["seconds"] for record in solved]
    return _size(name) | {
        "method": method,
        "targets": len(records),
        "solved": len(solved),
        "timeouts": timeouts,
        "other ends": len(records) - len(solved) - timeouts,
        "median s": statistics.median(seconds) if solved else None,
        "largest s": max(seconds, default=None),
        "nodes, all targets": sum(sum(record["class_nodes"]) for record in solved) if solved else None,
        "largest peak MiB": max((record["peak_mib"] for record in solved), default=None),
    }


def _size(name: str) -> dict[str, Cell]:
    facts = PUBLIC[name]
    return {"network": name, "features": facts.leaves, "instances": f"2^{facts.log2_instances:.1f}"}


def _detail(name: str, target: str, method: str, record: Record) -> dict[str, Cell]:
    known = record if is_solved(record) else {}
    counts = known.get("class_models", ())
    return {
        "network": name,
        "target": target,
        "method": method,
        "classes": len(counts) if known else None,
        "classes met": sum(count > 0 for count in counts) if known else None,
        "status": str(record["message"]) if record["status"] == "error" else record["status"],
        "seconds": known.get("seconds"),
        "nodes": sum(known["class_nodes"]) if known else None,
        "instances": known.get("instances"),
        "peak MiB": known.get("peak_mib"),
    }
