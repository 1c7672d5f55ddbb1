"""The default method: one pass for all classes, on arrays.

1. Prune the network and give inner features leaf copies (``prepare``).
2. Choose an edge of a jointree where two tables of partial instances meet with least work (``cut``).
3. Compute both tables by messages towards the edge, the larger one in blocks of rows (``tables``).
4. Multiply them block by block into the class of every instance; cells that float64 cannot prove are
   decided exactly (``labels``).
5. Merge equal sub-functions and reduce to a decision diagram with classes at the ends (``reduce``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bnc2d.compile.cut import choose_cut
from bnc2d.compile.diagram import Diagram
from bnc2d.compile.feature_tree import Widths, build_feature_tree
from bnc2d.compile.labels import Joiner, LabelStats
from bnc2d.compile.limits import Watch
from bnc2d.compile.prepare import Prepared, prepare
from bnc2d.compile.reduce import RowPool, reduce_pool
from bnc2d.compile.tables import Side
from bnc2d.model.classifier import Classifier

_JOINTREE_SEEDS = range(4)
# A table, its scaled copy, its transposed columns, and the blocks beside it.
_BYTES_PER_ENTRY = 4 * 8
# Tables on the way are kept this small by setting features beforehand: memory that is used again is fast.
_TABLE_ENTRIES = 1 << 22


@dataclass(frozen=True)
class FastResult:
    """The diagram over the classifier's features, and what it took."""

    diagram: Diagram
    widths: Widths
    log_work: float
    frontier: int
    labels: LabelStats


def compile_diagram(classifier: Classifier, watch: Watch, memory_limit: int, certified: bool) -> FastResult:
    """Return the reduced diagram of the classifier's decisions."""
    with watch.phase("order"):
        prepared = prepare(classifier)
        cut = choose_cut(prepared, _JOINTREE_SEEDS, max(1, memory_limit // _BYTES_PER_ENTRY))
        tree = build_feature_tree(cut.jointree, prepared.target, prepared.features)
        widths = tree.widths(cut.jointree.width)
        sides = [Side(prepared, cut, side, _TABLE_ENTRIES) for side in (cut.first, cut.second)]
        first, second = sorted(sides, key=lambda side: len(side.features), reverse=True)
        meeting = _Meeting(classifier, prepared, first, second)
    with watch.phase("tables"):
        columns = second.whole()
    resolve = meeting.exact_labels if certified else None
    joiner = Joiner(columns, classifier.rule, len(classifier.classes), resolve)
    pool = RowPool(meeting.ends, meeting.cardinalities(second))
    rows = 0
    tables = first.blocks()
    while True:
        with watch.phase("tables"):
            table = next(tables, None)
        if table is None:
            break
        with watch.phase("labels"):
            for block in joiner.blocks(table, rows):
                pool.add(block)
                watch.check(joiner.stats.cells / classifier.instance_count)
        rows += len(table.values)
    with watch.phase("reduce"):
        order = [meeting.position[name] for name in (*first.features, *second.features)]
        diagram = reduce_pool(pool, meeting.ends, meeting.cardinalities(first), order)
    return FastResult(diagram, widths, cut.log_work, pool.distinct, joiner.stats)


class _Meeting:
    """Which features of the classifier the rows and columns of the two tables stand for."""

    def __init__(self, classifier: Classifier, prepared: Prepared, first: Side, second: Side) -> None:
        self._classifier, self._first, self._second = classifier, first, second
        self.position = {name: position for position, name in enumerate(prepared.features)}
        self._sizes = [len(variable) for variable in classifier.feature_variables]
        self.ends = len(classifier.classes) + classifier.rule.leaves_ties

    def cardinalities(self, side: Side) -> list[int]:
        return [self._sizes[self.position[name]] for name in side.features]

    def exact_labels(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the exact labels of cells, given as row and column numbers."""
        instances = np.zeros((len(rows), len(self._sizes)), dtype=np.intp)
        for side, numbers in ((self._first, rows), (self._second, columns)):
            if side.features:
                places = [self.position[name] for name in side.features]
                states = np.unravel_index(numbers, self.cardinalities(side))
                instances[:, places] = np.stack(states, axis=1)
        return self._classifier.labels(instances)
