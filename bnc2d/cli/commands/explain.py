"""``bnc2d explain``: why instances are decided as they are, why not otherwise, and what would change it."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bnc2d.api.classifier import Classifier
from bnc2d.api.explanation import Explanation
from bnc2d.base.scales import state_words
from bnc2d.cli.commands.predict import decision_cells, decision_columns
from bnc2d.cli.shared.changes import add_change_options, read_changes
from bnc2d.cli.shared.instances import Row
from bnc2d.cli.shared.models import AUTO_SECONDS, ROUTES, load_with_instances
from bnc2d.cli.shared.options import amount, list_length, split_names
from bnc2d.cli.shared.output import Answers, add_row_options
from bnc2d.cli.shared.printing import printable
from bnc2d.cli.shared.probable import COLUMNS as PROBABLE_COLUMNS
from bnc2d.cli.shared.probable import Probable, add_probable_options
from bnc2d.cli.shared.scores import ROWS_AT_ONCE, Scoring, add_scores_option
from bnc2d.cli.shared.writers import Data
from bnc2d.errors import LogicError
from bnc2d.explain.scores.scores import Scores
from bnc2d.explain.text import FEW_SECONDS, MANY, MANY_SECONDS, Answer, render, tell
from bnc2d.report.records import explanation_summary

_COLUMNS = (
    *("sufficient_reason", "sufficient_reasons", "necessary_reasons", "distance"),
    *("changes", "changed_decision", "changed_possible", "cut", "unproved"),
)
_FEW = 5  # reasons a list in data


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.epilog = (
        "example:\n  bnc2d explain diagnosis.bnc2d BP=High CT=1 HR=Normal\n"
        "  bnc2d explain diagnosis --target D --fixed BP --csv patients.csv --id name -o reasons.jsonl\n"
        "  bnc2d explain diagnosis.bnc2d --scores shapley,responsibility --csv patients.csv -o scores.csv\n"
        "  bnc2d explain patients.csv --target ill --row 17"
    )
    add_row_options(command)
    auto = f"auto (default): compiled where that takes at most {AUTO_SECONDS:g} s, else the network itself"
    add("--route", choices=ROUTES, default="auto", help=auto)
    add("--all", action="store_true", help=f"every reason (in text up to {MANY} a list)")
    add("--towards", metavar="CLASS", help="ask why not this class, and no other")
    add("--fixed", default="", metavar="A,B", help="features that may not change")
    add_change_options(command)
    add_probable_options(command)
    add_scores_option(command)
    add("--avoid", default="", metavar="A,B", help="features that reasons had better not have")
    add("--limit", type=list_length, metavar="N", help=f"reasons a list (default: 2 in text, {_FEW} in data)")
    add("--time-limit", type=amount, metavar="S", help="seconds an instance (default: 5, with --all 30)")
    add("--formulas", action="store_true", help="JSON has the formulas of reasons, as nodes")


def run(options: argparse.Namespace) -> int:
    """Explain each instance, in words or as data."""
    model, constraint, classifier, given = load_with_instances(options)
    fixed = split_names(options.fixed, classifier.features)
    avoid = split_names(options.avoid, classifier.features)
    changes = read_changes(options, classifier)
    towards = None if options.towards is None else classifier.classes[classifier.label(options.towards)]
    probable = Probable(options, classifier)
    scoring = Scoring(options, model, constraint)
    more = [*(() if probable.wanted is None else PROBABLE_COLUMNS), *scoring.columns]
    output = Answers(options, given, [*decision_columns(classifier, options.exact), *_COLUMNS, *more])
    if options.formulas and output.format in ("text", "csv"):
        raise LogicError("--formulas needs --format json or jsonl")
    if options.formulas and model is classifier:
        raise LogicError("--formulas needs a compiled model; --route compiled makes one")
    few, seconds = (None, MANY_SECONDS) if options.all else (_FEW, FEW_SECONDS)
    limits: dict[str, Any] = {
        "limit": few if options.limit is None else options.limit,
        "time_limit": seconds if options.time_limit is None else options.time_limit,
    }

    # Where rows are asked as they are, and in floats, all of them take the same passes.
    plain = not (given.single or fixed or any(changes.values()) or options.exact)

    def answer(instances: Sequence[dict[str, str]]) -> list[Any]:
        explained = [explain(instance) for instance in instances]
        drawn = (probable.given, limits["time_limit"])
        if scoring.kinds and plain:
            scores = scoring.of_many(instances, *drawn)
        else:
            scores = [scoring.of_one(explanation, *drawn) for explanation in explained]
        return [answer_one(one, found) for one, found in zip(explained, scores, strict=True)]

    def explain(instance: dict[str, str]) -> Explanation:
        # What is missing in a row is not explained there, so that it cannot change either.
        missing = set(classifier.features) - instance.keys()
        held = [name for name in fixed if name not in missing]
        if isinstance(model, Classifier):
            found = model.explain(instance, held, given=constraint, **changes)
        else:
            found = model.explain(instance, held, **changes)
        return found.preferring(avoid=[name for name in avoid if name not in missing])

    def answer_one(explanation: Explanation, scores: dict[str, Scores | None]) -> Any:
        if output.format == "text":
            lengths = {"limit": options.limit, "time_limit": limits["time_limit"]}
            head, found = tell(explanation, everything=options.all, towards=towards, **lengths)
            answers = list(found)
            if probable.wanted is not None:
                answers.append(probable.answer(explanation, limits["time_limit"], MANY))
            return head, [*answers, *scoring.answers(scores)]
        if output.format == "csv":
            cells = _cells(explanation_summary(explanation, exact=options.exact, **limits), options.exact)
            wanted = {} if probable.wanted is None else probable.cells(explanation, limits["time_limit"])
            return {**cells, **wanted, **scoring.cells(scores)}
        data = explanation.to_dict(towards=towards, formulas=options.formulas, exact=options.exact, **limits)
        record: dict[str, Any] = {**data, **({"scores": scoring.data(scores)} if scoring.kinds else {})}
        if probable.wanted is None:
            return record
        kept = probable.data(explanation, limits["limit"], limits["time_limit"], options.exact)
        return {**record, "probable": kept}

    def text(stream: TextIO, row: Row, found: tuple[str, list[Answer]]) -> None:
        console = Console(file=stream, highlight=False)
        if not given.single:
            heading = ("" if row.number == 1 else "\n") + f"--- {row.place}"
            console.print(Text(printable(heading), "bold"), soft_wrap=True)
        show(console, *found)

    return output.write(answer, text, "explaining", ROWS_AT_ONCE if scoring.kinds and plain else 1)


def _cells(summary: Data, exact: bool) -> Data:
    """Return a summary as the cells of a line, reasons and changes in words."""
    reason, changes = (
        "; ".join(state_words(name, state) for name, state in summary[key].items())
        for key in ("sufficient_reason", "changes")
    )
    words = {"sufficient_reason": reason or "none is needed", "changes": changes}
    lists = {"cut": " ".join(summary["cut"]), "unproved": "; ".join(summary["unproved"])}
    return decision_cells({**summary, **words, **lists}, exact)


def show(console: Console, head: str, found: Iterable[Answer]) -> None:
    """Print an explanation: as tables on a terminal, as plain text elsewhere."""
    if not console.is_terminal:
        print(printable(render(head, found)), file=console.file)
        return
    first, *rest = printable(head).split("\n")
    console.print(Text(first, "bold"))
    console.print(Text("\n".join(rest)))
    for answer in found:
        if answer.question:
            console.print(Text("\n" + printable(answer.question), "bold cyan"))
        console.print(Text(printable(answer.lead)))
        if answer.lines:
            table = Table(box=None, header_style="dim", padding=(0, 2))
            for header in ("", answer.kind):
                table.add_column(header, overflow="fold")  # a long word goes on in the next line, whole
            for line in answer.lines:
                table.add_row(Text(f"• {printable(line.plain)}"), Text(printable(line.formal), "green"))
            console.print(table)
        if answer.rest:
            console.print(Text(f"  {answer.rest}", "dim"))
