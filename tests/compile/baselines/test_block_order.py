"""The method of Shih, Choi and Darwiche (2019): against enumeration, other methods, and its own claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import bnc2d
from bnc2d import CPT, BayesianNetwork, Classifier, ClassifierError, LimitExceeded, Variable, example
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.budget import Budget
from bnc2d.base.readers.choices import Ties
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.baselines.block_order import tables as block_order_tables
from bnc2d.compile.baselines.block_order.method import BlockOrderResult, compile_by_block_order
from bnc2d.compile.baselines.block_order.search import Block, find_block_order, join_small_blocks
from bnc2d.compile.graph.pruning import Prepared, prepare
from bnc2d.testing import random_classifier, random_instance, random_naive_bayes
from tests.cases import cases
from tests.compile.meet.test_method import check_against_enumeration

PHASES = ["order", "tables", "sub-classifiers", "reduce", "formulas"]


def by_blocks(classifier: Classifier) -> CompiledModel:
    model: CompiledModel = classifier.compile(method="block-order")
    return model


def result_of(classifier: Classifier) -> BlockOrderResult:
    return compile_by_block_order(classifier, Budget(memory_limit=2**32))


@st.composite
def binary_classifiers(draw: st.DrawFn) -> Classifier:
    """Any binary variables as features and target; hidden ones may have three states."""
    rng = Random(draw(st.integers(0, 10**9)))  # noqa: S311 - reproducible test data
    drawn = random_classifier(
        rng.randrange(10**9),
        variables=rng.randint(2, 10),
        features=rng.randint(1, 6),
        max_states=rng.choice((2, 2, 3)),
        min_states=2,
        max_parents=rng.choice((1, 1, 2, 3)),
        zero_share=rng.choice((0.0, 0.15, 0.5)),
        deterministic_share=rng.choice((0.0, 0.1, 0.4)),
        repeat_share=rng.choice((0.0, 0.5, 0.9)),
        digits=rng.choice((1, 2, 3)),
        inner_features=rng.random() < 0.6,
        root_target=rng.random() < 0.4,
    )
    network = drawn.network
    ties: Ties = rng.choice(("lowest", "none"))
    binary = [variable.name for variable in network.variables if len(variable) == 2]
    target = drawn.target if drawn.target in binary else (binary or [""])[0]
    features = [name for name in drawn.features if name in binary and name != target]
    features = features or [name for name in binary if name != target][:1]
    if not features:
        return Classifier(example("running"), "A", ["D", "E", "F"], ties=ties)
    argmax = Classifier(network, target, features, ties=ties)
    if rng.random() < 0.4:
        return argmax
    positive = rng.choice(argmax.classes)
    threshold = Fraction(rng.randint(1, 19), 20)
    if rng.random() < 0.6:
        hit = argmax.posterior(random_instance(argmax, rng.randrange(10**9)))[positive]
        threshold = hit if 0 < hit < 1 else threshold
    return Classifier(network, target, features, threshold, positive, ties)


@given(binary_classifiers(), st.integers(0, 1), st.sampled_from([256, 1]))
@settings(max_examples=cases(22, 120))
def test_every_instance(classifier: Classifier, joined: int, exact_at_once: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bnc2d.compile.baselines.block_order.search._SMALL_BLOCK", 3 * joined)
        patch.setattr(block_order_tables, "_SMALL_BLOCK", exact_at_once)
        model = by_blocks(classifier)
    check_against_enumeration(classifier, model)
    event(f"blocks: {min(len(find_block_order(prepare(classifier))), 4)}")
    event(f"exact calls: {model.stats.exact_calls != 0}")
    event(f"constant: {model.diagram.node_count == 0}")
    event(f"threshold: {classifier.threshold is not None}, ties: {classifier.ties}")


@pytest.mark.parametrize("seed", range(8))
def test_trees_with_more_features(seed: int) -> None:
    """Many blocks, each with many sub-classifiers: intervals are shared and mapped back again and again."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    nodes = [Variable(f"V{number}", ("0", "1")) for number in range(26)]
    cpts = [CPT(nodes[0], (), [Fraction(1, 2)] * 2)]
    for number, node in enumerate(nodes[1:], 1):
        parents = [nodes[max(0, number // 2 - rng.randint(0, 2))]]
        if seed % 2 and rng.random() < 0.1:
            parents.append(nodes[parents[0].name != "V0"])
        ones = [
            Fraction(rng.randint(5, 45) + 50 * (column % 2), 100) for column in range(2 ** len(set(parents)))
        ]
        parents = sorted(set(parents), key=lambda parent: parent.name)
        cpts.append(CPT(node, parents, [entry for one in ones for entry in (1 - one, one)]))
    network = BayesianNetwork(nodes, cpts)
    classifier = Classifier(network, f"V{seed % 3}", threshold=Fraction(rng.randint(2, 8), 10))
    result = result_of(classifier)
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    assert (result.diagram.labels(rows) == classifier.labels(rows)).all()
    assert 0 < result.sub_classifiers < len(rows) / 8


# Structures of 9 binary variables as lists of parents; the target comes first.
STRUCTURES: dict[str, list[list[int]]] = {
    "naive Bayes": [[]] + [[0]] * 8,
    "tree-augmented": [[], [0], [0, 1], [0, 2], [0, 2], [0, 1], [0, 5], [0, 5], [0, 7]],
    "latent tree": [[], [0], [0], [1], [1], [1], [2], [2], [2]],
    "polytree": [[], [], [0, 1], [2], [], [2, 4], [5], [], [5, 7]],
    "hidden chain": [[], [0], [1], [2], [3], [1], [2], [3], [4]],
    "target below": [[1, 2], [], [], [1], [1], [2], [2], [0], [0]],
}


def structured(name: str, seed: int, zeros: bool = False) -> BayesianNetwork:
    rng = Random(f"{name} {seed}")  # noqa: S311 - reproducible test data
    variables = [Variable(f"V{number}", ("0", "1")) for number in range(9)]
    cpts = []
    for variable, parents in zip(variables, STRUCTURES[name], strict=True):
        ones = [Fraction(rng.choice((0, 10)) if zeros and rng.random() < 0.3 else rng.randint(1, 9), 10)
                for _ in range(2 ** len(parents))]  # fmt: skip
        entries = [entry for one in ones for entry in (1 - one, one)]
        cpts.append(CPT(variable, [variables[parent] for parent in parents], entries))
    return BayesianNetwork(variables, cpts)


@pytest.mark.parametrize("name", STRUCTURES)
def test_equals_the_other_methods(name: str) -> None:
    for seed in range(4):
        network = structured(name, seed, zeros=seed % 2 == 1)
        free = Classifier(network, "V0", ties="none" if seed == 3 else "lowest")
        hit = free.posterior(random_instance(free, seed))["1"]
        classifier = free if seed in (0, 3) or hit in (0, 1) else Classifier(network, "V0", threshold=hit)
        model = by_blocks(classifier)
        check_against_enumeration(classifier, model)
        for other in (classifier.compile(), classifier.compile(method="paper")):
            for state in model.classes:
                assert model.formula(state).equivalent(other.formula(state))


def d_connected(network: BayesianNetwork, start: Iterable[str], given: str) -> set[str]:
    """Return what an active path joins to ``start``, by balls that are passed along edges (Shachter 1998).

    A ball goes through an unobserved variable, but from parent to parent only where it is above ``given``.
    """
    above_given = network.ancestors([given])
    pending = [(name, "child") for name in start if name != given]
    seen: set[tuple[str, str]] = set()
    reached: set[str] = set()
    while pending:
        name, came_from = pending.pop()
        if (name, came_from) in seen:
            continue
        seen.add((name, came_from))
        if name != given:
            reached.add(name)
            pending += [(child, "parent") for child in network.children(name)]
            if came_from == "child":
                pending += [(parent, "child") for parent in network.parents(name)]
        if came_from == "parent" and name in above_given:
            pending += [(parent, "child") for parent in network.parents(name)]
    return reached


def assert_block_order(prepared: Prepared, blocks: Sequence[Block]) -> None:
    """Check that the blocks divide the features, and that each class separates what is before from behind."""
    features = [name for block in blocks for name in block.features]
    assert sorted(features) == sorted(prepared.features)
    assert blocks[0].above == prepared.target
    assert blocks[-1].below is None
    for block, following in pairwise(blocks):
        assert block.features
        assert block.below is not None
        assert block.below == following.above
        assert block.below not in prepared.features
        assert len(prepared.network.variable(block.below)) == 2
        later = set(features[features.index(following.features[0]) :])
        assert not later & d_connected(prepared.network, {block.above, *block.features}, block.below)


@given(binary_classifiers())
@settings(max_examples=cases(44, 300))
def test_block_orders_separate(classifier: Classifier) -> None:
    prepared = prepare(classifier)
    blocks = find_block_order(prepared)
    assert_block_order(prepared, blocks)
    assert_block_order(prepared, join_small_blocks(blocks))
    event(f"blocks: {min(len(blocks), 5)}")


def test_block_orders_of_known_structures() -> None:
    sizes = {}
    for name in STRUCTURES:
        prepared = prepare(Classifier(structured(name, 0), "V0"))
        blocks = find_block_order(prepared)
        assert_block_order(prepared, blocks)
        sizes[name] = [len(block.features) for block in blocks]
    assert sizes == {
        "naive Bayes": [1] * 8,
        "tree-augmented": [4],  # the target is next to every variable
        "latent tree": [3, 1, 1, 1],  # one branch has to be taken whole
        "polytree": [1, 1, 1],
        "hidden chain": [1, 1, 1, 1],
        "target below": [1, 1, 2, 1, 1],
    }


def test_inner_features_may_separate() -> None:
    """A feature inside a chain is a copy of a variable that stays hidden, and that variable separates."""
    classifier = Classifier(structured("hidden chain", 1), "V0", ["V1", "V2", "V5", "V6", "V8"])
    blocks = find_block_order(prepare(classifier))
    assert [len(block.features) for block in blocks] == [1] * 5
    assert [block.below for block in blocks] == ["V1", "V1", "V2", "V2", None]


@pytest.mark.parametrize("features", [20, 24])
def test_naive_bayes_with_many_features(features: int) -> None:
    classifier = Classifier(random_naive_bayes(features, features), "Y", threshold=Fraction(1, 3))
    result = result_of(classifier)
    assert len(find_block_order(prepare(classifier))) == features
    assert result.sub_classifiers < 2 ** (features // 2)
    assert result.diagram.counts() == [classifier.compile().count(name) for name in "01"]


def test_a_large_latent_tree() -> None:
    """Two layers of hidden variables with 27 features below.

    A sub-classifier that decides all alike may be left through either end of the ratios: both must be kept.
    """
    rng = Random(5)  # noqa: S311 - reproducible test data
    cpts = [CPT(Variable("T", ("0", "1")), (), [Fraction(1, 3), Fraction(2, 3)])]
    layer = [cpts[0].child]
    for size in (3, 9, 27):
        children = [Variable(f"L{size}_{number}", ("0", "1")) for number in range(size)]
        for number, child in enumerate(children):
            low, high = Fraction(rng.randint(1, 20), 100), Fraction(rng.randint(80, 99), 100)
            cpts.append(CPT(child, [layer[number // 3]], [1 - low, low, 1 - high, high]))
        layer = children
    classifier = Classifier(BayesianNetwork([cpt.child for cpt in cpts], cpts), "T")
    prepared = prepare(classifier)
    blocks = find_block_order(prepared)
    assert_block_order(prepared, blocks)
    assert max(len(block.features) for block in blocks) == 9
    result = result_of(classifier)
    assert result.sub_classifiers < 2000
    rows = np.random.default_rng(5).integers(0, 2, size=(4000, 27))
    assert (result.diagram.labels(rows) == classifier.labels(rows)).all()


def test_ties_share_sub_classifiers() -> None:
    """Equal features tie half-way: sub-classifiers are numbers of ones, recognised by their exact states."""
    target = Variable("T", ("0", "1"))
    third = [Fraction(2, 3), Fraction(1, 3), Fraction(1, 3), Fraction(2, 3)]
    cpts = [CPT(target, (), [Fraction(1, 2)] * 2)]
    cpts += [CPT(Variable(f"F{number}", ("0", "1")), (target,), third) for number in range(20)]
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    for ties, expected in (("lowest", (616666, 431910)), ("none", (431910, 431910))):
        classifier = Classifier(network, "T", ties=ties)  # type: ignore[arg-type]
        result = result_of(classifier)
        assert result.sub_classifiers < 100
        assert result.exact_calls > 0
        assert tuple(result.diagram.counts()[:2]) == expected


@pytest.mark.parametrize("digits", [90, 160, 400])
def test_numbers_out_of_the_range_of_floats(digits: int) -> None:
    tiny, target = Fraction(1, 10**digits), Variable("T", ("a", "b"))
    leaves = [Variable(f"F{number}", ("0", "1")) for number in range(5)]
    cpts = [CPT(leaf, (target,), [1 - tiny, tiny, tiny, 1 - tiny]) for leaf in leaves]
    network = BayesianNetwork([target, *leaves], [CPT(target, (), [1 - tiny, tiny]), *cpts])
    for threshold in (Fraction(1, 10**95), 1 - Fraction(1, 10**95), Fraction(1, 2), None):
        classifier = Classifier(network, "T", threshold=threshold)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("bnc2d.compile.baselines.block_order.search._SMALL_BLOCK", 1)
            check_against_enumeration(classifier, by_blocks(classifier))


def test_only_binary_variables() -> None:
    with pytest.raises(ClassifierError, match="the target 'D' has 3 states; use method='fast'"):
        Classifier(example("diagnosis"), "D").compile(method="block-order")
    with pytest.raises(ClassifierError, match="binary features, the feature 'BP' has 3 states"):
        Classifier(example("diagnosis"), "X", ["CT", "BP"]).compile(method="block-order")


def test_options_that_it_has_not() -> None:
    classifier = Classifier(example("running"), "A", ["D", "E", "F"])
    with pytest.raises(ClassifierError, match="'block-order' decides close calls exactly"):
        classifier.compile(method="block-order", arithmetic="float")
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(ClassifierError, match="'block-order' does not spread"),
    ):
        classifier.compile(method="block-order", executor=executor)


def test_limits() -> None:
    classifier = Classifier(random_naive_bayes(1, 16), "Y")
    with pytest.raises(LimitExceeded, match=r"time limit of 0 s reached .* in phase 'order'"):
        classifier.compile(method="block-order", time_limit=0)
    with pytest.raises(LimitExceeded, match=r"for a block of 5 features, .* raise memory_limit"):
        classifier.compile(method="block-order", memory_limit=100)
    with pytest.raises(LimitExceeded, match=r"for \d+ sub-classifiers, .* raise memory_limit"):
        classifier.compile(method="block-order", memory_limit=2**16)
    wide = Classifier(random_classifier(1, variables=40, features=38, max_states=2).network, "X0")
    with pytest.raises(LimitExceeded, match=r"for a block of \d+ features"):
        wide.compile(method="block-order", memory_limit=2**13)


def test_the_end_of_a_chain_that_is_too_long_is_one_block(monkeypatch: pytest.MonkeyPatch) -> None:
    classifier = Classifier(structured("hidden chain", 0), "V0")
    monkeypatch.setattr("bnc2d.compile.baselines.block_order.search._MAX_DEPTH", 4)
    blocks = find_block_order(prepare(classifier))
    assert [len(block.features) for block in blocks] == [1, 1, 2]
    check_against_enumeration(classifier, by_blocks(classifier))


def test_tables_are_computed_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(block_order_tables, "_CHUNK", 4)
    monkeypatch.setattr(block_order_tables, "_MAX_EXACT_ENTRIES", 4)
    classifier = random_classifier(3, variables=9, features=7, max_states=2, threshold=True)
    seen: list[float] = []
    model = classifier.compile(
        method="block-order", progress=lambda phase, done: seen.append(done) if phase == "tables" else None
    )
    check_against_enumeration(classifier, model)
    assert len(set(seen)) > 4
    monkeypatch.setattr(block_order_tables, "MAX_TABLE_ENTRIES", 1)
    with pytest.raises(LimitExceeded, match=r"the table of a block needs .* raise memory_limit"):
        by_blocks(classifier)


def test_progress_is_the_share_of_instances() -> None:
    seen: dict[str, list[float]] = {}
    Classifier(random_naive_bayes(1, 14), "Y").compile(
        method="block-order", progress=lambda phase, done: seen.setdefault(phase, []).append(done)
    )
    assert list(seen) == PHASES
    for shares in seen.values():
        assert shares == sorted(shares)
        assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(set(seen["sub-classifiers"])) > 10


def test_the_nodes_are_those_of_the_diagram() -> None:
    """No minimiser: a node of the diagram is a clause or two, so it gives at most five of the circuit."""
    model = by_blocks(Classifier(random_naive_bayes(2, 12), "Y"))
    assert list(model.stats.seconds) == PHASES
    assert model.stats.method == "block-order"
    assert set(model.formulas) == {(label, negated) for label in (0, 1) for negated in (False, True)}
    nodes = model.diagram.node_count
    assert nodes < model.formula("1").node_count < 5 * nodes + 2 * 12


def test_it_verifies_and_is_saved(tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("blocks") / "model.bnc2d"
    model = by_blocks(Classifier(structured("polytree", 2), "V0"))
    model.save(path)
    loaded = bnc2d.load(path)
    report = loaded.verify()
    assert report, str(report)
    assert "the method 'paper' agrees" in str(report)
    rows = np.concatenate(list(all_rows(model.classifier.feature_variables)))
    assert loaded.predict(rows).tolist() == model.predict(rows).tolist()
    assert loaded.formula("1").node_count == model.formula("1").node_count
