"""Whether limits of time and memory hold on real networks: random questions to random classifiers.

    python benchmarks/time_limits.py --seeds 60 [--first 0] [--limit 1] [--networks link,barley]

The networks are those of the bnlearn repository, from the cache of `bnc2d networks`. Each seed draws a
network, a target, features (all variables, all leaves, or 5 to 40 of any kind), a threshold now and then, and
an instance, mostly one that is possible; it has a process of its own. Compiling, `decides`, each check of
`verify` and what can be asked of an explanation (without compiling, and of the compiled model where there is
one) all get the same limit. Printed is what ended over half a second late, then how late the latest was, and
the peak of memory.
"""

from __future__ import annotations

import argparse
import resource
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from graphlib import TopologicalSorter
from multiprocessing import get_context
from random import Random
from typing import TypeVar

from bnc2d import BayesianNetwork, Bnc2dError, Classifier, Explanation, example, read_network
from bnc2d.experiments.networks import network_path

NETWORKS = (
    "alarm,andes,barley,child,diabetes,hailfinder,hepar2,insurance,link,mildew,munin,munin1,munin2,pathfinder,pigs,"
    "water,win95pts"
)
Answer = TypeVar("Answer")
LATE = 0.5
COMPILE_MEMORY = 2**30


def drawn_classifier(network: BayesianNetwork, rng: Random) -> Classifier:
    """Return a classifier with a random target, features and rule."""
    target = rng.choice(network.names)
    others = [name for name in network.names if name != target]
    above = {parent for name in network.names for parent in network.parents(name)}
    leaves = [name for name in others if name not in above]
    some = rng.sample(others, min(len(others), rng.randint(5, 40)))
    features = rng.choice([others, leaves or others, some, some])
    is_binary = len(network.variable(target).states) == 2
    threshold = rng.choice(["0.5", "0.1", "0.01"]) if is_binary and rng.random() < 0.5 else None
    return Classifier(network, target, features, threshold)


def drawn_instance(classifier: Classifier, rng: Random) -> dict[str, str]:
    """Return an instance, seven of ten times drawn from the network, parents before children."""
    network = classifier.network
    if rng.random() < 0.3:
        return {variable.name: rng.choice(variable.states) for variable in classifier.feature_variables}
    states: dict[str, int] = {}
    for name in TopologicalSorter({name: network.parents(name) for name in network.names}).static_order():
        column = network.cpt(name).values[tuple(states[parent] for parent in network.parents(name))]
        (states[name],) = rng.choices(range(len(column)), weights=column.tolist())
    return {name: network.variable(name).states[states[name]] for name in classifier.features}


def questions(e: Explanation, limit: float) -> dict[str, Callable[[], object]]:
    """Return what to ask of an explanation."""
    return {
        "text": lambda: e.to_text(time_limit=limit),
        "data": lambda: e.to_dict(limit=20, time_limit=limit),
        "a sufficient reason": lambda: e.a_sufficient_reason(limit),
        "shortest sufficient": lambda: e.shortest_sufficient_reason(time_limit=limit),
        "shortest necessary": lambda: e.shortest_necessary_reason(time_limit=limit),
        "robustness": lambda: e.robustness(time_limit=limit),
        "sufficient": lambda: list(e.sufficient_reasons(500, limit)),
        "necessary": lambda: list(e.necessary_reasons(500, limit)),
        "general sufficient": lambda: list(e.general_sufficient_reasons(500, limit)),
        "general necessary": lambda: list(e.general_necessary_reasons(500, limit)),
        "scores": lambda: e.scores("shapley", time_limit=limit),
        "probable": lambda: list(e.probable_reasons(0.9, limit=3, time_limit=limit)),
    }


def asked(classifier: Classifier, instance: dict[str, str], limit: float) -> Iterator[tuple[str, float]]:
    """Ask everything; yield what was asked and how late it ended."""

    def late(ask: Callable[[], Answer]) -> tuple[Answer | None, float]:
        started, found = time.monotonic(), None
        with suppress(Bnc2dError):  # a limit, or what a model of this kind cannot say
            found = ask()
        return found, time.monotonic() - started - limit

    model, seconds = late(lambda: classifier.compile(time_limit=limit, memory_limit=COMPILE_MEMORY))
    yield "compile", seconds
    routes = {"network": lambda: classifier.explain(instance, time_limit=limit)}
    if model is not None:
        routes["model"] = partial(model.explain, instance)
        for check in model.verify(time_limit=limit).checks:
            yield f"verify: {check.name}", check.seconds - limit
    for route, explain in routes.items():
        explanation, seconds = late(explain)
        yield f"{route}: explain", seconds
        if explanation is not None:
            for name, ask in questions(explanation, limit).items():
                yield f"{route}: {name}", late(ask)[1]
    yield "decides", late(lambda: classifier.decides({}, time_limit=limit))[1]


def run(seed: int, limit: float, names: list[str]) -> tuple[str, dict[str, float], int]:
    """Return who was asked, how late each answer was, and the peak of memory in MiB."""
    warnings.simplefilter("ignore")
    rng = Random(seed)  # noqa: S311 - reproducible data
    name = rng.choice(names)
    warm = Classifier(
        example("asia"), "lung", ["xray", "dysp"]
    ).compile()  # loads what is loaded on first use
    known = {"xray": "yes", "dysp": "no"}
    for explanation in (warm.explain(known), warm.classifier.explain(known)):
        for ask in questions(explanation, 60.0).values():
            ask()
    warm.verify()
    classifier = drawn_classifier(read_network(network_path(name)), rng)
    instance = drawn_instance(classifier, rng)
    found = dict(asked(classifier, instance, limit))
    who = f"{name}, target {classifier.target}, {len(classifier.features)} features"
    return who, found, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def main() -> None:
    """Run, and print what is late."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=60)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--limit", type=float, default=1.0, help="seconds")
    parser.add_argument("--networks", default=NETWORKS)
    options = parser.parse_args()
    names = options.networks.split(",")
    late: list[float] = []
    peaks: list[int] = []
    for seed in range(options.first, options.first + options.seeds):
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            who, found, peak = pool.submit(run, seed, options.limit, names).result()
        for question, seconds in found.items():
            late.append(seconds)
            if seconds > LATE:
                print(f"seed {seed} ({who}): {question} ended {seconds:.2f} s late", flush=True)
        peaks.append(peak)
    over = [sum(seconds > bound for seconds in late) for bound in (LATE, 1.0)]
    print(
        f"{len(late)} answers of {len(peaks)} classifiers: {over[0]} over {LATE} s late, {over[1]} over 1 s, "
        f"the latest {max(late):.2f} s; memory at most {max(peaks)} MiB"
    )


if __name__ == "__main__":
    main()
