"""The tests with the oldest releases of all libraries that ``pyproject.toml`` allows: ``make lowest``.

They get an environment of their own. What is about the newest tools is left out: packaging, types, docs.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Releases that others of the oldest ones want: matplotlib 3.9, without a warning, and pyAgrum 3.0.
WANTED = {"pyparsing": "3.1.4", "scikit-learn": "1.7"}
LEFT_OUT = ("packaging", "typing", "docs")


def oldest(requirements: list[str]) -> list[str]:
    """Return each lower bound as the one release that may be taken.

    >>> oldest(["numpy>=2.0", "bnc2d[test]", "python-sat==1.9.dev17"])
    ['numpy==2.0']
    """
    bounds = (re.fullmatch(r"([\w-]+)>=([\w.]+)", requirement) for requirement in requirements)
    return [f"{bound[1]}=={bound[2]}" for bound in bounds if bound is not None and bound[1] not in WANTED]


def main() -> int:
    """Make the environment anew, run the tests in it, and return their exit code."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    tested = [name for name in extras if name not in ("dev", "docs", "graphviz")]
    requirements = [*project["dependencies"], *(one for name in tested for one in extras[name])]
    home = ROOT / "build" / "lowest"
    venv.create(home, clear=True, with_pip=True)
    constraints = home / "constraints.txt"
    pinned = [*oldest(requirements), *(f"{name}=={release}" for name, release in WANTED.items())]
    constraints.write_text("\n".join(pinned), encoding="utf-8")
    python = str(home / "bin" / "python")
    pip = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    wanted = ["--constraint", str(constraints), "--editable", ".[test]"]
    subprocess.run([*pip, *wanted], check=True, cwd=ROOT)
    ignored = [f"--ignore=tests/{name}" for name in LEFT_OUT]
    jobs = sys.argv[1:] or ["2"]
    command = [python, "-m", "pytest", "-n", *jobs, "--dist", "worksteal", "tests", *ignored]
    return subprocess.call(command, cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main())
