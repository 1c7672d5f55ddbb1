"""Pictures of jointrees and f-trees: well-formed, escaped, complete."""

from __future__ import annotations

import re

import pytest

from bnc2d.api.classifier import Classifier
from bnc2d.compile.graph.picture import draw_feature_tree, draw_jointree
from bnc2d.draw.text import text_width
from bnc2d.formats.builtin import example
from bnc2d.testing import random_network
from tests.draw.nasty import NASTY, large, named
from tests.draw.reading import DOT_LINE, SVG, elements, size, texts, titles


@pytest.mark.parametrize("variables", [5, 50, 220])
def test_trees_of_all_sizes(variables: int) -> None:
    network = random_network(3, variables=variables, max_parents=1 if variables > 100 else 2)
    classifier = Classifier(network, network.roots[0])
    for figure in (draw_jointree(network), draw_jointree(classifier), draw_feature_tree(classifier)):
        assert not figure.is_summary
        svg = figure.svg()
        known = set(texts(svg)) | set(titles(svg))
        wanted = network.names if figure.title.startswith("Jointree") else classifier.features
        everything = " ".join(known)
        assert all(re.search(rf"\b{name}\b", everything) for name in wanted)
        width, height = size(svg)
        assert 0.3 < width / height < 4


def test_the_trees_of_diagnosis() -> None:
    classifier = Classifier(example("diagnosis"), "D")
    svg = draw_jointree(classifier).svg()
    assert "{D, X, Y}" in titles(svg)
    assert "separator {X, Y}" in titles(svg)
    svg = draw_feature_tree(classifier).svg()
    assert "leaf of CT {CT, Y}" in titles(svg)
    assert "feature-splitting separator {Y}" in titles(svg)
    assert svg == draw_feature_tree(classifier).svg()


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_names_are_escaped(name: str) -> None:
    classifier = Classifier(named([name, *(name + str(number) for number in range(4)), "end"]), name)
    for figure in (draw_jointree(classifier), draw_feature_tree(classifier)):
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
    dot = draw_feature_tree(Classifier(example("diagnosis"), "D")).dot()
    assert dot.count(" -- ") == 5
    assert "style=dashed" in dot


def test_large_ones_are_summarised() -> None:
    network = large()
    for tree in (draw_jointree(network), draw_feature_tree(Classifier(network, network.names[-1]))):
        assert tree.is_summary
        assert "Clusters by depth, root first" in texts(tree.svg())
        assert len(tree.svg()) < 50_000
