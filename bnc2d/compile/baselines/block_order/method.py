"""Compilation by a block ordering: Shih, Choi and Darwiche (2019).

"Compiling Bayesian network classifiers into decision graphs" (AAAI 2019), for binary targets and features:

1. Find a block ordering ``F_1, S_1, F_2, S_2, …`` of the features (``search``): given the binary
   variable ``S_i``, the features behind it are independent of the class and of the features before it.
2. Compute the table ``P(F_i, S_i | S_(i-1))`` of every block (``tables``).
3. Once ``F_1`` is set, what is left is a classifier of the class ``S_1`` with a threshold. List the instances
   of the block and compile each such sub-classifier, unless an equivalent one is known: one whose threshold
   can move here without passing any instance (``descent``, ``intervals``; Chan and
   Darwiche 2003 for naive Bayes).
4. The sub-classifiers are the nodes of a decision graph; reduced, it is an OBDD in block order.

The work is exponential in the largest block. Where no variable separates anything, that is all features: then
this is brute force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.compile.baselines.block_order.descent import Descent, Level
from bnc2d.compile.baselines.block_order.search import Block, find_block_order, join_small_blocks
from bnc2d.compile.baselines.block_order.tables import BlockTable, Matrix, prior_of
from bnc2d.compile.graph.pruning import Prepared, prepare
from bnc2d.compile.result import Compiled, feature_domain
from bnc2d.errors import ClassifierError
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, reduce_table
from bnc2d.model.accounts import margin
from bnc2d.model.classifier import BaseClassifier

# An instance of a block: a table entry for each pair of classes, the states of children, and copies of both.
_BYTES_PER_INSTANCE = 8 * 32
# A child of a sub-classifier: its number, and its share of the reduction.
_BYTES_PER_CHILD = 4 * 8
_BYTES_PER_SUB_CLASSIFIER = 400


@dataclass(frozen=True)
class BlockOrderResult(Compiled):
    """Cells are instances of blocks that were decided or looked up."""

    sub_classifiers: int = 0


def compile_by_block_order(classifier: BaseClassifier, budget: Budget) -> BlockOrderResult:
    """Return the OBDD of a classifier; with ``ties="none"`` it has a third end.

    Only binary targets and features; others are refused.
    """
    _check_binary(classifier)
    with budget.phase("order"):
        prepared = prepare(classifier)
        blocks = join_small_blocks(find_block_order(prepared))
        largest = max(len(block.features) for block in blocks)
        _expect(budget, _BYTES_PER_INSTANCE << largest, f"a block of {largest} features")
    with budget.phase("tables"):
        levels = _levels(prepared, blocks, budget)
    with budget.phase("sub-classifiers"):
        tables = sum(_BYTES_PER_INSTANCE << len(block.features) for block in blocks)

        def report(done: float) -> None:
            budget.progress(done)
            size = _BYTES_PER_SUB_CLASSIFIER * descent.sub_classifiers + _BYTES_PER_CHILD * descent.cells
            _expect(budget, tables + size, f"{descent.sub_classifiers} sub-classifiers")

        descent = Descent(levels, classifier.rule.exact_label([0, 0]) % 3, report)
        root = descent.run(_root_state(classifier, prepared))
    with budget.phase("reduce"):
        diagram = _diagram(classifier, prepared, levels, root, budget)
    counts = descent.cells, descent.exact_calls
    return BlockOrderResult(diagram, *counts, sub_classifiers=descent.sub_classifiers)


def _check_binary(classifier: BaseClassifier) -> None:
    target = classifier.network.variable(classifier.target)
    for variable in (target, *classifier.feature_variables):
        if len(variable) != 2:
            kind = "target" if variable is target else "feature"
            raise ClassifierError(
                f"the method 'block-order' needs a binary target and binary features, the {kind} "
                f"{variable.name!r} has {len(variable)} states; use method='fast'"
            )


def _expect(budget: Budget, size: int, what: str) -> None:
    budget.expect(
        size, f"the method 'block-order', for {what}, needs", "raise memory_limit or use method='fast'"
    )


def _levels(prepared: Prepared, blocks: Sequence[Block], budget: Budget) -> list[Level]:
    """Return the blocks with their tables and error margins, which add up from above and from below."""
    sizes = [1 << len(block.features) for block in blocks]
    tables = [
        BlockTable(prepared, block, budget, sum(sizes[:number]), sum(sizes))
        for number, block in enumerate(blocks)
    ]
    above = np.cumsum([table.roundings + 2 for table in tables]) + 1
    below = np.cumsum([table.roundings + 4 for table in tables[::-1]])[::-1]
    return [
        Level(table, margin(int(over)), margin(2 * int(under)))
        for table, over, under in zip(tables, above, below, strict=True)
    ]


def _root_state(classifier: BaseClassifier, prepared: Prepared) -> Matrix:
    """Return the weighted priors of class 1 and of class 0, by state of the target."""
    weights = classifier.rule.weighted(map(Fraction, prior_of(prepared, prepared.target)))
    scale = lcm(*(weight.denominator for weight in weights))
    first, second = (int(weight * scale) for weight in weights)
    return [[0, second], [first, 0]]


def _diagram(
    classifier: BaseClassifier, prepared: Prepared, levels: Sequence[Level], root: int, budget: Budget
) -> Diagram:
    builder = DiagramBuilder(2 + classifier.rule.leaves_ties)
    nodes = np.arange(3, dtype=np.int64)  # at the last block, children are labels
    for done, level in enumerate(reversed(levels)):
        budget.progress(done / len(levels))
        children = nodes[np.stack(level.children)]
        nodes = reduce_table(children, (2,) * len(level.table.block.features), builder)
    order = [prepared.features.index(name) for level in levels for name in level.table.block.features]
    return builder.finish(feature_domain(classifier), order, int(nodes[root]))
