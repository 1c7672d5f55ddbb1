"""The tables and figures of the evaluation, each a section made from records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate, combinations
from statistics import geometric_mean, median

from bnc2d.experiments.report.plots import Series, plot
from bnc2d.experiments.report.published import REFERENCE, RUNS
from bnc2d.experiments.report.sections import Cell, Figure, Section, Table
from bnc2d.experiments.running.jobs import NOT_APPLICABLE, Record
from bnc2d.experiments.running.journal import (
    Records,
    disagreements,
    failed_checks,
    is_not_applicable,
    is_refused,
    is_solved,
    seconds_of,
)

_HOW_TIMED = (
    "Seconds are those of a whole compilation, every class with its formula, reading excluded. Only for the "
    "method paper they are what Zhang and Darwiche measure: the trees, the tables and the class formulas, "
    "without the negations and the diagram that our compiler adds."
)


def disagreement_section(records: Records) -> list[Section]:
    """Return a section that says where methods disagree, or none."""
    found = disagreements(records)
    rows: list[dict[str, Cell]] = [
        {"problem": problem, "threshold": which, "method": method, "instances": ", ".join(map(str, sizes))}
        for problem, which, models in found
        for method, sizes in models.items()
    ]
    text = (
        f"ERROR: the methods disagree on {len(found)} problems. Each must find the same number of instances "
        "in every class; at least one of them is wrong here, and nothing below should be trusted before this "
        "is resolved. Please report it."
    )
    return _unless_empty("Methods disagree", text, rows)


def failed_check_section(records: Records) -> list[Section]:
    """Return a section that says where explanations of real data are wrong, or none."""
    rows: list[dict[str, Cell]] = [
        {"run": record["problem"], "method": record["method"]}
        | {"routes differ": (record["data"].get("agreement") or {}).get("differ", 0)}
        | {"reasons wrong": (record["data"].get("checked") or {}).get("wrong", 0)}
        for record in failed_checks(records)
    ]
    text = (
        f"ERROR: explanations of {len(rows)} runs on real data are wrong: the compiled model and the network "
        "give different answers, or a reason does not hold when it is checked in a third way. Please report "
        "it."
    )
    return _unless_empty("Explanations that are wrong", text, rows)


def _unless_empty(title: str, text: str, *tables: Sequence[Mapping[str, Cell]]) -> list[Section]:
    """Return a section with the tables that have rows, if any has."""
    found = tuple(Table.of(rows) for rows in tables if rows)
    return [Section(title, text, found)] if found else []


def summary_section(records: Records, methods: Sequence[str]) -> Section:
    """Return who solved how much how fast, and the ratios on what two of them solved."""
    runs = _solved_runs(records, methods)
    counts = [_counts(method, [r for key, r in records.items() if key[2] == method]) for method in methods]
    limits = sorted({record["time_limit"] for record in records.values() if record.get("time_limit")})
    text = _HOW_TIMED
    if limits:
        text += f" The limit of a run was {' or '.join(f'{limit:g}' for limit in limits)} s."
    pairs = [row for first, second in combinations(runs, 2) if (row := _ratios(first, second, runs))]
    if pairs:
        text += (
            "\n\nThe last table compares geometric means on the problems that both have solved: above 1, "
            "the first is the faster one, or the one with smaller circuits."
        )
    spread = [_spread(name, list(found.values())) for name, found in runs.items() if found]
    return Section("Summary", text, tuple(Table.of(rows) for rows in (counts, spread, pairs) if rows))


def _counts(method: str, records: Sequence[Record]) -> dict[str, Cell]:
    found: dict[str, Cell] = {
        "method": method,
        "problems": len(records),
        "solved": sum(is_solved(record) for record in records),
        "timeout": sum(record["status"] == "timeout" for record in records),
    }
    if method != REFERENCE:  # whose file does not say more
        found["memory"] = sum(record["status"] == "memory" for record in records)
        found["refused"] = sum(is_refused(record) for record in records)
        found["not applicable"] = sum(is_not_applicable(record) for record in records)
    return found


def _spread(name: str, runs: Sequence[tuple[float, int | None]]) -> dict[str, Cell]:
    seconds = [spent for spent, _ in runs]
    nodes = [size for _, size in runs if size is not None]
    return {
        "method": name,
        "median s": median(seconds),
        "geometric mean s": geometric_mean(seconds),
        "largest s": max(seconds),
        "median nodes": median(nodes) if nodes else None,
        "largest nodes": max(nodes, default=None),
    }


# Seconds and nodes of what is solved, by method, then by problem and threshold.
_Runs = Mapping[str, Mapping[tuple[str, str], tuple[float, int | None]]]


def _solved_runs(records: Records, methods: Sequence[str]) -> _Runs:
    runs: dict[str, dict[tuple[str, str], tuple[float, int | None]]] = {method: {} for method in methods}
    for (problem, which, method), record in records.items():
        if is_solved(record):
            runs[method][problem, which] = seconds_of(record), record["nodes"]
    return runs


def _ratios(first: str, second: str, runs: _Runs) -> dict[str, Cell] | None:
    common = sorted(runs[first].keys() & runs[second].keys())
    if not common:
        return None
    sizes = [(runs[first][key][1], runs[second][key][1]) for key in common]
    known = [theirs / ours for ours, theirs in sizes if ours and theirs]
    return {
        "first": first,
        "second": second,
        "both solved": len(common),
        "seconds, second / first": geometric_mean(runs[second][k][0] / runs[first][k][0] for k in common),
        "nodes, second / first": geometric_mean(known) if known else None,
    }


def refused_section(records: Records, networks: Mapping[str, str]) -> list[Section]:
    """Return what was refused and why, or nothing; ``networks`` gives the network's file of a problem."""
    refused: dict[tuple[str, str], set[str]] = {}
    for (problem, _, method), record in records.items():
        if is_refused(record):
            refused.setdefault((problem, str(record["message"])), set()).add(method)
    text = (
        "These problems could not be compiled. A network whose columns do not sum to 1 is damaged: what it "
        "would say after a repair is a guess, so it takes part only on request (--normalise)."
    )
    rows = [
        {"problem": name, "network": networks.get(name), "reason": why, "methods": ", ".join(sorted(methods))}
        for (name, why), methods in sorted(refused.items())
    ]
    return _unless_empty("Refused", text, rows)


