"""The wheel and the source archive: what is in them, and that a fresh install with the core alone works.

Needs what ``make setup`` needs: an index that pip can reach. Without one these tests fail and show what pip
said; ``pytest --ignore=tests/packaging`` leaves them out.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

from bnc2d import example, examples, write_network

ROOT = Path(__file__).parents[2]
METADATA = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OPTIONAL = ("pgmpy", "pyagrum", "sklearn", "pandas", "dask", "matplotlib", "scipy", "torch", "pytest")
PRIVATE = re.compile(
    r"(^|/)(\.venv|\.git|__pycache__|\.[a-z]+_cache|\.hypothesis|suite|dist|build|out)/|\.pyc$"
)
# Source files and the small built-in networks; benchmark data would be far larger.
LARGEST = 200_000


@dataclass(frozen=True)
class Archives:
    """Where the two files are, and what they hold by name; the folder around a source archive is left out."""

    wheel: Path
    source: Path

    @cached_property
    def in_wheel(self) -> dict[str, bytes]:
        return unzipped(self.wheel)

    @cached_property
    def in_source(self) -> dict[str, bytes]:
        with tarfile.open(self.source) as archive:
            return {
                member.name.partition("/")[2]: file.read()
                for member in archive.getmembers()
                if (file := archive.extractfile(member)) is not None
            }


def unzipped(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def run(*words: str | Path, cwd: Path, code: int = 0, env: Mapping[str, str] | None = None) -> str:
    """Return standard output, or fail with everything the program said."""
    done = subprocess.run(
        list(map(str, words)), capture_output=True, text=True, cwd=cwd, check=False, env=env
    )
    assert done.returncode == code, f"{words} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
    return done.stdout if code == 0 else done.stderr


def pip(*words: str | Path, cwd: Path) -> None:
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", *words, cwd=cwd)


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", folder, cwd=ROOT)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Archives(wheel, source)


def sources(folder: str, pattern: str = "**/*") -> set[str]:
    """Return the files that people wrote below a folder."""
    found = (path.relative_to(ROOT).as_posix() for path in (ROOT / folder).glob(pattern) if path.is_file())
    return {name for name in found if not PRIVATE.search(name)}


def test_the_wheel_holds_the_package_and_nothing_else(archives: Archives) -> None:
    package = {name for name in archives.in_wheel if ".dist-info/" not in name}
    assert package == sources("bnc2d")
    assert "bnc2d/py.typed" in package
    assert {f"bnc2d/networks/{name}.bif" for name in examples()} <= package
    assert {"bnc2d/report/assets/page.html", "bnc2d/report/assets/logic.js"} <= package
    assert "bnc2d/draw/assets/font/bnc2d-sans.ttf" in package
    assert {
        "bnc2d/experiments/report/assets/page.css",
        "bnc2d/cli/commands/assets/completion.bash",
    } <= package
    (metadata,) = (data.decode() for name, data in archives.in_wheel.items() if name.endswith("/METADATA"))
    assert "License-Expression: MIT AND Bitstream-Vera" in metadata  # the second for the font
    assert (ROOT / "LICENSE").read_bytes() in archives.in_wheel.values()
    for requirement in METADATA["project"]["dependencies"]:
        assert f"Requires-Dist: {requirement}\n" in metadata


def test_the_source_archive_holds_what_make_test_needs(archives: Archives) -> None:
    names = set(archives.in_source)
    for folder in ("bnc2d", "tests", "docs", "examples", "benchmarks", ".github", ".ci"):
        assert sources(folder) <= names, folder
    assert {"Makefile", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "pyproject.toml"} <= names


def test_neither_holds_anything_private_or_large(archives: Archives) -> None:
    for content in (archives.in_wheel, archives.in_source):
        assert [name for name in content if PRIVATE.search(name)] == []
        assert [name for name, data in content.items() if len(data) > LARGEST] == []


def test_the_source_archive_builds_the_same_wheel(archives: Archives, tmp_path: Path) -> None:
    """By pip in an environment of its own, so that ``[build-system]`` says all that a build needs."""
    pip("wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, archives.source, cwd=tmp_path)
    (again,) = tmp_path.glob("*.whl")
    assert again.name == archives.wheel.name
    assert unzipped(again) == archives.in_wheel


def test_a_fresh_install_works_with_the_core_alone(archives: Archives, tmp_path: Path) -> None:
    home, work = tmp_path / "venv", tmp_path / "work"
    venv.create(home, with_pip=False, symlinks=True)
    work.mkdir()
    python, bnc2d = home / "bin" / "python", home / "bin" / "bnc2d"
    pip("--python", python, "install", "--quiet", "--no-compile", archives.wheel, cwd=work)
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def here(*words: str | Path, code: int = 0) -> str:
        return run(*words, cwd=work, code=code, env=clean)

    find = f"from importlib.util import find_spec; print([m for m in {OPTIONAL} if find_spec(m)])"
    assert here(python, "-c", find) == "[]\n"
    imported = Path(here(python, "-c", "import bnc2d; print(bnc2d.__file__)").strip())
    assert imported.is_relative_to(home)

    version = METADATA["project"]["name"] + " " + imported.with_name("version.py").read_text().split('"')[-2]
    assert here(bnc2d, "--version").strip() == version
    assert "explain" in here(bnc2d, "--help")
    assert "Decision: D is 2." in here(bnc2d, "demo")
    write_network(example("asia"), work / "a.xdsl.gz")
    assert "a.xdsl.gz" in here(bnc2d, "info", "a.xdsl.gz")
    here(bnc2d, "compile", "diagnosis", "--target=D", "-o", "d.bnc2d")
    assert here(bnc2d, "verify", "d.bnc2d").endswith("\nverified\n")
    assert "BP is High and CT is 1" in here(bnc2d, "explain", "d.bnc2d", "BP=High", "CT=1", "HR=Normal")
    here(bnc2d, "explore", "d.bnc2d", "-o", "d.html")
    assert "<script" in (work / "d.html").read_text(encoding="utf-8")
    here(python, "-m", "bnc2d", "draw", "d.bnc2d", "--class=2", "-o", "d.svg")
    here(bnc2d, "draw", "d.bnc2d", "--class=2", "-o", "d.png")

    names = {"a.xdsl.gz", "bnc2d-demo", "d.bnc2d", "d.html", "d.png", "d.svg"}
    assert {path.name for path in work.iterdir()} == names
    asked = (  # for what only an extra gives: the error says which, in one line
        "import bnc2d\n"
        "from bnc2d.logic.circuit.picture import to_svg\n"
        "model = bnc2d.Classifier(bnc2d.example('diagnosis'), 'D').compile()\n"
        "circuit = model.manager, model.formula('2').root\n"
        "for ask in (lambda: to_svg(*circuit, engine='graphviz'), lambda: bnc2d.from_pgmpy(model)):\n"
        "    try: ask()\n"
        "    except bnc2d.Bnc2dError as error: print(error)\n"
    )
    first, second = here(python, "-c", asked).splitlines()
    assert first == "pygraphviz is not installed; run: pip install 'bnc2d[graphviz]'"
    assert second.startswith("from_pgmpy converts a pgmpy DiscreteBayesianNetwork, not ")
    shutil.rmtree(home)  # pytest keeps the folders of three runs
