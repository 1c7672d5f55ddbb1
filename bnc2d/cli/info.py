"""``bnc2d info``: what is in a network file."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bnc2d.cli.common import add_network_options, load_network
from bnc2d.cli.printing import printable
from bnc2d.model.network import BayesianNetwork


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = "example:\n  bnc2d info child.bif\n  bnc2d info diagnosis --variables"
    command.add_argument("files", nargs="+", metavar="FILE", help="network files or built-in names")
    command.add_argument(
        "--variables", action="store_true", help="list every variable with parents and states"
    )
    add_network_options(command)
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print a table (or JSON) with a row per network."""
    facts = []
    for source in options.files:
        network = load_network(source, options.normalise, options.max_bytes)
        facts.append(describe(source, network, options.variables))
    if options.json:
        print(json.dumps(facts if len(facts) > 1 else facts[0], ensure_ascii=False, indent=1))
        return 0
    console = Console()
    table = Table(title=None)
    for heading in ("network", "variables", "edges", "roots", "leaves", "states", "max parents", "entries"):
        table.add_column(heading, justify="left" if heading == "network" else "right", overflow="fold")
    for fact in facts:
        low, high = fact["min_states"], fact["max_states"]
        states = str(low) if low == high else f"{low}-{high}"
        counts = [fact["variables"], fact["edges"], fact["roots"], fact["leaves"], states]
        table.add_row(
            Text(printable(fact["file"])), *map(str, counts), str(fact["max_parents"]), str(fact["entries"])
        )
    console.print(table)
    for fact in facts if options.variables else []:
        listing = Table(title=Text(printable(fact["file"])))
        for heading in ("variable", "states", "parents"):
            listing.add_column(heading)
        for variable in fact["list"]:
            states, parents = ", ".join(variable["states"]), ", ".join(variable["parents"])
            listing.add_row(*(Text(printable(text)) for text in (variable["name"], states, parents)))
        console.print(listing)
    return 0


def describe(source: str, network: BayesianNetwork, with_variables: bool) -> dict[str, Any]:
    """Return the facts of a network as plain data."""
    facts: dict[str, Any] = {
        "file": source,
        "name": network.name,
        "variables": len(network),
        "edges": len(network.edges),
        "roots": len(network.roots),
        "leaves": len(network.leaves),
        "min_states": min(len(variable) for variable in network.variables),
        "max_states": max(len(variable) for variable in network.variables),
        "max_parents": max(len(cpt.parents) for cpt in network.cpts),
        "entries": sum(cpt.exact.size for cpt in network.cpts),
    }
    if with_variables:
        facts["list"] = [
            {"name": v.name, "states": list(v.states), "parents": list(network.parents(v))}
            for v in network.variables
        ]
    return facts
