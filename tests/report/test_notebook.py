"""What a notebook shows: well-formed HTML in which no name is ever markup."""

from __future__ import annotations

from fractions import Fraction
from html.parser import HTMLParser
from typing import Any

import pytest

from bnc2d.api.classifier import Classifier
from bnc2d.api.explanation import Explanation
from bnc2d.formats.builtin import example
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable
from bnc2d.report.notebook import _percent
from bnc2d.testing import random_naive_bayes
from bnc2d.verify.report import Check, Report

BAD = '<script>alert("1")</script>'
EMPTY = {"br", "hr", "path", "rect", "circle"}


class Page(HTMLParser):
    """Collects the tags and the text, and checks that what opens closes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        html.encode("utf-8")
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        if tag not in EMPTY - {"path"}:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def bad_model(ties: Any = "lowest") -> Any:
    """A model whose every name is markup."""
    target = Variable(BAD, (BAD + "no", BAD + "yes"))
    feature = Variable(BAD + "&f", (BAD + "a", BAD + "b", BAD + "\x00c"))
    quarters = [Fraction(entry, 4) for entry in (1, 1, 2, 2, 1, 1)]
    cpts = [CPT(target, (), [Fraction(1, 2)] * 2), CPT(feature, (target,), quarters)]
    return Classifier(BayesianNetwork([target, feature], cpts, BAD), BAD, ties=ties).compile()


@pytest.mark.parametrize("ties", ["lowest", "none"])
def test_names_are_never_markup(ties: str) -> None:
    model = bad_model(ties)
    explanation = model.explain({BAD + "&f": BAD + "a"})
    report = Report((Check(BAD, False, 0.1, BAD, {BAD: BAD}),))
    shown = [model.classifier, model, explanation, report, *explanation.sufficient_reasons()]
    shown += explanation.necessary_reasons()
    for thing in shown:
        page = Page(thing._repr_html_())
        assert page.tags <= {"table", "caption", "tr", "th", "td", "b", "i", "br", "span", "div", "svg"} | {
            "title",
            "g",
            "path",
            "rect",
            "text",
            *("style", "desc", "circle"),
        }
        assert not any(name.startswith("on") for name in page.attributes)
        assert BAD in page.text
    assert ("no class" in Page(model._repr_html_()).text) == (ties == "none")
    assert "<script" not in model.classifier.network._repr_svg_()


def diagnosis() -> Any:
    return Classifier(example("diagnosis"), "D").compile()


def explained(model: Any) -> Explanation:
    explanation: Explanation = model.explain({"BP": "High", "CT": 1, "HR": "Normal"})
    return explanation


def test_the_diagnosis_model() -> None:
    model = diagnosis()
    text = Page(model._repr_html_()).text
    assert "D from 3 features: 18 instances" in text
    assert "50.00 %" in text
    text = Page(explained(model)._repr_html_()).text
    assert "Why D is 2" in text
    assert "BP∈{Low,High} ∧ HR∈{Normal,High}" in text
    assert "nearest other decision1, with BP=Normal" in text
    html = model.classifier._repr_html_()
    assert "the most probable class; ties go to the class listed first" in Page(html).text
    assert "<svg" in html
    assert Page(model.verify()._repr_html_()).text.startswith("\nVerified")
    assert model.formula("2")._repr_svg_().startswith("<svg")
    assert model.classifier.network._repr_svg_().startswith("<svg")


def test_a_threshold_and_fixed_features() -> None:
    model = Classifier(example("asia"), "lung", threshold="0.3", positive="yes").compile()
    assert "yes if its probability exceeds 0.3, else no" in Page(model.classifier._repr_html_()).text
    instance = {variable.name: variable.states[0] for variable in model.classifier.feature_variables}
    explanation = model.explain(instance, fixed=model.features)
    text = Page(explanation._repr_html_()).text
    assert "none: nothing changes the decision" in text
    assert "fixed" in text


def test_long_lists_are_cut() -> None:
    model = Classifier(random_naive_bayes(2, 18), "Y").compile()
    instance = model.sample("1")
    text = Page(model.explain(instance)._repr_html_()).text
    assert "and more" in text
    network = random_naive_bayes(1, 60)
    assert "and 20 more" in Page(Classifier(network, "Y")._repr_html_()).text


def test_empty_terms() -> None:
    model = Classifier(example("diagnosis"), "D").compile()
    explanation = model.explain({"BP": "High", "CT": 1, "HR": "Normal"}, fixed=model.features)
    assert [Page(term._repr_html_()).text for term in explanation.sufficient_reasons()] == ["⊤"]


def test_shares_are_not_rounded_to_all_or_nothing() -> None:
    shares = [Fraction(0), Fraction(1, 10**9), Fraction(1, 3), 1 - Fraction(1, 10**9), Fraction(1)]
    assert [_percent(share) for share in shares] == ["0 %", "0.01 %", "33.33 %", "99.99 %", "100 %"]
