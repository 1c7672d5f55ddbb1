"""Other programs are started from a list of fixed words; what a file says reaches them as data only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bnc2d import Classifier, LimitExceeded
from bnc2d.logic import sdd, sdd_worker
from tests.security.hostile import hostile_network

NET = hostile_network()


class Recorder:
    """Stands for ``subprocess.run``, and keeps how it was called."""

    def __init__(self, result: bytes = b"", error: Exception | None = None) -> None:
        self.result, self.error = result, error
        self.words: list[str] = []
        self.options: dict[str, Any] = {}

    def __call__(self, words: list[str], **options: Any) -> subprocess.CompletedProcess[bytes]:
        self.words, self.options = words, options
        if self.error is not None:
            raise self.error
        return subprocess.CompletedProcess(words, 0, self.result, b"")

    def assert_fixed(self) -> None:
        assert isinstance(self.words, list)
        assert not any("script" in word or "\x1b" in word for word in self.words)
        assert not self.options.get("shell")
        assert self.options["timeout"] > 0


def test_the_sdd_worker_is_our_own_file_and_gets_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Classifier(NET, NET.names[0]).compile()
    formula = model.formula(model.classes[1])
    files: dict[str, str] = {}

    def run(words: list[str], **options: Any) -> Any:
        folder = Path(words[-1])
        files.update({path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()})
        assert folder.stat().st_mode & 0o077 == 0  # nobody else may look or write there
        return recorder(words, **options)

    recorder = Recorder(error=subprocess.TimeoutExpired("sdd", 1))
    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(LimitExceeded, match="not finished within the time limit"):
        sdd.to_sdd(formula.manager, formula.root, time_limit=5.0)
    recorder.assert_fixed()
    assert recorder.words[:3] == [sys.executable, "-P", sdd_worker.__file__]
    assert files.keys() == {"program.json", "in.vtree"}
    assert not any("script" in text for text in files.values())
    assert not Path(recorder.words[-1]).exists()
