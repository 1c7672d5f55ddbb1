"""The page with unknown features and with probabilities, in a real browser."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import bnc2d
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.readers.choices import Ties
from bnc2d.report import tables
from bnc2d.report.explore import write_page
from bnc2d.testing import random_naive_bayes
from tests.hard_classifiers import extreme_classifier, mixed_classifier
from tests.report.answers import answered, compare
from tests.report.browser import Browser, needs_chromium
from tests.report.models import diagnosis, hostile, many_states
from tests.report.partial import Partial, compare_partial, of_known, random_partial

pytestmark = needs_chromium

SHOWN = "(e => e.offsetParent !== null && e.innerText)(document.getElementById('{}'))"


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Browser]:
    """The browser with the page of ``diagnosis`` where only ``BP=High`` is known; it must log nothing."""
    visit(browser, diagnosis(), tmp_path, "#2.?.?")
    yield browser
    assert browser.messages == []


def visit(browser: Browser, model: CompiledModel, folder: Path, address: str = "") -> None:
    write_page(model, folder / "page.html")
    browser.look(1200, 900)
    browser.open(folder / "page.html", address)


def shown(browser: Browser, name: str) -> Any:
    """Return the text of an element, False where it is not seen."""
    return browser.run(SHOWN.format(name))


def symmetric(ties: Ties) -> CompiledModel:
    """Return a model in which each class is as probable as the other where nothing is known."""
    target, first, second = (bnc2d.Variable(name, ("0", "1")) for name in "YAB")
    thirds = [Fraction(n, 3) for n in (1, 2, 2, 1)]
    even = bnc2d.CPT(target, (), [Fraction(1, 2)] * 2)
    cpts = [even, *(bnc2d.CPT(feature, (target,), thirds) for feature in (first, second))]
    network = bnc2d.BayesianNetwork([target, first, second], cpts)
    model: CompiledModel = bnc2d.Classifier(network, "Y", ["A", "B"], ties=ties).compile()
    return model


def test_every_row_of_diagnosis_with_an_unknown_feature(opened: Browser) -> None:
    model = diagnosis()
    rows: list[Partial] = [
        dict(zip(model.features, row, strict=True))
        for row in product(*([*states, None] for states in model.domain.states))
        if None in row
    ]
    assert compare_partial(opened, model, rows) == {"decided": 30, "explained": 30, "open": 0}


def test_random_models(browser: Browser, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for seed in range(200, 206):
        model = mixed_classifier(seed, 120).compile()
        visit(browser, model, tmp_path)
        seen.update(compare_partial(browser, model, [random_partial(model, 10 * seed + n) for n in range(5)]))
        assert browser.messages == []
    assert seen == {"decided": 30, "explained": 30, "open": 0}


def test_a_larger_model_and_what_choices_lead_to(browser: Browser, tmp_path: Path) -> None:
    model = bnc2d.Classifier(random_naive_bayes(5, 14), "Y").compile()
    visit(browser, model, tmp_path)
    for known in (3, 11):
        row: dict[str, str | None] = {
            name: "1" if n < known else None for n, name in enumerate(model.features)
        }
        answer = answered(browser, [row])[0]
        classifier, part = of_known(model, row)
        assert answer["decision"] == classifier.predict(part)
        found = browser.run(f"bnc2d.choices({json.dumps(row)})")
        for feature, leads in zip(model.features, found, strict=True):
            for state, lead in zip(["0", "1", None], leads, strict=True):
                classifier, part = of_known(model, {**row, feature: state})
                assert lead == {"decision": classifier.predict(part)}


@pytest.mark.parametrize("seed", [0, 1, 2, 5])
def test_numbers_far_from_even(browser: Browser, tmp_path: Path, seed: int) -> None:
    model = extreme_classifier(seed, 60).compile()
    visit(browser, model, tmp_path)
    if isinstance(tables.page_tables(model.classifier), str):
        assert "too small for a page" in shown(browser, "probabilities")
    else:
        compare_partial(browser, model, [random_partial(model, n) for n in range(4)])
    assert browser.messages == []


def test_products_that_vanish_are_made_exactly(browser: Browser, tmp_path: Path) -> None:
    target, rare = bnc2d.Variable("Y", ("0", "1")), Fraction(1, 10**9)
    cpts = [bnc2d.CPT(target, (), [Fraction(1, 2)] * 2)]
    for number in range(66):  # the first half speaks for one class as the second does for the other
        entries = [rare, 1 - rare, 1 - rare, rare]
        feature = bnc2d.Variable(f"X{number:02}", ("0", "1"))
        cpts.append(bnc2d.CPT(feature, (target,), entries if number < 33 else entries[::-1]))
    network = bnc2d.BayesianNetwork([cpt.child for cpt in cpts], cpts)
    model = bnc2d.Classifier(network, "Y").compile()
    visit(browser, model, tmp_path)
    row = {name: "0" if number < 33 else "1" for number, name in enumerate(model.features)}
    rows = [row, {**row, "X00": "1"}, {**row, "X65": "0"}]
    for one in rows:
        answer = browser.run(f"bnc2d.answers({json.dumps(one)})")
        exact = [float(share) for share in model.classifier.posterior(one).values()]
        assert answer["posterior"] == pytest.approx(exact)
        assert answer["decision"] == model.predict(one)
    browser.run(f"bnc2d.limits.exactWork = 0; bnc2d.show({json.dumps(row)})")
    browser.settle()
    assert shown(browser, "posterior-note") == "The probabilities are too small to show here."
    assert shown(browser, "posterior").count("–") == 2
    assert browser.messages == []


@pytest.mark.parametrize(("ties", "decision"), [("lowest", "0"), ("none", None)])
def test_ties_over_what_is_known(browser: Browser, tmp_path: Path, ties: Ties, decision: str | None) -> None:
    model = symmetric(ties)
    visit(browser, model, tmp_path, "#?.?")
    compare_partial(browser, model, [{"A": None, "B": None}, {"A": "0", "B": None}])
    assert answered(browser, [{"A": None, "B": None}])[0]["decision"] == decision
    assert shown(browser, "verdict") == f"Y = {decision or 'no class'}"
    taken = "a tie is in no class" if decision is None else "the one listed first is taken"
    assert shown(browser, "posterior-note") == f"Classes are equally probable: {taken}."
    browser.run("bnc2d.limits.exactWork = 0")  # floats alone cannot tell
    answer = answered(browser, [{"A": None, "B": None}])[0]
    assert not answer["decided"]
    browser.run("bnc2d.show({A: null, B: null})")
    browser.settle()
    assert shown(browser, "verdict") == "Y: too close to call here"
    assert "too close to call here: reasons would not be certain" in shown(browser, "unexplained")
    assert shown(browser, "reasons") is False
    assert shown(browser, "completions-text") == "Of 4 ways to fill in the unknown features:"
    # A complete row is decided by the diagram, whatever floats can tell.
    browser.run("bnc2d.show({A: 0, B: 1})")
    browser.settle()
    assert shown(browser, "verdict") == f"Y = {decision or 'no class'}"
    assert "too close to tell apart here" in shown(browser, "posterior-note")
    assert shown(browser, "posterior").count("50.0 %") == 2
    assert browser.messages == []


def test_a_tie_that_floats_would_break(browser: Browser, tmp_path: Path) -> None:
    target, hidden = bnc2d.Variable("Y", ("0", "1")), bnc2d.Variable("H", ("a", "b", "c"))
    first, second = bnc2d.Variable("X", ("0", "1")), bnc2d.Variable("Z", ("0", "1"))
    tenths = {
        target: ((), [5, 5]),
        hidden: ((), [1, 2, 7]),
        first: ((target, hidden), [3, 7, 3, 7, 3, 7, 10, 0, 10, 0, 0, 10]),  # 0.3 against 0.1 + 0.2
        second: ((target,), [4, 6, 6, 4]),
    }
    cpts = [bnc2d.CPT(v, parents, [Fraction(n, 10) for n in table]) for v, (parents, table) in tenths.items()]
    model = bnc2d.Classifier(bnc2d.BayesianNetwork(list(tenths), cpts), "Y", ["X", "Z"]).compile()
    visit(browser, model, tmp_path)
    compare_partial(browser, model, [{"X": "0", "Z": None}, {"X": "1", "Z": None}])
    browser.run("bnc2d.limits.exactWork = 0")
    answer = browser.run("bnc2d.answers({X: 0})")
    assert answer["posterior"][1] > answer["posterior"][0]
    assert not answer["decided"]


def test_what_the_page_says_of_unknown_features(opened: Browser) -> None:
    assert shown(opened, "verdict") == "D = 2"
    assert "59.9 %" in shown(opened, "posterior")
    assert shown(opened, "completions-text") == (
        "Of 6 ways to fill in the unknown features, 5 (83.3 %) keep the decision. "
        "The probability that it stays is 84.4 %."
    )
    assert "¬CT → 0, CT → 2 where HR=Low" in shown(opened, "matters")
    assert shown(opened, "of-known") == "Reasons are those of the classifier over the known features alone."
    opened.run("document.getElementById('formulas').open = true")
    assert shown(opened, "complete") == "BP=High"
    opened.run("document.querySelector('#matters button').click()")
    opened.settle()
    assert opened.run("[location.hash, document.activeElement.id]") == ["#2.0.0", "decision"]
    assert shown(opened, "verdict") == "D = 0"
    assert shown(opened, "completions") is False
    assert shown(opened, "of-known") is False


def test_a_feature_becomes_unknown_by_mouse_and_keyboard(opened: Browser) -> None:
    labels = "[...document.querySelectorAll('[name=feature0]')].map(e => e.parentElement.textContent)"
    assert opened.run(labels) == ["Low", "Normal→ 0", "High", "?unknown→ 0"]
    opened.run("document.querySelector('[name=feature1][value=\"1\"]').click()")
    opened.settle()
    assert opened.run("location.hash") == "#2.1.?"
    opened.run("document.querySelector('[name=feature1]:checked').focus()")
    opened.press("ArrowRight", 39)
    opened.settle()
    assert opened.run("location.hash") == "#2.?.?"
    assert opened.run("document.activeElement.value") == "-1"
    # The address leads back to it, and what the browser may make of the question mark does, too.
    opened.run("location.hash = '#%3F.0.?'")
    opened.wait("document.querySelector('[name=feature0]:checked').value === '-1'")
    opened.settle()
    assert opened.run("document.querySelector('[name=feature1]:checked').value") == "0"


def test_a_list_of_states_has_unknown_too(browser: Browser, tmp_path: Path) -> None:
    model = many_states()
    visit(browser, model, tmp_path, "#?")
    assert browser.run("document.getElementById('feature0').selectedOptions[0].textContent") == "unknown"
    compare_partial(browser, model, [{"X": None}, {"X": "s59"}])
    assert "60 ways to fill in the unknown features, 30 (50.0 %) keep" in shown(browser, "completions-text")


def test_hostile_names_in_answers_on_unknown_features(browser: Browser, tmp_path: Path) -> None:
    model = hostile()
    visit(browser, model, tmp_path, "#?.?")
    compare_partial(
        browser,
        model,
        [dict.fromkeys(model.features), {**dict.fromkeys(model.features), model.features[0]: "\"';--"}],
    )
    assert browser.run("typeof window.x") == "undefined"
    assert browser.run("document.querySelectorAll('script').length") == 2
    assert browser.run("document.querySelectorAll('img, main b, form svg').length") == 0
    assert browser.messages == []


def test_the_threshold_is_marked(browser: Browser, tmp_path: Path) -> None:
    model = bnc2d.Classifier(
        bnc2d.example("asia"), "bronc", ["smoke", "dysp"], threshold="0.6", positive="yes"
    ).compile()
    visit(browser, model, tmp_path, "#0.?")
    compare_partial(
        browser, model, [{"smoke": s, "dysp": d} for s in ("yes", "no", None) for d in ("yes", "no", None)]
    )
    mark = "e.querySelector('.mark')?.getAttribute('x') ?? null"
    marks = browser.run(f"[...document.querySelectorAll('#posterior tr')].map(e => {mark})")
    assert marks == ["0.592", None]  # where its middle is at 0.6
    assert shown(browser, "posterior-rule") == "yes above 60.0 % (the line), else no"
    # P(bronc | smoke) is 0.6, which is not above: the line is hit.
    assert shown(browser, "verdict") == "bronc = no"
    assert shown(browser, "posterior-note") == "The threshold is hit exactly, and not exceeded."


def test_what_takes_too_long_is_said(opened: Browser) -> None:
    opened.run("bnc2d.limits.cells = 1; bnc2d.show({BP: 'High', CT: null, HR: null})")
    opened.settle()
    assert shown(opened, "verdict") == "D = 2"
    assert shown(opened, "unexplained-text").startswith("The known features have more than 1 instances")
    assert "5 (83.3 %) keep the decision." in shown(opened, "completions-text")
    assert opened.run("'without' in bnc2d.answers({BP: 'High'})")
    opened.run("bnc2d.limits.work = 1; bnc2d.show({BP: 'High', CT: null, HR: null})")
    opened.settle()
    assert shown(opened, "verdict") == "D: not decided here"
    assert shown(opened, "posterior-note") == "Their probabilities would take too long to find here."
    assert shown(opened, "unmarked") == "Some choices take too long to find out."
    assert shown(opened, "completions-text") == "Of 6 ways to fill in the unknown features:"


def test_a_page_without_tables(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_ENTRIES", 10)
    model = diagnosis()
    visit(browser, model, tmp_path, "#2.?.?")
    assert browser.run("document.querySelectorAll('.unknown, [value=\"-1\"]').length") == 0
    assert shown(browser, "posterior") is False
    assert "too many for a page" in shown(browser, "posterior-note")
    assert shown(browser, "verdict") == f"D = {model.predict({'BP': 'Low', 'CT': '0', 'HR': 'Low'})}"
    browser.run("bnc2d.limits.milliseconds = bnc2d.limits.listed = 1e6")
    answer = browser.run("bnc2d.answers({BP: 'High', CT: 1, HR: 'Normal'})")
    assert (answer["decision"], answer["posterior"]) == ("2", None)
    assert browser.messages == []


def test_why_not_asks_a_class_with_instances_first(browser: Browser, tmp_path: Path) -> None:
    target, feature = bnc2d.Variable("Y", ("a", "b", "c", "d")), bnc2d.Variable("X", ("0", "1"))
    share = [Fraction(n, 10) for n in (1, 4, 1, 4)]
    likely = [Fraction(n, 10) for n in (5, 5, 9, 1, 5, 5, 1, 9)]
    network = bnc2d.BayesianNetwork(
        [target, feature], [bnc2d.CPT(target, (), share), bnc2d.CPT(feature, (target,), likely)]
    )
    model = bnc2d.Classifier(network, "Y").compile()
    assert [model.count(name) for name in model.classes] == [0, 1, 0, 1]
    visit(browser, model, tmp_path)
    asked = "[...document.getElementById('against').options].map(e => e.textContent)"
    assert browser.run(asked) == ["d", "a (no instances)", "c (no instances)"]
    assert browser.run("document.querySelectorAll('#contrast-list li').length") == 1
    compare(browser, model, [{"X": "0"}, {"X": "1"}])
    browser.run(
        "(s => { s.value = '0'; s.dispatchEvent(new Event('change')); })(document.getElementById('against'))"
    )
    assert shown(browser, "contrast-list") == "No instance is in this class."
    browser.run("bnc2d.show({X: 1})")  # what the reader asked for stays
    browser.settle()
    assert (
        browser.run("document.getElementById('against').selectedOptions[0].textContent") == "a (no instances)"
    )
