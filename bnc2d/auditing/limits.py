"""What an audit does not show, in sentences: nobody should read more into it than was checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from bnc2d.auditing.findings import AuditCheck
from bnc2d.auditing.subject import Subject, counted
from bnc2d.base.scales import scale_of
from bnc2d.model.network import BayesianNetwork


def scales(network: BayesianNetwork) -> dict[str, Any]:
    """Return how values of columns read as states, by variable, as plain data."""
    found = {variable.name: scale_of(variable.states) for variable in network.variables}
    return {name: scale.to_data() for name, scale in found.items() if scale is not None}


def limits(subject: Subject, checks: Sequence[AuditCheck]) -> Iterator[str]:
    """Yield what was not checked, and under which conditions the rest was."""
    model = subject.model
    if subject.network is None:
        yield (
            "No network was brought: the model was tested against the network in its own file, which whoever "
            "made the file chose as well."
        )
    if model.constraint is not None:
        outside = model.domain.instance_count - model.instance_count
        yield (
            f"The model is under a constraint: {counted(outside, 'instance')} of "
            f"{model.domain.instance_count:,} do not count. Protected features, monotonicity, rules, shares "
            f"and robustness are about the {model.instance_count:,} others; the checks against networks are "
            "about all. A constraint can leave out just those instances on which a model is unfair: read it."
        )
    if scales(model.classifier.network):
        yield (
            "How numbers and labels of data read as states (the cuts of intervals, listed with the features) "
            "is what the model's file says; network files know nothing of it, so compare it with what was "
            "agreed on."
        )
    if any("a sample" in check.method for check in checks):
        yield (
            f"Exact inference was asked about a sample (seed {subject.seed}), not about all instances; what "
            "is marked as a proof holds for all."
        )
    opened = [check.name for check in checks if check.verdict == "open"]
    if opened:
        yield f"Open, neither passed nor failed: {', '.join(opened)}."
    if subject.protected:
        yield (
            "Independence of protected features is about direct dependence: whether other features stand in "
            "for them was not checked."
        )
        others = [name for name in subject.protected if name not in model.features]
        if others:
            yield f"No feature of the model, and used to group rows at most: {', '.join(others)}."
    else:
        yield "No protected feature was named, so nothing was checked about fairness."
    if subject.rules is None:
        yield "No rules were given."
    if subject.monotone is None:
        yield "Monotonicity is told, not required: no feature was named for it."
    if subject.rows is None:
        yield "No rows were brought, so nothing is known about the instances that occur in practice."
    elif len(subject.rows.partial):
        yield (
            "Rows with missing values are decided by inference in the network of the file, by what is known; "
            "robustness and protected features were asked of complete rows only."
        )
    yield "Shares and counts take all instances alike, however probable they are; some may be impossible."
    yield "Whether the network fits the world (accuracy, calibration, the data it came from) was not checked."
