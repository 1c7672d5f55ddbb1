"""What a page answers, beside what Python does."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pytest

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.logic.circuit.show import spelled_out
from bnc2d.logic.terms import Clause, Term
from tests.report.browser import Browser

# The lists of a page, and the method that gives the same.
LISTS = {
    "sufficient": "sufficient_reasons",
    "necessary": "necessary_reasons",
    "generalSufficient": "general_sufficient_reasons",
    "generalNecessary": "general_necessary_reasons",
}


def plain(primes: Iterable[Term | Clause]) -> list[list[list[Any]]]:
    """Return reasons as the page gives them: features and states by their positions."""
    return [
        [[f, [s for s in range(mask.bit_length()) if mask >> s & 1]] for f, mask in prime.masks.items()]
        for prime in primes
    ]


def expected(model: CompiledModel, instance: Mapping[str, str]) -> dict[str, Any]:
    """Return what the page should answer about an instance."""
    why = model.explain(instance)
    witness = why.robustness().witness
    return {
        "decision": why.decision,
        "possible": why.possible,
        **{key: plain(getattr(why, reasons)()) for key, reasons in LISTS.items()},
        "contrast": [
            None if name == why.decision else plain(why.contrastive(name)) for name in model.classes
        ],
        "nearest": None if witness is None else model.domain.encode(witness),
    }


def answered(browser: Browser, instances: Sequence[Mapping[str, str | None]]) -> list[dict[str, Any]]:
    """Return the page's answers, whose lists must be complete, with the lists as in ``expected``."""
    browser.run("bnc2d.limits.milliseconds = bnc2d.limits.listed = 1e6")
    found: list[dict[str, Any]] = browser.run(f"{json.dumps(instances)}.map(bnc2d.answers)")
    for answer in found:
        if "without" in answer:
            continue
        for entry in [*(answer[key] for key in LISTS), *filter(None, answer["contrast"])]:
            assert not entry["cut"]
            assert entry["total"] == len(entry["items"])
        for key in LISTS:
            answer[key] = answer[key]["items"]
        answer["contrast"] = [entry and entry["items"] for entry in answer["contrast"]]
    return found


def compare(browser: Browser, model: CompiledModel, instances: list[dict[str, str]]) -> None:
    for instance, answer in zip(instances, answered(browser, instances), strict=True):
        why = model.explain(instance)
        for reason, text in (
            (why.complete_reason, answer.pop("completeReason")),
            (why.general_reason, answer.pop("generalReason")),
        ):
            shown = spelled_out(reason.manager, reason.root)
            if shown is None:
                assert text.startswith("too long")
            else:
                assert text == shown.replace("\u202e", "\ufffd")  # a name must not turn the text around
        posterior = answer.pop("posterior")
        found = [0.0] * len(model.classes) if posterior is None else posterior
        exact = [float(share) for share in model.classifier.posterior(instance).values()]
        assert found == pytest.approx(exact, rel=0, abs=1e-9)
        assert answer.pop("decided")
        assert answer == expected(model, instance)
