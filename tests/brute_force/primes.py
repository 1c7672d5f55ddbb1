"""Primes by their definition, on domains small enough to list every term and every clause."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import TypeVar

from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.domain import Domain
from bnc2d.logic.terms import Clause, Term
from tests.logic.strategies import models

Masks = tuple[int, ...]  # one per feature; a feature that does not occur is full in a term, empty in a clause
Prime = TypeVar("Prime", Term, Clause)


def prime_implicants(manager: Manager, root: NodeId, variable_minimal: bool = False) -> set[Term]:
    """Terms whose instances all satisfy the circuit, and no state can be added to a literal."""
    domain = manager.domain
    false = set(product(*map(range, domain.cardinalities))) - models(manager, root)
    failing = [_instance_bits(domain, positions) for positions in false]
    full = [domain.full(feature) for feature in range(len(domain))]
    implicants = {
        masks
        for masks in product(*(range(1, everything + 1) for everything in full))
        if not any(bits & _join(domain, masks) == bits for bits in failing)
    }
    primes = [masks for masks in implicants if not any(more in implicants for more in _one_more(masks, full))]
    return _named(Term, domain, primes, full, variable_minimal)


def prime_implicates(manager: Manager, root: NodeId, variable_minimal: bool = False) -> set[Clause]:
    """Clauses that every instance of the circuit satisfies, and no state can be taken from a literal."""
    domain = manager.domain
    satisfying = [_instance_bits(domain, positions) for positions in models(manager, root)]
    full = [domain.full(feature) for feature in range(len(domain))]
    implicates = {
        masks
        for masks in product(*(range(everything) for everything in full))
        if all(bits & _join(domain, masks) for bits in satisfying)
    }
    primes = [masks for masks in implicates if not any(less in implicates for less in _one_less(masks))]
    return _named(Clause, domain, primes, [0] * len(domain), variable_minimal)


def _instance_bits(domain: Domain, positions: Iterable[int]) -> int:
    return _join(domain, [1 << position for position in positions])


def _join(domain: Domain, masks: Iterable[int]) -> int:
    joined = 0
    for mask, size in zip(masks, domain.cardinalities, strict=True):
        joined = joined << size | mask
    return joined


def _one_more(masks: Masks, full: list[int]) -> Iterable[Masks]:
    for feature, mask in enumerate(masks):
        for state in range(full[feature].bit_length()):
            if not mask >> state & 1:
                yield (*masks[:feature], mask | 1 << state, *masks[feature + 1 :])


def _one_less(masks: Masks) -> Iterable[Masks]:
    for feature, mask in enumerate(masks):
        for state in range(mask.bit_length()):
            if mask >> state & 1:
                yield (*masks[:feature], mask & ~(1 << state), *masks[feature + 1 :])


def _named(
    kind: type[Prime], domain: Domain, primes: list[Masks], absent: list[int], variable_minimal: bool
) -> set[Prime]:
    found = {
        kind.from_masks(domain, {f: m for f, m in enumerate(masks) if m != absent[f]}) for masks in primes
    }
    if not variable_minimal:
        return found
    used = {frozenset(prime.features) for prime in found}
    return {prime for prime in found if not any(other < frozenset(prime.features) for other in used)}
