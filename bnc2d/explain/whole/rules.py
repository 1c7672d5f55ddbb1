"""Rules that a classifier is to obey: formulas over its features and its decision, proved or refuted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from bnc2d.base.budget import Budget
from bnc2d.base.finding import Finding, decision_words, instance_words
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.constraints.formula import Formula, Not, build
from bnc2d.logic.constraints.reader import Literal, literal_node, literal_resolver
from bnc2d.logic.constraints.syntax import Name, Statement, parse_statements
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.diagram.from_circuits import diagram_of_circuit
from bnc2d.logic.diagram.restrict import restricted
from bnc2d.logic.domain import Domain
from bnc2d.model.classifier import BaseClassifier

# What the target may be called in a rule, unless a feature has that name.
_CLASS = "class"


@dataclass(frozen=True)
class RuleCheck(Finding):
    """Whether all instances obey some rules.

    Where they do not, ``rule`` is the first that some break, as it was written, and ``witness`` one of these,
    with its ``decision`` (None: in no class) and exact ``posterior``.
    """

    holds: bool
    rule: str | None = None
    witness: dict[str, str] | None = None
    decision: str | None = None
    posterior: dict[str, Fraction] | None = None

    def __str__(self) -> str:
        if self.witness is None:
            return "yes, every instance obeys the rules"
        decided = decision_words(self.decision)
        return f"no, {instance_words(self.witness)} breaks {self.rule!r}: its decision is {decided}"


def check_rules(
    classifier: BaseClassifier,
    diagram: Diagram,
    decisions: Sequence[str | None],
    rules: str,
    time_limit: float | None = None,
) -> RuleCheck:
    """Return whether all instances obey rules (see ``CompiledModel.check``).

    For each rule and decision, the rule becomes a formula over features; an instance that violates it and has
    that decision breaks the rule. Labels of the diagram beyond the ``decisions`` do not count.
    """
    domain = diagram.domain
    with_class = Domain(
        {**dict(zip(domain.names, domain.states, strict=True)), classifier.target: classifier.classes}
    )
    plain = literal_resolver(with_class)

    def resolve(name: Name, states: tuple[Name, ...] | None) -> Literal:
        is_class = name.text == _CLASS and _CLASS not in domain.names
        return plain(name._replace(text=classifier.target) if is_class else name, states)

    statements = parse_statements(rules, resolve)
    with Budget(time_limit).limiting("the rules are not checked") as budget:
        for number, statement in enumerate(statements):
            for label, decision in enumerate(decisions):
                manager = Manager(domain)
                root = _violated(statement.formula, manager, None if decision is None else label)
                violated = diagram_of_circuit(manager, root, diagram.order, budget.progress)
                broken = next(restricted(diagram, violated).instances(label, limit=1), None)
                if broken is not None:
                    written = _written(rules, statements, number)
                    return RuleCheck(False, written, broken, decision, classifier.posterior(broken))
    return RuleCheck(True)


def _violated(formula: Formula[Literal], manager: Manager, label: int | None) -> NodeId:
    """Return the circuit of the instances that violate a rule if they have a label (None: in no class)."""
    target = len(manager.domain)

    def literal(leaf: Literal, positive: bool) -> NodeId:
        if leaf.feature != target:
            return literal_node(manager, leaf, positive)
        holds = label is not None and bool(leaf.mask >> label & 1)
        return TRUE if holds == positive else FALSE

    return build(Not(formula), manager, literal)


def _written(text: str, statements: Sequence[Statement[Literal]], number: int) -> str:
    """Return a rule as it was written."""
    lines = text.splitlines(keepends=True)

    def offset(at: int) -> int:
        line, column = statements[at].position
        return sum(map(len, lines[: line - 1])) + column - 1

    end = offset(number + 1) if number + 1 < len(statements) else len(text)
    return " ".join(text[offset(number) : end].split()).rstrip("; ")
