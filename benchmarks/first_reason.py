"""How long the first reason of each kind takes, on every problem of a suite.

    python benchmarks/first_reason.py SUITE here.jsonl              # SUITE/problems/*.json, SUITE/networks
    PYTHONPATH=../other python benchmarks/first_reason.py SUITE there.jsonl
    python benchmarks/first_reason.py SUITE here.jsonl --against there.jsonl

Each problem is compiled, then the first reason of each list is asked for on three seeded instances. Figures
are processor seconds from the instance to its first reason, which a busy machine changes little. The journal
has a line for each problem; a run that was stopped goes on where it ended.
"""

from __future__ import annotations

import argparse
import json
import time
from functools import cache
from pathlib import Path
from typing import Any

import bnc2d
from bnc2d.testing import random_instance

INSTANCES = 3
KINDS = ["sufficient", "necessary", "general_sufficient", "general_necessary"]
LIMIT = 0.05  # seconds


def measure(model: bnc2d.CompiledModel, seed: int, kind: str) -> dict[str, Any]:
    """Return the seconds to the first reason of a kind, and how long and how ordered the reason is."""
    instance = random_instance(model.classifier, seed)
    started = time.process_time()
    found = getattr(model.explain(instance), f"{kind}_reasons")()
    first = next(found, None)
    seconds = time.process_time() - started
    return {
        "kind": kind,
        "seed": seed,
        "seconds": seconds,
        "length": None if first is None else len(first),
        "ordered": found.ordered,
    }


def run(suite: Path, journal: Path) -> None:
    """Measure the problems that the journal lacks."""
    done = {line["problem"] for line in lines(journal)} if journal.exists() else set()
    network = cache(lambda name: bnc2d.read_network(suite / "networks" / name))
    loaded = bnc2d.Classifier(bnc2d.example("running"), "A", ["D", "E", "F"]).compile()
    for kind in KINDS:
        measure(loaded, 0, kind)  # loads what is loaded on first use
    for path in sorted(suite.glob("problems/*.json")):
        if path.stem in done:
            continue
        problem = json.loads(path.read_text())
        classifier = bnc2d.Classifier(
            network(problem["network"]),
            problem["target"],
            problem["features"],
            threshold=problem["threshold"],
        )
        compiled = classifier.compile()
        measured = []
        for kind in KINDS:
            for seed in range(INSTANCES):
                # A model of its own: the formula that another question made would help this one.
                model = type(compiled)(classifier, compiled.diagram, compiled.stats)
                measured.append(measure(model, seed, kind))
        line = {"problem": path.stem, "nodes": compiled.diagram.node_count, "first": measured}
        with journal.open("a") as file:
            file.write(json.dumps(line) + "\n")


def lines(journal: Path) -> list[dict[str, Any]]:
    """Return the lines of a journal."""
    return [json.loads(line) for line in journal.read_text().splitlines()]


def summary(journal: Path, kind: str) -> str:
    """Return in a line how many first reasons of a kind were there within the limit, and the worst."""
    cases = [
        (case["seconds"], line["problem"], line["nodes"], case["ordered"])
        for line in lines(journal)
        for case in line["first"]
        if case["kind"] == kind
    ]
    seconds = sorted(case[0] for case in cases)
    worst = max(cases)
    return (
        f"{kind:<19} {sum(s < LIMIT for s in seconds):>5} of {len(seconds)} under {1000 * LIMIT:.0f} ms, "
        f"median {1000 * seconds[len(seconds) // 2]:.1f} ms, worst {1000 * worst[0]:.0f} ms ({worst[1]}, "
        f"{worst[2]:,} nodes); {sum(case[3] for case in cases)} lists shortest first"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", type=Path, help="folder with problems/*.json and networks/")
    parser.add_argument("journal", type=Path, help="file for the results, a line for each problem")
    parser.add_argument("--against", type=Path, help="a journal of another version, to compare with")
    options = parser.parse_args()
    run(options.suite, options.journal)
    for name in [options.journal, *([options.against] if options.against else [])]:
        print(name)
        for kind in KINDS:
            print(" ", summary(name, kind))


if __name__ == "__main__":
    main()
