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
import sysconfig
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
from tests.loops import needs_loops

ROOT = Path(__file__).parents[2]
METADATA = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
OPTIONAL = ("pgmpy", "pyagrum", "sklearn", "pandas", "dask", "matplotlib", "scipy", "torch", "pytest")
PRIVATE = re.compile(
    r"(^|/)(\.venv|\.git|__pycache__|\.[a-z]+_cache|\.hypothesis|suite|dist|build|out)/|\.pyc$"
)
# The optional loops in C: where they are, and what a compiler makes of them on any system.
KERNELS = "bnc2d/base/kernels"
COMPILED = re.compile(rf"^{KERNELS}/compiled\b.*\.(so|pyd)$")
WITHOUT_LOOPS = {"on purpose": {"BNC2D_KERNELS": "numpy"}, "no compiler": {"CC": "/bin/false"}}
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


def build(root: Path, folder: Path, **setting: str) -> Archives:
    """Build both archives from a source tree; environment variables for the loops are given or not set."""
    clean = {name: value for name, value in os.environ.items() if name not in ("BNC2D_KERNELS", "CC")}
    command = ["-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(folder)]
    run(sys.executable, *command, cwd=root, env=clean | setting)
    (wheel,), (source,) = folder.glob("*.whl"), folder.glob("*.tar.gz")
    return Archives(wheel, source)


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Archives:
    return build(ROOT, tmp_path_factory.mktemp("dist"))


def sources(folder: str, pattern: str = "**/*") -> set[str]:
    """Return the files that people wrote below a folder."""
    found = (path.relative_to(ROOT).as_posix() for path in (ROOT / folder).glob(pattern) if path.is_file())
    return {name for name in found if not PRIVATE.search(name) and not COMPILED.search(name)}


def compiled(content: Mapping[str, bytes]) -> list[str]:
    """Return the names of what a compiler made."""
    return [name for name in content if COMPILED.search(name)]


def written(content: Mapping[str, bytes]) -> set[str]:
    """Return the files of a wheel that people wrote."""
    return {name for name in content if ".dist-info/" not in name} - {*compiled(content)}


def test_the_wheel_holds_the_package_and_nothing_else(archives: Archives) -> None:
    package = written(archives.in_wheel)
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
    assert {"hatch_build.py", f"{KERNELS}/module.c", f"{KERNELS}/kernels.h"} <= names
    assert compiled(archives.in_source) == []


def test_neither_holds_anything_private_or_large(archives: Archives) -> None:
    for content in (archives.in_wheel, archives.in_source):
        assert [name for name in content if PRIVATE.search(name)] == []
        assert [name for name, data in content.items() if len(data) > LARGEST] == []


def test_the_source_archive_builds_the_same_wheel(archives: Archives, tmp_path: Path) -> None:
    """By pip in an environment of its own, so that ``[build-system]`` says all that a build needs."""
    pip("wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, archives.source, cwd=tmp_path)
    (again,) = tmp_path.glob("*.whl")
    assert again.name == archives.wheel.name
    files = unzipped(again)
    assert files.keys() == archives.in_wheel.keys()
    # An environment of its own may bring other tools; a compiled module has no need to be the same then.
    made = {*compiled(files), *(name for name in files if name.endswith("/RECORD"))}
    assert {name for name in files if files[name] != archives.in_wheel[name]} <= made


@needs_loops
def test_the_wheel_holds_the_loops_in_c(archives: Archives) -> None:
    """One module for this platform and every Python from 3.11 on."""
    (name,) = compiled(archives.in_wheel)
    assert name.startswith(f"{KERNELS}/compiled.abi3.")
    platform = re.sub(r"[-.]", "_", sysconfig.get_platform())
    assert archives.wheel.stem.endswith(f"-cp311-abi3-{platform}")
    (tags,) = (data.decode() for name, data in archives.in_wheel.items() if name.endswith("/WHEEL"))
    assert "Root-Is-Purelib: false\n" in tags


@pytest.fixture
def tree(archives: Archives, tmp_path: Path) -> Path:
    """The source archive unpacked, with a module that an earlier build left there."""
    root = tmp_path / "tree"
    for name, data in {**archives.in_source, f"{KERNELS}/compiled.abi3.so": b"of other sources"}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


@pytest.mark.parametrize("why", WITHOUT_LOOPS)
def test_a_wheel_without_loops(why: str, archives: Archives, tree: Path, tmp_path: Path) -> None:
    """It is for every platform, holds all else, and works; so does a build in a tree that had loops."""
    found = build(tree, tmp_path / "dist", **WITHOUT_LOOPS[why])
    assert found.wheel.stem.endswith("-py3-none-any")
    assert compiled(found.in_wheel) == compiled(found.in_source) == []
    assert written(found.in_wheel) == written(archives.in_wheel)
    assert found.in_source == archives.in_source
    home = tmp_path / "home"
    pip("install", "--quiet", "--no-compile", "--no-deps", "--target", home, found.wheel, cwd=tmp_path)
    here = {**os.environ, "PYTHONPATH": str(home)}
    command = [sys.executable, "-m", "bnc2d"]
    assert run(*command, "--version", cwd=home, env=here).strip() == version_of(home, WITHOUT)
    run(*command, "compile", "diagnosis", "--target=D", "-o", "d.bnc2d", cwd=home, env=here)
    assert run(*command, "verify", "d.bnc2d", cwd=home, env=here).endswith("\nverified\n")


@needs_loops
def test_a_second_build_gives_the_same(archives: Archives, tree: Path, tmp_path: Path) -> None:
    """Wherever the sources are, whatever an earlier build left among them; a wheel changes nothing there."""
    again = build(tree, tmp_path / "dist")
    assert again.wheel.name == archives.wheel.name
    assert again.in_wheel == archives.in_wheel
    assert again.in_source == archives.in_source
    assert (tree / KERNELS / "compiled.abi3.so").read_bytes() == b"of other sources"


def modules_of(tree: Path, **setting: str) -> list[Path]:
    """Return the compiled modules that a tree has once it is installed as it is, as by ``make setup``."""
    clean = {name: value for name, value in os.environ.items() if name not in ("BNC2D_KERNELS", "CC")}
    command = ["-m", "hatchling", "build", "--target", "wheel:editable", "--hooks-only"]
    run(sys.executable, *command, cwd=tree, env=clean | setting)
    return [path for path in (tree / KERNELS).glob("compiled*") if path.suffix != ".pyi"]


@pytest.mark.parametrize("why", WITHOUT_LOOPS)
def test_an_installed_tree_without_loops(why: str, tree: Path) -> None:
    """What an earlier build left might not fit the Python files, so it goes."""
    assert modules_of(tree, **WITHOUT_LOOPS[why]) == []


@needs_loops
def test_an_installed_tree_with_loops(archives: Archives, tree: Path) -> None:
    (module,) = modules_of(tree)
    assert module.read_bytes() == archives.in_wheel[f"{KERNELS}/{module.name}"]


WITH, WITHOUT = "with loops in C", "without loops in C: slower, same results"


def version_of(home: Path, how: str) -> str:
    """Return what ``--version`` says of the package in a folder."""
    number = (home / "bnc2d" / "version.py").read_text().split('"')[-2]
    return f"{METADATA['project']['name']} {number} ({how})"


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

    how = WITH if compiled(archives.in_wheel) else WITHOUT
    assert here(bnc2d, "--version").strip() == version_of(imported.parents[1], how)
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
