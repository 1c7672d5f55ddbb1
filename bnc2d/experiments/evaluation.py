"""The paper's evaluation on a suite of problems: which jobs it takes and what is made of their records."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from bnc2d.api.classifier import Classifier
from bnc2d.compile.graph.feature_tree import Widths, build_feature_tree
from bnc2d.compile.graph.jointree import build_jointree
from bnc2d.compile.graph.pruning import prepare, target_part
from bnc2d.errors import Bnc2dError, FormatError
from bnc2d.experiments.problems import Problem, plain_name, problem_names, read_problem, read_quietly
from bnc2d.experiments.report.published import REFERENCE, WIDTHS
from bnc2d.experiments.report.sections import Cell, Section, Table
from bnc2d.experiments.report.tables import (
    cactus_section,
    leaves_section,
    refused_section,
    size_section,
    summary_section,
    unsolved_section,
)
from bnc2d.experiments.running.jobs import Job
from bnc2d.experiments.running.journal import Records
from bnc2d.model.classifier import default_features
from bnc2d.model.network import BayesianNetwork

_DEFAULT_LEAVES_TABLE = "andes"  # the network whose table the paper prints


class Evaluation:
    """A suite, or the problems of it whose names match, with the thresholds and the methods to compare.

    ``leaves_table`` names a network (default: andes, where the suite has it) whose targets are compiled with
    all leaves as features as well. Problems that cannot be read take part: their records say why.
    """

    def __init__(
        self,
        suite: Path,
        methods: Sequence[str],
        *,
        pattern: str = "*",
        thresholds: Sequence[str] = ("file",),
        normalise: bool = False,
        leaves_table: str | None = None,
        reference: Records | None = None,
    ) -> None:
        self._suite = suite.resolve()  # an executor's processes may run in another folder
        self._methods, self._thresholds, self._normalise = tuple(methods), tuple(thresholds), normalise
        self._reference = reference or {}
        self._names = problem_names(suite, pattern)
        if not self._names:
            raise FormatError(f"no problem matches {pattern!r}", suite)
        self._problems: dict[str, Problem] = {}
        for name in self._names:
            with suppress(FormatError):  # its runs say what is wrong
                self._problems[name] = read_problem(self._suite, name)
        files = sorted({problem.network for problem in self._problems.values()})
        self._networks = {path: read_sound(path, normalise) for path in files}
        self._leaves = self._leaf_problems(leaves_table)

    def jobs(self) -> list[Job]:
        """Return the jobs: every problem with every threshold, then every target with all leaves."""
        suite = {"suite": {"suite": str(self._suite), "normalise": self._normalise}}
        found = [
            Job(name, which, method, suite)
            for name in self._names
            for which in self._thresholds
            for method in self._methods
        ]
        for name, problem in self._leaves.items():
            if name in self._problems:
                continue
            leaves = {"file": str(problem.network), "target": problem.target, "normalise": self._normalise}
            found += [Job(name, "0.5", method, {"leaves": leaves}) for method in self._methods]
        return found

    def sections(self, records: Records) -> list[Section]:
        """Return the report on these records."""
        names = set(self._names)
        main = {key: record for key, record in records.items() if key[0] in names}
        asked = {key[:2] for key in main}
        reference = {key: record for key, record in self._reference.items() if key[:2] in asked}
        compared, methods = main | reference, [*self._methods, *([REFERENCE] if reference else [])]
        known = (self._problems | self._leaves).items()
        networks = {name: problem.network.name for name, problem in known}
        found = [
            summary_section(compared, methods),
            *refused_section(records, networks),
            *unsolved_section(records),
            self._overview(),
            self._widths(),
            cactus_section(compared, methods),
        ]
        if self._leaves:
            network = next(iter(self._leaves.values())).network_name
            targets = {name: problem.target for name, problem in self._leaves.items()}
            found.append(leaves_section(records, network, targets))
        return [*found, size_section(main, self._methods)]

    def _leaf_problems(self, network: str | None) -> dict[str, Problem]:
        wanted = (network or _DEFAULT_LEAVES_TABLE).lower()
        found = {
            problem.target: problem
            for problem in self._problems.values()
            if problem.network_name.lower() == wanted
        }
        if network is not None and not found:
            message = f"no problem on a network named {network!r} for the table of leaves"
            raise FormatError(message, self._suite)
        return {self._leaves_name(problem): problem for _, problem in sorted(found.items())}

    def _leaves_name(self, problem: Problem) -> str:
        """Return the name of the problem with all leaves: one of the suite's, where there is such a one."""
        network = self._networks[problem.network]
        leaves = set() if network is None else {*network.leaves} - {problem.target}
        for name, other in self._problems.items():
            same = (other.network, other.target) == (problem.network, problem.target)
            if same and "0.5" in self._thresholds and set(other.features or ()) == leaves:
                return name
        return f"{problem.network_name}, all leaves, {problem.target}"

    def _overview(self) -> Section:
        rows = []
        for path, network in self._networks.items():
            problems = [problem for problem in self._problems.values() if problem.network == path]
            features = sorted({len(problem.features or ()) for problem in problems})
            row: dict[str, Cell] = {
                "network": problems[0].network_name,
                "variables": None if network is None else len(network),
                "features": features[0] if len(features) == 1 else ", ".join(map(str, features)),
                "targets": len({problem.target for problem in problems}),
                "problems": len(problems),
            }
            rows.append(row)
        text = f"{len(self._names)} problems, each with these thresholds: {', '.join(self._thresholds)}."
        unreadable = len(self._names) - len(self._problems)
        if unreadable:
            text += f" {unreadable} of them cannot be read and are among those refused."
        return Section("Overview", text, (Table.of(rows),))

    def _widths(self) -> Section:
        rows: list[tuple[Cell, ...]] = []
        for path, network in self._networks.items():
            targets = sorted({one.target for one in self._problems.values() if one.network == path})
            found = [] if network is None else network_widths(network, targets)
            if found:
                omega = statistics.fmean(one.widths.omega for one in found)
                total = statistics.fmean(one.widths.omega_total for one in found)
                features = statistics.fmean(one.features for one in found)
                name = plain_name(path)
                published = WIDTHS.get(name.lower(), (None, None, None))
                rows.append((name, len(found), total, omega, features, features + omega, *published))
        columns = ("network", "targets", "ω^T", "ω", "|X|", "|X| + ω")
        published_columns = ("paper's ω^T", "paper's ω", "paper's |X|")
        text = (
            "Averages over the targets of the suite with all leaves as features: the width ω^T of the "
            "compilation, the width ω of the jointree (its largest cluster minus one), and the number of "
            "features. The trees are those of the method paper: a min-fill jointree with ties broken by seed "
            "0, and its narrowest f-tree over all roots and spines. Beside are the averages that the paper "
            "prints; its targets, its jointrees and its way to count may differ."
        )
        return Section("Widths", text, (Table(columns + published_columns, tuple(rows)),))


def read_sound(path: Path, normalise: bool) -> BayesianNetwork | None:
    """Return a network, without warnings, or None where it cannot be read (its runs say why)."""
    try:
        return read_quietly(path, normalise=normalise)
    except Bnc2dError:
        return None


class LeafWidths(NamedTuple):
    """The widths of one target with all leaves as features, and how many features these are."""

    widths: Widths
    features: int


def leaf_widths(classifier: Classifier) -> LeafWidths:
    """Return the widths that the compilers report for a classifier (same jointree, same f-tree)."""
    prepared = prepare(target_part(classifier).classifier)
    jointree = build_jointree(prepared.network)
    tree = build_feature_tree(jointree, prepared.target, prepared.features)
    return LeafWidths(tree.widths(jointree.width), len(classifier.features))


def network_widths(network: BayesianNetwork, targets: Iterable[str]) -> list[LeafWidths]:
    """Return the widths of a network for some targets; those without a classifier are left out."""
    found = []
    for target in targets:
        with suppress(Bnc2dError):
            found.append(leaf_widths(Classifier(network, target, default_features(network, target))))
    return found
