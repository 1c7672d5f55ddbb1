"""``bnc2d convert``: one format to another, exactly."""

from __future__ import annotations

import argparse

from bnc2d.cli.shared.options import add_network_options, load_network
from bnc2d.cli.shared.printing import answer
from bnc2d.formats.io import write_network


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = "example:\n  bnc2d convert child.bif child.xdsl\n  bnc2d convert asia asia.net.gz"
    command.add_argument("source", metavar="FILE", help="network file or built-in name")
    command.add_argument("output", metavar="OUT", help=".bif .net .uai .xml .xmlbif .xdsl, also .gz")
    add_network_options(command)


def run(options: argparse.Namespace) -> int:
    """Read, write, and say so."""
    network = load_network(options.source, options.normalise, options.max_bytes)
    write_network(network, options.output)
    facts = {"file": options.output, "variables": len(network)}
    answer(options.json, facts, f"wrote {options.output}: {len(network)} variables")
    return 0
