"""Linear-time transforms: negation, conditioning, complete and general reasons.

The reasons are those of Zhang and Darwiche (2026), section 2: on an OR-decomposable circuit, quantifying
literals universally (complete reason) or selecting them (general reason) touches literals only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bnc2d.errors import LogicError
from bnc2d.logic.domain import FeatureId, StateMask
from bnc2d.logic.fold import rewrite
from bnc2d.logic.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.queries import is_or_decomposable


def negate(manager: Manager, root: NodeId) -> NodeId:
    """Return the complement by De Morgan: AND-decomposable becomes OR-decomposable and back."""
    full = manager.domain.full
    return rewrite(manager, root, lambda f, mask: manager.add_literal(f, full(f) & ~mask), dual=True)


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


def complete_reason(manager: Manager, root: NodeId, positions: Sequence[int]) -> NodeId:
    """Return the complete reason: failing literals become false, others shrink to the state."""
    _require_or_decomposable(manager, root, "complete")
    return rewrite(
        manager,
        root,
        lambda f, mask: manager.add_literal(f, 1 << positions[f]) if mask >> positions[f] & 1 else FALSE,
    )


def general_reason(manager: Manager, root: NodeId, positions: Sequence[int]) -> NodeId:
    """Return the general reason: literals that fail become false, the others stay."""
    _require_or_decomposable(manager, root, "general")
    return rewrite(
        manager, root, lambda f, mask: manager.add_literal(f, mask) if mask >> positions[f] & 1 else FALSE
    )


def _require_or_decomposable(manager: Manager, root: NodeId, which: str) -> None:
    if not is_or_decomposable(manager, root):
        raise LogicError(
            f"the {which} reason needs an OR-decomposable circuit (no two disjuncts share a feature); "
            "compile the formula, or negate an AND-decomposable circuit of its complement"
        )
