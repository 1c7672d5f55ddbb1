"""Numbers far below the range of float64, in every position: no method may decide an instance wrongly."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

import numpy as np
import pytest

from bnc2d import CPT, BayesianNetwork, Classifier, Variable
from bnc2d.base.readers.choices import Ties
from bnc2d.compile.graph.pruning import prepare
from bnc2d.compile.meet.cut.cut import choose_cut
from bnc2d.compile.meet.cut_problem import CutProblem, Side
from bnc2d.compile.meet.tables.compressed_factor import CompressedFactor
from bnc2d.compile.meet.tables.underflow import Underflow
from bnc2d.model.accounts import UNIT_ROUNDOFF
from bnc2d.testing import random_naive_bayes
from tests.cases import cases
from tests.hard_classifiers import extreme_classifier
from tests.long.agreement import check_classifier
from tests.long.outcome import Outcome

# Around where squares and single numbers leave the range; some between them in long runs only.
EXPONENTS = (0, 154, 160, 308, 323, 2000, *(20, 75, 100, 150, 300, 330, 700)[: cases(0, 7)])
# Table entries and thresholds that are moved towards 0 (or 1), by name.
POSITIONS = ("prior", "feature", "shared", "hidden", "deterministic", "threshold", "all")


def power(exponent: int) -> Fraction:
    return Fraction(1, 10**exponent)


def column(*small: Fraction) -> list[Fraction]:
    """The last state takes the rest."""
    return [*small, 1 - sum(small, Fraction(0))]


def network(position: str, exponent: int, classes: int) -> BayesianNetwork:
    """A target, two hidden variables that both features' groups hang on, and two features beside them."""

    def at(name: str, number: Fraction) -> Fraction:
        return number * power(exponent) if position in (name, "all") else number

    half, third = Fraction(1, 2), Fraction(1, 3)
    y = Variable("Y", tuple(map(str, range(classes))))
    h, g, *f = (Variable(name, ("0", "1")) for name in ("H", "G", "A", "B", "C", "D", "E"))
    prior = column(*(at("prior", Fraction(1, classes + number)) for number in range(classes - 1)))
    impossible = Fraction(0) if position == "deterministic" else third
    h_columns = [column(at("hidden", Fraction(1, number + 2))) for number in range(classes - 1)]
    g_given = [column(at("hidden", third)), column(half), column(Fraction(1)), column(impossible)]
    columns_of = {
        y: ((), [prior]),
        h: ((y,), [*h_columns, column(impossible)]),
        g: ((h, f[0]), g_given),
        f[0]: ((h,), [column(at("feature", third)), column(at("feature", half))]),
        f[1]: ((g, y), [column(at("feature", Fraction(1, n + 2))) for n in range(2 * classes)]),
        f[2]: ((g,), [column(impossible), column(1 - at("feature", half))]),
        f[3]: ((), [column(at("shared", third))]),
        f[4]: ((y,), [column(at("shared", half))] * classes),
    }
    cpts = [
        CPT(child, parents, [entry for each in columns for entry in each])
        for child, (parents, columns) in columns_of.items()
    ]
    return BayesianNetwork(list(columns_of), cpts, "extreme")


@pytest.mark.parametrize("position", POSITIONS)
def test_every_position_and_exponent(position: str) -> None:
    outcome = Outcome()
    for exponent in EXPONENTS:
        for classes in (2, 3):
            net = network(position, exponent, classes)
            thresholds: Sequence[Fraction | None] = [None]
            if classes == 2 and exponent and position in ("threshold", "prior", "all"):
                thresholds = [None, power(exponent), 1 - power(exponent)]
            for threshold in thresholds:
                for positive in "01" if threshold is not None and exponent < 700 else [None]:
                    classifier = Classifier(net, "Y", tuple("ABCDE"), threshold, positive)
                    check_classifier(classifier, outcome)
    assert outcome.met["varied"]


def test_classes_that_differ_by_less_than_any_float() -> None:
    """Weights of two classes whose difference vanishes, while each alone is near one half."""
    for exponent in EXPONENTS:
        prior = column(Fraction(1, 2) - power(max(exponent, 1)))
        y, h, a, b = (Variable(name, ("0", "1")) for name in "YHAB")
        same = [Fraction(1, 3), Fraction(2, 3)]
        cpts = [
            CPT(y, (), prior),
            CPT(h, (y,), same * 2),
            CPT(a, (h,), [*same, *same[::-1]]),
            CPT(b, (h,), [Fraction(0), Fraction(1), *same]),
        ]
        for ties in ("lowest", "none"):
            net = BayesianNetwork([y, h, a, b], cpts, "close")
            check_classifier(Classifier(net, "Y", ("A", "B"), ties=ties), Outcome())


def test_three_classes_and_features_that_do_not_depend_on_them() -> None:
    """Seen: every instance in the wrong class, as the prior times what all classes share underflowed."""
    y = Variable("Y", ("1", "2", "3"))
    binary = [Variable(name, ("0", "1")) for name in "AB"]
    others = [Variable("C", ("0", "1")), Variable("D", ("0", "1", "2"))]
    first, last = Fraction("3e-100"), Fraction("1e-150")
    cpts = [CPT(y, (), [first, 1 - first - last, last])]
    cpts += [CPT(v, (), column(Fraction(n))) for v, n in zip(binary, ("2e-150", "3e-20"), strict=True)]
    cpts += [CPT(v, (), [Fraction(1, len(v))] * len(v)) for v in others]
    net = BayesianNetwork([y, *binary, *others], cpts, "shared")
    classifier = Classifier(net, "Y", tuple("ABCD"))
    assert classifier.compile().count("2") == classifier.instance_count == 24
    check_classifier(classifier, Outcome())


