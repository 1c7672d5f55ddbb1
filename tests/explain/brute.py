"""Compiled random classifiers with all their decisions, made by inference and not by the diagram."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

from bnc2d import Classifier, CompiledModel
from bnc2d.base.instances import all_rows
from bnc2d.testing import mixed_classifier
from tests.strategies import classifiers


@dataclass(frozen=True)
class Known:
    """A model and the decision on every instance, given as state positions."""

    model: CompiledModel
    decisions: dict[tuple[int, ...], str | None]

    def instance(self, row: tuple[int, ...]) -> dict[str, str]:
        return self.model.domain.decode(row)

    def row(self, instance: dict[str, str]) -> tuple[int, ...]:
        return tuple(self.model.domain.encode(instance))

    def draw_row(self, data: st.DataObject) -> tuple[int, ...]:
        return data.draw(st.sampled_from(list(self.decisions)), "instance")


def known(classifier: Classifier) -> Known:
    rows = np.concatenate(list(all_rows(classifier.feature_variables)))
    names = classifier.predict(rows).tolist()
    return Known(classifier.compile(), dict(zip(map(tuple, rows.tolist()), names, strict=True)))


def known_models() -> st.SearchStrategy[Known]:
    """Small classifiers of every kind: some constant, some with empty classes, ties left in no class."""
    mixed = st.integers(0, 10**6).map(lambda seed: mixed_classifier(seed, 150))
    return st.one_of(classifiers(), mixed).map(known)
