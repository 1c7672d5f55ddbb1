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
from bnc2d.base.readers.choices import Early
from bnc2d.compile.graph.feature_tree import FeatureTree
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.paper.compile_negative import PaperCompiler
from bnc2d.compile.result import Compiled, feature_domain
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.diagram.from_circuits import diagram_of_classes
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import BaseClassifier

# A table, the product it comes from, its quotient, and its copy in the order of the spine.
_BYTES_PER_ENTRY = 4 * 8


def compile_by_paper(classifier: BaseClassifier, budget: Budget, early: Early = "signs") -> Compiled:
    """Return all classes and their negations, compiled one at a time.

    ``early`` says what decides a partial instance (``PaperCompiler``); ``"signs"`` is as published.
    The phase "tables" and the first formula of the phase "formulas" are what Zhang and Darwiche measure.
    """
    started = part = 0.0  # of the phase: what was done before the current run, and the share of this run

    def report() -> None:
        budget.progress(started + part * compiler.resolved())

    with budget.phase("order"):
        compiler = PaperCompiler(classifier, early=early, report=report)
        budget.expect(
            _BYTES_PER_ENTRY * _largest_table(compiler.prepared, compiler.tree),
            "the paper's method needs at least",
            "raise memory_limit or use method='fast'",
        )
    with budget.phase("tables"):
        spine, _ = compiler.spine, compiler.completions
    classes, leaves_ties = len(classifier.classes), classifier.rule.leaves_ties
    complementary = classes == 2 and not leaves_ties
    labels = [1] if complementary else list(range(classes))
    part = 1 / len(labels)
    manager = Manager(feature_domain(classifier))
    roots: dict[tuple[int, bool], NodeId] = {}
    cells = exact_calls = 0
    for negated, phase in ((False, "formulas"), (True, "negations")):
        with budget.phase(phase):
            make = compiler.negated_formula if negated else compiler.class_formula
            for done, label in enumerate(labels):
                started = done * part
                roots[label, negated] = make(label, manager)
                cells += sum(compiler.stats.decided) + compiler.stats.extended[-1]
                exact_calls += compiler.stats.exact_rows
    if complementary:
        roots |= {(0, negated): roots[1, not negated] for negated in (False, True)}
    with budget.phase("diagram"):
        formulas = [roots[label, False] for label in range(classes)]
        order = [feature for node in spine for feature in node.features]
        diagram = diagram_of_classes(manager, formulas, classes + leaves_ties, order, budget.progress)
    by_key = {key: NNF(manager, root) for key, root in roots.items()}
    return Compiled(diagram, cells, exact_calls, compiler.widths, formulas=by_key)


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
