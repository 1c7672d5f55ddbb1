"""The random generators keep their promises: they must reach the hard cases, and the same ones everywhere."""

from fractions import Fraction

import numpy as np
from hypothesis import given

from bnc2d import BayesianNetwork
from bnc2d.testing import random_classifier, random_instance, random_network
from tests.strategies import networks


def test_seeds_decide_everything() -> None:
    assert random_network(5) == random_network(5)
    assert random_network(5) != random_network(6)
    entries = random_network(2, variables=2, digits=1).cpts[0].exact.ravel().tolist()
    assert all(entry.denominator in (1, 2, 5, 10) for entry in entries)


@given(networks())
def test_random_networks_are_networks(network: BayesianNetwork) -> None:
    network.check()
    for cpt in network.cpts:
        assert set(cpt.exact.reshape(-1, len(cpt.child)).sum(axis=1)) == {Fraction(1)}


def test_knobs() -> None:
    wide = random_network(1, variables=30, min_states=6, max_states=6, max_parents=2)
    assert {len(variable) for variable in wide.variables} == {6}
    assert max(len(cpt.parents) for cpt in wide.cpts) == 2
    positive = random_network(1, variables=20, zero_share=0.0, deterministic_share=0.0)
    assert all(np.all(cpt.values > 0) for cpt in positive.cpts)
    sharp = random_network(1, variables=20, deterministic_share=1.0)
    assert all(set(np.unique(cpt.values)) <= {0.0, 1.0} for cpt in sharp.cpts)
    same = random_network(1, variables=20, repeat_share=1.0)
    assert all(len({tuple(c) for c in cpt.exact.reshape(-1, len(cpt.child))}) == 1 for cpt in same.cpts)


def test_classifier_knobs() -> None:
    plain = [
        random_classifier(seed, inner_features=False, root_target=True, variables=12) for seed in range(30)
    ]
    assert all(set(c.features) <= set(c.network.leaves) and c.target in c.network.roots for c in plain)
    free = [random_classifier(seed, threshold=True, variables=12) for seed in range(30)]
    assert any(set(c.features) - set(c.network.leaves) for c in free)
    assert any(c.target not in c.network.roots for c in free)
    assert sum(c.threshold is not None for c in free) > 20
    instance = random_instance(free[0], 1)
    assert free[0].predict(instance) in free[0].classes
