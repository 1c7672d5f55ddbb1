"""Reduced ordered decision diagrams with several terminals, in arrays.

``Diagram`` says the encoding. Every child has a smaller number than its parent, and a level may be empty. No
two nodes are equal, none has all its edges to one child, and every one is reached from the root: a function
has one diagram for each order, up to the numbers within a level.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from bnc2d.base import kernels
from bnc2d.base.arrays import Numbers, Rows, contiguous, take, take_columns
from bnc2d.base.checkpoints import PIECE, checkpoint, pieces
from bnc2d.base.hashing import added_rows, distinct_rows, row_hashes
from bnc2d.base.readers.arguments import count as whole_number
from bnc2d.base.readers.arguments import flag, instance_of, items
from bnc2d.base.readers.arguments import limit as checked_limit
from bnc2d.base.readers.instances import AnyInstances, Form, Instances, StateArray
from bnc2d.errors import LogicError
from bnc2d.logic.circuit.manager import Manager
from bnc2d.logic.diagram import counting
from bnc2d.logic.diagram.to_circuit import class_formula
from bnc2d.logic.domain import Domain, FeatureId, Instance
from bnc2d.logic.nnf import NNF

if TYPE_CHECKING:
    import pandas as pd

    from bnc2d.logic.counting.cheapest import PricedInstance
    from bnc2d.logic.counting.weights import StateNumbers

Terminal: TypeAlias = int  # number of a terminal
NodeNumber: TypeAlias = int  # number of a node of a diagram, terminals included

_SORTED_AT_ONCE = 1 << 20
_FEW_COLUMNS = 16
_FEW_CHILDREN = 256  # of a level that is reduced faster without a loop in C
_MOST_DRAWS = 10**8  # more would not fit in memory


class Level(NamedTuple):
    """The nodes that decide one feature: ``table[node - first, state]`` is what a state leads to."""

    feature: FeatureId
    table: Numbers
    first: NodeNumber

    @property
    def nodes(self) -> slice:
        """The numbers of the nodes."""
        return slice(self.first, self.first + len(self.table))

    def children(self, nodes: Numbers) -> Numbers:
        """Return ``[node, state]`` what nodes lead to; a node of a later level leads to itself."""
        children = take(self.table, np.maximum(nodes - self.first, 0))
        later = np.flatnonzero(nodes < self.first)
        children[later] = take(nodes, later)[:, None]
        return children


@dataclass(frozen=True, eq=False, repr=False)
class Diagram:
    """A function from the instances of a domain to terminals, reduced and ordered; immutable.

    Nodes are numbers: ``0 .. terminals-1`` are the terminals, then come the nodes of the last level, then
    those of the level before, up to the ``root``. ``levels[i]`` is an array ``[node, state]`` of the nodes
    that decide the feature ``order[i]``, with the number of the child that each state leads to. A compiled
    model's diagram has a terminal for each class, in the order of ``classes``, and one more where ties leave
    instances in no class.
    """

    domain: Domain
    order: tuple[FeatureId, ...]
    terminals: int
    levels: tuple[Numbers, ...]
    root: NodeNumber

    @cached_property
    def node_count(self) -> int:
        """The number of nodes that decide a feature."""
        return sum(len(table) for table in self.levels)

    @property
    def size(self) -> int:
        """The number of nodes, terminals included."""
        return self.terminals + self.node_count

    @cached_property
    def walk(self) -> tuple[Level, ...]:
        """The levels that have nodes, from the root's to the last: what every pass goes through.

        Reversed, children come before their parents.
        """
        found = []
        first = self.terminals
        for feature, table in zip(reversed(self.order), reversed(self.levels), strict=True):
            if len(table):
                found.append(Level(feature, table, first))
                first += len(table)
        return tuple(reversed(found))

    @property
    def features(self) -> tuple[str, ...]:
        """The features that the terminal depends on, in the order of the domain."""
        return tuple(self.domain.names[feature] for feature in sorted(level.feature for level in self.walk))

    def labels(self, rows: Rows) -> NDArray[np.int64]:
        """Return the terminal that each row of state positions (in the domain's order) leads to."""
        nodes = np.full(len(rows), self.root, dtype=np.int64)
        for piece in pieces(len(rows)):
            at, some = nodes[piece], rows[piece]
            for feature, table, first in self.walk:
                here = np.flatnonzero(at >= first)
                at[here] = table[at[here] - first, some[here, feature]]
        return nodes

    @overload
    def evaluate(self, instances: Instance) -> Terminal: ...
    @overload
    def evaluate(self, instances: Instances | StateArray | pd.DataFrame) -> NDArray[np.int64]: ...
    @overload
    def evaluate(self, instances: pd.Series[Any]) -> Terminal: ...
    def evaluate(self, instances: AnyInstances) -> Terminal | NDArray[np.int64]:
        """Return the terminal of one instance, or an array of them for many, in the forms of ``predict``."""
        encoded = self.domain.read(instances)
        found = self.labels(encoded.rows)
        return int(found[0]) if encoded.form is Form.ONE else found

    @overload
    def counts(self, weights: None = None) -> list[int]: ...
    @overload
    def counts(self, weights: StateNumbers) -> list[Fraction]: ...
    def counts(self, weights: StateNumbers | None = None) -> list[int] | list[Fraction]:
        """Return how many instances lead to each terminal, or what they weigh together, exactly.

        ``weights`` maps features to numbers by state, as in ``NNF.model_count``.
        """
        if weights is None:
            return counting.counts(self)
        from bnc2d.logic.counting.weights import Weights
        from bnc2d.logic.diagram import weighing

        weigh = Weights(self.domain, weights)
        return [weigh.exactly(units) for units in weighing.weighted_counts(self, weigh)]

    @overload
    def count(self, terminal: Terminal, weights: None = None) -> int: ...
    @overload
    def count(self, terminal: Terminal, weights: StateNumbers) -> Fraction: ...
    def count(self, terminal: Terminal, weights: StateNumbers | None = None) -> int | Fraction:
        """Return how many instances lead to a terminal, or what they weigh together, exactly."""
        place = self._terminal(terminal)
        return self.counts()[place] if weights is None else self.counts(weights)[place]

    def shares(self) -> list[Fraction]:
        """Return which share of all instances leads to each terminal."""
        total = self.domain.instance_count
        return [Fraction(count, total) for count in self.counts()]

    def instances(self, terminal: Terminal, limit: int | None = None) -> Iterator[dict[str, str]]:
        """Return an iterator over the instances that lead to a terminal, each once.

        They come as words in a dictionary, with the features in the diagram's order: the last feature of
        ``order`` varies fastest. They are made as they are asked for.
        """
        ways = counting.ways(self, [self._terminal(terminal)])
        total, most = int(ways[self.root]), checked_limit(limit, LogicError)
        positions = range(total if most is None else min(most, total))
        return (self.domain.decode(row) for row in counting.rows_in_order(self, ways, positions))

    def cheapest(self, terminal: Terminal, costs: StateNumbers) -> PricedInstance | None:
        """Return the instance of least cost that leads to a terminal, with its cost; None where none does.

        See ``in_order_of_cost``, of which it is the first.
        """
        return next(self.in_order_of_cost(terminal, costs), None)

    def in_order_of_cost(
        self, terminal: Terminal, costs: StateNumbers, limit: int | None = None
    ) -> Iterator[PricedInstance]:
        """Return an iterator over the instances that lead to a terminal, cheapest first, with their costs.

        An instance costs the sum over its states of the numbers in ``costs``, a mapping from feature to
        numbers by state, of any sign; what it leaves out costs nothing. Equal costs come in the order of
        ``instances``. They are made as they are asked for.
        """
        from bnc2d.logic.counting.cheapest import Costs, PricedInstance, in_order_of_cost
        from bnc2d.logic.diagram.weighing import DiagramSpace

        prices, label = Costs(self.domain, costs), self._terminal(terminal)
        most = checked_limit(limit, LogicError)
        found = in_order_of_cost(DiagramSpace(self, label, prices), prices)
        return (
            PricedInstance(self.domain.decode(row), prices.exactly(units))
            for row, units in islice(found, most)
        )

    def sample(self, terminal: Terminal, seed: int = 0, size: int = 1) -> list[dict[str, str]]:
        """Return independent draws among the instances of a terminal, each with the same probability.

        Exact, by their position in ``instances``. The same seed gives the same draws. A terminal without
        instances is an error.
        """
        ways = counting.ways(self, [self._terminal(terminal)])
        seed = whole_number(seed, "seed")
        size = whole_number(size, "size", most=_MOST_DRAWS, error=LogicError)
        total = int(ways[self.root])
        if not total:
            raise LogicError(f"no instance leads to terminal {terminal}, so there is none to draw")
        from random import Random

        rng = Random(seed)  # noqa: S311 - reproducible draws, not secrets
        drawn = [rng.randrange(total) for _ in range(size)]
        return [self.domain.decode(row) for row in counting.rows_in_order(self, ways, drawn)]

    def two_terminal(self, terminal: Terminal, negated: bool = False) -> Diagram:
        """Return the diagram of "leads to this terminal" (negated: to another): 1 where so, 0 where not."""
        label = self._terminal(terminal)
        if self.terminals == 2 and (label == 1) != flag(negated, "negated"):
            return self
        return self.leading_to(set(range(self.terminals)) - {label} if negated else {label})

    def leading_to(self, terminals: Iterable[Terminal]) -> Diagram:
        """Return the diagram of "leads to one of these terminals": 1 where so, 0 where not."""
        image = np.zeros(self.size, dtype=np.int64)
        image[[self._terminal(terminal) for terminal in items(terminals, "terminals", "a list")]] = 1
        builder = DiagramBuilder(2)
        first = self.terminals
        for table in reversed(self.levels):
            checkpoint()
            children = take(image, table.reshape(-1)).reshape(table.shape)
            image[first : first + len(table)] = builder.add_level(children)
            first += len(table)
        return builder.finish(self.domain, self.order, int(image[self.root]))

    def to_nnf(self, terminal: Terminal, negated: bool = False, manager: Manager | None = None) -> NNF:
        """Return the OR-decomposable circuit of the instances that lead to a terminal, or to any other.

        Each node becomes an AND of clauses (see ``to_circuit``); ``model.formula`` gives smaller circuits.
        They are added to ``manager``, which has the diagram's domain; by default to a fresh one.
        """
        label = self._terminal(terminal)
        manager = Manager(self.domain) if manager is None else instance_of(Manager, manager, "manager")
        if manager.domain != self.domain:
            raise LogicError("the manager has another domain than the diagram")
        return NNF(manager, class_formula(self, manager, label, flag(negated, "negated")))

    def over(self, domain: Domain, features: Sequence[FeatureId]) -> Diagram:
        """Return the diagram over a larger domain, where feature ``i`` of this one is ``features[i]``."""
        builder = DiagramBuilder(self.terminals, reversed(self.levels))
        return builder.finish(domain, [features[feature] for feature in self.order], self.root)

    def flaw(self) -> str | None:
        """Return what breaks the encoding, in words; None where nothing does."""
        sizes = self.domain.cardinalities
        if sorted(self.order) != list(range(len(sizes))) or len(self.levels) != len(sizes):
            return "its order is no permutation of the features"
        if self.terminals < 1 or not 0 <= self.root < self.size:
            return "it has no such root"
        for feature, table in zip(self.order, self.levels, strict=True):
            if table.ndim != 2 or table.shape[1] != sizes[feature] or table.dtype != np.int64:
                return f"the table of {self.domain.names[feature]!r} does not fit the feature's states"
        used = np.zeros(self.size, dtype=bool)
        used[self.root] = used[: self.terminals] = True
        for feature, table, first in self.walk:
            for piece in pieces(len(table), PIECE // table.shape[1]):
                rows = table[piece]
                if rows.min() < 0 or rows.max() >= first:
                    return f"an edge of {self.domain.names[feature]!r} leads to no later node"
                used[rows] = True
                if not _vary(rows).all():
                    return f"a node of {self.domain.names[feature]!r} leads to one child only"
            if not _all_differ(table):
                return f"two nodes of {self.domain.names[feature]!r} are equal"
        return None if used.all() else "a node is not reached from the root"

    def assert_consistent(self) -> None:
        """Check every invariant of the encoding; for tests."""
        flaw = self.flaw()
        assert flaw is None, flaw  # noqa: S101

    def _terminal(self, terminal: Terminal) -> int:
        return whole_number(terminal, "terminal", most=self.terminals - 1, error=LogicError)

    def __repr__(self) -> str:
        return f"<Diagram of {len(self.order)} features: {self.node_count} nodes, {self.terminals} terminals>"


class DiagramBuilder:
    """Builds a reduced diagram bottom-up, a level at a time; levels that are reduced already may be given."""

    def __init__(self, terminals: int, reduced: Iterable[Numbers] = ()) -> None:
        self.terminals = terminals
        self._levels: list[Numbers] = list(reduced)
        self._next = terminals + sum(map(len, self._levels))

    def add_level(self, children: Numbers, column_of_state: NDArray[np.intp] | None = None) -> Numbers:
        """Add a level of nodes ``[node, state]``; return for each the number of its reduced node.

        Where many states are alike ``children`` may be ``[node, column]``, with the column of each state.
        """
        if kernels.loops is not None and children.size > _FEW_CHILDREN:
            numbers, first = added_rows(children, self._next)
            kept = take(children, first)
        else:
            numbers, kept = self._reduced(children)
        self._levels.append(kept if column_of_state is None else take_columns(kept, column_of_state))
        self._next += len(kept)
        return numbers

    def _reduced(self, children: Numbers) -> tuple[Numbers, Numbers]:
        """Return the number of each node, and the children of those that are added."""
        proper = np.empty(len(children), dtype=bool)
        for piece in pieces(len(children), PIECE // children.shape[1]):
            proper[piece] = _vary(children[piece])
        numbers = contiguous(children[:, 0]).copy()
        places = np.flatnonzero(proper)
        kept, inverse = _unique_rows(take(children, places))
        for piece in pieces(len(places)):
            numbers[places[piece]] = self._next + inverse[piece]
        return numbers, kept

    def add_distinct(self, table: Numbers) -> NodeNumber:
        """Add a level of nodes ``[node, state]`` that need no reduction; return the number of the first."""
        first = self._next
        self._levels.append(table)
        self._next += len(table)
        return first

    def finish(self, domain: Domain, order: Iterable[FeatureId], root: NodeNumber) -> Diagram:
        """Return the diagram; levels were added from the last feature of ``order`` to the first.

        Features of the domain that are not in ``order`` get empty levels at the end.
        """
        decided = tuple(order)
        others = sorted(set(range(len(domain))) - set(decided))
        empty = [np.zeros((0, domain.cardinalities[feature]), dtype=np.int64) for feature in others]
        return Diagram(domain, (*decided, *others), self.terminals, (*reversed(self._levels), *empty), root)


def _all_differ(rows: Numbers) -> bool:
    """Return whether no two rows are equal: their hashes differ, or else the rows are compared."""
    hashes = row_hashes(rows)
    shares = len(rows) // _SORTED_AT_ONCE + 1
    share = (hashes >> np.uint64(32)) * np.uint64(shares) >> np.uint64(32)
    for number in range(shares):
        checkpoint()
        some = np.sort(hashes[share == number])
        if (some[1:] == some[:-1]).any():
            return len(_unique_rows(rows)[0]) == len(rows)
    return True


def _vary(rows: Numbers) -> NDArray[np.bool_]:
    """Return for each row whether its entries are not all equal."""
    if rows.shape[1] > _FEW_COLUMNS:
        return np.asarray((rows != rows[:, :1]).any(axis=1))
    varying = np.zeros(len(rows), dtype=bool)
    for column in rows.T[1:]:  # many times faster where rows are short
        varying |= column != rows[:, 0]
    return varying


def _unique_rows(rows: Numbers) -> tuple[Numbers, Numbers]:
    """Return the distinct rows and for each row its position among them."""
    if not len(rows):
        return rows, np.zeros(0, dtype=np.int64)
    base = int(rows.max()) + 1
    if base ** rows.shape[1] < 2**63:  # a row is a number
        codes = contiguous(rows[:, 0]).copy()
        for column in rows.T[1:]:
            for piece in pieces(len(codes)):
                codes[piece] *= base
                codes[piece] += column[piece]
        kinds, first = distinct_rows(codes[:, None])
    else:
        kinds, first = distinct_rows(contiguous(rows))
    return take(rows, first), kinds


def reduce_table(labels: Numbers, cardinalities: Sequence[int], builder: DiagramBuilder) -> Numbers:
    """Reduce functions given by their values: ``[function, instance]``, the last feature varying fastest.

    Adds a level per feature, last to first, and returns the node of each function.
    """
    functions = len(labels)
    nodes = labels.reshape(-1)
    for size in reversed(cardinalities):
        nodes = builder.add_level(nodes.reshape(-1, size))
    return nodes.reshape(functions)
