"""Every method of a diagram against the list of all instances."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import islice, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import bnc2d
from bnc2d import Bnc2dError, Diagram, Domain, LogicError, Manager
from bnc2d.logic.diagram import counting
from bnc2d.logic.diagram.diagram import DiagramBuilder
from bnc2d.logic.diagram.nearest import nearest
from bnc2d.logic.diagram.walks import label_pairs, path_to, tell_apart
from tests.cases import cases
from tests.logic.diagram.strategies import Case, all_rows, diagram_of, domain_of, labelled_diagrams


def of_terminal(case: Case, terminal: int) -> list[dict[str, str]]:
    """The instances of a terminal as words over the diagram's order of features, by enumeration."""
    diagram, sizes, labels = case
    rows = all_rows(sizes)[labels == terminal].tolist()
    rows.sort(key=lambda row: [row[feature] for feature in diagram.order])
    return [diagram.domain.decode(row) for row in rows]


@given(labelled_diagrams())
def test_evaluation(case: Case) -> None:
    diagram, sizes, labels = case
    rows = all_rows(sizes)
    assert diagram.labels(rows).tolist() == labels.tolist()
    assert diagram.evaluate(rows).tolist() == labels.tolist()
    instances = [diagram.domain.decode(row) for row in rows.tolist()]
    assert diagram.evaluate(instances).tolist() == labels.tolist()
    assert [diagram.evaluate(instance) for instance in instances[:5]] == labels[:5].tolist()
    assert diagram.evaluate(rows[-1]) == diagram.evaluate(pd.Series(instances[-1])) == labels[-1]


@given(labelled_diagrams())
def test_counts_and_shares(case: Case) -> None:
    diagram, _, labels = case
    expected = np.bincount(labels, minlength=diagram.terminals).tolist()
    assert diagram.counts() == expected
    assert [diagram.count(terminal) for terminal in range(diagram.terminals)] == expected
    assert diagram.shares() == [Fraction(count, len(labels)) for count in expected]
    assert sum(diagram.shares()) == 1
    reach = counting.ways(diagram, range(0, diagram.terminals, 2))
    assert reach[diagram.root] == sum(expected[::2])


@given(labelled_diagrams(), st.sampled_from([0, 3, None]))
def test_instances_come_in_order(case: Case, limit: int | None) -> None:
    for terminal in range(case[0].terminals):
        expected = of_terminal(case, terminal)
        assert list(case[0].instances(terminal, limit)) == list(islice(expected, limit))
        event(f"more than a batch: {len(expected) > counting._ROWS_AT_ONCE}")


@given(labelled_diagrams(), st.integers(0, 10))
def test_draws_are_instances_of_the_terminal(case: Case, seed: int) -> None:
    diagram = case[0]
    for terminal, count in enumerate(diagram.counts()):
        if not count:
            with pytest.raises(LogicError, match=f"no instance leads to terminal {terminal}"):
                diagram.sample(terminal, seed)
            continue
        drawn = diagram.sample(terminal, seed, 300)
        assert set(diagram.evaluate(drawn).tolist()) == {terminal}
        assert drawn[:1] == diagram.sample(terminal, seed)
        event(f"all drawn: {len({tuple(one.values()) for one in drawn}) == count}")


def test_draws_are_uniform() -> None:
    labels = np.array([0, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0])
    diagram = diagram_of(labels, [2, 3, 2], 2, [2, 0, 1])
    drawn = Counter(tuple(one.values()) for one in diagram.sample(1, 5, 6000))
    assert len(drawn) == 6
    assert all(880 < times < 1120 for times in drawn.values())  # four standard deviations


def test_numbers_beyond_machine_integers() -> None:
    """Parity of 80 features: 2^79 instances on either side."""
    domain = domain_of([2] * 80)
    builder = DiagramBuilder(2)
    nodes = np.array([0, 1])
    for _ in range(80):
        nodes = builder.add_level(np.array([[nodes[0], nodes[1]], [nodes[1], nodes[0]]]))
    # The other root's nodes are reached from this one but for its own level.
    diagram = DiagramBuilder(2, [*builder._levels[:-1], builder._levels[-1][:1]]).finish(
        domain, range(80), int(nodes[0])
    )
    diagram.assert_consistent()
    assert diagram.counts() == [2**79, 2**79]
    some = list(diagram.instances(1, limit=300))
    assert some == sorted(some, key=lambda one: list(one.values()))
    assert all(sum(map(int, one.values())) % 2 for one in some)
    assert all(sum(map(int, one.values())) % 2 for one in diagram.sample(1, size=40))


