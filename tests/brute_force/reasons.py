"""Explanations by their definitions, over the explicit list of all decisions; sets of instances are bits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import combinations, product
from math import prod
from operator import and_, or_
from random import Random

from hypothesis import assume
from hypothesis import strategies as st

from bnc2d import CPT, BayesianNetwork, Classifier, Clause, CompiledModel, Explanation, Term, Variable
from tests.brute_force.decisions import decisions
from tests.strategies import classifiers

Masks = tuple[int, ...]  # one per feature; one that does not occur is full in a term, empty in a clause
States = tuple[str, ...]

MOST_TERMS = 4_096


@dataclass(frozen=True)
class Truth:
    """A model, an instance and the fixed features, with every decision by enumeration."""

    model: CompiledModel
    table: dict[States, str | None]
    own: States
    fixed: frozenset[int]

    @property
    def instance(self) -> dict[str, str]:
        return self.named(self.own)

    @property
    def explanation(self) -> Explanation:
        found: Explanation = self.model.explain(self.instance, [self.model.features[f] for f in self.fixed])
        return found

    @property
    def decision(self) -> str | None:
        return self.table[self.own]

    def named(self, states: States) -> dict[str, str]:
        return dict(zip(self.model.features, states, strict=True))

    def decide(self, instance: dict[str, str]) -> str | None:
        return self.table[tuple(instance[name] for name in self.model.features)]

    @cached_property
    def full(self) -> Masks:
        return tuple(self.model.domain.full(f) for f in range(len(self.model.domain)))

    @cached_property
    def own_masks(self) -> Masks:
        states = self.model.domain.states
        return tuple(1 << states[f].index(state) for f, state in enumerate(self.own))

    @cached_property
    def space(self) -> list[States]:
        """The instances that differ from this one in no fixed feature."""
        return [states for states in self.table if all(states[f] == self.own[f] for f in self.fixed)]

    def bits(self, members: Iterable[States]) -> int:
        place = {states: 1 << number for number, states in enumerate(self.space)}
        return reduce(or_, (place[states] for states in members), 0)

    def literal(self, feature: int, mask: int) -> int:
        states = self.model.domain.states[feature]
        return self.bits(s for s in self.space if mask >> states.index(s[feature]) & 1)

    @cached_property
    def literals(self) -> list[list[int]]:
        return [[self.literal(f, mask) for mask in range(full + 1)] for f, full in enumerate(self.full)]

    def inside(self, allowed: set[str | None]) -> set[States]:
        return {states for states in self.space if self.table[states] in allowed}

    def general(self, formula: set[States]) -> set[States]:
        """The union of all terms that the instance has and that imply the formula.

        The smallest term with the instance and another one lets each feature be as in either.
        """
        return {
            states
            for states in formula
            if all(
                between in formula for between in product(*map(_either, zip(self.own, states, strict=True)))
            )
        }

    def complete(self, formula: set[States]) -> set[States]:
        """The union of all parts of the instance that imply the formula."""
        found = set()
        for states in formula:
            agreeing = [f for f, state in enumerate(states) if state == self.own[f]]
            if all(s in formula for s in self.space if all(s[f] == self.own[f] for f in agreeing)):
                found.add(states)
        return found

    def implicants(self, members: set[States]) -> set[Masks]:
        true = self.bits(members)
        choices = [[full] if f in self.fixed else range(1, full + 1) for f, full in enumerate(self.full)]
        found = {m for m in product(*choices) if not self.joined(m, and_) & ~true}
        return {m for m in found if not any(more in found for more in self._one_more(m))}

    def implicates(self, members: set[States]) -> set[Masks]:
        true = self.bits(members)
        choices = [[0] if f in self.fixed else range(full) for f, full in enumerate(self.full)]
        found = {m for m in product(*choices) if not true & ~self.joined(m, or_)}
        return {m for m in found if not any(less in found for less in _one_less(m))}

    def joined(self, masks: Masks, how: Callable[[int, int], int]) -> int:
        return reduce(how, (self.literals[f][mask] for f, mask in enumerate(masks)))

    def _one_more(self, masks: Masks) -> Iterator[Masks]:
        for f, mask in enumerate(masks):
            for state in range(self.full[f].bit_length()):
                if not mask >> state & 1:
                    yield (*masks[:f], mask | 1 << state, *masks[f + 1 :])

    def terms(self, primes: set[Masks]) -> set[Term]:
        return {Term(self.model.domain, self._names(m, self.full)) for m in primes}

    def clauses(self, primes: set[Masks]) -> set[Clause]:
        return {Clause(self.model.domain, self._names(m, (0,) * len(m))) for m in primes}

    def _names(self, masks: Masks, absent: Masks) -> dict[str, object]:
        domain = self.model.domain
        return {domain.names[f]: domain.states_of(f, m) for f, m in enumerate(masks) if m != absent[f]}


def _either(pair: tuple[str, str]) -> set[str]:
    return set(pair)


def _one_less(masks: Masks) -> Iterator[Masks]:
    for f, mask in enumerate(masks):
        for state in range(mask.bit_length()):
            if mask >> state & 1:
                yield (*masks[:f], mask & ~(1 << state), *masks[f + 1 :])


def variable_minimal_terms(terms: set[Term]) -> set[Term]:
    used = {frozenset(term) for term in terms}
    return {term for term in terms if not any(other < frozenset(term) for other in used)}


def variable_minimal_clauses(clauses: set[Clause]) -> set[Clause]:
    used = {frozenset(clause) for clause in clauses}
    return {clause for clause in clauses if not any(other < frozenset(clause) for other in used)}


def minimal_sets(truth: Truth, *, necessary: bool) -> list[frozenset[str]]:
    """The features of the sufficient (or necessary) reasons, from the decisions alone, the shortest first."""
    names = truth.model.features
    free = [f for f in range(len(names)) if f not in truth.fixed]
    table = {states: truth.table[states] for states in truth.space}
    found = _minimal_parts(table, truth.own, free, necessary=necessary)
    return [frozenset(names[f] for f in part) for part in found]


def sufficient_reasons(classifier: Classifier, instance: dict[str, str]) -> list[dict[str, str]]:
    """The minimal parts of the instance that fix its decision whatever the other features are."""
    return _parts(classifier, instance, necessary=False)


def necessary_reasons(classifier: Classifier, instance: dict[str, str]) -> list[dict[str, str]]:
    """The minimal parts of the instance that, all given up together, can change its decision."""
    return _parts(classifier, instance, necessary=True)


def _parts(classifier: Classifier, instance: dict[str, str], *, necessary: bool) -> list[dict[str, str]]:
    names = classifier.features
    own = tuple(instance[name] for name in names)
    found = _minimal_parts(decisions(classifier), own, range(len(own)), necessary=necessary)
    return [{names[f]: own[f] for f in sorted(part)} for part in found]


def _minimal_parts(
    table: dict[States, str | None], own: States, free: Iterable[int], *, necessary: bool
) -> list[frozenset[int]]:
    members = list(free)
    changing = [
        frozenset(f for f in members if states[f] != own[f])
        for states, decision in table.items()
        if decision != table[own]
    ]
    found: list[frozenset[int]] = []
    for size in range(len(members) + 1):
        for part in map(frozenset, combinations(members, size)):
            holds = any(c <= part for c in changing) if necessary else all(c & part for c in changing)
            if holds and not any(smaller <= part for smaller in found):
                found.append(part)
    return found


def truth_of(classifier: Classifier, own: dict[str, str], fixed: Iterable[str] = ()) -> Truth:
    features = list(classifier.features)
    states = tuple(own[name] for name in features)
    held = frozenset(features.index(name) for name in fixed)
    return Truth(classifier.compile(), decisions(classifier), states, held)


def table_classifier(seed: int, most_terms: int) -> Classifier:
    """Return a classifier whose target is a child of all its features: any table of decisions, with ties.

    Labels come from thresholds on a sum of weights, so that reasons are many and of all lengths, with some
    noise; a few columns are ties.
    """
    rng = Random(seed)  # noqa: S311
    sizes = [rng.choice((1, 2, 2, 2, 3, 3, 4)) for _ in range(rng.choice((1, 4, 5, 6)))]
    while prod(2**size for size in sizes) > most_terms:
        sizes.pop()
    names = [[f"s{state}" for state in range(size)] for size in sizes]
    features = [Variable(f"F{number}", tuple(states)) for number, states in enumerate(names)]
    classes = rng.choice((2, 2, 3, 4))
    weights = [rng.sample((0, 1, 2, 3), size) for size in sizes]
    noise, tied = rng.choice((0.0, 0.0, 0.05, 0.5)), rng.choice((0.0, 0.0, 0.2))
    most = sum(max(row) for row in weights)
    entries: list[Fraction] = []
    for states in product(*map(range, sizes)):
        total = sum(row[state] for row, state in zip(weights, states, strict=True))
        best = {rng.randrange(classes) if rng.random() < noise else total * classes // (most + 1)}
        if rng.random() < tied:
            best.add(rng.randrange(classes))
        entries += [Fraction(int(label in best), len(best)) for label in range(classes)]
    target = Variable("Y", tuple(f"c{label}" for label in range(classes)))
    cpts = [CPT(v, (), [Fraction(1, len(v))] * len(v)) for v in features]
    network = BayesianNetwork([*features, target], [*cpts, CPT(target, features, entries)])
    return Classifier(network, "Y", [v.name for v in features], ties=rng.choice(("lowest", "none")))


@st.composite
def truths(draw: st.DrawFn, most_terms: int = MOST_TERMS) -> Truth:
    """Random multi-valued classifiers, constant ones and one-feature ones among them, with an instance."""
    tables = st.integers(0, 10**9).map(lambda seed: table_classifier(seed, most_terms))
    classifier = draw(tables if draw(st.integers(0, 3)) else classifiers())
    assume(prod(2 ** len(variable) for variable in classifier.feature_variables) <= most_terms)
    rng = Random(draw(st.integers(0, 10**9)))  # noqa: S311
    own = {v.name: rng.choice(v.states) for v in classifier.feature_variables}
    fixed = draw(st.just([]) | st.lists(st.sampled_from(classifier.features), max_size=2))
    return truth_of(classifier, own, fixed)
