"""What is audited and what is asked of it, and how each check is run within its share of the time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.auditing.findings import AuditCheck, Heading, Shown
from bnc2d.base.budget import Budget
from bnc2d.base.readers.instances import encode_one
from bnc2d.compile.model import BaseCompiledModel
from bnc2d.errors import LimitExceeded
from bnc2d.logic.domain import Domain
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.network import BayesianNetwork

if TYPE_CHECKING:
    from bnc2d.auditing.rows import RowTable

# What raising a feature is to do to the decision.
Directions: TypeAlias = Mapping[str, str]

BY_DIAGRAM = "proof: by the decision diagram, for all instances"
MODEL, BROUGHT = "the model", "the network brought"
_MOST_POSTERIORS = 6


@dataclass(frozen=True)
class Subject:
    """A model, what the auditor brings, and what is asked; ``monotone`` is None where it was not asked."""

    model: CompiledModel
    network: BayesianNetwork | None = None
    rows: RowTable | None = None
    protected: tuple[str, ...] = ()
    rules: str | tuple[str, ...] | None = None
    monotone: Directions | None = None
    towards: str | None = None
    samples: int = 200
    seed: int = 0

    @property
    def protected_features(self) -> tuple[str, ...]:
        """The protected names that are features of the model; others are columns or variables."""
        return tuple(name for name in self.protected if name in self.model.features)


# What a check does within a budget: it may give several findings.
Ask: TypeAlias = Callable[[Budget], Sequence[AuditCheck]]


@dataclass(frozen=True)
class Planned:
    """A check to come: what it is about should a limit end it, what it does, and its weight in the time.

    One that ``limits_itself`` looks at its budget by itself, so that what it has found by then is kept.
    """

    heading: Heading
    ask: Ask
    weight: float = 1.0
    limits_itself: bool = False

    def run(self, budget: Budget) -> list[AuditCheck]:
        """Run the check; a limit that comes first leaves it open, and says so."""
        started = monotonic()
        try:
            if self.limits_itself:
                budget.left()  # it runs from here on
                found = list(self.ask(budget))
            else:
                with budget.limiting("no answer"):
                    found = list(self.ask(budget))
        except LimitExceeded as error:
            found = [self.heading.found("open", f"not finished: {error}")]
        took = monotonic() - started
        return [replace(one, seconds=took / len(found)) for one in found]


def as_shown(
    classifier: BaseClassifier,
    caption: str,
    instance: Mapping[str, str],
    decisions: Mapping[str, str | None],
) -> Shown:
    """Return an instance as a witness, with the probabilities by the network of a classifier."""
    return Shown(caption, instance, decisions, _by_the_network(classifier, instance))


def pair_shown(
    model: CompiledModel, pair: Sequence[Mapping[str, str]], captions: Sequence[str] = ("before", "after")
) -> tuple[Shown, ...]:
    """Return two instances (or one) with the model's decisions."""
    return tuple(
        as_shown(model.classifier, caption, instance, {MODEL: decision_of(model, instance)})
        for caption, instance in zip(captions, pair, strict=False)
    )


def decision_of(model: BaseCompiledModel, instance: Mapping[str, str]) -> str | None:
    """Return the name of the class that a model, whatever its constraint, puts an instance in."""
    row = encode_one(model.classifier.feature_variables, instance)
    labels = model.unconstrained.diagram.labels(np.array([row], dtype=np.intp))
    return (*model.classes, None)[int(labels[0])]


def network_decision(classifier: BaseClassifier, instance: Mapping[str, str]) -> str | None:
    """Return the name of the class that inference in a network puts an instance in."""
    row = encode_one(classifier.feature_variables, instance)
    return (*classifier.classes, None)[int(classifier.labels(np.array([row], dtype=np.intp))[0])]


def _by_the_network(classifier: BaseClassifier, instance: Mapping[str, str]) -> str:
    posterior = classifier.posterior([dict(instance)])[0]
    if not any(posterior.values()):
        return "probability 0"
    listed = sorted(posterior.items(), key=lambda item: -item[1])[:_MOST_POSTERIORS]
    return " ".join(f"P({name})={share:.4g}" for name, share in listed)


def counted(number: int, what: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "row"), counted(1200, "row")
    ('1 row', '1,200 rows')
    """
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def percent(part: int, whole: int) -> str:
    """Return a share that is 0 % or 100 % only where it is so exactly.

    >>> percent(0, 3), percent(1, 3), percent(1, 10**9), percent(3, 3)
    ('0 %', '33.33 %', '0.01 %', '100 %')
    """
    if part in (0, whole):
        return "100 %" if part else "0 %"
    return f"{min(max(100 * part / whole, 0.01), 99.99):.2f} %"


def change_words(domain: Domain, one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """Return what changes from one instance to another, in words.

    >>> change_words(Domain({"BP": ("Low", "High"), "CT": ("0", "1")}), {"BP": "Low", "CT": "0"},
    ...              {"BP": "High", "CT": "0"})
    'BP=Low → BP=High'
    """
    changed = [name for name in domain.names if one[name] != other[name]]
    return ", ".join(f"{literal(domain, name, one)} → {literal(domain, name, other)}" for name in changed)


def literal(domain: Domain, name: str, instance: Mapping[str, str]) -> str:
    """Return the state that a feature has in an instance, as reasons print it."""
    feature = domain.index(name)
    return domain.show_literal(feature, domain.mask(feature, instance[name]))
