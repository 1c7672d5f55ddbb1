"""Preparation, jointrees and feature trees, by the checkers of their definitions."""

from __future__ import annotations

from dataclasses import asdict, replace
from fractions import Fraction

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bnc2d import Classifier, example
from bnc2d.base.masks import positions
from bnc2d.compile.graph.feature_tree import TABLES, FeatureTree, build_feature_tree
from bnc2d.compile.graph.jointree import Jointree, build_jointree, chains
from bnc2d.compile.graph.jointree import families as family_masks
from bnc2d.compile.graph.pruning import Prepared, prepare
from bnc2d.model.min_fill import MinFill, graph_of
from tests.brute_force.decisions import joint_of_instances
from tests.compile.graph.checkers import assert_feature_tree, assert_jointree
from tests.strategies import classifiers


def families(prepared: Prepared) -> list[list[str]]:
    return [[variable.name for variable in cpt.scope] for cpt in prepared.network.cpts]


@given(classifiers())
def test_preparation_keeps_the_classifier(classifier: Classifier) -> None:
    prepared = prepare(classifier)
    leaves = set(prepared.network.leaves)
    assert set(prepared.features) <= leaves <= {*prepared.features, prepared.target}
    twin = Classifier(prepared.network, prepared.target, prepared.features)
    assert joint_of_instances(twin) == joint_of_instances(classifier)
    event(f"has inner features: {prepared.features != classifier.features}")


@given(classifiers(), st.integers(0, 5))
def test_trees_are_what_they_are_called(classifier: Classifier, seed: int) -> None:
    prepared = prepare(classifier)
    jointree = build_jointree(prepared.network, seed)
    assert_jointree(jointree, families(prepared))
    near, originals = chains(jointree.neighbours())
    edges = [(node, other) for node, others in enumerate(near) for other in others if node < other]
    unfolded = Jointree(tuple(jointree.clusters[original] for original in originals), tuple(edges))
    assert_jointree(unfolded, families(prepared))
    assert all(len(near) <= 3 for near in unfolded.neighbours())
    tree = build_feature_tree(jointree, prepared.target, prepared.features)
    assert_feature_tree(tree, jointree, prepared.features)
    widths = tree.widths(jointree.width)
    assert widths.omega_total >= jointree.width
    assert widths.omega_right >= len(tree.nodes[tree.spine()[-1]].cluster)
    below = tree.features_below()
    assert sorted(below[0]) == sorted(prepared.features)
    assert asdict(build_jointree(prepared.network, seed)) == asdict(jointree)


def with_spine_to(tree: FeatureTree, leaf: int) -> FeatureTree | None:
    """Return the tree with left and right exchanged where that leads its spine to another leaf.

    None where a copy of a cluster would become the left child of another: left children are parts of the
    jointree.
    """
    nodes = list(tree.nodes)
    while leaf:
        parent = nodes[leaf].parent
        node = nodes[parent]
        if node.left == leaf and node.right is not None:
            if nodes[node.right].cluster == node.cluster:
                return None
            nodes[parent] = replace(node, left=node.right, right=node.left)
        leaf = parent
    return FeatureTree(tree.target, tuple(nodes))


def cost(tree: FeatureTree) -> int:
    """Return what ``build_feature_tree`` keeps small, from the finished tree."""
    below = [len(features) for features in tree.features_below()]
    largest = [len(node.cluster) for node in tree.nodes]
    for index in reversed(range(1, len(tree.nodes))):
        parent = tree.nodes[index].parent
        largest[parent] = max(largest[parent], largest[index])
    costs = []
    for index in tree.spine():
        node = tree.nodes[index]
        costs.append(below[0] - below[index] + len(node.cluster))
        if node.left is not None:
            costs.append(below[node.left] + max(largest[node.left], len(node.cluster)) + TABLES)
    return max(costs)


@given(classifiers(), st.integers(0, 5))
def test_no_other_spine_is_narrower(classifier: Classifier, seed: int) -> None:
    prepared = prepare(classifier)
    jointree = build_jointree(prepared.network, seed)
    tree = build_feature_tree(jointree, prepared.target, prepared.features)
    least = cost(tree)
    for leaf, node in enumerate(tree.nodes):
        if node.feature is not None:
            other = with_spine_to(tree, leaf)
            if other is None:
                continue
            assert_feature_tree(other, jointree, prepared.features)
            assert other.spine()[-1] == leaf
            assert cost(other) >= least
            event(f"another spine is wider: {cost(other) > least}")


def test_the_checkers_can_fail() -> None:
    torn = Jointree((frozenset("ab"), frozenset("b"), frozenset("ac")), ((0, 1), (1, 2)))
    with pytest.raises(AssertionError, match="a is torn apart"):
        assert_jointree(torn, ["ab"])
    whole = Jointree((frozenset("ab"), frozenset("ac")), ((0, 1),))
    assert_jointree(whole, ["ab", "ac"])
    with pytest.raises(AssertionError, match="no cluster for bc"):
        assert_jointree(whole, ["bc"])
    with pytest.raises(AssertionError, match="one edge less"):
        assert_jointree(Jointree((frozenset("ab"), frozenset("ac")), ()), [])


def test_running_example() -> None:
    """The paper's network, worked out by hand: the parents of B, E and F are married."""
    prepared = prepare(Classifier(example("running"), "A", ["D", "E", "F"]))
    names = prepared.network.names
    near = graph_of(family_masks(prepared.network), len(names))
    graph = {name: {names[v] for v in positions(mask)} for name, mask in zip(names, near, strict=True)}
    assert graph["A"] == {"G", "B", "C"}
    assert graph["B"] == {"A", "G", "C", "D", "E", "F"}
    search = MinFill(near)
    search.finish(0)
    assert sorted(names[v] for v in search.order) == sorted(names)
    jointree = build_jointree(prepared.network)
    assert jointree.width == 2
    assert {frozenset("BD"), frozenset("BCE"), frozenset("BCF"), frozenset("ABG"), frozenset("ABC")} == set(
        jointree.clusters
    )
    tree = build_feature_tree(jointree, "A", ["D", "E", "F"])
    leaves = {node.feature: node.cluster for node in tree.nodes if node.feature}
    assert leaves == {"D": frozenset("BD"), "E": frozenset("BCE"), "F": frozenset("BCF")}
    splitting = [tree.is_feature_splitting(index) for index in range(1, len(tree.nodes))]
    assert any(splitting)


def test_widths_by_hand() -> None:
    """A root {Y,A} with a left leaf {A,X} and a right spine {A,B} - {B,Z}: two features."""
    chain = Jointree(
        (frozenset("YA"), frozenset("AX"), frozenset("AB"), frozenset("BZ")), ((0, 1), (0, 2), (2, 3))
    )
    tree = build_feature_tree(chain, "Y", ["X", "Z"])
    assert isinstance(tree, FeatureTree)
    spine = tree.spine()
    total = len(tree.features_below()[0])
    assert total == 2
    widths = tree.widths(chain.width)
    # U is empty at the root (0 + 2); below the left child it has one feature: 1 + 2 = 3.
    assert (widths.omega, widths.omega_right, widths.omega_left, widths.omega_total) == (1, 3, 2, 3)
    assert all(tree.nodes[index].left is not None or index != spine[0] for index in spine)


def test_a_copied_feature_repeats_its_original() -> None:
    classifier = Classifier(example("running"), "A", ["B", "D"])
    prepared = prepare(classifier)
    assert prepared.features == ("B′", "D")
    copy = prepared.network.cpt("B′")
    assert copy.exact.tolist() == [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]]
