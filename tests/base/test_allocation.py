"""Memory that is kept: the second large array needs no new pages, in any thread; and that goes back."""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import pytest

from tests.loops import needs_loops

FAULTS = """
import resource
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from bnc2d.base.allocation import keep_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(400_000)
    np.ones({largest})
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

{keep}
with ThreadPoolExecutor(1) as pool:
    for run in (lambda: faults(), lambda: pool.submit(faults).result()):
        run()
        print(sum(run() for _ in range(8)))
"""

GIVEN_BACK = """
import numpy as np
from bnc2d.base.allocation import kept_memory
from bnc2d.base.budget import resident_bytes

before = resident_bytes()
with kept_memory():
    arrays = [np.ones(12_000_000) for _ in range(8)]  # below what comes from the system at once
    top = np.ones(1_000_000)  # above them, as there is no hole so large
    full = resident_bytes() - before
    del arrays
    print(full >> 20, resident_bytes() - before >> 20)
print(resident_bytes() - before >> 20)
"""

WITHIN_A_LIMIT = """
import numpy as np
from bnc2d import LimitExceeded
from bnc2d.base import budget
from bnc2d.base.allocation import kept_memory
from bnc2d.base.checkpoints import checkpoint

budget._BETWEEN_LOOKS = 0.0
with kept_memory(), budget.Budget(memory_limit=300 << 20).limiting():
    before = budget.resident_bytes()
    arrays = [np.ones(12_000_000) for _ in range(2)]
    top = np.ones(1_000_000)  # so that what was below it is kept
    checkpoint()
    del arrays[:]
    kept = budget.resident_bytes() - before
    arrays.append(np.ones(26_000_000))  # which needs more than is free in one piece
    full = budget.resident_bytes() - before
    checkpoint()
    print(kept >> 20, full >> 20, budget.resident_bytes() - before >> 20)
    arrays.append(np.ones(20_000_000))
    try:
        checkpoint()
    except LimitExceeded as error:
        print(str(error).split()[5].split(".")[0])
"""

NAME, VERSION = platform.libc_ver()
of_glibc = pytest.mark.skipif(NAME != "glibc", reason="other C libraries are left alone")
# Older ones do not keep pieces of over 32 MiB, or do not tell what is free.
of_new_glibc = pytest.mark.skipif(
    NAME != "glibc" or tuple(map(int, VERSION.split("."))) < (2, 35), reason="keeps less"
)


def printed(script: str, way: str = "") -> list[int]:
    environment = {**os.environ, "BNC2D_KERNELS": way}
    command = [sys.executable, "-c", script]
    return [int(each) for each in subprocess.check_output(command, text=True, env=environment).split()]


@of_glibc
def test_small_arrays_are_used_again_without_loops() -> None:
    script = FAULTS.format(largest=4_000_000, keep="keep_memory()")
    assert max(printed(script, "numpy")) < 10
    assert max(printed(FAULTS.format(largest=4_000_000, keep=""))) > 50  # so there is something to gain


@of_new_glibc
@needs_loops
@pytest.mark.parametrize("largest", [400_000, 4_000_000, 12_000_000])
def test_large_arrays_are_used_again(largest: int) -> None:
    """In the process of a command also those of threads, which otherwise have small heaps of their own."""
    assert max(printed(FAULTS.format(largest=largest, keep="keep_memory(whole_process=True)"))) < 10
    assert printed(FAULTS.format(largest=largest, keep="keep_memory()"))[0] < 10


@of_new_glibc
@needs_loops
def test_what_is_too_much_to_keep_goes_back() -> None:
    full, kept, left = printed(GIVEN_BACK)
    assert full > 700
    assert kept > 500  # it was below an array that is still there
    assert left < 100


@of_new_glibc
@needs_loops
def test_what_is_kept_free_does_not_count_for_a_limit() -> None:
    """Nor does it for a limit that is passed at last; the limit is 300 MiB."""
    kept, full, after, needed = printed(WITHIN_A_LIMIT)
    assert kept > 180
    assert full > 380
    assert 200 < after < 220
    assert 350 < needed < 380
