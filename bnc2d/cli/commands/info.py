"""``bnc2d info``: what is in a network file or a compiled model."""

from __future__ import annotations

import argparse
import json
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bnc2d.cli.shared.options import add_network_options, is_compiled, load_network
from bnc2d.cli.shared.printing import printable
from bnc2d.model.network import BayesianNetwork


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = (
        "example:\n  bnc2d info child.bif\n  bnc2d info diagnosis --variables\n  bnc2d info diagnosis.bnc2d"
    )
    command.add_argument(
        "files", nargs="+", metavar="FILE", help="network files, built-in names or compiled models"
    )
    command.add_argument(
        "--variables", action="store_true", help="list every variable with parents and states"
    )
    add_network_options(command)


def run(options: argparse.Namespace) -> int:
    """Print a table of the networks, then one of each compiled model; or JSON."""
    facts = [_facts(source, options) for source in options.files]
    if options.json:
        print(json.dumps(facts if len(facts) > 1 else facts[0], ensure_ascii=False, indent=1))
        return 0
    console = Console()
    networks = [fact for fact in facts if "model" not in fact]
    if networks:
        console.print(_network_table(networks))
    for fact in facts:
        if "model" in fact:
            print("\n".join(_model_lines(fact)))
            console.print(_class_table(fact))
        if options.variables:
            console.print(_variable_table(fact))
    return 0


def _facts(source: str, options: argparse.Namespace) -> dict[str, Any]:
    if is_compiled(source):
        return describe_model(source, options.max_bytes, options.variables)
    return describe(source, load_network(source, options.normalise, options.max_bytes), options.variables)


def _network_table(facts: list[dict[str, Any]]) -> Table:
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
    return table


def _variable_table(fact: dict[str, Any]) -> Table:
    listing = Table(title=Text(printable(fact["file"])))
    for heading in ("variable", "states", "parents"):
        listing.add_column(heading)
    for variable in fact["list"]:
        states, parents = ", ".join(variable["states"]), ", ".join(variable["parents"])
        listing.add_row(*(Text(printable(text)) for text in (variable["name"], states, parents)))
    return listing


def _model_lines(fact: dict[str, Any]) -> list[str]:
    """Return what the file and the model are, one thing a line, so that checksums stay in one piece."""
    rule, network = fact["rule"], fact["network"]
    decided = "the most probable class"
    if rule["threshold"] is not None:
        decided = f"{rule['positive']} where its posterior exceeds {rule['threshold']}"
    size = f"{network['variables']} variables, {network['edges']} edges"
    shown = {
        "file": f"{fact['file']}, a compiled model, file version {fact['version']}, {fact['bytes']} bytes",
        "checksum": fact["checksum"],
        "sha256": f"{fact['sha256']} (of the whole file)",
        "target": fact["target"],
        "features": f"{len(fact['features'])}: {', '.join(fact['features'])}",
        "decides": f"{decided}; ties: {rule['ties']}",
        "instances": fact["instances"],
        "network": f"{network['name'] or 'unnamed'}, {size}",
        "method": fact["method"],
        "diagram": f"{fact['diagram_nodes']} nodes",
    }
    return [f"{heading:<10} {printable(str(value))}" for heading, value in shown.items()]


def _class_table(fact: dict[str, Any]) -> Table:
    classes = Table()
    for heading in ("class", "instances", "formula nodes", "edges"):
        classes.add_column(heading, justify="left" if heading == "class" else "right", overflow="fold")
    for name, sizes in fact["classes"].items():
        counts = (sizes["models"], sizes["nodes"], sizes["edges"])
        classes.add_row(Text(printable(name)), *map(str, counts))
    if fact["in_no_class"]:
        classes.add_row("(none: tied)", str(fact["in_no_class"]), "", "")
    return classes


def describe_model(source: str, max_bytes: int | None, with_variables: bool) -> dict[str, Any]:
    """Return the facts of a compiled model's file as plain data; the file is checked as for any use."""
    from bnc2d.compile.store import MAX_BYTES, read_model

    model, file = read_model(source, max_bytes or MAX_BYTES)
    classifier = model.classifier
    counts = dict(zip(model.classes, model.diagram.counts(), strict=False))
    sizes = {name: model.formula_size(name) for name in model.classes}
    facts: dict[str, Any] = {
        "file": source,
        "model": True,
        "version": file.version,
        "bytes": file.size,
        "checksum": file.checksum,
        "sha256": file.sha256,
        "target": model.target,
        "features": list(model.features),
        "instances": classifier.instance_count,
        "rule": {
            "threshold": None if classifier.threshold is None else str(classifier.threshold),
            "positive": classifier.positive,
            "ties": classifier.ties,
        },
        "classes": {
            name: {"models": counts[name], "nodes": nodes, "edges": edges}
            for name, (nodes, edges) in sizes.items()
        },
        "in_no_class": classifier.instance_count - sum(counts.values()),
        **model.stats.of_any_run(),
        "network": {
            "name": classifier.network.name,
            "variables": len(classifier.network),
            "edges": len(classifier.network.edges),
        },
    }
    if with_variables:
        facts["list"] = _variables(classifier.network)
    return facts


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
        facts["list"] = _variables(network)
    return facts


def _variables(network: BayesianNetwork) -> list[dict[str, Any]]:
    return [
        {"name": v.name, "states": list(v.states), "parents": list(network.parents(v))}
        for v in network.variables
    ]
