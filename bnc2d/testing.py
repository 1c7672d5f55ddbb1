"""Seeded random networks, classifiers and instances for tests, fuzzing and benchmarks.

Everything here is a function of its arguments: the same seed gives the same network on every machine.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random

from bnc2d.model.classifier import Classifier
from bnc2d.model.cpt import CPT
from bnc2d.model.decision import Ties
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable


def random_network(
    seed: int,
    *,
    variables: int = 8,
    max_states: int = 3,
    min_states: int = 2,
    max_parents: int = 3,
    zero_share: float = 0.1,
    deterministic_share: float = 0.1,
    repeat_share: float = 0.2,
    digits: int = 2,
) -> BayesianNetwork:
    """Return a random network whose entries are multiples of ``10**-digits``.

    Of the columns, ``deterministic_share`` hold a single 1 and ``repeat_share`` repeat an earlier column of
    the table, so that ties happen; of the other entries about ``zero_share`` are 0. File order is not
    topological.
    """
    rng = Random(seed)  # noqa: S311 - reproducible test data
    nodes = [
        Variable(f"X{number}", tuple(f"s{state}" for state in range(rng.randint(min_states, max_states))))
        for number in range(variables)
    ]
    cpts = []
    for position, child in enumerate(nodes):
        count = rng.randint(0, min(max_parents, position))
        parents = rng.sample(nodes[:position], count)
        columns: list[list[int]] = []
        size = 1
        for parent in parents:
            size *= len(parent)
        for _ in range(size):
            if columns and rng.random() < repeat_share:
                columns.append(rng.choice(columns))
            else:
                columns.append(_random_column(rng, len(child), 10**digits, zero_share, deterministic_share))
        entries = [Fraction(entry, 10**digits) for column in columns for entry in column]
        cpts.append(CPT(child, parents, entries))
    rng.shuffle(nodes)
    return BayesianNetwork(nodes, cpts, name=f"random{seed}")


def _random_column(
    rng: Random, states: int, total: int, zero_share: float, deterministic_share: float
) -> list[int]:
    """Return non-negative integers with the given sum."""
    if rng.random() < deterministic_share:
        column = [0] * states
        column[rng.randrange(states)] = total
        return column
    allowed = [state for state in range(states) if rng.random() >= zero_share] or [rng.randrange(states)]
    if len(allowed) > total:
        allowed = allowed[:total]
    cuts = sorted(rng.sample(range(1, total), len(allowed) - 1))
    column = [0] * states
    for state, low, high in zip(allowed, [0, *cuts], [*cuts, total], strict=True):
        column[state] = high - low
    return column


def random_classifier(
    seed: int,
    *,
    features: int = 5,
    inner_features: bool = True,
    root_target: bool = False,
    threshold: bool = False,
    ties: Ties = "lowest",
    **network_knobs: float,
) -> Classifier:
    """Return a classifier on a random network (see ``random_network`` for its knobs).

    Features are drawn from the leaves, or with ``inner_features`` from all variables; the target from the
    roots, or with ``root_target=False`` from all variables. With ``threshold`` a binary target gets a
    random threshold and positive state, where there is a binary variable to choose.
    """
    rng = Random(seed)  # noqa: S311 - reproducible test data
    network = random_network(seed, **network_knobs)  # type: ignore[arg-type]
    candidates = list(network.roots if root_target else network.names)
    if threshold:
        candidates = [name for name in candidates if len(network.variable(name)) == 2] or candidates
    target = rng.choice(candidates)
    pool = [name for name in (network.names if inner_features else network.leaves) if name != target]
    pool = pool or [name for name in network.names if name != target]
    chosen = rng.sample(pool, min(features, len(pool)))
    states = network.variable(target).states
    if threshold and len(states) == 2:
        cut = Fraction(rng.randint(1, 19), 20)
        return Classifier(network, target, chosen, threshold=cut, positive=rng.choice(states), ties=ties)
    return Classifier(network, target, chosen, ties=ties)


def random_instance(classifier: Classifier, seed: int) -> dict[str, str]:
    """Return a uniformly random instance of the features."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    return {feature.name: rng.choice(feature.states) for feature in classifier.feature_variables}
