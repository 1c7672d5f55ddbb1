"""The text of the page to explore a model, and the command that writes it."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import bnc2d
from bnc2d.compile.store import model_from_bytes, model_to_bytes
from bnc2d.errors import LimitExceeded
from bnc2d.report import data, tables
from bnc2d.report.explore import page_html
from bnc2d.testing import random_classifier
from tests.cli.running import run
from tests.report.models import diagnosis, hostile, learnt, many_states


def test_the_page_is_one_file_without_outside_resources() -> None:
    model = diagnosis()
    page = page_html(model)
    assert page == page_html(model)
    assert "{{" not in re.sub(r"<script.*?</script>|<style.*?</style>", "", page, flags=re.DOTALL)
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none';")
    assert "unsafe" not in policy[1]
    assert not re.search(r"""(src|href)=(?!"#)""", page.partition("<script")[0])


def test_embedded_names_cannot_end_the_data() -> None:
    page = page_html(hostile())
    inside = page.partition('<script type="application/json" id="model">')[2].partition("</script>")[0]
    assert not re.search("[<>&\u2028]", inside)
    assert json.loads(inside)["features"][0][0] == "<script>window.x=1</script>"
    assert page.count("<script") == page.count("</script>") == 2


def test_a_model_too_large_for_a_page_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "MAX_NODES", 10)
    with pytest.raises(LimitExceeded, match="a page can hold 10"):
        page_html(diagnosis())


def test_the_page_never_opens_on_an_impossible_instance() -> None:
    model = learnt()
    assert not model.classifier.is_possible(np.zeros((1, 8), dtype=int))[0]
    found = data.page_data(model)
    assert model.classifier.is_possible(np.array([found["start"]]))[0]
    assert found["impossible"] == str(model.classifier.count_impossible())
    assert found["possible"]["terminals"] == 2
    assert data.page_data(diagnosis())["start"] == [0, 0, 0]


@pytest.mark.parametrize("seed", range(40))
def test_where_pages_start_is_possible(seed: int) -> None:
    classifier = random_classifier(seed, variables=8, features=4, zero_share=0.6, inner_features=True)
    assert classifier.is_possible(np.array([data._likely(classifier)]))[0]


def test_a_page_that_cannot_know_what_is_possible(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "_POSSIBLE_SECONDS", 0.0)
    found = data.page_data(learnt())
    assert (found["possible"], found["impossible"]) == (None, None)
    assert learnt().classifier.is_possible(np.array([found["start"]]))[0]


def test_the_tables_are_those_of_the_network() -> None:
    classifier = bnc2d.Classifier(bnc2d.example("asia"), "tub", ["dysp", "smoke"])
    found = tables.page_tables(classifier)
    assert isinstance(found, dict)
    network = classifier.network
    names = [name for name in network.names if name != "xray"]  # which is a leaf that nobody asks about
    assert (names[found["target"]], [names[f] for f in found["features"]]) == ("tub", ["dysp", "smoke"])
    for name, size, (scope, entries, exact) in zip(names, found["sizes"], found["tables"], strict=True):
        assert [names[variable] for variable in scope] == [*network.parents(name), name]
        assert entries == network.cpt(name).values.reshape(-1).tolist()
        assert (size, exact) == (2, 1)


def test_tables_that_are_not_decimals() -> None:
    network = learnt().classifier.network
    found = tables.page_tables(learnt().classifier)
    assert isinstance(found, dict)
    listed = 0
    for name, (_, entries, exact) in zip(network.names, found["tables"], strict=True):
        cpt = network.cpt(name)
        assert entries == cpt.values.reshape(-1).tolist()
        if exact != 1:
            assert exact == cpt.integers.reshape(-1).tolist()
            listed += 1
    assert listed


def test_tables_too_large_or_too_small_for_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_ENTRIES", 10)
    found = data.page_data(diagnosis())
    assert found["network"] is None
    assert "too many for a page" in found["without"]
    monkeypatch.undo()
    network = bnc2d.example("diagnosis")
    small = bnc2d.Classifier(bnc2d.example("running"), "A", ["D"], threshold="1e-300")
    assert tables.page_tables(small) == "Some probabilities of the network are too small for a page."
    assert isinstance(tables.page_tables(bnc2d.Classifier(network, "D", ["BP"])), dict)


def test_rules() -> None:
    network = bnc2d.example("running")
    assert tables.page_rule(bnc2d.Classifier(network, "A", ["D"], ties="none")) == {
        "ties": "none",
        "threshold": None,
    }
    found = tables.page_rule(bnc2d.Classifier(network, "A", ["D"], threshold=Fraction(1, 3), positive="0"))
    assert found["threshold"] == {"positive": 0, "at": 1 / 3, "below": 2 / 3, "exact": ["1", "3"]}


def test_masks_beyond_javascript_numbers_are_text() -> None:
    literals = [node for node in data.page_data(many_states())["nodes"] if node[0] == 1]
    assert {type(node[2]) for node in literals} == {str}
    assert {int(node[2]) for node in literals} == {sum(1 << s for s in range(a, 60, 2)) for a in (0, 1)}


def test_the_command_writes_the_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model, page = str(tmp_path / "d.bnc2d"), tmp_path / "d.html"
    diagnosis().save(model)
    code, out, _ = run(capsys, "explore", model, "-o", str(page))
    assert code == 0
    assert "wrote" in out
    assert page.read_text(encoding="utf-8") == page_html(bnc2d.load(model))
    code, out, _ = run(capsys, "explore", model, "-o", str(page), "--json")
    assert json.loads(out) == {"file": str(page)}
    code, _, _ = run(capsys, "explore", "diagnosis", "--target", "D", "-o", str(page))
    assert code == 0
    assert '"target":"D"' in page.read_text(encoding="utf-8")
    code, _, err = run(capsys, "explore", model, "-o", str(tmp_path / "none" / "d.html"))
    assert code == 2
    assert err.startswith("bnc2d: error: ")


def test_what_was_asked_of_a_model_does_not_change_its_page() -> None:
    fresh, other = diagnosis(), model_from_bytes(model_to_bytes(diagnosis()))
    for name in reversed(other.classes):
        other.formula(name, negated=True)
    assert data.page_data(other) == data.page_data(fresh)
