"""The public networks as an experiment: which targets there are, and what is said of the runs."""

from fractions import Fraction
from pathlib import Path

import pytest

from bnc2d import CPT, BayesianNetwork, Classifier, Variable, example, write_network
from bnc2d.experiments import collection
from bnc2d.experiments.networks import PUBLIC
from bnc2d.experiments.report.sections import to_html, to_markdown
from bnc2d.experiments.running.jobs import Job, Record, run_job
from tests.brute_force.decisions import decisions
from tests.experiments.test_networks import cache

__all__ = ["cache"]  # a fixture

Records = dict[tuple[str, str, str], Record]


@pytest.fixture
def filled(cache: Path) -> Path:
    cache.mkdir(parents=True)
    for name in ("asia", "survey"):
        write_network(example(name), cache / f"{name}.bif.gz")
    return cache


def test_the_small_networks_are_chosen() -> None:
    names = collection.chosen()
    assert names[0] == "survey"
    assert set(PUBLIC) - set(names) == {
        *("hepar2", "link", "munin", "munin1", "munin2", "munin3", "munin4", "pathfinder", "pigs")
    }


def test_every_root_is_a_target_and_compiles(filled: Path) -> None:
    found = collection.jobs(["fast"], {}, networks=["asia", "survey"])
    assert [job.problem for job in found] == [
        "collection/asia/asia",
        "collection/asia/smoke",
        "collection/survey/A",
        "collection/survey/S",
    ]
    job = found[2]
    record = run_job(job, 30)
    assert (record["status"], record["network"], record["target"]) == ("ok", "survey", "A")
    classifier = Classifier(example("survey"), "A")
    expected = list(decisions(classifier).values())
    assert record["class_models"] == [expected.count(name) for name in classifier.classes]


def test_a_root_that_is_a_leaf_is_no_target(cache: Path) -> None:
    network = example("asia")
    alone = CPT(Variable("alone", ("no", "yes")), (), [Fraction(1, 2)] * 2)
    wider = BayesianNetwork([*network.variables, alone.child], [*network.cpts, alone])
    cache.mkdir(parents=True)
    write_network(wider, cache / "asia.bif.gz")
    targets = [job.problem.rpartition("/")[2] for job in collection.jobs(["fast"], {}, networks=["asia"])]
    assert targets == ["asia", "smoke"]


def records() -> Records:
    """Runs of three networks: solved, half solved, and stopped; and one of another experiment."""
    solved = {"seconds": 0.5, "class_nodes": [3, 4], "class_models": [6, 0], "instances": 6, "peak_mib": 50.0}
    told: dict[str, tuple[str, Record]] = {
        "collection/survey/A": ("ok", solved),
        "collection/survey/S": ("ok", solved | {"seconds": 1.5, "peak_mib": 70.0}),
        "collection/alarm/HISTORY": ("ok", solved),
        "collection/alarm/LVFAILURE": ("timeout", {}),
        "collection/child/BirthAsphyxia": ("memory", {}),
        "collection/child/Disease": ("error", {"message": "not applicable: six classes"}),
        "another/child/BirthAsphyxia": ("ok", solved),
    }
    jobs = {problem: Job(problem, "argmax", "fast", {}) for problem in told}
    return {
        jobs[problem].key: jobs[problem].record(status, **facts) for problem, (status, facts) in told.items()
    }


def test_sections() -> None:
    by_network, by_target = collection.sections(records())
    rows = {row[0]: row[3:] for row in by_network.tables[0].rows}
    assert rows["survey"] == ("fast", 2, 2, 0, 0, 1.0, 1.5, 14, 70.0)
    assert rows["alarm"] == ("fast", 2, 1, 1, 0, 0.5, 0.5, 7, 50.0)
    assert rows["child"] == ("fast", 2, 0, 0, 2, None, None, None, None)
    assert rows["link"][0] == "not tried: too many instances"
    assert list(rows)[:4] == ["survey", "child", "alarm", "hepar2"]
    assert "3 of 6 runs are solved" in by_network.text
    assert "pathfinder" in by_network.text
    assert [row[:6] for row in by_target.tables[0].rows] == [
        ("survey", "A", "fast", 2, 1, "ok"),
        ("survey", "S", "fast", 2, 1, "ok"),
        ("child", "BirthAsphyxia", "fast", None, None, "memory"),
        ("child", "Disease", "fast", None, None, "not applicable: six classes"),
        ("alarm", "HISTORY", "fast", 2, 1, "ok"),
        ("alarm", "LVFAILURE", "fast", None, None, "timeout"),
    ]
    assert "2^153.0" in to_markdown([by_network, by_target]).replace("\\", "")
    assert "2^153.0" in to_html([by_network])


def test_nothing_to_say() -> None:
    assert collection.sections({}) == []
    assert collection.sections({key: record for key, record in records().items() if key[0][0] == "a"}) == []
