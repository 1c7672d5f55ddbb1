"""Long mode: ``python -m tests.fuzz --files 20000`` reads that many damaged files of every format."""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tests.fuzz.batches import attacks_batch, damaged_batch
from tests.fuzz.cases import SUFFIXES
from tests.fuzz.harness import limit_memory

_BATCH = 500


def main() -> int:
    """Run, print every misbehaviour with its seed, and return 1 if there was any."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=20_000, help="damaged files a format")
    parser.add_argument("--seed", type=int, default=0, help="first seed")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    started = time.perf_counter()
    context = get_context("spawn")
    failures = 0
    with ProcessPoolExecutor(options.jobs, mp_context=context, initializer=limit_memory) as pool:
        batches = {
            pool.submit(damaged_batch, suffix, first, min(_BATCH, options.seed + options.files - first)): (
                suffix,
                first,
            )
            for suffix in SUFFIXES
            for first in range(options.seed, options.seed + options.files, _BATCH)
        }
        batches[pool.submit(attacks_batch)] = ("attacks", 0)
        for batch, (suffix, first) in batches.items():
            for line in batch.result():
                failures += 1
                print(f"{suffix} from seed {first}: {line}")
    seconds = time.perf_counter() - started
    print(f"{options.files} files of each of {len(SUFFIXES)} formats, and the attacks, in {seconds:.0f} s:")
    print(f"{failures} escaped")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