@given(labelled_diagrams(), st.booleans(), st.booleans())
def test_circuits_and_two_terminals(case: Case, negated: bool, shared: bool) -> None:
    diagram, sizes, labels = case
    manager = Manager(diagram.domain) if shared else None
    for terminal in range(diagram.terminals):
        expected = ((labels == terminal) != negated).tolist()
        one = diagram.two_terminal(terminal, negated)
        one.assert_consistent()
        assert one.labels(all_rows(sizes)).astype(bool).tolist() == expected
        circuit = diagram.to_nnf(terminal, negated, manager)
        assert circuit.evaluate(all_rows(sizes)).tolist() == expected
        assert circuit.is_or_decomposable()
        assert not shared or circuit.manager is manager


@given(labelled_diagrams(), st.data())
def test_a_larger_domain(case: Case, data: st.DataObject) -> None:
    diagram, sizes, labels = case
    others = data.draw(st.integers(0, 2))
    places = data.draw(st.permutations(range(len(sizes) + others)))
    wide = [2] * len(places)
    for feature, size in enumerate(sizes):
        wide[places[feature]] = size
    wider = diagram.over(domain_of(wide), places[: len(sizes)])
    wider.assert_consistent()
    rows = all_rows(sizes)
    spread = np.zeros((len(rows), len(wide)), dtype=np.intp)
    spread[:, places[: len(sizes)]] = rows
    assert wider.labels(spread).tolist() == labels.tolist()
    assert sum(wider.counts()) == wider.domain.instance_count


@given(labelled_diagrams())
def test_features_are_those_that_matter(case: Case) -> None:
    diagram, sizes, labels = case
    values = labels.reshape(sizes)
    moved = [np.moveaxis(values, feature, 0) for feature in range(len(sizes))]
    expected = [f"x{feature}" for feature, value in enumerate(moved) if (value != value[:1]).any()]
    assert list(diagram.features) == expected
    assert sum(len(level.table) for level in diagram.walk) == diagram.node_count
    firsts = [level.first for level in diagram.walk]
    assert firsts == sorted(firsts, reverse=True)


@given(labelled_diagrams(), st.data())
@settings(max_examples=cases(33, 200))
def test_nearest(case: Case, data: st.DataObject) -> None:
    diagram, sizes, labels = case
    rows = all_rows(sizes)
    row = rows[data.draw(st.integers(0, len(rows) - 1))]
    price = data.draw(st.sampled_from([st.integers(0, 2**62), st.integers(1000, 1050), st.integers(0, 3)]))
    prices = data.draw(st.lists(price, min_size=len(sizes), max_size=len(sizes)))
    wanted = {data.draw(st.integers(0, diagram.terminals - 1))}
    fixed = data.draw(st.sets(st.integers(0, len(sizes) - 1), max_size=2))
    costs = [
        sum(price for price, a, b in zip(prices, row.tolist(), other, strict=True) if a != b)
        for other, label in zip(rows.tolist(), labels.tolist(), strict=True)
        if label in wanted and all(row[feature] == other[feature] for feature in fixed)
    ]
    found = nearest(diagram, row.tolist(), wanted, fixed, prices)
    event(f"found: {found is not None}")
    ones = [1] * len(sizes)
    assert nearest(diagram, row.tolist(), wanted, fixed) == nearest(
        diagram, row.tolist(), wanted, fixed, ones
    )
    if found is None:
        assert not costs
    else:
        assert diagram.labels(np.array([found]))[0] in wanted
        assert all(row[feature] == found[feature] for feature in fixed)
        paid = sum(price for price, a, b in zip(prices, row.tolist(), found, strict=True) if a != b)
        assert paid == min(costs)


@given(labelled_diagrams(), st.data())
def test_paths_and_pairs(case: Case, data: st.DataObject) -> None:
    diagram, sizes, labels = case
    one, other = (data.draw(st.integers(0, diagram.size - 1)) for _ in range(2))
    start = [0] * len(sizes)
    for feature, state in path_to(diagram, one).items():
        start[feature] = state
    if one >= diagram.terminals or one in labels:
        assert diagram.labels(np.array([start]))[0] == replace(diagram, root=one).labels(np.array([start]))[0]
    values = [replace(diagram, root=node).labels(all_rows(sizes)).tolist() for node in (one, other)]
    assert (one == other) == (values[0] == values[1])
    if one != other:
        row = [0] * len(sizes)
        for feature, state in tell_apart(diagram, one, other).items():
            row[feature] = state
        ends = [replace(diagram, root=node).labels(np.array([row]))[0] for node in (one, other)]
        assert ends[0] != ends[1]
    found = label_pairs(diagram, np.array([[one, other]]), [len(labels)])
    pairs = Counter((a, b) for a, b in zip(*values, strict=True) if a != b)
    assert {pair: reached.weight for pair, reached in found.items()} == dict(pairs)


