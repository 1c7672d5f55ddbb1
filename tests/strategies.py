"""Hypothesis strategies: random classifiers small enough to enumerate."""

from hypothesis import strategies as st

from bnc2d.api.classifier import Classifier
from bnc2d.model.network import BayesianNetwork
from bnc2d.testing import random_classifier, random_network


@st.composite
def networks(draw: st.DrawFn) -> BayesianNetwork:
    return random_network(
        draw(st.integers(0, 10**9)),
        variables=draw(st.integers(1, 8)),
        max_states=draw(st.sampled_from([2, 3, 6])),
        min_states=draw(st.sampled_from([1, 2])),
        zero_share=draw(st.sampled_from([0.0, 0.3])),
        digits=draw(st.sampled_from([1, 2, 4])),
    )


@st.composite
def classifiers(draw: st.DrawFn) -> Classifier:
    """All knobs: thresholds, tie rules, zeros, repeated columns, inner features, non-root targets."""
    return random_classifier(
        draw(st.integers(0, 10**9)),
        variables=draw(st.integers(2, 7)),
        features=draw(st.integers(1, 5)),
        max_states=draw(st.sampled_from([2, 3, 4])),
        min_states=draw(st.sampled_from([1, 2])),
        max_parents=draw(st.integers(0, 3)),
        zero_share=draw(st.sampled_from([0.0, 0.15, 0.5])),
        deterministic_share=draw(st.sampled_from([0.0, 0.3])),
        repeat_share=draw(st.sampled_from([0.0, 0.5, 0.9])),
        digits=draw(st.sampled_from([1, 2])),
        inner_features=draw(st.booleans()),
        root_target=draw(st.booleans()),
        threshold=draw(st.booleans()),
        ties=draw(st.sampled_from(["lowest", "none"])),
    )
