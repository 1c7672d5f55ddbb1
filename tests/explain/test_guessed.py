"""One sufficient reason with hidden variables in the way: guessed, then proved, whatever a guess is worth."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from random import Random

import pytest

from bnc2d import Classifier, CompiledModel, Term, TimeLimitExceeded
from bnc2d.explain.by_regions.hidden import HiddenCase
from bnc2d.regions.around.guesses import Guesses
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.messages.passes import Question
from bnc2d.regions.region import Region
from bnc2d.testing import random_latent_tree, random_noisy_or
from tests.cases import cases
from tests.explain.routes import by_network
from tests.hard_classifiers import extreme_classifier, mixed_classifier


def _classifier(seed: int) -> Classifier:
    """Return a classifier with hidden variables, some with zeros and several classes."""
    if seed % 3 == 0:
        return mixed_classifier(seed)
    make = random_latent_tree(seed, 6, 2, 3) if seed % 3 == 1 else random_noisy_or(seed, 8, diseases=4)
    return Classifier(make, "Y", [name for name in make.names if name.startswith("X")])


def _instance(classifier: Classifier, rng: Random) -> dict[str, str]:
    return {variable.name: rng.choice(variable.states) for variable in classifier.feature_variables}


def _assert_proved(model: CompiledModel, instance: dict[str, str], reason: Term) -> None:
    """Assert that a reason is enough, and that it is not without a feature that is proved to be needed."""
    explanation = model.explain(instance)

    def is_enough(names: Collection[str]) -> bool:
        found = explanation.is_sufficient({name: instance[name] for name in names})
        return bool(found.holds or found.smaller is not None)

    assert is_enough(reason.features)
    for name in set(reason.features) - set(reason.unproved):
        assert not is_enough([other for other in reason.features if other != name])


@pytest.mark.parametrize("seconds", [None, 0.0, 0.01, 0.03, 0.1])
def test_a_reason_is_enough_whatever_the_time(seconds: float | None) -> None:
    for seed in range(cases(7, 24)):
        classifier, rng = _classifier(seed), Random(seed)  # noqa: S311 - reproducible test data
        model, instance = classifier.compile(), _instance(classifier, rng)
        found = by_network(classifier, instance, (), HiddenBounds)
        reason = found.a_sufficient_reason(seconds)
        _assert_proved(model, instance, reason)
        assert seconds is not None or reason.proved_minimal


def test_a_guess_that_finds_nothing_is_put_right(monkeypatch: pytest.MonkeyPatch) -> None:
    """Climbs that never move see no witness, so that everything is given up first."""

    def blind(
        _self: HiddenBounds, _region: Region, _question: Question, start: Sequence[int]
    ) -> tuple[list[int], float]:
        return list(start), 2.0

    monkeypatch.setattr(HiddenBounds, "worst", blind)
    monkeypatch.setattr(HiddenBounds, "impossible", lambda *_: None)
    longest = 0
    for seed in range(cases(7, 24)):
        classifier, rng = _classifier(seed), Random(seed)  # noqa: S311 - reproducible test data
        model, instance = classifier.compile(), _instance(classifier, rng)
        reason = by_network(classifier, instance, (), HiddenBounds).a_sufficient_reason()
        assert reason.proved_minimal
        _assert_proved(model, instance, reason)
        longest = max(longest, len(reason))
    assert longest > 2


def test_numbers_that_floats_cannot_hold_are_no_witnesses() -> None:
    """A threshold below all floats, and tables whose small entries would round to zero."""
    for seed in (594, *range(30)):
        classifier, rng = extreme_classifier(seed), Random(f"routes {seed}")  # noqa: S311 - reproducible
        model, instance = classifier.compile(), _instance(classifier, rng)
        reason = by_network(classifier, instance, (), HiddenBounds).a_sufficient_reason()
        assert reason.proved_minimal
        _assert_proved(model, instance, reason)


def test_a_guess_that_gives_up_nothing_is_put_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Guesses, "give_up", lambda *_: None)
    for seed in range(12):
        classifier, rng = _classifier(seed), Random(seed)  # noqa: S311 - reproducible test data
        model, instance = classifier.compile(), _instance(classifier, rng)
        reason = by_network(classifier, instance, (), HiddenBounds).a_sufficient_reason()
        assert reason.proved_minimal
        _assert_proved(model, instance, reason)


def test_where_a_proof_does_not_end_fewer_features_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proofs with many features free are cut off; the reason is longer, and says what is not proved."""
    real = HiddenCase._is_proved

    def cut(self: HiddenCase, freed: list[int], guesses: Guesses) -> bool:
        if len(freed) > 3:
            raise TimeLimitExceeded("too many")
        return real(self, freed, guesses)

    monkeypatch.setattr(HiddenCase, "_is_proved", cut)
    unproved = 0
    for seed in range(1, 24, 3):
        classifier, rng = _classifier(seed), Random(seed)  # noqa: S311 - reproducible test data
        model, instance = classifier.compile(), _instance(classifier, rng)
        reason = by_network(classifier, instance, (), HiddenBounds).a_sufficient_reason(0.3)
        _assert_proved(model, instance, reason)
        assert len(reason) >= len(instance) - 3
        unproved += len(reason.unproved)
    assert unproved
