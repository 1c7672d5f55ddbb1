"""The paper's compiler against decisions by definition, and on the paper's worked examples."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bnc2d import Classifier, example
from bnc2d.base.checkpoints import ending
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.graph.feature_tree import build_feature_tree
from bnc2d.compile.graph.jointree import build_jointree
from bnc2d.compile.graph.pruning import prepare
from bnc2d.compile.paper import compile_negative as paper
from bnc2d.compile.paper.compile_negative import PaperCompiler
from bnc2d.compile.paper.spine import potentials_of
from bnc2d.errors import LimitExceeded, LogicError
from bnc2d.logic.circuit.count import model_count
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.circuit.queries import evaluate, evaluate_rows, is_and_decomposable, is_or_decomposable
from bnc2d.logic.circuit.transforms import negate
from bnc2d.logic.domain import Domain
from bnc2d.model.cpt import CPT
from bnc2d.model.factors import Factor, multiply_out
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable
from bnc2d.testing import random_classifier
from tests.brute_force.decisions import decisions
from tests.strategies import classifiers


def manager_of(classifier: Classifier) -> Manager:
    return Manager(Domain({feature.name: feature.states for feature in classifier.feature_variables}))


def models(manager: Manager, root: NodeId, classifier: Classifier) -> set[tuple[str, ...]]:
    domain = manager.domain
    return {
        states
        for states in decisions(classifier)
        if evaluate(manager, root, domain.encode(dict(zip(domain.names, states, strict=True))))
    }


def assert_right(classifier: Classifier, seed: int = 0) -> PaperCompiler:
    """Compare every class formula and its negation with the decisions by definition."""
    table = decisions(classifier)
    manager = manager_of(classifier)
    compiler = PaperCompiler(classifier, seed=seed)
    for index, name in enumerate(classifier.classes):
        members = {states for states, decision in table.items() if decision == name}
        formula = compiler.class_formula(index, manager)
        assert is_or_decomposable(manager, formula)
        assert is_and_decomposable(manager, negate(manager, formula))
        assert models(manager, formula, classifier) == members
        negated = compiler.negated_formula(index, manager)
        assert is_or_decomposable(manager, negated)
        assert models(manager, negated, classifier) == table.keys() - members
    manager.assert_consistent()
    return compiler


@given(classifiers(), st.integers(0, 5))
def test_formulas_are_the_decisions(classifier: Classifier, seed: int) -> None:
    compiler = assert_right(classifier, seed)
    event(f"decided early: {any(compiler.stats.decided)}")
    event(f"exact calls: {compiler.stats.exact_rows > 0}")
    event(f"constant: {len(set(decisions(classifier).values())) == 1}")


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.6]), st.booleans(), st.sampled_from(["lowest", "none"]))
def test_leaf_features_of_wider_networks(seed: int, zeros: float, threshold: bool, ties: str) -> None:
    """Root targets far from leaf features: here separators without the target are common."""
    classifier = random_classifier(
        seed,
        variables=11,
        features=6,
        inner_features=False,
        root_target=True,
        threshold=threshold,
        ties=ties,  # type: ignore[arg-type]
        max_states=2,
        max_parents=2,
        zero_share=zeros,
        deterministic_share=zeros / 2,
        repeat_share=0.1,
    )
    manager = manager_of(classifier)
    compiler = PaperCompiler(classifier, seed=seed % 3)
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    labels = classifier.labels(rows)
    early = 0
    for index in range(len(classifier.classes)):
        formula = compiler.class_formula(index, manager)
        early += sum(compiler.stats.decided)
        assert (evaluate_rows(manager, formula, rows) == (labels == index)).all()
        negated = compiler.negated_formula(index, manager)
        assert (evaluate_rows(manager, negated, rows) == (labels != index)).all()
    event(f"decided early: {early > 0}")


def test_a_batch_may_be_cut_anywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    classifier = random_classifier(7, variables=9, features=6, max_states=3)
    manager = manager_of(classifier)
    whole = [
        PaperCompiler(classifier).class_formula(index, manager) for index in range(len(classifier.classes))
    ]
    monkeypatch.setattr(paper, "_ENTRIES_AT_ONCE", 1)
    assert [
        PaperCompiler(classifier).class_formula(index, manager) for index in range(len(classifier.classes))
    ] == whole


@given(classifiers(), st.integers(0, 5))
def test_potentials_of_the_f_tree_make_the_joint(classifier: Classifier, seed: int) -> None:
    prepared = prepare(classifier)
    tree = build_feature_tree(build_jointree(prepared.network, seed), prepared.target, prepared.features)
    kept = [prepared.target_id, *prepared.feature_ids]
    hidden = [variable for variable in range(len(prepared.network)) if variable not in kept]
    found = multiply_out(potentials_of(prepared, tree), hidden)
    direct = multiply_out(
        [Factor.of_cpt(cpt, prepared.ids, np.float64) for cpt in prepared.network.cpts], hidden
    )
    assert set(found.scope) == set(kept)
    np.testing.assert_allclose(found.over(kept), direct.over(kept), rtol=1e-12)


def test_running_example() -> None:
    classifier = Classifier(example("running"), "A", ["D", "E", "F"])
    manager = manager_of(classifier)
    d, f = manager.add_literal(0, 0b10), manager.add_literal(2, 0b10)
    no_d, no_e = manager.add_literal(0, 0b01), manager.add_literal(1, 0b01)
    by_hand = manager.add_and([manager.add_or([d, no_e]), manager.add_or([no_d, no_e, f])])
    formula = PaperCompiler(classifier).class_formula(1, manager)
    assert models(manager, formula, classifier) == models(manager, by_hand, classifier)
    assert_right(classifier)


def test_diagnosis_example() -> None:
    classifier = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])
    manager = manager_of(classifier)
    low, normal, high = 1, 2, 4
    bp, ct, hr = (partial(manager.add_literal, feature) for feature in range(3))
    both, either = manager.add_and, manager.add_or
    class_2 = both(
        [
            either([hr(normal | high), both([ct(2), bp(high)])]),
            either([bp(low | high), hr(low)]),
        ]
    )
    not_0 = both(
        [
            either([bp(normal | high), hr(normal | high)]),
            either([bp(low | high), both([either([ct(1), hr(normal | high)]), either([ct(2), hr(high)])])]),
            either([bp(low | normal), ct(2), hr(normal | high)]),
        ]
    )
    formula = PaperCompiler(classifier).class_formula(2, manager)
    assert models(manager, formula, classifier) == models(manager, class_2, classifier)
    negated = PaperCompiler(classifier).negated_formula(0, manager)
    assert models(manager, negated, classifier) == models(manager, not_0, classifier)
    counts = [
        model_count(manager, PaperCompiler(classifier).class_formula(index, manager)) for index in range(3)
    ]
    assert counts == [6, 3, 9]
    assert_right(classifier)


YES_NO = ("0", "1")


def network(tables: dict[str, tuple[list[str], list[str]]]) -> BayesianNetwork:
    """Return a network of binary variables from ``child: (parents, P(child=1 | each parent instance))``."""
    variables = {name: Variable(name, YES_NO) for name in tables}
    cpts = []
    for name, (parents, ones) in tables.items():
        entries = [entry for one in ones for entry in (1 - Fraction(one), Fraction(one))]
        cpts.append(CPT(variables[name], [variables[parent] for parent in parents], entries))
    return BayesianNetwork(variables.values(), cpts)


@pytest.mark.parametrize("ties", ["lowest", "none"])
@pytest.mark.parametrize("threshold", [None, "1/2", "1/3"])
def test_ties_everywhere(ties: str, threshold: str | None) -> None:
    """No feature says anything about the target, whose states are equally likely."""
    net = network(
        {
            "Y": ([], ["1/2"]),
            "H": (["Y"], ["1/3", "1/3"]),
            **{f"X{i}": (["H"], ["1/5", "3/10"]) for i in range(4)},
        }
    )
    cut = None if threshold is None else Fraction(threshold)
    compiler = assert_right(Classifier(net, "Y", threshold=cut, ties=ties))  # type: ignore[arg-type]
    assert (compiler.stats.exact_rows > 0) == (threshold != "1/3")


@pytest.mark.parametrize("ties", ["lowest", "none"])
def test_impossible_completions_differ_from_the_rest(ties: str) -> None:
    """B settles the class, but C and D repeat H, so that completions where they differ are impossible."""
    net = network(
        {
            "Y": ([], ["1/2"]),
            "B": (["Y"], ["1/10", "9/10"]),
            "H": (["Y"], ["4/10", "6/10"]),
            "C": (["H"], ["0", "1"]),
            "D": (["H"], ["0", "1"]),
        }
    )
    classifier = Classifier(net, "Y", ["B", "C", "D"], ties=ties)  # type: ignore[arg-type]
    compiler = assert_right(classifier)
    assert any(compiler.stats.decided)
    assert classifier.count_impossible() == 4


def test_the_shape_of_the_network_does_not_matter() -> None:
    """A feature above the target, one disconnected from it, and one that is the target's only neighbour."""
    tables = {
        "P": ([], ["3/10"]),
        "Y": (["P"], ["1/4", "7/10"]),
        "X": (["Y"], ["1/5", "4/5"]),
        "Z": ([], ["1/2"]),
    }
    for features in (["P"], ["X"], ["Z"], ["P", "X", "Z"], ["Z", "X"]):
        assert_right(Classifier(network(tables), "Y", features))
        assert_right(Classifier(network(tables), "Y", features, ties="none"))
    manager = manager_of(Classifier(network(tables), "Y", ["Z"]))
    assert PaperCompiler(Classifier(network(tables), "Y", ["Z"])).class_formula(1, manager) == FALSE
    assert PaperCompiler(Classifier(network(tables), "Y", ["Z"])).negated_formula(1, manager) == TRUE


