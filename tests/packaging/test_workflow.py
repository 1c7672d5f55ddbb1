"""The workflow runs what ``make test`` runs, on every Python that the package claims."""

from __future__ import annotations

import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def workflow() -> Any:
    text = (ROOT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    return import_module("yaml").safe_load(text)


def test_every_claimed_python_is_tested() -> None:
    job = workflow()["jobs"]["test"]
    claimed = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if " :: Python :: 3." in name]
    assert job["strategy"]["matrix"]["python"] == claimed
    assert PROJECT["requires-python"] == f">={claimed[0]}"
    assert job["strategy"]["fail-fast"] is False


def test_one_way_and_no_more_rights_than_needed() -> None:
    found = workflow()
    assert set(found[True]) == {"push", "pull_request"}  # YAML reads a bare `on` as true
    assert found["permissions"] == {"contents": "read"}
    for job in found["jobs"].values():
        assert job["timeout-minutes"] == 20
        for step in job["steps"]:
            assert "run" in step or step["uses"].rpartition("@")[2].removeprefix("v").isdecimal()


def test_make_test_does_all_of_the_set_up() -> None:
    """Whoever runs it, wherever: nothing is installed or prepared around it."""
    jobs = workflow()["jobs"]
    commands = {name: [step["run"] for step in job["steps"] if "run" in step] for name, job in jobs.items()}
    assert commands == {"test": ["make test PYTHON=python"], "lowest": ["make lowest PYTHON=python"]}
    lines = (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    in_ci = [line for line in lines if line and not line.startswith("#")]
    assert in_ci == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "make test"]
