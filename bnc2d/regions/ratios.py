"""Bounds on the ratios of classes over a region, where hidden variables are in the way.

What the features below a separator say of it is a vector over its hidden states, one for each *way* in which
the region lets them be chosen. Few ways are kept as they are. Of many, all ratios of two entries are bounded
at once, over all ways: ``m(s) <= U[s, t] m(t)``. Such bounds follow the elimination of variables:

1. *Products*: bounds are multiplied, which loses nothing where ways are chosen independently.
2. *A feature goes*: the larger bound of its states is taken.
3. *Hidden variables are summed out*: let ``u(s)`` be the sum of the entries ``a`` that share ``s``, and
   ``u(t)`` that of the entries ``b`` that share ``t``. All of these bound ``u(s) / u(t)``, and the least is
   taken:

   - the largest ``U[a, b]`` of entries with the same states of what is summed out;
   - for each ``b0``: the sum of all ``U[a, b0]`` over the sum of all ``1 / U[b0, b]``;
   - for each ``a0``: the sum of all ``U[a, a0]`` over the sum of all ``1 / U[a0, b]``.

For separators of two states nothing is lost in this. Bounds of 0 and infinity are allowed: ``U[s, t] = 0``
says that ``m(s)`` is zero in every way. Numbers are positive throughout, so each of the ``k`` operations on
the way to a bound puts it off by a factor ``1 ± u`` at most (``model/accounts.py``), and ``margin`` covers
all of them. A bound that underflows is raised, one that overflows is infinite: both still hold.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.masks import Mask, StateCounts, VariableId, mask_of, positions, union
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.elimination import greedy_joins, joined_tables
from bnc2d.model.inference import independent_parts
from bnc2d.regions.region import Region

Values: TypeAlias = NDArray[np.float64]
Key: TypeAlias = tuple[bytes, ...]  # the states of the features below

# Vectors are kept as they are while they have at most this many entries before a sum, and ratios after it.
MOST_VECTOR_ENTRIES = 1 << 18
MOST_RATIOS = 1 << 21
# Where a product would have more bounds than this, nothing is known of the region.
MOST_BOUNDS = 1 << 23
# Entries of vectors, and positive bounds, are not relied on below this.
_LEAST = 1e-290
# Tables with positive entries below this power of two are not bounded.
_LOWEST_EXPONENT = -300
# Messages are forgotten when they take more than this many entries.
_MOST_KNOWN = 1 << 24


class _TooLarge(Exception):  # noqa: N818 - caught where bounds are asked for
    """The bounds of a product would have too many entries."""


class Message(NamedTuple):
    """What is said of a scope, by its features and then by the entries of its hidden variables.

    ``values`` are vectors ``[way, *features, entry]``, or bounds ``[*features, entry, entry]``. ``positive``
    says which entries are positive in every way, ``[*features, entry]``.
    """

    features: tuple[VariableId, ...]
    hidden: tuple[VariableId, ...]
    values: Values
    are_bounds: bool
    positive: NDArray[np.bool_]


class RatioBounds:
    """Bounds the ratios of classes over regions; what regions share is done once.

    A ratio that is below 1 by more than ``margin`` is below 1.
    """

    def __init__(self, classifier: BaseClassifier) -> None:
        network = classifier.network
        ids = {name: position for position, name in enumerate(network.names)}
        parts = independent_parts(network, classifier.target, classifier.features)
        cpts = [cpt for part in parts for cpt in part]
        self._usable = all(cpt.lowest_exponent >= _LOWEST_EXPONENT and not cpt.rounds_to_zero for cpt in cpts)
        self._sizes = [len(variable) for variable in network.variables]
        self._target = ids[classifier.target]
        self._column = {ids[name]: column for column, name in enumerate(classifier.features)}
        observed = mask_of(self._column)
        self._scopes = [mask_of(ids[variable.name] for variable in cpt.scope) for cpt in cpts]
        self._tables = []
        for cpt, mask in zip(cpts, self._scopes, strict=True):
            scope = [ids[variable.name] for variable in cpt.scope]
            order = [*positions(mask & observed), *positions(mask & ~observed)]
            self._tables.append(cpt.values.transpose([scope.index(variable) for variable in order]))
        counts = StateCounts(self._sizes)

        def bounds_of(scope: Mask) -> float:
            return counts.count(scope & observed) * counts.count(scope & ~observed) ** 2

        gone = union(self._scopes) & ~(1 << self._target)
        self._joins = list(greedy_joins(self._scopes, gone, bounds_of, lambda joined, _: joined))
        self._inside, self._left = joined_tables(self._scopes, self._joins)
        self._below = [scope & observed for scope in self._scopes]
        for entering in self._inside:
            self._below.append(union([self._below[number] for number in entering]))
        self._known: list[dict[Key, Message]] = [{} for _ in self._below]
        self._known_entries = 0
        operations = 4 * len(self._tables)
        for join, entering in zip(self._joins, self._inside, strict=True):
            summed = int(counts.count(join.summed & ~observed))
            operations += 4 * summed + 4 * len(entering) + 8
        self.margin = 4.0 * operations * UNIT_ROUNDOFF

    def over(self, region: Region) -> tuple[Values, NDArray[np.bool_]]:
        """Return bounds ``[class, other]`` on the ratio of the first to the second at instances of a region.

        And which classes have a positive probability at all of them, as far as that is known.
        """
        classes = self._sizes[self._target]
        if not self._usable:
            return np.full((classes, classes), np.inf), np.zeros(classes, dtype=bool)
        if self._known_entries > _MOST_KNOWN:
            self._known = [{} for _ in self._below]
            self._known_entries = 0
        found, positive = np.ones((classes, classes)), np.ones(classes, dtype=bool)
        try:
            messages = self._messages(region)
        except _TooLarge:
            return np.full((classes, classes), np.inf), np.zeros(classes, dtype=bool)
        for message in messages:
            found = _times(found, message.values if message.are_bounds else _bounds(message.values))
            positive = positive & message.positive
        return found, positive

    def _messages(self, region: Region) -> list[Message]:
        """Return what is left once all has been joined."""
        keys = [allowed.tobytes() for allowed in region]
        messages: list[Message] = []
        for number, known in enumerate(self._known):
            key = tuple(keys[self._column[variable]] for variable in positions(self._below[number]))
            if key not in known:
                checkpoint()
                join = number - len(self._tables)
                if join < 0:
                    known[key] = self._table(number, region)
                else:
                    known[key] = self._joined(join, [messages[other] for other in self._inside[join]], region)
                self._known_entries += known[key].values.size
            messages.append(known[key])
        return [messages[number] for number in self._left]

    def _table(self, number: int, region: Region) -> Message:
        scope = positions(self._scopes[number])
        features = tuple(variable for variable in scope if variable in self._column)
        hidden = tuple(variable for variable in scope if variable not in self._column)
        allowed = [region[self._column[variable]] for variable in features]
        rest = [np.arange(self._sizes[variable]) for variable in hidden]
        table = self._tables[number][np.ix_(*allowed, *rest)].reshape(1, *map(len, allowed), -1)
        return Message(features, hidden, table, False, table[0] > 0)

    def _joined(self, number: int, entering: Sequence[Message], region: Region) -> Message:
        """Return the product of messages, without what goes."""
        join = self._joins[number]
        scope = positions(join.scope)
        features = [variable for variable in scope if variable in self._column]
        stays = [
            variable for variable in scope if variable not in self._column and join.result >> variable & 1
        ]
        summed = [variable for variable in positions(join.summed) if variable not in self._column]
        shape = [len(region[self._column[variable]]) for variable in features]
        goes = tuple(axis for axis, variable in enumerate(features) if join.summed >> variable & 1)
        kept, terms = self._entries(stays), self._entries(summed)
        ways = prod(1 if message.are_bounds else len(message.values) for message in entering)
        chosen = prod(shape[axis] for axis in goes)
        few = (
            not any(message.are_bounds for message in entering)
            and ways * prod(shape) * kept * terms <= MOST_VECTOR_ENTRIES
            and (ways * chosen == 1 or ways * prod(shape) * kept**2 <= MOST_RATIOS)
        )
        if not few and prod(shape) * (kept * terms) ** 2 > MOST_BOUNDS:
            raise _TooLarge
        fitted = [self._fitted(message, features, [*stays, *summed]) for message in entering]
        vectors = _product_of_vectors(fitted) if few else None
        if vectors is not None:
            values = np.broadcast_to(vectors, (len(vectors), *shape, kept * terms))
            values = values.reshape(len(vectors), *shape, kept, terms).sum(axis=-1)
            values = np.moveaxis(values, [1 + axis for axis in goes], range(1, 1 + len(goes)))
            values = _extreme(values.reshape(-1, *values.shape[1 + len(goes) :]))
        else:
            bounds = np.ones((1, 1))
            for message, table in zip(entering, fitted, strict=True):
                bounds = _times(bounds, table if message.are_bounds else _bounds(table))
            values = _summed(np.broadcast_to(bounds, (*shape, kept * terms, kept * terms)), kept)
            values = values.max(axis=goes) if goes else values
        positive = np.ones((*shape, kept * terms))
        for message in entering:
            own = message._replace(values=message.positive[None].astype(np.float64), are_bounds=False)
            positive = positive * self._fitted(own, features, [*stays, *summed])[0]
        sure = positive.reshape(*shape, kept, terms).max(axis=-1).min(axis=goes, initial=1.0) > 0
        left = tuple(variable for variable in features if join.result >> variable & 1)
        return Message(left, tuple(stays), values, vectors is None, sure)

    def _entries(self, hidden: Sequence[VariableId]) -> int:
        return prod(self._sizes[variable] for variable in hidden)

    def _fitted(
        self, message: Message, features: Sequence[VariableId], hidden: Sequence[VariableId]
    ) -> Values:
        """Return the values with an axis for each of these features, and entries for these variables."""
        values, lead = message.values, 0 if message.are_bounds else 1
        own = [variable for variable in features if variable in message.features]
        axes = [lead + message.features.index(variable) for variable in own]
        values = values.transpose(*range(lead), *axes, *range(lead + len(own), values.ndim))
        widths = dict(zip(own, values.shape[lead:], strict=False))
        wide = [widths.get(variable, 1) for variable in features]
        values = values.reshape(*values.shape[:lead], *wide, *values.shape[lead + len(own) :])
        places = np.arange(self._entries(message.hidden)).reshape([self._sizes[v] for v in message.hidden])
        mine = [variable for variable in hidden if variable in message.hidden]
        places = places.transpose([message.hidden.index(variable) for variable in mine])
        places = places.reshape([self._sizes[v] if v in message.hidden else 1 for v in hidden])
        entry = np.broadcast_to(places, [self._sizes[variable] for variable in hidden]).reshape(-1)
        return values[..., entry[:, None], entry] if message.are_bounds else values[..., entry]


def _product_of_vectors(tables: Sequence[Values]) -> Values | None:
    """Return the products of vectors in all ways; None where one leaves the range of floats."""
    vectors = np.ones((1,) * tables[0].ndim)
    for table in tables:
        one, other = vectors[:, None], table[None]
        product = one * other
        if ((product < _LEAST) & (one != 0) & (other != 0)).any():
            return None
        vectors = product.reshape(-1, *product.shape[2:])
    return vectors


def _extreme(vectors: Values) -> Values:
    """Return vectors that bound as much, scaled: the two extreme ones of two entries, else distinct ones."""
    largest = vectors.max(axis=tuple(range(1, vectors.ndim)))
    some = largest > 0
    if not some.any():
        return vectors[:1]
    vectors = vectors[some] / largest[some].reshape(-1, *[1] * (vectors.ndim - 1))  # zeros bound nothing
    if len(vectors) <= 2:
        return vectors
    flat = vectors.reshape(len(vectors), -1)
    if flat.shape[1] == 2:
        share = flat[:, 0] / flat.sum(axis=1)
        return vectors[[int(share.argmin()), int(share.argmax())]]
    return np.unique(flat, axis=0).reshape(-1, *vectors.shape[1:])


def _times(one: Values, other: Values) -> Values:
    """Return the products of bounds; with a bound of zero it is zero, whatever the other."""
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        product = np.maximum(one * other, _LEAST)
    product[np.broadcast_to((one == 0) | (other == 0), product.shape)] = 0.0
    return product


def _over(above: Values, below: Values) -> Values:
    """Return a bound as a quotient of sums; where both are infinite, nothing is known."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore", under="ignore"):
        quotient = np.maximum(above / below, _LEAST)
    quotient[np.broadcast_to((above == 0) | (np.isinf(below) & ~np.isinf(above)), quotient.shape)] = 0.0
    return np.asarray(np.nan_to_num(quotient, nan=np.inf, posinf=np.inf))


