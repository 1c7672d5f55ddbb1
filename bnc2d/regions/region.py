"""Regions: the states that each feature may have."""

from __future__ import annotations

from math import prod
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.arrays import Rows

States: TypeAlias = NDArray[np.intp]  # positions of states, ascending
Region: TypeAlias = list[States]  # by feature
Label: TypeAlias = int  # position of a class, or NO_CLASS


def size(region: Region) -> int:
    """Return how many instances a region has."""
    return prod(len(allowed) for allowed in region)


def first_instance(region: Region) -> list[int]:
    """Return the instance with the first state that each feature may have."""
    return [int(allowed[0]) for allowed in region]


def instances(region: Region) -> Rows:
    """Return all instances of a region as rows, the last feature varying slowest."""
    rows = np.array([first_instance(region)], dtype=np.intp)
    for feature, allowed in enumerate(region):
        if len(allowed) > 1:
            column = np.repeat(allowed, len(rows))
            rows = np.tile(rows, (len(allowed), 1))
            rows[:, feature] = column
    return rows


def parts(region: Region, feature: int) -> list[Region]:
    """Return the region in parts, one for each state of a feature."""
    return [
        [*region[:feature], np.array([state], dtype=np.intp), *region[feature + 1 :]]
        for state in region[feature].tolist()
    ]