@pytest.mark.parametrize("digits", [90, 200, 400], ids=["product", "small entry", "entry not in float64"])
def test_numbers_that_float64_loses(digits: int) -> None:
    """One feature at 1 rules H=0 out, all others at 0 make H=1 too unlikely for float64: not impossible."""
    tiny = Fraction(1, 10**digits)
    y, h, *leaves = (Variable(name, YES_NO) for name in ("Y", "H", "X1", "X2", "X3", "X4", "X5"))
    cpts = [
        CPT(y, [], [Fraction(1, 2)] * 2),
        CPT(h, [y], [Fraction(quarters, 4) for quarters in (3, 1, 2, 2)]),
        *(CPT(x, [h], [Fraction(1), Fraction(0), tiny, 1 - tiny]) for x in leaves),
    ]
    classifier = Classifier(BayesianNetwork([y, h, *leaves], cpts), "Y")
    assert classifier.predict({x.name: "1" if x.name == "X3" else "0" for x in leaves}) == "1"
    assert assert_right(classifier).stats.exact_rows > 0


def test_a_tiny_threshold() -> None:
    net = network({"Y": ([], ["1/2"]), "X": (["Y"], ["0", "1/2"]), "Z": (["Y"], ["1/3", "1/2"])})
    assert_right(Classifier(net, "Y", threshold=Fraction(1, 10**400)))


def test_check_can_stop_it() -> None:
    classifier = Classifier(example("running"), "A", ["D", "E", "F"])

    def stop() -> None:
        raise LimitExceeded("enough")

    with pytest.raises(LimitExceeded, match="enough"), ending(stop):
        PaperCompiler(classifier).class_formula(0, manager_of(classifier))


def test_a_foreign_domain_is_refused() -> None:
    classifier = Classifier(example("running"), "A", ["D", "E", "F"])
    with pytest.raises(LogicError, match="features, in order"):
        PaperCompiler(classifier).class_formula(0, Manager(Domain({"D": YES_NO})))


def test_a_table_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bnc2d.compile.paper.spine._MAX_ENTRIES", 3)
    classifier = Classifier(example("running"), "A", ["D", "E", "F"])
    with pytest.raises(LimitExceeded, match="needs a table of"):
        PaperCompiler(classifier).class_formula(0, manager_of(classifier))
