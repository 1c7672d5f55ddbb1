"""Pages with rows: to choose from beside a model, or answered beforehand where it is too large."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import bnc2d
from bnc2d.base.scales import Intervals, States
from bnc2d.errors import ArgumentError, Bnc2dError, InstanceError, LimitExceeded, UnknownNameError
from bnc2d.explain.missing.words import could_do
from bnc2d.report import data, rows
from bnc2d.report.explore import write_page
from bnc2d.testing import random_instance, random_naive_bayes
from tests.cli.running import run
from tests.hard_classifiers import mixed_classifier
from tests.report.answers import LISTS, plain
from tests.report.browser import Browser, needs_chromium
from tests.report.models import diagnosis, hostile
from tests.report.telling import compare_texts, random_scaled

TEXT = "(id => { const e = document.getElementById(id); return e.offsetParent !== null && e.innerText; })"
FIND = """(e => {{ e.value = '{}'; e.dispatchEvent(new Event('input')); }})
(document.getElementById('rows-filter'))"""
PATIENTS: list[dict[str, Any]] = [
    {"BP": "High", "CT": 1, "HR": "Normal"},
    {"BP": "Low", "CT": 0, "HR": "High"},
    {"BP": "Normal", "CT": 0, "HR": "Low"},
    {"BP": "High", "CT": 1, "HR": "Normal"},
    {"BP": "Low"},
]


def contents(path: Path) -> dict[str, Any]:
    """Return the data in a page."""
    page = path.read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(re.findall(r'id="model">(.*?)</script>', page, re.S)[0])
    return found


def test_a_model_with_rows(tmp_path: Path) -> None:
    write_page(diagnosis(), tmp_path / "page.html", rows=PATIENTS)
    found = contents(tmp_path / "page.html")
    assert "answers" not in found
    assert found["rows"]["names"] == ["0", "1", "2", "3", "4"]
    assert found["rows"]["at"] == [0, 1, 2, 0, 3]  # equal rows are there once
    assert found["rows"]["states"][3] == [0, -1, -1]
    assert found["start"] == [2, 1, 1]
    decided = diagnosis().predict(PATIENTS)
    assert [found["classes"][label] for label in found["rows"]["labels"]] == decided


def test_a_frame_names_its_rows(tmp_path: Path) -> None:
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(PATIENTS[:3], index=["ann", "bob", 7]).assign(other=1)
    write_page(diagnosis(), tmp_path / "page.html", rows=frame)
    assert contents(tmp_path / "page.html")["rows"]["names"] == ["ann", "bob", "7"]
    write_page(diagnosis(), tmp_path / "one.html", rows=PATIENTS[0])  # as `predict` takes one
    assert contents(tmp_path / "one.html")["rows"]["names"] == ["0"]
    write_page(diagnosis(), tmp_path / "some.html", rows=(row for row in PATIENTS))
    assert len(contents(tmp_path / "some.html")["rows"]["names"]) == 5


def test_numbers_are_shown_as_they_were_given(tmp_path: Path) -> None:
    age = bnc2d.Variable("age", States(Intervals([37.5, 50], unit="years")))
    target = bnc2d.Variable("risk", ("low", "high"))
    cpts = [bnc2d.CPT(target, (), [0.5, 0.5]), bnc2d.CPT(age, (target,), [0.6, 0.3, 0.1, 0.1, 0.3, 0.6])]
    clf = bnc2d.Classifier(bnc2d.BayesianNetwork([target, age], cpts), "risk")
    for made in (clf, clf.compile()):
        write_page(made, tmp_path / "page.html", rows=[{"age": 41}, {"age": "≥50"}, {}])
        found = contents(tmp_path / "page.html")
        assert found["rows"]["values"] == {"0": ["41 years"]}
        assert found["features"][0][3] == {"cuts": [["37.5", 0, 37.5], ["50", 0, 50.0]], "unit": "years"}


def test_what_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model, path = diagnosis(), tmp_path / "page.html"
    with pytest.raises(InstanceError, match="no row"):
        write_page(model, path, rows=[])
    with pytest.raises(UnknownNameError, match=r"instance 1: .*'BP'.*did you mean 'Low'"):
        write_page(model, path, rows=[PATIENTS[0], {"BP": "low", "CT": 1, "HR": "Low"}])
    with pytest.raises(ArgumentError, match=r"not compiled needs rows.*rows= .--csv FILE"):
        write_page(model.classifier, path)
    with pytest.raises(ArgumentError, match=r"given= is for a classifier"):
        write_page(model, path, given="CT")
    with pytest.raises(Bnc2dError, match="limit"):
        write_page(model, path, rows=PATIENTS, limit=-1)
    with pytest.raises(Bnc2dError, match="violates"):
        write_page(model.given("CT -> BP=High"), path, rows=[{"BP": "Low", "CT": 1, "HR": "Low"}])
    with pytest.raises(Bnc2dError, match="violates"):
        write_page(model.classifier, path, rows=[{"BP": "Low", "CT": 1, "HR": "Low"}], given="CT -> BP=High")
    monkeypatch.setattr(rows, "MAX_ROWS", 4)
    with pytest.raises(LimitExceeded, match="5 rows, a page can hold 4"):
        write_page(model, path, rows=PATIENTS)
    monkeypatch.setattr(data, "MAX_NODES", 3)
    with pytest.raises(LimitExceeded, match=r"a page can hold 3; rows= \(--csv FILE\) makes a page"):
        write_page(model, path)
    assert not path.exists()


def test_the_time_limit_is_for_each_row(tmp_path: Path) -> None:
    clf = bnc2d.Classifier(random_naive_bayes(2, 30, states=3), "Y")
    some = [random_instance(clf, seed) for seed in range(2)]
    write_page(clf, tmp_path / "page.html", rows=some, limit=3, time_limit=2.0)
    found = contents(tmp_path / "page.html")
    assert found["rows"]["errors"] == {}
    for instance, answer in zip(some, found["answers"], strict=True):
        assert len(answer["lists"]["sufficient"]["items"]) <= 3
        assert found["classes"][answer["label"]] == clf.predict(instance)
        reason = {clf.features[at]: instance[clf.features[at]] for at, _ in answer["reason"]}
        assert clf.decides(reason).holds
        assert clf.decides(reason).decision == clf.predict(instance)


@needs_chromium
def test_rows_are_chosen_and_found(browser: Browser, tmp_path: Path) -> None:
    write_page(diagnosis(), tmp_path / "page.html", rows=PATIENTS)
    browser.look(1200, 900)
    browser.open(tmp_path / "page.html")
    assert browser.run(f"{TEXT}('verdict')") == "D = 2"
    browser.run("document.querySelectorAll('button.row')[2].click()")
    browser.settle()
    assert browser.run("location.hash") == "#1.0.0"
    assert browser.run(f"{TEXT}('verdict')") == "D = 0"
    current = "[...document.querySelectorAll('#rows [aria-current]')].map(e => e.dataset.row)"
    assert browser.run(current) == ["2"]
    browser.run("document.querySelector('[name=feature0][value=\"2\"]').click()")  # no row any more
    browser.settle()
    assert browser.run(current) == []
    browser.run("[...document.querySelectorAll('.steps button')][1].click()")  # on from the first
    browser.settle()
    assert browser.run(current) == ["0"]
    for text, count in (("bp=low", 2), ("nothing", 0), ("", 5)):
        browser.run(FIND.format(text))
        assert browser.run("document.querySelectorAll('button.row').length") == count
    browser.run("document.querySelectorAll('button.row')[4].click()")
    browser.settle()
    assert browser.run("location.hash") == "#0.?.?"
    assert browser.messages == []


def recorded(browser: Browser, path: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return the answers and the texts of each row of a page."""
    browser.open(path)
    count = browser.run("bnc2d.rows")
    answers = browser.run(f"[...Array({count}).keys()].map(bnc2d.answers)")
    texts = browser.run(f"[...Array({count}).keys()].map(bnc2d.texts)")
    assert browser.messages == []
    return list(zip(answers, texts, strict=True))


