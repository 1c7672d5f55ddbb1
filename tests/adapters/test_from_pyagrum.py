"""from_pyagrum against pyAgrum's own inference, and what it refuses."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bnc2d.adapters.from_pyagrum import from_pyagrum
from bnc2d.errors import NetworkError, NormalisationWarning, UnsupportedError
from bnc2d.model.network import BayesianNetwork

with warnings.catch_warnings():  # as errors inside its C++ modules, loaded lazily, they end the process
    warnings.filterwarnings("ignore", "builtin type swig", DeprecationWarning)
    warnings.filterwarnings("ignore", "builtin type Swig", DeprecationWarning)
    gum: Any = importlib.import_module("pyagrum")
    other_kinds: list[Any] = [gum.InfluenceDiagram, gum.MarkovRandomField, gum.CredalNet, gum.DAG, str]


def joint(net: BayesianNetwork) -> NDArray[np.float64]:
    """Return the joint distribution, one axis per variable in the order of the network."""
    operands: list[Any] = []
    for cpt in net.cpts:
        operands += [cpt.values, [net.index(variable) for variable in cpt.scope]]
    return np.asarray(np.einsum(*operands, list(range(len(net)))))


def assert_same_inference(bn: Any, net: BayesianNetwork, given: str) -> None:
    """Compare the joint distribution and, given the last state of one variable, every posterior."""
    table = joint(net)
    engine = gum.LazyPropagation(bn)
    engine.addJointTarget(set(net.names))
    engine.makeInference()
    theirs = engine.jointPosterior(set(net.names))
    for position in np.ndindex(table.shape):
        instance = zip(net.variables, position, strict=True)
        labels = {variable.name: variable.states[state] for variable, state in instance}
        assert theirs[labels] == pytest.approx(table[position], rel=1e-9, abs=1e-15)
    engine = gum.LazyPropagation(bn)
    engine.setEvidence({given: net.variable(given).states[-1]})
    engine.makeInference()
    masked = np.zeros_like(table)
    only = tuple(slice(-1, None) if name == given else slice(None) for name in net.names)
    masked[only] = table[only] / table[only].sum()
    for axis, name in enumerate(net.names):
        ours = masked.sum(axis=tuple(other for other in range(len(net)) if other != axis))
        assert np.allclose(engine.posterior(name).tolist(), ours, rtol=1e-9, atol=1e-15)


def random_network(seed: int) -> Any:
    """Return a network over variables of every kind, with arcs added in any order."""
    rng = np.random.default_rng(seed)
    gum.initRandom(seed + 1)
    kinds: list[Callable[[str], Any]] = [
        lambda name: gum.LabelizedVariable(name, "", ["z", "a", "m"]),
        lambda name: gum.RangeVariable(name, "", -1, 2),
        lambda name: gum.IntegerVariable(name, "", [7, 1]),
        lambda name: gum.DiscretizedVariable(name, "", [0, 1.5, 2, 10]),
        lambda name: gum.NumericalDiscreteVariable(name, "", [0.5, 2.25]),
        lambda name: gum.LabelizedVariable(name, "", 2),
    ]
    bn = gum.BayesNet("random")
    bn.add("gone", 2)
    for number, kind in enumerate(rng.permutation(len(kinds)).tolist()):
        bn.add(kinds[kind](f"v{number}"))
    bn.erase("gone")  # so that node ids and positions differ
    order = rng.permutation(sorted(bn.names())).tolist()
    arcs = [(order[i], order[j]) for j in range(6) for i in range(j) if rng.random() < 0.5]
    for k in rng.permutation(len(arcs)).tolist():
        bn.addArc(*arcs[k])
    bn.generateCPTs()
    return bn


@pytest.mark.filterwarnings("ignore::bnc2d.errors.NormalisationWarning")
@pytest.mark.parametrize("seed", range(8))
def test_same_joint_and_posteriors_as_pyagrum(seed: int) -> None:
    bn = random_network(seed)
    net = from_pyagrum(bn)
    assert net.name == "random"
    assert net.names == tuple(f"v{number}" for number in range(6))
    assert all(variable.states == bn.variable(variable.name).labels() for variable in net.variables)
    assert {(bn.idFromName(parent), bn.idFromName(child)) for parent, child in net.edges} == set(bn.arcs())
    assert_same_inference(bn, net, f"v{seed % 6}")


def test_parents_and_entries_as_written() -> None:
    bn = gum.BayesNet()
    for name, size in (("A", 2), ("B", 3), ("C", 2)):
        bn.add(name, size)
    bn.addArc("B", "C")
    bn.addArc("A", "C")
    bn.cpt("A").fillWith([0.25, 0.75])
    bn.cpt("B").fillWith([0.5, 0.3, 0.2])
    for b in range(3):
        for a in range(2):
            first = (2 * b + a + 1) / 10
            bn.cpt("C")[{"A": a, "B": b}] = [first, 1 - first]
    net = from_pyagrum(bn)
    assert net.parents("C") == ("B", "A")
    assert net.cpt("B").exact.tolist() == [Fraction(1, 2), Fraction(3, 10), Fraction(1, 5)]
    assert net.cpt("C").exact[1, 0].tolist() == [Fraction(3, 10), Fraction(7, 10)]
    assert net.cpt("C").exact[2, 1].tolist() == [Fraction(6, 10), Fraction(4, 10)]


@pytest.mark.filterwarnings("ignore::bnc2d.errors.NormalisationWarning")
def test_gates_and_aggregators_become_tables() -> None:
    bn = gum.fastBN("A->B;C[3]")
    for gate in (bn.addNoisyOR, bn.addNoisyAND, bn.addLogit):
        name = gate.__name__
        gate(gum.LabelizedVariable(name, "", 2), 0.1)
        bn.addWeightedArc("B", name, 0.3)
        bn.addWeightedArc("A", name, 0.7)
    bn.addOR(gum.LabelizedVariable("or", "", 2))
    bn.addMAX(gum.RangeVariable("max", "", 0, 2))
    for parent, child in (("B", "or"), ("A", "or"), ("C", "max")):
        bn.addArc(parent, child)
    net = from_pyagrum(bn)
    assert net.cpt("or").exact.tolist() == [[[1, 0], [0, 1]], [[0, 1], [0, 1]]]
    assert net.cpt("max").exact.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    assert_same_inference(bn, net, "addNoisyOR")


def test_a_fragment_with_all_its_parents_converts() -> None:
    bn = gum.fastBN("A->B<-C->D")
    for name in "ABCD":
        bn.cpt(name).fillWith(1).normalizeAsCPT()
    fragment = gum.BayesNetFragment(bn)
    fragment.installAscendants("B")
    assert from_pyagrum(fragment).names == ("A", "B", "C")
    fragment.uninstallNode("C")
    with pytest.raises(NetworkError, match="table of 'B': unknown variable 'C'"):
        from_pyagrum(fragment)


def one_node(entries: list[float], variable: Any = None) -> Any:
    bn = gum.BayesNet()
    bn.add(variable or gum.LabelizedVariable("A", "", len(entries)))
    bn.cpt(0).fillWith(entries)
    return bn


def test_small_misses_are_normalised_exactly_with_one_warning() -> None:
    with pytest.warns(NormalisationWarning, match="columns of 1 table .*'A'") as caught:
        net = from_pyagrum(one_node([1 / 3] * 3))
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert net.cpt("A").exact.tolist() == [Fraction(1, 3)] * 3


def test_large_misses_need_normalise() -> None:
    with pytest.raises(NetworkError, match=r"P\(A\) sums to 8, not 1"):
        from_pyagrum(one_node([3, 5]))
    with pytest.warns(NormalisationWarning, match="at most 7"):
        net = from_pyagrum(one_node([3, 5]), normalise=True)
    assert net.cpt("A").exact.tolist() == [Fraction(3, 8), Fraction(5, 8)]


@pytest.mark.parametrize(
    ("bn", "message"),
    [
        (gum.BayesNet(), "no variables"),
        (one_node([0, 0]), r"P\(A\) sums to 0"),
        (one_node([np.nan, 1]), "'nan' is not a finite"),
        (one_node([1.5, -0.5]), "negative entry"),
        # pyAgrum shows six digits of a number
        (one_node([0.5, 0.5], gum.NumericalDiscreteVariable("A", "", [1, 1 + 1e-9])), "state '1' twice"),
    ],
)
def test_broken_networks(bn: Any, message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        from_pyagrum(bn)


@pytest.mark.parametrize("kind", other_kinds)
def test_other_objects_are_refused_by_name(kind: type) -> None:
    expected = r"converts a pyagrum\.BayesNet or a fitted pyagrum\.skbn\.BNClassifier"
    with pytest.raises(UnsupportedError, match=rf"{expected}, not .*\.{kind.__name__}$"):
        from_pyagrum(kind())
