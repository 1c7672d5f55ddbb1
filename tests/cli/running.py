"""Running the command line inside the test process, and reading from a terminal what it was sent."""

import os
from contextlib import suppress

import pytest

from bnc2d.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Return the exit code, what went to standard output and what went to standard error."""
    code = main(words)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def sent_to(terminal: int) -> bytes:
    """Return what a terminal is sent until the other end is closed, and close this one."""
    sent = b""
    with suppress(OSError):  # Linux reports the closed terminal as an error
        while piece := os.read(terminal, 4096):
            sent += piece
    os.close(terminal)
    return sent
