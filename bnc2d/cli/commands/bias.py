"""``bnc2d bias``: whether decisions depend on protected features, and on which share of the instances."""

from __future__ import annotations

import argparse
from typing import Any

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.cli.shared.distributions import Chosen, add_distribution_options
from bnc2d.cli.shared.instances import parse_instance
from bnc2d.cli.shared.models import add_model_options, given_words, load_compiled
from bnc2d.cli.shared.options import add_time_option, split_names
from bnc2d.cli.shared.printing import print_pretty, printable, say, working
from bnc2d.cli.shared.witnesses import shown_data, shown_lines
from bnc2d.errors import InstanceError, LimitExceeded
from bnc2d.explain.whole.bias import Bias
from bnc2d.report.decisions import fraction_text


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.description = (
        f"{command.description} Exit code 0: none does; 1: one does, and a pair of instances shows it; 2: "
        "bad input or a limit."
    )
    command.epilog = (
        "example:\n  bnc2d bias survey --target E --features A,S,O,R,T --protected S\n"
        "  bnc2d bias model.bnc2d --protected Sex,Age --csv people.csv"
    )
    add_model_options(command)
    add("instance", nargs="*", metavar="NAME=STATE", help="ask about the decision on this instance alone")
    add("--protected", required=True, metavar="A,B", help="features that should not change a decision")
    add_distribution_options(command)
    add_time_option(command)


def run(options: argparse.Namespace) -> int:
    """Print the verdict with a pair that shows it, or JSON."""
    model = load_compiled(options)
    protected = split_names(options.protected, model.features)
    instance = parse_instance(options.instance, model.features) if options.instance else None
    if instance is not None and (options.distribution or options.marginals or options.csv):
        raise InstanceError("NAME=STATE words ask about one instance, so that nothing is to be weighed")
    chosen = Chosen(options, model, complete=True)
    with working("comparing", options.json):
        found = _asked(model, protected, instance, chosen, options.time_limit)
    pair = list(found.pair or ())
    if options.json:
        share = found.share
        print_pretty(
            {
                "biased": found.biased,
                "target": model.target,
                "given": given_words(model),
                "protected": list(found.protected),
                "distribution": None if share is None else _name(options),
                "count": found.count,
                "share": None if share is None else float(share),
                "share_exact": None if share is None else fraction_text(share),
                "errors": chosen.failed if options.csv is not None else None,
                "pair": shown_data(model.classifier, pair),
            }
        )
    else:
        lines = [str(found), *(f"  {line}" for line in shown_lines(model.classifier, pair))]
        print(printable("\n".join([*lines, *_share_lines(found, options)])))
    return 1 if found.biased else chosen.code


def _asked(
    model: CompiledModel, protected: list[str], instance: Any, chosen: Chosen, time_limit: float
) -> Bias:
    """Return the answer; where counting passes a limit, without a count."""
    try:
        return model.is_biased(protected, instance, distribution=chosen.distribution, time_limit=time_limit)
    except LimitExceeded as error:
        if instance is not None:
            raise
        found = model.is_independent(protected, time_limit=time_limit)
        if found.holds is None:
            raise
        say("note", f"the share of such decisions is not known: {error}")
        names = tuple(name for name in model.features if name in protected)
        if found.holds:
            return Bias(False, names)
        one, other = found.instances
        return Bias(True, names, (one, other), (found.decisions[0], found.decisions[1]))


def _name(options: argparse.Namespace) -> str:
    if options.csv is not None:
        return "rows"
    return "marginals" if options.marginals is not None else options.distribution or "uniform"


def _share_lines(found: Bias, options: argparse.Namespace) -> list[str]:
    """Return a line that says how often decisions depend on the protected features."""
    if found.share is None or not found.biased:
        return []
    share, names = f"{float(found.share):.4%}", ", ".join(found.protected)
    if found.count is None:
        by = "P(x)" if options.distribution == "network" else "the marginals"
        return [f"weighed by {by}, {share} of the decisions depend on {names}"]
    of = "rows" if options.csv is not None else "instances"
    total = int(found.count / found.share) if found.share else None
    number = f"{found.count} of {total} {of} ({share})" if total else f"none of the {of}"
    have = "has" if found.count == 1 or not total else "have"
    return [f"{number} {have} a decision that depends on {names}"]
