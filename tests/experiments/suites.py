"""Small suites in both layouts, made from built-in networks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bnc2d import example, write_network

ASIA = {"network": "asia.bif", "target": "lung", "threshold": 0.2, "features": ["xray", "dysp"]}


def write_problem(folder: Path, name: str, problem: Any) -> Path:
    path = folder / "problems" / f"{name}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(problem), encoding="utf-8")
    return path


def our_suite(folder: Path) -> Path:
    """Write two networks and three problems."""
    (folder / "networks").mkdir(parents=True)
    write_network(example("asia"), folder / "networks" / "asia.bif")
    write_network(example("running"), folder / "networks" / "Andes.net")  # the name that the table looks for
    write_problem(folder, "asia-lung", ASIA)
    write_problem(folder, "asia-bronc", ASIA | {"target": "bronc", "threshold": 0.4})
    running = {"network": "Andes.net", "target": "A", "threshold": 0.5, "features": ["D", "E"]}
    write_problem(folder, "running-A", running)
    return folder


def authors_suite(folder: Path) -> Path:
    """Write nested problem files that name networks without ending, whatever their case."""
    (folder / "data" / "bn").mkdir(parents=True)
    write_network(example("asia"), folder / "data" / "bn" / "Asia.net")
    write_network(example("running"), folder / "data" / "bn" / "running.bif.gz")
    problems = {
        "exp1/asia/lung": {
            "network_name": "asia",
            "y": "lung",
            "threshold": 0.2,
            "features": ["xray", "dysp"],
        },
        "exp1/running/A": {
            "network_name": "Running",
            "y": "A",
            "threshold": 0.5,
            "features": ["D", "E", "F"],
        },
    }
    for name, problem in problems.items():
        path = folder / f"{name}.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(problem), encoding="utf-8")
    (folder / "settings.json").write_text('{"seed": 1}', encoding="utf-8")  # no problem, and not JSON at all:
    (folder / "broken.json").write_text("{", encoding="utf-8")
    return folder
