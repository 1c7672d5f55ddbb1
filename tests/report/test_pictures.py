"""Pictures of networks and trees: well-formed, escaped, complete, no box over another."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bnc2d.api.classifier import Classifier
from bnc2d.errors import FormatError
from bnc2d.formats.builtin import example
from bnc2d.logic.pictures.labels import text_width
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable
from bnc2d.report.pictures import draw_circuit, draw_feature_tree, draw_jointree, draw_network
from bnc2d.report.pictures_network import choose_rows, network_picture
from bnc2d.report.pictures_svg import SMALL_FONT, Box, Label, name_list
from bnc2d.report.trees import TreeNode, lay_out_tree
from bnc2d.testing import random_naive_bayes, random_network

SVG = "{http://www.w3.org/2000/svg}"
NASTY = ['<script>alert("1")</script>', "a&b\"'", "]]>", "tab\tnew\nline\x00\x1b\ud800", "W" * 3000, "back\\"]


def elements(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter())  # noqa: S314 - our own output


def texts(svg: str) -> list[str]:
    return [str(element.text) for element in elements(svg) if element.tag == f"{SVG}text"]


def titles(svg: str) -> list[str]:
    return [str(element.text) for element in elements(svg) if element.tag == f"{SVG}title"]


def size(svg: str) -> tuple[float, float]:
    root = elements(svg)[0]
    return float(root.attrib["width"]), float(root.attrib["height"])


def assert_no_overlap(boxes: tuple[Box, ...], width: float, height: float) -> None:
    for box in boxes:
        assert box.x - box.width / 2 > 0
        assert box.x + box.width / 2 < width
        assert box.y - box.height / 2 > 0
        assert box.y + box.height / 2 < height
        font = SMALL_FONT if box.label.small else 13
        assert all(text_width(line, font) < box.width for line in box.label.lines)
    for first, second in combinations(boxes, 2):
        beside = abs(first.x - second.x) >= (first.width + second.width) / 2 + 5
        assert beside or abs(first.y - second.y) >= (first.height + second.height) / 2 + 5


def named(names: list[str]) -> BayesianNetwork:
    """A naive Bayes network whose variables have these names."""
    variables = [Variable(name, ("0", "1")) for name in names]
    root = variables[0]
    entries = [Fraction(entry, 10) for entry in (1, 9, 8, 2)]
    cpts = [CPT(root, (), [Fraction(1, 2)] * 2)]
    cpts += [CPT(child, (root,), entries) for child in variables[1:]]
    return BayesianNetwork(variables, cpts, names[0])


@pytest.mark.parametrize(("variables", "parents"), [(5, 2), (50, 2), (300, 1), (300, 3)])
def test_networks_of_all_sizes(variables: int, parents: int) -> None:
    network = random_network(3, variables=variables, max_parents=parents)
    classifier = Classifier(network, network.roots[0])
    picture = network_picture(network, classifier)
    assert_no_overlap(picture.boxes, picture.width, picture.height)
    assert sorted(box.label.title for box in picture.boxes) == sorted(network.names)
    assert picture.width < 4_000
    rows = choose_rows(network, [40.0] * variables)
    assert all(rows[network.index(parent)] < rows[network.index(child)] for parent, child in network.edges)
    ends = {edge.title for edge in picture.edges if edge.tip is not None}
    assert ends == {f"{parent} → {child}" for parent, child in network.edges}


def test_a_naive_bayes_network_is_not_absurdly_wide() -> None:
    network = random_naive_bayes(1, 299)
    width, height = size(draw_network(network, Classifier(network, "Y")).svg())
    assert 0.5 < width / height < 2


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


@st.composite
def trees(draw: st.DrawFn) -> list[TreeNode]:
    """Trees of any form with labels of any size."""
    count = draw(st.integers(1, 120))
    chain = draw(st.floats(0, 1))
    random = draw(st.randoms(use_true_random=False))
    children: list[list[int]] = [[] for _ in range(count)]
    for node in range(1, count):
        parent = node - 1 if random.random() < chain else random.randrange(node)
        children[parent].append(node)
    nodes = []
    for node in range(count):
        names = [f"N{number}" * random.randint(1, 4) for number in range(random.randint(0, 12))]
        separator = name_list(names[:3], small=True, max_lines=3) if node else None
        below = tuple(children[node])
        nodes.append(TreeNode(name_list(names), "cluster", separator, "separator", "plain", below, 1, 1))
    return nodes


@settings(max_examples=60, deadline=None)
@given(trees(), st.booleans())
def test_no_box_of_a_tree_over_another(nodes: list[TreeNode], mirrored: bool) -> None:
    drawing = lay_out_tree(nodes, mirrored=mirrored)
    assert_no_overlap(drawing.boxes, drawing.width, drawing.height)
    assert len(drawing.boxes) == 2 * len(nodes) - 1
    assert len(drawing.edges) == len(nodes) - 1


@settings(max_examples=60, deadline=None)
@given(trees(), st.booleans())
def test_edges_of_a_tree_pass_no_foreign_box(nodes: list[TreeNode], mirrored: bool) -> None:
    drawing = lay_out_tree(nodes, mirrored=mirrored)
    for edge in drawing.edges:
        numbers = [float(value) for value in re.findall(r"-?[\d.]+", edge.path)]
        corners = list(zip(numbers[::2], numbers[1::2], strict=True))
        touched = 0
        for box in drawing.boxes:
            left, right = box.x - box.width / 2 + 1, box.x + box.width / 2 - 1
            top, bottom = box.y - box.height / 2 + 1, box.y + box.height / 2 - 1
            touched += any(
                min(x1, x2) < right and max(x1, x2) > left and min(y1, y2) < bottom and max(y1, y2) > top
                for (x1, y1), (x2, y2) in pairwise(corners)
            )
        assert touched == 3  # the node, the separator and the child


def test_the_diagnosis_network_and_its_trees() -> None:
    network = example("diagnosis")
    classifier = Classifier(network, "D")
    svg = draw_network(network, classifier).svg()
    assert texts(svg)[:3] == ["target", "feature", "other variable"]
    assert set(texts(svg)[3:]) == set(network.names)
    assert "diagnosis: 6 variables, 8 edges, target D, 3 features" in titles(svg)
    assert texts(draw_network(network).svg()) == sorted(
        network.names, key=texts(draw_network(network).svg()).index
    )
    svg = draw_jointree(classifier).svg()
    assert "{D, X, Y}" in titles(svg)
    assert "separator {X, Y}" in titles(svg)
    svg = draw_feature_tree(classifier).svg()
    assert "leaf of CT {CT, Y}" in titles(svg)
    assert "feature-splitting separator {Y}" in titles(svg)
    assert svg == draw_feature_tree(classifier).svg()


def test_variables_that_do_not_matter_are_told_apart() -> None:
    network = example("asia")
    svg = draw_network(network, Classifier(network, "lung", ["xray"])).svg()
    assert "does not matter for the target" in texts(svg)
    assert svg.count('stroke-dasharray="4 3"') == 3  # dysp, bronc and the legend


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_names_are_escaped(name: str) -> None:
    network = named([name, *(name + str(number) for number in range(4)), "end"])
    classifier = Classifier(network, name)
    figures = [draw_network(network, classifier), draw_jointree(classifier), draw_feature_tree(classifier)]
    for figure in figures:
        svg = figure.svg()
        svg.encode("utf-8")
        allowed = {SVG + tag for tag in ("svg", "title", "g", "path", "rect", "text")}
        assert {element.tag for element in elements(svg)} <= allowed
        assert max(map(text_width, texts(svg))) < 260  # the longest words are those of the legend
        if name.isprintable():
            assert any(name + "3" in title for title in titles(svg))
        strings = r'"(?:[^"\\\n]|\\.)*"'
        for line in figure.dot().splitlines()[4:-1]:
            assert re.fullmatch(
                rf"  n\d+( (->|--) n\d+)? \[label={strings}, tooltip={strings}[^\n]*\];", line
            )


@given(st.lists(st.text(min_size=1), max_size=8), st.integers(1, 4), st.booleans())
def test_lists_of_names_fit(names: list[str], lines: int, small: bool) -> None:
    label = name_list(names, width=100.0, max_lines=lines, small=small)
    assert 1 <= len(label.lines) <= lines
    assert label.width < 160
    assert isinstance(label, Label)


def test_dot_files_list_everything() -> None:
    network = example("diagnosis")
    classifier = Classifier(network, "D")
    dot = draw_network(network, classifier).dot()
    assert dot.count(" -> ") == 8
    assert dot.count("peripheries=2") == 1
    dot = draw_feature_tree(classifier).dot()
    assert dot.count(" -- ") == 5
    assert "style=dashed" in dot


def test_large_ones_are_summarised() -> None:
    network = random_network(3, variables=700, max_parents=1)
    bad = Variable("bad\x00 <target>", ("0", "1"))
    cpts = [*network.cpts, CPT(bad, (), [Fraction(1, 2)] * 2)]
    network = BayesianNetwork([*network.variables, bad], cpts, "<b>large</b>")
    classifier = Classifier(network, bad.name)
    figure = draw_network(network, classifier)
    assert figure.is_summary
    assert "Variables by level, roots first" in texts(figure.svg())
    assert any(title.startswith("<b>large</b>: 701 variables") for title in titles(figure.svg()))
    assert figure.dot().count("tooltip=") == 701 + len(network.edges)
    for tree in (draw_jointree(network), draw_feature_tree(classifier)):
        assert tree.is_summary
        assert "Clusters by depth, root first" in texts(tree.svg())
        assert len(tree.svg()) < 50_000


def test_circuits(tmp_path: Path) -> None:
    model = Classifier(example("diagnosis"), "D").compile()
    figure = draw_circuit(model.formula("2"), {"BP": "High", "CT": "1", "HR": "Normal"})
    assert "#e8590c" in figure.svg()
    assert "#e8590c" in figure.dot()
    assert figure.nodes == model.formula("2").node_count
    assert figure.save(tmp_path / "c.svg") == (tmp_path / "c.svg").stat().st_size
    assert figure._repr_svg_() == figure.svg()
    with pytest.raises(FormatError, match="must end in"):
        figure.save(tmp_path / "c.gif")
