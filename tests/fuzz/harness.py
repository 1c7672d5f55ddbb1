"""Reads files under a time and a memory limit and reports every one that misbehaves."""

from __future__ import annotations

import resource
import tempfile
import time
import warnings
from collections.abc import Iterable
from pathlib import Path

from bnc2d import Bnc2dError, Bnc2dWarning, read_network

MAX_SECONDS = 2.0
MAX_BYTES = 2**30
MAX_MESSAGE = 1000


def misbehaviours(cases: Iterable[tuple[str, bytes]], max_seconds: float = MAX_SECONDS) -> list[str]:
    """Return a line for each file that raises anything but ``Bnc2dError``, takes too long or too much memory.

    Memory is judged by the growth of this process's peak, so a first large file hides smaller ones after it;
    ``limit_memory`` makes every excess an error.
    """
    found = []
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", Bnc2dWarning)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for number, (name, data) in enumerate(cases):
            path = Path(folder) / name
            path.write_bytes(data)
            started = time.perf_counter()
            try:
                read_network(path)
            except Bnc2dError as error:
                text = str(error)
                if "\n" in text or len(text) > MAX_MESSAGE + len(str(path)):
                    found.append(
                        f"{number} {name}: message of {len(text)} characters, {text.count(chr(10))} breaks"
                    )
            except Exception as error:  # that nothing else escapes is the point
                found.append(f"{number} {name}: {type(error).__name__}: {error}"[:300])
            seconds = time.perf_counter() - started
            if seconds > max_seconds:
                found.append(f"{number} {name}: {seconds:.1f} s")
            path.unlink()
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
            if grown > MAX_BYTES:
                found.append(f"{number} {name}: {grown >> 20} MiB")
                before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return found


def limit_memory() -> None:
    """Let this process fail with ``MemoryError`` rather than take more than 1 GiB above what it has now."""
    status = Path("/proc/self/statm").read_text(encoding="ascii")
    now = int(status.split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MAX_BYTES, now + MAX_BYTES))
