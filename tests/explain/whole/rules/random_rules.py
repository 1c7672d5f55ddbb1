"""Random rules as texts, each with its meaning written down directly, and what they say by enumeration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod
from random import Random

from bnc2d import Classifier, Domain, RuleCheck, RuleResult
from tests.brute_force.decisions import decisions
from tests.brute_force.reasons import table_classifier
from tests.hard_classifiers import mixed_classifier
from tests.logic.constraints.random_texts import OPERATORS, Tree, as_text, holds, name

Row = dict[str, str]
Decided = tuple[Row, str | None]
Condition = Callable[[Row], bool]

MOST_INSTANCES = 60


@dataclass(frozen=True)
class RandomRule:
    """A rule, its kind, and whether an instance, or two, break it."""

    text: str
    kind: str
    broken_by: Callable[..., bool]
    of_two: bool

    def breaking(self, rows: Sequence[Decided]) -> Iterator[tuple[Decided, ...]]:
        """Yield every instance, or pair, that breaks the rule."""
        if not self.of_two:
            yield from ((one,) for one in rows if self.broken_by(one))
            return
        yield from ((one, other) for one in rows for other in rows if self.broken_by(one, other))


def small_classifier(seed: int) -> Classifier:
    """Return a classifier that can be enumerated: any table of decisions, or one with hidden variables."""
    mixed = mixed_classifier(seed, MOST_INSTANCES)
    is_small = prod(len(variable) for variable in mixed.network.variables) <= 1 << 14
    if seed % 3 and is_small:
        return mixed
    return table_classifier(seed, 1 << 8)


def decided_rows(classifier: Classifier) -> list[Decided]:
    table = decisions(classifier)
    return [(dict(zip(classifier.features, states, strict=True)), table[states]) for states in table]


def domain_of(classifier: Classifier) -> Domain:
    return Domain({variable.name: variable.states for variable in classifier.feature_variables})


def random_tree(domain: Domain, rng: Random, depth: int = 2) -> Tree:
    """Return a random formula over features."""
    if depth == 0 or rng.random() < 0.3:
        feature = rng.randrange(len(domain))
        states = domain.states[feature]
        return ("atom", domain.names[feature], tuple(rng.sample(states, rng.randint(1, len(states)))))
    if rng.random() < 0.2:
        return ("not", random_tree(domain, rng, depth - 1))
    parts = [random_tree(domain, rng, depth - 1) for _ in range(rng.randint(2, 3))]
    return (rng.choice(OPERATORS), *parts)


def random_condition(domain: Domain, rng: Random) -> tuple[str, Condition]:
    tree = random_tree(domain, rng)
    return as_text(tree, rng, domain), lambda row: holds(tree, row)


def random_rule(classifier: Classifier, rng: Random) -> RandomRule:
    make = rng.choice((_formula, _formula, _independence, _coherency, _rising, _staying))
    return make(classifier, rng)


def _class_atom(classifier: Classifier, rng: Random) -> tuple[str, Callable[[str | None], bool]]:
    """Return a statement about the decision; one in no class has none of the classes."""
    chosen = rng.sample(classifier.classes, rng.randint(1, len(classifier.classes)))
    subject = rng.choice(("class", name(classifier.target, rng)))
    listed = ", ".join(name(one, rng, is_state=True) for one in chosen)
    if rng.random() < 0.3:
        return f"{subject} not in {{{listed}}}", lambda decision: decision not in chosen
    return f"{subject} in {{{listed}}}", lambda decision: decision in chosen


def _formula(classifier: Classifier, rng: Random) -> RandomRule:
    condition, applies = random_condition(domain_of(classifier), rng)
    text, claimed = _class_atom(classifier, rng)
    if rng.random() < 0.2:
        more, claimed_too = _class_atom(classifier, rng)
        return RandomRule(
            f"({condition}) xor {text} xor {more}",
            "formula",
            lambda one: not (applies(one[0]) ^ claimed(one[1]) ^ claimed_too(one[1])),
            of_two=False,
        )
    return RandomRule(
        f"if {condition} then {text}",
        "formula",
        lambda one: applies(one[0]) and not claimed(one[1]),
        of_two=False,
    )


def _given(classifier: Classifier, rng: Random) -> tuple[str, Condition]:
    """Return a condition before a sentence, which may be none or two."""
    text, conditions = "", []
    for _ in range(rng.choice((0, 0, 1, 1, 2))):
        condition, applies = random_condition(domain_of(classifier), rng)
        text += f"if {condition} then{rng.choice((' ', chr(10)))}"
        conditions.append(applies)
    return text, lambda row: all(applies(row) for applies in conditions)


def _features(classifier: Classifier, rng: Random) -> list[str]:
    return rng.sample(classifier.features, rng.randint(1, min(3, len(classifier.features))))


def _listed(names: Sequence[str], rng: Random) -> str:
    return rng.choice((", ", " , ", ",\n ")).join(name(one, rng) for one in names)


def _differ_in(one: Row, other: Row) -> set[str]:
    return {name for name in one if one[name] != other[name]}


def _independence(classifier: Classifier, rng: Random) -> RandomRule:
    given, applies = _given(classifier, rng)
    features = _features(classifier, rng)

    def broken_by(one: Decided, other: Decided) -> bool:
        both = applies(one[0]) and applies(other[0])
        return both and one[1] != other[1] and _differ_in(one[0], other[0]) <= set(features)

    subject = rng.choice(("class", name(classifier.target, rng)))
    text = f"{given}{subject} does not depend on {_listed(features, rng)}"
    return RandomRule(text, "independence", broken_by, of_two=True)


def _coherency(classifier: Classifier, rng: Random) -> RandomRule:
    given, applies = _given(classifier, rng)
    text = f"{given}class changes by at most one step"
    features, order = list(classifier.features), list(classifier.classes)
    if rng.random() < 0.5:
        features = _features(classifier, rng)
        text += f" under a change of {_listed(features, rng)}"
    if rng.random() < 0.5:
        rng.shuffle(order)
        text += f" in the order {', '.join(name(one, rng, is_state=True) for one in order)}"

    def broken_by(one: Decided, other: Decided) -> bool:
        changed = _differ_in(one[0], other[0])
        if len(changed) != 1 or not changed <= set(features) or None in (one[1], other[1]):
            return False
        steps = abs(order.index(str(one[1])) - order.index(str(other[1])))
        return steps > 1 and applies(one[0]) and applies(other[0])

    return RandomRule(text, "coherency", broken_by, of_two=True)


def _raised(classifier: Classifier, features: Sequence[str]) -> Callable[[Row, Row], bool]:
    """Return whether the second of two instances differs by higher states of the features only."""
    states = {variable.name: variable.states for variable in classifier.feature_variables}

    def raised(one: Row, other: Row) -> bool:
        changed = _differ_in(one, other)
        return changed <= set(features) and all(
            states[at].index(one[at]) < states[at].index(other[at]) for at in changed
        )

    return raised


def _rising(classifier: Classifier, rng: Random) -> RandomRule:
    given, applies = _given(classifier, rng)
    features = _features(classifier, rng)
    raised = _raised(classifier, features)

    def broken_by(one: Decided, other: Decided) -> bool:
        if None in (one[1], other[1]) or not (applies(one[0]) and applies(other[0])):
            return False
        ranks = [classifier.classes.index(str(decision)) for _, decision in (one, other)]
        return ranks[0] > ranks[1] and raised(one[0], other[0])

    text = f"{given}raising {_listed(features, rng)} never lowers the class"
    return RandomRule(text, "rising", broken_by, of_two=True)


def _staying(classifier: Classifier, rng: Random) -> RandomRule:
    given, applies = _given(classifier, rng)
    features = _features(classifier, rng)
    raised, towards = _raised(classifier, features), rng.choice(classifier.classes)

    def broken_by(one: Decided, other: Decided) -> bool:
        both = applies(one[0]) and applies(other[0])
        return both and one[1] == towards != other[1] and raised(one[0], other[0])

    state = name(towards, rng, is_state=True)
    text = f"{given}raising {_listed(features, rng)} never leads out of class {state}"
    return RandomRule(text, "staying", broken_by, of_two=True)


def compare(
    classifier: Classifier,
    found: RuleCheck,
    rules: Sequence[RandomRule],
    rows: Sequence[Decided],
    counted: Counter[tuple[str, str]],
    place: object,
) -> None:
    """Check every result against enumeration, and count the kinds of rules and answers."""
    assert len(found.results) == len(rules), place
    for rule, result in zip(rules, found.results, strict=True):
        breaking = next(rule.breaking(rows), None)
        assert result.holds is (breaking is None), (place, rule.text)
        counted[rule.kind, result.status] += 1
        compare_witness(classifier, result, rule, rows, place)
    assert found.holds is all(result.holds for result in found.results)
    first = next((result for result in found.results if not result.holds), None)
    assert found.rule == (None if first is None else first.rule)
    assert found.witness == (None if first is None else first.witness)


def compare_witness(
    classifier: Classifier, result: RuleResult, rule: RandomRule, rows: Sequence[Decided], place: object
) -> None:
    """Check that the witness of a rule that is refuted breaks it."""
    assert len(result.instances) == (0 if result.holds else 1 + rule.of_two), place
    witness = list(zip(result.instances, result.decisions, strict=True))
    assert all(one in rows for one in witness), (place, rule.text)
    if witness:
        assert rule.broken_by(*witness), (place, rule.text)
    assert list(result.posteriors) == [classifier.posterior(one) for one in result.instances]
