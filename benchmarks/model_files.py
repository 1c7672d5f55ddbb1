"""Saved models as users meet them: seconds to compile and save, then each command in a fresh process.

    python benchmarks/model_files.py                        # learnt naive Bayes, 0.1 million diagram nodes
    python benchmarks/model_files.py --features 20          # more nodes; 22: 4.5 million
    python benchmarks/model_files.py --wide                 # 12 features of 5 states, 6 classes: 1.3 million
    python benchmarks/model_files.py --before ../older      # another checkout too, for comparison

The learnt network has features as wide as those of the mushroom data. All are seeded. Seconds are processor
time, that of a command from the start of Python to its end; of three runs the least, where one is short.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

# Features of the mushroom data, by their number of states.
STATES = [6, 4, 10, 2, 9, 2, 2, 2, 12, 2, 5, 4, 4, 9, 9, 2, 4, 3, 5, 9, 6, 7]
COMMANDS = ("info", "predict", "explain")
_SHORT = 5.0

MAKE = """
import sys, time
from bnc2d import Classifier
from bnc2d.testing import learnt_naive_bayes, random_naive_bayes
path, states = sys.argv[1], [int(word) for word in sys.argv[2:]]
if states:
    network = learnt_naive_bayes(1, states, rows=8124, share=0.48)
else:
    network = random_naive_bayes(3, 12, states=5, classes=6)
started = time.process_time()
model = Classifier(network, "Y").compile()
compiled = time.process_time()
model.save(path)
print(model.diagram.node_count, compiled - started, time.process_time() - compiled)
"""


def main() -> None:
    """Time each checkout, this one last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--features", type=int, default=18, help="of the learnt network, up to 22")
    parser.add_argument("--wide", action="store_true", help="12 features of 5 states and 6 classes instead")
    parser.add_argument("--before", type=Path, help="another checkout, timed first")
    options = parser.parse_args()
    states = [] if options.wide else STATES[: options.features]
    row = [f"X{number}={number % size}" for number, size in enumerate(states or [5] * 12)]
    here = Path(__file__).resolve().parent.parent
    print(
        f"{'':10} {'nodes':>9} {'compile':>8} {'save':>8} {'MB':>7}" + "".join(f" {c:>8}" for c in COMMANDS)
    )
    for name, checkout in (("before", options.before), ("after", here)):
        if checkout is not None:
            with tempfile.TemporaryDirectory() as folder:
                print(f"{name:10} {_line(checkout, Path(folder) / 'model.bnc2d', states, row)}", flush=True)


def _line(checkout: Path, path: Path, states: list[int], row: list[str]) -> str:
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve()), "OPENBLAS_NUM_THREADS": "1"}
    made = subprocess.run(
        [sys.executable, "-c", MAKE, str(path), *map(str, states)],
        env=environment,
        cwd=path.parent,
        check=True,
        capture_output=True,
        text=True,
    )
    nodes, compiled, saved = made.stdout.split()
    seconds = []
    for command in COMMANDS:
        words = [sys.executable, "-m", "bnc2d", command, str(path), *([] if command == "info" else row)]
        seconds.append(_seconds(words, environment, path.parent))
    size = path.stat().st_size / 1e6
    start = f"{nodes:>9} {float(compiled):8.2f} {float(saved):8.2f} {size:8.2f}"
    return start + "".join(f" {second:8.2f}" for second in seconds)


def _seconds(words: list[str], environment: dict[str, str], folder: Path) -> float:
    """Return the least time of three runs, or that of the first where it is long."""
    found: list[float] = []
    while len(found) < 3 and (not found or found[0] < _SHORT):
        before = os.times()
        subprocess.run(words, env=environment, cwd=folder, check=True, capture_output=True)
        after = os.times()
        found.append(
            after.children_user - before.children_user + after.children_system - before.children_system
        )
    return min(found)


if __name__ == "__main__":
    main()
