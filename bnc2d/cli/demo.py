"""``bnc2d demo``: the diagnosis network of the paper, compiled, verified and explained."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping

from rich.console import Console
from rich.table import Table

from bnc2d.compile.compiler import compile_classifier
from bnc2d.compile.model import CompiledModel
from bnc2d.formats.builtin import example
from bnc2d.logic.terms import Clause, Term
from bnc2d.model.classifier import Classifier
from bnc2d.verify.checks import verify_model

PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}


def configure(command: argparse.ArgumentParser) -> None:
    """Describe the command's arguments."""
    command.epilog = "example:\n  bnc2d demo"
    command.add_argument("--json", action="store_true", help="print JSON for machines")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Decide one patient exactly, say why, and say what would change the decision."""
    classifier = Classifier(example("diagnosis"), target="D", features=["BP", "CT", "HR"])
    model = compile_classifier(classifier)
    report = verify_model(model)
    decision = str(model.predict(PATIENT))
    formula = model.formula(decision)
    reason = formula.complete_reason(PATIENT)
    sufficient = list(reason.prime_implicants(towards=PATIENT))
    necessary = list(reason.prime_implicates(towards=PATIENT))
    posterior = classifier.posterior(PATIENT)
    sizes = {name: model.count(name) for name in model.classes}
    if options.json:
        facts = {
            "instance": PATIENT,
            "decision": decision,
            "posterior": {state: str(p) for state, p in posterior.items()},
            "formula": str(formula),
            "complete_reason": str(reason),
            "sufficient_reasons": [_as_instance(term) for term in sufficient],
            "necessary_reasons": [_as_instance(clause) for clause in necessary],
            "instances_per_class": sizes,
            "verified": report.passed,
        }
        print(json.dumps(facts, ensure_ascii=False, indent=1))
        return 0 if report else 1
    say = Console(highlight=False).print
    say("[bold]A diagnosis, explained[/] (the network of Zhang and Darwiche 2026)")
    say(f"\nThe patient: {_literals(PATIENT)}. Which disease class D, 0, 1 or 2?\n")
    chances = Table("class", "P(class | patient), exact", "decimal")
    for state, probability in posterior.items():
        style = "bold" if state == decision else None
        chances.add_row(f"D={state}", str(probability), f"{float(probability):.4f}", style=style)
    say(chances)
    say(f"\n[bold]Decision: D={decision}.[/] The classifier decides so exactly when")
    say(f"  {formula}")
    say("\n[bold]Why?[/] Each line alone fixes the decision (the sufficient reasons):")
    for term in sufficient:
        say(f"  • {_literals(_as_instance(term))}")
    say("\n[bold]What would change it?[/] Giving up a whole line can (the necessary reasons):")
    for clause in necessary:
        part = _as_instance(clause)
        changed, new = _nearest_change(model, part)
        say(f"  • {_literals(part, ' or ')}: with {_literals(changed)} the decision becomes D={new}")
    share = ", ".join(f"D={name}: {size}" for name, size in sizes.items())
    say(f"\nOf all {classifier.instance_count} possible patients: {share}.")
    passed = sum(check.passed for check in report.checks)
    say(f"Verified: {passed} of {len(report.checks)} independent checks passed (structure, SAT, SDD,")
    say("a second compiler, exact inference on every patient).")
    say("\nNext, another patient or your own file:")
    say("  bnc2d predict diagnosis --target D BP=Low CT=0 HR=Low")
    say("  bnc2d compile my_network.bif --target NAME -o my_model.bnc2d")
    return 0 if report else 1


def _as_instance(literals: Term | Clause) -> dict[str, str]:
    """Return the literals of a complete reason's prime: each holds one state, the patient's."""
    return {name: next(iter(states)) for name, states in literals.items()}


def _literals(part: Mapping[str, str], joint: str = " and ") -> str:
    return joint.join(f"{name}={state}" for name, state in part.items())


def _nearest_change(model: CompiledModel, part: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """Return new states for the features of a necessary reason that change the decision, and the new one."""
    others = model.formula(str(model.predict(PATIENT)), negated=True)
    fixed = {name: state for name, state in PATIENT.items() if name not in part}
    witness = others.condition(fixed).satisfiable().witness
    if witness is None:
        raise AssertionError("a necessary reason has a change by definition")
    changed = {name: witness[name] for name in part if witness[name] != PATIENT[name]}
    return changed, str(model.predict({**PATIENT, **changed}))
