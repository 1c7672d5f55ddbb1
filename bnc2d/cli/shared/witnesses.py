"""Instances that show an answer, as data and in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from bnc2d.base.finding import decision_words, instance_words
from bnc2d.base.scales import Label, json_value
from bnc2d.errors import LimitExceeded
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.decision import Basis
from bnc2d.report.decisions import decision_data

Posterior = Mapping[str, Fraction | float]


def witness_data(
    classifier: BaseClassifier,
    instances: Sequence[Mapping[str, str]],
    decisions: Sequence[Label | None],
    posteriors: Sequence[Posterior],
) -> list[dict[str, Any]]:
    """Return instances with their decisions, as ``docs/json.md`` describes them."""
    parts = zip(instances, decisions, _bases(classifier, instances), posteriors, strict=True)
    return [
        {"instance": dict(instance), **decision_data(decision, basis, posterior)}
        for instance, decision, basis, posterior in parts
    ]


def shown_data(classifier: BaseClassifier, instances: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return the same where decisions and posteriors are not known yet."""
    labels = _labels(classifier, instances)
    return witness_data(classifier, instances, labels, [posterior_of(classifier, one) for one in instances])


def shown_lines(classifier: BaseClassifier, instances: Sequence[Mapping[str, str]]) -> list[str]:
    """Return a line for each instance with its decision, and one with its posterior."""
    lines = []
    for instance, decision in zip(instances, _labels(classifier, instances), strict=True):
        (posterior,) = posterior_lines(classifier, [instance], [posterior_of(classifier, instance)])
        lines += [f"{instance_words(instance)} is {decision_words(decision)}", f"  {posterior}"]
    return lines


def posterior_lines(
    classifier: BaseClassifier, instances: Sequence[Mapping[str, str]], posteriors: Sequence[Posterior]
) -> list[str]:
    """Return a line a posterior, which names its instance where there are several."""
    lines = []
    bases = _bases(classifier, instances)
    for instance, posterior, basis in zip(instances, posteriors, bases, strict=True):
        shown = " ".join(f"P({name})={float(share):.4g}" for name, share in posterior.items())
        what = "" if len(bases) == 1 else f"{instance_words(instance)}: "
        lines.append(what + (shown if basis.possible else f"impossible, so the {basis.decided_by} decides"))
    return lines


def differences(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """Return what differs between two instances: ``S: M → F``."""
    return ", ".join(f"{name}: {one[name]} → {other[name]}" for name in one if one[name] != other[name])


def posterior_of(classifier: BaseClassifier, instance: Mapping[str, str]) -> Posterior:
    """Return the posterior in fractions, or in floats where exact inference is too large."""
    try:
        return classifier.posterior(dict(instance))
    except LimitExceeded:
        return classifier.posterior(dict(instance), exact=False)


def _rows(classifier: BaseClassifier, instances: Sequence[Mapping[str, str]]) -> Any:
    variables = classifier.feature_variables
    rows = [[one.index(instance[one.name]) for one in variables] for instance in instances]
    return np.array(rows, dtype=np.intp).reshape(len(rows), len(variables))


def _bases(classifier: BaseClassifier, instances: Sequence[Mapping[str, str]]) -> list[Basis]:
    return classifier.bases(_rows(classifier, instances)) if instances else []


def _labels(classifier: BaseClassifier, instances: Sequence[Mapping[str, str]]) -> list[Label | None]:
    if not instances:
        return []
    decisions = (*classifier.class_labels, None)
    return [decisions[label] for label in classifier.labels(_rows(classifier, instances))]


def class_value(classifier: BaseClassifier, name: str | None) -> Any:
    """Return a class as data has it: the label that its name stands for."""
    return None if name is None else json_value(classifier.class_labels[classifier.classes.index(name)])
