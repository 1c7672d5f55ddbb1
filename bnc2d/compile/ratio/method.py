"""Two classes and a target that separates the features into groups: decisions in one dimension.

Without the target ``Y``, the moral graph falls into components with features ``X_1``, ``X_2``, … (a naive
Bayes network: one feature each), and ``P(y, x) = w_y m_1(x_1, y) m_2(x_2, y) …``. So the sign of
``c r_1(x_1) r_2(x_2) … - 1`` decides, with the ratios ``r_k(x_k) = m_k(x_k, 1) / m_k(x_k, 0)``. A partial
instance leaves a function that depends on its product only through the position of the inverse among the
products of the groups below: instances in one interval between two of those are one node (Chan and Darwiche,
"Reasoning about Bayesian network classifiers", 2003; Shih, Choi and Darwiche 2018).

1. Compute the ratios of each group from integer tables, and order the groups.
2. From the first group down and from the last group up, list the products in their true order, until the
   lists meet; a product that decides whatever the others are is dropped. Products that are close are one
   cluster, told apart only where the lists meet and it matters (``ordering``); what proves their order
   is in ``products``.
3. Go down from the first group. Above the middle a node is a product; in the middle each gets its position
   among the products below. Below, a list knows where each product of the next list went, so the position in
   one list gives those in the next by counting.
4. Reduce level by level, from the last group up.

Ratios 0 and infinity, and 0/0 of impossible instances, are no products: a node is also a set of classes that
are impossible by now. Where both are, and where the product of all is exactly 1, the tie rule decides.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from math import comb, log2

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import take_columns
from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.masks import VariableId
from bnc2d.compile.graph.feature_tree import widths_of
from bnc2d.compile.graph.pruning import Prepared
from bnc2d.compile.meet.cut.cut import CutSide
from bnc2d.compile.meet.cut_problem import Side, priors_of
from bnc2d.compile.ratio.groups import Grouping
from bnc2d.compile.ratio.levels import Columns, Descent, column_of
from bnc2d.compile.ratio.ordering import Room
from bnc2d.compile.result import Compiled, feature_domain
from bnc2d.logic.diagram.diagram import DiagramBuilder, reduce_table
from bnc2d.model.classifier import BaseClassifier

# What an edge takes while a level is reduced, and for good: by column, by state, and by instance of a group.
_VALUE_BYTES = (40, 0)
_LEVEL_BYTES = (16, 8)
_TABLE_BYTES = (48, 8)


@dataclass(frozen=True)
class _Table:
    """What the instances of a group say about the target."""

    features: tuple[VariableId, ...]
    cardinalities: tuple[int, ...]
    says: Columns
    column_of_row: NDArray[np.intp]  # by instance


def _table(prepared: Prepared, group: CutSide) -> _Table:
    factor = Side(prepared, group).factor({}, exact=True)
    first, second = factor.table[
        factor.group_of_state.reshape(-1)[[0, -1]]
    ].tolist()  # only the target is left
    columns = []
    for pair in zip(first, second, strict=True):
        checkpoint()
        columns.append(column_of(*pair))
    says = Columns.of(columns)
    place = {column: number for number, column in enumerate((*says.ratios, *says.impossible))}
    places = np.array([place[column] for column in columns], dtype=np.intp)
    cardinalities = tuple(prepared.sizes[feature] for feature in group.features)
    return _Table(group.features, cardinalities, says, places[factor.pattern_of_row])


def compile_by_intervals(
    classifier: BaseClassifier, prepared: Prepared, grouping: Grouping, budget: Budget, certified: bool
) -> Compiled:
    """Return the reduced diagram of a classifier with these groups (see the module).

    Cells are edges of nodes, the frontier is the nodes in the middle.
    """
    groups = grouping.groups
    rule = classifier.rule
    with budget.phase("order"):
        widths = widths_of(prepared, grouping.jointree)
    with budget.phase("tables"):
        tables = []
        for done, group in enumerate(groups):
            tables.append(_table(prepared, group))
            budget.progress(done / len(groups))
        tables.sort(key=_spread, reverse=True)
        prior = column_of(*rule.weighted(priors_of(prepared)))
    with budget.phase("labels"):
        descent = Descent([table.says for table in tables], prior, budget, certified)
        ends = descent.run(tie=rule.exact_label([0, 0]) % 3)
    with budget.phase("reduce"):
        builder = DiagramBuilder(2 + rule.leaves_ties)
        nodes = ends
        for table in reversed(tables):
            nodes = _reduce(nodes, descent.children.pop(), table, builder, descent.room)
            budget.progress(1 - len(descent.children) / len(tables))
        order = [prepared.feature_ids.index(feature) for table in tables for feature in table.features]
        diagram = builder.finish(feature_domain(classifier), order, int(nodes[0]))
    counts = descent.cells, descent.exact_calls
    return Compiled(diagram, *counts, widths, log2(descent.cells), descent.frontier)


def most_products(prepared: Prepared, grouping: Grouping) -> float:
    """Return how many products meet in the middle at most: about the root of those of all groups.

    Groups with the same ratios have as many products as there are ways to choose with repetition.
    """
    sizes = Counter(_table(prepared, group).says.ratios for group in grouping.groups)
    ways = [comb(times + len(ratios) - 1, len(ratios) - 1) for ratios, times in sizes.items() if ratios]
    return float(2.0 ** min(1000.0, sum(map(log2, ways)) / 2))


def _reduce(
    nodes: NDArray[np.int64], children: NDArray[np.int32], table: _Table, builder: DiagramBuilder, room: Room
) -> NDArray[np.int64]:
    """Add the levels of a group to the nodes below it, with ``[column, node]`` children; return its nodes."""
    columns, count = children.shape
    room.need(count * columns, _VALUE_BYTES)
    room.need(count * len(table.column_of_row), _LEVEL_BYTES if len(table.features) == 1 else _TABLE_BYTES)
    values = np.empty((count, columns), dtype=np.int64)
    for column, row in enumerate(children):
        for piece in pieces(count):
            values[piece, column] = nodes[row[piece]]
    if len(table.features) == 1:
        return builder.add_level(values, table.column_of_row)
    return reduce_table(take_columns(values, table.column_of_row), table.cardinalities, builder)


def _spread(table: _Table) -> float:
    """Return how much a group can change the odds, as a logarithm for each bit of its different ratios.

    Diagrams are smallest where groups that change much and groups that change little are far apart.
    """
    ratios = table.says.ratios
    return (_log(max(ratios)) - _log(min(ratios))) / log2(1 + len(ratios)) if ratios else 0.0


def _log(ratio: Fraction) -> float:
    return log2(ratio.numerator) - log2(ratio.denominator)
