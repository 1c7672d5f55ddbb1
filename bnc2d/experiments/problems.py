"""A suite: a folder of problem files (JSON) and of networks, in our layout or in the authors'.

Ours has ``problems/NAME.json`` with ``network`` (a file in ``networks/``), ``target``, ``threshold`` and
``features``. The authors' files say ``network_name`` and ``y`` instead, the name without an ending, and lie
anywhere below the folder, like their networks.
"""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from itertools import chain
from pathlib import Path
from typing import Any

from bnc2d.api.classifier import Classifier
from bnc2d.base.readers.numbers import Number, shorten
from bnc2d.errors import FormatError, NormalisationWarning
from bnc2d.formats.io import FORMATS, read_network
from bnc2d.model.network import BayesianNetwork

_MAX_PROBLEM_BYTES = 2**20
_MAX_NAME = 200  # no file has a longer name on common systems
_KEYS = {"network": ("network", "network_name"), "target": ("target", "y")}  # ours, the authors'


@dataclass(frozen=True)
class Problem:
    """A classifier to compile; ``threshold`` None means argmax, ``features`` None means all leaves."""

    name: str
    network: Path
    target: str
    features: tuple[str, ...] | None
    threshold: Number | None

    @property
    def network_name(self) -> str:
        """The name of the network's file, without endings."""
        return plain_name(self.network)

    def classifier(self, *, normalise: bool = False) -> Classifier:
        """Read the network and return the classifier; a damaged network is an error unless ``normalise``."""
        network = read_network(self.network, normalise=normalise)
        return Classifier(network, self.target, self.features, self.threshold)


def read_quietly(path: Path, *, normalise: bool = False) -> BayesianNetwork:
    """Return a network without a word on columns that miss 1 by a little."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NormalisationWarning)
        return read_network(path, normalise=normalise)


def plain_name(network: Path) -> str:
    """Return the name of a network's file without its ending, and without that of a compressed file.

    >>> plain_name(Path("networks/Andes.net.gz"))
    'Andes'
    """
    return network.name.removesuffix(".gz").rpartition(".")[0]


def problem_names(suite: Path, pattern: str = "*") -> list[str]:
    """Return the names of the suite's problems that match: paths below its folder, without the ending."""
    if not suite.is_dir():
        raise FormatError("no such folder; --suite names a folder with problems and networks", suite)
    folder = _problem_folder(suite)
    names = (path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.json"))
    return sorted(name for name in names if fnmatch(name, pattern) and _is_problem(folder / f"{name}.json"))


def read_problem(suite: Path, name: str) -> Problem:
    """Return the problem of this name; raises ``FormatError`` with the reason and the remedy."""
    path = _problem_folder(suite) / f"{name}.json"
    data = _json_object(path)
    network = _text(data, "network", path)
    features = data.get("features")
    if not isinstance(features, list) or not all(isinstance(feature, str) for feature in features):
        raise FormatError('"features" must be a list of names', path)
    threshold = data.get("threshold")
    if isinstance(threshold, bool) or not isinstance(threshold, int | float | str | None):
        raise FormatError('"threshold" must be a number', path)
    return Problem(
        name, _network_file(suite, network, path), _text(data, "target", path), tuple(features), threshold
    )


def _problem_folder(suite: Path) -> Path:
    return suite / "problems" if (suite / "problems").is_dir() else suite


def _is_problem(path: Path) -> bool:
    """Return whether to take a file for a problem: in ``problems`` any, elsewhere what looks like one."""
    if path.parent.name == "problems":
        return True
    try:
        return any(key in _json_object(path) for key in _KEYS["network"])
    except FormatError:
        return False


def _json_object(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > _MAX_PROBLEM_BYTES:
            raise FormatError(f"more than {_MAX_PROBLEM_BYTES} bytes; that is no problem file", path)
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FormatError(f"cannot read: {error.strerror}", path) from None
    except (ValueError, RecursionError) as error:
        raise FormatError(f"not JSON: {error}", path) from None
    if not isinstance(data, dict):
        raise FormatError("a problem is a JSON object with network, target, threshold and features", path)
    return data


def _text(data: dict[str, Any], key: str, path: Path) -> str:
    for name in _KEYS[key]:
        if isinstance(data.get(name), str):
            return str(data[name])
    names = " or ".join(f'"{name}"' for name in _KEYS[key])
    raise FormatError(f"{names} is missing or no text", path)


def _network_file(suite: Path, name: str, problem: Path) -> Path:
    """Return the network's file: by name in ``networks``, else by name or stem anywhere below the suite.

    A name or a link that leads out of the suite is as good as none.
    """
    direct, wanted = suite / "networks" / name, name.lower()
    first = [direct] if len(name) <= _MAX_NAME and direct.is_file() else []
    for path in chain(first, _network_files(suite)):
        plain = path.name.lower().removesuffix(".gz")
        is_named = path == direct or wanted in (path.name.lower(), plain, plain.rpartition(".")[0])
        if is_named and path.resolve().is_relative_to(suite.resolve()):
            return path
    raise FormatError(f"its network {shorten(name)!r} is not below {suite}", problem)


def _network_files(suite: Path) -> Iterator[Path]:
    """Give the files that a reader's ending claims, in the order of the formats the authors use."""
    files = sorted(path for path in suite.rglob("*") if path.is_file())
    for name in dict.fromkeys(("net", *FORMATS)):
        yield from (f for f in files if f.name.lower().removesuffix(".gz").endswith(FORMATS[name]))
