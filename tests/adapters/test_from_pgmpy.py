"""from_pgmpy against pgmpy's own inference, and what it refuses."""

from __future__ import annotations

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from pgmpy.factors.discrete import TabularCPD
from pgmpy.models import (
    DiscreteBayesianNetwork,
    DiscreteMarkovNetwork,
    DynamicBayesianNetwork,
    FunctionalBayesianNetwork,
    LinearGaussianBayesianNetwork,
    NaiveBayes,
)

from bnc2d.adapters.from_pgmpy import from_pgmpy
from bnc2d.api.classifier import Classifier
from bnc2d.errors import (
    Bnc2dError,
    NetworkError,
    NormalisationWarning,
    UnknownNameError,
    UnsupportedError,
)
from bnc2d.model.network import BayesianNetwork
from tests.adapters.pgmpy_models import random_learnt
from tests.adapters.random_frames import explained

with warnings.catch_warnings():  # its package imports its own deprecated modules
    warnings.filterwarnings("ignore", r"`pgmpy\.", FutureWarning)
    from pgmpy.inference import VariableElimination


def joint(net: BayesianNetwork) -> NDArray[np.float64]:
    """Return the joint distribution, one axis per variable in the order of the network."""
    operands: list[Any] = []
    for cpt in net.cpts:
        operands += [cpt.values, [net.index(variable) for variable in cpt.scope]]
    return np.asarray(np.einsum(*operands, list(range(len(net)))))


def random_model(seed: int) -> DiscreteBayesianNetwork:
    """Return a model with mixed cardinalities, nodes in no topological order and evidence in any order."""
    rng = np.random.default_rng(seed)
    size = 6
    nodes = [f"v{number}" for number in range(size)]
    cards = dict(zip(nodes, rng.integers(1, 5, size).tolist(), strict=True))
    states = {node: [f"s{state}" for state in rng.permutation(card)] for node, card in cards.items()}
    order = rng.permutation(nodes).tolist()
    model = DiscreteBayesianNetwork()
    model.add_nodes_from(nodes)
    for position in rng.permutation(size).tolist():
        child = order[position]
        parents = rng.permutation(order[:position])[: rng.integers(0, 4)].tolist()
        model.add_edges_from((parent, child) for parent in rng.permutation(parents).tolist())
        columns = int(np.prod([cards[parent] for parent in parents]))
        model.add_cpds(
            TabularCPD(
                child,
                cards[child],
                rng.dirichlet([1] * cards[child], columns).T,
                parents,
                [cards[parent] for parent in parents],
                state_names={node: states[node] for node in [child, *parents]},
            )
        )
    assert model.check_model()
    return model


@pytest.mark.filterwarnings("ignore::bnc2d.errors.NormalisationWarning")
@pytest.mark.parametrize("seed", range(12))
def test_same_joint_and_posteriors_as_pgmpy(seed: int) -> None:
    model = random_model(seed)
    net = from_pgmpy(model)
    assert net.names == tuple(model.nodes())
    assert set(net.edges) == set(model.edges())
    assert all(list(variable.states) == model.states[variable.name] for variable in net.variables)
    engine = VariableElimination(model)
    table = joint(net)
    theirs = engine.query(list(net.names), show_progress=False)
    assert all(theirs.state_names[variable.name] == list(variable.states) for variable in net.variables)
    axes = [theirs.variables.index(name) for name in net.names]
    assert np.allclose(np.transpose(theirs.values, axes), table, rtol=1e-9, atol=1e-15)
    given, asked = net.variables[seed % 6], net.names[(seed + 1) % 6]
    column = table.take(-1, axis=net.index(given.name))
    other = tuple(axis for axis in range(5) if axis != [n for n in net.names if n != given.name].index(asked))
    found = engine.query([asked], evidence={given.name: given.states[-1]}, show_progress=False)
    assert np.allclose(found.values, column.sum(axis=other) / column.sum(), rtol=1e-9)


def chain(**changes: Any) -> DiscreteBayesianNetwork:
    """Return A → C ← B with an asymmetric table of C, some of whose arguments may be replaced."""
    model = DiscreteBayesianNetwork([("A", "C"), ("B", "C")])
    arguments: dict[str, Any] = {
        "values": [[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]],
        "evidence": ["B", "A"],
        "evidence_card": [3, 2],
    }
    arguments.update(changes)
    model.add_cpds(
        TabularCPD("A", 2, [[0.25], [0.75]]),
        TabularCPD("B", 3, [[0.5], [0.3], [0.2]]),
        TabularCPD("C", 2, **arguments),
    )
    return model


def test_parents_and_entries_as_written() -> None:
    net = from_pgmpy(chain())
    assert net.names == ("A", "C", "B")
    assert net.parents("C") == ("B", "A")
    assert net.variable("B").states == ("0", "1", "2")
    assert net.cpt("C").exact[1, 0].tolist() == [Fraction(3, 10), Fraction(7, 10)]  # B=1, A=0
    assert net.cpt("C").exact[2, 1].tolist() == [Fraction(6, 10), Fraction(4, 10)]


