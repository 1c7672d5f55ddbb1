"""A few seconds of fuzzing; ``make fuzz`` runs the long mode."""

import pytest

from tests.fuzz.attacks import attacks
from tests.fuzz.cases import SUFFIXES, damaged, good_files
from tests.fuzz.harness import misbehaviours

# A loaded machine must not fail the short mode; the long mode holds every file to two seconds.
PATIENCE = 20.0


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damaged_files_raise_one_kind_of_error(suffix: str) -> None:
    assert misbehaviours((damaged(suffix, seed) for seed in range(400)), PATIENCE) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_attacks_neither_hang_nor_fill_the_memory(suffix: str) -> None:
    assert misbehaviours(attacks(suffix), PATIENCE) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_undamaged_files_are_read(suffix: str) -> None:
    """Otherwise the fuzzer would test nothing."""
    assert misbehaviours(((f"net{suffix}", data) for data in good_files(suffix)), PATIENCE) == []
    outcomes = [damaged(suffix, seed) != damaged(suffix, seed + 1) for seed in range(50)]
    assert all(outcomes)
