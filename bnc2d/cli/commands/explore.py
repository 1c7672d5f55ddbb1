"""``bnc2d explore``: one HTML page to explore a model, without a server."""

from __future__ import annotations

import argparse

from bnc2d.cli.shared.models import add_model_options, load_compiled
from bnc2d.cli.shared.printing import answer, working
from bnc2d.report.explore import write_page


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = (
        "example:\n  bnc2d explore diagnosis.bnc2d -o diagnosis.html\n"
        "  bnc2d explore diagnosis --target D -o diagnosis.html"
    )
    add_model_options(command)
    command.add_argument("-o", "--output", required=True, metavar="OUT", help="where to write the page")


def run(options: argparse.Namespace) -> int:
    """Write the page and say where it is."""
    model = load_compiled(options)
    with working("writing the page", options.json):
        write_page(model, options.output)
    answer(options.json, {"file": options.output}, f"wrote {options.output}; open it in a browser")
    return 0
