"""The page to explore a model: what its script answers, in a real browser, is what Python answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import bnc2d
import bnc2d.testing
from bnc2d.report.explore import page_html, write_page
from bnc2d.testing import random_classifier, random_instance
from tests.hard_classifiers import mixed_classifier
from tests.report.answers import answered, compare
from tests.report.browser import Browser, needs_chromium
from tests.report.models import FEW_ROWS, diagnosis, hostile, learnt, many_states

TAB, RIGHT = ("Tab", 9), ("ArrowRight", 39)


@pytest.fixture
def opened(browser: Browser, tmp_path: Path) -> Iterator[Browser]:
    """The browser with the page of ``diagnosis``, at the instance of the paper; it must log nothing."""
    write_page(diagnosis(), tmp_path / "page.html")
    browser.look(1200, 900)
    browser.open(tmp_path / "page.html", "#2.1.1")
    yield browser
    assert browser.messages == []


@needs_chromium
def test_every_answer_on_every_instance_of_diagnosis(opened: Browser) -> None:
    model = diagnosis()
    instances = [model.domain.decode((b, c, h)) for b in range(3) for c in range(2) for h in range(3)]
    compare(opened, model, instances)
    for general in (False, True):
        held = opened.run(
            f"(all => all.map(i => all.map(o => bnc2d.reasonHolds(i, o, {json.dumps(general)}))))"
            f"({json.dumps(instances)})"
        )
        for instance, row in zip(instances, held, strict=True):
            why = model.explain(instance)
            reason = why.general_reason if general else why.complete_reason
            assert row == reason.evaluate(instances).tolist()


@needs_chromium
def test_answers_on_random_models(browser: Browser, tmp_path: Path) -> None:
    kinds = set()
    for seed in range(12):  # ties, no class, features of one state or nine, empty classes
        model = mixed_classifier(seed).compile()
        write_page(model, tmp_path / "page.html")
        browser.open(tmp_path / "page.html")
        compare(browser, model, [random_instance(model.classifier, number) for number in range(6)])
        kinds.add((len(model.classes) > 2, model.diagram.terminals > len(model.classes)))
        assert browser.messages == []
    assert len(kinds) > 2


@needs_chromium
def test_answers_on_a_larger_model(browser: Browser, tmp_path: Path) -> None:
    classifier = random_classifier(
        35, variables=18, features=12, max_states=4, zero_share=0.0, deterministic_share=0.0, repeat_share=0.0
    )
    model = classifier.compile()
    assert len(model.features) == 12
    assert len(model.classes) > 2
    assert model.diagram.node_count > 1000
    write_page(model, tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    compare(browser, model, [random_instance(classifier, number) for number in range(8)])


@needs_chromium
def test_the_decision_follows_a_click_and_the_keyboard(opened: Browser) -> None:
    verdict = "document.getElementById('verdict').textContent"
    assert opened.run(verdict) == "D = 2"
    label = "[...document.querySelectorAll('.state')].find(e => e.textContent.startsWith('Normal'))"
    assert opened.run(f"{label}.textContent") == "Normal→ 1"  # what choosing it would do
    opened.run(f"{label}.click()")
    assert opened.run(verdict) == "D = 1"
    opened.settle()
    assert opened.run("location.hash") == "#1.1.1"
    opened.run("document.querySelector('[name=feature0]:checked').focus()")
    opened.press(*RIGHT)
    assert opened.run(verdict) == "D = 2"
    opened.settle()
    opened.run("document.getElementById('decision').focus()")
    opened.press(*TAB)
    assert opened.run("document.activeElement.textContent") == "Make this change"
    opened.press(*TAB)
    assert opened.run("document.activeElement.name") == "feature0"


@needs_chromium
def test_what_the_page_says(opened: Browser) -> None:
    opened.run("document.getElementById('formulas').open = true")
    text = opened.run("document.body.innerText")
    for sentence in (
        "D is 2 because BP is High and CT is 1: that is enough, whatever the other features are.",
        "D would be 1 if BP were Normal.",
        "BP=High ∧ (CT ∨ HR=Normal)",
        "BP is Low or High, and HR is Normal or High\nBP∈{Low,High} ∧ HR∈{Normal,High}",
        "At least 1 feature must change. D is no longer 2, all else as it is, if",
        "CT is 0 and HR is Low: then D is 0",
        "D would be 0, all else as it is, if",
        "BP=High ∨ HR∈{Normal,High}",
        "50.0 %",
    ):
        assert sentence in text
    assert opened.run("document.getElementById('verdict').getAttribute('aria-live')") == "polite"
    lit = opened.run("document.querySelectorAll('.drawing .on').length")
    assert lit > 0
    assert opened.run("document.querySelectorAll('#contrast-list li').length") == 3
    opened.run("document.querySelector('#contrast-list button').click()")  # violates the clause
    assert opened.run("document.getElementById('verdict').textContent") == "D = 0"
    assert opened.run("document.activeElement.id") == "decision"
    opened.settle()


@needs_chromium
def test_every_control_has_a_name_and_ids_are_unique(opened: Browser) -> None:
    nameless = (
        "[...document.querySelectorAll('input,select,button')]"
        ".filter(e => !(e.labels?.length || e.textContent.trim())).length"
    )
    assert opened.run(nameless) == 0
    assert opened.run(
        "(ids => ids.length === new Set(ids).size)([...document.querySelectorAll('[id]')].map(e => e.id))"
    )


@needs_chromium
def test_the_circuit_lights_up_what_holds(opened: Browser) -> None:
    boxes = (
        "[...document.querySelectorAll('.drawing .literal{}')].map(e => e.querySelector('text').textContent)"
    )
    choose = (
        "(s => {{ s.value = '{}'; s.dispatchEvent(new Event('change')); }})(document.getElementById('drawn'))"
    )
    model = diagnosis()
    instance = model.domain.decode((2, 1, 1))
    for number, name in enumerate(model.classes):
        opened.run(choose.format(number))
        formula = model.formula(name)
        literals = [formula.manager.literal_of(n) for n, *_ in formula.manager.literals(formula.root)]
        shown = {model.domain.show_literal(*literal) for literal in literals}
        holding = {
            model.domain.show_literal(f, mask)
            for f, mask in literals
            if mask >> model.domain.state_index(f, instance[model.features[f]]) & 1
        }
        assert set(opened.run(boxes.format(""))) == shown
        assert set(opened.run(boxes.format(".on"))) == holding
        gate = opened.run("document.querySelector('.drawing .gate').classList.contains('on')")
        assert gate == (name == "2")


@needs_chromium
@pytest.mark.parametrize(("width", "phone"), [(320, True), (390, True), (800, False), (1400, False)])
def test_nothing_is_wider_than_the_screen(opened: Browser, width: int, phone: bool) -> None:
    opened.look(width, 844, phone=phone)
    assert opened.run("document.documentElement.scrollWidth <= innerWidth")


@needs_chromium
def test_text_has_contrast_in_light_and_dark(opened: Browser, tmp_path: Path) -> None:
    write_page(diagnosis().given("CT -> BP=High"), tmp_path / "given.html")
    opened.open(tmp_path / "given.html", "#2.1.1")
    script = """
    (selectors => {
      const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
      const light = (rgb) => rgb.slice(0, 3).map((v) => v / 255)
        .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      const ground = (e) => {
        const colour = numbers(getComputedStyle(e).backgroundColor);
        return colour.length === 3 || colour[3] > 0 ? colour : ground(e.parentElement);
      };
      if (!selectors.every((s) => document.querySelector(s))) return 0;
      return Math.min(...selectors.flatMap((s) => [...document.querySelectorAll(s)]).map((e) => {
        const [a, b] = [light(numbers(getComputedStyle(e).color)), light(ground(e))];
        return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      }));
    })(['h1', '.hint', '.leads', 'button', '.state', '#verdict .class', 'tr.on td', 'footer p', '.formula',
      '.barred', '.barred .text', '.unknown .text', '#posterior th', '#posterior caption', '#constraint',
      '.plain', '.formal', '.kind', '.lead', 'summary h2'])
    """
    for dark in (False, True):
        opened.look(1200, 900, dark=dark)
        opened.run("new Promise(done => setTimeout(done, 250))")  # colours change gently
        assert opened.run(script) >= 4.5


@needs_chromium
def test_hostile_names_are_shown_and_not_run(browser: Browser, tmp_path: Path) -> None:
    model = hostile()
    write_page(model, tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    compare(browser, model, [model.domain.decode((a, b)) for a in range(2) for b in range(3)])
    assert browser.run("typeof window.x") == "undefined"
    assert browser.run("document.querySelectorAll('script').length") == 2
    assert browser.run("document.querySelectorAll('img, main b, form svg').length") == 0
    text = browser.run("document.body.textContent")
    for variable in model.classifier.feature_variables:
        for name in (variable.name, *variable.states):
            assert name in text
    assert browser.messages == []


@needs_chromium
def test_the_policy_stops_scripts_and_requests(browser: Browser, tmp_path: Path) -> None:
    page = page_html(diagnosis())
    bad = "<script>window.x = 1</script><img src='https://example.invalid/a.png'></body>"
    (tmp_path / "page.html").write_text(page.replace("</body>", bad), encoding="utf-8")
    browser.open(tmp_path / "page.html")
    assert browser.run("typeof window.x") == "undefined"
    assert sum("Content Security Policy" in message for message in browser.messages) == 2


@needs_chromium
def test_long_lists_are_cut_and_say_so(browser: Browser, tmp_path: Path) -> None:
    model = bnc2d.Classifier(bnc2d.testing.random_naive_bayes(3, 20), "Y").compile()
    write_page(model, tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    assert browser.run("document.getElementById('circuit').innerText").endswith("too many to draw here.")
    click = "[...document.querySelectorAll('#reasons button')].find(e => / more/.test(e.textContent)).click()"
    browser.run(click)
    assert browser.run("document.querySelectorAll('#list0 li').length") > 12
    assert browser.run("document.activeElement === document.querySelectorAll('#list0 li')[6]")
    instance = dict.fromkeys(model.features, "0")
    why = model.explain(instance)
    browser.run("Object.assign(bnc2d.limits, {milliseconds: 1e6, listed: 5})")
    first = browser.run(f"bnc2d.answers({json.dumps(instance)})")["sufficient"]
    count = why.count_sufficient_reasons()
    assert (len(first["items"]), first["cut"], first["total"]) == (5, True, count)
    browser.run("Object.assign(bnc2d.limits, {steps: 15000, listed: 1000})")
    answer = browser.run(f"bnc2d.answers({json.dumps(instance)})")
    for kind, check in (("sufficient", why.is_sufficient), ("generalNecessary", why.is_general_necessary)):
        assert answer[kind]["cut"]
        assert answer[kind]["total"] is None
        assert answer[kind]["items"]
        for item in answer[kind]["items"]:
            assert check({model.features[f]: model.domain.states[f][state] for f, (state,) in item})
    browser.run(f"bnc2d.show({json.dumps(instance)})")
    browser.settle()
    assert "there are more, too many for a page" in browser.run("document.body.innerText")
    assert browser.messages == []


@needs_chromium
def test_a_feature_of_many_states_is_a_list(browser: Browser, tmp_path: Path) -> None:
    model = many_states()
    write_page(model, tmp_path / "page.html")
    browser.open(tmp_path / "page.html")
    compare(browser, model, [{"X": state} for state in ("s0", "s1", "s58", "s59")])
    assert browser.run("document.getElementById('feature0').options[59].textContent") == "s59 → 1"
    browser.run("document.getElementById('feature0').focus()")
    browser.press("ArrowDown", 40)
    browser.settle()
    assert browser.run("document.getElementById('verdict').textContent") == "Y = 1"
    assert browser.messages == []


@needs_chromium
@pytest.mark.parametrize("ties", ["lowest", "none"])
def test_impossible_instances_are_said_to_be(browser: Browser, tmp_path: Path, ties: str) -> None:
    model = learnt(ties=ties)
    write_page(model, tmp_path / "page.html")
    browser.look(1200, 900)
    browser.open(tmp_path / "page.html")
    caveat = "document.getElementById('impossible').textContent"
    assert browser.run(caveat) == ""  # the page opens on a possible one
    assert "of them impossible" in browser.run("document.getElementById('subtitle').textContent")
    seen = set()
    met = [{name: row[name] for name in model.features} for row in FEW_ROWS[:4]]
    for instance in [*met, *(random_instance(model.classifier, seed) for seed in range(8))]:
        browser.run(f"bnc2d.show({json.dumps(instance)})")
        e = model.explain(instance)
        said = e.caveat.replace(" listed first, 0.", " listed first.") if not e.possible else ""
        assert browser.run(caveat) == said
        assert answered(browser, [instance])[0]["possible"] is e.possible
        seen.add(e.possible)
    assert seen == {True, False}
    assert browser.messages == []
