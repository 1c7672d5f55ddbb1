"""The checks of ``verify``: whether a model's file agrees with itself and with the network in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from bnc2d.auditing.findings import AuditCheck, Heading, Verdict
from bnc2d.auditing.subject import MODEL, Planned, Subject, as_shown, counted, decision_of, network_decision
from bnc2d.base.budget import Budget
from bnc2d.base.scales import scale_of, state_words
from bnc2d.model.network import BayesianNetwork
from bnc2d.verify.checks import verify_model
from bnc2d.verify.report import Check

GROUP = "file"

_SCALES = Heading(
    GROUP,
    "file: scales",
    "Are states that are called by an interval read from the numbers of that interval?",
    "comparison of names with cuts",
)
# What each check of verify asks, and how.
_ASKED = {
    "structure": ("Are the formulas of all classes OR-decomposable circuits?", "walk through all nodes"),
    "sat: disjoint": ("Is no instance in two classes?", "proof: SAT"),
    "sat: exhaustive": ("Is every instance in a class?", "proof: SAT"),
    "sat: complements": ("Is each formula the negation of that of the other classes?", "proof: SAT"),
    "second method": (
        "Does a second compiler give the same classes from the network in the file?",
        "proof: compiled by another method, formulas compared by SAT",
    ),
    "sdd: equal": ("Are formulas and negations equal as SDDs?", "proof: SDD"),
    "sdd: counts": ("Do SDDs count as many instances in each class as the diagram?", "proof: SDD"),
    "oracle": (
        "Does exact inference in the network in the file, which uses no code of the compiler, decide alike?",
        "exact inference",
    ),
    "constraint: implied": ("Are the formulas those that the constraint makes of them?", "proof: SAT"),
    "constraint: counts": ("Are so many instances allowed as an SDD counts?", "proof: SDD"),
}


def planned(subject: Subject, say: Callable[[str], object]) -> Iterator[Planned]:
    """Yield the checks of ``verify`` as one."""
    number = len(_ASKED) - 2 * (subject.model.constraint is None)

    def ask(budget: Budget) -> list[AuditCheck]:
        left = budget.left()
        report = verify_model(
            subject.model,
            time_limit=None if left is None else round(left / number, 2),
            samples=subject.samples,
            seed=subject.seed,
            progress=lambda name, *_: say(f"file: {name}"),
        )
        return [_finding(subject, check) for check in report.checks]

    if any(scale_of(variable.states) for variable in subject.model.classifier.network.variables):
        yield Planned(_SCALES, lambda _: [_scales(subject.model.classifier.network)])
    whole = Heading(GROUP, "file: verify", "Does the file agree with itself?", "independent checks")
    yield Planned(whole, ask, number, limits_itself=True)


def _scales(network: BayesianNetwork) -> AuditCheck:
    """Check that what a state is called is what is read as it, where its name says an interval."""
    wrong, count = [], 0
    for variable in network.variables:
        scale = scale_of(variable.states)
        if scale is None:
            continue
        count += 1
        for called, own in zip(variable.states, scale.names, strict=True):
            says_interval = state_words("", called) != f"={called}"
            if called != own and says_interval:
                wrong.append(f"the state {called!r} of {variable.name!r} is read from {own!r}")
    detail = "; ".join(wrong) or f"yes: {counted(count, 'variable')} with a scale"
    return _SCALES.found(not wrong, detail, facts={"wrong": wrong})


def _finding(subject: Subject, check: Check) -> AuditCheck:
    question, method = _ASKED.get(check.name, (check.name, "independent check"))
    if check.name == "oracle" and check.passed:
        method += ", all instances" if check.detail.startswith("all") else f", a sample (seed {subject.seed})"
    heading = Heading(GROUP, f"file: {check.name}", question, method)
    verdict: Verdict = "passed" if check.passed else "failed" if check.failed else "open"
    instances = []
    if check.witness is not None:
        model = subject.model
        decisions = {
            MODEL: decision_of(model, check.witness),
            "the network in the file": network_decision(model.classifier, check.witness),
        }
        instances.append(as_shown(model.classifier, "instance", check.witness, decisions))
    return heading.found(verdict, check.detail, instances)
