"""What a page answers on rows with unknown features, beside definitions by enumeration."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from math import prod
from random import Random
from typing import Any

import numpy as np
import pytest

from bnc2d import Classifier
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.api.explanation import Explanation
from bnc2d.compile.model import decisions
from bnc2d.logic.terms import Clause, Term
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable
from tests.brute_force.decisions import joint_of_instances
from tests.report.answers import LISTS, answered, plain
from tests.report.browser import Browser

# A page may leave open what float64 cannot decide; that is nearer than this to a tie.
_CLOSE = Fraction(1, 10**9)

_MOST_ENTRIES = 1 << 13  # of a table of all variables
_MOST_ROWS = 100  # on which formulas are compared

Partial = dict[str, str | None]
Joint = dict[tuple[str, ...], dict[str, Fraction]]


def random_partial(model: CompiledModel, seed: int) -> Partial:
    """Return an instance that counts, with some of its features forgotten."""
    rng = Random(f"partial {seed}")  # noqa: S311 - reproducible test data
    whole = model.sample(rng.choice([name for name, share in model.shares().items() if share]), seed)
    share = rng.choice((0.2, 0.5, 0.8, 1.0))
    return {name: None if rng.random() < share else state for name, state in whole.items()}


def of_known(model: CompiledModel, partial: Mapping[str, str | None]) -> tuple[Classifier, dict[str, str]]:
    """Return the classifier over the known features, and what is known; a coin where nothing is."""
    whole = model.classifier
    known = {name: state for name, state in partial.items() if state is not None}
    network = whole.network
    if not known:
        coin = Variable("coin of one side", ("it",))
        network = BayesianNetwork([*network.variables, coin], [*network.cpts, CPT(coin, (), [Fraction(1)])])
        known = {coin.name: "it"}
    return Classifier(network, whole.target, list(known), whole.threshold, whole.positive, whole.ties), known


def completions(model: CompiledModel, partial: Mapping[str, str | None]) -> dict[tuple[int, ...], int]:
    """Return the label of every completion that counts."""
    choices = [
        range(len(states)) if partial[name] is None else [states.index(str(partial[name]))]
        for name, states in zip(model.domain.names, model.domain.states, strict=True)
    ]
    rows = list(product(*choices))
    labels = model.diagram.labels(np.array(rows)).tolist()
    return {row: label for row, label in zip(rows, labels, strict=True) if label < len(decisions(model))}


def mattering(labels: Mapping[tuple[int, ...], int]) -> set[int]:
    """Return the features in which alone two completions differ that are decided differently."""
    found = set()
    for one, other in product(labels, repeat=2):
        differing = [feature for feature, (a, b) in enumerate(zip(one, other, strict=True)) if a != b]
        if len(differing) == 1 and labels[one] != labels[other]:
            found.add(differing[0])
    return found


def compare_partial(browser: Browser, model: CompiledModel, partials: list[Partial]) -> dict[str, int]:
    """Check all answers on rows with unknown features; return how many were of which kind."""
    seen = {"decided": 0, "explained": 0, "open": 0}
    entries = prod(len(variable) for variable in model.classifier.network.variables)
    joint = joint_of_instances(model.classifier) if entries <= _MOST_ENTRIES else None
    for partial, answer in zip(partials, answered(browser, partials), strict=True):
        classifier, known = of_known(model, partial)
        exact = classifier.posterior(known)
        shares = [0.0] * len(exact) if answer["posterior"] is None else answer["posterior"]
        assert shares == pytest.approx([float(share) for share in exact.values()], rel=0, abs=1e-9)
        assert answer["possible"] == classifier.is_possible(known)
        if answer["decided"]:
            assert answer["decision"] == classifier.predict(known)
            seen["decided"] += 1
        else:
            assert margin(classifier, list(exact.values())) < _CLOSE
            seen["open"] += 1
        check_completions(model, joint, partial, answer)
        if "without" not in answer:
            why = explain_known(model, classifier, known)
            check_reasons(model, why, known, answer)
            check_formulas(browser, why, partial)
            seen["explained"] += 1
    return seen


def margin(classifier: Classifier, posterior: list[Fraction]) -> Fraction:
    """Return how far a posterior is from another decision."""
    if classifier.threshold is not None:
        return abs(posterior[classifier.classes.index(str(classifier.positive))] - classifier.threshold)
    best, second, *_ = sorted(posterior, reverse=True)
    return best - second


def check_completions(
    model: CompiledModel, joint: Joint | None, partial: Mapping[str, str | None], answer: dict[str, Any]
) -> None:
    if None not in partial.values():
        assert "completions" not in answer
        return
    labels = completions(model, partial)
    found = answer["completions"]
    counts = list(map(int, found["counts"]))
    assert int(found["total"]) == len(labels)
    assert counts == [list(labels.values()).count(label) for label in range(len(counts))]
    for label, example in enumerate(found["examples"]):
        assert example is None if label not in labels.values() else labels[tuple(example)] == label
    if joint is not None:
        check_chances(model, joint, labels, found)
    assert not found["cut"]
    assert {entry["feature"] for entry in found["matters"]} == mattering(labels)
    for entry in found["matters"]:
        one, other = map(tuple, entry["rows"])
        assert [f for f in range(len(one)) if one[f] != other[f]] == [entry["feature"]]
        assert labels[one] != labels[other]
        names = decisions(model)
        assert entry["decisions"] == [names[labels[one]], names[labels[other]]]


def check_chances(
    model: CompiledModel, joint: Joint, labels: Mapping[tuple[int, ...], int], found: dict[str, Any]
) -> None:
    """Compare the probability of each label, given what is known and that the instance counts."""
    chances = found["chances"]
    weights = [Fraction(0)] * (len(model.classes) + 1)
    each = {}
    for row, label in labels.items():
        each[row] = sum(joint[tuple(model.domain.decode(row).values())].values())
        weights[label] += each[row]
    if sum(weights) == 0:
        assert chances is None
        return
    assert chances == pytest.approx([float(weight / sum(weights)) for weight in weights], rel=0, abs=1e-9)
    for label in set(labels.values()):  # the example is a likeliest one
        most = max(each[row] for row in labels if labels[row] == label)
        assert float(each[tuple(found["examples"][label])]) == pytest.approx(float(most))


def explain_known(model: CompiledModel, classifier: Classifier, known: dict[str, str]) -> Explanation:
    """Explain by the classifier over the known features, under what the constraint says of them."""
    small = classifier.compile()
    if model.constraint is not None and set(known) <= set(model.features):
        forgotten = dict.fromkeys(model.features)
        states = [model.domain.states[model.features.index(name)] for name in known]
        rows = [dict(zip(known, row, strict=True)) for row in product(*states)]
        outside = [row for row in rows if not completions(model, {**forgotten, **row})]
        if outside:
            small = small.given(outside)
    return small.explain(known)


def check_reasons(
    model: CompiledModel, why: Explanation, known: dict[str, str], answer: dict[str, Any]
) -> None:
    """Compare the lists and the nearest change, features by their positions in the model."""
    place = [model.features.index(name) if name in model.features else -1 for name in known]

    def listed(reasons: Iterable[Term | Clause]) -> list[Any]:
        return canonical([[[place[f], states] for f, states in reason] for reason in plain(reasons)])

    for key, reasons in LISTS.items():
        assert canonical(answer[key]) == listed(getattr(why, reasons)())
    for name, entries in zip(model.classes, answer["contrast"], strict=True):
        if name == why.decision:
            assert entries is None
        else:
            assert canonical(entries) == listed(why.contrastive(name))
    robustness = why.robustness()
    if robustness.witness is None:
        assert answer["nearest"] is None
        return
    # There may be several nearest ones: this one is as near, allowed, and decided otherwise.
    nearest = answer["nearest"]
    assert [f for f, state in enumerate(nearest) if state is not None] == place
    changed = {name: model.domain.states[f][nearest[f]] for f, name in zip(place, known, strict=True)}
    assert sum(changed[name] != known[name] for name in known) == robustness.distance
    assert why.model.predict(changed) != why.decision


def check_formulas(browser: Browser, why: Explanation, partial: Mapping[str, str | None]) -> None:
    """Compare the complete and the general reason on all instances of the known features."""
    domain = why.complete_reason.manager.domain
    if prod(domain.cardinalities) > _MOST_ROWS or not set(domain.names) <= set(partial):
        return
    rows = [dict(zip(domain.names, row, strict=True)) for row in product(*domain.states)]
    for general, reason in ((False, why.complete_reason), (True, why.general_reason)):
        texts = map(json.dumps, (rows, partial, general))
        held = browser.run("(({}).map((row) => bnc2d.reasonHolds({}, row, {})))".format(*texts))
        assert held == reason.evaluate(rows).tolist()


def canonical(reasons: list[Any]) -> list[Any]:
    """Return reasons in an order that does not depend on that of the features."""
    return sorted(sorted(reason) for reason in reasons)
