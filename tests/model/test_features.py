"""Which variables are features by default, and what is said where the default leaves out neighbours."""

from __future__ import annotations

import warnings
from fractions import Fraction
from pathlib import Path

import pytest

from bnc2d import (
    BayesianNetwork,
    Classifier,
    ClassifierError,
    FeaturesWarning,
    Variable,
    example,
    write_network,
)
from bnc2d.cli.main import main
from bnc2d.experiments.evaluation import network_widths
from bnc2d.model.cpt import CPT
from bnc2d.testing import random_naive_bayes, random_network, random_tan


def left_out(network: BayesianNetwork, target: str) -> list[str]:
    """Return the warnings of a classifier with default features."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Classifier(network, target)
    assert all(warning.category is FeaturesWarning for warning in caught)
    assert all(warning.filename == __file__ for warning in caught), "at the line that makes the classifier"
    return [str(warning.message) for warning in caught]


def test_a_tan_says_once_what_it_leaves_out() -> None:
    network = random_tan(1, 9)
    leaves = Classifier(network, "Y").features
    assert 0 < len(leaves) < 9
    (text,) = left_out(network, "Y")
    assert f"{len(leaves)} of 9 variables" in text
    assert "features='all' (--features all)" in text
    hidden = [name for name in network.names if name not in (*leaves, "Y")]
    assert all(repr(name) in text for name in hidden[:5])


@pytest.mark.parametrize("seed", range(20))
def test_it_is_said_exactly_where_a_neighbour_is_left_out(seed: int) -> None:
    network = random_network(seed, variables=7)
    for target in network.names:
        if set(network.leaves) <= {target}:
            continue
        blanket = set(network.parents(target)) | set(network.children(target))
        blanket |= {name for child in network.children(target) for name in network.parents(child)}
        blanket.discard(target)
        assert set(network.markov_blanket(target)) == blanket
        assert bool(left_out(network, target)) == (not blanket <= set(network.leaves))


def test_nothing_is_said_where_nothing_is_lost_or_features_are_named() -> None:
    assert left_out(random_naive_bayes(1, 5), "Y") == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        network = random_tan(1, 9)
        Classifier(network, "Y", ["X0"])
        Classifier(network, "Y", features="all").compile()
        network_widths(network, ["Y"])  # the experiments name their features


def test_all_is_every_variable_but_the_target() -> None:
    network = example("asia")
    for target in network.names:
        names = tuple(name for name in network.names if name != target)
        assert Classifier(network, target, features="all").features == names
    with pytest.raises(ClassifierError, match="a list of names or 'all', not the text 'xray'"):
        Classifier(network, "lung", features="xray")
    alone = Variable("T", ("0", "1"))
    with pytest.raises(ClassifierError, match="no variable besides the target 'T'"):
        Classifier(
            BayesianNetwork([alone], [CPT(alone, (), [Fraction(1), Fraction(0)])]), "T", features="all"
        )


def test_the_command_line_says_it_in_one_line_and_last(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["compile", "asia", "--target", "bronc", "-o", "m.bnc2d"]) == 0
    out, err = capsys.readouterr()
    assert "bronc from 2 features of 7 variables" in out
    assert err.startswith("bnc2d: warning: by default only the leaves")
    assert err.count("\n") == 1
    assert main(["compile", "asia", "--target", "bronc", "--features", "all", "-o", "m.bnc2d"]) == 0
    out, err = capsys.readouterr()
    assert "bronc from 7 features of 7 variables" in out
    assert err == ""
    # A model knows its features, and words name them.
    assert main(["verify", "m.bnc2d"]) == 0
    assert main(["predict", "asia", "--target", "bronc", "xray=yes", "dysp=yes"]) == 0
    assert capsys.readouterr().err == ""
    # An error stays one line.
    assert main(["compile", "asia", "--target", "bronc", "-o", "no/such/folder"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_variable_called_all(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    variables = [Variable(name, ("0", "1")) for name in ("T", "all", "x")]
    half = Fraction(1, 2)
    cpts = [CPT(variables[0], (), [half, half])]
    cpts += [CPT(child, (variables[0],), [half, half, 1 - half / 2, half / 2]) for child in variables[1:]]
    path = str(tmp_path / "net.bif")
    write_network(BayesianNetwork(variables, cpts), path)
    model = str(tmp_path / "m.bnc2d")
    for text, count in (("all", 2), ("all,", 1), ("all,x", 2)):
        assert main(["compile", path, "--target", "T", "--features", text, "-o", model]) == 0
        assert f"T from {count} features of 2 variables" in capsys.readouterr().out
