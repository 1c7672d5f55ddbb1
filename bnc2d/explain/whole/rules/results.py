"""What is found of rules."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from bnc2d.base.finding import Finding, decision_words, instance_words
from bnc2d.base.scales import Label

# An instance, or two of them.
RuleWitness: TypeAlias = dict[str, str] | tuple[dict[str, str], dict[str, str]]


@dataclass(frozen=True)
class RuleResult(Finding):
    """Whether one rule holds: as it is written, with the ``line`` of its text on which it begins.

    Where it does not, ``witness`` is an instance that breaks it, or a pair of them; ``decisions`` (None: in
    no class) and exact ``posteriors`` have an entry for each. Where it is open, ``reason`` says why, and
    ``settled``, if that is known, what share of the instances or changes that the rule is about is known to
    obey it.
    """

    rule: str
    line: int
    holds: bool | None
    witness: RuleWitness | None = None
    decisions: tuple[Label | None, ...] = ()
    posteriors: tuple[dict[str, Fraction], ...] = ()
    reason: str | None = None
    settled: float | None = None

    @property
    def instances(self) -> tuple[dict[str, str], ...]:
        """The instances of the witness: none, one or two."""
        if self.witness is None:
            return ()
        return self.witness if isinstance(self.witness, tuple) else (self.witness,)

    @property
    def why(self) -> str:
        """What shows the answer, in words; empty for a rule that is proved."""
        if self.holds is None:
            known = "" if self.settled is None else f"; {self.settled:.2%} of what it is about is settled"
            return f"{self.reason}{known}"
        if not self.instances:
            return ""
        first, *others = self.instances
        words = f"{instance_words(first)} is in {_class_words(self.decisions[0])}"
        for other, decision in zip(others, self.decisions[1:], strict=True):
            changed = {name: state for name, state in other.items() if first[name] != state}
            words += f", with {instance_words(changed)} it is in {_class_words(decision)}"
        return words

    def __str__(self) -> str:
        why = self.why
        return f"{self.status}: {self.rule}" + (f"; {why}" if why else "")


def _class_words(decision: Label | None) -> str:
    return "no class" if decision is None else f"class {decision}"


@dataclass(frozen=True)
class RuleCheck(Finding):
    """Whether rules hold, with one of the ``results`` for each, in their order.

    ``holds`` is False where one is refuted, else None where one is open. Where one is refuted, ``rule`` is
    the first of these as it was written, and ``witness`` an instance that breaks it, with its ``decision``
    (None: in no class) and exact ``posterior``; of a rule about two instances, ``witness`` is the pair, and
    decision and posterior are those of the first.
    """

    results: tuple[RuleResult, ...]

    @property
    def holds(self) -> bool | None:
        """Whether all rules hold; None where none is refuted and some are open."""
        found = {result.holds for result in self.results}
        return False if False in found else None if None in found else True

    @property
    def broken(self) -> RuleResult | None:
        """The result of the first rule that is refuted."""
        return next((result for result in self.results if result.holds is False), None)

    @property
    def rule(self) -> str | None:
        """The first rule that is refuted."""
        return None if self.broken is None else self.broken.rule

    @property
    def witness(self) -> RuleWitness | None:
        """What refutes it."""
        return None if self.broken is None else self.broken.witness

    @property
    def decision(self) -> Label | None:
        """The decision on the witness."""
        return None if self.broken is None else self.broken.decisions[0]

    @property
    def posterior(self) -> dict[str, Fraction] | None:
        """The posterior of the witness."""
        return None if self.broken is None else self.broken.posteriors[0]

    def __str__(self) -> str:
        broken = self.broken
        if broken is None:
            number = sum(result.holds is None for result in self.results)
            if not number:
                return "yes, every instance obeys the rules"
            return f"open: {number} of {len(self.results)} rules are not decided, none is broken"
        if len(broken.instances) == 1:
            decided = decision_words(broken.decisions[0])
            return (
                f"no, {instance_words(broken.instances[0])} breaks {broken.rule!r}: its decision is {decided}"
            )
        return f"no, two instances break {broken.rule!r}: {broken.why}"
