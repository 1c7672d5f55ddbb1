"""Routes of the classifier over the known features of a partial instance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias
from weakref import WeakKeyDictionary

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.compile.compiler import compile_classifier
from bnc2d.compile.estimate import expected_seconds
from bnc2d.compile.model import BaseCompiledModel, Stats
from bnc2d.compile.result import feature_domain
from bnc2d.compile.zeros.constraint import allowed_by
from bnc2d.errors import LimitExceeded
from bnc2d.explain.routes import CompiledRoute, GivenRoute, NetworkRoute, Route
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder
from bnc2d.logic.diagram.projecting import some_completion
from bnc2d.logic.diagram.restrict import restricted
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.partial import over

# Seconds to compile a smaller classifier; an estimate that exceeds them many times is believed.
COMPILE_SECONDS, _PLAIN = 3.0, 10
# Routes that are kept for a model or a classifier, by the features that are known.
_MOST_KEPT = 16

_Kept: TypeAlias = dict[tuple[int, ...], Route]
_kept: WeakKeyDictionary[BaseCompiledModel | BaseClassifier, _Kept] = WeakKeyDictionary()


def smaller_route(route: Route, known: Sequence[int], time_limit: float = COMPILE_SECONDS) -> Route:
    """Return what answers for the classifier over some of a route's features, by position.

    From a compiled model the smaller classifier is compiled, too, where the time (seconds) is enough; else
    the network answers. Under a constraint, what is known counts where some completion satisfies it.
    """
    if isinstance(route, GivenRoute | NetworkRoute) and route.allowed is not None:
        smaller = smaller_route(route.free, known, time_limit)
        return _under(smaller, some_completion(route.allowed, known, smaller.domain), route.given)
    owner = route.model if isinstance(route, CompiledRoute) else route.classifier
    kept = _kept.setdefault(owner, {})
    key = tuple(known)
    found = kept.get(key)
    if found is None:
        compiled = isinstance(route, CompiledRoute)
        found = _route_over(over(route.classifier, key), time_limit if compiled else None)
        while len(kept) >= _MOST_KEPT:
            kept.pop(next(iter(kept)), None)  # the oldest
        if time_limit >= COMPILE_SECONDS or isinstance(found, CompiledRoute) == compiled:
            kept[key] = found  # else more time may give a better one
    return found


def _under(route: Route, allowed: Diagram, given: str) -> Route:
    """Return a route of which only instances that are allowed count."""
    if isinstance(route, NetworkRoute):
        return NetworkRoute(route.classifier, route.oracle, allowed, given)
    if not isinstance(route, CompiledRoute):
        raise AssertionError("a smaller classifier is compiled, or it is the network")
    diagram = route.model.diagram
    in_order = allowed_by(allowed.to_nnf(1), diagram.order)
    return GivenRoute(route, restricted(diagram, in_order), given, in_order)


def _route_over(classifier: BaseClassifier, time_limit: float | None) -> Route:
    """Return what answers for a classifier, compiled within a time limit, or without compiling (None)."""
    if not classifier.features:
        return CompiledRoute(_constant_model(classifier))
    if time_limit is not None:
        try:
            with Budget(time_limit).limiting("there is no plan to compile"):
                expected = expected_seconds(classifier)
            if expected <= _PLAIN * time_limit:
                return CompiledRoute(compile_classifier(classifier, time_limit=time_limit))
        except LimitExceeded:  # the network answers
            pass
    return NetworkRoute(classifier)


def _constant_model(classifier: BaseClassifier) -> BaseCompiledModel:
    """Return the model of a classifier without features: the prior decides."""
    terminals = len(classifier.classes) + classifier.rule.leaves_ties
    label = int(classifier.labels(np.zeros((1, 0), dtype=np.intp))[0]) % terminals  # -1 is the last: no class
    diagram = DiagramBuilder(terminals).finish(feature_domain(classifier), (), label)
    return BaseCompiledModel(classifier, diagram, Stats("prior"))
