"""Hypothesis runs the same examples everywhere; tests that are not tried are named in the last line.

Examples have no deadline, which a loaded machine would miss; in ``make long`` there are more (``cases.py``).
A test that is skipped proves nothing, so the last line of a run says how many were and why; with ``CI=true``
in the environment that is a failure.
"""

import os
import signal
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "bnc2d",
    max_examples=100 if os.environ.get("BNC2D_LONG") == "1" else 20,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    print_blob=True,
)
settings.load_profile("bnc2d")

# A run in the background of a script ignores Ctrl-C, and so would every process that a test interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def not_tried(config: pytest.Config) -> str:
    """Return what was skipped and why, or an empty text; workers of pytest-xdist say nothing themselves."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None or hasattr(config, "workerinput"):
        return ""
    reasons: Counter[str] = Counter()
    for report in reporter.stats.get("skipped", ()):
        # A report of a skip holds (file, line, reason).
        reasons[str(report.longrepr[2]).removeprefix("Skipped: ")] += 1
    return "; ".join(f"{count} tests: {reason}" for reason, count in reasons.items())


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    if os.environ.get("CI") == "true" and session.exitstatus == 0 and not_tried(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config: pytest.Config) -> None:
    """Print after everything else, so that nobody overlooks it."""
    if line := not_tried(config):
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        assert reporter is not None
        reporter.write_line(f"NOT TRIED ON THIS MACHINE: {line}", red=True, bold=True)
