"""Long mode: many random classifiers, each compared by every way there is to the same answer.

``python -m tests.long --seeds 10000`` compiles them by every method, ``--extreme`` such as are far from even;
``--routes`` explains an instance of each by the compiled model and by the network itself; ``--knowledge``
asks what follows from constraints, missing values, allowed changes and rules, and compares with definitions;
``--scores`` takes the mean over all sets of features, and lists all reasons;
``--probable`` sums the probability of every part of an instance;
``--sensitivity`` moves thresholds and table entries to the ends of their intervals and compiles again;
``--suite`` runs the tests themselves with all of their random cases, of which a plain run tries a part.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

from tests.long.agreement import check_extreme, check_mixed
from tests.long.knowledge import check_knowledge
from tests.long.outcome import Outcome, run_seeds
from tests.long.probable import check_probable
from tests.long.routes import check_routes
from tests.long.scores import check_scores
from tests.long.sensitivity import check_sensitivity

_BATCH = 25


def main() -> int:
    """Run, print each seed that is wrong with a line that repeats it, and return 1 if there was any."""
    parser = argparse.ArgumentParser(prog="python -m tests.long", description=__doc__)
    parser.add_argument("--seeds", type=int, default=10_000, help="how many classifiers")
    parser.add_argument("--start", type=int, default=0, help="first seed")
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--extreme", action="store_true", help="tables and thresholds down to 10**-2000")
    kinds.add_argument("--routes", action="store_true", help="explanations with and without a compiled model")
    words = "constraints, missing values, allowed changes, rules"
    kinds.add_argument("--knowledge", action="store_true", help=words)
    kinds.add_argument("--probable", action="store_true", help="probable reasons, by every distribution")
    kinds.add_argument("--scores", action="store_true", help="scores of one decision, and of many rows")
    kinds.add_argument("--sensitivity", action="store_true", help="intervals of thresholds and table entries")
    kinds.add_argument("--suite", action="store_true", help="the tests, with all of their random cases")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    if options.suite:
        command = [sys.executable, "-m", "pytest", "-n", str(options.jobs), "--dist", "worksteal"]
        return subprocess.call(command, env={**os.environ, "BNC2D_LONG": "1"})
    checks = {
        "routes": check_routes,
        "extreme": check_extreme,
        "knowledge": check_knowledge,
        "probable": check_probable,
        "scores": check_scores,
        "sensitivity": check_sensitivity,
    }
    chosen = next((name for name in checks if getattr(options, name)), None)
    check, kind = (check_mixed, "") if chosen is None else (checks[chosen], f" --{chosen}")
    started = time.perf_counter()
    end = options.start + options.seeds
    total = Outcome()
    with ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn")) as pool:
        batches = [
            pool.submit(run_seeds, check, first, min(_BATCH, end - first))
            for first in range(options.start, end, _BATCH)
        ]
        for done, batch in enumerate(as_completed(batches), start=1):
            outcome = batch.result()
            total.add(outcome)
            for seed, reason in outcome.wrong.items():
                print(f"seed {seed}: {reason}")
                print(f"  repeat: python -m tests.long --start {seed} --seeds 1{kind}", flush=True)
            if done % 20 == 0:
                print(f"{done * _BATCH} classifiers, {len(total.wrong)} wrong so far", flush=True)
    seconds = time.perf_counter() - started
    compared = {"routes": "reasons", "knowledge": "classifiers", "sensitivity": "classifiers"}.get(
        chosen or "", "instances"
    )
    print(f"{options.seeds} classifiers, {total.compared} {compared} compared, in {seconds:.0f} s")
    print("met: " + ", ".join(f"{case} {count}" for case, count in total.met.most_common()))
    print(f"{len(total.wrong)} wrong")
    return 1 if total.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
