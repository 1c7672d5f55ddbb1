"""``bnc2d scores``: a number for each feature of a decision, from its reasons or from games."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any, TextIO, get_args

from bnc2d.api.classifier import Classifier
from bnc2d.base.readers.choices import GAMES, SCORE_KINDS, ScoreOf
from bnc2d.cli.shared.changes import add_change_options, read_changes, read_marginals
from bnc2d.cli.shared.instances import Row, read_csv
from bnc2d.cli.shared.models import AUTO_SECONDS, ROUTES, load_with_instances
from bnc2d.cli.shared.options import amount, split_names
from bnc2d.cli.shared.output import Answers, add_row_options
from bnc2d.cli.shared.printing import printable
from bnc2d.compile.result import feature_domain
from bnc2d.errors import InstanceError
from bnc2d.explain.scores.scores import Scores

_ROWS_AT_ONCE = 256


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.epilog = (
        "example:\n  bnc2d scores diagnosis.bnc2d BP=High CT=1 HR=Normal\n"
        "  bnc2d scores diagnosis.bnc2d --kind responsibility BP=High CT=1 HR=Normal\n"
        "  bnc2d scores diagnosis.bnc2d --csv patients.csv --drawn-from patients.csv -o scores.csv"
    )
    add_row_options(command)
    add("--kind", choices=SCORE_KINDS, default="shapley", help="what the numbers are (default shapley)")
    add("--weighted", action="store_true", help="occurrence: each reason shares 1 out among its features")
    add("--towards", metavar="CLASS", help="shapley, banzhaf: of this class (default: the one decided)")
    add(
        "--of",
        choices=get_args(ScoreOf),
        default="decision",
        help="shapley, banzhaf: of P(decision) or of P(class)",
    )
    add("--marginals", metavar="'A=x:0.2,y:0.8'", help="features are drawn with these probabilities")
    add("--drawn-from", metavar="FILE", help="features are drawn from the columns of this table")
    add("--fixed", default="", metavar="A,B", help="features that may not change, and have no score")
    add_change_options(command)
    auto = f"auto (default): compiled where that takes at most {AUTO_SECONDS:g} s, else the network itself"
    add("--route", choices=ROUTES, default="auto", help=auto)
    add("--time-limit", type=amount, default=10.0, metavar="S", help="seconds an instance (default 10)")


def run(options: argparse.Namespace) -> int:
    """Print the scores of each instance, or data."""
    model, constraint, classifier, given = load_with_instances(options)
    fixed = split_names(options.fixed, classifier.features)
    changes = read_changes(options, classifier)
    towards = None if options.towards is None else classifier.class_labels[classifier.label(options.towards)]
    asked: dict[str, Any] = {
        "kind": options.kind,
        "distribution": _distribution(options, classifier),
        "towards": towards,
        "of": options.of,
        "weighted": options.weighted,
    }
    columns = ["decision", "kind", "total", "complete", *(f"score({name})" for name in classifier.features)]
    output = Answers(options, given, columns)
    together = not (given.single or fixed or any(changes.values()))

    def answer(instances: Sequence[dict[str, str]]) -> list[Any]:
        limit = options.time_limit
        if together:
            exact = True if options.exact and options.kind in GAMES else None
            more = {**asked, "exact": exact, "time_limit": limit * len(instances)}
            if isinstance(model, Classifier):
                more["given"] = constraint
            found = model.scores_many(instances, **more)
        else:
            found = [scores_of(instance) for instance in instances]
        return [_rendered(one, output.format, options.exact) for one in found]

    def scores_of(instance: dict[str, str]) -> Scores:
        held = [name for name in fixed if name in instance]
        if isinstance(model, Classifier):
            explanation = model.explain(instance, held, given=constraint, **changes)
        else:
            explanation = model.explain(instance, held, **changes)
        return explanation.scores(**asked, time_limit=options.time_limit)

    def text(stream: TextIO, row: Row, found: str) -> None:
        place = "" if given.single else f"{row.place}: "
        print(printable(place + found), file=stream)

    return output.write(answer, text, "scoring", _ROWS_AT_ONCE if together else 1)


def _distribution(options: argparse.Namespace, classifier: Classifier) -> Any:
    """Return what features are drawn from."""
    if options.marginals is not None and options.drawn_from is not None:
        raise InstanceError("only one of these at a time: --marginals or --drawn-from")
    if options.marginals is not None:
        return read_marginals(options.marginals, feature_domain(classifier))
    if options.drawn_from is None:
        return None
    rows = read_csv(options.drawn_from, classifier.feature_variables, options.max_bytes).rows
    instances = []
    for row in rows:
        if row.instance is None:
            raise InstanceError(f"{options.drawn_from}: {row.place}: {row.error}")
        instances.append(row.instance)
    return instances


def _rendered(scores: Scores, form: str, exact: bool) -> Any:
    """Return scores as the output has them: text, the cells of a line, or data."""
    if form == "text":
        return str(scores)
    data = scores.to_dict(exact=exact)
    if form != "csv":
        return data
    numbers: dict[str, Any] = data["scores_exact"] if exact and data["scores_exact"] else data["scores"]
    head = {name: data[name] for name in ("decision", "kind", "total", "complete")}
    return {**head, **{f"score({name})": number for name, number in numbers.items()}}
