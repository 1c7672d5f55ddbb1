"""What a verification found: named checks, each with its time and, where it failed, a witness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bnc2d.base.finding import Finding, instance_words


@dataclass(frozen=True)
class Check(Finding):
    """One check; ``witness`` is an instance that shows the failure, where one instance can.

    A check that is not ``finished`` ran into a limit: it has not passed, and has found no fault either.
    """

    name: str
    passed: bool
    seconds: float
    detail: str = ""
    witness: Mapping[str, str] | None = None
    finished: bool = True

    @property
    def holds(self) -> bool | None:
        """Whether the check passed; None where it is not finished."""
        return self.passed if self.finished else None

    @property
    def failed(self) -> bool:
        """Whether the check found a fault."""
        return self.holds is False

    def __str__(self) -> str:
        mark = "ok  " if self.passed else "FAIL" if self.failed else "open"
        shown = "" if self.witness is None else f" at {instance_words(self.witness)}"
        return f"{mark} {self.name:<22} {self.seconds:7.2f} s  {self.detail}{shown}"


@dataclass(frozen=True)
class Report(Finding):
    """The checks in the order they ran; true when all passed."""

    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> bool:
        """Whether a check found a fault. A report may be neither passed nor failed: a limit came first."""
        return any(check.failed for check in self.checks)

    @property
    def verdict(self) -> str:
        """The result in a few words."""
        if self.failed:
            return "NOT verified"
        open_checks = sum(not check.finished for check in self.checks)
        return f"no fault found, but {open_checks} not finished" if open_checks else "verified"

    @property
    def holds(self) -> bool | None:
        """Whether every check passed; None where none failed and some are not finished."""
        return False if self.failed else self.passed or None

    @property
    def witness(self) -> Mapping[str, str] | None:
        """The instance that shows the first failure for which there is one."""
        return next((check.witness for check in self.checks if check.failed and check.witness), None)

    def _repr_html_(self) -> str:
        from bnc2d.draw.html import table, text

        rows = []
        for check in self.checks:
            mark = "✓ ok" if check.passed else "<b>✗ failed</b>" if check.failed else "not finished"
            detail = text(check.detail)
            if check.witness:
                detail += " at " + ", ".join(f"{text(n)}={text(s)}" for n, s in check.witness.items())
            rows.append((mark, text(check.name), f"{check.seconds:.2f} s", detail))
        return table(self.verdict[0].upper() + self.verdict[1:], ("", "check", "time", "detail"), rows)

    def __str__(self) -> str:
        return "\n".join(map(str, self.checks))
