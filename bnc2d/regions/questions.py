"""The least margins of many regions at once, each a choice of one option, a set of states, for every feature.

The clusters of the elimination are trees. Messages go from everywhere towards one cluster of each tree, its
*top*, where the last features are minimised over. What differs from the question before decides where the top
is: it moves to where a choice differs, and only the messages on the way there, and on the way from other
choices that differ, are computed again. So questions that differ by one feature, asked one after another
along a tree, take a few messages each, however large the tree is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import PIECE, checkpoint, pieces
from bnc2d.regions.margins import DECIDES, Margins, Values
from bnc2d.regions.region import Region, States

Choices: TypeAlias = NDArray[np.intp]  # by region and feature: which option
Places: TypeAlias = NDArray[np.intp]  # of regions among those asked
ClusterId: TypeAlias = int
_NOWHERE = -1


class Questions:
    """Asks for the margins of many regions, each a choice of one option for every feature."""

    def __init__(self, margins: Margins, options: Sequence[Sequence[States]]) -> None:
        self._margins = margins
        self._options = options
        lone = [
            root
            for root in margins.roots
            if not margins.clusters[root].children and len(margins.clusters[root].goes) == 1
        ]
        # Features that nothing goes with, and their tables.
        self._lone_tables = {margins.clusters[root].goes[0]: margins.clusters[root].table for root in lone}
        self._lone = list(self._lone_tables)
        self._trees = [_Tree(margins, options, root) for root in margins.roots if root not in lone]

    @cached_property
    def _lone_least(self) -> tuple[Values, NDArray[np.intp]]:
        """The least margins of the options of lone features, a row each, and where each feature starts."""
        counts = [len(self._options[feature]) for feature in self._lone]
        starts = np.concatenate([[0], np.cumsum(counts)]).astype(np.intp)
        least = np.zeros((int(starts[-1]), len(self._margins.pairs)))
        for start, feature in zip(starts.tolist(), self._lone, strict=False):
            for option, states in enumerate(self._options[feature]):
                least[start + option] = self._lone_tables[feature][:, states].min(axis=1)
        return least, starts[:-1]

    @property
    def order(self) -> list[int]:
        """All features that matter, so that those that follow each other are near each other."""
        return [*self._lone, *(feature for tree in self._trees for feature in tree.order)]

    def region(self, choice: NDArray[np.intp]) -> Region:
        """Return the region that is chosen."""
        return [options[at] for options, at in zip(self._options, choice.tolist(), strict=True)]

    def least(self, choices: Choices) -> Values:
        """Return the least margin of every region and pair.

        It is above ``FINITE`` where the second class is impossible all over the region, and below ``-FINITE``
        where the first one falls behind because it is impossible somewhere.
        """
        margins = self._margins
        total = np.repeat(margins.constant[None], len(choices), axis=0)
        if self._lone and margins.pairs:
            least, starts = self._lone_least
            for piece in pieces(len(choices), PIECE // (len(starts) * len(margins.pairs))):
                total[piece] += least[choices[piece][:, self._lone] + starts].sum(axis=1)
        for tree in self._trees if len(choices) else ():
            total += tree.least(choices)
        for scope, positive in margins.positive:
            total[self._somewhere_zero(scope, ~positive, choices)] = DECIDES
        return total

    def along(self, region: Region, feature: int) -> Values:
        """Return the least margins ``[state, pair]`` of a region for every single state of a feature.

        The questions must be those of the region: its sets of states as the only options.
        """
        margins = self._margins
        choices = np.zeros((1, len(region)), dtype=np.intp)
        total = np.repeat(margins.constant[None], margins.sizes[feature], axis=0)
        if self._lone and margins.pairs:
            least, starts = self._lone_least
            for place, other in enumerate(self._lone):
                if other == feature:
                    total += self._lone_tables[feature].T
                else:
                    total += least[starts[place]]
        for tree in self._trees:
            total += tree.along(choices, feature) if feature in tree.order else tree.least(choices)
        for scope, positive in margins.positive:
            zero = ~positive
            for axis, other in enumerate(scope, start=1):
                if other != feature:
                    zero = np.asarray(zero.take(region[other], axis=axis).any(axis=axis, keepdims=True))
            total[np.broadcast_to(zero.reshape(len(zero), -1).T, total.shape)] = DECIDES
        return total

    def _somewhere_zero(
        self, scope: Sequence[int], zero: NDArray[np.bool_], choices: Choices
    ) -> NDArray[np.bool_]:
        """Return for each region and pair whether a table, ``[pair, *scope]``, is true somewhere there."""
        found = np.zeros((len(choices), len(zero)), dtype=bool)
        for choice, places in _groups(choices[:, scope]) if len(choices) else ():
            here = zero
            for axis, (feature, option) in enumerate(zip(scope, choice, strict=True), start=1):
                here = here.take(self._options[feature][option], axis=axis)
            found[places] = here.reshape(len(here), -1).any(axis=1)
        return found


class _Tree:
    """The messages of one tree of clusters, towards a top that moves."""

    def __init__(self, margins: Margins, options: Sequence[Sequence[States]], root: ClusterId) -> None:
        self._options = options
        self._clusters = margins.clusters
        self._above: dict[ClusterId, ClusterId] = {root: _NOWHERE}
        numbers = [root]
        for number in numbers:
            children = [child for child, _, _ in margins.clusters[number].children]
            self._above.update(dict.fromkeys(children, number))
            numbers += children
        self._all = sorted(numbers)  # those below come first
        self._near: dict[ClusterId, list[tuple[ClusterId, tuple[int, ...], tuple[int, ...]]]] = {}
        for number, above in self._above.items():
            stays = margins.clusters[number].stays
            shape = (
                *(margins.sizes[feature] for feature in stays),
                *[1] * len(margins.clusters[number].goes),
            )
            from_above = [] if above == _NOWHERE else [(above, tuple(range(len(stays))), shape)]
            self._near[number] = [*margins.clusters[number].children, *from_above]
        self._home = {feature: number for number in numbers for feature in margins.clusters[number].goes}
        self._features = sorted(self._home)
        self._asked: Choices | None = None
        self._top = root
        self._messages: dict[tuple[ClusterId, ClusterId], Values] = {}
        self._answer = np.empty(0)

    @cached_property
    def order(self) -> list[int]:
        """The features, from one cluster to a next one."""
        order: list[int] = []
        waiting = [self._all[-1]]
        while waiting:
            cluster = self._clusters[waiting.pop()]
            order += cluster.goes
            waiting += [child for child, _, _ in cluster.children]
        return order

    def along(self, choices: Choices, feature: int) -> Values:
        """Return the least sums of a single region, ``[state, pair]``, for every state of a feature."""
        home = self._home[feature]
        self.least(choices)
        if self._top != home:
            self._move(home, choices, {})
        found: Values = self._message(home, _NOWHERE, choices, np.zeros(1, dtype=np.intp), [feature])[0].T
        return found

    def least(self, choices: Choices) -> Values:
        """Return the least sums of every region and pair."""
        dirty: dict[ClusterId, Places] = {}
        if self._asked is None or len(self._asked) != len(choices):
            self._messages.clear()
            self._answer = np.empty((len(choices), len(self._clusters[self._top].table)))
            changed = np.ones((len(choices), 1), dtype=bool)
            dirty = dict.fromkeys(self._all, np.arange(len(choices)))
        else:
            changed = (choices != self._asked)[:, self._features]
            for column in np.flatnonzero(changed.any(axis=0)).tolist():
                number, places = self._home[self._features[column]], np.flatnonzero(changed[:, column])
                dirty[number] = _united(dirty[number], places) if number in dirty else places
            if not dirty:
                return self._answer
        others = [number for number in dirty if number != self._top]
        top = others[0] if others and self._asked is not None else self._top
        self._asked = None  # in case a limit ends this half-way
        self._move(top, choices, dirty)
        places = np.flatnonzero(changed.any(axis=1))
        self._answer = self._answer.copy()
        self._answer[places] = self._message(self._top, _NOWHERE, choices, places)
        self._asked = choices.copy()
        return self._answer

    def _move(self, top: ClusterId, choices: Choices, dirty: dict[ClusterId, Places]) -> None:
        """Make a cluster the top, and compute the messages on the way there from those that are dirty."""
        asked, self._asked = self._asked, None  # in case a limit ends this half-way
        way, way_before = self._way(top), self._way(self._top)
        self._top = top
        for number in {*way, *way_before}:
            if way.get(number) != way_before.get(number) and number != self._top:
                dirty[number] = np.arange(len(choices))  # its message goes another way than before
        off = [number for number in dirty if number not in way]
        heapify(off)
        while off:
            number = heappop(off)
            above = self._above[number]
            if above not in dirty and above not in way:
                heappush(off, above)
            self._send(number, above, choices, dirty)
        for number, below in reversed(way.items()):
            if number in dirty and below != _NOWHERE:
                self._send(number, below, choices, dirty)
        self._asked = asked

    def _way(self, top: ClusterId) -> dict[ClusterId, ClusterId]:
        """Return the clusters above a top, and itself, each with the one below it on the way."""
        way, below = {top: _NOWHERE}, top
        while (above := self._above[below]) != _NOWHERE:
            way[above] = below
            below = above
        return way

    def _send(
        self, number: ClusterId, to: ClusterId, choices: Choices, dirty: dict[ClusterId, Places]
    ) -> None:
        """Compute the message of a cluster for those regions for which it is dirty."""
        places = dirty[number]
        message = self._message(number, to, choices, places)
        if len(places) == len(choices):
            self._messages[number, to] = message
        else:
            self._messages[number, to][places] = message
        dirty[to] = _united(dirty[to], places) if to in dirty else places

    def _message(
        self,
        number: ClusterId,
        to: ClusterId,
        choices: Choices,
        places: Places,
        shared: Sequence[int] = (),
    ) -> Values:
        """Return the least sums of all that is not on the side of ``to``, over the features shared with it.

        Regions with the same options where features are minimised over are done together.
        """
        checkpoint()
        cluster = self._clusters[number]
        order = (*cluster.stays, *cluster.goes)
        shared = shared if to == _NOWHERE else self._clusters[min(number, to)].stays
        minimised = [feature for feature in order if feature not in shared]
        gone = [axis for axis, feature in enumerate(order) if feature not in shared]
        kept = [feature for feature in order if feature in shared]
        sort = sorted(range(len(kept)), key=kept.__getitem__)
        near = [entering for entering in self._near[number] if entering[0] != to]
        shape = [cluster.table.shape[1 + order.index(feature)] for feature in shared]
        answer = np.empty((len(places), len(cluster.table), *shape))
        for choice, some in _groups(choices[places][:, minimised]):
            table = cluster.table
            cuts: list[tuple[int, States]] = []
            for axis, option in zip(gone, choice, strict=True):
                states = self._options[order[axis]][option]
                if len(states) < table.shape[1 + axis]:
                    table = table.take(states, axis=1 + axis)
                    cuts.append((2 + axis, states))
            for piece in pieces(len(some), 8 * PIECE // max(1, table.size)):
                values = table[None]
                for other, axes, fitted in near:
                    below = self._messages[other, number][places[some[piece]]]
                    below = below.transpose(0, 1, *(2 + axis for axis in axes))
                    below = below.reshape(*below.shape[:2], *fitted)
                    for axis, states in cuts:
                        if below.shape[axis] > 1:
                            below = below.take(states, axis=axis)
                    values = values + below
                least = values.min(axis=tuple(2 + axis for axis in gone))
                answer[some[piece]] = least.transpose(0, 1, *(2 + axis for axis in sort))
        return answer


def _united(one: Places, other: Places) -> Places:
    """Return the places that are in one of two, ascending."""
    return one if len(one) > len(other) and np.isin(other, one).all() else np.union1d(one, other)


def _groups(rows: Choices) -> list[tuple[list[int], Places]]:
    """Return the distinct rows, each with the places where it is."""
    if not rows.shape[1] or (rows == rows[0]).all():
        return [(rows[0].tolist(), np.arange(len(rows)))]
    codes = rows[:, 0]
    for column in rows.T[1:]:
        codes = codes * (int(column.max()) + 1) + column
    _, first, group = np.unique(codes, return_index=True, return_inverse=True)
    return [(rows[at].tolist(), np.flatnonzero(group == number)) for number, at in enumerate(first.tolist())]
