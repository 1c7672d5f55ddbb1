"""How long it takes to make the formulas of all classes from a diagram, and how many nodes they have.

    python benchmarks/formulas.py                                   # naive Bayes, 12 features of 5 states
    python benchmarks/formulas.py --suite DIR tcc4e-var_4-30        # problems of a suite, at their threshold
    python benchmarks/formulas.py --against ../other-checkout       # beside another version of bnc2d

Each version runs in a process of its own. They take turns, so that what else the machine does slows both.
Seconds are processor time, the least of some rounds: compiling to the diagram is not counted, nodes are.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import bnc2d

try:
    from bnc2d.experiments.scaling import synthetic_classifier
except ImportError:  # another version has it elsewhere
    from bnc2d.experiments.synthetic import synthetic_classifier  # type: ignore[import-not-found, no-redef]

HERE = Path(__file__).resolve()


def main() -> None:
    """Print a table: a line for each problem."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("problems", nargs="*", help="names of problems of the suite (default: naive Bayes)")
    parser.add_argument("--suite", help="folder with problems/ and networks/")
    parser.add_argument("--against", help="folder of another checkout to compare with")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        _serve(_classifier(options.problems, options.suite))
        return
    print(f"{'problem':24}{'seconds':>10}{'nodes':>12}" + f"{'before':>10}{'nodes':>12}{'ratio':>8}")
    for problem in options.problems or [""]:
        own = [problem, "--suite", options.suite] if problem else []
        checkouts = [HERE.parent.parent, *([Path(options.against)] if options.against else [])]
        servers = [_start(checkout, own) for checkout in checkouts]
        answers: list[list[tuple[float, int]]] = [[] for _ in servers]
        for _ in range(options.rounds):
            for server, found in zip(servers, answers, strict=True):
                found.append(_ask(server))
        best = [min(found) for found in answers]
        line = f"{problem or 'naive Bayes 12 x 5, 6':24}" + "".join(f"{s:10.2f}{n:12}" for s, n in best)
        print(line + (f"{best[1][0] / best[0][0]:8.1f}" if len(best) > 1 else ""), flush=True)
        for server in servers:
            server.communicate()


def _classifier(problems: list[str], suite: str | None) -> bnc2d.Classifier:
    if not problems or suite is None:
        return synthetic_classifier("naive-bayes", 12, 5, 6, 0)
    problem = json.loads((Path(suite) / "problems" / f"{problems[0]}.json").read_text())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        network = bnc2d.read_network(Path(suite) / "networks" / problem["network"])
    features, threshold = problem["features"], problem["threshold"]
    return bnc2d.Classifier(network, problem["target"], features, threshold=threshold)


def _serve(classifier: bnc2d.Classifier) -> None:
    """Answer each line of standard input with the seconds and nodes of formulas made afresh."""
    compiled = classifier.compile()
    for _ in sys.stdin:
        model = type(compiled)(compiled.classifier, compiled.diagram, compiled.stats)
        started = time.process_time()
        nodes = sum(model.formula(name).node_count for name in model.classes)
        print(json.dumps([time.process_time() - started, nodes]), flush=True)


def _start(checkout: Path, problem: list[str]) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(checkout), "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(HERE), "--serve", *problem]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, text=True)


def _ask(server: subprocess.Popen[str]) -> tuple[float, int]:
    streams: Any = server
    streams.stdin.write("\n")
    streams.stdin.flush()
    seconds, nodes = json.loads(streams.stdout.readline())
    return seconds, nodes


if __name__ == "__main__":
    main()
