"""A whole compilation by the paper's method: every class on its own, then one diagram of them all.

1. Bound the size of the largest table, from the f-tree alone, and refuse what cannot fit.
2. Compute the tables of the right spine, once for all classes (``spine``).
3. For each class run compile-negative and compile-positive; of two classes that share all instances one is
   enough, as each is the complement of the other.
4. Join the formulas, which decide the features in the order of the spine, to a diagram
   (``logic/diagram/from_circuits``).
"""

from __future__ import annotations

from math import prod

from bnc2d.base.budget import Budget
from bnc2d.compile.domain import feature_domain
from bnc2d.compile.graph.feature_tree import FeatureTree, build_feature_tree
from bnc2d.compile.graph.jointree import build_jointree
from bnc2d.compile.graph.pruning import Prepared, prepare
from bnc2d.compile.paper.compile_negative import PaperCompiler
from bnc2d.compile.result import Compiled
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.diagram.from_circuits import diagram_of_classes
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import BaseClassifier

_JOINTREE_SEED = 0
# A table, the product it comes from, its quotient, and its copy in the order of the spine.
_BYTES_PER_ENTRY = 4 * 8


def compile_by_paper(classifier: BaseClassifier, budget: Budget) -> Compiled:
    """Return all classes and their negations, compiled one at a time.

    The phase "tables" and the first formula of the phase "formulas" are what Zhang and Darwiche measure.
    """
    with budget.phase("order"):
        prepared = prepare(classifier)
        jointree = build_jointree(prepared.network, _JOINTREE_SEED)
        tree = build_feature_tree(jointree, prepared.target, prepared.features)
        budget.expect(
            _BYTES_PER_ENTRY * _largest_table(prepared, tree),
            "the paper's method needs at least",
            "raise memory_limit or use method='fast'",
        )
    with budget.phase("tables"):
        runs = _Runs(classifier, budget)
    complementary = len(classifier.classes) == 2 and not classifier.rule.leaves_ties
    labels = [1] if complementary else list(range(len(classifier.classes)))
    roots: dict[tuple[int, bool], NodeId] = {}
    for negated, phase in ((False, "formulas"), (True, "negations")):
        with budget.phase(phase):
            for done, label in enumerate(labels):
                roots[label, negated] = runs.formula(label, negated, done / len(labels), 1 / len(labels))
    if complementary:
        roots |= {(0, negated): roots[1, not negated] for negated in (False, True)}
    with budget.phase("diagram"):
        diagram = diagram_of_classes(
            runs.manager,
            [roots[label, False] for label in range(len(classifier.classes))],
            len(classifier.classes) + classifier.rule.leaves_ties,
            [feature for node in runs.compiler.spine for feature in node.features],
            budget.progress,
        )
    formulas = {key: NNF(runs.manager, root) for key, root in roots.items()}
    widths = tree.widths(jointree.width)
    return Compiled(diagram, runs.cells, runs.exact_calls, widths, formulas=formulas)


class _Runs:
    """Calls of compile-negative and compile-positive in one manager, and how far the current one is."""

    def __init__(self, classifier: BaseClassifier, budget: Budget) -> None:
        self.manager = Manager(feature_domain(classifier))
        self.cells = 0
        self.exact_calls = 0
        self.compiler = compiler = PaperCompiler(classifier, seed=_JOINTREE_SEED, report=self._report)
        self._budget = budget
        self._done, self._part = 0.0, 0.0
        self._instances = classifier.instance_count
        self._below = [1]  # by spine node: the instances of the features further down
        for node in reversed(compiler.spine[1:]):
            self._below.insert(0, self._below[0] * prod(node.cardinalities))

    def formula(self, label: int, negated: bool, done: float, part: float) -> NodeId:
        """Return the formula of a class or of its negation; it is this ``part`` of a phase."""
        self._done, self._part = done, part
        make = self.compiler.negated_formula if negated else self.compiler.class_formula
        root = make(label, self.manager)
        stats = self.compiler.stats
        self.cells += sum(stats.decided) + stats.extended[-1]
        self.exact_calls += stats.exact_rows
        return root

    def _report(self) -> None:
        self._budget.progress(self._done + self._part * self._resolved())

    def _resolved(self) -> float:
        """Return the share of all instances that the current run has decided, early or at the last node."""
        stats = self.compiler.stats
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
