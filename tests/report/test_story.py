"""What the page says in sentences and symbols: Python's words, each list once, the useful ones first."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import bnc2d
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.explain.words import sentence
from bnc2d.logic.terms import Term
from bnc2d.report.explore import write_page
from bnc2d.testing import random_instance, random_naive_bayes
from tests.hard_classifiers import mixed_classifier
from tests.report.browser import Browser, needs_chromium
from tests.report.models import diagnosis, hostile, many_states
from tests.report.telling import compare_texts, random_scaled, shown_text

pytestmark = needs_chromium


def opened(browser: Browser, model: CompiledModel, folder: Path, address: str = "") -> None:
    write_page(model, folder / "page.html")
    browser.look(1200, 900)
    browser.open(folder / "page.html", address)
    browser.run("bnc2d.limits.milliseconds = bnc2d.limits.listed = 1e6")


def texts(browser: Browser, instances: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = browser.run(f"{json.dumps(instances)}.map(bnc2d.texts)")
    return found


def test_every_sentence_on_diagnosis(browser: Browser, tmp_path: Path) -> None:
    model = diagnosis()
    opened(browser, model, tmp_path)
    instances = [model.domain.decode((b, c, h)) for b in range(3) for c in range(2) for h in range(3)]
    seen = set()
    for instance, page in zip(instances, texts(browser, instances), strict=True):
        seen |= compare_texts(model.explain(instance), page)
    assert seen == {"short", "general", "changes", "contrast"}
    assert browser.messages == []


def test_sentences_on_random_models(browser: Browser, tmp_path: Path) -> None:
    seen = set()
    for seed in range(8):  # half of them with numbers in intervals
        model = (random_scaled(seed) if seed % 2 else mixed_classifier(seed)).compile()
        opened(browser, model, tmp_path)
        instances = [random_instance(model.classifier, number) for number in range(3)]
        for instance, page in zip(instances, texts(browser, instances), strict=True):
            seen |= compare_texts(model.explain(instance), page)
        assert browser.messages == []
    assert seen == {"short", "general", "changes", "contrast"}


def test_literals_of_any_states_read_as_in_python(browser: Browser, tmp_path: Path) -> None:
    compared = 0
    for model in (random_scaled(3).compile(), random_scaled(20).compile(), hostile(), many_states()):
        opened(browser, model, tmp_path)
        domain = model.domain
        asked = [
            (feature, [state for state in range(size) if mask >> state & 1], verb)
            for feature, size in enumerate(domain.cardinalities)
            for mask in range(1, min(2**size - 1, 70))
            for verb in ("is", "were")
        ]
        found = browser.run(f"{json.dumps(asked)}.map(([f, states, verb]) => bnc2d.literal(f, states, verb))")
        for (feature, states, verb), answer in zip(asked, found, strict=True):
            mask = sum(1 << state for state in states)
            term = Term.from_masks(domain, {feature: mask})
            expected = [domain.show_literal(feature, mask), sentence(term, verb)]
            assert answer == [shown_text(text) for text in expected]
            compared += 1
    assert compared > 200


def test_sentences_where_features_are_unknown(browser: Browser, tmp_path: Path) -> None:
    model = diagnosis()
    opened(browser, model, tmp_path)
    some: list[dict[str, Any]] = [{"BP": "High"}, {"BP": "Low", "HR": "Low"}, {"CT": "1"}, {}]
    for instance, page in zip(some, texts(browser, some), strict=True):
        compare_texts(model.explain(instance), page)


def test_lists_that_are_equal_are_shown_once(browser: Browser, tmp_path: Path) -> None:
    model = bnc2d.Classifier(random_naive_bayes(3, 8), "Y").compile()  # two states and two classes
    opened(browser, model, tmp_path)
    seen = "(id => { const e = document.getElementById(id); return e.offsetParent !== null && e.innerText; })"
    assert browser.run(f"{seen}('list0')")
    assert browser.run(f"{seen}('list3')")
    for number, kind in (("2", "general sufficient"), ("1", "necessary")):
        assert browser.run(f"{seen}('list{number}')") is False
        sentence = f"Their features have two states each, so these are the {kind} reasons, too."
        assert browser.run(f"{seen}('list{number}-same')") == sentence
    assert browser.run(f"{seen}('contrast')") == (
        "There is no third class: what leads to the other one is listed above."
    )
    opened(browser, diagnosis(), tmp_path, "#2.1.1")  # where they differ, both are there
    assert "BP is Low or High, and HR is Normal or High" in browser.run(f"{seen}('list2')")
    assert "CT is 0, and HR is Low or High" in browser.run(f"{seen}('list1')")
    assert browser.run(f"{seen}('list2-same')") in (False, "")


def test_useful_lists_stand_above_the_complete_reason(browser: Browser, tmp_path: Path) -> None:
    opened(browser, diagnosis(), tmp_path, "#2.1.1")
    order = browser.run(
        "['decision', 'short', 'reasons', 'changes', 'contrast', 'formulas']"
        ".map(id => document.getElementById(id).getBoundingClientRect().top)"
    )
    assert order == sorted(order)
    assert browser.run("document.getElementById('formulas').open") is False


def test_the_reader_chooses_sentences_or_symbols(browser: Browser, tmp_path: Path) -> None:
    opened(browser, diagnosis(), tmp_path, "#2.1.1")
    choose = (
        "(s => {{ s.value = '{}'; s.dispatchEvent(new Event('change')); }})"
        "(document.getElementById('shown-words'))"
    )
    line = "document.querySelector('#list0 li').innerText"
    assert browser.run(line) == "BP is High and CT is 1\nBP=High ∧ CT"
    browser.run(choose.format("sentences"))
    assert browser.run(line) == "BP is High and CT is 1"
    browser.run(choose.format("symbols"))
    assert browser.run(line) == "BP=High ∧ CT"
    browser.run(choose.format("both"))
    assert browser.run(line) == "BP is High and CT is 1\nBP=High ∧ CT"


def long_names(features: int) -> CompiledModel:
    """Return a model with names of sixty letters and long reasons."""
    target = bnc2d.Variable("decision", ("no", "yes"))
    cpts = [bnc2d.CPT(target, (), [Fraction(1, 2)] * 2)]
    for number in range(features):
        name = f"{'a rather long name of a feature that begins as others do ' * 2}"[:57] + f"{number:03}"
        feature = bnc2d.Variable(name, ("absent", "present"))
        cpts.append(bnc2d.CPT(feature, (target,), [Fraction(n, 10) for n in (6, 4, 4, 6)]))
    network = bnc2d.BayesianNetwork([cpt.child for cpt in cpts], cpts)
    model: CompiledModel = bnc2d.Classifier(network, "decision").compile()
    return model


@pytest.mark.parametrize(("width", "phone"), [(390, True), (1200, False)])
def test_long_names_and_long_reasons(browser: Browser, tmp_path: Path, width: int, phone: bool) -> None:
    model = long_names(19)
    write_page(model, tmp_path / "page.html")
    browser.look(width, 900, phone=phone)
    browser.open(tmp_path / "page.html")
    assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    line = browser.run("document.querySelector('#list0 li').innerText")
    assert "and 3 others" in line  # of ten
    assert model.features[0] not in line  # its middle is left out, its end is there
    assert "others do 000 is absent" in line
    assert browser.run("document.querySelector('#list0 li .name').title") == model.features[0]
    browser.run("document.querySelector('#list0 li .fold').click()")
    opened_line = browser.run("document.querySelector('#list0 li').innerText")
    assert len(opened_line) > 1.3 * len(line)
    assert "…\\n" not in opened_line
    weights = browser.run(
        "[...document.querySelectorAll('#answers li, #answers li *, #short p, #short p *')]"
        ".map(e => Number(getComputedStyle(e).fontWeight))"
    )
    assert max(weights) <= 500
