"""Explanations as plain data, ready for JSON; ``docs/json.md`` describes every key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

from bnc2d.base.budget import Budget
from bnc2d.base.readers.choices import Cut
from bnc2d.base.scales import Label, json_value, scale_of
from bnc2d.errors import LimitExceeded, NotCompiledError, TimeLimitExceeded
from bnc2d.explain.explanation import BaseExplanation
from bnc2d.logic.circuit.show import spelled_out
from bnc2d.logic.convert.data import CircuitData
from bnc2d.logic.nnf import NNF
from bnc2d.logic.terms import Clause, Term
from bnc2d.model.decision import Basis
from bnc2d.report.decisions import DecisionData, decision_data
from bnc2d.report.missing import IfKnownData, if_known_data

# The share of the time for each question of inference, and the seconds that it has at least.
_INFERENCE_SHARE, _INFERENCE_SECONDS = 0.2, 0.2
MAX_FORMULA = 500  # longer ones are there on request only

KINDS = ("sufficient_reasons", "necessary_reasons", "general_sufficient_reasons", "general_necessary_reasons")
FORMULAS: tuple[Literal["complete_reason", "general_reason"], ...] = ("complete_reason", "general_reason")

Literals: TypeAlias = dict[str, list[str]]


class NearestData(TypedDict):
    """The nearest other decision, and whether its instance is possible; ``cut`` where time came first."""

    distance: int | None
    witness: dict[str, str] | None
    decision: Label | None
    possible: bool | None
    cut: NotRequired[Cut]


class UnprovedData(TypedDict):
    """The features of a reason that are not proved to be needed; it stands in the list of this key."""

    key: str
    position: int
    features: list[str]


class ContrastData(TypedDict):
    """Why not one class."""

    reasons: list[Literals]
    message: str | None
    cut: Cut | None
    nearest: NearestData


class ExplanationData(DecisionData):
    """Everything about one decision."""

    instance: dict[str, str]
    target: str
    fixed: list[str]
    allowed: dict[str, list[str]]
    given: str | None
    complete_reason: str | None
    general_reason: str | None
    sufficient_reason: Literals
    sufficient_reasons: list[Literals]
    necessary_reasons: list[Literals]
    general_sufficient_reasons: list[Literals]
    general_necessary_reasons: list[Literals]
    contrastive: dict[str, ContrastData]
    robustness: NearestData
    cut: dict[str, Cut | None]
    complete: bool
    proved_minimal: bool
    unproved: list[UnprovedData]
    values: NotRequired[dict[str, Any]]
    scales: NotRequired[dict[str, dict[str, Any]]]
    missing: NotRequired[list[str]]
    if_known: NotRequired[IfKnownData]
    formulas: NotRequired[dict[str, CircuitData]]


class SummaryData(DecisionData):
    """What fits a line."""

    sufficient_reason: dict[str, str]
    sufficient_reasons: int
    necessary_reasons: int
    distance: int | None
    changes: dict[str, str]
    changed_decision: Label | None
    changed_possible: bool | None
    cut: list[str]
    unproved: list[str]
    missing: list[str]


def literals(reason: Term | Clause) -> Literals:
    """Return a reason as plain data, the states of each feature in their order."""
    domain = reason.domain
    return {domain.names[f]: list(domain.states_of(f, mask)) for f, mask in reason.masks.items()}


def explanation_data(
    explanation: BaseExplanation,
    towards: Label | None,
    limit: int | None,
    budget: Budget,
    formulas: bool,
    exact: bool,
) -> ExplanationData:
    """Return everything about one decision (see ``Explanation.to_dict``).

    The formulas of the complete and the general reason are text where it is short and known in time; with
    ``formulas`` they are also there as nodes, whatever the time.
    """
    classifier = explanation.classifier
    classes = classifier.classes if towards is None else [classifier.classes[classifier.label(towards)]]
    others = [name for name in classes if name != explanation.decision_name]
    decided = decision_data(explanation.decision, *_inferred(explanation, budget), exact)
    shares = budget.shares(1 + len(KINDS) + 2 * len(others) + bool(explanation.missing))
    found = {}
    if (
        not explanation.route.sendable.is_quick
    ):  # what takes a search, and matters most, gets half of the time
        found["sufficient_reasons"] = _listed(explanation, "sufficient_reasons", limit, budget.share(0.5))
    robustness = _nearest(explanation, None, next(shares))
    nearest = {name: _nearest(explanation, name, next(shares)) for name in others}
    listed: dict[str, list[Literals]] = {}
    cut: dict[str, Cut | None] = {}
    unproved: list[UnprovedData] = []
    first: Sequence[Term | Clause] = ()
    for kind in KINDS:
        share = next(shares)
        reasons, cut[kind] = found.get(kind) or _listed(explanation, kind, limit, share)
        if not first:  # sufficient reasons come first
            first = reasons[:1] or [explanation.a_sufficient_reason(budget.left())]
            unproved += _unproved("sufficient_reason", first)
        unproved += _unproved(kind, reasons)
        listed[kind] = [literals(reason) for reason in reasons]
    contrastive: dict[str, ContrastData] = {}
    for name in others:
        clauses = explanation.contrastive(name, limit, next(shares).left())
        contrastive[name] = {
            "reasons": [literals(clause) for clause in clauses],
            "message": clauses.message,
            "cut": clauses.cut,
            "nearest": nearest[name],
        }
    ended = [contrast["cut"] or "cut" in contrast["nearest"] for contrast in contrastive.values()]
    data: ExplanationData = {
        "instance": explanation.instance,
        "target": explanation.target,
        "decision": decided["decision"],
        "possible": decided["possible"],
        "decided_by": decided["decided_by"],
        "posterior": decided["posterior"],
        "posterior_exact": decided["posterior_exact"],
        "fixed": list(explanation.fixed),
        "allowed": {name: list(states) for name, states in explanation.allowed.items()},
        "given": explanation.route.given or None,
        "complete_reason": None,
        "general_reason": None,
        "sufficient_reason": literals(first[0]),
        "sufficient_reasons": listed["sufficient_reasons"],
        "necessary_reasons": listed["necessary_reasons"],
        "general_sufficient_reasons": listed["general_sufficient_reasons"],
        "general_necessary_reasons": listed["general_necessary_reasons"],
        "contrastive": contrastive,
        "robustness": robustness,
        "cut": cut,
        "complete": not any(["cut" in robustness, *cut.values(), *ended]),
        "proved_minimal": not unproved,
        "unproved": unproved,
    }
    scales = {
        name: scale.to_data()
        for name, states in zip(explanation.route.domain.names, explanation.route.domain.states, strict=True)
        if (scale := scale_of(states)) is not None
    }
    if scales:
        data["values"] = {name: json_value(value) for name, value in explanation.values.items()}
        data["scales"] = scales
    if explanation.missing:
        data["missing"] = list(explanation.missing)
        data["if_known"] = if_known_data(explanation.if_known(next(shares).left()), exact)
    if formulas:
        data["formulas"] = {name: getattr(explanation, name).to_dict() for name in FORMULAS}
    with suppress(TimeLimitExceeded, NotCompiledError), budget.limiting():
        for name in FORMULAS:
            reason: NNF = getattr(explanation, name)
            data[name] = spelled_out(reason.manager, reason.root, MAX_FORMULA)
    return data


def _listed(
    explanation: BaseExplanation, kind: str, limit: int | None, budget: Budget
) -> tuple[list[Term | Clause], Cut | None]:
    """Return the reasons of a kind, and what ended the list early."""
    found = getattr(explanation, kind)(limit, budget.left())
    return list(found), found.cut


def _unproved(key: str, reasons: Sequence[Term | Clause]) -> list[UnprovedData]:
    """Return which reasons have features that are not proved to be needed."""
    return [
        {"key": key, "position": position, "features": list(reason.unproved)}
        for position, reason in enumerate(reasons)
        if not reason.proved_minimal
    ]


def _nearest(explanation: BaseExplanation, towards: Label | None, budget: Budget) -> NearestData:
    """Return the nearest other decision, and whether its instance is possible."""
    try:
        found = explanation.robustness(towards, budget.left())
    except TimeLimitExceeded:
        return {"distance": None, "witness": None, "decision": None, "possible": None, "cut": "time"}
    possible = None
    if found.witness is not None:
        with suppress(LimitExceeded), budget.at_least(_INFERENCE_SECONDS).limiting("it is not known"):
            possible = bool(explanation.classifier.is_possible(found.witness))
    return {
        "distance": found.distance,
        "witness": found.witness,
        "decision": json_value(found.decision),
        "possible": possible,
    }


def explanation_summary(
    explanation: BaseExplanation,
    *,
    limit: int | None = None,
    time_limit: float | None = None,
    exact: bool = False,
) -> SummaryData:
    """Return what fits a line: the decision, one sufficient reason, the nearest way out, and counts.

    ``sufficient_reasons`` and ``necessary_reasons`` are numbers, at most ``limit`` each; ``cut`` names those
    of which there are more, or may be, and ``distance`` where time ended the search for the nearest change.
    ``unproved`` names features of the sufficient reason that are not proved to be needed. ``time_limit`` as
    in ``Explanation.to_dict``.
    """
    budget = Budget(time_limit)
    inferred = _inferred(explanation, budget)
    shares = budget.shares(3)
    found = None
    if not explanation.route.sendable.is_quick:  # as in the whole data
        found = _listed(explanation, "sufficient_reasons", limit, budget.share(0.5))
    nearest = _nearest(explanation, None, next(shares))
    share = next(shares)
    reasons, ended = found or _listed(explanation, "sufficient_reasons", limit, share)
    necessary = explanation.necessary_reasons(limit, next(shares).left())
    count = sum(1 for _ in necessary)
    reason = reasons[0] if reasons else explanation.a_sufficient_reason(budget.left())
    own, witness = explanation.instance, nearest["witness"] or {}
    changes = {name: state for name, state in witness.items() if own[name] != state}
    cut = {
        "sufficient_reasons": ended,
        "necessary_reasons": necessary.cut,
        "distance": nearest.get("cut"),
    }
    return {
        **decision_data(explanation.decision, *inferred, exact),
        "sufficient_reason": {name: own[name] for name in reason.features},
        "sufficient_reasons": len(reasons),
        "necessary_reasons": count,
        "distance": nearest["distance"],
        "changes": changes,
        "changed_decision": nearest["decision"],
        "changed_possible": nearest["possible"],
        "cut": [kind for kind, by in cut.items() if by is not None],
        "unproved": list(reason.unproved),
        "missing": list(explanation.missing),
    }


def _inferred(
    explanation: BaseExplanation, budget: Budget
) -> tuple[Basis | None, Mapping[str, Fraction | float]]:
    """Return what the decision rests on, None where that is not known in time, and the posterior.

    The latter is in fractions, or in floats where exact inference is too large or takes too long.
    """
    classifier, instance = explanation.classifier, explanation.instance
    basis = None
    with suppress(LimitExceeded), _for_inference(budget).limiting("what decides is not known"):
        basis = explanation.basis
    try:
        with _for_inference(budget).limiting("the posterior is not known"):
            return basis, classifier.posterior(instance)
    except LimitExceeded:
        return basis, classifier.posterior(instance, exact=False)


def _for_inference(budget: Budget) -> Budget:
    return budget.share(_INFERENCE_SHARE).at_least(_INFERENCE_SECONDS)
