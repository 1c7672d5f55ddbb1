"""Seeded random networks, classifiers and instances for tests, fuzzing and benchmarks.

Everything here is a function of its arguments: the same seed gives the same network on every machine.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import prod
from random import Random

from bnc2d.api.classifier import Classifier
from bnc2d.base.readers.choices import Ties
from bnc2d.model.cpt import CPT
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
        parents = rng.sample(nodes[:position], rng.randint(0, min(max_parents, position)))
        columns: list[list[int]] = []
        for _ in range(prod(map(len, parents))):
            if columns and rng.random() < repeat_share:
                columns.append(rng.choice(columns))
            else:
                columns.append(_random_column(rng, len(child), 10**digits, zero_share, deterministic_share))
        entries = [Fraction(entry, 10**digits) for column in columns for entry in column]
        cpts.append(CPT(child, parents, entries))
    rng.shuffle(nodes)
    return BayesianNetwork(nodes, cpts, name=f"random{seed}")


def random_naive_bayes(seed: int, features: int, states: int = 2, classes: int = 2) -> BayesianNetwork:
    """Return a network of features ``X0``, ``X1``, … below a target ``Y`` with even chances.

    Every separator of its jointree holds the target, so that the paper's method decides nothing early.
    """
    rng = Random(seed)  # noqa: S311 - reproducible test data
    cpts = [_even_target(classes)]
    cpts += [_drawn(rng, _numbered(f"X{number}", states), cpts[0].child) for number in range(features)]
    return BayesianNetwork([cpt.child for cpt in cpts], cpts, f"naive{seed}")


def learnt_naive_bayes(
    seed: int,
    states: Sequence[int],
    *,
    rows: int = 1000,
    smoothing: int = 1,
    skew: float = 1.0,
    share: float = 0.4,
) -> BayesianNetwork:
    """Return a naive Bayes network as learnt from data: features ``X0``, … with ``states`` below ``Y``.

    Of the training rows, ``share`` are of the second class. The chance of the state of rank ``k`` falls like
    ``k**-skew``; half of the features rank their states alike in both classes. Entries are relative
    frequencies with ``smoothing`` added to each count (0: maximum likelihood, with zeros), rounded to floats
    of up to 17 digits and normalised exactly, as a file of them is read.
    """
    rng = Random(seed)  # noqa: S311 - reproducible test data
    target = Variable("Y", ("no", "yes"))
    totals = [rows - round(share * rows), round(share * rows)]
    cpts = [CPT.from_numbers(target, (), [total / rows for total in totals])[0]]
    for number, size in enumerate(states):
        ranks = list(range(1, size + 1))
        entries = []
        for total in totals:
            if rng.random() < 0.5:
                rng.shuffle(ranks)
            counts = Counter(rng.choices(range(size), [rank**-skew for rank in ranks], k=total))
            entries += [(counts[state] + smoothing) / (total + smoothing * size) for state in range(size)]
        cpts.append(CPT.from_numbers(_numbered(f"X{number}", size), (target,), entries)[0])
    return BayesianNetwork([cpt.child for cpt in cpts], cpts, f"learnt{seed}")


def random_tan(seed: int, features: int, states: int = 2, classes: int = 2) -> BayesianNetwork:
    """Return a tree-augmented naive Bayes: every feature but the first also has an earlier one as parent."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    cpts = [_even_target(classes)]
    for number in range(features):
        above = [rng.choice(cpts[1:]).child] if number else []
        cpts.append(_drawn(rng, _numbered(f"X{number}", states), cpts[0].child, *above))
    return BayesianNetwork([cpt.child for cpt in cpts], cpts, f"tan{seed}")


def random_k_dependence(
    seed: int, features: int, k: int = 2, states: int = 2, classes: int = 2
) -> BayesianNetwork:
    """Return a k-dependence network: every feature also has ``k`` earlier ones as parents, if there are any.

    With ``k=0`` it is naive Bayes, with ``k=1`` a TAN (Sahami 1996).
    """
    rng = Random(seed)  # noqa: S311 - reproducible test data
    cpts = [_even_target(classes)]
    for number in range(features):
        above = [cpt.child for cpt in rng.sample(cpts[1:], min(k, number))]
        cpts.append(_drawn(rng, _numbered(f"X{number}", states), cpts[0].child, *above))
    return BayesianNetwork([cpt.child for cpt in cpts], cpts, f"dependence{seed}")


