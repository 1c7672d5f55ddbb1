from __future__ import annotations

import gc
import random
import subprocess
from pathlib import Path
from time import monotonic

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d.base import budget
from bnc2d.base.budget import resident_bytes
from bnc2d.errors import ArgumentError, LimitExceeded, LogicError, UnknownNameError
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.circuit.queries import is_and_decomposable
from bnc2d.logic.circuit.transforms import negate
from bnc2d.logic.convert import sdd, sdd_worker
from bnc2d.logic.convert.sat import is_deterministic
from bnc2d.logic.convert.sdd import to_sdd
from bnc2d.logic.domain import Domain
from bnc2d.logic.nnf import NNF
from tests.cases import cases
from tests.logic.strategies import Circuit, circuits, models


def states_of(form_node: object, names: int) -> set[tuple[int, ...]]:
    """Return the models of a pysdd node as tuples of bits, by pysdd's own enumeration."""
    found = form_node.models()  # type: ignore[attr-defined]
    return {tuple(model.get(variable, -1) for variable in range(1, names + 1)) for model in found}


@given(circuits(), st.booleans())
def test_there_and_back(circuit: Circuit, minimize: bool) -> None:
    manager, root = circuit
    expected = models(manager, root)
    form = to_sdd(manager, root, minimize=minimize)
    event(f"size {'0' if form.size == 0 else '> 0'}")
    assert form.count() == len(expected)
    back = form.to_nnf(manager)
    assert models(manager, back) == expected
    assert is_deterministic(manager, back)
    assert minimize or is_and_decomposable(manager, back)
    elsewhere = Manager(manager.domain)
    assert models(elsewhere, form.to_nnf(elsewhere)) == expected


@given(circuits(max_features=3, max_states=3))
def test_models_of_the_sdd_are_one_hot_codes(circuit: Circuit) -> None:
    manager, root = circuit
    sizes = manager.domain.cardinalities
    form = to_sdd(manager, root)
    codes = {
        tuple(int(state == s) for size, state in zip(sizes, positions, strict=True) for s in range(size))
        for positions in models(manager, root)
    }
    assert form.node.is_false() if not codes else states_of(form.node, sum(sizes)) == codes


@given(circuits(), st.randoms(use_true_random=False))
def test_equal_functions_are_equal_nodes_in_one_manager(circuit: Circuit, rng: random.Random) -> None:
    manager, root = circuit
    form = to_sdd(manager, root)
    terms = manager.add_or(
        manager.add_and(manager.add_literal(f, 1 << state) for f, state in enumerate(positions))
        for positions in models(manager, root)
    )
    again = to_sdd(manager, terms, like=form)
    assert again.manager is form.manager
    assert again.node == form.node
    assert form.equivalent(again)
    complement = to_sdd(manager, negate(manager, root), like=form)
    assert complement.node != form.node
    assert complement.count() + form.count() == manager.domain.instance_count
    # The same in another manager with another vtree.
    order = list(manager.domain.names)
    rng.shuffle(order)
    shuffled = to_sdd(manager, terms, order=order)
    assert form.equivalent(shuffled)
    assert shuffled.equivalent(form)
    assert not shuffled.equivalent(complement)


@settings(max_examples=cases(6, 15))
@given(circuits(), st.booleans())
def test_with_a_time_limit_the_result_is_the_same(circuit: Circuit, minimize: bool) -> None:
    manager, root = circuit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sdd, "_FEW_OPERATIONS", 0)  # all of it in a process of its own
        form = to_sdd(manager, root, time_limit=60, minimize=minimize)
        assert form.count() == len(models(manager, root))
        assert form.equivalent(to_sdd(manager, root))
        assert models(manager, form.to_nnf(manager)) == models(manager, root)
        assert to_sdd(manager, root, time_limit=60, like=form).node == form.node
    assert to_sdd(manager, root, time_limit=60, like=form).node == form.node


def test_little_work_starts_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = Manager(Domain({f"F{i}": ["0", "1"] for i in range(8)}))
    root = exactly(manager, 3)

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(subprocess, "Popen", refused)
    assert to_sdd(manager, root, time_limit=60).count() == 56
    for name in ("_FEW_STATES", "_FEW_INSTANCES", "_FEW_OPERATIONS"):
        with monkeypatch.context() as patch:
            patch.setattr(sdd, name, 15)
            with pytest.raises(AssertionError, match="a process was started"):
                to_sdd(manager, root, time_limit=60)
    for limit, minimize in ((60.0, True), (0.5, False)):
        with pytest.raises(AssertionError, match="a process was started"):
            to_sdd(manager, root, time_limit=limit, minimize=minimize)


