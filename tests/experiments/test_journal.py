"""Journals: whole lines only, whatever an earlier run has left."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bnc2d import FormatError
from bnc2d.experiments.running.jobs import Job
from bnc2d.experiments.running.journal import Journal

FIRST, SECOND = (Job(name, "file", "fast", {}) for name in ("first", "second ω \ud800"))


def test_records_come_back(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with Journal(path) as journal:
        assert journal.records == {}
        journal.add(FIRST, FIRST.record("timeout"))
        assert len(path.read_text(encoding="utf-8").splitlines()) == 1  # at once
        journal.add(SECOND, SECOND.record("ok", seconds=1.5))
        journal.add(FIRST, FIRST.record("ok", seconds=2.5))
        kept = journal.records
    with Journal(path) as journal:
        assert journal.records == kept
        assert journal.records[FIRST.key]["seconds"] == 2.5  # the last one counts
        assert journal.records[SECOND.key]["seconds"] == 1.5
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3


@pytest.mark.parametrize("cut", [1, 20, -1])
def test_a_line_cut_short_is_dropped(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "runs.jsonl"
    with Journal(path) as journal:
        journal.add(FIRST, FIRST.record("ok"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole.rstrip(b"\n")[:cut])
    with Journal(path) as journal:
        assert journal.records.keys() == {FIRST.key}
        journal.add(SECOND, SECOND.record("ok"))
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["problem"] for line in lines] == [FIRST.problem, SECOND.problem]


def test_lines_that_are_no_records_are_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    strange = b'[]\nnull\n{"problem": 1}\n{"problem": [], "which": "file"}\n\xff\n\n'
    path.write_bytes(strange)
    with Journal(path) as journal:
        assert journal.records == {}
        journal.add(FIRST, FIRST.record("ok"))
    assert path.read_bytes().startswith(strange)


def test_a_journal_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="cannot"):
        Journal(tmp_path)
    with pytest.raises(FormatError, match="cannot write"):
        Journal(tmp_path / "no" / "folder")
