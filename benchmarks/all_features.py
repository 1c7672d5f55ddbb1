"""Every variable but the target as a feature, for the targets of the public networks: what matters, how long.

    python benchmarks/all_features.py alarm hailfinder andes
    python benchmarks/all_features.py pigs --every 20 --time-limit 20 --json pigs.jsonl
    python benchmarks/all_features.py --table *.jsonl         # the table of docs/benchmarks.md

A row of the table is a network: its targets, how many were compiled, how many features the others do not
separate from the target ("deciding"), on how many the decisions depend where impossible instances count too
("mentioned"), and the seconds of a compilation, formulas of all classes included.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from statistics import median
from typing import Any

from bnc2d import Classifier, LimitExceeded, TimeLimitExceeded, example, read_network
from bnc2d.compile.graph.pruning import target_part
from bnc2d.errors import NormalisationWarning
from bnc2d.experiments.networks import network_path
from bnc2d.model.network import BayesianNetwork

Row = dict[str, Any]


def measure(network: BayesianNetwork, name: str, target: str, time_limit: float) -> Row:
    """Compile one target and return the facts."""
    classifier = Classifier(network, target, features="all")
    row: Row = {"network": name, "target": target, "features": len(classifier.features)}
    row["deciding"] = len(target_part(classifier).classifier.features)
    started = time.perf_counter()
    try:
        model = classifier.compile(time_limit=time_limit)
    except TimeLimitExceeded:
        row["status"] = "time"
    except LimitExceeded:
        row["status"] = "size"
    else:
        row["status"] = "ok"
        row["mentioned"] = len(model.mentioned_features)
        row["nodes"] = model.diagram.node_count
    row["seconds"] = time.perf_counter() - started
    return row


def table(rows: Iterable[Row]) -> str:
    """Return a Markdown table, one row a network, medians and largest values of its targets."""
    by_network: dict[str, list[Row]] = {}
    for row in rows:
        by_network.setdefault(row["network"], []).append(row)
    lines = [
        "| network | features | targets | compiled | deciding | mentioned | seconds | not compiled |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |",
    ]
    for name, found in sorted(by_network.items()):
        done = [row for row in found if row["status"] == "ok"]
        over = {status: sum(row["status"] == status for row in found) for status in ("time", "size")}
        lost = ", ".join(f"{count} {status}" for status, count in over.items() if count)
        cells = [
            name,
            str(found[0]["features"]),
            str(len(found)),
            str(len(done)),
            _spread([row["deciding"] for row in found], "d"),
            _spread([row["mentioned"] for row in done], "d"),
            _spread([row["seconds"] for row in done], ".2f"),
            lost,
        ]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _spread(values: list[float], form: str) -> str:
    """Return the median and the largest value."""
    if not values:
        return ""
    middle = sorted(values)[len(values) // 2] if form == "d" else median(values)
    return f"{middle:{form}} – {max(values):{form}}"


def main() -> None:
    """Run the measurements, or print the table of earlier ones."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="*", help="names of public networks; files of rows with --table")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth target only")
    parser.add_argument("--time-limit", type=float, default=20.0, metavar="S", help="for each target")
    parser.add_argument("--json", metavar="FILE", help="append a row for each target")
    parser.add_argument("--table", action="store_true", help="print the table of files of rows")
    options = parser.parse_args()
    if options.table:
        texts = [Path(name).read_text(encoding="utf-8") for name in options.networks]
        print(table(json.loads(line) for text in texts for line in text.splitlines()))
        return
    rows = []
    Classifier(example("diagnosis"), "D", features="all").compile()  # so that no row counts imports
    for name in options.networks:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NormalisationWarning)
            network = read_network(network_path(name))
        for target in network.names[:: options.every]:
            rows.append(measure(network, name, target, options.time_limit))
            if options.json:
                with Path(options.json).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(rows[-1]) + "\n")
    print(table(rows))


if __name__ == "__main__":
    main()
