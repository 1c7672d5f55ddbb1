"""Naive Bayes networks as learnt from data, with wide features: seconds, nodes, or the limit that ended it.

    python benchmarks/learnt_naive_bayes.py                     # 16 networks, up to 45 s each
    python benchmarks/learnt_naive_bayes.py --time-limit 200    # more patience

Entries are relative frequencies rounded to 17 digits, so that products of ratios are nearly equal in great
numbers. Where the classes are balanced ("0.5") the counts tie and the last digits decide. All are seeded.
"""

from __future__ import annotations

import argparse
import time
from random import Random

from bnc2d import Classifier, LimitExceeded
from bnc2d.testing import learnt_naive_bayes

# Features, their least and greatest number of states.
WIDTHS = [(13, 10, 30), (13, 10, 900), (15, 100, 900), (21, 10, 900)]
# Rows, smoothing, skew, share of the second class.
DATA = [(200, 1, 1.0, 0.4), (200, 0, 1.0, 0.4), (200, 1, 2.5, 0.4), (5000, 1, 1.0, 0.5)]


def main() -> None:
    """Compile each network and print a line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--time-limit", type=float, default=45.0)
    limit = parser.parse_args().time_limit
    for seed, (features, least, most) in enumerate(WIDTHS):
        rng = Random(seed)  # noqa: S311 - reproducible data
        states = [round(least * (most / least) ** rng.random()) for _ in range(features)]
        for rows, smoothing, skew, share in DATA:
            network = learnt_naive_bayes(seed, states, rows=rows, smoothing=smoothing, skew=skew, share=share)
            classifier = Classifier(network, "Y")
            started = time.perf_counter()
            try:
                stats = classifier.compile(time_limit=limit).stats
                labels = stats.seconds["labels"]
                result = (
                    f"{stats.diagram_nodes} nodes, {stats.exact_calls} exact calls, labels {labels:.2f} s"
                )
            except LimitExceeded as error:
                result = str(error)
            seconds = time.perf_counter() - started
            name = f"{features} x {least}..{most}, {rows} rows, +{smoothing}, skew {skew}, {share}"
            print(f"{name:48} {seconds:6.1f} s  {result}", flush=True)


if __name__ == "__main__":
    main()
