"""What the runs on real data say: a table of totals, then accuracy, compilations and explanations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from bnc2d.experiments.data.measure import LISTED, ROWS
from bnc2d.experiments.data.train import BINS, STRUCTURES
from bnc2d.experiments.report.plots import Series, plot
from bnc2d.experiments.report.sections import Cell, Figure, Section, Table
from bnc2d.experiments.running.jobs import Record
from bnc2d.experiments.running.journal import Records, is_solved

NAMES = {"naive": "naive Bayes", "tan": "TAN"}


class Run(NamedTuple):
    """A record with what was measured on the data, which a run that failed before has not."""

    record: Record
    data: dict[str, Any]

    @property
    def answers(self) -> dict[str, Any]:
        """What was found about the rows: by the compiled model, or else by the network."""
        return self.data.get("compiled") or self.data.get("network") or {}


def sections(records: Records) -> list[Section]:
    """Return what the records of these jobs say; those of other jobs are passed over."""
    own = [record for record in records.values() if "data" in (record.get("source") or {})]
    if not own:
        return []
    runs = [Run(record, record["data"]) for record in own if "network" in (record.get("data") or {})]
    found = [_totals(own, runs)]
    failed = [record for record in own if "network" not in (record.get("data") or {})]
    if failed:
        rows: list[dict[str, Cell]] = [
            {"run": str(record["problem"]), "status": str(record["status"]), "message": record["message"]}
            for record in failed
        ]
        text = "These ended before any row was explained."
        found.append(Section("Real data: runs that failed", text, (Table.of(rows),)))
    if runs:
        found += [_classifiers(runs), _compilations(runs), _explanations(runs)]
    return found


def _totals(own: Sequence[Record], runs: Sequence[Run]) -> Section:
    sizes: list[dict[str, Cell]] = []
    checks: list[dict[str, Cell]] = []
    for structure in STRUCTURES:
        some = [run for run in runs if run.data["structure"] == structure]
        total = _adder(some)
        sizes.append(
            {
                "structure": NAMES[structure],
                "data sets": len(some),
                "compiled": sum(is_solved(run.record) for run in some),
                "held-out rows": sum(run.data["held_out"] for run in some),
                "unlike the library": sum(run.data["source_differs"] for run in some),
                "rows explained": sum(run.answers["rows"] for run in some),
                "shortest found": sum(run.answers["shortest"] for run in some),
            }
        )
        compared = ("decisions", "shortest", "lists")
        checks.append(
            {
                "structure": NAMES[structure],
                "answers compared": sum(total("agreement", name) for name in compared),
                "differing": total("agreement", "differ"),
                "reasons checked": total("checked", "reasons"),
                "wrong": total("checked", "wrong"),
                "proved shortest": total("checked", "proved_shortest"),
                "completions": total("checked", "completions"),
                "unlike": total("checked", "completions_differ"),
            }
        )
    limits = sorted({record["time_limit"] for record in own if record.get("time_limit")})
    text = _TEXT.format(limits=" or ".join(f"{limit:g}" for limit in limits))
    return Section("Real data", text, (Table.of(sizes), Table.of(checks)))


def _adder(runs: Sequence[Run]) -> Callable[[str, str], int]:
    return lambda part, name: sum(int((run.data.get(part) or {}).get(name, 0)) for run in runs)


def _classifiers(runs: Sequence[Run]) -> Section:
    by_set: dict[str, dict[str, dict[str, Any]]] = {}
    for run in runs:
        by_set.setdefault(run.data["set"], {})[run.data["structure"]] = run.data
    rows: list[dict[str, Cell]] = []
    for name, found in by_set.items():
        any_one = next(iter(found.values()))
        rows.append(
            {
                "data set": name,
                "rows": any_one["rows"],
                "features": any_one["features"],
                "most states": any_one["states"],
                "instances": f"2^{any_one['log2_instances']:.1f}",
                "classes": any_one["classes"],
                "missing": any_one["missing"] or None,
                "most frequent class": round(any_one["most_frequent"], 3),
                **{
                    NAMES[one]: round(found[one]["accuracy"], 3) if one in found else None
                    for one in STRUCTURES
                },
            }
        )
    return Section("Real data: accuracy on held-out rows", _ABOUT_CLASSIFIERS, (Table.of(rows),))


def _compilations(runs: Sequence[Run]) -> Section:
    rows: list[dict[str, Cell]] = []
    for run in runs:
        known = run.record if is_solved(run.record) else {}
        rows.append(
            {
                **_named(run, runs),
                "features": run.data["features"],
                "instances": f"2^{run.data['log2_instances']:.1f}",
                "status": run.record["status"],
                "seconds": known.get("cpu_seconds"),
                "diagram nodes": known.get("diagram_nodes"),
                "NNF nodes": sum(known["class_nodes"]) if known else None,
                "peak MiB": known.get("peak_mib"),
            }
        )
    series = []
    for structure in STRUCTURES:
        points = [
            (run.data["log2_instances"], run.record["cpu_seconds"])
            for run in runs
            if run.data["structure"] == structure and is_solved(run.record)
        ]
        series.append(Series(NAMES[structure], [x for x, _ in points], [y for _, y in points], "points"))
    title = "Compiling classifiers of real data"
    picture = plot(title, "instances, log2", "seconds", series, log_y=True)
    caption = "Seconds of each compilation that ended, against the number of instances of the features."
    figure = Figure("data-compile", caption, picture)
    return Section("Real data: compilations", _ABOUT_COMPILATIONS, (Table.of(rows),), (figure,))


def _explanations(runs: Sequence[Run]) -> Section:
    rows: list[dict[str, Cell]] = []
    for run in runs:
        compiled, network = run.data.get("compiled") or {}, run.data["network"]
        answers = run.answers
        cut = answers["rows"] - answers["complete"]
        rows.append(
            {
                **_named(run, runs),
                "features": run.data["features"],
                "found, model": _found(compiled),
                "found, network": _found(network),
                "its length": answers["length"],
                "longest": answers["longest"],
                "reasons a row": answers["reasons"],
                "rows cut": cut or None,
                "first ms, model": _milliseconds(compiled.get("first_seconds")),
                "first ms, network": _milliseconds(network["first_seconds"]),
                "shortest ms, model": _milliseconds(compiled.get("shortest_seconds")),
                "shortest ms, network": _milliseconds(network["shortest_seconds"]),
            }
        )
    figures = (
        _seconds_figure("first", "one sufficient reason", runs),
        _seconds_figure("shortest", "the shortest sufficient reason", runs),
        _length_figure(runs),
    )
    return Section("Real data: explanations", _ABOUT_EXPLANATIONS, (Table.of(rows),), figures)


def _found(answers: dict[str, Any]) -> str | None:
    return f"{answers['shortest']} of {answers['rows']}" if answers else None


def _milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else float(f"{1000 * seconds:.2g}")


def _named(run: Run, runs: Sequence[Run]) -> dict[str, Cell]:
    named: dict[str, Cell] = {"data set": run.data["set"], "structure": NAMES[run.data["structure"]]}
    if len({one.record["method"] for one in runs}) > 1:
        named["method"] = run.record["method"]
    return named


def _seconds_figure(question: str, what: str, runs: Sequence[Run]) -> Figure:
    series = []
    for structure in STRUCTURES:
        for route, label in (("compiled", "compiled model"), ("network", "network")):
            points = [
                (run.data["features"], run.data[route][f"{question}_seconds"])
                for run in runs
                if run.data["structure"] == structure and run.data.get(route)
            ]
            name = f"{NAMES[structure]}, {label}"
            series.append(Series(name, [x for x, _ in points], [y for _, y in points], "points"))
    title = f"Seconds for {what}"
    caption = f"{title}: the median over the rows of a data set, against its features."
    return Figure(f"data-{question}", caption, plot(title, "features", "seconds a row", series, log_y=True))


def _length_figure(runs: Sequence[Run]) -> Figure:
    series = []
    for structure in STRUCTURES:
        points = [
            (run.data["features"], run.answers["length"])
            for run in runs
            if run.data["structure"] == structure and run.answers["length"] is not None
        ]
        series.append(Series(NAMES[structure], [x for x, _ in points], [y for _, y in points], "points"))
    title = "Length of the shortest sufficient reason"
    caption = f"{title}: the median over the rows of a data set, against its features."
    return Figure("data-length", caption, plot(title, "features", "features in the reason", series))


_TEXT = (
    "Public data sets of the KEEL repository; naive Bayes trained by scikit-learn, TAN by pyAgrum, on three "
    "quarters of the rows. Each classifier is compiled within {limits} s, and "
    f"up to {ROWS} held-out rows are explained twice: by the compiled model, and by questions to the "
    "network, for which nothing is compiled. Unlike the library counts held-out rows that it decides "
    "otherwise; its floats may round a tie.\n\n"
    "Answers compared are decisions, shortest reasons and complete lists of reasons that both routes gave. "
    "Reasons checked were found to decide and to be minimal in a third way that shares no code with the "
    "others: the worst case of one class against another, by a pass over the tree of features, in exact "
    "fractions where logarithms are close. Proved shortest says how often all smaller parts could be tried "
    "as well. Completions are random instances with a reason, put before the library; unlike are those that "
    "it decides otherwise."
)
_ABOUT_CLASSIFIERS = (
    f"Columns of numbers with more than five values are cut into up to {BINS} bins at quantiles of the "
    "training rows; every value of another column is a state, and a missing value is one of its own. Most "
    "frequent class is what always saying this class would get right."
)
_ABOUT_COMPILATIONS = (
    "Seconds are those of the processor for the whole compilation, training excluded; nodes are those of the "
    "decision diagram, and of the formulas of all classes together. Peak memory includes the libraries that "
    "train."
)
_ABOUT_EXPLANATIONS = (
    "For how many of the rows explained the shortest sufficient reason was found, by either route. By the "
    "compiled model where there is one, else by the network: its median and greatest length, and the median "
    f"number of sufficient reasons, of which {LISTED} at most are listed. Rows cut had more, or ran out of "
    "time. Times are medians over the rows, of the processor, each question asked anew; where the shortest "
    "was not found, those until the search was ended. A single question may take a tenth of the limit, but "
    "at least a second."
)
