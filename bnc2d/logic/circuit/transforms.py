"""Linear-time transforms: negation, conditioning, complete and general reasons.

The reasons are those of Zhang and Darwiche (2026), section 2: on an OR-decomposable circuit, quantifying
literals universally (complete reason) or selecting them (general reason) touches literals only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from bnc2d.errors import LogicError
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.circuit.queries import is_or_decomposable
from bnc2d.logic.domain import FeatureId, StateMask


def negate(manager: Manager, root: NodeId) -> NodeId:
    """Return the complement by De Morgan: AND-decomposable becomes OR-decomposable and back."""
    full = manager.domain.full
    return rewrite(
        manager, root, lambda f, mask: manager.add_literal(f, full(f) & ~mask), dual=True, simplify=False
    )


def condition(manager: Manager, root: NodeId, allowed: Mapping[FeatureId, StateMask]) -> NodeId:
    """Return the circuit under ``feature ∈ allowed[feature]``: a single state fixes a feature.

    With several states left, a literal becomes false or true where its states and the allowed ones leave no
    choice, and is otherwise kept; on the allowed instances the result and the circuit agree.
    """

    def literal(feature: FeatureId, mask: StateMask) -> NodeId:
        choice = allowed.get(feature)
        if choice is None:
            return manager.add_literal(feature, mask)
        if not choice & mask:
            return FALSE
        return TRUE if not choice & ~mask else manager.add_literal(feature, mask)

    return rewrite(manager, root, literal)


def complete_reason(
    manager: Manager,
    root: NodeId,
    positions: Sequence[int],
    *,
    allowed: Mapping[FeatureId, StateMask] = MappingProxyType({}),
    into: Manager | None = None,
) -> NodeId:
    """Return the complete reason: failing literals become false, others shrink to the instance's state.

    The circuit is first conditioned on ``feature ∈ allowed[feature]``, which must hold for the instance. With
    ``into``, the result is built in another manager over an equal domain.
    """
    return _reason("complete", lambda f, _: 1 << positions[f], manager, root, positions, allowed, into)


def general_reason(
    manager: Manager,
    root: NodeId,
    positions: Sequence[int],
    *,
    allowed: Mapping[FeatureId, StateMask] = MappingProxyType({}),
    into: Manager | None = None,
) -> NodeId:
    """Return the general reason: literals that fail become false, the others stay.

    ``allowed`` and ``into`` as for ``complete_reason``; literals left have allowed states only.
    """
    return _reason("general", lambda _, mask: mask, manager, root, positions, allowed, into)


def _reason(
    which: str,
    kept: Callable[[FeatureId, StateMask], StateMask],
    manager: Manager,
    root: NodeId,
    positions: Sequence[int],
    allowed: Mapping[FeatureId, StateMask],
    into: Manager | None,
) -> NodeId:
    """Return the circuit with failing literals false; ``kept`` says what states remain in the others."""
    if not is_or_decomposable(manager, root):
        raise LogicError(
            f"the {which} reason needs an OR-decomposable circuit (no two disjuncts share a feature); "
            "compile the formula, or negate an AND-decomposable circuit of its complement"
        )
    target = manager if into is None else into

    def literal(feature: FeatureId, mask: StateMask) -> NodeId:
        if not mask >> positions[feature] & 1:
            return FALSE
        choice = allowed.get(feature)
        if choice is None:
            return target.add_literal(feature, kept(feature, mask))
        return target.add_literal(feature, choice & kept(feature, mask)) if choice & ~mask else TRUE

    return rewrite(manager, root, literal, into=target)
