"""What a notebook shows of classifiers, models and explanations: small pieces of HTML, every name escaped.

The classes themselves have thin ``_repr_html_`` methods that ask here; nothing needs IPython.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from bnc2d.base.readers.arguments import as_text
from bnc2d.base.scales import Label, state_words
from bnc2d.compile.model import BaseCompiledModel, decisions
from bnc2d.draw.html import Cell, table, text
from bnc2d.errors import TimeLimitExceeded
from bnc2d.explain.changes.allowed import in_words
from bnc2d.explain.explanation import BaseExplanation
from bnc2d.explain.missing.words import could_do
from bnc2d.explain.text import caveat_within, is_impossible, own_values, unproved_note
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.terms import Clause, Term
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.picture import draw_network
from bnc2d.report.picture import decision_chart
from bnc2d.report.records import KINDS

# Circuits of larger models take a while to make, so that only those that are there already are shown.
_SMALL_DIAGRAM = 5_000
_REASONS = 5
_SECONDS = 0.5
_NAMES = 40


def classifier_html(classifier: BaseClassifier) -> str:
    """Return the rule and the features, above a picture of the network with both marked."""
    rule = "the most probable class"
    if classifier.threshold is not None:
        positive, other = classifier.positive, next(c for c in classifier.classes if c != classifier.positive)
        threshold = f"{float(classifier.threshold):g}"
        rule = f"<b>{text(positive)}</b> if its probability exceeds {threshold}, else <b>{text(other)}</b>"
    ties = "to the class listed first" if classifier.ties == "lowest" else "to no class"
    rows: list[Sequence[Cell]] = [
        ("target", f"<b>{text(classifier.target)}</b>: {_names(classifier.classes)}"),
        ("decides", f"{rule}; ties go {ties}"),
        (f"{len(classifier.features):,} features", _names(classifier.features)),
        ("instances", f"{classifier.instance_count:,}"),
    ]
    if classifier.training is not None:
        rows.append(("trained", text(str(classifier.training))))
    return table("Classifier", (), rows) + draw_network(classifier.network, classifier).svg()


def model_html(model: BaseCompiledModel) -> str:
    """Return a table of the classes: instances, their share, and the size of the circuit."""
    names, total = decisions(model), model.instance_count
    counts = model.diagram.counts()[: len(names)]
    rows: list[Sequence[Cell]] = []
    is_small = model.diagram.node_count <= _SMALL_DIAGRAM
    for name, count in zip(names, counts, strict=True):
        sizes: tuple[Cell, Cell] = ("", "")
        if name is not None and (is_small or model.has_formula(name)):
            sizes = model.formula_size(name)
        rows.append((_decision(name), count, _percent(Fraction(count, total)), *sizes))
    heading = (
        f"{text(model.target)} from {len(model.features):,} features: {total:,} instances, "
        f"a diagram of {model.diagram.node_count:,} nodes"
    )
    if model.stats.seconds:  # a file keeps none
        heading += f", {sum(model.stats.seconds.values()):.2f} s"
    headings = ("class", "instances", "share", "circuit nodes", "edges")
    features = f"<div>Features: {_names(model.features)}</div>\n"
    given = "" if model.constraint is None else f"<div>Given: {text(str(model.constraint))}</div>\n"
    return table(heading, headings, rows) + features + given


def explanation_html(explanation: BaseExplanation) -> str:
    """Return a picture of the decision, then the first reasons of each kind and what else there is to say."""
    shown = [text(state_words(name, state)) for name, state in own_values(explanation).items()]
    rows: list[Sequence[Cell]] = [("instance", _some(shown))]
    if explanation.missing:
        rows.append(("missing", _names(explanation.missing)))
    caveat = caveat_within(explanation, _SECONDS)
    if caveat:
        rows.append(("decided by", text(caveat)))
    if explanation.fixed:
        rows.append(("fixed", _names(explanation.fixed)))
    if explanation.allowed:
        rows.append(("allowed changes", text(in_words(explanation.allowed))))
    if explanation.route.given:
        rows.append(("given", text(explanation.route.given)))
    rows += [
        (kind.replace("_", " "), _reasons(getattr(explanation, kind)(_REASONS, _SECONDS))) for kind in KINDS
    ]
    rows.append(("nearest other decision", _nearest(explanation)))
    if explanation.missing:
        _, *told = could_do(explanation, _SECONDS)
        rows.append(("if known", "<br>".join(map(text, told))))
    reasons = table(f"Why {text(explanation.target)} is {_decision(explanation.decision)}", (), rows)
    if not explanation.instance:
        return reasons
    return decision_chart(explanation, time_limit=_SECONDS).html() + reasons


def _decision(name: Label | None) -> str:
    return "<i>no class</i>" if name is None else f"<b>{text(as_text(name))}</b>"


def _nearest(explanation: BaseExplanation) -> str:
    try:
        found = explanation.robustness(time_limit=_SECONDS)
    except TimeLimitExceeded:
        return f"<i>not known: stopped after {_SECONDS:g} s</i>"
    if found.distance is None or found.witness is None:
        return "none: nothing changes the decision"
    new = {name: state for name, state in found.witness.items() if state != explanation.instance[name]}
    changes = [text(state_words(name, state)) for name, state in new.items()]
    decision = "no class" if found.decision is None else text(as_text(found.decision))
    impossible = " (probability 0)" if is_impossible(explanation, found.witness) else ""
    return f"{decision}, with {_some(changes)}{impossible}"


def _reasons(found: Primes[Term] | Primes[Clause]) -> str:
    lines = []
    for literals in found:
        note = unproved_note(literals)
        lines.append(literals._repr_html_() + (f" <i>({text(note)})</i>" if note else ""))
    if found.cut == "limit":
        lines.append("<i>and more</i>")
    elif found.cut == "time":
        lines.append(f"<i>perhaps more: stopped after {_SECONDS:g} s</i>")
    return "<br>".join(lines) or "none"


def _names(names: Sequence[str]) -> str:
    return _some([text(name) for name in names])


def _some(shown: Sequence[str]) -> str:
    more = f", and {len(shown) - _NAMES:,} more" if len(shown) > _NAMES else ""
    return ", ".join(shown[:_NAMES]) + more


def _percent(share: Fraction) -> str:
    """Return a share that is 0 % or 100 % only where it is so exactly."""
    if share in (0, 1):
        return f"{int(100 * share)} %"
    return f"{min(max(float(100 * share), 0.01), 99.99):.2f} %"
