"""Suites in both layouts, and what must be refused with one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bnc2d import Classifier, FormatError, NetworkError, example
from bnc2d.errors import NormalisationWarning
from bnc2d.experiments.problems import problem_names, read_problem
from bnc2d.experiments.running.jobs import Job
from bnc2d.experiments.running.worker import record_of
from tests.experiments.suites import ASIA, authors_suite, our_suite, write_problem

DAMAGED = """net { }
node A { states = ("no" "yes"); }
node B { states = ("no" "yes"); }
potential (A) { data = (0.5 0.4); }
potential (B | A) { data = ((0.1 0.9) (0.8 0.2)); }
"""


def test_our_layout(tmp_path: Path) -> None:
    suite = our_suite(tmp_path)
    assert problem_names(suite) == ["asia-bronc", "asia-lung", "running-A"]
    assert problem_names(suite, "asia-*") == ["asia-bronc", "asia-lung"]
    problem = read_problem(suite, "asia-lung")
    assert problem.network == suite / "networks" / "asia.bif"
    assert (problem.target, problem.features, problem.threshold) == ("lung", ("xray", "dysp"), 0.2)
    assert problem.classifier().features == ("xray", "dysp")


def test_the_authors_layout(tmp_path: Path) -> None:
    suite = authors_suite(tmp_path)
    assert problem_names(suite) == ["exp1/asia/lung", "exp1/running/A"]
    lung, running = (read_problem(suite, name) for name in problem_names(suite))
    assert (lung.network.name, lung.network_name, lung.target) == ("Asia.net", "Asia", "lung")
    assert (running.network.name, running.network_name) == ("running.bif.gz", "running")
    ours = Classifier(example("running"), "A", ["D", "E", "F"], 0.5)
    assert running.classifier().compile().count("1") == ours.compile().count("1")


def test_net_files_come_first_as_with_the_authors(tmp_path: Path) -> None:
    suite = authors_suite(tmp_path)
    (suite / "asia.uai").write_text("", encoding="utf-8")
    assert read_problem(suite, "exp1/asia/lung").network.name == "Asia.net"


def test_no_folder(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="no such folder"):
        problem_names(tmp_path / "nowhere")


def record(suite: Path, name: str, **options: Any) -> dict[str, Any]:
    source = {"suite": {"suite": str(suite), **options}}
    return record_of(Job(name, "file", "fast", source), time_limit=60)


@pytest.mark.parametrize(
    ("problem", "reason"),
    [
        ([1, 2], "a problem is a JSON object"),
        ({}, '"network" or "network_name" is missing'),
        (ASIA | {"network": 3}, '"network" or "network_name" is missing or no text'),
        (ASIA | {"target": None}, '"target" or "y" is missing or no text'),
        (ASIA | {"target": "nobody"}, "nobody"),
        (ASIA | {"features": None}, '"features" must be a list'),
        (ASIA | {"features": "xray"}, '"features" must be a list'),
        (ASIA | {"features": ["xray", 1]}, '"features" must be a list'),
        (ASIA | {"features": ["xray", "zray"]}, "did you mean 'xray'?"),
        (ASIA | {"features": ["\ud800"]}, "unknown variable"),
        (ASIA | {"features": []}, "empty"),
        (ASIA | {"threshold": True}, '"threshold" must be a number'),
        (ASIA | {"threshold": [0.5]}, '"threshold" must be a number'),
        (ASIA | {"threshold": "high"}, "high"),
        (ASIA | {"threshold": float("nan")}, "nan"),
        (ASIA | {"threshold": 7}, "7"),
        (ASIA | {"network": "missing.bif"}, "its network 'missing.bif' is not below"),
        (ASIA | {"network": "../outside.bif"}, "is not below"),
        (ASIA | {"network": "../../../../../../etc/passwd"}, "is not below"),
        (ASIA | {"network": "/etc/passwd"}, "is not below"),
        (ASIA | {"network": "a\0b"}, "is not below"),
        (ASIA | {"network": "x" * 5000}, "is not below"),
        (ASIA | {"network": "\ud800"}, "is not below"),
        (ASIA | {"network": ""}, "is not below"),
        (ASIA | {"network": ".."}, "is not below"),
    ],
)
def test_bad_problems_are_records_with_one_line(tmp_path: Path, problem: Any, reason: str) -> None:
    suite = our_suite(tmp_path / "suite")
    (tmp_path / "outside.bif").write_bytes((suite / "networks" / "asia.bif").read_bytes())
    write_problem(suite, "bad", problem)
    assert "bad" in problem_names(suite)
    found = record(suite, "bad")
    assert found["status"] == "error"
    assert reason in found["message"]
    assert "\n" not in found["message"]


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b" " * (2**20 + 1)])
def test_files_that_are_no_json(tmp_path: Path, content: bytes) -> None:
    suite = our_suite(tmp_path)
    (suite / "problems" / "bad.json").write_bytes(content)
    found = record(suite, "bad")
    assert found["status"] == "error"
    assert "bad.json" in found["message"]
    assert "\n" not in found["message"]


def test_links_out_of_the_suite_are_not_followed(tmp_path: Path) -> None:
    suite = our_suite(tmp_path / "suite")
    outside = tmp_path / "outside.bif"
    outside.write_bytes((suite / "networks" / "asia.bif").read_bytes())
    (suite / "networks" / "link.bif").symlink_to(outside)
    write_problem(suite, "bad", ASIA | {"network": "link.bif"})
    assert "is not below" in record(suite, "bad")["message"]


def test_damaged_networks_are_refused_unless_normalised(tmp_path: Path) -> None:
    suite = our_suite(tmp_path)
    (suite / "networks" / "damaged.net").write_text(DAMAGED, encoding="utf-8")
    problem = {"network": "damaged.net", "target": "A", "threshold": 0.5, "features": ["B"]}
    write_problem(suite, "damaged", problem)
    found = record(suite, "damaged")
    assert found["status"] == "error"
    assert "damaged.net" in found["message"]
    assert "sum" in found["message"]
    with pytest.raises((FormatError, NetworkError)):
        read_problem(suite, "damaged").classifier()
    with pytest.warns(NormalisationWarning):
        repaired = record(suite, "damaged", normalise=True)
    assert (repaired["status"], repaired["network"], repaired["class_models"]) == ("ok", "damaged", [1, 1])


def test_a_method_that_is_not_made_for_it(tmp_path: Path) -> None:
    suite = our_suite(tmp_path)
    source = {"suite": {"suite": str(suite)}}
    found = record_of(Job("asia-lung", "file", "no such method", source), time_limit=60)
    assert found["status"] == "error"
    assert found["message"].startswith("not applicable: ")
