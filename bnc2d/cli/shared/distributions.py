"""What instances weigh, as options say it: ``--distribution``, ``--marginals`` or the rows of ``--csv``."""

from __future__ import annotations

import argparse
from typing import Any

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.cli.shared.changes import read_marginals
from bnc2d.cli.shared.instances import Row, read_csv
from bnc2d.cli.shared.printing import say
from bnc2d.errors import InstanceError

DISTRIBUTIONS = ("uniform", "network")
_MOST_REPORTED = 20  # rows that cannot be read which have a line on standard error


def add_distribution_options(command: argparse.ArgumentParser) -> None:
    """Add ``--distribution``, ``--marginals`` and ``--csv``."""
    add = command.add_argument
    add("--distribution", choices=DISTRIBUTIONS, help="what instances weigh: the same (default), or P(x)")
    add("--marginals", metavar="'A=x:0.2,y:0.8'", help="features are independent, with these probabilities")
    add("--csv", metavar="FILE", help="only these rows count; the header names the features; - is a pipe")


class Chosen:
    """The distribution that the options give, and how many rows of the table could not be used."""

    def __init__(self, options: argparse.Namespace, model: CompiledModel, *, complete: bool = False) -> None:
        given = [options.distribution is not None, options.marginals is not None, options.csv is not None]
        if sum(given) > 1:
            raise InstanceError("only one of these at a time: --distribution, --marginals or --csv")
        self.failed = 0
        self.distribution: Any = options.distribution
        if options.marginals is not None:
            self.distribution = read_marginals(options.marginals, model.domain)
        elif options.csv is not None:
            rows = read_csv(options.csv, model.classifier.feature_variables, options.max_bytes)
            read = (self._instance(row, model, complete) for row in rows.rows)
            instances = [instance for instance in read if instance is not None]
            if self.failed > _MOST_REPORTED:
                say("error", f"{self.failed} rows cannot be used; the first {_MOST_REPORTED} are named above")
            if not instances:
                raise InstanceError(f"{options.csv}: no row of it can be used")
            self.distribution = instances

    @property
    def code(self) -> int:
        """The exit code where all else is well."""
        return 3 if self.failed else 0

    def _instance(self, row: Row, model: CompiledModel, complete: bool) -> dict[str, str] | None:
        """Return the instance of a row that can be used; of any other a line on standard error."""
        error = row.error
        if row.instance is not None and complete and len(row.instance) < len(model.features):
            missing = next(name for name in model.features if name not in row.instance)
            error = f"the feature {missing!r} is missing"
        if row.instance is not None and not error:
            return row.instance
        self.failed += 1
        if self.failed <= _MOST_REPORTED:
            say("error", f"{row.place}: {error}")
        return None
