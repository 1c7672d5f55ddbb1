"""``bnc2d.Audit``: all checks of an audit, as a summary in sentences, as data and as a page."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from bnc2d.auditing.findings import AuditCheck, CheckData, Verdict
from bnc2d.auditing.sources import Source
from bnc2d.auditing.subject import counted
from bnc2d.base.atomic import atomic_write
from bnc2d.base.finding import Finding, Witness
from bnc2d.base.readers.arguments import path_name
from bnc2d.logic.domain import Domain

# The version of the JSON that ``to_dict`` gives.
FORMAT = 1
_ORDER: tuple[Verdict, ...] = ("failed", "open", "passed", "noted", "not asked")


class AuditData(TypedDict):
    """An audit as plain data; ``docs/json.md`` describes every key."""

    audit: int
    verdict: Verdict
    summary: list[str]
    date: str
    command: str | None
    versions: dict[str, str]
    files: list[dict[str, str | int]]
    model: dict[str, Any]
    settings: dict[str, Any]
    checks: list[CheckData]
    limits: list[str]


@dataclass(frozen=True)
class Audit(Finding):
    """What an audit found; true where every check that was asked for passed.

    ``checks`` are in the order in which they ran. ``limits`` says in sentences what was not checked, ``date``
    is that of the audit as text, ``command`` the command line, if there was one. ``subject`` describes the
    model, ``settings`` what was asked, ``versions`` what ran; all three are plain data. ``sources`` are the
    files.
    """

    checks: tuple[AuditCheck, ...]
    limits: tuple[str, ...]
    subject: Mapping[str, Any]
    settings: Mapping[str, Any]
    sources: tuple[Source, ...]
    versions: Mapping[str, str]
    date: str
    command: str | None
    domain: Domain

    @property
    def passed(self) -> bool:
        """Whether every check that was asked for passed."""
        return all(check.verdict == "passed" for check in self.checks if check.counts)

    @property
    def failed(self) -> bool:
        """Whether a check failed."""
        return any(check.verdict == "failed" for check in self.checks)

    @property
    def holds(self) -> bool | None:
        """Whether all passed; None where none failed and some are open."""
        return False if self.failed else self.passed or None

    @property
    def verdict(self) -> Verdict:
        """The result in a word: "passed", "failed" or "open"."""
        return "failed" if self.failed else "passed" if self.passed else "open"

    @property
    def witness(self) -> Witness | None:
        """What shows the first failure for which there is something."""
        return next(
            (check.witness for check in self.checks if check.verdict == "failed" and check.witness), None
        )

    def with_verdict(self, verdict: Verdict) -> list[AuditCheck]:
        """Return the checks with this verdict."""
        return [check for check in self.checks if check.verdict == verdict]

    @property
    def worst_first(self) -> list[AuditCheck]:
        """The checks, the failed first, then the open, the passed and the others."""
        return [check for verdict in _ORDER for check in self.with_verdict(verdict)]

    @property
    def summary(self) -> tuple[str, ...]:
        """What was found in sentences: the verdict, each check that did not pass, and what was left out."""
        number = Counter(check.verdict for check in self.checks)
        asked = sum(check.counts for check in self.checks)
        head = f"Passed: all {counted(asked, 'check')}."
        if self.verdict != "passed":
            parts = [f"{number[one]} {word}" for one, word in _WORDS.items() if number[one]]
            head = f"Not passed: of {counted(asked, 'check')} {', '.join(parts)}."
        sentences = [head]
        bad = [check for check in self.worst_first if check.verdict in ("failed", "open")]
        sentences += [
            f"{check.verdict.capitalize()} ({check.name}): {_plain(check.detail)}." for check in bad
        ]
        left_out = [check.name for check in self.with_verdict("not asked")]
        if left_out:
            sentences.append(f"Not asked: {', '.join(left_out)}.")
        return tuple(sentences)

    def to_dict(self) -> AuditData:
        """Return everything as plain data for JSON; ``docs/json.md`` describes every key."""
        return {
            "audit": FORMAT,
            "verdict": self.verdict,
            "summary": list(self.summary),
            "date": self.date,
            "command": self.command,
            "versions": dict(self.versions),
            "files": [source.to_dict() for source in self.sources],
            "model": dict(self.subject),
            "settings": dict(self.settings),
            "checks": [check.to_dict() for check in self.checks],
            "limits": list(self.limits),
        }

    def to_json(self) -> str:
        """Return the data as text; a name that is no Unicode text becomes its escape."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, indent=1)
        return text.encode(errors="backslashreplace").decode() + "\n"

    def to_html(self) -> str:
        """Return one page that asks for nothing from outside."""
        from bnc2d.auditing.page import page_html

        return page_html(self)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the page, or the data where the name ends in ``.json``; whole or not at all."""
        text = self.to_json() if path_name(path).lower().endswith(".json") else self.to_html()
        atomic_write(path, text.encode(errors="replace"))

    def _repr_html_(self) -> str:
        from bnc2d.draw.html import table, text

        rows = [(text(one.verdict), text(one.name), text(one.detail)) for one in self.worst_first]
        return table(text(self.summary[0]), ("", "check", "detail"), rows)

    def __str__(self) -> str:
        lines = [str(check) for check in self.checks]
        return "\n".join([*lines, "", *self.summary[:1]])


_WORDS: dict[Verdict, str] = {"failed": "failed", "open": "open", "passed": "passed"}


def _plain(detail: str) -> str:
    """Return what was found, without the "no" that answers the question."""
    return detail.removeprefix("no: ")