def broken(diagram: Diagram, level: int, change: Callable[[Any], object]) -> Diagram:
    """The diagram with one table changed."""
    tables: list[Any] = [table.copy() for table in diagram.levels]
    changed = change(tables[level])
    tables[level] = tables[level] if changed is None else changed
    return replace(diagram, levels=tuple(tables))


def test_every_flaw_is_named() -> None:
    labels = np.array([0, 1, 1, 0, 2, 1, 0, 0])
    diagram = diagram_of(labels, [2, 2, 2], 3, [0, 1, 2])
    assert [len(table) for table in diagram.levels] == [1, 2, 3]
    assert diagram.flaw() is None

    def set_to(place: Any, value: object) -> Callable[[Any], None]:
        return lambda table: table.__setitem__(place, value)

    cases = {
        "no permutation": replace(diagram, order=(0, 1, 1)),
        "no permutation of": replace(diagram, levels=diagram.levels[:2]),
        "no such root": replace(diagram, root=9),
        "no such roo": replace(diagram, root=-1),
        "table of 'x2' does not fit": broken(diagram, 2, lambda table: table[:, [0, 1, 1]]),
        "table of 'x1' does not fit": broken(diagram, 1, lambda table: table.astype(np.int32)),
        "an edge of 'x1' leads to no later node": broken(diagram, 1, set_to((0, 0), 7)),
        "an edge of 'x2' leads to no later node": broken(diagram, 2, set_to((0, 0), -1)),
        "a node of 'x0' leads to one child only": broken(diagram, 0, set_to(0, [6, 6])),
        "two nodes of 'x2' are equal": broken(diagram, 2, lambda table: table[[0, 1, 1]]),
        "a node is not reached": replace(diagram, root=7),
    }
    for words, other in cases.items():
        assert words in (other.flaw() or "")
        with pytest.raises(AssertionError, match=words):
            other.assert_consistent()


def test_foreign_arguments_are_named() -> None:
    diagram: Any = diagram_of(np.array([0, 1, 1, 0]), [2, 2], 2, [0, 1])
    acts: tuple[Callable[[], object], ...] = (
        lambda: diagram.count(2),
        lambda: diagram.count("0"),
        lambda: diagram.instances(-1),
        lambda: diagram.instances(0, limit=-1),
        lambda: diagram.sample(0, seed="x"),
        lambda: diagram.sample(0, size=-1),
        lambda: diagram.two_terminal(5),
        lambda: diagram.two_terminal(0, "no"),
        lambda: diagram.to_nnf(0, manager="x"),
        lambda: diagram.to_nnf(0, manager=Manager(Domain({"A": ("0", "1")}))),
        lambda: diagram.evaluate({"x0": "0"}),
        lambda: diagram.evaluate(np.zeros((1, 3), dtype=int)),
        lambda: diagram.evaluate(np.array([[0, 2]])),
        lambda: diagram.evaluate(3),
    )
    for act in acts:
        with pytest.raises(Bnc2dError):
            act()


def test_the_diagram_of_a_model() -> None:
    model = bnc2d.Classifier(bnc2d.example("diagnosis"), "D").compile()
    diagram = model.diagram
    assert isinstance(diagram, bnc2d.Diagram)
    assert repr(diagram) == "<Diagram of 3 features: 6 nodes, 3 terminals>"
    assert diagram.features == model.mentioned_features == ("BP", "CT", "HR")
    assert diagram.counts() == [6, 3, 9]
    assert sorted(tuple(one.values()) for one in diagram.instances(1)) == [
        ("Normal", "0", "High"),
        ("Normal", "1", "High"),
        ("Normal", "1", "Normal"),
    ]
    for states in product(*diagram.domain.states):
        instance = dict(zip(diagram.domain.names, states, strict=True))
        assert model.classes[diagram.evaluate(instance)] == model.predict(instance)
    assert diagram.to_nnf(2).equivalent(model.formula("2").copy_to(Manager(model.domain)))