def _bounds(vectors: Values) -> Values:
    """Return the bounds of vectors ``[way, *features, entry]``: the largest ratios over all ways."""
    found = np.zeros((*vectors.shape[1:], vectors.shape[-1]))
    step = max(1, (1 << 18) // found.size)
    for start in range(0, len(vectors), step):
        checkpoint()
        piece = vectors[start : start + step]
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            ratios = np.maximum(piece[..., :, None] / piece[..., None, :], _LEAST)
        if not piece.all():
            ratios[np.broadcast_to(piece[..., :, None] == 0, ratios.shape)] = 0.0
        np.maximum(found, ratios.max(axis=0), out=found)
    return found


def _summed(bounds: Values, kept: int) -> Values:
    """Return the bounds ``[*features, kept, kept]`` of the sums of the entries that share a kept one."""
    *shape, entries, _ = bounds.shape
    terms = entries // kept
    if terms == 1:
        return bounds
    table = bounds.reshape(*shape, kept, terms, kept, terms)
    least = np.einsum("...asbs->...abs", table).max(axis=-1)
    own = np.einsum("...asat->...ast", table)  # of entries that share a kept one
    with np.errstate(divide="ignore"):
        for term in range(terms):
            checkpoint()
            above = table[..., term].sum(axis=-2)  # the sums of U[a, b0]
            below = (1.0 / own[..., term, :]).sum(axis=-1)  # of 1 / U[b0, b]
            least = np.minimum(least, _over(above, below[..., None, :]))
            above = own[..., term].sum(axis=-1)  # of U[a, a0]
            below = (1.0 / table[..., term, :, :]).sum(axis=-1)  # of 1 / U[a0, b]
            least = np.minimum(least, _over(above[..., :, None], below))
    return np.asarray(least)
