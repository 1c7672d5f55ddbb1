"""Running the command line inside the test process."""

import pytest

from bnc2d.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Return the exit code, what went to standard output and what went to standard error."""
    code = main(words)
    captured = capsys.readouterr()
    return code, captured.out, captured.err
