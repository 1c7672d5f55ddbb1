"""``bnc2d draw``: networks, trees, circuits, decisions and the reasons of many rows as pictures."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from bnc2d.cli.shared.charts import add_chart_options, make_chart, what_chart
from bnc2d.cli.shared.instances import parse_instance
from bnc2d.cli.shared.models import RULE, add_model_options, load_classifier, load_compiled
from bnc2d.cli.shared.options import is_compiled, load_network
from bnc2d.cli.shared.printing import answer, working
from bnc2d.compile.graph.picture import draw_feature_tree, draw_jointree
from bnc2d.draw.chart import CHART_FORMATS
from bnc2d.draw.figure import FORMATS, Figure
from bnc2d.errors import ClassifierError, FormatError
from bnc2d.logic.circuit.picture import draw_circuit
from bnc2d.model.picture import draw_network

_WHAT = ("network", "jointree", "ftree", "circuit")


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    add = command.add_argument
    command.epilog = (
        "example:\n  bnc2d draw diagnosis --target D -o network.svg\n"
        "  bnc2d draw diagnosis --target D --what ftree -o ftree.png\n"
        "  bnc2d draw diagnosis.bnc2d --class 2 -o class2.svg\n"
        "  bnc2d draw diagnosis.bnc2d --instance BP=High CT=1 HR=Normal -o why.svg\n"
        "  bnc2d draw diagnosis --target D --decision BP=High CT=1 HR=Normal -o decision.png\n"
        "  bnc2d draw diagnosis --target D --heat-map --csv patients.csv -o reasons.svg"
    )
    add_model_options(command)
    add("--what", choices=_WHAT, help="default: the circuit of a compiled model, else the network")
    add("--class", dest="class_name", metavar="STATE", help="whose circuit to draw")
    add("--negated", action="store_true", help="draw the circuit of 'not this class'")
    add(
        "--instance",
        nargs="+",
        default=(),
        metavar="NAME=STATE",
        help="set off the part of the circuit that is true; by default of the class that is decided",
    )
    add_chart_options(command)
    add("-o", "--output", required=True, metavar="OUT", help="a name that ends in .svg, .png or .dot")


def run(options: argparse.Namespace) -> int:
    """Draw, write, and say what was written."""
    suffix = Path(options.output).suffix.lower()
    if suffix not in FORMATS:  # said before any work is done
        raise FormatError("a picture's name must end in .svg, .png or .dot", options.output)
    chart = what_chart(options)
    if chart:
        return _chart(chart, suffix, options)
    what = options.what or ("circuit" if is_compiled(options.model) else "network")
    if what != "circuit":
        asked = {"--class": options.class_name, "--negated": options.negated, "an instance": options.instance}
        for name, given in asked.items():
            if given:
                raise ClassifierError(f"{name} is for --what circuit, not {what}")
    with working("drawing", options.json):
        figure = _figure(what, options)
        size = figure.save(options.output)
    facts = {
        "file": options.output,
        "format": suffix[1:],
        "what": what,
        "title": figure.title,
        "nodes": figure.nodes,
        "edges": figure.edges,
        "summary": figure.is_summary and suffix != ".dot",
        "bytes": size,
    }
    text = f"{figure.title}: {figure.nodes} nodes, {figure.edges} edges\n"
    if facts["summary"]:
        text += "too large to draw, so this is a summary; a .dot file has every node\n"
    answer(options.json, facts, f"{text}wrote {options.output}")
    return 0


def _chart(what: str, suffix: str, options: argparse.Namespace) -> int:
    """Write a picture for people, and say what it says."""
    if suffix not in CHART_FORMATS:
        raise FormatError("the name of a chart must end in .svg or .png", options.output)
    with working("drawing", options.json):
        chart = make_chart(what, options)
        size = chart.save(options.output)
    facts = {
        "file": options.output,
        "format": suffix[1:],
        "what": what,
        "title": chart.title,
        "text": chart.text,
        "bytes": size,
    }
    answer(options.json, facts, f"{chart.title}\nwrote {options.output}")
    return 0


def _figure(what: str, options: argparse.Namespace) -> Figure:
    if what == "circuit":
        return _circuit(options)
    if what == "ftree":
        return draw_feature_tree(load_classifier(options))
    if options.target is None and not is_compiled(options.model):
        for name in RULE:
            if getattr(options, name) is not None:
                raise ClassifierError(f"--{name} needs --target NAME")
        network = load_network(options.model, options.normalise, options.max_bytes)
        return draw_network(network) if what == "network" else draw_jointree(network)
    classifier = load_classifier(options)
    return draw_network(classifier.network, classifier) if what == "network" else draw_jointree(classifier)


def _circuit(options: argparse.Namespace) -> Figure:
    model = load_compiled(options)
    instance = parse_instance(options.instance, model.features) if options.instance else None
    decided = model.classifier.positive if instance is None else model.predict(instance)
    name = decided if options.class_name is None else options.class_name
    if name is None:
        names = ", ".join(repr(state) for state in model.classes)
        reason = "the instance is in no class" if instance is not None else "there are several classes"
        raise ClassifierError(f"{reason}; say which to draw with --class: {names}")
    formula = model.formula(name, negated=options.negated)
    positions = None if instance is None else formula.domain.encode(instance)
    figure = draw_circuit(formula.manager, formula.root, positions)
    sign = "≠" if options.negated else "="
    return replace(figure, title=f"circuit of {model.target}{sign}{name}")
