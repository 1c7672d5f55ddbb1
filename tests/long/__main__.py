"""Long mode: ``python -m tests.long --seeds 10000`` compiles that many random classifiers by every method."""

from __future__ import annotations

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from tests.long.agreement import Outcome, run_seeds

_BATCH = 25


def main() -> int:
    """Run, print each seed that is wrong with a line that repeats it, and return 1 if there was any."""
    parser = argparse.ArgumentParser(prog="python -m tests.long", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10_000, help="how many classifiers")
    parser.add_argument("--start", type=int, default=0, help="first seed")
    parser.add_argument("--extreme", action="store_true", help="tables and thresholds down to 10**-2000")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    started = time.perf_counter()
    end = options.start + options.seeds
    total = Outcome()
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        batches = [
            pool.submit(run_seeds, first, min(_BATCH, end - first), options.extreme)
            for first in range(options.start, end, _BATCH)
        ]
        for batch in as_completed(batches):
            outcome = batch.result()
            total.add(outcome)
            for seed, reason in outcome.wrong.items():
                print(f"seed {seed}: {reason}")
                kind = " --extreme" if options.extreme else ""
                print(f"  repeat: python -m tests.long --start {seed} --seeds 1{kind}", flush=True)
    seconds = time.perf_counter() - started
    print(f"{options.seeds} classifiers, {total.instances} instances, in {seconds:.0f} s")
    print("met: " + ", ".join(f"{case} {count}" for case, count in total.met.most_common()))
    print(f"{len(total.wrong)} wrong")
    return 1 if total.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
