"""``bnc2d demo``: the diagnosis network of the paper, compiled, verified and explained."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bnc2d.api.classifier import Classifier
from bnc2d.base.atomic import atomic_write
from bnc2d.cli.commands.explain import show
from bnc2d.cli.shared.printing import print_json
from bnc2d.explain.text import tell
from bnc2d.formats.builtin import example
from bnc2d.formats.files import make_folder
from bnc2d.logic.circuit.manager import Manager
from bnc2d.logic.nnf import NNF
from bnc2d.report.decisions import posterior_data
from bnc2d.report.records import literals

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}

# As the paper prints them; ``paper_formulas`` builds the same.
PRINTED = {
    "class 2": "(HR∈{Normal,High} ∨ (CT ∧ BP=High)) ∧ (BP∈{Low,High} ∨ HR=Low)",
    "not class 0": "(BP∈{Normal,High} ∨ HR∈{Normal,High})"
    " ∧ (BP∈{Low,High} ∨ ((¬CT ∨ HR∈{Normal,High}) ∧ (CT ∨ HR=High)))"
    " ∧ (BP∈{Low,Normal} ∨ CT ∨ HR∈{Normal,High})",
}


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = "example:\n  bnc2d demo\n  bnc2d demo --out pictures"
    command.add_argument("--out", default="bnc2d-demo", metavar="DIR", help="where the picture goes")
    command.add_argument("--json", action="store_true", help="print JSON for machines")


def run(options: argparse.Namespace) -> int:
    """Decide one patient exactly, say why in words, and compare our formulas with those in the paper."""
    classifier = Classifier(example("diagnosis"), target="D", features=["BP", "CT", "HR"])
    model = classifier.compile()
    report = model.verify()
    explanation = model.explain(PATIENT)
    posterior = classifier.posterior(PATIENT)
    sizes = {name: model.count(name) for name in model.classes}
    ours = {"class 2": model.formula("2"), "not class 0": model.formula("0", negated=True)}
    paper = paper_formulas(model.manager)
    same = {name: bool(formula.equivalent(paper[name])) for name, formula in ours.items()}
    picture = Path(options.out) / "class-2.svg"
    make_folder(picture.parent)
    atomic_write(picture, model.formula("2").to_svg(highlight=PATIENT).encode())
    code = 0 if report and all(same.values()) else 1
    if options.json:
        facts: dict[str, Any] = {
            "instance": PATIENT,
            "decision": explanation.decision,
            **posterior_data(posterior),
            "formula": str(model.formula(str(explanation.decision))),
            "complete_reason": str(explanation.complete_reason),
            "sufficient_reasons": [literals(term) for term in explanation.sufficient_reasons()],
            "necessary_reasons": [literals(clause) for clause in explanation.necessary_reasons()],
            "instances_per_class": sizes,
            "paper": {
                name: {"formula": text, "ours": str(ours[name]), "equivalent": same[name]}
                for name, text in PRINTED.items()
            },
            "verified": report.passed,
            "picture": str(picture),
        }
        print_json(facts, indent=1)
        return code
    console = Console(highlight=False)
    say = console.print
    say("[bold]A diagnosis, explained[/] (the network of Zhang and Darwiche 2026)")
    say("\nThe patient: high blood pressure (BP), a positive CT, normal heart rate (HR).")
    say("Which disease class D, 0, 1 or 2?\n")
    chances = Table("class", "P(class | patient), exact", "decimal")
    for state, probability in posterior.items():
        style = "bold" if state == explanation.decision_name else None
        chances.add_row(f"D={state}", str(probability), f"{float(probability):.4f}", style=style)
    say(chances)
    say()
    show(console, *tell(explanation))
    share = ", ".join(f"D={name}: {size}" for name, size in sizes.items())
    say(f"\nOf all {classifier.instance_count} possible patients: {share}.")
    passed = sum(check.passed for check in report.checks)
    say(f"Verified: {passed} of {len(report.checks)} independent checks passed (structure, SAT, SDD,")
    say("a second compiler, exact inference on every patient).")
    say("\n[bold]The formulas[/] that the paper prints, and ours, compared by a SAT solver:")
    for name, formula in ours.items():
        verdict = "equivalent" if same[name] else "NOT equivalent"
        say(Text(f"  {name}: {verdict}", "green" if same[name] else "red"))
        say(Text(f"    paper: {PRINTED[name]}\n    ours:  {formula}"), soft_wrap=True)
    say("\nA picture of class 2 as a circuit, with the part that holds for the patient:")
    say(Text(f"  {picture}"), soft_wrap=True)
    say("\nNext, another patient, every reason, or your own file:")
    say("  bnc2d explain diagnosis --target D BP=Low CT=0 HR=Low")
    say("  bnc2d explain diagnosis --target D BP=High CT=1 HR=Normal --all")
    say("  bnc2d compile my_network.bif --target NAME -o my_model.bnc2d")
    return code


def paper_formulas(manager: Manager) -> dict[str, NNF]:
    """Return the class formulas as the paper prints them, part by part."""

    def literal(name: str, *states: str) -> NNF:
        return NNF.literal(manager, name, states)

    ct, beats, low_or_high = literal("CT", "1"), literal("HR", "Normal", "High"), literal("BP", "Low", "High")
    return {
        "class 2": (beats | (ct & literal("BP", "High"))) & (low_or_high | literal("HR", "Low")),
        "not class 0": (literal("BP", "Normal", "High") | beats)
        & (low_or_high | ((literal("CT", "0") | beats) & (ct | literal("HR", "High"))))
        & (literal("BP", "Low", "Normal") | ct | beats),
    }