def test_float32_entries_count_as_their_own_shortest_text() -> None:
    model = chain()
    for cpd in model.get_cpds():
        cpd.values = cpd.values.astype(np.float32)
    assert from_pgmpy(model) == from_pgmpy(chain())


def test_names_and_states_become_strings() -> None:
    model = DiscreteBayesianNetwork([(1, ("b", 2))])
    states: dict[Any, list[Any]] = {1: [False, True], ("b", 2): [np.int64(10), 2.5, "x"]}
    model.add_cpds(
        TabularCPD(1, 2, [[0.5], [0.5]], state_names={1: states[1]}),
        TabularCPD(("b", 2), 3, [[0.1, 0.2], [0.3, 0.5], [0.6, 0.3]], [1], [2], state_names=states),
    )
    net = from_pgmpy(model)
    assert net.names == ("1", "('b', 2)")
    assert [variable.states for variable in net.variables] == [("False", "True"), ("10", "2.5", "x")]


def test_states_keep_their_values() -> None:
    model = DiscreteBayesianNetwork([("Y", "N"), ("Y", "B"), ("Y", "T")])
    states: dict[str, list[Any]] = {
        "Y": [np.int64(3), np.int64(10)],
        "N": [np.float64(0.5), 2.0],
        "B": [np.False_, np.True_],
        "T": [(1, 2), None],
    }
    model.add_cpds(TabularCPD("Y", 2, [[0.5], [0.5]], state_names={"Y": states["Y"]}))
    for name in ("N", "B", "T"):
        names = {name: states[name], "Y": states["Y"]}
        model.add_cpds(TabularCPD(name, 2, [[0.9, 0.2], [0.1, 0.8]], ["Y"], [2], state_names=names))
    clf = Classifier(from_pgmpy(model), "Y", "all")
    rows = pd.DataFrame({"N": [0.5, 2.0], "B": [False, True], "T": pd.Series([(1, 2), None], dtype=object)})
    assert clf.predict(rows).tolist() == [3, 10]
    assert clf.predict(rows).dtype == np.int64
    assert (
        clf.predict({"N": 2.0, "B": True, "T": None}) == clf.predict({"N": "2.0", "B": 1, "T": "None"}) == 10
    )
    assert clf.classes_.tolist() == [3, 10]


@pytest.mark.parametrize("right", [True, False])
def test_intervals_of_pandas_stand_for_their_numbers(right: bool) -> None:
    rng = np.random.default_rng(1)
    ages = rng.integers(20, 60, 100).astype(float)
    edges = [0, 30, 37.5, 50, 120]
    data = pd.DataFrame({"age": pd.cut(ages, edges, right=right), "y": (ages > 40).astype(int)})
    model = NaiveBayes()
    model.fit(data, "y")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NormalisationWarning)
        net = from_pgmpy(model)
    clf = Classifier(net, "y", "all")
    raw = pd.DataFrame({"age": [*ages.tolist(), 30, 37.5, 50, 119.5]})
    cut = pd.DataFrame({"age": pd.cut(raw["age"], edges, right=right)})
    assert clf.predict(raw).tolist() == clf.predict(cut).tolist()
    places = [net.variable("age").index(age) for age in raw["age"]]
    assert places == cut["age"].cat.codes.tolist()
    reason = next(iter(clf.explain({"age": 50.5}).general_sufficient_reasons()))
    assert str(reason) == ("age > 37.5" if right else "age ≥ 37.5")


def test_intervals_with_a_gap_are_labels() -> None:
    gap = [pd.Interval(0, 1), pd.Interval(2, 3)]
    model = DiscreteBayesianNetwork([("Y", "N")])
    model.add_cpds(
        TabularCPD("Y", 2, [[0.5], [0.5]]),
        TabularCPD("N", 2, [[0.9, 0.2], [0.1, 0.8]], ["Y"], [2], state_names={"N": gap, "Y": [0, 1]}),
    )
    clf = Classifier(from_pgmpy(model), "Y", "all")
    assert clf.predict({"N": gap[1]}) == 1
    with pytest.raises(UnknownNameError, match=r"'N' has no state '2\.5'"):
        clf.predict({"N": 2.5})


@pytest.mark.filterwarnings("ignore")  # of pgmpy and of tables that miss 1
@pytest.mark.parametrize("seed", range(7))
def test_every_row_is_decided_as_pgmpy_does(seed: int) -> None:
    learnt = random_learnt(seed, size=40, new=5)
    clf = Classifier(from_pgmpy(learnt.model), learnt.target, learnt.features)
    ours = clf.predict(learnt.rows)
    for at, theirs in enumerate(learnt.decisions()):
        row = {name: learnt.rows[name].iloc[at] for name in clf.features}
        if theirs is None:
            assert explained(clf, row) == "impossible"
        elif ours.iloc[at] != theirs:
            assert explained(clf, row) == "tie", (row, ours.iloc[at], theirs)
        else:
            assert isinstance(ours.iloc[at], type(theirs))


