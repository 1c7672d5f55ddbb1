"""Pictures of networks: well-formed, escaped, complete, no box over another."""

from __future__ import annotations

import re

import pytest

from bnc2d.api.classifier import Classifier
from bnc2d.draw.rows import choose_rows
from bnc2d.draw.text import text_width
from bnc2d.formats.builtin import example
from bnc2d.model.picture import draw_network, lay_out_network, network_graph
from bnc2d.testing import random_naive_bayes, random_network
from tests.draw.nasty import NASTY, large, named
from tests.draw.reading import DOT_LINE, SVG, assert_no_overlap, elements, size, texts, titles


@pytest.mark.parametrize(("variables", "parents"), [(5, 2), (50, 2), (300, 1), (300, 3)])
def test_networks_of_all_sizes(variables: int, parents: int) -> None:
    network = random_network(3, variables=variables, max_parents=parents)
    graph = network_graph(network, Classifier(network, network.roots[0]))
    picture = lay_out_network(graph)
    assert_no_overlap(picture)
    assert sorted(box.label.title for box in picture.boxes) == sorted(network.names)
    assert picture.width < 4_000
    rows = choose_rows(graph)
    assert all(rows[network.index(parent)] < rows[network.index(child)] for parent, child in network.edges)
    ends = {line.title for line in picture.lines if line.tip}
    assert ends == {f"{parent} → {child}" for parent, child in network.edges}


def test_a_naive_bayes_network_is_not_absurdly_wide() -> None:
    network = random_naive_bayes(1, 299)
    width, height = size(draw_network(network, Classifier(network, "Y")).svg())
    assert 0.5 < width / height < 2


def test_the_diagnosis_network() -> None:
    network = example("diagnosis")
    svg = draw_network(network, Classifier(network, "D")).svg()
    assert texts(svg)[:3] == ["target", "feature", "other variable"]
    assert set(texts(svg)[3:]) == set(network.names)
    assert "diagnosis: 6 variables, 8 edges, target D, 3 features" in titles(svg)
    assert sorted(texts(draw_network(network).svg())) == sorted(network.names)
    assert network._repr_svg_() == draw_network(network).svg()


def test_variables_that_do_not_matter_are_told_apart() -> None:
    svg = draw_network(example("asia"), Classifier(example("asia"), "lung", ["xray"])).svg()
    assert "does not matter for the target" in texts(svg)
    assert svg.count('stroke-dasharray="4 3"') == 3  # dysp, bronc and the legend


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_names_are_escaped(name: str) -> None:
    network = named([name, *(name + str(number) for number in range(4)), "end"])
    figure = draw_network(network, Classifier(network, name))
    svg = figure.svg()
    svg.encode("utf-8")
    allowed = {SVG + tag for tag in ("svg", "title", "g", "path", "rect", "text")}
    assert {element.tag for element in elements(svg)} <= allowed
    assert max(map(text_width, texts(svg))) < 260  # the longest words are those of the legend
    if name.isprintable():
        assert any(name + "3" in title for title in titles(svg))
    for line in figure.dot().splitlines()[4:-1]:
        assert re.fullmatch(DOT_LINE, line)


def test_dot_files_list_everything() -> None:
    dot = draw_network(example("diagnosis"), Classifier(example("diagnosis"), "D")).dot()
    assert dot.count(" -> ") == 8
    assert dot.count("peripheries=2") == 1


def test_large_ones_are_summarised() -> None:
    network = large()
    figure = draw_network(network, Classifier(network, network.names[-1]))
    assert figure.is_summary
    assert "Variables by level, roots first" in texts(figure.svg())
    assert any(title.startswith("<b>large</b>: 701 variables") for title in titles(figure.svg()))
    assert figure.dot().count("tooltip=") == 701 + len(network.edges)
