"""The page of a model under a constraint: what it holds, and what it answers in a real browser."""

from __future__ import annotations

import json
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

import bnc2d
from bnc2d.api.compiled_model import CompiledModel, GivenModel
from bnc2d.errors import LogicError
from bnc2d.report import data
from bnc2d.report.explore import page_html, write_page
from tests.hard_classifiers import mixed_classifier
from tests.report.answers import compare
from tests.report.browser import Browser, needs_chromium
from tests.report.models import diagnosis, hostile, learnt
from tests.report.partial import Partial, compare_partial, completions, random_partial

TEXTS = """Object.fromEntries(['verdict', 'moved', 'subtitle', 'constraint'].map(
  (id) => [id, document.getElementById(id).innerText]))"""
# All rows that clicks on single states lead to, each from every row met before.
REACHED = """(() => {
  const checked = (feature) => document.querySelector(`[name=feature${feature}]:checked`).value;
  const read = () => STATES.map((_, feature) => checked(feature)).join('.');
  const found = new Set([read()]);
  for (const row of found) {
    const own = row.split('.');
    for (const [feature, states] of STATES.entries()) {
      for (const state of states.keys()) {
        bnc2d.show(Object.fromEntries(NAMES.map((name, other) => [name, STATES[other][own[other]]])));
        document.querySelector(`[name=feature${feature}][value="${state}"]`).click();
        found.add(read());
      }
    }
  }
  return [...found].sort();
})()"""


def visit(browser: Browser, model: CompiledModel, folder: Path, address: str = "") -> None:
    write_page(model, folder / "page.html")
    browser.look(1200, 900)
    browser.open(folder / "page.html", address)


def random_given(model: CompiledModel, seed: int) -> GivenModel | None:
    """Return a model under a random constraint; None where that leaves no instance."""
    rng = Random(f"given {seed}")  # noqa: S311 - reproducible test data
    forbidden = []
    for _ in range(rng.randint(1, 3)):
        names = rng.sample(model.features, min(len(model.features), rng.choice((1, 2, 2, 3))))
        forbidden.append(
            {name: rng.choice(model.domain.states[model.features.index(name)]) for name in names}
        )
    try:
        return model.given("possible" if seed % 4 == 0 else forbidden)
    except LogicError:
        return None


@pytest.mark.parametrize("constraint", ["CT -> BP=High", "BP!=Low", "BP=High and CT=1 and HR=Low", "true"])
def test_what_a_page_holds_is_of_the_allowed_instances(constraint: str) -> None:
    model = diagnosis().given(constraint)
    found = data.page_data(model)
    rows = [row for row in product(range(3), range(2), range(3)) if model.allows(model.domain.decode(row))]
    assert int(found["total"]) == len(rows) == model.instance_count
    assert int(found["all"]) == 18
    assert [int(count) for count, _ in found["counts"]] == [model.count(name) for name in model.classes]
    assert sum(share for _, share in found["counts"]) == pytest.approx(1)
    assert tuple(found["start"]) in rows
    assert found["outside"] == found["diagram"]["terminals"] - 1 == 3
    assert found["constraint"] == str(model.constraint)
    assert found["impossible"] == "0"
    assert len(found["roots"]) == 3


def test_pages_start_on_what_is_allowed_and_possible() -> None:
    whole = learnt(ties="none")
    start = whole.domain.decode(data.page_data(whole)["start"])
    for constraint in ([{"X1": start["X1"]}, {"X3": start["X3"]}], "possible"):
        model = whole.given(constraint)
        found = data.page_data(model)
        assert model.allows(model.domain.decode(found["start"]))
        assert model.classifier.is_possible(np.array([found["start"]]))[0]
        allowed = [row for name, share in model.shares().items() if share for row in instances(model, name)]
        assert len(allowed) == model.instance_count
        possible = model.classifier.is_possible(allowed)
        assert int(found["impossible"]) == possible.count(False)


def instances(model: CompiledModel, name: str | None) -> list[dict[str, str]]:
    """Return all instances of a class."""
    return list(model.diagram.instances(len(model.classes) if name is None else model.classes.index(name)))


def test_a_start_without_possible_instances(monkeypatch: pytest.MonkeyPatch) -> None:
    model = learnt().given([{"X1": "0"}])
    monkeypatch.setattr(data, "_POSSIBLE_SECONDS", 0.0)
    found = data.page_data(model)
    assert found["impossible"] is None
    assert model.allows(model.domain.decode(found["start"]))


