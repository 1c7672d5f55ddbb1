"""One sufficient reason an instance without compiling, with hidden variables in the way: what is proved.

    python benchmarks/coverage_hidden.py alarm hailfinder win95pts andes --check 120 --json small.jsonl
    python benchmarks/coverage_hidden.py hepar2 pathfinder tcc4e.uai --time-limit 10 --json large.jsonl
    python benchmarks/coverage_hidden.py --table *.jsonl         # the table of docs/benchmarks.md

Features are all leaves, targets some random inner variables, instances are drawn from the network; all
seeded. A reason is *minimal* if it is proved that each of its features is needed; else it is sufficient
only, and some of its features are not proved needed. With ``--check`` the classifier is compiled too,
within so many seconds, and every proof is compared: that the reason is sufficient, and that it is not
without a feature proved needed.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from bnc2d import Classifier, CompiledModel, LimitExceeded, Term, TimeLimitExceeded, read_network
from bnc2d.errors import FeaturesWarning, NormalisationWarning
from bnc2d.experiments.networks import network_path
from bnc2d.model.network import BayesianNetwork

Row = dict[str, Any]
State = dict[str, str]


def targets(network: BayesianNetwork, count: int) -> list[str]:
    """Return random variables that are no leaves and that some feature tells of."""
    leaves = set(network.leaves)
    inner = [name for name in network.names if name not in leaves and len(network.variable(name)) > 1]
    return Random(1).sample(inner, count)  # noqa: S311 - reproducible


def drawn(network: BayesianNetwork, rng: Random) -> State:
    """Return the states of all variables, drawn from the network."""
    states: State = {}
    waiting = list(network.names)
    while waiting:
        for name in list(waiting):
            cpt = network.cpt(name)
            if all(parent.name in states for parent in cpt.parents):
                at = tuple(parent.states.index(states[parent.name]) for parent in cpt.parents)
                states[name] = rng.choices(cpt.child.states, [float(p) for p in cpt.exact[at]])[0]
                waiting.remove(name)
    return states


def compiled(classifier: Classifier, seconds: float) -> CompiledModel | None:
    """Return the compiled model, if that takes no longer."""
    try:
        return classifier.compile(time_limit=seconds) if seconds else None
    except (TimeLimitExceeded, LimitExceeded):
        return None


def agrees(model: CompiledModel, instance: State, reason: Term) -> bool:
    """Return whether the compiled model agrees: sufficient, and not so without a feature proved needed."""
    explanation = model.explain(instance)
    needed = [name for name in reason.features if name not in reason.unproved]
    without = [{name: instance[name] for name in reason.features if name != left_out} for left_out in needed]
    whole = {name: instance[name] for name in reason.features}
    found = [explanation.is_sufficient(some) for some in (whole, *without)]
    enough = [verdict.holds or verdict.smaller is not None for verdict in found]
    return enough[0] and not any(enough[1:])


def measure(name: str, network: BayesianNetwork, target: str, options: argparse.Namespace) -> Iterable[Row]:
    """Yield the facts of one target, an instance at a time."""
    classifier = Classifier(network, target)
    model = compiled(classifier, options.check)
    rng = Random(2)  # noqa: S311 - reproducible
    for _ in range(options.instances):
        states = drawn(network, rng)
        instance = {feature: states[feature] for feature in classifier.features}
        started = time.perf_counter()
        reason = classifier.explain(instance, time_limit=options.time_limit).a_sufficient_reason()
        row: Row = {"network": name, "target": target, "seconds": time.perf_counter() - started}
        row |= {"features": len(instance), "kept": len(reason), "unproved": len(reason.unproved)}
        row["agrees"] = None if model is None else agrees(model, instance, reason)
        yield row


def table(rows: list[Row]) -> None:
    """Print the table: a line for each target of a network, and one for all of them."""
    print(
        "network     target             features  minimal  sufficient  not proved  median s  worst s  checked"
    )
    for network in dict.fromkeys(row["network"] for row in rows):
        mine = [row for row in rows if row["network"] == network]
        names = dict.fromkeys(row["target"] for row in mine)
        for target in [*names, *(["all"] if len(names) > 1 else [])]:
            some = [row for row in mine if target in ("all", row["target"])]
            minimal = sum(not row["unproved"] for row in some)
            checked = [row["agrees"] for row in some if row["agrees"] is not None]
            seconds = [row["seconds"] for row in some]
            print(
                f"{network:11s} {target:18s} {some[0]['features']:8d} {minimal:8d} {len(some) - minimal:11d} "
                f"{sum(row['unproved'] for row in some):11d} {median(seconds):9.2f} {max(seconds):8.2f} "
                f"{f'{sum(checked)} of {len(checked)}' if checked else '-':>8s}"
            )


def main() -> None:
    """Measure networks, or print the table of what was measured."""
    warnings.simplefilter("ignore", NormalisationWarning)
    warnings.simplefilter("ignore", FeaturesWarning)
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("networks", nargs="+", help="public networks, files of networks, or files of results")
    parser.add_argument("--targets", type=int, default=3)
    parser.add_argument("--instances", type=int, default=20)
    parser.add_argument("--time-limit", type=float, default=10.0, help="seconds an instance")
    parser.add_argument("--check", type=float, default=0.0, help="seconds for compiling, to compare with")
    parser.add_argument("--json", type=Path, help="results are appended to this file")
    parser.add_argument("--table", action="store_true", help="print the table of result files")
    options = parser.parse_args()
    if options.table:
        lines = [line for path in options.networks for line in Path(path).read_text().splitlines()]
        table([json.loads(line) for line in lines])
        return
    for given in options.networks:
        path = Path(given) if Path(given).is_file() else network_path(given)
        network, name = read_network(path), path.name.split(".")[0]
        for target in targets(network, options.targets):
            rows = []
            for row in measure(name, network, target, options):
                rows.append(row)
                if options.json:
                    with options.json.open("a") as file:
                        file.write(json.dumps(row) + "\n")
            table(rows)


if __name__ == "__main__":
    main()
