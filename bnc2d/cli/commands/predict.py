"""``bnc2d predict``: the class of instances and their exact posteriors."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, TextIO

from bnc2d.api.classifier import Classifier
from bnc2d.base.readers.instances import encode_partial
from bnc2d.cli.shared.constraints import allowed_rows, read_given
from bnc2d.cli.shared.instances import Row, check_instance_options, read_instances
from bnc2d.cli.shared.models import load_either
from bnc2d.cli.shared.output import Answers, add_row_options
from bnc2d.cli.shared.printing import printable
from bnc2d.cli.shared.tables import is_table
from bnc2d.cli.shared.writers import Data
from bnc2d.errors import LimitExceeded
from bnc2d.model.partial import partial_bases
from bnc2d.report.decisions import decision_data

_ROWS_AT_ONCE = 256


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = (
        "example:\n  bnc2d predict diagnosis --target D BP=High CT=1 HR=Normal\n"
        "  bnc2d predict diagnosis.bnc2d --csv patients.csv --id name -o decisions.csv"
    )
    add_row_options(command)


def run(options: argparse.Namespace) -> int:
    """Print each decision, then the posterior of every class."""
    if is_table(options.model):  # to train takes a while
        check_instance_options(options)
    found = load_either(options)
    classifier = found if isinstance(found, Classifier) else found.classifier
    given = allowed_rows(read_instances(options, classifier.feature_variables), found, read_given(options))
    output = Answers(options, given, decision_columns(classifier, options.exact))

    def posteriors(instances: Sequence[dict[str, str]]) -> Sequence[Mapping[str, Fraction | float]]:
        try:
            return classifier.posterior(instances, exact=True)
        except LimitExceeded:  # then the decisions are still certain
            return classifier.posterior(instances)

    def answer(instances: Sequence[dict[str, str]]) -> Sequence[Data]:
        bases = partial_bases(classifier, encode_partial(classifier.feature_variables, instances).rows)
        decided = zip(classifier.predict(instances), bases, posteriors(instances), strict=True)
        data: list[dict[str, Any]] = [{**decision_data(*one, options.exact)} for one in decided]
        for one, instance in zip(data, instances, strict=True):
            if len(instance) < len(classifier.features):
                one["missing"] = [name for name in classifier.features if name not in instance]
        return [decision_cells(one, options.exact) for one in data] if output.format == "csv" else data

    def text(stream: TextIO, row: Row, found: Data) -> None:
        print(printable(_shown(row.place, classifier.target, found, options.exact)), file=stream)

    return output.write(answer, text, "deciding", _ROWS_AT_ONCE)


def decision_columns(classifier: Classifier, exact: bool) -> list[str]:
    """Return the columns of a decision in CSV."""
    prefixes = ("", "exact ") if exact else ("",)
    posteriors = [f"{prefix}P({state})" for prefix in prefixes for state in classifier.classes]
    return ["missing", "decision", "possible", "decided_by", *posteriors]


def decision_cells(data: Data, exact: bool) -> Data:
    """Return the data of a decision as these columns."""
    rest = {**data, "missing": "; ".join(data.get("missing", ()))}
    cells = {f"P({state})": p for state, p in rest.pop("posterior").items()}
    fractions = rest.pop("posterior_exact") or {}
    if exact:
        cells |= {f"exact P({state})": p for state, p in fractions.items()}
    return rest | cells


def _shown(place: str, target: str, found: Data, exact: bool) -> str:
    decision = found["decision"]
    decided = f"{target} = {decision}" if decision is not None else f"{target}: tied, no class"
    lines = [f"{place}: {decided}" if place else decided]
    missing = found.get("missing")
    if missing:
        lines.append(f"  not known: {', '.join(missing)}")
    given = "what is known" if missing else "instance"
    fractions = found["posterior_exact"] if exact else None
    for state, p in found["posterior"].items():
        fraction = f" = {fractions[state]}" if fractions else ""
        lines.append(f"  P({target}={state} | {given}) = {p:.6f}{fraction}")
    rule = found["decided_by"]
    if not found["possible"]:
        lines.append(f"  the instance is impossible: its probability is zero and the {rule} decides")
    elif rule != "posterior":
        lines.append(f"  the {rule} decides")
    return "\n".join(lines)
