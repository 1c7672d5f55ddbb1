"""Circuits over Boolean variables, read as circuits over features: which variable stands for what.

Variables that stand for nothing are projected away: an instance is a model where some values of theirs make
it one. In an AND-decomposable circuit that means to leave their literals out.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

import numpy as np

from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.readers.arguments import count, items, wrong
from bnc2d.base.readers.states import false_true
from bnc2d.errors import FormatError, LogicError
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import TRUE, Manager, NodeId
from bnc2d.logic.circuit.queries import is_and_decomposable, is_constant
from bnc2d.logic.convert.one_hot import OneHot, Variable
from bnc2d.logic.domain import Domain, FeatureId, StateMask

# What users give: the variable of each feature, or that of each state as ``NNF.to_cnf`` numbers them.
Variables: TypeAlias = Sequence[int] | Literal["one-hot"] | None
_Reading: TypeAlias = Callable[[Variable, bool], NodeId]

ONE_HOT = "one-hot"
_MAX_VARIABLE = 10**9


def true_masks(domain: Domain) -> list[StateMask]:
    """Return, for each two-state feature, the mask of the state that a positive literal stands for."""
    readings = [false_true(states) for states in domain.states]
    return [
        1 << (1 if reading is None else states.index(reading[1]))
        for states, reading in zip(domain.states, readings, strict=True)
    ]


def check_variables(domain: Domain | None, variables: object) -> list[int] | Literal["one-hot"] | None:
    """Return the variables as they are read, or raise the error that says what they may be."""
    expected = "a list of numbers, one a feature, or 'one-hot'"
    if isinstance(variables, str) and variables == ONE_HOT:
        if domain is None:
            raise LogicError("variables='one-hot' needs the domain whose states the variables stand for")
        return "one-hot"
    if variables is None:
        return None
    numbers = [
        count(number, "each of the variables", least=1, most=_MAX_VARIABLE, error=LogicError)
        for number in items(variables, "variables", expected, LogicError)
    ]
    if len(set(numbers)) != len(numbers):
        raise wrong("variables", variables, "different numbers", LogicError)
    if domain is not None and len(domain) != len(numbers):
        raise LogicError(f"there are {len(numbers)} variables for {len(domain)} features")
    return numbers


def over_features(
    manager: Manager,
    root: NodeId,
    domain: Domain | None,
    variables: list[int] | Literal["one-hot"] | None,
    path: str,
) -> tuple[Manager, NodeId]:
    """Return a circuit of two-state features as one over a domain, in a new manager.

    Feature ``i`` of the circuit is variable ``i + 1``. ``variables`` are those of the features of the domain,
    by default 1, 2, ...; in the one-hot reading, those of their states.
    """
    if isinstance(variables, str):
        if domain is None:
            raise LogicError("the one-hot reading needs a domain")
        return _one_hot(manager, root, domain, path)
    if variables is None:
        if domain is None:
            return manager, root
        if len(domain) < len(manager.domain):
            both = f"the file has {len(manager.domain)} variables, the domain {len(domain)} features"
            raise FormatError(f"{both}; variables= says which are meant", path)
        variables = list(range(1, len(domain) + 1))
    if domain is None:
        domain = Domain({f"v{number}": ("0", "1") for number in variables})
    for name, size in zip(domain.names, domain.cardinalities, strict=True):
        if size != 2:
            remedy = "variables='one-hot' reads a variable for each state"
            raise FormatError(f"feature {name!r} has {size} states, a variable has two; {remedy}", path)
    target, masks = Manager(domain), true_masks(domain)
    feature_of = {variable: feature for feature, variable in enumerate(variables)}

    def literal(variable: Variable, positive: bool) -> NodeId:
        feature = feature_of.get(variable)
        if feature is None:
            return TRUE
        return target.add_literal(feature, masks[feature] if positive else 0b11 ^ masks[feature])

    _check_projection(manager, root, feature_of, path)
    return target, _read_as(manager, root, target, literal)


def _one_hot(manager: Manager, root: NodeId, domain: Domain, path: str) -> tuple[Manager, NodeId]:
    """Return the circuit over the features whose states the variables stand for; helpers are projected away.

    Where every conjunction of literals that the circuit stands for has one positive literal of each feature,
    the negative ones say nothing more, and without them conjuncts share no feature. Circuits that compilers
    make of a CNF of ours are such. Others keep all literals.
    """
    hot, target = OneHot(domain), Manager(domain)
    _check_projection(manager, root, range(1, hot.count + 1), path)
    complete = is_and_decomposable(manager, root) and _one_positive_each(manager, root, hot)

    def literal(variable: Variable, positive: bool) -> NodeId:
        if variable > hot.count or (complete and not positive):
            return TRUE
        feature, state = hot.owner(variable)
        mask = 1 << state
        return target.add_literal(feature, mask if positive else domain.full(feature) & ~mask)

    return target, _read_as(manager, root, target, literal)


def _read_as(manager: Manager, root: NodeId, target: Manager, literal: _Reading) -> NodeId:
    masks = true_masks(manager.domain)
    return rewrite(manager, root, lambda f, mask: literal(f + 1, mask == masks[f]), into=target)


def _check_projection(
    manager: Manager, root: NodeId, kept: range | dict[Variable, FeatureId], path: str
) -> None:
    others = [feature + 1 for _, feature, _ in manager.literals(root) if feature + 1 not in kept]
    if others and not is_and_decomposable(manager, root):
        raise FormatError(
            f"variable {min(others)} stands for no feature, and only an AND-decomposable circuit can do "
            "without a variable: two conjuncts of this one share a variable",
            path,
        )


def _one_positive_each(manager: Manager, root: NodeId, hot: OneHot) -> bool:
    """Return whether every term of an AND-decomposable circuit has one positive literal of each feature.

    So it is where the disjuncts of each OR have positive literals of the same features, the conjuncts of each
    AND of different ones, and the root of all.
    """
    if is_constant(root):
        return not hot.count or root != TRUE
    levels, masks = manager.levels(root), true_masks(manager.domain)
    features = np.array(
        [
            hot.owner(feature + 1)[0] if feature < hot.count and mask == masks[feature] else -1
            for _, feature, mask in manager.literals(root)
        ],
        dtype=np.int64,
    )
    sizes = np.zeros(len(levels), dtype=np.int64)
    for first in range(0, len(hot.domain), 64):
        words = np.zeros(len(levels), dtype=np.uint64)
        inside = (features >= first) & (features < first + 64)
        words[: levels.leaves][inside] = np.uint64(1) << (features[inside] - first).astype(np.uint64)
        levels.fill(words, np.bitwise_or, np.bitwise_or)
        sizes += np.bitwise_count(words)
        for step in levels.steps:
            checkpoint()
            above = words[step.first : step.last].repeat(step.arities)
            if step.is_or and (words[step.children] != above).any():
                return False
    for step in levels.steps:
        sums = np.add.reduceat(sizes[step.children], step.starts)
        if not step.is_or and (sums != sizes[step.first : step.last]).any():
            return False
    return int(sizes[-1]) == len(hot.domain)
