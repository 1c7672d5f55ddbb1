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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.hashing import distinct, distinct_rows
from bnc2d.compile.domain import feature_domain
from bnc2d.compile.graph.target_part import TargetPart
from bnc2d.compile.zeros.order import Given, choose_order
from bnc2d.compile.zeros.relations import HiddenGroup, Relation, RelationDiagram, relations_of
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder, Level
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


@dataclass(frozen=True, eq=False)
class _Column:
    """A part of a node: what a diagram has come to, or a set of hidden states."""

    levels: Mapping[int, Level]  # by feature
    start: int

    @classmethod
    def of(cls, diagram: Diagram, features: Sequence[int]) -> _Column:
        """Return the column of a diagram whose feature ``i`` is ``features[i]`` here."""
        return cls({features[level.feature]: level for level in diagram.walk}, diagram.root)

    def follow(self, feature: int, nodes: Ids, grown: Ids) -> None:
        """Write the children of the nodes for every state of a feature to ``grown``, ``[node, state]``."""
        if feature in self.levels:
            _, table, first = self.levels[feature]
            here = np.flatnonzero(nodes >= first)
            grown[here] = table[nodes[here] - first]


@dataclass(frozen=True, eq=False)
class _Open:
    """A relation while its features are met, with its turn in a group where it has hidden variables."""

    column: _Column
    first: int
    last: int
    terminals: int
    group: int | None = None
    turn: int = 0
    is_last_turn: bool = True


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
        self._given = _Column.of(given, features)
        rank = {feature: number for number, feature in enumerate(order)}
        self._groups: list[HiddenGroup] = []
        self._relations: list[_Open] = []
        for group in connected_groups([set(relation.hidden) for relation in relations]):
            members = [relations[at] for at in group]
            drawn = [RelationDiagram(member, rank) for member in members if member.features]
            drawn.sort(key=lambda one: rank[one.features[-1]])
            number = None
            if drawn[0].hidden:
                number = len(self._groups)
                self._groups.append(HiddenGroup(drawn, [one for one in members if not one.features]))
            for turn, one in enumerate(drawn):
                checkpoint()
                column = _Column.of(one.diagram, one.features)
                last = turn == len(drawn) - 1
                first_last = one.features[0], one.features[-1]
                self._relations.append(_Open(column, *first_last, one.diagram.terminals, number, turn, last))

    def diagram(self, domain: Domain) -> Diagram:
        """Return the reduced diagram."""
        columns: list[object] = [self._given]
        rows = np.array([[self._given.start]], dtype=np.int64)
        levels: list[Ids] = []
        for done, feature in enumerate(self._order):
            self._budget.progress(done / len(self._order))
            for relation in self._relations:
                if relation.first == feature:
                    rows = _with_column(rows, relation.column.start)
                    columns.append(relation)
                    if relation.group is not None and self._groups[relation.group] not in columns:
                        rows = _with_column(rows, self._groups[relation.group].start)
                        columns.append(self._groups[relation.group])
            ending = [r for r in self._relations if r.last == feature]
            closed = {columns.index(relation) for relation in ending}
            closed |= {
                columns.index(self._groups[r.group]) for r in ending if r.group is not None and r.is_last_turn
            }
            kept = [at for at in range(len(columns)) if at not in closed]
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
        self, feature: int, columns: list[object], rows: Ids, ending: list[_Open], kept: list[int]
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
                walked = column.column if isinstance(column, _Open) else column
                if isinstance(walked, _Column):
                    walked.follow(feature, chunk[:, at], grown[:, :, at])
            flat = grown.reshape(-1, len(columns))
            alive = np.flatnonzero(flat[:, 0] != self._tied)
            for relation in ending:
                alive = self._end(relation, columns, flat, alive)
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

    def _end(self, relation: _Open, columns: list[object], flat: Ids, alive: Rows) -> Rows:
        """Return the rows that a relation allows once its last feature is set."""
        reached = flat[alive, columns.index(relation)]
        if relation.group is None:
            allowed: Rows = alive[reached != _DEAD]
            return allowed
        group = self._groups[relation.group]
        at = columns.index(group)
        pairs, _, indices = distinct(flat[alive, at] * relation.terminals + reached)
        met = np.zeros(len(pairs), dtype=np.int64)
        for place, pair in enumerate(pairs.tolist()):
            checkpoint()
            met[place] = group.meet(relation.turn, *divmod(pair, relation.terminals))
        flat[alive, at] = met[indices]
        possible: Rows = alive[met[indices] != _DEAD]
        return possible

    def _expect(self, nodes: int, columns: int) -> None:
        if nodes * columns > min(_MAX_ENTRIES, self._budget.memory // _BYTES_PER_ENTRY):
            deciding = self._part.classifier.features
            shown = ", ".join(deciding[:8]) + (" and others" if len(deciding) > 8 else "")
            raise LimitExceeded(
                f"telling impossible instances from possible ones takes more than {nodes - 1} nodes for one "
                f"feature; choose fewer features: {shown} decide all possible instances"
            )


def _with_column(rows: Ids, value: int) -> Ids:
    return np.concatenate([rows, np.full((len(rows), 1), value, dtype=np.int64)], axis=1)
