"""What some tests want beside the Python environment: a browser and shells.

``python tests/machine.py``, a part of ``make test``, installs what is missing where nobody has to be asked:
by apt, as root or, in CI, by sudo. It never fails; tests that still miss something are skipped, and the last
line of ``make test`` counts them (``tests/conftest.py``). It runs beside pip, so with Python alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

BROWSERS = ("chromium", "chromium-headless-shell", "chromium-browser", "google-chrome")
SHELLS = ("bash", "zsh", "fish")
# The first that apt can install is taken.
_BROWSER_PACKAGES = ("chromium-headless-shell", "chromium")
_SECONDS = {"update": 60, "install": 150}


def find_browser() -> str | None:
    """Return the path of a Chromium, or None."""
    return next((path for path in map(shutil.which, BROWSERS) if path), None)


def missing() -> list[tuple[str, ...]]:
    """Return what is not there, each with the names of the packages that would give it."""
    wanted = [] if find_browser() else [_BROWSER_PACKAGES]
    return wanted + [(shell,) for shell in SHELLS if not shutil.which(shell)]


def install() -> None:
    """Install by apt what is missing, if that is possible without a question."""
    prefix = [] if os.geteuid() == 0 else ["sudo", "-n"] if os.environ.get("CI") == "true" else None
    if not missing() or prefix is None or not shutil.which("apt-get"):
        return

    def apt(action: str, *words: str) -> bool:
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        command = [*prefix, "timeout", str(_SECONDS[action]), "apt-get", "-qq", action, *words]
        try:
            return subprocess.run(command, env=quiet, capture_output=True, check=False).returncode == 0
        except OSError:
            return False

    if apt("update"):
        for packages in missing():
            any(apt("install", "-y", "--no-install-recommends", package) for package in packages)


if __name__ == "__main__":
    install()
    for names in missing():
        print(f"{Path(__file__).name}: {' or '.join(names)} is not here and cannot be installed")
