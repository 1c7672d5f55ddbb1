"""Independent checks of what a constraint makes of a model: SAT on the implications, counts by SDD."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from bnc2d.base.budget import Budget
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.logic.circuit.manager import Manager
from bnc2d.logic.nnf import NNF

# Whether a check passed, what it looked at or found, and an instance that shows a failure.
Outcome: TypeAlias = tuple[bool, str, Mapping[str, str] | None]


def implications(model: BaseCompiledModel, constraint: NNF) -> Outcome:
    """Check by SAT that every formula of the model says "the constraint implies it", class by class.

    The model's formulas come from its restricted diagram, the others from the circuits without constraint.
    """
    whole = model.unconstrained
    for name in model.classes:
        for negated in (False, True):
            manager = Manager(model.domain)
            forbidden = constraint.copy_to(manager).negate()
            expected = forbidden | whole.formula(name, negated).copy_to(manager)
            answer = model.formula(name, negated).equivalent(expected)
            if not answer:
                which = f"not {name}" if negated else name
                return False, f"the formula of {which} is not what the constraint makes of it", answer.witness
    return True, f"{2 * len(model.classes)} formulas are implied by the constraint", None


def allowed_counts(model: BaseCompiledModel, constraint: NNF, budget: Budget) -> Outcome:
    """Check by SDD how many instances the constraint allows, and that the classes have them all."""
    allowed = constraint.to_sdd(time_limit=budget.left(), memory_limit=budget.memory).count()
    if allowed != model.instance_count:
        return (
            False,
            f"the SDD of the constraint has {allowed} models, the model {model.instance_count}",
            None,
        )
    counts = model.diagram.counts()[: len(decisions(model))]
    if sum(counts) != allowed:
        return False, f"the classes have {sum(counts)} of {allowed} allowed instances", None
    return True, f"{allowed} of {model.domain.instance_count} instances are allowed", None
