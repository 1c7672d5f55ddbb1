"""How far compilation reaches with two classes: seconds, nodes and memory, by structure and size.

    python benchmarks/reach.py                      # all cases, each in a process of its own
    python benchmarks/reach.py --filter "tan *"     # some of them
    python benchmarks/reach.py --formulas           # with the formulas of both classes
    python benchmarks/reach.py --time-limit 300 --memory-limit 16

Seconds are those of the processor, and in brackets on the clock. Instances drawn at random are decided again
by exact inference, and so are some that are drawn near the decision boundary, which must agree. All networks
are seeded. Limits are those of ``compile``: 60 s and 4 GiB unless given.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from fnmatch import fnmatch
from functools import partial
from math import log2
from random import Random

import numpy as np

from bnc2d import BayesianNetwork, Classifier, LimitExceeded, TimeLimitExceeded
from bnc2d.compile.compiler import compile_classifier
from bnc2d.testing import learnt_naive_bayes, random_k_dependence, random_naive_bayes, random_tan

# Features and states.
WIDE = [(12, 10), (14, 10), (8, 64), (9, 64), (11, 20), (12, 16), (14, 12), (14, 15)]
TREES = [(n, 2) for n in (24, 28, 32, 36, 40, 44)] + [(n, 3) for n in (16, 20, 24, 27)] + [(16, 5), (12, 10)]
DEPENDENCE = [(2, n, 2) for n in (28, 32, 36, 40)] + [(2, 20, 3), (3, 24, 2), (3, 28, 2), (3, 32, 2)]
# Features, their least and greatest number of states; rows of data and the share of the second class.
LEARNT = [(9, 64, 64), (11, 30, 30), (13, 10, 30), (14, 15, 15)]
DATA = [(200, 0.4), (200, 0.5), (1000, 0.4), (1000, 0.5), (5000, 0.4)]
_CHECKED = 400


def _learnt(features: int, least: int, most: int, rows: int, share: float) -> BayesianNetwork:
    rng = Random(features)  # noqa: S311 - reproducible data
    states = [round(least * (most / least) ** rng.random()) for _ in range(features)]
    return learnt_naive_bayes(1, states, rows=rows, share=share)


def cases() -> dict[str, Callable[[], BayesianNetwork]]:
    """Return the networks by name; features are all variables but the target."""
    found: dict[str, Callable[[], BayesianNetwork]] = {}
    for n, s in [(28, 2), (36, 2), (40, 2), (44, 2), *WIDE]:
        found[f"naive {n} x {s}"] = partial(random_naive_bayes, 1, n, s)
    for n, s in TREES:
        found[f"tan {n} x {s}"] = partial(random_tan, 1, n, s)
    for k, n, s in DEPENDENCE:
        found[f"{k}-dependence {n} x {s}"] = partial(random_k_dependence, 1, n, k, s)
    for n, least, most in LEARNT:
        for rows, share in DATA:
            states = f"{least}" if least == most else f"{least}..{most}"
            name = f"learnt {n} x {states}, {rows} rows, {share}"
            found[name] = partial(_learnt, n, least, most, rows, share)
    return found


def run(name: str, time_limit: float, memory_limit: int, formulas: bool) -> dict[str, object]:
    """Compile one case in this process and return the figures."""
    classifier = Classifier(cases()[name](), "Y", features="all")
    record: dict[str, object] = {"name": name, "bits": round(log2(classifier.instance_count), 1)}
    clock, processor = time.perf_counter(), time.process_time()
    try:
        model = compile_classifier(
            classifier, time_limit=time_limit, memory_limit=memory_limit, formulas=formulas
        )
        record |= {"status": "ok", "nodes": model.stats.diagram_nodes, "exact": model.stats.exact_calls}
    except TimeLimitExceeded:
        record["status"] = "time limit"
    except LimitExceeded:
        record["status"] = "memory limit"
    record["seconds"] = round(time.process_time() - processor, 2)
    record["clock"] = round(time.perf_counter() - clock, 2)
    record["peak"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    if record["status"] == "ok":
        sizes = [len(feature) for feature in classifier.feature_variables]
        rows = np.random.default_rng(0).integers(0, sizes, size=(_CHECKED, len(sizes)))
        near = (
            rows.copy()
        )  # walk from one decision to the other, a feature at a time, to be near the boundary
        for at in range(len(sizes)):
            changed = near.copy()
            changed[:, at] = (changed[:, at] + 1) % sizes[at]
            same = model.diagram.labels(changed) == model.diagram.labels(near)
            near[same] = changed[same]
        both = np.concatenate([rows, near])
        record["wrong"] = int((model.diagram.labels(both) != classifier.labels(both) % 3).sum())
    return record


def main() -> None:
    """Run the cases one after the other and print a line each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--filter", default="*", help="names of cases, with * and ?")
    parser.add_argument("--time-limit", type=float, default=60.0)
    parser.add_argument("--memory-limit", type=float, default=4.0, help="in GiB")
    parser.add_argument("--formulas", action="store_true", help="make the formulas, too")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        limit = int(options.memory_limit * 2**30)
        print(json.dumps(run(options.one, options.time_limit, limit, options.formulas)))
        return
    print(f"{'case':36} {'bits':>5} {'seconds (clock)':>16} {'nodes':>12} {'MiB':>6} {'exact':>10} wrong")
    for name in cases():
        if not fnmatch(name, options.filter):
            continue
        command = [sys.executable, __file__, "--one", name, "--time-limit", str(options.time_limit)]
        command += ["--memory-limit", str(options.memory_limit), *["--formulas"] * options.formulas]
        record = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        times = f"{record['seconds']} ({record['clock']})"
        nodes = f"{record['nodes']:,}" if record["status"] == "ok" else record["status"]
        rest = f"{record['peak']:6} {record.get('exact', ''):>10} {record.get('wrong', '')}"
        print(f"{name:36} {record['bits']:5} {times:>16} {nodes:>12} {rest}", flush=True)


if __name__ == "__main__":
    main()
