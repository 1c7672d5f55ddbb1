"""``bnc2d count``: how many instances are in each class, or satisfy a circuit, and what they weigh."""

from __future__ import annotations

import argparse
import json
from fractions import Fraction
from typing import Any

from rich.console import Console

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.budget import Budget
from bnc2d.base.finding import decision_words
from bnc2d.cli.shared.models import RULE, add_model_options, given_words, load_compiled
from bnc2d.cli.shared.options import add_time_option
from bnc2d.cli.shared.printing import print_pretty, printable, table, working
from bnc2d.cli.shared.witnesses import class_value
from bnc2d.compile.model import decisions
from bnc2d.errors import ClassifierError, FormatError
from bnc2d.formats.files import MAX_BYTES, decode, read_bytes
from bnc2d.logic.nnf import NNF
from bnc2d.report.decisions import fraction_text

_CIRCUITS = (".nnf", ".nnf.gz")


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.epilog = (
        "example:\n  bnc2d count diagnosis.bnc2d --class 2\n"
        "  bnc2d count diagnosis.bnc2d --weights weights.json\n"
        "  bnc2d count circuit.nnf --deterministic"
    )
    add_model_options(command)
    model = next(action for action in command._actions if action.dest == "model")
    model.help = f"{model.help}; or a circuit that c2d, d4 or `NNF.save` wrote, FILE.nnf"
    add("--class", dest="name", metavar="CLASS", help="of this class alone")
    add(
        "--weights",
        metavar="FILE.json",
        help='numbers by feature and state, {"BP": {"High": 0.2}}; what is left out weighs 1',
    )
    add("--deterministic", action="store_true", help="believe that the ORs of a circuit are deterministic")
    add_time_option(command)


def run(options: argparse.Namespace) -> int:
    """Print a table of the counts, or JSON."""
    weights = None if options.weights is None else _read_weights(options.weights, options.max_bytes)
    if options.model.lower().endswith(_CIRCUITS):
        _check_options(options)
        with working("counting", options.json):
            circuit = NNF.load(options.model)
            count = _of_circuit(circuit, weights, options)
        facts = _facts(None, None, weights is not None, [(None, count)])
        return _print(options, facts, [["models", _text(count)]], options.model, "circuit")
    if options.deterministic:
        raise ClassifierError("--deterministic is for circuits; a compiled model needs no promise")
    model = load_compiled(options)
    names = list(decisions(model))
    with working("counting", options.json), Budget(options.time_limit).limiting("nothing is counted"):
        diagram = model.diagram
        counts = [Fraction(count) for count in (diagram.counts(weights) if weights else diagram.counts())]
    pairs = list(zip(names, counts, strict=False))
    if options.name is not None:
        label = model.label(options.name)
        pairs = [(names[label], counts[label])]
    rows: list[list[object]] = [[decision_words(name), _text(count)] for name, count in pairs]
    facts = _facts(model, given_words(model), weights is not None, pairs)
    return _print(options, facts, rows, model.target, "class")


def _of_circuit(circuit: NNF, weights: dict[str, Any] | None, options: argparse.Namespace) -> Fraction:
    limits = {"deterministic": options.deterministic, "time_limit": options.time_limit}
    if weights is None:
        return Fraction(circuit.model_count(None, **limits))
    return circuit.model_count(weights, **limits)


def _print(
    options: argparse.Namespace, facts: dict[str, Any], rows: list[list[object]], of: str, heading: str
) -> int:
    if options.json:
        print_pretty(facts)
        return 0
    weighed = "" if options.weights is None else f", weighed by {options.weights}"
    print(printable(f"{of}{weighed}"))
    column = "instances" if options.weights is None else "weight"
    Console().print(table((heading, column), rows, left=(heading,)))
    return 0


def _facts(
    model: CompiledModel | None, given: str | None, weighted: bool, pairs: list[tuple[str | None, Fraction]]
) -> dict[str, Any]:
    return {
        "target": None if model is None else model.target,
        "given": given,
        "weighted": weighted,
        "counts": [
            {
                "class": None if model is None else class_value(model.classifier, name),
                "count": _float(count),
                "count_exact": _text(count),
            }
            for name, count in pairs
        ],
    }


def _text(count: Fraction) -> str:
    return str(fraction_text(count, exact=True))


def _float(count: Fraction) -> float | None:
    try:
        return float(count)
    except OverflowError:
        return None


def _check_options(options: argparse.Namespace) -> None:
    """Refuse what says something about classes: a circuit has none."""
    for name in (*RULE, "given", "name"):
        if getattr(options, name) is not None:
            option = "class" if name == "name" else name
            raise ClassifierError(f"{options.model} is a circuit, so --{option} does not apply")


def _read_weights(path: str, max_bytes: int | None) -> dict[str, Any]:
    text = decode(read_bytes(path, max_bytes or MAX_BYTES), path)
    try:
        data: object = json.loads(text, parse_float=str)  # exactly as it is written
    except json.JSONDecodeError as error:
        raise FormatError(f"not JSON: {error.msg}", path, error.lineno) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path) from None
    if not isinstance(data, dict):
        raise FormatError('expected numbers by feature and state: {"BP": {"High": 0.2}}', path)
    return data
