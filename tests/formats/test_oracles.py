"""The same files through pgmpy, and the same network built in pyAgrum."""

import importlib
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pgmpy.readwrite import BIFReader, BIFWriter, XMLBIFReader, XMLBIFWriter

from bnc2d.errors import NormalisationWarning
from bnc2d.formats.io import read_network, write_network
from bnc2d.model.network import BayesianNetwork
from tests.cases import cases
from tests.formats.random_network import random_network
from tests.formats.reading import entries, read_text

with warnings.catch_warnings():  # as errors inside its C++ modules, loaded lazily, they end the process
    warnings.filterwarnings("ignore", "builtin type swig", DeprecationWarning)
    warnings.filterwarnings("ignore", "builtin type Swig", DeprecationWarning)
    gum: Any = importlib.import_module("pyagrum")
    NEW_NETWORK, NEW_VARIABLE = gum.BayesNet, gum.LabelizedVariable

PLAIN = [f"v{index}" for index in range(9)]
PLAIN_STATES = ["s0", "s1", "s2", "s3", "s4"]
SEEDS = range(cases(4, 8))


def plain_network(seed: int) -> BayesianNetwork:
    return random_network(seed, names=PLAIN, states=PLAIN_STATES)


def as_pgmpy(path: Path) -> Any:
    with warnings.catch_warnings():  # its own deprecations, and sums that miss 1 by a rounding
        warnings.filterwarnings("ignore", category=FutureWarning, module="pgmpy")
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="pgmpy")
        return (BIFReader if path.suffix == ".bif" else XMLBIFReader)(str(path)).get_model()


def assert_equals_pgmpy(net: BayesianNetwork, model: Any) -> None:
    assert set(net.names) == set(model.nodes())
    for cpt in net.cpts:
        factor = model.get_cpds(cpt.child.name)
        parents = [parent.name for parent in cpt.parents]
        assert factor.variables == [cpt.child.name, *parents]
        for variable in cpt.scope:
            assert tuple(factor.state_names[variable.name]) == variable.states
        np.testing.assert_allclose(np.moveaxis(factor.values, 0, -1), cpt.values, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("ending", [".bif", ".xml"])
@pytest.mark.parametrize("seed", SEEDS)
def test_pgmpy_reads_what_we_write_and_we_what_it_writes(seed: int, ending: str, tmp_path: Path) -> None:
    net = plain_network(seed)
    write_network(net, tmp_path / f"ours{ending}")
    model = as_pgmpy(tmp_path / f"ours{ending}")
    assert_equals_pgmpy(net, model)
    theirs = tmp_path / f"theirs{ending}"
    if ending == ".bif":
        BIFWriter(model).write(str(theirs))
    else:
        XMLBIFWriter(model).write(str(theirs))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NormalisationWarning)
        assert_equals_pgmpy(read_network(theirs), model)


def test_pgmpy_has_the_child_slowest_in_a_bif_table(tmp_path: Path) -> None:
    text = """network n { }
variable A { type discrete [ 2 ] { a0, a1 }; }
variable B { type discrete [ 3 ] { b0, b1, b2 }; }
variable X { type discrete [ 2 ] { x0, x1 }; }
probability ( A ) { table 0.5, 0.5; }
probability ( B ) { table 0.2, 0.3, 0.5; }
probability ( X | A, B ) { table .01, .02, .03, .04, .05, .06, .99, .98, .97, .96, .95, .94; }
"""
    net = read_text(tmp_path, "x.bif", text)
    assert_equals_pgmpy(net, as_pgmpy(tmp_path / "x.bif"))


def as_pyagrum(net: BayesianNetwork) -> Any:
    model = NEW_NETWORK("net")
    for variable in net.variables:
        model.add(NEW_VARIABLE(variable.name, "", list(variable.states)))
    for cpt in net.cpts:
        for parent in cpt.parents:
            model.addArc(parent.name, cpt.child.name)
        for index in np.ndindex(*cpt.exact.shape[:-1]):
            given = {parent.name: state for parent, state in zip(cpt.parents, index, strict=True)}
            model.cpt(cpt.child.name)[given] = cpt.values[index].tolist()
    return model


@pytest.mark.parametrize("ending", [".bif", ".xml"])
@pytest.mark.parametrize("seed", SEEDS)
def test_we_read_what_pyagrum_writes(seed: int, ending: str, tmp_path: Path) -> None:
    # pyAgrum leaves out tables with a single entry and a parent
    net = random_network(seed, names=PLAIN, states=PLAIN_STATES, min_states=2)
    path = tmp_path / f"x{ending}"
    model = as_pyagrum(net)
    if ending == ".bif":
        model.saveBIF(str(path))
    else:
        model.saveBIFXML(str(path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NormalisationWarning)
        read = read_network(path, normalise=True)  # its XML has six digits
    assert set(read.names) == set(net.names)
    for name in net.names:
        assert set(read.parents(name)) == set(net.parents(name))
        axes = [read.parents(name).index(parent) for parent in net.parents(name)]
        ours = np.transpose(read.cpt(name).values, [*axes, len(axes)])
        np.testing.assert_allclose(ours, net.cpt(name).values, atol=1e-5 if ending == ".xml" else 1e-12)


def test_exact_where_a_float_is_not(tmp_path: Path) -> None:
    text = "variable A { type discrete { 0, 1 }; }\nprobability ( A ) { table 0.1, 0.9; }"
    assert read_text(tmp_path, "x.bif", text).cpt("A").exact[0] == Fraction(1, 10)
    assert entries(read_text(tmp_path, "x.bif", text), "A") == [0.1, 0.9]
