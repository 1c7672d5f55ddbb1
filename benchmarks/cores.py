"""What several threads bring: the longest compilations of a suite with one thread and with more.

    python benchmarks/cores.py SUITE [--jobs 2] [--longest 10] [--widest] [--rounds 3]

SUITE has ``problems`` and ``networks``. All problems are compiled with their own threshold and with 0.5,
those that took longest once more, as the first time may be that of new memory; with ``--widest`` only those
with the most features. The longest are then compiled with one thread and with ``--jobs``, taking turns.
Seconds are the least of the rounds, those of phases in the same run; the files of both models must be equal,
byte for byte. Memory is kept as in a command, whose process is all its own.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

from bnc2d import Classifier
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.allocation import keep_memory
from bnc2d.compile.store import model_to_bytes
from bnc2d.experiments.problems import read_problem, read_quietly


def main() -> None:
    """Print a line for each of the longest compilations, and the sums."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--longest", type=int, default=10)
    parser.add_argument("--widest", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    keep_memory(whole_process=True)
    problems = [
        read_problem(options.suite, path.stem) for path in (options.suite / "problems").glob("*.json")
    ]
    networks = {path: read_quietly(path) for path in {problem.network for problem in problems}}

    def compiled(key: tuple[int, str], jobs: int) -> tuple[float, CompiledModel]:
        problem, threshold = problems[key[0]], key[1]
        own = str(problem.threshold) if threshold == "bal" else threshold
        classifier = Classifier(networks[problem.network], problem.target, problem.features, own)
        started = time.perf_counter()
        model = classifier.compile(jobs=jobs)
        return time.perf_counter() - started, model

    widths = [len(problem.features or ()) for problem in problems]
    numbers = [n for n, width in enumerate(widths) if not options.widest or width == max(widths)]
    longest = [(number, threshold) for number in numbers for threshold in ("bal", "0.5")]
    for count in (4 * options.longest, options.longest):
        longest = sorted(longest, key=lambda key: compiled(key, 1)[0], reverse=True)[:count]
    total = dict.fromkeys((1, options.jobs), 0.0)
    phases: Counter[tuple[str, int]] = Counter()
    for key in longest:
        seen: dict[int, tuple[float, CompiledModel]] = {}
        for _ in range(options.rounds):
            for jobs in (1, options.jobs):
                seconds, model = compiled(key, jobs)
                seen[jobs] = min(seen.get(jobs, (seconds, model)), (seconds, model), key=lambda pair: pair[0])
        files = {model_to_bytes(model) for _, model in seen.values()}
        one, more = seen[1][0], seen[options.jobs][0]
        same = "same bytes" if len(files) == 1 else "DIFFERENT BYTES"
        print(
            f"{problems[key[0]].name:20} {key[1]:4} {one:6.2f} {more:6.2f}  {one / more:.2f}x  {same}",
            flush=True,
        )
        for jobs, (seconds, model) in seen.items():
            total[jobs] += seconds
            phases.update({(phase, jobs): spent for phase, spent in model.stats.seconds.items()})
    for phase in dict.fromkeys(phase for phase, _ in phases):
        one, more = phases[phase, 1], phases[phase, options.jobs]
        print(f"{phase:20}      {one:6.2f} {more:6.2f}  {one / more:.2f}x")
    one, more = total[1], total[options.jobs]
    print(f"{'in all':20}      {one:6.2f} {more:6.2f}  {one / more:.2f}x")


if __name__ == "__main__":
    main()
