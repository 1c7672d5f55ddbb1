"""The page's scores beside those of Python, in a real browser."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bnc2d
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.readers.choices import GAMES, SCORE_KINDS
from bnc2d.report import data
from bnc2d.report.explore import write_page
from tests.hard_classifiers import mixed_classifier
from tests.report.browser import Browser, needs_chromium
from tests.report.models import diagnosis
from tests.report.partial import random_partial

pytestmark = needs_chromium

LONG = "a_very_long_name_of_a_feature_that_goes_on_"
CONTRADICTION = {"BP": "Low", "CT": "0", "HR": "High"}


def compare_scores(
    model: CompiledModel, instance: dict[str, Any], found: dict[str, Any], close: float = 1e-12
) -> None:
    """The page must have every number of Python's, and know which features are in no reason."""
    known = {name: state for name, state in instance.items() if state is not None}
    e = model.explain(known)
    for kind in SCORE_KINDS:
        if kind in GAMES and model.constraint is not None:
            assert "a constraint does not leave" in found[kind]["without"]
            continue
        truth = e.scores(kind)
        expected = [float(truth[name]) if name in truth else None for name in model.features]
        for own, other in zip(found[kind]["numbers"], expected, strict=True):
            assert (own is None) == (other is None)
            assert own is None or own == pytest.approx(other, rel=0, abs=close)
        if kind in GAMES:
            assert found[kind]["baseline"] == pytest.approx(float(truth.baseline or 0), abs=close)
            assert found[kind]["value"] == pytest.approx(1, abs=1e-12)
        if kind == "occurrence":
            assert found[kind]["reasons"] == truth.reasons
    irrelevant = [at for at, name in enumerate(model.features) if name in e.irrelevant_features()]
    assert found["inNone"] == irrelevant


def check_page(browser: Browser, model: CompiledModel, instances: list[dict[str, Any]], folder: Path) -> None:
    write_page(model, folder / "page.html")
    browser.open(folder / "page.html")
    browser.run("bnc2d.limits.milliseconds = bnc2d.limits.listed = 1e6")
    found = browser.run(f"{json.dumps(instances)}.map(bnc2d.scores)")
    for instance, scores in zip(instances, found, strict=True):
        if scores is not None:  # nobody can explain it there
            compare_scores(model, instance, scores)
    assert browser.messages == []


def some_instances(model: CompiledModel, seed: int) -> list[dict[str, Any]]:
    """Return one instance of each decision, and one with features unknown."""
    decided = [name for name, share in model.shares().items() if share]
    return [*(model.sample(name, seed) for name in decided), dict(random_partial(model, seed))]


@pytest.mark.parametrize("seed", [2, 3, 7, 16])
def test_random_models(browser: Browser, tmp_path: Path, seed: int) -> None:
    model = mixed_classifier(seed, 200).compile()
    check_page(browser, model, some_instances(model, seed), tmp_path)


def test_under_a_constraint(browser: Browser, tmp_path: Path) -> None:
    model = diagnosis().given("HR=High -> BP=Low")
    check_page(browser, model, [CONTRADICTION, {"BP": "High", "CT": "1", "HR": "Normal"}], tmp_path)
    assert shown(browser, "scores-sentence").startswith("How many of the 2 sufficient reasons")
    choose(browser, "shapley")
    assert "a constraint does not leave" in shown(browser, "scores")


def shown(browser: Browser, name: str) -> str:
    text: str = browser.run(f"document.getElementById('{name}').innerText")
    return text


def choose(browser: Browser, kind: str) -> None:
    browser.run(f"""(e => {{ e.value = '{kind}'; e.dispatchEvent(new Event('change')); }})
    (document.getElementById('score-kind'))""")


