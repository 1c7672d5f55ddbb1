"""Two classes whose odds are a product of factors over features: decisions in one dimension.

Where no hidden variable is left (naive Bayes, TAN, k-dependence: ``factors``), ``P(1, x) / P(0, x)`` is a
product ``c r_1(x) r_2(x) …`` of ratios that depend on few features each, and its comparison with 1 decides.
With the features in an order, a partial instance leaves a function that depends on the states at the boundary
(those of features that share a factor with later ones) and on its product, and on the latter only through the
position of the inverse among the products that are left: partial instances in one interval between two of
those are one node. For naive Bayes the boundary is empty, and these are the intervals of Chan and Darwiche,
"Reasoning about Bayesian network classifiers" (2003); see also Shih, Choi and Darwiche (2018).

1. Compute the ratios of each factor from integer tables, and order the features (``order``, ``stages``).
2. From the first stage down and from the last stage up, list the products of each state of the boundary in
   their true order, until the lists meet; a product that decides whatever the others are is dropped. Products
   that are close are one cluster, told apart only where the lists meet and it matters (``ordering``,
   ``merging``); what proves their order is in ``products``.
3. Go down from the first stage (``levels``). Above the middle a node is a product; in the middle each gets
   its position among the products below. Below, a list knows where each product of the next list went, so the
   position in one list gives those in the next by counting.
4. Reduce level by level, from the last stage up.

Ratios 0 and infinity, and 0/0 of impossible instances, are no products: a node is also a set of classes that
are impossible by now. Where both are, and where the product of all is exactly 1, the tie rule decides.
"""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from math import log2

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Numbers, take, take_columns
from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import pieces
from bnc2d.compile.graph.feature_tree import widths_of
from bnc2d.compile.graph.jointree import build_jointree
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.ratio.factors import Column, Groups, column_of, times
from bnc2d.compile.ratio.levels import EDGE_BYTES, Descent
from bnc2d.compile.ratio.order import choose_order
from bnc2d.compile.ratio.reducing import reduce_level
from bnc2d.compile.ratio.room import Room
from bnc2d.compile.ratio.stages import Stage, make_stages
from bnc2d.compile.result import Compiled, feature_domain
from bnc2d.logic.diagram.diagram import DiagramBuilder, reduce_table
from bnc2d.model.classifier import BaseClassifier

# What is taken while a level is reduced, and for good: by node and by edge where a stage has one feature; by
# column and by instance of its features where it has more.
_NODE_BYTES = (64, 0)
_LEVEL_BYTES = (12, 8)
_VALUE_BYTES = (40, 0)
_TABLE_BYTES = (48, 8)


def compile_by_intervals(
    classifier: BaseClassifier, prepared: Prepared, groups: Groups, budget: Budget, certified: bool
) -> Compiled:
    """Return the reduced diagram of a classifier with these groups of tables (see the module).

    Cells are edges of nodes, the frontier is the nodes in the middle.
    """
    rule = classifier.rule
    with budget.phase("order"):
        widths = widths_of(prepared, build_jointree(prepared.network))
    with budget.phase("tables"):
        factors = []
        for done, group in enumerate(groups.groups):
            factors.append(groups.factor(group))
            budget.progress(done / len(groups.groups))
        sizes = [len(feature) for feature in classifier.feature_variables]
        order = choose_order(factors, sizes)
        first, second = rule.weighted([Fraction(1), Fraction(1)])
        constants = [factor.columns[0] for factor in factors if not factor.features]
        prior = reduce(times, constants, column_of(first, second))
        stages = [_first_stage(prior), *make_stages(order, factors, sizes)]
    with budget.phase("labels"):
        descent = Descent(stages, budget, certified)
        nodes = descent.run(tie=rule.exact_label([0, 0]) % 3)
    with budget.phase("reduce"):
        builder = DiagramBuilder(2 + rule.leaves_ties)
        for done, stage in enumerate(reversed(stages)):
            nodes = _reduce(nodes, descent.children.pop(), stage, builder, descent.room)
            budget.progress(done / len(stages))
        features = [feature for stage in stages for feature in stage.features]
        diagram = builder.finish(feature_domain(classifier), features, int(nodes[0]))
    counts = descent.cells, descent.exact_calls
    return Compiled(diagram, *counts, widths, log2(descent.cells), descent.frontier)


def _first_stage(prior: Column) -> Stage:
    """Return the stage without features, which multiplies by the prior odds and the weights of the rule."""
    only = np.zeros((1, 1), dtype=np.int64)
    if isinstance(prior, int):
        return Stage((), (), only[0], only, 1, only + prior, ())
    return Stage((), (), only[0], only, 1, only, (prior,))


def _reduce(
    nodes: Numbers, children: NDArray[np.int32], stage: Stage, builder: DiagramBuilder, room: Room
) -> Numbers:
    """Add the levels of a stage to the nodes below it, with ``[column, node]`` children; return its nodes."""
    columns, count = children.shape
    room.release(count * columns, EDGE_BYTES)
    if not stage.features:
        return take(nodes, children[0])
    if len(stage.features) == 1:
        room.need(count, _NODE_BYTES)
        room.need(count * len(stage.column_of_row), _LEVEL_BYTES)
        return reduce_level(children, nodes, stage.column_of_row, builder)
    room.need(count * columns, _VALUE_BYTES)
    room.need(count * len(stage.column_of_row), _TABLE_BYTES)
    values = np.empty((count, columns), dtype=np.int64)
    for column, row in enumerate(children):
        for piece in pieces(count):
            values[piece, column] = nodes[row[piece]]
    return reduce_table(take_columns(values, stage.column_of_row), stage.cardinalities, builder)
