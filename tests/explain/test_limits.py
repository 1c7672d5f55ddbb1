"""Time limits of explanations and questions hold on a model with tens of thousands of nodes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bnc2d import Explanation
from bnc2d.base.checkpoints import ending
from tests.deadlines import assert_in_time, large_model

LIMIT = 0.1


ASKED: dict[str, Callable[[Explanation], object]] = {
    "sufficient": lambda e: list(e.sufficient_reasons(time_limit=LIMIT)),
    "general necessary": lambda e: list(e.general_necessary_reasons(time_limit=LIMIT)),
    "contrastive": lambda e: list(e.contrastive("0", time_limit=LIMIT)),
    "counted": lambda e: e.count_general_sufficient_reasons(time_limit=LIMIT),
    "shortest": lambda e: e.shortest_sufficient_reason(time_limit=LIMIT),
    "relevant": lambda e: e.relevant_features(time_limit=LIMIT),
    "checked": lambda e: e.is_sufficient(dict(list(e.instance.items())[:12]), time_limit=LIMIT),
    "in words": lambda e: e.to_text(time_limit=LIMIT),
}


@pytest.mark.parametrize("asked", ASKED)
def test_a_time_limit_of_an_explanation_holds(asked: str) -> None:
    """The reason that the answer needs has yet to be made, in part also the formula."""
    model = large_model()
    instance = model.sample("1", seed=3)
    assert_in_time(lambda: ASKED[asked](model.explain(instance)), LIMIT)


def test_a_time_limit_of_a_question_holds() -> None:
    model = large_model()
    assert_in_time(lambda: model.is_biased(model.features[-12:], time_limit=LIMIT), LIMIT)


class OuterError(Exception):
    """Raised by a check."""


def test_an_outer_limit_ends_inner_ones() -> None:
    def stop() -> None:
        raise OuterError

    model = large_model()
    e = model.explain(model.sample("1", seed=4))
    with ending(stop):
        for ask in (e.relevant_features, e.count_sufficient_reasons, lambda: next(e.sufficient_reasons())):
            with pytest.raises(OuterError):
                ask()
