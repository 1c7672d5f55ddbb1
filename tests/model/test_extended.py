"""Extended precision: what it proves is true, and it proves more than float64 does."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from bnc2d import BayesianNetwork, Classifier
from bnc2d.base.readers.instances import all_rows
from bnc2d.model import inference
from bnc2d.model.cpt import CPT
from bnc2d.model.extended import EXTENDED, extended_values, rounded, unit_roundoff
from tests.hard_classifiers import mixed_classifier

pytestmark = pytest.mark.skipif(EXTENDED is None, reason="this processor has no extended precision")


def nearly_tied(seed: int) -> Classifier:
    """Return a random classifier whose uniform tables, with their many ties, are off by next to nothing."""
    rng = Random(f"nearly {seed}")  # noqa: S311 - reproducible test data
    plain = mixed_classifier(seed)
    cpts = []
    for cpt in plain.network.cpts:
        table = cpt.exact.reshape(-1, len(cpt.child)).copy()
        for column in table if rng.random() < 0.7 else ():
            shift = rng.choice((0, 1, -1)) * Fraction(1, 10 ** rng.randint(14, 24))
            if len(column) > 1 and min(column[0], column[-1]) > 0:
                column[0] += shift
                column[-1] -= shift
        cpts.append(CPT(cpt.child, cpt.parents, table.reshape(cpt.exact.shape)))
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    return Classifier(network, plain.target, plain.features, plain.threshold, plain.positive, plain.ties)


def check_proofs(classifier: Classifier) -> tuple[int, int]:
    """Compare what is proved with exact labels; return how much either precision leaves open."""
    left = np.zeros(2, dtype=int)
    for rows in all_rows(classifier.feature_variables):
        query, rule = classifier._query, classifier.rule
        exact = query.joint(rows, exact=True).values.tolist()
        wanted = np.array([rule.exact_label(values) for values in exact])
        extended = query.extended_joint(rows)
        assert extended is not None
        for number, joint in enumerate((query.joint(rows, exact=False), extended)):
            labels, certain = rule.float_labels(joint)
            assert np.array_equal(labels[certain], wanted[certain])
            left[number] += np.count_nonzero(~certain)
        assert np.array_equal(classifier.labels(rows), wanted)
    return int(left[0]), int(left[1])


def test_what_is_proved_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inference, "_MUCH_WORK", 0.0)
    left = np.array([check_proofs(nearly_tied(seed)) for seed in range(40)])
    by_floats, by_extended = left.sum(axis=0).tolist()
    assert 0 < by_extended < by_floats  # true ties are left by both


def test_small_questions_are_put_to_integers_at_once() -> None:
    classifier = mixed_classifier(1)
    rows = next(iter(all_rows(classifier.feature_variables)))
    assert classifier._query.extended_joint(rows[:1]) is None


def test_rationals_are_within_two_roundings() -> None:
    assert EXTENDED is not None
    rng = Random(0)  # noqa: S311 - reproducible test data
    numbers = [Fraction(rng.randint(0, 10**k), 10**k) for k in range(1, 40)]
    exact = np.empty(len(numbers), dtype=object)
    exact[:] = numbers
    found = extended_values(exact, exact.astype(np.float64))
    for number, value in zip(numbers, found, strict=True):
        high = float(value)
        true = Fraction(high) + Fraction(float(value - high))  # two float64 hold all bits of it
        assert abs(true - number) <= 2 * Fraction(unit_roundoff(EXTENDED)) * number
        assert value == rounded(number, EXTENDED)
    assert rounded(Fraction(1, 3), np.dtype(np.float64)) == 1 / 3