@pytest.mark.parametrize("seed", range(40))
def test_random_classifiers(seed: int) -> None:
    check_classifier(extreme_classifier(seed, max_instances=60), Outcome())


@pytest.mark.parametrize("position", ["feature", "hidden", "all"])
def test_tables_are_within_their_accounts(position: str) -> None:
    """Every entry of both sides against the exact one: |computed - true| <= g true + lost."""
    lost = False
    for exponent in EXPONENTS:
        classifier = Classifier(network(position, exponent, 3), "Y", tuple("ABCDE"))
        prepared = prepare(classifier)
        cut = choose_cut(prepared, range(2), 2**24)
        sides = [Side(prepared, side) for side in (cut.first, cut.second)]
        cut_problem = CutProblem(classifier, prepared, sides)
        for factor, exact in zip(cut_problem.factors({}), cut_problem.factors({}, exact=True), strict=True):
            lost |= factor.may_hide_entries
            truth = dense(exact)[states_in_order(cut_problem, factor, exact)]
            for row, values in enumerate(dense(factor).T.tolist()):
                account = Fraction(float(factor.lost[factor.pattern_of_row[row]]))
                assert within(truth[:, row].tolist(), values, factor.account.roundings, account)
    assert lost


def dense(factor: CompressedFactor) -> np.ndarray:
    return factor.table[factor.group_of_state.reshape(-1)][:, factor.pattern_of_row]


def states_in_order(cut_problem: CutProblem, factor: CompressedFactor, exact: CompressedFactor) -> np.ndarray:
    order = [exact.scope.index(variable) for variable in factor.scope]
    sizes = [len(cut_problem.prepared.network.variables[variable]) for variable in exact.scope]
    return np.arange(exact.group_of_state.size).reshape(sizes).transpose(order).reshape(-1)


def within(truth: list[int], values: list[float], roundings: int, lost: Fraction) -> bool:
    """Whether a positive factor takes the truth to within the account of the values."""
    share = Fraction(2 * roundings) * Fraction(UNIT_ROUNDOFF)
    low, high = Fraction(0), None
    for entry, value in zip(truth, values, strict=True):
        if entry == 0:
            if value > lost:
                return False
            continue
        low = max(low, (Fraction(value) - lost) / (entry * (1 + share)))
        top = (Fraction(value) + lost) / (entry * (1 - share))
        high = top if high is None else min(high, top)
    return high is None or (low <= high and high > 0)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_weights_of_features(exponent: int) -> None:
    """The least reasons and the nearest instance, by weights from 10**-2e to 10**e, against all reasons."""
    net = random_naive_bayes(3, 7)
    model = Classifier(net, "Y", [f"X{number}" for number in range(7)]).compile()
    instance = {name: "01"[number % 2] for number, name in enumerate(model.features)}
    weights = {name: Fraction(n + 1, 10 ** (exponent * (n % 3))) for n, name in enumerate(model.features)}
    weights["X4"] = Fraction(10**exponent)
    e = model.explain(instance)

    def cost(reason: Iterable[str]) -> Fraction:
        return sum((weights[name] for name in reason), Fraction(0))

    sufficient, necessary = e.shortest_sufficient_reason(weights), e.shortest_necessary_reason(weights)
    assert cost(sufficient) == min(map(cost, e.sufficient_reasons()))
    assert necessary is not None
    assert cost(necessary) == min(map(cost, e.necessary_reasons()))
    assert model.nearest(instance, weights=weights).distance == cost(necessary)


def test_a_cell_of_which_nothing_is_known_is_never_proven() -> None:
    """Infinity on one side and nothing lost on the other: the error is infinite, not undefined."""
    second = Underflow(2.0, np.array([0.0, np.inf]), np.ones(2))
    error = second.error(np.array([np.inf, 0.0]), np.ones(2))
    known = np.array([[False, False], [True, False]])
    assert (np.isfinite(error((slice(None), None), slice(None))) == known).all()
    assert not np.isnan(error(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))).any()


@pytest.mark.parametrize("ties", ["lowest", "none"])
def test_one_possible_class_and_impossible_instances(ties: Ties) -> None:
    """A single product has no rival: that it is positive must be proven all the same."""
    y, h = Variable("Y", ("0", "1", "2")), Variable("H", ("0", "1"))
    a, b = Variable("A", ("0", "1")), Variable("B", ("0", "1", "2"))
    one, none = Fraction(1), Fraction(0)
    cpts = [
        CPT(y, (), [none, none, one]),
        CPT(a, (), column(Fraction(1, 3))),
        CPT(h, (a,), [*column(power(2001)), *column(power(1000))]),
        CPT(b, (h, y), [none, one, none] * 6),
    ]
    classifier = Classifier(BayesianNetwork([y, a, h, b], cpts, "one class"), "Y", ["A", "B"], ties=ties)
    check_classifier(classifier, Outcome())
    decided = classifier.compile().predict([{"A": "0", "B": "0"}, {"A": "0", "B": "1"}])
    assert list(decided) == ["0" if ties == "lowest" else None, "2"]
