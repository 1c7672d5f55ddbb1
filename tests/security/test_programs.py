"""Other programs are started from a list of fixed words; what a file says reaches them as data only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bnc2d import Classifier, LimitExceeded
from bnc2d.logic.convert import sdd, sdd_worker
from tests.security.hostile import hostile_network

NET = hostile_network()


def test_the_sdd_worker_is_our_own_file_and_gets_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    model = Classifier(NET, NET.names[0]).compile()
    formula = model.formula(model.classes[1])
    files: dict[str, str] = {}
    calls: list[tuple[list[str], dict[str, Any]]] = []
    popen = subprocess.Popen

    def start(words: list[str], **options: Any) -> Any:
        calls.append((words, options))
        folder = Path(words[3])
        files.update({path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()})
        assert folder.stat().st_mode & 0o077 == 0  # nobody else may look or write there
        return popen([sys.executable, "-c", "import time; time.sleep(60)"], **options)

    monkeypatch.setattr(subprocess, "Popen", start)
    with pytest.raises(LimitExceeded, match="not finished within the time limit"):
        sdd.to_sdd(formula.manager, formula.root, time_limit=0.3)
    ((words, options),) = calls
    assert isinstance(words, list)
    assert words[:3] == [sys.executable, "-P", sdd_worker.__file__]
    assert not any("script" in word or "\x1b" in word for word in words)
    assert not options.get("shell")
    assert files.keys() == {"program.jsonl", "in.vtree"}
    assert not any("script" in text for text in files.values())
    assert not Path(words[3]).exists()
