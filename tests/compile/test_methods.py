"""Every method gives the same model in its own form: decisions, counts, files, verification."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import numpy as np
import pytest
from hypothesis import event, given, settings

import bnc2d
from bnc2d import NNF, Classifier, ClassifierError, CompiledModel, Domain, Manager, example
from bnc2d.base.readers.choices import METHODS, Method
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.graph.feature_tree import build_feature_tree
from bnc2d.compile.graph.jointree import build_jointree
from bnc2d.compile.graph.pruning import prepare, target_part
from bnc2d.compile.paper.compile_negative import PaperCompiler
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.diagram.from_circuits import diagram_of_classes
from bnc2d.testing import random_classifier, random_naive_bayes
from tests.brute_force.decisions import decisions
from tests.cases import cases
from tests.strategies import classifiers


def by_paper(classifier: Classifier) -> CompiledModel:
    model: CompiledModel = classifier.compile(method="paper")
    return model


@given(classifiers())
@settings(max_examples=cases(28, 150))
def test_the_papers_method_decides_every_instance(classifier: Classifier) -> None:
    model = by_paper(classifier)
    expected = np.array(list(decisions(classifier).values()), dtype=object)
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    assert model.predict(rows).tolist() == expected.tolist()
    model.diagram.assert_consistent()
    part = target_part(classifier)
    position = [classifier.features.index(name) for name in part.classifier.features]
    scratch = Manager(Domain({v.name: v.states for v in part.classifier.feature_variables}))

    def moved(root: int) -> int:
        return rewrite(
            scratch, root, lambda f, mask: model.manager.add_literal(position[f], mask), into=model.manager
        )

    for label, name in enumerate(model.classes):
        formula, negated = model.formula(name), model.formula(name, negated=True)
        assert (formula.evaluate(rows) == (expected == name)).all()
        assert (negated.evaluate(rows) != (expected == name)).all()
        assert model.count(name) == (expected == name).sum()
        if not part.zero_tables:  # These are the circuits of the paper, node by node.
            assert formula.root == moved(PaperCompiler(part.classifier).class_formula(label, scratch))
            assert negated.root == moved(PaperCompiler(part.classifier).negated_formula(label, scratch))
    event(f"as the paper's: {not part.zero_tables}")
    event(f"threshold: {classifier.threshold is not None}, ties: {classifier.ties}")


def test_the_two_forms_differ() -> None:
    fast, paper = (Classifier(example("diagnosis"), "D").compile(method=name) for name in ("fast", "paper"))
    assert (fast.stats.method, paper.stats.method) == ("fast", "paper")
    assert [fast.formula(name).node_count for name in fast.classes] != [
        paper.formula(name).node_count for name in fast.classes
    ]


def test_stats_of_the_papers_method() -> None:
    classifier = Classifier(example("diagnosis"), "D")
    stats = by_paper(classifier).stats
    prepared = prepare(classifier)
    jointree = build_jointree(prepared.network, 0)
    widths = build_feature_tree(jointree, prepared.target, prepared.features).widths(jointree.width)
    assert (stats.omega, stats.omega_right, stats.omega_left, stats.omega_total) == (
        widths.omega,
        widths.omega_right,
        widths.omega_left,
        widths.omega_total,
    )
    assert stats.omega_total > 0
    assert list(stats.seconds) == ["order", "tables", "formulas", "negations", "diagram"]
    assert stats.cells
    assert stats.diagram_nodes > 0


def test_progress_of_the_papers_method_is_the_share_of_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bnc2d.compile.paper.compile_negative._ENTRIES_AT_ONCE", 64)
    seen: dict[str, list[float]] = {}
    classifier = Classifier(random_naive_bayes(1, 8), "Y")
    classifier.compile(method="paper", progress=lambda phase, done: seen.setdefault(phase, []).append(done))
    assert list(seen) == ["order", "tables", "formulas", "negations", "diagram"]
    for shares in seen.values():
        assert shares == sorted(shares)
        assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(set(seen["formulas"])) > 4


def test_an_unknown_method_is_refused_with_the_list() -> None:
    known = "'fast', 'paper', 'block-order', 'enumerate'"
    with pytest.raises(ClassifierError, match=f"unknown method 'slow'; the methods are {known}"):
        random_classifier(1).compile(method="slow")  # type: ignore[arg-type]
    with pytest.raises(ClassifierError, match="'paper' decides close calls exactly"):
        random_classifier(1).compile(method="paper", arithmetic="float")
    with ThreadPoolExecutor(1) as executor, pytest.raises(ClassifierError, match="leave executor=None"):
        random_classifier(1).compile(method="paper", executor=executor)


@given(classifiers())
@settings(max_examples=cases(16, 30))
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, classifier: Classifier) -> None:
    path = tmp_path_factory.mktemp("methods") / "model.bnc2d"
    model = by_paper(classifier)
    model.save(path)
    loaded = bnc2d.load(path)
    assert loaded.stats.of_any_run() == model.stats.of_any_run()
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    assert loaded.predict(rows).tolist() == model.predict(rows).tolist()
    for name in model.classes:
        for negated in (False, True):
            copy = loaded.formula(name, negated).copy_to(model.manager)
            assert copy == model.formula(name, negated)
        assert loaded.count(name) == model.count(name)
    before = path.read_bytes()
    loaded.save(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(("method", "other"), [("fast", "paper"), ("paper", "fast"), ("enumerate", "paper")])
def test_verification_uses_the_other_method(method: Method, other: str, tmp_path: Path) -> None:
    classifier = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"])
    classifier.compile(method=method).save(tmp_path / "model.bnc2d")
    model = bnc2d.load(tmp_path / "model.bnc2d")
    report = model.verify()
    assert report
    assert f"the method '{other}' agrees on 3 classes" in str(report)
    model.formulas[2, False] = NNF.literal(model.manager, "BP", "High")
    failed = {check.name: check for check in model.verify().checks if not check.passed}
    assert f"the method '{other}' disagrees on class 2" in failed["second method"].detail
    assert failed["second method"].witness is not None


@given(classifiers())
@settings(max_examples=10)
def test_random_models_of_the_papers_method_verify(classifier: Classifier) -> None:
    report = by_paper(classifier).verify()
    assert report, str(report)


def test_every_method_is_in_the_table() -> None:
    classifier = random_classifier(2, max_states=2)
    counts = {
        method: [classifier.compile(method=method).count(name) for name in classifier.classes]
        for method in METHODS
    }
    assert len(set(map(tuple, counts.values()))) == 1


def test_a_diagram_of_any_circuits() -> None:
    """Circuits that follow no order of features: parts of a partition, with instances left over."""
    rng = Random(4)  # noqa: S311 - reproducible test data
    domain = Domain({"A": ("0", "1"), "B": ("x", "y", "z"), "C": ("0", "1"), "D": ("0", "1", "2", "3")})
    rows = np.stack(np.unravel_index(np.arange(48), domain.cardinalities), axis=1)
    for _ in range(60):
        manager = Manager(domain)
        parts = []
        left = NNF.true(manager)
        for _ in range(3):
            part = _random_circuit(manager, rng, 3)
            parts.append(left & part)
            left = left & ~part
        shares: list[float] = []
        order = rng.sample(range(4), 4)
        diagram = diagram_of_classes(manager, [part.root for part in parts], 4, order, shares.append)
        diagram.assert_consistent()
        values = np.stack([part.evaluate(rows) for part in (*parts, left)])
        assert values.sum(axis=0).tolist() == [1] * len(rows)
        assert diagram.labels(rows).tolist() == values.argmax(axis=0).tolist()
        assert shares == sorted(shares)


def _random_circuit(manager: Manager, rng: Random, depth: int) -> NNF:
    if depth == 0:
        feature = rng.randrange(len(manager.domain))
        return NNF(manager, manager.add_literal(feature, rng.randrange(manager.domain.full(feature) + 1)))
    parts = [_random_circuit(manager, rng, depth - 1) for _ in range(2)]
    return NNF.all_of(parts) if rng.random() < 0.5 else NNF.any_of(parts)
