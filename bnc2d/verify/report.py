"""What a verification found: named checks, each with its time and, where it failed, a witness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module


@dataclass(frozen=True)
class Check:
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
    def failed(self) -> bool:
        """Whether the check found a fault."""
        return self.finished and not self.passed

    def __str__(self) -> str:
        mark = "ok  " if self.passed else "FAIL" if self.failed else "open"
        shown = "" if self.witness is None else " at " + " ".join(f"{n}={s}" for n, s in self.witness.items())
        return f"{mark} {self.name:<22} {self.seconds:7.2f} s  {self.detail}{shown}"


@dataclass(frozen=True)
class Report:
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

    def __bool__(self) -> bool:
        return self.passed

    def _repr_html_(self) -> str:
        html: str = import_module("bnc2d.report.notebook").report_html(self)
        return html

    def __str__(self) -> str:
        return "\n".join(map(str, self.checks))