def test_the_card(browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read: the same from a model in the page, and from rows that Python answered."""
    write_page(diagnosis(), tmp_path / "model.html")
    monkeypatch.setattr(data, "MAX_NODES", 3)
    write_page(diagnosis(), tmp_path / "rows.html", rows=[CONTRADICTION, {"BP": "High"}])
    texts = []
    for name, address in (("model.html", "#0.0.2"), ("rows.html", "")):
        browser.open(tmp_path / name, address)
        choose(browser, "shapley")
        texts.append([shown(browser, "scores")])
        for kind in ("occurrence", "responsibility", "banzhaf"):
            choose(browser, kind)
            texts[-1].append(shown(browser, "scores"))
        assert browser.messages == []
    assert texts[0] == texts[1]
    shapley, occurrence, responsibility, _ = texts[0]
    assert "What knowing the feature adds to the probability that D is 2" in shapley
    assert "They sum to +0.500, from 50.0 % where nothing is known to 100 %." in shapley
    assert "CT in no reason" in shapley
    assert "−0.019" in shapley
    assert "CT is in no reason: with the other features as they are" in shapley
    assert "Whether the only sufficient reason has the feature." in occurrence
    assert "0 %: CT." in occurrence
    assert "0: CT." in responsibility
    assert "in no reason:" not in responsibility
    browser.run("bnc2d.show(1)")
    browser.settle()
    assert "+0." in shown(browser, "scores-table")
    compare_scores(diagnosis(), {"BP": "High", "CT": None, "HR": None}, browser.run("bnc2d.scores(1)"), 1e-10)


def test_rows_without_compiling(browser: Browser, tmp_path: Path) -> None:
    """Values that would take all instances one by one say so; what reasons say is there."""
    from bnc2d.testing import random_naive_bayes

    classifier = bnc2d.Classifier(random_naive_bayes(3, features=40, states=3), "Y")
    row = {f.name: f.states[0] for f in classifier.feature_variables}
    write_page(classifier, tmp_path / "page.html", rows=[row], time_limit=0.5)
    (answer,) = json.loads(
        (tmp_path / "page.html").read_text(encoding="utf-8").split('id="model">')[1].split("</script>")[0]
    )["answers"]
    assert "compiled model" in answer["scores"]["shapley"]["without"]
    assert len(answer["scores"]["responsibility"]["numbers"]) == 40
    low, high = answer["scores"]["occurrence"]["bounds"][1]
    assert low < high
    browser.open(tmp_path / "page.html")  # on the first kind that is there
    assert "the coloured part of the bar is proved" in shown(browser, "scores-sentence")
    assert "–100 %" in shown(browser, "scores-table")
    assert browser.messages == []


def test_long_names_and_many_features_fit_a_phone(browser: Browser, tmp_path: Path) -> None:
    half = [0.5, 0.5]
    target = bnc2d.Variable("Y", ("0", "1"))
    features = [bnc2d.Variable(f"{LONG}{n}", ("0", "1")) for n in range(40)]
    cpts = [bnc2d.CPT(target, (), half)]
    cpts += [bnc2d.CPT(f, (target,), [0.6, 0.4, 0.4, 0.6]) for f in features]
    model = bnc2d.Classifier(bnc2d.BayesianNetwork([target, *features], cpts), "Y").compile()
    write_page(model, tmp_path / "page.html")
    browser.look(390, 844, phone=True)
    browser.open(tmp_path / "page.html")
    choose(browser, "shapley")
    assert browser.run("document.getElementById('scores-table').rows.length") == 12
    assert browser.run("document.documentElement.scrollWidth") <= 390
    browser.run("document.querySelector('#scores-more button').click()")
    assert browser.run("document.getElementById('scores-table').rows.length") == 40
    choose(browser, "occurrence")
    assert "too many to be counted" in shown(browser, "scores")
    unanimous = {feature.name: "0" for feature in features}
    scores = browser.run(f"bnc2d.scores({json.dumps(unanimous)})")
    assert scores["inNone"] == []  # each vote counts, though the reasons are too many
    browser.look(1200, 900)
