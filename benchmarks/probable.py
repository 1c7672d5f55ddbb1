"""How long probable reasons take: one, the shortest, and all, by distribution, on random and learnt models.

    python benchmarks/probable.py                      # 16, 20 and 25 features
    python benchmarks/probable.py --features 30 --probability 0.99 --time-limit 60

Each line is a model and a distribution, on three seeded instances: seconds of processor time, and in brackets
the number of features (of the shortest, what is proved where the time came first: ``3..5``).
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import TypeVar

import bnc2d
from bnc2d.testing import learnt_naive_bayes, random_instance, random_naive_bayes, random_tan

INSTANCES = 3
Found = TypeVar("Found")


def timed(ask: Callable[[], Found]) -> tuple[Found, float]:
    """Return an answer and the seconds that it took."""
    started = time.process_time()
    found = ask()
    return found, time.process_time() - started


def line(name: str, network: bnc2d.BayesianNetwork, options: argparse.Namespace) -> None:
    """Print the figures of one model."""
    features = [name for name in network.names if name != "Y"]
    model = bnc2d.Classifier(network, "Y", features).compile()
    limit = options.time_limit
    for distribution in (None, "network"):
        cells = []
        for seed in range(INSTANCES):
            e = model.explain(random_instance(model.classifier, seed))
            wanted = options.probability
            one, first = timed(lambda: e.a_probable_reason(wanted, distribution))  # noqa: B023 - at once
            short, least = timed(
                lambda: e.shortest_probable_reason(wanted, distribution, time_limit=limit)  # noqa: B023
            )
            size = f"{len(short)}" if short.proved_shortest else f"{short.least}..{len(short)}"
            cells.append(f"{first:.2f} [{len(one)}] {least:.2f} [{size}]")
        shown = distribution or "uniform"
        print(
            f"{name:12} {len(features):3} {model.diagram.node_count:7} {shown:8} {'; '.join(cells)}",
            flush=True,
        )


def main() -> None:
    """Print a line for each model and distribution."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--features", type=int, nargs="+", default=[16, 20, 25])
    parser.add_argument("--probability", default="0.95")
    parser.add_argument("--time-limit", type=float, default=30.0)
    options = parser.parse_args()
    print("model    features   nodes drawn    one [features] and the shortest [features], three instances")
    for count in options.features:
        line("naive Bayes", random_naive_bayes(1, count), options)
        line("learnt", learnt_naive_bayes(3, [2] * count, rows=300), options)
        line("TAN", random_tan(1, count), options)


if __name__ == "__main__":
    main()
