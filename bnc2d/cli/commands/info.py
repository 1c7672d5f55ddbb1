"""``bnc2d info``: what is in a network file or a compiled model."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from rich.console import Console

from bnc2d.base.readers.arguments import as_text
from bnc2d.base.scales import scale_of
from bnc2d.cli.shared.options import add_network_options, is_compiled, load_network
from bnc2d.cli.shared.printing import print_json, printable, table
from bnc2d.model.network import BayesianNetwork

if TYPE_CHECKING:  # a network has none
    from bnc2d.model.classifier import BaseClassifier


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.epilog = (
        "example:\n  bnc2d info child.bif\n  bnc2d info diagnosis --variables\n  bnc2d info diagnosis.bnc2d"
    )
    add("files", nargs="+", metavar="FILE", help="network files, built-in names or compiled models")
    add("--variables", action="store_true", help="list every variable with parents and states")
    add_network_options(command)


def run(options: argparse.Namespace) -> int:
    """Print a table of the networks, then one of each compiled model; or JSON."""
    facts = [_facts(source, options) for source in options.files]
    if options.json:
        print_json(facts if len(facts) > 1 else facts[0], indent=1)
        return 0
    console = Console()
    networks = [_sizes(fact) for fact in facts if "model" not in fact]
    if networks:
        sizes = ("variables", "edges", "roots", "leaves", "states", "max parents", "entries")
        console.print(table(("network", *sizes), networks, left=("network",)))
    for fact in facts:
        if "model" in fact:
            print("\n".join(_model_lines(fact)))
            classes = [(name, *sizes.values()) for name, sizes in fact["classes"].items()]
            tied = [("(none: tied)", fact["in_no_class"], "", "")] if fact["in_no_class"] else []
            shown = ("class", "instances", "formula nodes", "edges")
            console.print(table(shown, classes + tied, left=("class",)))
            if fact["units"]:
                of_units = ("feature", "cut at", "unit", "states")
                console.print(table(of_units, _unit_rows(fact["units"]), left=of_units))
        if options.variables:
            rows = [(v["name"], ", ".join(v["states"]), ", ".join(v["parents"])) for v in fact["list"]]
            headings = ("variable", "states", "parents")
            console.print(table(headings, rows, left=headings, title=printable(fact["file"])))
    return 0


def _facts(source: str, options: argparse.Namespace) -> dict[str, Any]:
    if is_compiled(source):
        facts, network = describe_model(source, options.max_bytes)
    else:
        network = load_network(source, options.normalise, options.max_bytes)
        facts = describe(source, network)
    if options.variables:
        facts["list"] = [
            {"name": v.name, "states": list(v.states), "parents": list(network.parents(v))}
            for v in network.variables
        ]
    return facts


def _sizes(fact: dict[str, Any]) -> list[object]:
    """Return the row of a network."""
    low, high = fact["min_states"], fact["max_states"]
    sizes = [fact[key] for key in ("file", "variables", "edges", "roots", "leaves")]
    return [*sizes, low if low == high else f"{low}-{high}", fact["max_parents"], fact["entries"]]


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
        **({"given": f"{fact['given']} (classes are counted without it)"} if "given" in fact else {}),
        "network": f"{network['name'] or 'unnamed'}, {size}",
        "method": fact["method"],
        "diagram": f"{fact['diagram_nodes']} nodes",
        **({"trained": fact["trained"]} if "trained" in fact else {}),
    }
    return [f"{heading:<10} {printable(str(value))}" for heading, value in shown.items()]


def describe_model(source: str, max_bytes: int | None) -> tuple[dict[str, Any], BayesianNetwork]:
    """Return the facts of a compiled model's file as plain data; the file is checked as for any use."""
    from bnc2d.compile.store import MAX_BYTES, read_model

    (model, constraint), file = read_model(source, max_bytes or MAX_BYTES)
    classifier = model.classifier
    network = classifier.network
    counts = dict(zip(model.classes, model.diagram.counts(), strict=False))
    sizes = {name: model.formula_size(name) for name in model.classes}
    facts = {
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
        **({} if constraint is None else {"given": str(constraint)}),
        **model.stats.of_any_run(),
        "network": {"name": network.name, "variables": len(network), "edges": len(network.edges)},
        "units": _units(classifier),
    }
    if classifier.training is not None:
        facts |= {"trained": str(classifier.training), "training": classifier.training.to_data()}
    return facts, network


def _units(classifier: BaseClassifier) -> dict[str, Any]:
    """Return what the features that were made from columns of data are: their scales, and their states."""
    found = {}
    for feature in classifier.feature_variables:
        scale = scale_of(feature.states)
        if scale is not None:
            found[feature.name] = {**scale.to_data(), "states": list(feature.states)}
    return found


def _unit_rows(units: dict[str, Any]) -> list[list[str]]:
    rows = []
    for name, unit in units.items():
        cuts = ", ".join(as_text(cut).removesuffix(".0") for cut, _ in unit.get("cuts", ()))
        rows.append([name, cuts, unit.get("unit", ""), ", ".join(unit["states"])])
    return rows


def describe(source: str, network: BayesianNetwork) -> dict[str, Any]:
    """Return the facts of a network as plain data."""
    states = [len(variable) for variable in network.variables]
    return {
        "file": source,
        "name": network.name,
        "variables": len(network),
        "edges": len(network.edges),
        "roots": len(network.roots),
        "leaves": len(network.leaves),
        "min_states": min(states),
        "max_states": max(states),
        "max_parents": max(len(cpt.parents) for cpt in network.cpts),
        "entries": sum(cpt.exact.size for cpt in network.cpts),
    }
