"""What the missing features of a partial instance could do, by definition: every completion, one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from random import Random

from bnc2d import Classifier, IfKnown
from bnc2d.verify.oracle import decide, exact_joints

Joint = dict[str, Fraction]


@dataclass(frozen=True)
class Completions:
    """All instances of a classifier with their joint probabilities, and what is known of one of them."""

    classifier: Classifier
    joints: Mapping[tuple[str, ...], Joint]
    known: Mapping[str, str]

    @property
    def missing(self) -> list[str]:
        return [name for name in self.classifier.features if name not in self.known]

    def joint(self, known: Mapping[str, str]) -> Joint:
        """Return ``P(class, known)``: the sum over all that agrees with it."""
        total = dict.fromkeys(self.classifier.classes, Fraction(0))
        for states in self.agreeing(known):
            for name, value in self.joints[states].items():
                total[name] += value
        return total

    def agreeing(self, known: Mapping[str, str]) -> list[tuple[str, ...]]:
        domains = [
            [known[variable.name]] if variable.name in known else variable.states
            for variable in self.classifier.feature_variables
        ]
        return list(product(*domains))

    def decision(self, known: Mapping[str, str]) -> str | None:
        return decide(self.classifier, self.joint(known))

    def named(self, states: tuple[str, ...]) -> dict[str, str]:
        return dict(zip(self.classifier.features, states, strict=True))

    def check(self, found: IfKnown, *, whole: bool = True) -> None:
        """Assert that everything in an answer is true, and if it should be ``whole`` that nothing lacks."""
        own = self.decision(self.known)
        decided = {
            states: decide(self.classifier, self.joints[states]) for states in self.agreeing(self.known)
        }
        mass = {states: sum(self.joints[states].values(), Fraction(0)) for states in decided}
        total = sum(mass.values(), Fraction(0))
        keeping = [states for states, decision in decided.items() if decision == own]
        share = Fraction(len(keeping), len(decided))
        assert found.decision == own
        if len(set(decided.values())) == 1 and None not in decided.values():
            assert own in decided.values()  # a class that all completions share
        assert found.missing == tuple(self.missing)
        assert found.share in (None, share)
        assert found.share_bounds[0] <= share <= found.share_bounds[1]
        if total:
            probability = sum((mass[states] for states in keeping), Fraction(0)) / total
            assert found.probability in (None, probability)
            assert found.probability_bounds is not None
            assert found.probability_bounds[0] <= probability <= found.probability_bounds[1]
        else:
            assert found.probability is None
            assert found.probability_bounds is None
        assert found.holds in (None, share == 1)
        assert (found.witness is None) == (found.holds is not False)
        if found.witness is not None:
            assert decided[tuple(found.witness.values())] == found.other != own
        self._check_features(found, decided)
        if whole:
            assert found.exact
            assert found.holds is not None
            assert found.alone is not None
            assert not found.open
            if found.witness is not None and any(mass[states] for states in set(decided) - set(keeping)):
                assert mass[tuple(found.witness.values())]  # a possible one where there is one

    def _check_features(self, found: IfKnown, decided: Mapping[tuple[str, ...], str | None]) -> None:
        if found.alone is not None:
            alone: dict[str, dict[str, str | None]] = {}
            for name in self.missing:
                for state in self.classifier.network.variable(name).states:
                    decision = self.decision({**self.known, name: state})
                    if decision != found.decision:
                        alone.setdefault(name, {})[state] = decision
            assert found.alone == alone
        assert sorted([*found.matters, *found.irrelevant, *found.open]) == sorted(self.missing)
        for name, (one, other) in found.matters.items():
            assert [key for key in one if one[key] != other[key]] == [name]
            assert decided[tuple(one.values())] != decided[tuple(other.values())]
        for name in found.irrelevant:
            at = self.classifier.features.index(name)
            by_rest: dict[tuple[str, ...], set[str | None]] = {}
            for states, decision in decided.items():
                by_rest.setdefault((*states[:at], *states[at + 1 :]), set()).add(decision)
            assert all(len(decisions) == 1 for decisions in by_rest.values())


def some_completions(classifier: Classifier, seed: int) -> Completions:
    """Return a random part of a random instance: sometimes nothing, sometimes an impossible one."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    share = rng.choice((0.0, 0.3, 0.5, 0.5, 0.8))
    known = {
        variable.name: rng.choice(variable.states)
        for variable in classifier.feature_variables
        if rng.random() < share
    }
    return Completions(classifier, exact_joints(classifier), known)
