"""A whole compilation by the paper's method: every class on its own, then one diagram of them all.

1. Bound the size of the largest table, from the f-tree alone, and refuse what cannot fit.
2. Compute the tables of the right spine, once for all classes (``spine``).
3. For each class run compile-negative and compile-positive; of two classes that share all instances one is
   enough, as each is the complement of the other.
4. Join the formulas, which decide the features in the order of the spine, to a diagram
   (``logic/diagram/from_circuits``).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path

from bnc2d.compile.graph.feature_tree import FeatureTree, Widths, build_feature_tree
from bnc2d.compile.graph.jointree import build_jointree
from bnc2d.compile.graph.pruning import Prepared, prepare
from bnc2d.compile.limits import Watch
from bnc2d.compile.paper.compile_negative import PaperCompiler
from bnc2d.errors import LimitExceeded
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.from_circuits import diagram_of_classes
from bnc2d.logic.domain import Domain
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import BaseClassifier

_JOINTREE_SEED = 0
# A table, the product it comes from, its quotient, and its copy in the order of the spine.
_BYTES_PER_ENTRY = 4 * 8


@dataclass(frozen=True)
class PaperResult:
    """The formulas by label and negation, the diagram of their decisions, and what it took."""

    formulas: dict[tuple[int, bool], NNF]
    diagram: Diagram
    widths: Widths
    cells: int
    exact_calls: int


def compile_by_paper(classifier: BaseClassifier, watch: Watch, memory_limit: int) -> PaperResult:
    """Return all classes and their negations, compiled one at a time.

    The phase "tables" and the first formula of the phase "formulas" are what Zhang and Darwiche measure.
    """
    meter = _Meter(watch, memory_limit)
    with watch.phase("order"):
        prepared = prepare(classifier)
        jointree = build_jointree(prepared.network, _JOINTREE_SEED)
        tree = build_feature_tree(jointree, prepared.target, prepared.features)
        meter.expect(_BYTES_PER_ENTRY * _largest_table(prepared, tree))
    with watch.phase("tables"):
        compiler = PaperCompiler(classifier, seed=_JOINTREE_SEED, check=meter.check)
    runs = _Runs(compiler, meter)
    complementary = len(classifier.classes) == 2 and not classifier.rule.leaves_ties
    labels = [1] if complementary else list(range(len(classifier.classes)))
    roots: dict[tuple[int, bool], NodeId] = {}
    for negated, phase in ((False, "formulas"), (True, "negations")):
        with watch.phase(phase):
            for done, label in enumerate(labels):
                roots[label, negated] = runs.formula(label, negated, done / len(labels), 1 / len(labels))
    if complementary:
        roots |= {(0, negated): roots[1, not negated] for negated in (False, True)}
    with watch.phase("diagram"):
        diagram = diagram_of_classes(
            runs.manager,
            [roots[label, False] for label in range(len(classifier.classes))],
            len(classifier.classes) + classifier.rule.leaves_ties,
            [feature for node in compiler.spine for feature in node.features],
            meter.check_share,
        )
    return PaperResult(
        {key: NNF(runs.manager, root) for key, root in roots.items()},
        diagram,
        tree.widths(jointree.width),
        runs.cells,
        runs.exact_calls,
    )


class _Meter:
    """Ends a compilation at its limits; memory is what the process has grown by, where the system tells."""

    def __init__(self, watch: Watch, memory_limit: int) -> None:
        self._watch, self._limit = watch, memory_limit
        self._before = _resident_bytes()
        self.share: Callable[[], float] = lambda: 0.0

    def check(self) -> None:
        self.check_share(self.share())

    def check_share(self, done: float) -> None:
        self._watch.check(done)
        self.expect(_resident_bytes() - self._before)

    def expect(self, size: int) -> None:
        if size > self._limit:
            raise LimitExceeded(
                f"the paper's method needs at least {size / 2**20:.1f} MiB, more than the limit of "
                f"{self._limit / 2**20:.1f} MiB; raise memory_limit or use method='fast'"
            )


class _Runs:
    """Calls of compile-negative and compile-positive in one manager, and how far the current one is."""

    def __init__(self, compiler: PaperCompiler, meter: _Meter) -> None:
        classifier = compiler.classifier
        self.manager = Manager(Domain({v.name: v.states for v in classifier.feature_variables}))
        self.cells = 0
        self.exact_calls = 0
        self._compiler, self._meter = compiler, meter
        self._instances = classifier.instance_count
        self._below = [1]  # by spine node: the instances of the features further down
        for node in reversed(compiler.spine[1:]):
            self._below.insert(0, self._below[0] * prod(node.cardinalities))

    def formula(self, label: int, negated: bool, done: float, part: float) -> NodeId:
        """Return the formula of a class or of its negation; it is this ``part`` of a phase."""
        self._meter.share = lambda: done + part * self._resolved()
        make = self._compiler.negated_formula if negated else self._compiler.class_formula
        root = make(label, self.manager)
        stats = self._compiler.stats
        self.cells += sum(stats.decided) + stats.extended[-1]
        self.exact_calls += stats.exact_rows
        return root

    def _resolved(self) -> float:
        """Return the share of all instances that the current run has decided, early or at the last node."""
        stats = self._compiler.stats
        early = sum(count * below for count, below in zip(stats.decided, self._below, strict=True))
        return (early + stats.extended[-1]) / self._instances


def _largest_table(prepared: Prepared, tree: FeatureTree) -> int:
    """Return the entries of the largest table: a cluster and the features below it that are kept there."""
    below = tree.features_below()
    spine = set(tree.spine())
    largest = 1
    for index, node in enumerate(tree.nodes):
        kept = below[index]
        if index in spine and node.right is not None:
            kept = () if node.left is None else below[node.left]
        scope = {*node.cluster, *kept}
        largest = max(largest, prod(len(prepared.network.variable(name)) for name in scope))
    return largest


def _resident_bytes() -> int:
    """Return the memory of this process, or 0 where the system does not tell."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return 0
    return int(pages) * os.sysconf("SC_PAGE_SIZE")
