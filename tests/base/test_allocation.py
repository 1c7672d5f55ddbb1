"""Memory that is kept: the second large array needs no new pages, in any thread."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

SCRIPT = """
import resource
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from bnc2d.base.allocation import keep_memory

def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.ones(400_000)
    np.ones(4_000_000)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before

if {keep}:
    keep_memory()
with ThreadPoolExecutor(1) as pool:
    for run in (lambda: faults(), lambda: pool.submit(faults).result()):
        run()
        print(sum(run() for _ in range(8)))
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="what it learns from is glibc's own")
def test_kept_memory_is_used_again() -> None:
    def run(keep: bool) -> list[int]:
        command = [sys.executable, "-c", SCRIPT.format(keep=keep)]
        return [int(line) for line in subprocess.check_output(command, text=True).split()]

    assert max(run(True)) < 10
    assert max(run(False)) > 50  # so there is something to gain
