"""What one check of an audit found: a verdict, how it was reached, and what shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, TypedDict

from bnc2d.base.finding import Finding, decision_words, instance_words

# "noted" tells figures that nothing can fail by; "not asked" what was left out, since nothing asked for it.
Verdict: TypeAlias = Literal["passed", "failed", "open", "noted", "not asked"]
Cell: TypeAlias = str | int | float | None


class TableData(TypedDict):
    """A table as plain data, an object a row."""

    caption: str
    rows: list[dict[str, Cell]]


class ShownData(TypedDict):
    """An instance that shows a finding."""

    caption: str
    instance: dict[str, str]
    decisions: dict[str, str | None]
    note: str | None


class CheckData(TypedDict):
    """A check as plain data."""

    group: str
    name: str
    question: str
    method: str
    verdict: Verdict
    detail: str
    witness: list[ShownData]
    facts: dict[str, Any]
    tables: list[TableData]


@dataclass(frozen=True)
class FactTable:
    """Figures of a check: rows below the names of their columns."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def to_dict(self) -> TableData:
        """Return plain data, an object a row."""
        rows = [dict(zip(self.columns, row, strict=True)) for row in self.rows]
        return {"caption": self.caption, "rows": rows}


@dataclass(frozen=True)
class Shown:
    """An instance that shows a finding: what it is called, who decides it how, and what else is to say."""

    caption: str
    instance: Mapping[str, str]
    decisions: Mapping[str, str | None]
    note: str = ""

    def to_dict(self) -> ShownData:
        """Return plain data."""
        return {
            "caption": self.caption,
            "instance": dict(self.instance),
            "decisions": dict(self.decisions),
            "note": self.note or None,
        }

    def __str__(self) -> str:
        said = ", ".join(f"{who}: {decision_words(decision)}" for who, decision in self.decisions.items())
        note = f"; {self.note}" if self.note else ""
        return f"{self.caption}: {instance_words(self.instance)} ({said}{note})"


@dataclass(frozen=True)
class AuditCheck(Finding):
    """One check of an audit.

    ``group`` says what it is about, ``name`` is the same on every run, ``question`` and ``detail`` are
    sentences: what was asked, and what was found. ``method`` says how: a proof, all instances, or a sample.
    ``instances`` are the one or two that show a failure, ``facts`` and ``tables`` are figures as plain data.
    ``verdict`` is "passed", "failed", "open" (a limit came first), "noted" (figures that nothing can fail
    by) or "not asked".
    """

    group: str
    name: str
    question: str
    method: str
    verdict: Verdict
    detail: str
    instances: tuple[Shown, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    tables: tuple[FactTable, ...] = ()
    seconds: float = 0.0

    @property
    def holds(self) -> bool | None:
        """Whether it passed; None where that is open, or was no question."""
        return {"passed": True, "failed": False}.get(self.verdict)

    @property
    def witness(self) -> Mapping[str, str] | tuple[Mapping[str, str], Mapping[str, str]] | None:
        """The instance, or the pair, that shows a failure."""
        if not self.instances:
            return None
        first, *others = (shown.instance for shown in self.instances)
        return (first, others[0]) if others else first

    @property
    def counts(self) -> bool:
        """Whether the audit's verdict rests on it."""
        return self.verdict in ("passed", "failed", "open")

    def to_dict(self) -> CheckData:
        """Return plain data; how long it took is left out, so that equal audits have equal data."""
        return {
            "group": self.group,
            "name": self.name,
            "question": self.question,
            "method": self.method,
            "verdict": self.verdict,
            "detail": self.detail,
            "witness": [shown.to_dict() for shown in self.instances],
            "facts": dict(self.facts),
            "tables": [table.to_dict() for table in self.tables],
        }

    def __str__(self) -> str:
        marks = {"passed": "ok  ", "failed": "FAIL", "open": "open", "noted": "note", "not asked": "-   "}
        lines = [f"{marks[self.verdict]} {self.name}: {self.detail}"]
        return "\n".join([*lines, *(f"       {shown}" for shown in self.instances)])


@dataclass(frozen=True)
class Heading:
    """What a check is about, before it is known what it finds."""

    group: str
    name: str
    question: str
    method: str

    def found(
        self,
        verdict: Verdict | bool,
        detail: str,
        instances: Sequence[Shown] = (),
        facts: Mapping[str, Any] | None = None,
        tables: Sequence[FactTable] = (),
    ) -> AuditCheck:
        """Return the check with what it found; True and False stand for passed and failed."""
        if isinstance(verdict, bool):
            verdict = "passed" if verdict else "failed"
        return AuditCheck(
            self.group,
            self.name,
            self.question,
            self.method,
            verdict,
            detail,
            tuple(instances),
            facts or {},
            tuple(tables),
        )