@pytest.mark.parametrize("time_limit", [None, 60])
def test_constants_and_single_literals(time_limit: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sdd, "_FEW_OPERATIONS", 0)
    manager = Manager(Domain({"one": ["only"], "A": list("abc"), "B": list("pq")}))
    roots = [FALSE, TRUE, manager.add_literal(2, 1), manager.add_literal(1, 0b101)]
    assert manager.add_literal(0, 1) == TRUE
    for root in roots:
        form = to_sdd(manager, root, time_limit=time_limit)
        assert form.count() == len(models(manager, root))
        assert form.to_nnf(manager) == root


def test_a_domain_of_one_single_state_feature() -> None:
    manager = Manager(Domain({"one": ["only"]}))
    assert (to_sdd(manager, TRUE).count(), to_sdd(manager, FALSE).count()) == (1, 0)
    with pytest.raises(LogicError, match="at least one feature"):
        to_sdd(Manager(Domain({})), TRUE)


def exactly(manager: Manager, wanted: int) -> NodeId:
    """Return "``wanted`` features have their first state", as a decision diagram."""
    rows = [TRUE if count == wanted else FALSE for count in range(wanted + 2)]
    for feature in reversed(range(len(manager.domain))):
        first = manager.add_literal(feature, 1)
        rest = manager.add_literal(feature, manager.domain.full(feature) & ~1)
        rows = [
            manager.add_or([manager.add_and([first, up]), manager.add_and([rest, same])])
            for same, up in zip(rows, [*rows[1:], FALSE], strict=True)
        ]
    return rows[0]


def test_counts_beyond_64_variables() -> None:
    manager = Manager(Domain({f"F{i}": list("abc") for i in range(40)}))
    assert to_sdd(manager, TRUE).count() == 3**40
    assert to_sdd(manager, manager.add_literal(7, 0b011)).count() == 2 * 3**39
    form = to_sdd(manager, exactly(manager, 2))
    assert form.count() == 40 * 39 // 2 * 2**38
    assert to_sdd(manager, negate(manager, exactly(manager, 2)), like=form).count() == 3**40 - form.count()


def test_order_and_misuse() -> None:
    manager = Manager(Domain({"A": list("ab"), "B": list("ab"), "C": list("ab")}))
    root = manager.add_and([manager.add_literal(2, 1), manager.add_literal(0, 2)])
    form = to_sdd(manager, root, order=["B"])
    assert list(form.manager.var_order())[:2] == [3, 4]
    with pytest.raises(UnknownNameError):
        to_sdd(manager, root, order=["Z"])
    with pytest.raises(LogicError, match="twice"):
        to_sdd(manager, root, order=["A", "A"])
    with pytest.raises(LogicError, match="like="):
        to_sdd(manager, root, like=form, minimize=True)
    other = Manager(Domain({"A": list("ab")}))
    with pytest.raises(LogicError, match="domain"):
        form.to_nnf(other)
    with pytest.raises(LogicError, match="domain"):
        form.equivalent(to_sdd(other, TRUE))
    assert "SddForm of size" in repr(form)


def test_the_form_outlives_what_made_it() -> None:
    manager = Manager(Domain({f"F{i}": list("abc") for i in range(6)}))
    node = to_sdd(manager, exactly(manager, 3), minimize=True).node
    gc.collect()
    assert node.size() > 0
    assert node.manager.var_count() == 18