def test_state_names_may_be_missing() -> None:
    model = chain(state_names={"C": ["no", "yes"]})  # none for the parents
    assert [variable.states for variable in from_pgmpy(model).variables[:2]] == [("0", "1"), ("no", "yes")]
    model = chain(state_names={"A": [0, 1], "B": [0, 1, 2]})  # none for the child
    assert from_pgmpy(model) == from_pgmpy(chain())


def test_estimated_tables_are_normalised_exactly_with_one_warning() -> None:
    data = pd.DataFrame({"A": list("xyz") * 7, "C": list("pqppqqp") * 3, "B": list("uuvuvww") * 3})
    model = DiscreteBayesianNetwork([("A", "C"), ("B", "C"), ("A", "B")])
    model.fit(data)
    with pytest.warns(NormalisationWarning, match="columns of 3 tables") as caught:
        net = from_pgmpy(model)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    assert net.cpt("A").exact.tolist() == [Fraction(1, 3)] * 3
    bayes = NaiveBayes()
    bayes.fit(data, "C")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NormalisationWarning)
        assert set(from_pgmpy(bayes).edges) == {("C", "A"), ("C", "B")}


def test_large_misses_need_normalise() -> None:
    model = chain(values=[[0.1, 0.2, 0.3, 0.4, 0.5, 0.6], [0.9, 0.8, 0.7, 0.6, 0.7, 0.4]])
    with pytest.raises(NetworkError, match=r"P\(C \| B=2, A=0\) sums to 1.2"):
        from_pgmpy(model)
    with pytest.warns(NormalisationWarning, match=r"1 table .* at most 0\.2; first: 'C'"):
        net = from_pgmpy(model, normalise=True)
    assert net.cpt("C").exact[2, 0].tolist() == [Fraction(5, 12), Fraction(7, 12)]


def with_nan() -> DiscreteBayesianNetwork:
    model = chain()
    model.get_cpds("A").values[0] = np.nan
    return model


def without(*nodes: str) -> DiscreteBayesianNetwork:
    model = chain()
    model.remove_cpds(*nodes)
    return model


def with_extra_edge() -> DiscreteBayesianNetwork:
    model = chain()
    model.add_edge("A", "B")
    return model


def two_nodes(first: object, second: object) -> DiscreteBayesianNetwork:
    model = DiscreteBayesianNetwork([(first, second)])
    model.add_cpds(TabularCPD(first, 2, [[0.5], [0.5]]), TabularCPD(second, 1, [[1, 1]], [first], [2]))
    return model


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (without("A", "B"), "no CPD for 'A', 'B'"),
        (DiscreteBayesianNetwork(), "no variables"),
        (with_nan(), "table of 'A': 'nan' is not a finite"),
        (with_extra_edge(), r"CPD of 'B' has the parents \[\], but the graph has \['A'\]"),
        (chain(evidence_card=[2, 3]), "CPD of 'C' gives 'B' 2 states, not 3"),
        (chain(state_names={"B": [2, 1, 0]}), r"gives 'B' the states \[2, 1, 0\], but .*'0', '1', '2'"),
        (two_nodes(1, "1"), "nodes 1 and '1' are both written '1'"),
        (chain(state_names={"C": ["1", 1]}), "states of 'C' '1' and 1 are both written '1'"),
    ],
)
def test_broken_models(model: DiscreteBayesianNetwork, message: str) -> None:
    with pytest.raises(NetworkError, match=message):
        from_pgmpy(model)


class Masquerade(DiscreteBayesianNetwork):  # type: ignore[misc]
    """A discrete network whose CPDs are no tables, as older releases had."""

    def get_cpds(self, _node: object = None) -> list[Any]:
        return [type("TreeCPD", (), {"variable": name})() for name in self.nodes()]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (LinearGaussianBayesianNetwork([("A", "B")]), "not pgmpy.*LinearGaussianBayesianNetwork"),
        (FunctionalBayesianNetwork.__new__(FunctionalBayesianNetwork), "not pgmpy.*.FunctionalBayesian"),
        (DynamicBayesianNetwork(), "not pgmpy.*DynamicBayesianNetwork"),
        (DiscreteMarkovNetwork([("A", "B")]), "not pgmpy.*DiscreteMarkovNetwork"),
        (Masquerade([("A", "B")]), "CPD of 'A' is a TreeCPD; only TabularCPD"),
        ("model.bif", "DiscreteBayesianNetwork, not builtins.str"),
        (None, "not builtins.NoneType"),
    ],
)
def test_other_objects_are_refused_by_name(model: object, message: str) -> None:
    with pytest.raises(UnsupportedError, match=message) as caught:
        from_pgmpy(model)
    assert isinstance(caught.value, Bnc2dError)
