"""Random data frames with columns of every type, and what a library and bnc2d decide on their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import bnc2d

# What a library's rounding of float64 can amount to.
ROUNDING = 1e-12


def random_frame(rng: np.random.Generator, size: int, columns: int, *, numbers: bool = True) -> pd.DataFrame:
    """Return columns of floats, counts, integers with and without holes, few floats, bools and texts."""
    kinds = ["floats", "counts", "range", "holes", "steps", "bools", "texts", "digits"]
    found: dict[str, Any] = {}
    for number in range(columns):
        kind = rng.choice(kinds if numbers else kinds[2:])
        if kind == "floats":
            column: Any = (
                np.round(rng.normal(0, 10.0 ** rng.integers(-3, 5), size), rng.integers(0, 12)) + 0.0
            )
        elif kind == "counts":
            column = rng.integers(-50, 200, size)
        elif kind == "range":
            column = rng.integers(-1, 3, size)
        elif kind == "holes":
            column = rng.choice([-4, 1, 7, 20], size)
        elif kind == "steps":
            column = rng.choice([-0.5, 1 / 3, 2.0, 1e6 + 0.125], size)
        elif kind == "bools":
            column = rng.random(size) < 0.5
        elif kind == "texts":
            column = rng.choice(["red", "dark blue", "Ä", "x=1"], size)
        else:
            column = rng.choice(["1", "2", "10"], size)
        found[f"{kind} {number}"] = column
    return pd.DataFrame(found)


def random_classes(rng: np.random.Generator, frame: pd.DataFrame, labels: list[Any]) -> pd.Series[Any]:
    """Return a class for each row that depends on some of the columns, with noise."""
    score = rng.normal(0, 1, len(frame))
    for name in frame.columns:
        codes = pd.factorize(frame[name], sort=True)[0]
        score += rng.normal() * codes / max(1, int(codes.max()))
    cuts = np.quantile(score, np.sort(rng.random(len(labels) - 1)) * 0.8 + 0.1)
    places = np.searchsorted(cuts, score)
    places[: len(labels)] = range(len(labels))  # so that every class is there
    return pd.Series(np.array(labels)[places], name="class of it", index=frame.index)


def random_rows(rng: np.random.Generator, frame: pd.DataFrame, size: int) -> pd.DataFrame:
    """Return new rows with known labels, and with numbers between, beyond and equal to those seen."""
    found = {}
    for name in frame.columns:
        seen = frame[name].to_numpy()
        column = seen[rng.integers(0, len(seen), size)]
        if len(set(seen)) < len(seen) / 2:
            found[name] = column  # it may count as labels
            continue
        if name.startswith("floats"):
            other = rng.normal(seen.mean(), 2 * seen.std() + 1, size)
            column = np.where(rng.random(size) < 0.5, column, other)
        elif name.startswith("counts"):
            column = np.where(rng.random(size) < 0.5, column, rng.integers(-500, 500, size))
        found[name] = column
    return pd.DataFrame(found)


def explained(classifier: bnc2d.Classifier, row: dict[Any, Any]) -> str:
    """Return why a library may decide a row otherwise: ``impossible``, ``tie``, or ``wrong``."""
    posterior = sorted(classifier.posterior(row).values())
    if not any(posterior):
        return "impossible"
    if classifier.threshold is None:
        gap = posterior[-1] - posterior[-2]
    else:
        gap = abs(classifier.posterior(row)[str(classifier.positive)] - classifier.threshold)
    return "tie" if gap < ROUNDING else "wrong"