def test_garbage_on_the_way_is_collected(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = Manager(Domain({f"F{i}": list("abc") for i in range(12)}))
    root = manager.add_or(
        [exactly(manager, 4), manager.add_and([exactly(manager, 6), manager.add_literal(3, 6)])]
    )
    kept = to_sdd(manager, root)
    monkeypatch.setattr(sdd_worker, "_DEAD_NODES", 20)
    tidy = to_sdd(manager, root)
    assert (tidy.size, tidy.count()) == (kept.size, kept.count())
    assert tidy.manager.dead_count() < kept.manager.dead_count()
    assert tidy.equivalent(kept)


def test_a_worker_that_fails_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    manager = Manager(Domain({"A": list("ab")}))
    worker = tmp_path / "worker.py"
    monkeypatch.setattr(sdd_worker, "__file__", str(worker))
    monkeypatch.setattr(sdd, "_FEW_OPERATIONS", 0)
    worker.write_text("raise ImportError('no pysdd here')", "utf-8")
    with pytest.raises(LogicError, match="no pysdd here"):
        to_sdd(manager, TRUE, time_limit=60)
    worker.write_text("import os; os.kill(os.getpid(), 9)", "utf-8")
    with pytest.raises(LimitExceeded, match="signal 9"):
        to_sdd(manager, TRUE, time_limit=60)


def test_deep_chains_and_wide_gates() -> None:
    manager = Manager(Domain({f"F{i}": ["0", "1"] for i in range(5)}))
    root = manager.add_literal(0, 2)
    for step in range(1, 3_000):
        literal = manager.add_literal(step % 5, 1 + step // 5 % 2)
        add = manager.add_and if step % 3 else manager.add_or
        root = add([root, literal, manager.add_and([root, manager.add_literal((step + 3) % 5, 1)])])
    assert len(manager.reachable(root)) > 3_000
    assert to_sdd(manager, root).count() == len(models(manager, root))


def hard_clauses() -> tuple[Manager, int]:
    """Return clauses whose SDD takes minutes and gibibytes."""
    rng = random.Random(0)  # noqa: S311
    manager = Manager(Domain({f"F{i}": ["0", "1"] for i in range(60)}))
    root = manager.add_and(
        manager.add_or(manager.add_literal(f, rng.choice((1, 2))) for f in rng.sample(range(60), 3))
        for _ in range(120)
    )
    return manager, root


@pytest.mark.skipif(resident_bytes() == 0, reason="the system does not tell")
def test_memory_limits_end_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    manager, root = hard_clauses()
    for time_limit in (None, 60):
        with pytest.raises(
            LimitExceeded, match=r"the SDD needs more memory than the limit of 32\.0 MiB; raise"
        ):
            to_sdd(manager, root, time_limit=time_limit, memory_limit=2**25)
    few = exactly(manager, 2)
    assert to_sdd(manager, few, memory_limit=2**40).count() == 60 * 59 // 2
    monkeypatch.setattr(budget, "default_memory", lambda: 2**25)
    assert to_sdd(manager, few).count() == 60 * 59 // 2  # without a limit nobody looks
    with pytest.raises(LimitExceeded, match=r"more memory than the limit of 32\.0 MiB"):
        to_sdd(manager, root, time_limit=60)
    with pytest.raises(ArgumentError, match="memory_limit"):
        to_sdd(manager, few, memory_limit=-1)


def test_time_limits_end_the_work() -> None:
    manager, root = hard_clauses()
    start = monotonic()
    with pytest.raises(LimitExceeded, match=r"time limit of 0\.5 s"):
        to_sdd(manager, root, time_limit=0.5)
    with pytest.raises(LimitExceeded):
        to_sdd(manager, root, time_limit=0)
    assert monotonic() - start < 5


@pytest.mark.parametrize("time_limit", [None, 60.0])
def test_features_of_hundreds_of_states(time_limit: float | None) -> None:
    """pysdd's recursion over their variables ended the whole process before it had a stack of its own."""
    rng = random.Random(1)  # noqa: S311 - reproducible test data
    manager = Manager(Domain({"X": [str(state) for state in range(256)]}))
    nodes = [manager.add_literal(0, rng.getrandbits(256) or 1) for _ in range(10)]
    for _ in range(400):
        add = manager.add_and if rng.random() < 0.5 else manager.add_or
        nodes.append(add(rng.sample(nodes[-40:], 3)))
    formula = NNF(manager, nodes[-1])
    assert formula.to_sdd(time_limit=time_limit).count() == formula.model_count()


def test_errors_under_a_deep_stack_are_the_callers() -> None:
    def fail() -> None:
        raise ValueError("deep down")

    with pytest.raises(ValueError, match="deep down"):
        sdd_worker.deeply(fail)
    assert sdd_worker.deeply(lambda: 3) == 3
