"""The file of another program's times, and widths as the compilers report them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bnc2d import Classifier, FormatError, example, write_network
from bnc2d.experiments.evaluation import leaf_widths, network_widths, read_sound
from bnc2d.experiments.report.published import read_reference
from bnc2d.testing import random_classifier


def test_reference_times(tmp_path: Path) -> None:
    path = tmp_path / "times.tsv"
    path.write_text(
        "# a comment\nproblem threshold seconds nodes width\na bal >100\na 0.5 45.8 547 17\n\nb\tfile\t2\n",
        encoding="utf-8",
    )
    reference = read_reference(path)
    seconds = {key[:2]: record["seconds"] for key, record in reference.items()}
    assert seconds == {("a", "file"): None, ("a", "0.5"): 45.8, ("b", "file"): 2.0}
    nodes = {key[:2]: record["nodes"] for key, record in reference.items() if record["nodes"] is not None}
    assert nodes == {("a", "0.5"): 547}


@pytest.mark.parametrize("line", ["a", "a bal", "a bal x", "a bal 0", "a bal -1", "a bal nan", "a bal 1 x"])
def test_bad_reference_times(tmp_path: Path, line: str) -> None:
    path = tmp_path / "times.tsv"
    path.write_text(f"a 0.5 1\n{line}\n", encoding="utf-8")
    with pytest.raises(FormatError, match=r"times.tsv:2: expected: problem threshold seconds nodes"):
        read_reference(path)
    path.write_bytes(b"\xff\xfe\xfd")
    with pytest.raises(FormatError, match="UTF-8"):
        read_reference(path)
    with pytest.raises(FormatError, match="cannot read"):
        read_reference(tmp_path / "nowhere")


@pytest.mark.parametrize("seed", range(5))
def test_widths_are_those_of_the_compiler(seed: int) -> None:
    classifier = random_classifier(seed, variables=9, features=5)
    stats = classifier.compile(method="paper").stats
    found = leaf_widths(classifier)
    assert (found.widths.omega, found.widths.omega_total) == (stats.omega, stats.omega_total)
    assert found.features == len(classifier.features)


def test_widths_of_a_network(tmp_path: Path) -> None:
    path = tmp_path / "asia.bif"
    write_network(example("asia"), path)
    network = read_sound(path, normalise=False)
    assert network is not None
    assert len(network) == 8
    found = network_widths(network, ["lung", "nobody", "xray"])
    assert [one.features for one in found] == [2, 1]
    assert found[0] == leaf_widths(Classifier(example("asia"), "lung"))
    path.write_text("network {", encoding="utf-8")
    assert read_sound(path, normalise=False) is None
