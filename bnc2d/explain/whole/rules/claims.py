"""What a rule claims: a formula that every instance satisfies, or something about every two instances."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.readers.arguments import names as as_names
from bnc2d.errors import ClassifierError
from bnc2d.logic.constraints.formula import Atom, Constant, Formula, Gate, Operator
from bnc2d.logic.constraints.reader import Literal as FeatureLiteral
from bnc2d.logic.constraints.reader import literal_resolver
from bnc2d.logic.constraints.syntax import parse_statements
from bnc2d.logic.constraints.tokens import KEYWORDS, Position
from bnc2d.logic.domain import Domain, FeatureId
from bnc2d.model.classifier import BaseClassifier

RuleFormula: TypeAlias = Formula[FeatureLiteral]
# How two instances may differ in the features of a claim: in any way, in one of them only, or upwards.
Change: TypeAlias = Literal["any", "one", "up"]

_PLAIN = re.compile(r"(?:[\w.+]|-(?!>))+")


@dataclass(frozen=True, eq=False)
class PairClaim:
    """No two instances that both satisfy the condition have decisions that are forbidden together.

    The two differ in the ``features`` only, as ``change`` says. ``forbidden`` is an array ``[first, second]``
    of decisions by label; the label after those of the classes is "in no class". No decision is forbidden
    with itself, and unless the change is upwards the array is symmetric.
    """

    condition: RuleFormula | None
    features: tuple[FeatureId, ...]
    change: Change
    forbidden: NDArray[np.bool_]

    @property
    def matters(self) -> NDArray[np.bool_]:
        """Whether each label is forbidden with another; instances of other labels cannot break it."""
        return np.asarray(self.forbidden.any(axis=0) | self.forbidden.any(axis=1))


@dataclass(frozen=True)
class Rule:
    """A rule, as it is written, the line on which it begins, and what it claims."""

    text: str
    line: int
    claim: RuleFormula | PairClaim


def independent(
    classes: int, features: Iterable[FeatureId], condition: RuleFormula | None = None
) -> PairClaim:
    """Return the claim that the decision does not depend on features."""
    return PairClaim(condition, _distinct(features), "any", ~np.eye(classes + 1, dtype=bool))


def coherent(
    order: Sequence[int], features: Iterable[FeatureId], condition: RuleFormula | None = None
) -> PairClaim:
    """Return the claim that a change of one feature leads at most one step along an order of all classes."""
    rank = np.empty(len(order), dtype=np.intp)
    rank[list(order)] = np.arange(len(order))
    forbidden = _nothing(len(order))
    forbidden[:-1, :-1] = np.abs(rank[:, None] - rank) > 1
    return PairClaim(condition, _distinct(features), "one", forbidden)


def rising(
    classes: int,
    features: Iterable[FeatureId],
    towards: int | None = None,
    condition: RuleFormula | None = None,
) -> PairClaim:
    """Return the claim that raising features never lowers the class, or never leads out of one."""
    forbidden = _nothing(classes)
    if towards is None:
        forbidden[:-1, :-1] = np.tri(classes, k=-1, dtype=bool)
    else:
        forbidden[towards] = True
        forbidden[towards, towards] = False
    return PairClaim(condition, _distinct(features), "up", forbidden)


def _nothing(classes: int) -> NDArray[np.bool_]:
    return np.zeros((classes + 1, classes + 1), dtype=bool)


def _distinct(features: Iterable[FeatureId]) -> tuple[FeatureId, ...]:
    return tuple(sorted(set(features)))


def conjunction(parts: Sequence[RuleFormula]) -> RuleFormula | None:
    """Return the formula that all parts hold; None where there are none."""
    if len(parts) < 2:
        return parts[0] if parts else None
    return Gate(Operator.AND, tuple(parts))


def under(rule: Rule, domain: Domain, given: object) -> Rule:
    """Return a rule that is only about instances that satisfy a condition, a text or a region."""
    condition, _ = _condition(domain, given)
    if condition is None:
        return rule
    claim = rule.claim
    if isinstance(claim, PairClaim):
        both = [condition] if claim.condition is None else [condition, claim.condition]
        return replace(rule, claim=replace(claim, condition=conjunction(both)))
    return replace(rule, claim=Gate(Operator.IMPLIES, (condition, claim)))


def independence_rule(
    domain: Domain, classifier: BaseClassifier, features: str | Iterable[str], given: object
) -> Rule:
    """Return the rule that ``is_independent`` asks about; ``given`` is a text or a region."""
    names = _feature_names(domain, features)
    condition, words = _condition(domain, given)
    claim = independent(len(classifier.classes), map(domain.index, names), condition)
    return Rule(f"{words}class does not depend on {_listed(names)}", 1, claim)


def coherence_rule(
    domain: Domain,
    classifier: BaseClassifier,
    order: Sequence[str] | None,
    features: str | Iterable[str] | None,
    given: object,
) -> Rule:
    """Return the rule that ``is_coherent`` asks about."""
    text = "class changes by at most one step"
    names: Sequence[str] = domain.names
    if features is not None:
        names = _feature_names(domain, features)
        text += f" under a change of {_listed(names)}"
    ranked = list(range(len(classifier.classes)))
    if order is not None:
        given_order = as_names(order, "order")
        ranked = [classifier.label(name) for name in given_order]
        if sorted(ranked) != list(range(len(classifier.classes))):
            raise ClassifierError(f"order must list each class of {classifier.target!r} once")
        text += f" in the order {_listed([classifier.classes[label] for label in ranked])}"
    condition, words = _condition(domain, given)
    return Rule(words + text, 1, coherent(ranked, map(domain.index, names), condition))


def _feature_names(domain: Domain, features: str | Iterable[str]) -> list[str]:
    given = as_names(features, "features")
    if not given:
        raise ClassifierError("the list of features is empty; name at least one")
    return [domain.names[domain.index(name)] for name in given]


def _condition(domain: Domain, given: object) -> tuple[RuleFormula | None, str]:
    """Return the condition that a text or a region stands for, and how a rule begins with it."""
    if given is None:
        return None, ""
    if not isinstance(given, Mapping):
        statements = parse_statements(given, literal_resolver(domain))  # type: ignore[arg-type]  # says so
        found = conjunction([statement.formula for statement in statements])
        texts = [f"({one.text})" if len(statements) > 1 else one.text for one in statements]
        return found, f"if {' and '.join(texts)} then " if statements else ""
    atoms: list[RuleFormula] = []
    words = []
    for name, states in given.items():
        feature = domain.index(name)
        mask = domain.mask(feature, states)
        atoms.append(Atom(FeatureLiteral(feature, mask), Position(1, 1)) if mask else Constant(False))
        chosen = _listed(domain.states_of(feature, mask))
        words.append(f"{_spelled(domain.names[feature])} in {{{chosen}}}" if mask else "false")
    return conjunction(atoms), f"if {' and '.join(words)} then " if words else ""


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(_spelled, names))


def _spelled(name: str) -> str:
    """Return a name as it is written in a rule, in quotes where it must be."""
    if _PLAIN.fullmatch(name) and name.lower() not in KEYWORDS:
        return name
    return "'" + name.replace("\\", "\\\\").replace("'", "\\'") + "'"
