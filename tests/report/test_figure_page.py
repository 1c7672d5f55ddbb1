"""The picture on the page: what Python's says, on random models; redrawn for every width."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from bnc2d.api.explanation import Explanation
from bnc2d.base.budget import Budget
from bnc2d.draw.decision import described
from bnc2d.report.explore import write_page
from bnc2d.report.picture import picture_of
from bnc2d.testing import random_instance
from tests.draw.reading import SVG, elements
from tests.report.browser import Browser, needs_chromium
from tests.report.people import CREDIT, naive_bayes
from tests.report.telling import random_scaled

pytestmark = needs_chromium
PICTURE = "document.querySelector('#decision-picture svg')"


def expected(explanation: Explanation) -> dict[str, Any]:
    """Return what the page should say, in the form of its ``bnc2d.picture``."""
    found = picture_of(explanation, None, None, Budget(60.0))
    return {
        "title": found.title,
        "lead": found.lead,
        "wayOut": found.way_out,
        "folded": found.folded,
        "names": list(found.names),
        "bars": [
            {
                "text": f"{bar.name}: {described(bar)}",
                "role": bar.role,
                "own": bar.own,
                "target": bar.target,
                "kept": str(bar.kept),
                "out": str(bar.out),
            }
            for bar in found.bars
        ],
    }


def agree(page: dict[str, Any], explanation: Explanation) -> None:
    wanted = expected(explanation)
    if explanation.missing:  # there, of several nearest ways out the page may take another
        changed = [sum(bar["target"] >= 0 for bar in one["bars"]) for one in (page, wanted)]
        assert changed[0] == changed[1]
        for one in (page, wanted):
            one["wayOut"] = None
            for bar in one["bars"]:
                bar["target"], bar["out"] = -1, "0"
            one["bars"].sort(key=lambda bar: (bar["role"], bar["text"]))
    bars = [{key: bar[key] for key in wanted["bars"][0]} for bar in page["bars"]] if wanted["bars"] else []
    assert {**page, "bars": bars} == wanted


def opened(browser: Browser, model: Any, folder: Path) -> None:
    write_page(model, folder / "page.html")
    browser.look(1200, 900)
    browser.open(folder / "page.html")
    browser.run("bnc2d.limits.milliseconds = bnc2d.limits.listed = 1e6")


@pytest.mark.parametrize("seed", range(6))
def test_it_says_what_python_says(browser: Browser, tmp_path: Path, seed: int) -> None:
    model = random_scaled(seed).compile()
    opened(browser, model, tmp_path)
    rng = random.Random(seed)  # noqa: S311 - reproducible test data
    instances: list[dict[str, Any]] = [random_instance(model.classifier, number) for number in range(4)]
    instances += [{name: state for name, state in row.items() if rng.random() < 0.7} for row in instances]
    pages = browser.run(f"{json.dumps(instances)}.map(bnc2d.picture)")
    told = 0
    for instance, page in zip(instances, pages, strict=True):
        if page is not None:  # unknown features can be too many for a page
            agree(page, model.explain(instance))
            told += 1
    assert told >= 4
    assert browser.messages == []


def test_it_is_drawn_as_python_draws_it(browser: Browser, tmp_path: Path) -> None:
    model = naive_bayes(5, CREDIT).compile()
    opened(browser, model, tmp_path)
    for width, phone in ((1200, False), (390, True)):
        browser.look(width, 900, phone=phone)
        browser.settle()
        browser.wait(f"{PICTURE}.getBoundingClientRect().width <= document.documentElement.clientWidth")
        svg = browser.run(f"new XMLSerializer().serializeToString({PICTURE})")
        wide = browser.run(f"{PICTURE}.getBoundingClientRect().width")
        start = model.explain(model.domain.decode([0] * len(CREDIT)))
        python = [e.text for e in elements(start.figure(width=round(wide)).svg()) if e.tag == f"{SVG}text"]
        texts = [element.text for element in elements(svg) if element.tag == f"{SVG}text"]
        assert len(texts) > 20
        words, known = (set(" ".join(map(str, found)).split()) for found in (texts, python))
        assert words <= known  # lines may be broken elsewhere
        sizes = browser.run(
            "[...document.querySelectorAll('#decision-picture text')].map((text) => "
            "parseFloat(getComputedStyle(text).fontSize))"
        )
        assert min(sizes) >= 11
    assert browser.messages == []


def test_pages_of_rows_that_were_explained_beforehand(browser: Browser, tmp_path: Path) -> None:
    classifier = naive_bayes(6, CREDIT)
    rows = [random_instance(classifier, number) for number in range(2)]
    write_page(classifier, tmp_path / "rows.html", rows=rows)
    browser.open(tmp_path / "rows.html")
    for number, row in enumerate(rows):
        agree(browser.run(f"bnc2d.picture({number})"), classifier.explain(row))
    assert browser.messages == []


def test_hostile_names_are_text(browser: Browser, tmp_path: Path) -> None:
    from tests.report.models import hostile

    opened(browser, hostile(), tmp_path)
    assert browser.run(f"{PICTURE}.textContent").count("<script>") > 1
    assert browser.run("window.x") is None
    assert browser.messages == []