@needs_chromium
@pytest.mark.parametrize("seed", range(4))
def test_answers_beforehand_are_those_of_python(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    clf = random_scaled(seed) if seed % 2 else mixed_classifier(seed)
    made: Any = clf.compile() if seed % 3 == 0 else clf
    monkeypatch.setattr(data, "MAX_NODES", 0)
    some = [random_instance(clf, number) for number in range(3)]
    some.append({name: state for name, state in some[0].items() if name != clf.features[0]})
    write_page(made, tmp_path / "page.html", rows=some, limit=None, time_limit=None)
    for instance, (answer, texts) in zip(some, recorded(browser, tmp_path / "page.html"), strict=True):
        why = made.explain(instance)
        assert (answer["label"] < len(clf.classes)) == (why.decision is not None)
        compare_texts(why, texts)
        assert answer["possible"] == why.possible
        assert answer["caveat"] == why.caveat
        for key, method in LISTS.items():
            if why.missing or key not in answer["lists"]:
                continue
            entry = answer["lists"][key]
            shown = [
                [[f, [s for s in range(64) if int(m) >> s & 1]] for f, m in item] for item in entry["items"]
            ]
            assert shown == plain(getattr(why, method)())
            assert entry["cut"] is None
        if why.missing:
            assert answer["missing"] == could_do(why, None)


@needs_chromium
def test_a_page_of_answers_is_read(browser: Browser, tmp_path: Path) -> None:
    clf = diagnosis().classifier
    write_page(clf, tmp_path / "page.html", rows=PATIENTS)
    browser.look(1200, 900)
    browser.open(tmp_path / "page.html", "#row2")
    assert browser.run(f"{TEXT}('verdict')") == "D = 2"
    assert browser.run(f"{TEXT}('values-heading')") == "Row 1"
    assert browser.run(f"{TEXT}('values-table')") == "BP\tLow\nCT\t0\nHR\tHigh"
    for gone in ("instance", "circuit", "counts", "formulas"):
        assert browser.run(f"{TEXT}('{gone}')") is False
    assert "D is 2 because BP is Low and HR is High: that is enough" in browser.run(f"{TEXT}('because')")
    assert browser.run("document.querySelectorAll('#answers .try').length") == 0
    browser.run("[...document.querySelectorAll('.steps button')][1].click()")
    browser.settle()
    assert browser.run("location.hash") == "#row3"
    assert browser.run(f"{TEXT}('verdict')") == "D = 0"
    browser.run("document.querySelectorAll('button.row')[4].click()")
    browser.settle()
    assert "What could CT and HR do?" in browser.run(f"{TEXT}('completions-text')")
    for width in (320, 390, 800):
        browser.look(width, 844, phone=width < 500)
        assert browser.run("document.documentElement.scrollWidth <= innerWidth")
    assert browser.messages == []


@needs_chromium
def test_ten_thousand_reasons_and_rows_do_not_freeze_a_page(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_page(diagnosis().classifier, path, rows=PATIENTS[:1])
    found = contents(path)
    many = found["answers"][0]["lists"]["sufficient"]
    many["items"] = many["items"] * 5_000
    rows = found["rows"]
    rows["names"], rows["labels"], rows["at"] = [f"r{n}" for n in range(10_000)], [2] * 10_000, [0] * 10_000
    page = path.read_text(encoding="utf-8")
    old = re.findall(r'id="model">(.*?)</script>', page, re.S)[0]
    path.write_text(page.replace(old, json.dumps(found)), encoding="utf-8")
    browser.open(path)
    more = "[...document.querySelectorAll('#list0 button')].find(e => / more/.test(e.textContent))"
    assert browser.run(f"{more}.textContent") == "50 more (of 9994)"
    timed = "(() => {{ const at = performance.now(); {}; return performance.now() - at; }})()"
    for shown in (56, 106):
        assert browser.run(timed.format(f"{more}.click()")) < 1_000
        assert browser.run("document.querySelectorAll('#list0 li').length") == shown
    assert browser.run(timed.format(FIND.format("r99"))) < 1_000
    assert "111 rows of 10000" in browser.run(f"{TEXT}('rows-table')")
    assert browser.messages == []


@needs_chromium
def test_hostile_names_in_rows(browser: Browser, tmp_path: Path) -> None:
    model = hostile()
    some: list[Any] = [model.domain.decode((a, b)) for a in range(2) for b in range(3)]
    for made in (model, model.classifier):
        write_page(made, tmp_path / "page.html", rows=some)
        browser.open(tmp_path / "page.html")
        assert browser.run("typeof window.x") == "undefined"
        assert browser.run("document.querySelectorAll('script').length") == 2
        assert browser.run("document.querySelectorAll('img, main b, form svg').length") == 0
        assert browser.messages == []


def test_the_command_takes_rows(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    table, page, model = tmp_path / "rows.csv", tmp_path / "page.html", tmp_path / "d.bnc2d"
    table.write_text("who,BP,CT,HR\nann,High,1,Normal\n,Low,,\n", encoding="utf-8")
    diagnosis().save(model)
    code, out, err = run(capsys, "explore", str(model), "--csv", str(table), "--id", "who", "-o", str(page))
    assert (code, err) == (0, "")
    assert "with 2 rows" in out
    assert contents(page)["rows"]["names"] == ["ann", "2"]
    network = ("explore", "diagnosis", "--target", "D", "--features", "BP,CT,HR", "-o", str(page))
    table.write_text("who,BP,CT,HR\nann,High,1,Normal\nbob,Lo,1,Low\neve,Low,1,Low\n", encoding="utf-8")
    given = ("--route", "network", "--given", "CT -> BP=High", "--time-limit", "2", "--limit", "2")
    code, out, err = run(capsys, *network, "--csv", str(table), *given, "--json")
    assert code == 3
    assert json.loads(out) == {"file": str(page), "rows": 3, "errors": 2}
    assert err.count("rows.csv:") == 2
    found = contents(page)
    assert [found["rows"]["errors"].get(str(number), "")[:12] for number in range(3)] == [
        "",
        "variable 'BP",
        "the instance",
    ]
    assert found["constraint"] == "CT -> BP=High"
    assert "within 2 s each" in found["source"]
    code, _, err = run(capsys, *network, "--id", "who")
    assert code == 2
    assert "--id names a column of --csv" in err
