"""Probable reasons, as ``--probable`` asks for them: in words, as data and as the cells of a line."""

from __future__ import annotations

import argparse
from contextlib import suppress
from fractions import Fraction
from itertools import islice
from typing import Any

from bnc2d.api.explanation import Explanation
from bnc2d.base.records import record
from bnc2d.base.scales import state_words
from bnc2d.cli.shared.changes import read_marginals
from bnc2d.cli.shared.distributions import DISTRIBUTIONS
from bnc2d.compile.result import feature_domain
from bnc2d.errors import ClassifierError, LimitExceeded, LogicError, NotCompiledError
from bnc2d.explain.missing.words import percent
from bnc2d.explain.probable.question import wanted_probability
from bnc2d.explain.probable.reason import ProbableReason
from bnc2d.explain.text import Answer, Line
from bnc2d.explain.words import as_fixed, decision_name, sentence
from bnc2d.model.classifier import BaseClassifier
from bnc2d.report.decisions import fraction_text
from bnc2d.report.records import literals

COLUMNS = ("probable_reason", "probability")
_FEW = 2  # reasons in text
_GREEDY_SECONDS = 2.0  # for one, where the list had no time for any
_DRAWN = {
    "uniform": "all states of other features being equally probable",
    "network": "other features being drawn by the network's own distribution",
    "marginals": "other features being drawn with the marginals given",
}


def add_probable_options(command: argparse.ArgumentParser) -> None:
    """Add ``--probable``, ``--distribution`` and ``--marginals``."""
    add = command.add_argument
    add("--probable", metavar="D", help="also what keeps the decision with probability D or more (0.95)")
    add(
        "--distribution",
        choices=DISTRIBUTIONS,
        help="of other features, for --probable and --scores (default: uniform)",
    )
    add("--marginals", metavar="'A=x:0.2,y:0.8'", help="the same: independent, with these probabilities")


@record
class Found:
    """What was found about one decision: reasons, what ended the list, or why there is none."""

    reasons: list[ProbableReason]
    cut: str | None
    message: str | None = None


class Probable:
    """Asks for the probable reasons that the options want; ``wanted`` is None where they want none."""

    def __init__(self, options: argparse.Namespace, classifier: BaseClassifier) -> None:
        chosen = [name for name in ("distribution", "marginals") if getattr(options, name) is not None]
        if chosen and options.probable is None and not options.scores:
            raise LogicError(
                f"--{chosen[0]} is for probable reasons and scores: --probable 0.95 or --scores shapley"
            )
        if len(chosen) > 1:
            raise LogicError("only one of these at a time: --distribution or --marginals")
        self.wanted: Fraction | None = None
        self.given: Any = options.distribution
        self._name = options.distribution or "uniform"
        if options.probable is not None:
            self.wanted = wanted_probability(options.probable)
        if options.marginals is not None:
            self.given, self._name = (
                read_marginals(options.marginals, feature_domain(classifier)),
                "marginals",
            )
        self._limit: int | None = options.limit
        self._everything: bool = options.all

    def ask(self, explanation: Explanation, most: int | None, time_limit: float | None) -> Found:
        """Return the first reasons, one at least where time allows that."""
        if self.wanted is None:
            raise AssertionError("no probable reasons were asked for")
        try:
            listed = explanation.probable_reasons(self.wanted, self.given, limit=most, time_limit=time_limit)
            reasons = list(listed)
            if not reasons and listed.cut == "time":
                with suppress(LimitExceeded):
                    one = explanation.a_probable_reason(self.wanted, self.given, time_limit=_GREEDY_SECONDS)
                    reasons.append(one)
            return Found(reasons, listed.cut)
        except NotCompiledError:
            raise LogicError("--probable needs a compiled model; --route compiled makes one") from None
        except ClassifierError as error:  # nothing that counts has any weight
            return Found([], None, str(error))

    def answer(self, explanation: Explanation, time_limit: float | None, most: int) -> Answer:
        """Return the reasons in words; without a limit ``most``, with all as many as there are."""
        wanted = self.wanted or Fraction(0)
        few = _FEW if self._limit is None else self._limit
        found = self.ask(explanation, most if self._everything and self._limit is None else few, time_limit)
        decision = f"{explanation.target} {decision_name(explanation.decision)}"
        question = f"What keeps {decision} with probability {float(100 * wanted):g} % or more?"
        drawn = f"{as_fixed(explanation)}, {_DRAWN[self._name]}".removeprefix(", ")
        lines = [Line(self._said(reason), str(reason.term)) for reason in islice(found.reasons, most)]
        if found.message is not None:
            return Answer(question, "", f"{found.message}.")
        if not lines:
            why = "the time came first" if found.cut == "time" else "no set of its values does"
            return Answer(question, "", f"None is known: {why}." if found.cut else f"Nothing: {why}.")
        rest = {"time": "the time came before the end of the list", "limit": "and more"}
        lead = f"Each line alone, {drawn}:"
        return Answer(question, "probable reasons", lead, tuple(lines), rest.get(found.cut or "", ""))

    def _said(self, reason: ProbableReason) -> str:
        kept = sentence(reason.term) if reason.features else "nothing needs to be known"
        proved = "" if reason.proved_minimal else ", not proved to be minimal"
        return f"{kept}: {percent(reason.probability)}{proved}"

    def data(
        self, explanation: Explanation, most: int | None, time_limit: float | None, exact: bool
    ) -> dict[str, Any]:
        """Return the reasons as plain data, ready for JSON."""
        found = self.ask(explanation, most, time_limit)
        return {
            "wanted": float(self.wanted or 0),
            "distribution": self._name,
            "reasons": [
                {
                    "reason": literals(reason.term),
                    "probability": float(reason.probability),
                    "probability_exact": fraction_text(reason.probability, exact),
                    "proved_minimal": reason.proved_minimal,
                    "proved_shortest": reason.proved_shortest,
                }
                for reason in found.reasons
            ],
            "cut": found.cut,
            "message": found.message,
        }

    def cells(self, explanation: Explanation, time_limit: float | None) -> dict[str, Any]:
        """Return the first reason as cells of a line."""
        found = self.ask(explanation, 1, time_limit)
        if not found.reasons:
            return dict.fromkeys(COLUMNS, "")
        (reason,) = found.reasons
        own = explanation.instance
        words = "; ".join(state_words(name, own[name]) for name in reason.features)
        return {"probable_reason": words or "none is needed", "probability": float(reason.probability)}
