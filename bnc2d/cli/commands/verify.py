"""``bnc2d verify``: independent checks of a compiled model."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from bnc2d.api.files import load
from bnc2d.cli.shared.options import add_memory_option, add_size_option, amount
from bnc2d.cli.shared.printing import answer, working
from bnc2d.compile.store import MAX_BYTES
from bnc2d.verify.checks import verify_model


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.epilog = "example:\n  bnc2d verify diagnosis.bnc2d"
    add("model", metavar="MODEL", help="a file that `bnc2d compile` wrote")
    add("--time-limit", type=amount, default=60.0, metavar="S", help="seconds for each check")
    add_memory_option(command, "for each check, ")
    add("--samples", type=int, default=200, help="instances for the oracle on large models")
    add("--seed", type=int, default=0)
    add_size_option(command)


def run(options: argparse.Namespace) -> int:
    """Print every check; exit with 1 if one failed, with 2 if one ran into its limit and none failed."""
    model = load(options.model, max_bytes=options.max_bytes or MAX_BYTES)
    with working("verifying", options.json) as say:
        report = verify_model(
            model,
            time_limit=options.time_limit,
            samples=options.samples,
            seed=options.seed,
            memory_limit=options.memory_limit,
            progress=lambda name, done, total: say(f"check {done + 1} of {total}: {name}"),
        )
    checks = [asdict(check) for check in report.checks]
    facts = {"passed": report.passed, "failed": report.failed, "checks": checks}
    answer(options.json, facts, f"{report}\n{report.verdict}")
    return 0 if report.passed else 1 if report.failed else 2