def unsolved_section(records: Records) -> list[Section]:
    """Return what hit a limit and which methods are not made for which problems, or nothing."""
    late: list[dict[str, Cell]] = [
        {"problem": problem, "threshold": which, "method": method, "status": record["status"]}
        | {"limit s": record.get("time_limit"), "message": record["message"]}
        for (problem, which, method), record in records.items()
        if record["status"] in ("timeout", "memory")
    ]
    reasons = Counter(
        (method, str(record["message"]).removeprefix(NOT_APPLICABLE))
        for (_, _, method), record in records.items()
        if is_not_applicable(record)
    )
    unfit: list[dict[str, Cell]] = [
        {"method": method, "problems": count, "not applicable because": reason}
        for (method, reason), count in reasons.items()
    ]
    text = (
        "Runs that ended at a limit, and problems that a method is not made for; the latter are not failures."
    )
    return _unless_empty("Unsolved", text, late, unfit)


def cactus_section(records: Records, methods: Sequence[str]) -> Section:
    """Return how many problems are solved in how much time in all, the easiest first."""
    series = []
    for name, runs in _solved_runs(records, methods).items():
        seconds = sorted(seconds for seconds, _ in runs.values())
        known = sum(method == name for _, _, method in records)
        label = f"{name} ({known} problems known)" if name == REFERENCE else name
        series.append(Series(label, range(1, len(seconds) + 1), list(accumulate(seconds)), "step"))
    total = len({(problem, which) for problem, which, _ in records})
    caption = f"Solved problems, of {total}, against cumulative time, the easiest problems first."
    title = "Solved problems against cumulative time"
    picture = plot(title, "problems solved", "seconds in all", series, log_y=True)
    return Section("Solved problems over time", _HOW_TIMED, (), (Figure("cactus", caption, picture),))


def size_section(records: Records, methods: Sequence[str]) -> Section:
    """Return the size of circuits against the number of instances, of the class and of all."""
    in_class, of_all = [], []
    for method in methods:
        solved = [r for (_, _, name), r in records.items() if name == method and is_solved(r)]
        points = [(models, nodes) for record in solved for models, nodes in _class_sizes(record)]
        in_class.append(Series(method, [x for x, _ in points], [y for _, y in points], "points"))
        instances, nodes = ([record[name] for record in solved] for name in ("instances", "nodes"))
        of_all.append(Series(method, instances, nodes, "points"))
    text = (
        "The circuit of the positive class; where a target has several classes and no threshold, the circuit "
        "of each class, and their sum against all instances. Empty classes are not shown."
    )
    pictures = (
        ("size-class", "Circuits and their classes", "instances in the class", in_class),
        ("size-instances", "Circuits and instance spaces", "all instances", of_all),
    )
    figures = tuple(
        Figure(
            name,
            f"Nodes against the number of {axis}.",
            plot(title, axis, "nodes of the circuit", series, log_x=True, log_y=True),
        )
        for name, title, axis, series in pictures
    )
    return Section("Circuit sizes", text, (), figures)


def _class_sizes(record: Record) -> Iterable[tuple[int, int]]:
    if record["models"] is not None:
        return [(record["models"], record["nodes"])]
    return zip(record["class_models"], record["class_nodes"], strict=True)


def leaves_section(records: Records, network: str, targets: Mapping[str, str]) -> Section:
    """Return time and size of every target of a network, all leaves being features.

    ``targets`` gives the target of each of these problems; records come in the order of the methods.
    """
    published = {target: run for (name, target), run in RUNS.items() if name == network.lower()}
    methods = list(dict.fromkeys(method for problem, _, method in records if problem in targets))
    beside = ("in the paper", "its instances", "its s", "its nodes", "2019's s", "2019's nodes")
    rows = []
    for problem, target in targets.items():
        runs = [records.get((problem, "0.5", method)) for method in methods]
        models = next((run["models"] for run in runs if run is not None and is_solved(run)), None)
        row: dict[str, Cell] = {"target": target, "instances": models}
        for method, run in zip(methods, runs, strict=True):
            row[f"{method} s"], row[f"{method} nodes"] = _time_and_size(run)
        if published:
            row |= zip(beside, published.get(target, [None] * 6), strict=True)
        rows.append(row)
    text = f"Every target of {network} in the suite, threshold 0.5, all leaves as features. {_HOW_TIMED}"
    if published:
        text += (
            "\n\nBeside are the figures that the paper prints, with times on its authors' machine, and those "
            "of the compiler by Shih, Choi and Darwiche (2019). The paper names targets by initials only; "
            "they stand beside the target whose label in the network's file has these initials. Where it "
            "prints a number of instances that is not ours, its classifier is not the same."
        )
    return Section(f"All leaves of {network}", text, (Table.of(rows),))


def _time_and_size(record: Record | None) -> tuple[Cell, Cell]:
    if record is None:
        return None, None
    if is_solved(record):
        return seconds_of(record), record["nodes"]
    if record["status"] == "timeout" and record.get("time_limit"):
        return f">{record['time_limit']:g}", None
    return "not applicable" if is_not_applicable(record) else record["status"], None