def random_latent_tree(seed: int, features: int, states: int = 2, classes: int = 2) -> BayesianNetwork:
    """Return a tree: the target ``Y`` at its root, features at its leaves, hidden variables between them.

    Hidden variables ``H0``, ``H1``, … have as many states as the features. Below each variable the features
    are parted at random into two or three groups, until three or fewer are left, which are its children.
    """
    rng = Random(seed)  # noqa: S311 - reproducible test data
    cpts = [_even_target(classes)]
    leaves = [_numbered(f"X{number}", states) for number in range(features)]
    pending, hidden = [(cpts[0].child, leaves)], 0
    while pending:
        above, below = pending.pop()
        if len(below) <= 3:
            cpts += [_drawn(rng, leaf, above) for leaf in below]
            continue
        cuts = sorted(rng.sample(range(1, len(below)), rng.choice((1, 2))))
        for low, high in zip([0, *cuts], [*cuts, len(below)], strict=True):
            between, hidden = _numbered(f"H{hidden}", states), hidden + 1
            cpts.append(_drawn(rng, between, above))
            pending.append((between, below[low:high]))
    return BayesianNetwork([cpt.child for cpt in cpts], cpts, f"tree{seed}")


def random_noisy_or(
    seed: int, features: int, *, diseases: int | None = None, max_parents: int = 3
) -> BayesianNetwork:
    """Return a two-layer diagnosis network: binary findings ``X0``, ``X1``, … below binary diseases.

    Each of its one to ``max_parents`` diseases makes a finding appear with a chance of its own, and so does
    the leak, independently of each other. The target ``Y`` is one of the ``diseases`` (by default one for
    three findings), the others are ``D1``, ``D2``, …; every disease has a finding where there are enough.
    """
    rng = Random(seed)  # noqa: S311 - reproducible test data
    count = max(2, features // 3) if diseases is None else diseases
    causes = [_numbered("Y" if number == 0 else f"D{number}", 2) for number in range(count)]
    priors = [Fraction(rng.randint(5, 40), 100) for _ in causes]
    cpts = [CPT(cause, (), (1 - prior, prior)) for cause, prior in zip(causes, priors, strict=True)]
    for number in range(features):
        first = causes[number % count]
        others = [cause for cause in causes if cause is not first]
        parents = [first, *rng.sample(others, min(len(others), rng.randint(0, max_parents - 1)))]
        silent = [Fraction(rng.randint(80, 99), 100)]  # one entry a column: no leak, none of the causes acts
        for _ in parents:
            inhibited = Fraction(rng.randint(5, 70), 100)
            silent = [entry * factor for entry in silent for factor in (1, inhibited)]
        finding = _numbered(f"X{number}", 2)
        cpts.append(CPT(finding, parents, [entry for none in silent for entry in (none, 1 - none)]))
    return BayesianNetwork([cpt.child for cpt in cpts], cpts, f"noisyor{seed}")


def _numbered(name: str, states: int) -> Variable:
    return Variable(name, tuple(map(str, range(states))))


def _even_target(classes: int) -> CPT:
    """Return the table of a target with chances of three decimals that are as even as they can be."""
    whole, over = divmod(1000, classes)
    chances = [Fraction(whole + (state < over), 1000) for state in range(classes)]
    return CPT(_numbered("Y", classes), (), chances)


def _drawn(rng: Random, child: Variable, *parents: Variable) -> CPT:
    """Return a table whose columns are drawn evenly from all that are positive and have three decimals."""
    entries = []
    for _ in range(prod(map(len, parents))):
        cuts = sorted(rng.sample(range(1, 1000), len(child) - 1), reverse=True)
        entries += [Fraction(high - low, 1000) for high, low in zip([1000, *cuts], [*cuts, 0], strict=True)]
    return CPT(child, parents, entries)


def _random_column(
    rng: Random, states: int, total: int, zero_share: float, deterministic_share: float
) -> list[int]:
    """Return non-negative integers with the given sum."""
    column = [0] * states
    if rng.random() < deterministic_share:
        column[rng.randrange(states)] = total
        return column
    allowed = [state for state in range(states) if rng.random() >= zero_share] or [rng.randrange(states)]
    allowed = allowed[:total]
    cuts = sorted(rng.sample(range(1, total), len(allowed) - 1))
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
    if not threshold or len(states) != 2:
        return Classifier(network, target, chosen, ties=ties)
    cut = Fraction(rng.randint(1, 19), 20)
    return Classifier(network, target, chosen, threshold=cut, positive=rng.choice(states), ties=ties)


def random_instance(classifier: Classifier, seed: int) -> dict[str, str]:
    """Return a uniformly random instance of the features."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    return {feature.name: rng.choice(feature.states) for feature in classifier.feature_variables}
