"""Looking after the processes of jobs, through /proc."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

PATIENCE = 60.0  # seconds, for a loaded machine


def workers_of(parent: int) -> list[int]:
    """Return the worker processes that a process has started and that live."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):
                state, above = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[:2]
                words = (entry / "cmdline").read_bytes().split(b"\0")
                if int(above) == parent and state != "Z" and b"bnc2d.experiments.running.worker" in words:
                    found.append(int(entry.name))
    return found


def is_alive(process: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    return False


def wait_until(happened: Callable[[], object]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "nothing happened"
        time.sleep(0.02)
