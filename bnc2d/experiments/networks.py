"""The public networks of the bnlearn repository, in a cache on this machine.

They come out of the wheel of pgmpy 0.1.26, which holds them as files, and which pip fetches by its own
settings. Nothing of the wheel is installed, imported or run: a network is read from it, checked and kept. The
wheel is kept too, so that the other networks need nothing from outside either.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from bnc2d.base.atomic import atomic_write
from bnc2d.errors import UnknownNameError, did_you_mean
from bnc2d.experiments.problems import read_quietly
from bnc2d.experiments.wheels import Wheel, cache_root
from bnc2d.formats.files import make_folder
from bnc2d.model.network import BayesianNetwork

WHEEL = "pgmpy==0.1.26"
WHEEL_SHA256 = "23ff46f9ce8bc52c4e8795c0d5e70cdf3ec8ec8bbd351a151a07abd1b986d160"
_MEMBERS = "pgmpy/utils/example_models"  # a folder in the wheel
_MAX_WHEEL_BYTES = 16 * 2**20
_MAX_MEMBER_BYTES = 4 * 2**20
_COMMAND = "bnc2d networks --all --wheel FILE"


class Facts(NamedTuple):
    """The size of a network; ``log2_instances`` says how many instances its leaves have, rounded."""

    variables: int
    edges: int
    states: int  # of the variable that has most
    roots: int
    leaves: int
    log2_instances: float


PUBLIC = {
    "alarm": Facts(37, 46, 4, 12, 11, 18.1),
    "andes": Facts(223, 338, 2, 89, 25, 25.0),
    "asia": Facts(8, 8, 2, 2, 2, 2.0),
    "barley": Facts(48, 84, 67, 10, 8, 22.1),
    "cancer": Facts(5, 4, 2, 2, 2, 2.0),
    "child": Facts(20, 25, 6, 1, 7, 10.1),
    "diabetes": Facts(413, 602, 21, 76, 2, 7.9),
    "earthquake": Facts(5, 4, 2, 2, 2, 2.0),
    "hailfinder": Facts(56, 66, 11, 17, 13, 25.9),
    "hepar2": Facts(70, 123, 4, 9, 41, 48.1),
    "insurance": Facts(27, 52, 5, 2, 6, 9.6),
    "link": Facts(724, 1125, 4, 184, 133, 153.0),
    "mildew": Facts(35, 46, 100, 16, 1, 6.4),
    "munin": Facts(1041, 1397, 21, 259, 183, 472.4),
    "munin1": Facts(186, 273, 21, 34, 31, 80.7),
    "munin2": Facts(1003, 1244, 21, 249, 182, 459.8),
    "munin3": Facts(1041, 1306, 21, 262, 186, 475.4),
    "munin4": Facts(1038, 1388, 21, 259, 180, 469.4),
    "pathfinder": Facts(109, 195, 63, 1, 77, 131.7),
    "pigs": Facts(441, 592, 3, 145, 141, 223.5),
    "sachs": Facts(11, 17, 3, 2, 4, 6.3),
    "survey": Facts(6, 6, 3, 2, 1, 1.6),
    "water": Facts(32, 66, 4, 8, 8, 14.8),
    "win95pts": Facts(76, 112, 2, 34, 16, 16.0),
}


def cache_folder() -> Path:
    """Return the folder of the networks, in the cache of all that is fetched."""
    return cache_root() / "networks"


def cached(name: str) -> Path | None:
    """Return the file of a public network where it is in the cache."""
    path = cache_folder() / _file_name(name)
    return path if path.is_file() else None


def network_path(name: str) -> Path:
    """Return the file of a public network, fetched into the cache where it is missing."""
    return network_paths([name])[name]


def network_paths(names: Iterable[str], wheel: str | os.PathLike[str] | None = None) -> dict[str, Path]:
    """Return the files of public networks by name; those missing in the cache are put there, from one fetch.

    ``wheel`` is a file to take them from where pip cannot fetch it. Raises ``UnknownNameError``, and
    ``FormatError`` with the remedy when the wheel cannot be had or is not the one expected.
    """
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in PUBLIC:
            raise UnknownNameError(f"unknown public network {name!r}{did_you_mean(name, PUBLIC)}")
    missing = [name for name in wanted if cached(name) is None]
    if missing:
        source = Wheel(WHEEL, WHEEL_SHA256, "networks", _MAX_WHEEL_BYTES, _COMMAND)
        content = source.content(wheel)
        _unpack(source, content, missing)
        source.keep(content)
    return {name: cache_folder() / _file_name(name) for name in wanted}


def _file_name(name: str) -> str:
    return f"{name}.bif.gz"


def _unpack(wheel: Wheel, content: bytes, names: list[str]) -> None:
    """Put each network into the cache in one step, if it is of the size that is known of its name."""
    folder = cache_folder()
    make_folder(folder)
    members = {f"{_MEMBERS}/{_file_name(name)}": name for name in names}
    with TemporaryDirectory(prefix="bnc2d-") as scratch:
        for member, data in wheel.members(content, members, _MAX_MEMBER_BYTES):
            name = members[member]
            path = Path(scratch) / _file_name(name)
            atomic_write(path, data)
            found = facts_of(read_quietly(path))  # whoever reads the network later will be told
            if found[:-1] != PUBLIC[name][:-1]:
                size = f"{found.variables} variables and {found.edges} edges"
                raise wheel.damaged(f"{name} has {size}, not those expected")
            atomic_write(folder / path.name, data)


def facts_of(network: BayesianNetwork) -> Facts:
    """Return the size of a network."""
    sizes = [len(network.variable(leaf)) for leaf in network.leaves]
    return Facts(
        len(network),
        len(network.edges),
        max(map(len, network.variables)),
        len(network.roots),
        len(network.leaves),
        round(sum(map(math.log2, sizes)), 1),
    )
