"""From the diagram of the target's part to that of the whole classifier: where tables outside it have zeros.

1. Each table with zeros outside the target's part is a relation over its features (``relations``);
   relations that share hidden variables allow an instance where some hidden state satisfies all of them.
2. All features get one order, in which those of the target's part stay in the order of its diagram
   (``order``).
3. Level by level from the first feature: a node is what the target's diagram and every open relation have
   come to. Where a relation allows nothing any more, or the target's diagram says what the tie rule says, the
   terminal is reached. Equal nodes are merged.
4. The levels are reduced from the last to the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct, distinct_rows
from bnc2d.compile.graph.pruning import TargetPart
from bnc2d.compile.result import feature_domain
from bnc2d.compile.zeros.order import Given, choose_order
from bnc2d.compile.zeros.relations import Column, HiddenGroup, Relation, RelationDiagram, relations_of
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder
from bnc2d.logic.domain import Domain
from bnc2d.model.elimination import connected_groups

Ids: TypeAlias = NDArray[np.int64]
Rows: TypeAlias = NDArray[np.intp]

# Rows of nodes before they are merged: the copies of each entry, and how many entries are made at a time.
_BYTES_PER_ENTRY = 4 * 8
_ENTRIES_AT_ONCE = 1 << 20
# A level of more entries takes seconds to merge, and makes no formula that anybody could use.
_MAX_ENTRIES = 1 << 23
_DEAD = 0


def with_impossible(part: TargetPart, diagram: Diagram, budget: Budget) -> Diagram:
    """Return the diagram of the whole classifier, given that of the target's part, which is not all of it."""
    features = part.whole.features
    domain = feature_domain(part.whole)
    position = {name: number for number, name in enumerate(features)}
    inside = [position[name] for name in part.classifier.features]
    if not part.zero_tables:
        return diagram.over(domain, inside)
    with budget.phase("impossible"):
        relations = relations_of(part.zero_tables, features)
        chosen = choose_order(relations, Given.of(diagram, inside), domain.cardinalities)
        product = _Product(part, diagram, inside, relations, chosen, budget)
        return product.diagram(domain)


class _Product:
    """Steps 3 and 4: nodes are rows of ids, one for each column that is open."""

    def __init__(
        self,
        part: TargetPart,
        given: Diagram,
        features: Sequence[int],
        relations: Sequence[Relation],
        order: Sequence[int],
        budget: Budget,
    ) -> None:
        self._part, self._order, self._budget = part, order, budget
        self._sizes = [len(variable) for variable in part.whole.feature_variables]
        self._terminals = given.terminals
        self._tied = part.whole.rule.exact_label([0] * len(part.whole.classes)) % given.terminals
        levels = {features[level.feature]: level for level in given.walk}
        self._columns = [Column(levels, given.root, 0, len(order))]
        rank = {feature: number for number, feature in enumerate(order)}
        for group in connected_groups([set(relation.hidden) for relation in relations]):
            checkpoint()
            members = [relations[at] for at in group]
            drawn = [RelationDiagram(member, rank) for member in members if member.features]
            drawn.sort(key=lambda relation: relation.last)
            self._columns += drawn
            if drawn[0].hidden:
                self._columns.append(HiddenGroup(drawn, [one for one in members if not one.features]))

    def diagram(self, domain: Domain) -> Diagram:
        """Return the reduced diagram."""
        columns: list[Column] = []
        rows = np.zeros((1, 0), dtype=np.int64)
        levels: list[Ids] = []
        for done, feature in enumerate(self._order):
            self._budget.progress(done / len(self._order))
            fresh = [column for column in self._columns if column.first == done]
            starts = np.array([column.start for column in fresh], dtype=np.int64)
            rows = np.concatenate([rows, np.tile(starts, (len(rows), 1))], axis=1)
            columns += fresh
            ending = [column for column in self._columns if column.last == done]
            kept = [at for at, column in enumerate(columns) if column.last != done]
            children, rows = self._level(feature, columns, rows, ending, kept)
            columns = [columns[at] for at in kept]
            levels.append(children)
        builder = DiagramBuilder(self._terminals)
        nodes = np.concatenate([[self._tied], rows[:, 0]])
        for children in reversed(levels):
            checkpoint()
            nodes = np.concatenate([[self._tied], builder.add_level(nodes[children])])
        return builder.finish(domain, self._order, int(nodes[1]))

    def _level(
        self, feature: int, columns: list[Column], rows: Ids, ending: list[Column], kept: list[int]
    ) -> tuple[Ids, Ids]:
        """Return the children of the nodes of one level, and the nodes of the next one.

        Children are ids of nodes from 1 on; 0 is the terminal of the tie rule.
        """
        size = self._sizes[feature]
        step = max(1, _ENTRIES_AT_ONCE // (size * len(columns)))
        children, found, count = [], [], 0
        for start in range(0, len(rows), step):
            checkpoint()
            chunk = rows[start : start + step]
            grown = np.repeat(chunk[:, None, :], size, axis=1)
            for at, column in enumerate(columns):
                if feature in column.levels:
                    grown[:, :, at] = column.levels[feature].children(chunk[:, at])
            flat = grown.reshape(-1, len(columns))
            alive = np.flatnonzero(flat[:, 0] != self._tied)
            for column in ending:
                if isinstance(column, RelationDiagram):
                    alive = _end(column, columns, flat, alive)
            ids = np.zeros(len(flat), dtype=np.int64)
            if len(alive):
                survivors = flat[alive][:, kept]
                group_ids, first = distinct_rows(survivors)
                ids[alive] = count + 1 + group_ids
                found.append(survivors[first])
                count += len(first)
                self._expect(count, len(kept))
            children.append(ids)
        image = np.zeros(count + 1, dtype=np.int64)
        following = np.zeros((0, len(kept)), dtype=np.int64)
        if count:
            following = np.concatenate(found)
            group_ids, first = distinct_rows(following)
            image[1:] = group_ids + 1
            following = following[first]
        flat_children = np.concatenate(children) if children else np.zeros(0, dtype=np.int64)
        return image[flat_children].reshape(-1, size), following

    def _expect(self, nodes: int, columns: int) -> None:
        if nodes * columns > min(_MAX_ENTRIES, self._budget.memory // _BYTES_PER_ENTRY):
            deciding = self._part.classifier.features
            shown = ", ".join(deciding[:8]) + (" and others" if len(deciding) > 8 else "")
            raise LimitExceeded(
                f"telling impossible instances from possible ones takes more than {nodes - 1} nodes for one "
                f"feature; choose fewer features: {shown} decide all possible instances"
            )


def _end(relation: RelationDiagram, columns: list[Column], flat: Ids, alive: Rows) -> Rows:
    """Return the rows that a relation allows once its last feature is set."""
    reached = flat[alive, columns.index(relation)]
    if relation.group is not None:
        at = columns.index(relation.group)
        pairs, _, indices = distinct(flat[alive, at] * relation.terminals + reached)
        met = np.zeros(len(pairs), dtype=np.int64)
        for place, pair in enumerate(pairs.tolist()):
            checkpoint()
            met[place] = relation.group.meet(relation.turn, *divmod(pair, relation.terminals))
        reached = flat[alive, at] = met[indices]
    allowed: Rows = alive[reached != _DEAD]
    return allowed
