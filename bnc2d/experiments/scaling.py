"""Beyond the paper: what compiling takes as the number of features grows, on synthetic classifiers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bnc2d.api.classifier import Classifier
from bnc2d.errors import ClassifierError
from bnc2d.experiments.report.plots import Series, plot
from bnc2d.experiments.report.sections import Cell, Figure, Section, Table
from bnc2d.experiments.running.jobs import Job, Record
from bnc2d.experiments.running.journal import Records, is_solved
from bnc2d.model.network import BayesianNetwork
from bnc2d.testing import random_latent_tree, random_naive_bayes, random_noisy_or, random_tan


def synthetic_classifier(family: str, features: int, states: int, classes: int, seed: int) -> Classifier:
    """Return the classifier of a family with this many features, states a feature and classes.

    The same arguments always give the same classifier. Its target is ``Y``, its features ``X0``, ``X1``, …
    """
    network = FAMILIES[family](seed, features, states, classes)
    return Classifier(network, "Y", [f"X{number}" for number in range(features)])


def _noisy_or(seed: int, features: int, states: int, classes: int) -> BayesianNetwork:
    if (states, classes) != (2, 2):
        raise ClassifierError(f"a noisy-or network is binary, not of {states} states and {classes} classes")
    return random_noisy_or(seed, features)


FAMILIES: Mapping[str, Callable[[int, int, int, int], BayesianNetwork]] = {
    "noisy-or": _noisy_or,
    "naive-bayes": random_naive_bayes,
    "tan": random_tan,
    "random-tree": random_latent_tree,
}

# How many features, by the number of their states: 2^40 instances at most.
FEATURES: Mapping[int, Sequence[int]] = {
    2: range(8, 41, 4),
    3: range(6, 23, 2),
    4: range(6, 19, 2),
    6: range(4, 13, 2),
}
SHAPES = ((2, 2), (2, 6), (3, 3), (4, 2), (6, 6))  # states, classes
SEEDS = 3
_PREFIX = "scaling"
_NAME_PARTS = ("family", "features", "states", "classes", "seed")


class Line(NamedTuple):
    """What makes one line of a plot."""

    family: str
    states: int
    classes: int
    method: str


class Measure(NamedTuple):
    """A number of a record; below ``floor`` it says more about the start of a run than about growth."""

    name: str
    label: str
    value: Callable[[Record], float]
    floor: float


MEASURES = (
    Measure("seconds", "seconds", lambda record: float(record["seconds"]), 0.1),
    Measure("nodes", "nodes of all formulas", lambda record: sum(record["class_nodes"]), 0.0),
    Measure("memory", "peak memory (MiB)", lambda record: float(record["peak_mib"]), 100.0),
)


def jobs(
    methods: Sequence[str],
    records: Records,
    *,
    features: Mapping[int, Sequence[int]] = FEATURES,
    seeds: int = SEEDS,
) -> list[Job]:
    """Return the jobs to run so far, those with the fewest instances first.

    ``features`` says how many features there are, by their states. Noisy-or networks are binary, the other
    families come in every shape. A line goes on to more features once ``records`` say that most runs with
    fewer were solved.
    """
    sized = [
        (states**size, job)
        for family in FAMILIES
        for states, classes in (SHAPES if family != "noisy-or" else [(2, 2)])
        for method in methods
        for size, made in _climb(Line(family, states, classes, method), records, features[states], seeds)
        for job in made
    ]
    return [job for _, job in sorted(sized, key=lambda pair: pair[0])]


def _climb(line: Line, records: Records, sizes: Sequence[int], seeds: int) -> Iterator[tuple[int, list[Job]]]:
    """Give the jobs of a line size by size, up to the first that is not known to be solved."""
    for size in sizes:
        made = [_job(line, size, seed) for seed in range(seeds)]
        yield size, made
        solved = sum(job.key in records and is_solved(records[job.key]) for job in made)
        if 2 * solved <= seeds:
            return


def _job(line: Line, features: int, seed: int) -> Job:
    source = dict(zip(_NAME_PARTS, (line.family, features, line.states, line.classes, seed), strict=True))
    problem = "/".join(map(str, (_PREFIX, *source.values())))
    return Job(problem, "argmax", line.method, {"synthetic": source})


def sections(records: Records) -> list[Section]:
    """Return a section with a table of slopes, then one a family with a plot of each measure.

    Records of other jobs are passed over; without any of these there is nothing to say.
    """
    runs = _runs(records)
    if not runs:
        return []
    rows = [_row(line, by_size) for line, by_size in runs.items()]
    found = [Section("Scaling: how the work grows with the features", _TEXT, (Table.of(rows),))]
    for family in dict.fromkeys(line.family for line in runs):
        members = {line: by_size for line, by_size in runs.items() if line.family == family}
        figures = tuple(_figure(family, measure, members) for measure in MEASURES)
        found.append(Section(f"Scaling: {family}", _ABOUT[family], figures=figures))
    return found


def _runs(records: Records) -> dict[Line, dict[int, list[Record]]]:
    """Return the records of each line by the number of features, in order."""
    runs: dict[Line, dict[int, list[Record]]] = {}
    for (problem, _, method), record in records.items():
        prefix, *parts = problem.split("/")
        if prefix == _PREFIX and len(parts) == len(_NAME_PARTS) and parts[0] in FAMILIES:
            family, features, states, classes, _ = parts
            line = Line(family, int(states), int(classes), method)
            runs.setdefault(line, {}).setdefault(int(features), []).append(record)
    families = list(FAMILIES)
    ordered = sorted(runs, key=lambda line: (families.index(line.family), *line[1:]))
    return {line: dict(sorted(runs[line].items())) for line in ordered}


def medians(measure: Measure, by_size: Mapping[int, Sequence[Record]]) -> dict[int, float]:
    """Return the median for each number of features; a run that did not end counts as infinite."""
    found = {}
    for features, records in by_size.items():
        values = [measure.value(record) if is_solved(record) else math.inf for record in records]
        if math.isfinite(median := statistics.median_high(values)):
            found[features] = float(median)
    return found


def slope(points: Mapping[int, float], floor: float) -> float | None:
    """Return the slope of the line through ``log2`` of the points above the floor; None for less than two.

    >>> slope({8: 1.0, 12: 16.0, 16: 256.0}, 0.5)
    1.0
    """
    above = {features: math.log2(value) for features, value in points.items() if value > floor}
    if len(above) < 2:
        return None
    return statistics.linear_regression(list(above), list(above.values())).slope


def _row(line: Line, by_size: Mapping[int, Sequence[Record]]) -> dict[str, Cell]:
    runs = [record for records in by_size.values() for record in records]
    solved = [record for record in runs if is_solved(record)]
    slopes = {one.name: slope(medians(one, by_size), one.floor) for one in MEASURES}
    return {
        **line._asdict(),
        "runs": len(runs),
        "solved": len(solved),
        "most features solved": max((record["features"] for record in solved), default=None),
        "slope: instances": round(math.log2(line.states), 2),
        **{f"slope: {name}": None if value is None else round(value, 2) for name, value in slopes.items()},
    }


def _figure(family: str, measure: Measure, lines: Mapping[Line, Mapping[int, Sequence[Record]]]) -> Figure:
    several = len({line.method for line in lines}) > 1
    series = []
    for line, by_size in lines.items():
        points = medians(measure, by_size)
        if points:
            name = f"{line.states} states, {line.classes} classes" + (f", {line.method}" if several else "")
            value = slope(points, measure.floor)
            name += "" if value is None else f": slope {value:.2f}"
            series.append(Series(name, list(points), list(points.values())))
    title = f"{family}: {measure.name} against features"
    caption = f"{title}; medians, slopes of log2 per feature"
    picture = plot(title, "features", measure.label, series, log_y=True)
    return Figure(f"{_PREFIX}-{family}-{measure.name}", caption, picture)


_TEXT = (
    "Random classifiers of growing size, several seeds each, and how seconds, nodes and peak memory grow: a "
    "slope of 1 means that each feature more doubles them. Slopes are fitted to medians over the seeds, in "
    "which a run that did not end counts as infinite: a line ends where half of the runs do not; "
    "seconds below 0.1 and memory below 100 MiB are left out of the fit. The column of instances says how "
    "fast the number of instances itself grows, which is what listing them one by one would take."
)
_ABOUT = {
    "noisy-or": "Two layers: binary findings below one to three of their diseases, one disease for three "
    "findings; the target is one of the diseases.",
    "naive-bayes": "All features below the target, and nothing else.",
    "tan": "Tree-augmented naive Bayes: below the target, each feature has another one as second parent.",
    "random-tree": "A random tree: the target at its root, hidden variables inside, features at its leaves.",
}