@needs_chromium
def test_random_models_under_constraints(browser: Browser, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for seed in range(6):
        model = random_given(mixed_classifier(seed + 300, 120).compile(), seed)
        if model is None:
            continue
        visit(browser, model, tmp_path)
        names = [name for name, share in model.shares().items() if share]
        compare(browser, model, [model.sample(names[n % len(names)], n) for n in range(3)])
        seen.update(compare_partial(browser, model, [random_partial(model, 10 * seed + n) for n in range(3)]))
        assert browser.messages == []
    assert seen["explained"] > 9


@needs_chromium
def test_what_the_page_says_of_a_constraint(browser: Browser, tmp_path: Path) -> None:
    visit(browser, diagnosis().given("CT -> BP=High"), tmp_path, "#2.1.1")
    texts = browser.run(TEXTS)
    assert texts["subtitle"] == "diagnosis · 3 features · 3 classes · 12 of 18 instances allowed"
    assert texts["constraint"] == "Only instances with this count: BP=High ∨ ¬CT"
    assert texts["moved"] == ""
    low = "document.querySelector('[name=feature0][value=\"0\"]')"
    assert browser.run(f"{low}.parentElement.classList.contains('barred')")
    assert browser.run(f"{low}.parentElement.textContent") == (
        "Low⊘not allowed with the rest: other features change too"
    )
    assert browser.run(f"{low}.parentElement.title").startswith("not allowed with the rest")
    assert browser.run("document.querySelectorAll('.barred').length") == 2
    browser.run(f"{low}.click()")
    browser.settle()
    assert browser.run("location.hash") == "#0.0.1"
    assert browser.run(TEXTS)["moved"] == "So that the constraint holds, this changed too: CT is 0."
    assert browser.run("document.querySelector('[name=feature1]:checked').value") == "0"
    browser.run("document.querySelector('[name=feature2][value=\"0\"]').click()")
    browser.settle()
    assert browser.run(TEXTS)["moved"] == ""
    browser.run("location.hash = '#0.1.1'")  # not allowed
    browser.wait("location.hash !== '#0.1.1'")
    browser.settle()
    assert "this changed too" in browser.run(TEXTS)["moved"]
    assert browser.messages == []
    assert "violates" in browser.run(
        "(() => { try { bnc2d.answers({BP: 'Low', CT: 1, HR: 'Low'}) } catch (e) { return String(e) } })()"
    )


@needs_chromium
def test_a_state_that_is_never_allowed_cannot_be_chosen(browser: Browser, tmp_path: Path) -> None:
    visit(browser, diagnosis().given("BP!=Normal"), tmp_path)
    disabled = "[...document.querySelectorAll('input:disabled')].map(e => e.parentElement.textContent)"
    assert browser.run(disabled) == ["Normal⊘not allowed"]


@needs_chromium
@pytest.mark.parametrize("constraint", ["CT <-> BP=High", "(BP=High and HR=High) or (BP=Low and CT=1)"])
def test_every_allowed_instance_can_be_reached(browser: Browser, tmp_path: Path, constraint: str) -> None:
    model = diagnosis().given(constraint)
    visit(browser, model, tmp_path)
    rows = [row for row in product(range(3), range(2), range(3)) if model.allows(model.domain.decode(row))]
    script = REACHED.replace("STATES", json.dumps(model.domain.states))
    reached = browser.run(script.replace("NAMES", json.dumps(model.features)))
    assert reached == [".".join(map(str, row)) for row in rows]
    browser.settle()


@needs_chromium
def test_try_and_nearest_stay_inside(browser: Browser, tmp_path: Path) -> None:
    model = diagnosis().given("CT -> BP=High")
    visit(browser, model, tmp_path)
    for address in ("2.1.1", "1.0.2", "?.1.?"):
        count = 1
        number = 0
        while number < count:
            browser.run(f"location.hash = '#{address}'; dispatchEvent(new Event('hashchange'))")
            browser.settle()
            buttons = "[...document.querySelectorAll('.try, #distance button')].filter(e => e.offsetParent)"
            count = browser.run(f"{buttons}.length")
            assert count
            browser.run(f"{buttons}[{number}].click()")
            assert browser.run(TEXTS)["moved"] == ""  # it was allowed as it was
            number += 1


def test_hostile_names_in_a_constraint() -> None:
    model = hostile()
    first, second = model.features
    given = model.given([{first: "\"';--", second: "<!--"}])
    page = page_html(given)
    assert page.count("<script") == page.count("</script>") == 2
    inside = page.partition('<script type="application/json" id="model">')[2].partition("</script>")[0]
    assert json.loads(inside)["constraint"] == str(given.constraint)


def test_a_saved_model_under_a_constraint_has_the_same_page(tmp_path: Path) -> None:
    model = diagnosis().given("CT -> BP=High")
    model.save(tmp_path / "given.bnc2d")
    assert page_html(bnc2d.load(tmp_path / "given.bnc2d")) == page_html(model)


@needs_chromium
def test_choices_that_are_not_allowed(browser: Browser, tmp_path: Path) -> None:
    model = diagnosis().given("CT -> BP=High")
    visit(browser, model, tmp_path)
    everything = product(*([*states, None] for states in model.domain.states))
    rows: list[Partial] = [dict(zip(model.features, row, strict=True)) for row in everything]
    rows = [row for row in rows if completions(model, row)]
    found = browser.run(f"{json.dumps(rows)}.map(bnc2d.choices)")
    for row, leads in zip(rows, found, strict=True):
        for feature, states, lead in zip(model.features, model.domain.states, leads, strict=True):
            allowed = [bool(completions(model, {**row, feature: state})) for state in [*states, None]]
            assert [one != "outside" for one in lead] == allowed
