"""Early decisions by intervals and by rays: what is known of completions, verdicts, whole compilations."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bnc2d import Classifier, ClassifierError, example
from bnc2d.base.readers.choices import EARLY, METHODS, Early
from bnc2d.base.readers.instances import all_rows
from bnc2d.compile.graph.pruning import target_part
from bnc2d.compile.paper import completions
from bnc2d.compile.paper.compile_negative import PaperCompiler
from bnc2d.compile.paper.completions import Completions, completions_below
from bnc2d.compile.paper.decide_early import decide_early
from bnc2d.compile.paper.decide_negative import NO, UNDECIDED, YES, ClassTest, decide_negative
from bnc2d.compile.result import feature_domain
from bnc2d.logic.circuit.manager import Manager
from bnc2d.logic.circuit.queries import evaluate_rows
from bnc2d.model.accounts import Floats, margin
from bnc2d.model.cpt import CPT
from bnc2d.model.decision import DecisionRule
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable
from bnc2d.testing import random_classifier
from tests.compile.paper.test_compile_negative import network
from tests.hard_classifiers import extreme_classifier, mixed_classifier

LOWEST = DecisionRule("lowest", None, 0)
NONE = DecisionRule("none", None, 0)
THIRD = DecisionRule("lowest", Fraction(1, 3), 1)


def hidden_classifier(seed: int) -> Classifier:
    """Return a classifier whose features are leaves below hidden variables, so that edges split features."""
    rng = np.random.default_rng(seed)
    zeros = float(rng.choice([0.0, 0.0, 0.4]))
    return random_classifier(
        seed,
        variables=12,
        features=7,
        inner_features=False,
        root_target=True,
        threshold=bool(rng.random() < 0.4),
        ties="none" if rng.random() < 0.5 else "lowest",
        max_states=int(rng.choice([2, 3])),
        max_parents=int(rng.choice([1, 2])),
        zero_share=zeros,
        deterministic_share=zeros / 2,
        repeat_share=0.1,
    )


def reach_the_end(classifier: Classifier, early: Early) -> int:
    """Compare all formulas with the decisions; return how many instances were not decided early."""
    part = target_part(classifier).classifier
    rows = np.concatenate(list(all_rows(part.feature_variables)))
    labels = part.labels(rows)
    manager = Manager(feature_domain(part))
    compiler = PaperCompiler(part, early=early)
    count = 0
    for index in range(len(part.classes)):
        for make, members in (
            (compiler.class_formula, labels == index),
            (compiler.negated_formula, labels != index),
        ):
            assert (evaluate_rows(manager, make(index, manager), rows) == members).all()
            count += compiler.stats.extended[-1]
    return count


@pytest.mark.parametrize("limits", ["as they are", "low"])
def test_all_decisions_are_those_by_definition(limits: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With low limits on rays, odds go up the spine from other odds."""
    if limits == "low":
        monkeypatch.setattr(completions, "_MOST_RAYS", 2)
        monkeypatch.setattr(completions, "_MADE_ENTRIES", 32)
    hard = [mixed_classifier(seed, max_instances=100) for seed in range(3, 9)]
    hard += [extreme_classifier(seed) for seed in range(4)] + [
        hidden_classifier(seed) for seed in range(6, 18)
    ]
    signs, intervals, rays = (sum(reach_the_end(clf, early) for clf in hard) for early in EARLY)
    assert signs > intervals
    assert intervals > rays if limits == "as they are" else intervals >= rays


def spines(count: int) -> list[PaperCompiler]:
    made = [
        PaperCompiler(target_part(hidden_classifier(seed)).classifier, early="rays") for seed in range(count)
    ]
    return [compiler for compiler in made if any(compiler.completions)]


def test_rays_are_what_completions_make_of_the_joint() -> None:
    """All ways down the spine, from each separator state alone, in exact proportion to the rays."""
    seen = 0
    for compiler in spines(15):
        for depth, known in enumerate(compiler.completions):
            if known is None or not known.complete or (known.rays.shape[1] == 2 and len(known.rays) <= 2):
                continue
            message = compiler.spine[depth].right_message
            states = message.shape[1]
            factor = np.diag(np.divide(1.0, message[0], out=np.zeros(states), where=message[0] > 0))[:, None]
            for node in compiler.spine[depth + 1 :]:
                grown = node.extend(factor)  # [state and instances so far, v_l, 1, states below]
                factor = grown.reshape(-1, *grown.shape[2:])
                if not node.is_last:
                    below = node.right_message
                    factor = np.divide(factor, below, out=np.zeros_like(factor), where=below > 0)
            vectors = factor.reshape(states, -1).T
            vectors = vectors[vectors.any(axis=1)]
            vectors /= vectors.max(axis=1, keepdims=True)
            apart = np.abs(vectors[:, None] - known.rays).max(axis=2)
            assert apart.min(axis=1).max() < 1e-9
            assert apart.min(axis=0).max() < 1e-9
            seen += len(known.rays)
    assert seen > 50


