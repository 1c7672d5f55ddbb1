"""Random questions about random decisions: every score against its definition."""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

import numpy as np

from bnc2d import Classifier, CompiledModel, Scores
from bnc2d.base.readers.choices import EXPLAIN_KINDS, GAMES, SCORE_KINDS
from tests.explain.scores.definition import Definition, table_of
from tests.hard_classifiers import mixed_classifier


def marginals_of(classifier: Classifier, rng: Random) -> tuple[Any, list[list[Fraction]], str]:
    """Return a distribution as users give it, the probabilities that it stands for, and its name."""
    features = classifier.feature_variables
    kind = rng.choice(["uniform", "marginals", "columns"])
    if kind == "uniform":
        return rng.choice([None, "uniform"]), [[Fraction(1, len(f))] * len(f) for f in features], kind
    if kind == "columns":
        rows = [{f.name: rng.choice(f.states) for f in features} for _ in range(rng.randint(1, 6))]
        return (
            rows,
            [[Fraction([r[f.name] for r in rows].count(s), len(rows)) for s in f.states] for f in features],
            kind,
        )
    found, given = [], {}
    for feature in features:
        numbers = [rng.randint(0, 3) for _ in feature.states]
        numbers[rng.randrange(len(numbers))] += 1
        found.append([Fraction(n, sum(numbers)) for n in numbers])
        given[feature.name] = dict(zip(feature.states, found[-1], strict=True))
    return given, found, kind


def compare(seed: int, most: int = 120) -> str:
    """Compare all scores of one decision with their definitions; return what kind of a question it was."""
    rng = Random(seed)  # noqa: S311 - reproducible
    classifier = mixed_classifier(seed, most)
    while len(classifier.features) > 6:
        classifier = Classifier(
            classifier.network, classifier.target, classifier.features[:-1], classifier.threshold,
            classifier.positive, classifier.ties,
        )  # fmt: skip
    model = classifier.compile()
    table = table_of(classifier)
    own = rng.choice(list(table))
    names = classifier.features
    instance = {f.name: f.states[s] for f, s in zip(classifier.feature_variables, own, strict=True)}
    fixed = frozenset(f for f in range(len(names)) if rng.random() < 0.15)
    truth = Definition(table, own, fixed)
    distribution, marginals, name = marginals_of(classifier, rng)
    kept = [names[f] for f in sorted(fixed)]
    for explanation in (model.explain(instance, kept), classifier.explain(instance, kept)):
        assert list(explanation.scores("occurrence").values()) == truth.occurrence()
        assert list(explanation.scores("occurrence", weighted=True).values()) == truth.occurrence(
            weighted=True
        )
        assert list(explanation.scores("responsibility").values()) == truth.responsibility()
        wanted = rng.choice([None, *classifier.classes])
        asked = table[own] if wanted is None else classifier.class_labels[classifier.classes.index(wanted)]
        worths = truth.worths(lambda row, of=asked: Fraction(table[row] == of), marginals)  # type: ignore[misc]
        for kind in ("shapley", "banzhaf"):
            expected = truth.values(worths, kind)
            exact = explanation.scores(kind, distribution, towards=wanted, exact=True)
            assert list(exact.values()) == expected, (kind, explanation, exact, expected, fixed, wanted)
            assert exact.exact
            assert exact.distribution == name
            assert exact.baseline == worths[()]
            assert exact.value == worths[truth.players]
            floats = explanation.scores(kind, distribution, towards=wanted, exact=False)
            close(floats, expected)
            if kind == "shapley":
                assert exact.total == exact.value - exact.baseline
        if asked is not None and rng.random() < 0.3:
            posteriors(explanation, classifier, truth, distribution, marginals, wanted, asked)
    under(model, truth, table, rng, instance, kept)
    return f"{len(classifier.classes)} classes, {name}, {'some' if fixed else 'none'} fixed"


def close(floats: Scores, expected: list[Fraction]) -> None:
    assert not floats.exact or all(isinstance(x, float) for x in floats.values())
    assert 0 < floats.error < 1e-11
    assert all(abs(Fraction(x) - y) <= floats.error for x, y in zip(floats.values(), expected, strict=True))


def posteriors(
    explanation: Any, classifier: Classifier, truth: Definition, distribution: Any,
    marginals: list[list[Fraction]], wanted: str | None, asked: Any,
) -> None:  # fmt: skip
    """Compare the values of the posterior."""
    label = classifier.class_labels.index(asked)
    rows = list(truth.table)
    named = [
        {f.name: f.states[s] for f, s in zip(classifier.feature_variables, row, strict=True)} for row in rows
    ]
    found = [one[classifier.classes[label]] for one in classifier.posterior(named, exact=True)]
    of = dict(zip(rows, found, strict=True))
    worths = truth.worths(lambda row: of[row], marginals)
    scores = explanation.scores("shapley", distribution, towards=wanted, of="posterior", exact=True)
    assert list(scores.values()) == truth.values(worths, "shapley")


def under(
    model: CompiledModel,
    truth: Definition,
    table: dict[Any, Any],
    rng: Random,
    instance: dict[str, str],
    kept: list[str],
) -> None:
    """Compare the scores of the reasons under a constraint that the instance satisfies."""
    some = {row: decision for row, decision in table.items() if row == truth.own or rng.random() < 0.7}
    forbidden = [model.domain.decode(row) for row in table if row not in some]
    if not forbidden:
        return
    given = Definition(some, truth.own, truth.fixed)
    explanation = model.given(forbidden).explain(instance, kept)
    assert list(explanation.scores("occurrence").values()) == given.occurrence()
    assert list(explanation.scores("responsibility").values()) == given.responsibility()


def compare_many(seed: int, most: int = 60) -> None:
    """Compare the scores of some rows, all kinds and by both routes, with their definitions."""
    classifier = mixed_classifier(seed, most)
    table = table_of(classifier)
    rng = np.random.default_rng(seed)
    own = [list(table)[at] for at in rng.integers(0, len(table), 4)]
    rows = np.array([*own, own[0]])
    sizes = [len(feature) for feature in classifier.feature_variables]
    marginals = [[Fraction(1, size)] * size for size in sizes]
    for source in (classifier, classifier.compile()):
        found = source.explain_many(rows, kinds=EXPLAIN_KINDS, limit=1)
        assert found[0] == found[-1]
        for row, one in zip(rows.tolist(), found, strict=True):
            truth = Definition(table, tuple(row))
            assert list(one.scores["occurrence"].values()) == truth.occurrence()
            assert list(one.scores["responsibility"].values()) == truth.responsibility()
            worths = truth.worths(lambda other, of=one.decision: Fraction(table[other] == of), marginals)  # type: ignore[misc]
            for kind in GAMES:
                scores, values = one.scores[kind], truth.values(worths, kind)
                assert 0 < scores.error < 1e-12
                pairs = zip(scores.values(), values, strict=True)
                assert all(abs(Fraction(x) - y) <= scores.error for x, y in pairs)
                assert abs(Fraction(scores.baseline or 0) - worths[()]) <= scores.error
            assert {kind: one.cut[kind] for kind in SCORE_KINDS} == dict.fromkeys(SCORE_KINDS)
