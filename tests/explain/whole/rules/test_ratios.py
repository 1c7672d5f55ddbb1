"""What likelihood ratios prove holds for every pair; and it is proved where nothing else can."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from bnc2d import Classifier
from bnc2d.base.budget import Budget
from bnc2d.explain.whole.rules import pairs_by_regions
from bnc2d.explain.whole.rules.claims import PairClaim, coherent, independent, rising
from bnc2d.explain.whole.rules.ratios import proved_by_ratios
from bnc2d.testing import random_classifier, random_naive_bayes


def observed_classifier(seed: int) -> Classifier:
    """Return a small classifier of which every variable is seen, with ties and repeated columns."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    plain = random_classifier(
        seed,
        variables=rng.randint(2, 5),
        features=4,
        max_states=3,
        max_parents=rng.choice((1, 2)),
        zero_share=rng.choice((0.0, 0.0, 0.1)),
        repeat_share=rng.choice((0.0, 0.6)),
        digits=1,
        inner_features=True,
        threshold=rng.random() < 0.3,
        ties=rng.choice(("lowest", "none")),
    )
    return Classifier(plain.network, plain.target, "all", plain.threshold, plain.positive, plain.ties)


def claims(classifier: Classifier, rng: Random) -> list[PairClaim]:
    classes, several = len(classifier.classes), range(len(classifier.features))
    features = rng.sample(several, rng.randint(1, min(2, len(several))))
    order = rng.sample(range(classes), classes)
    return [
        independent(classes, features),
        coherent(order, features),
        rising(classes, features),
        rising(classes, features, rng.randrange(classes)),
    ]


def test_what_is_proved_holds() -> None:
    proved: Counter[tuple[str, bool]] = Counter()
    for seed in range(250):
        classifier = observed_classifier(seed)
        model, rng = classifier.compile(), Random(seed)  # noqa: S311 - reproducible test data
        for claim in claims(classifier, rng):
            holds = not model._rule_route().breaking(claim, Budget())
            shown = proved_by_ratios(classifier, claim, claim.features)
            assert holds or not shown, seed
            proved[claim.change, shown] += 1
    assert min(proved[change, True] for change in ("any", "one", "up")) >= 10, proved


def test_many_features(monkeypatch: pytest.MonkeyPatch) -> None:
    """A binary feature of naive Bayes is monotone for one of two classes, which no search could prove."""
    classifier = Classifier(random_naive_bayes(1, 60), "Y")
    up = [classifier.check(f"raising X0 never leads out of class {name}", time_limit=20) for name in "01"]
    assert sorted(one.status for one in up) == ["proved", "refuted"]
    monkeypatch.setattr(pairs_by_regions, "proved_by_ratios", lambda *_: False)
    held = [one.holds for one in up].index(True)
    late = classifier.check(f"raising X0 never leads out of class {held}", time_limit=0.5)
    assert late.status == "open"
    assert late.results[0].settled is not None
    assert 0 <= late.results[0].settled < 0.5