def test_odds_bound_every_completion(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also those that come from odds alone, which are no tighter than those of all vectors."""
    pushed = 0
    for compiler in spines(15):
        exact = compiler.completions
        with monkeypatch.context() as low:
            low.setattr(completions, "_MADE_ENTRIES", 1)
            bounds = completions_below(compiler.spine, len(compiler.classifier.classes))
        for known, outer in zip(exact, bounds, strict=True):
            if known is None or outer is None or known.odds is None or outer.odds is None:
                continue
            for ray in known.rays:
                with np.errstate(invalid="ignore"):
                    allowed = outer.odds * ray
                assert (
                    ray[:, None] <= np.where(ray == 0, np.where(np.isinf(outer.odds), np.inf, 0), allowed)
                ).all()
            assert (outer.odds >= known.odds * (1 - 1e-9)).all()
            assert not outer.complete
            pushed += bool(np.isfinite(outer.odds).all() and known.rays.shape[1] > 2)
    assert pushed > 3


def known_of(vectors: list[list[float]], complete: bool = True) -> Completions:
    rays = np.array(vectors, dtype=float)
    if complete:
        return Completions(rays, True, 4)
    return Completions(rays[:1], False, 4, completions._odds_of(rays, 4))


@pytest.mark.parametrize(
    ("first", "second", "by_signs", "by_intervals", "by_rays"),
    [
        # The first class is above in one state, below in the other by more than ratios make up for.
        ([0.4, 0.1], [0.3, 0.5], UNDECIDED, YES, YES),
        # The second and the third state are never four times the first together.
        ([0.4, 0.1, 0.1], [0.1, 0.145, 0.145], UNDECIDED, UNDECIDED, NO),
        ([0.4, 0.1, 0.1], [0.1, 0.4, 0.4], UNDECIDED, UNDECIDED, UNDECIDED),
    ],
)
def test_more_is_decided_by_hand(
    first: list[float], second: list[float], by_signs: int, by_intervals: int, by_rays: int
) -> None:
    vectors = (
        [[1.0, 1.0], [0.5, 1.0]]
        if len(first) == 2
        else [[0.25, 1.0, 0.5], [0.25, 0.25, 1.0], [1.0, 0.5, 0.5]]
    )
    joint, test = np.array([[first, second]]), ClassTest.of(LOWEST, 2, 0)
    known = known_of(vectors)
    assert decide_negative(joint, test, margin(4)).tolist() == [by_signs]
    assert decide_early(joint, known, "intervals", test, 4).tolist() == [by_intervals]
    assert decide_early(joint, known, "rays", test, 4).tolist() == [by_rays]


def test_another_class_may_win_for_each_completion() -> None:
    joint = np.array([[[0.2, 0.2], [0.5, 0.0], [0.0, 0.5]]])
    known = known_of([[1.0, 0.5], [0.5, 1.0]])
    test = ClassTest.of(LOWEST, 3, 0)
    assert decide_early(joint, known, "intervals", test, 4).tolist() == [UNDECIDED]
    assert decide_early(joint, known, "rays", test, 4).tolist() == [YES]


def test_a_class_between_two_others_is_not_lost() -> None:
    """Both extreme rays of H are negative for the second class, which wins between them."""
    y, h = Variable("Y", ("low", "middle", "high")), Variable("H", ("0", "1"))
    leaves = [Variable(f"X{n}", ("0", "1")) for n in range(3)]
    cpts = [
        CPT(y, [], [Fraction(3, 10), Fraction(4, 10), Fraction(3, 10)]),
        CPT(h, [y], [Fraction(n, 10) for n in (9, 1, 5, 5, 1, 9)]),
        *(CPT(leaf, [h], [Fraction(n, 10) for n in (6, 4, 4, 6)]) for leaf in leaves),
    ]
    classifier = Classifier(BayesianNetwork([y, h, *leaves], cpts), "Y")
    assert set(classifier.labels(np.concatenate(list(all_rows(leaves)))).tolist()) == {0, 1, 2}
    for early in EARLY:
        reach_the_end(classifier, early)


def test_rays_that_are_impossible_given_the_instance_are_passed_over() -> None:
    joint = np.array([[[0.3, 0.0, 0.1], [0.1, 0.0, 0.2]]])
    known = known_of([[1.0, 0.5, 0.5], [0.0, 1.0, 0.0]])
    assert decide_early(joint, known, "rays", ClassTest.of(LOWEST, 2, 0), 4).tolist() == [NO]


def test_too_close_is_undecided() -> None:
    joint = np.array([[[0.3, 0.1], [0.1, 0.3]], [[0.3, 0.1], [0.1, 0.3 * (1 - 1e-12)]]])
    for early in ("intervals", "rays"):
        found = decide_early(joint, known_of([[1.0, 1.0]]), early, ClassTest.of(LOWEST, 2, 0), 4)
        assert found.tolist() == [UNDECIDED, NO]


def test_rows_that_could_underflow_are_undecided() -> None:
    joint = np.array([[[1.0, 0.0], [0.0, 1e-200]], [[1.0, 0.0], [0.0, 1e-100]]])
    found = decide_early(joint, known_of([[1.0, 1.0]]), "rays", ClassTest.of(LOWEST, 2, 0), 4)
    assert found.tolist() == [UNDECIDED, NO]


@pytest.mark.parametrize("complete", [True, False])
@pytest.mark.parametrize("rule", [LOWEST, NONE, THIRD], ids=["lowest", "none", "threshold"])
def test_a_verdict_holds_for_every_possible_completion(rule: DecisionRule, complete: bool) -> None:
    """Small integers, so that sums are exact, ties and zeros are many."""
    rng = np.random.default_rng(5)
    seen: dict[tuple[Early, int], int] = {}
    for _ in range(50):
        classes = 2 if rule is THIRD else int(rng.integers(1, 5))
        states = int(rng.integers(1, 5))
        vectors: Floats = rng.integers(0, 4, (4, states)).astype(float)
        vectors = vectors[vectors.any(axis=1)]
        if not len(vectors):
            continue
        joint: Floats = rng.integers(0, 5, (12, classes, states)).astype(float)
        known = known_of(vectors.tolist(), complete)
        for index in range(classes):
            test = ClassTest.of(rule, classes, index)
            for early in EARLY[1:]:
                verdicts = decide_early(joint, known, early, test, 4)
                for table, verdict in zip(joint, verdicts.tolist(), strict=True):
                    seen[early, verdict] = seen.get((early, verdict), 0) + 1
                    for values in vectors @ table.T:
                        if verdict != UNDECIDED and values.any():
                            is_member = rule.exact_label([int(value) for value in values]) == index
                            assert is_member == (verdict == NO)
    assert min(seen[early, verdict] for early in EARLY[1:] for verdict in (YES, NO, UNDECIDED)) > 20


def test_impossible_completions_are_told_from_the_rest() -> None:
    """C and D repeat H: completions where they differ are impossible, and not decided by B."""
    net = network(
        {
            "Y": ([], ["1/2"]),
            "B": (["Y"], ["3/10", "6/10"]),
            "H": (["Y"], ["4/10", "6/10"]),
            "G": (["H"], ["45/100", "55/100"]),
            **{name: (["G"], ["0", "1"]) for name in ("C", "D")},
        }
    )
    for ties in ("lowest", "none"):
        classifier = Classifier(net, "Y", ["B", "C", "D"], ties=ties)
        assert classifier.count_impossible() == 4
        for early in EARLY:
            reach_the_end(classifier, early)


@pytest.mark.parametrize("digits", [20, 60, 100, 200])
def test_completions_that_float64_loses(digits: int) -> None:
    """Products of small entries get out of range on the way up, before or after one step."""
    tiny = f"1/{10**digits}"
    net = network(
        {
            "Y": ([], ["1/2"]),
            "H": (["Y"], ["1/3", "1/2"]),
            "G": (["H"], ["1/4", "2/3"]),
            **{f"X{n}": (["G" if n % 2 else "H"], ["0" if n == 3 else "1/2", tiny]) for n in range(6)},
        }
    )
    for early in EARLY:
        reach_the_end(Classifier(net, "Y"), early)
    found = PaperCompiler(Classifier(net, "Y"), early="rays").completions
    complete = [known is not None and known.complete for known in found[:-1]]
    # The lowest edges; with 200 digits not even the tables are trusted.
    lowest = {20: 6, 60: 4, 100: 2, 200: 0}[digits]
    assert complete == [False] * (6 - lowest) + [True] * lowest


@pytest.mark.parametrize("early", EARLY)
def test_the_option(early: Early) -> None:
    classifier = Classifier(example("asia"), "lung", ["asia", "smoke", "xray", "dysp"])
    model = classifier.compile(method="paper", early=early)
    fast = classifier.compile()
    assert [model.count(name) for name in model.classes] == [fast.count(name) for name in fast.classes]
    assert model.stats.method == "paper"


def test_signs_are_the_default() -> None:
    classifier = Classifier(example("asia"), "lung", ["asia", "smoke", "xray", "dysp"])
    plain, signs = (classifier.compile(method="paper", early=early) for early in (None, "signs"))
    assert plain.stats.cells == signs.stats.cells


@pytest.mark.parametrize("method", [name for name in METHODS if name != "paper"])
def test_other_methods_have_no_such_option(method: Any) -> None:
    classifier = Classifier(example("asia"), "lung")
    with pytest.raises(ClassifierError, match=f"not for '{method}'; use method='paper' or leave early=None"):
        classifier.compile(method=method, early="rays")


@pytest.mark.parametrize("early", ["ray", 3, True, ["rays"]])
def test_what_is_no_such_option_is_refused(early: Any) -> None:
    with pytest.raises(ClassifierError, match="early must be 'signs' or 'intervals' or 'rays'"):
        Classifier(example("asia"), "lung").compile(method="paper", early=early)
