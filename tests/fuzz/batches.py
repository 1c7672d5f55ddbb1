"""Pieces of work for the processes of the long mode."""

from itertools import chain

from tests.fuzz.attacks import attacks
from tests.fuzz.cases import SUFFIXES, damaged
from tests.fuzz.harness import misbehaviours


def damaged_batch(suffix: str, first: int, count: int) -> list[str]:
    """Read ``count`` damaged files from this seed on."""
    return misbehaviours(damaged(suffix, seed) for seed in range(first, first + count))


def attacks_batch() -> list[str]:
    """Read all attacks."""
    return misbehaviours(chain.from_iterable(map(attacks, SUFFIXES)))
