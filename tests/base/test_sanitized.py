"""The loops in C under the sanitizers of gcc: nothing outside an array is touched, nothing is undefined."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.loops import needs_loops

ROOT = Path(__file__).parents[2]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover", "-fno-omit-frame-pointer"]
FLAGS = ["-shared", "-fPIC", "-O1", "-g", "-Wno-psabi", *SANITIZERS]
# A module from another place stands in for the one that was built.
INSTEAD = """
import importlib.util, sys
name = "bnc2d.base.kernels.compiled"
spec = importlib.util.spec_from_file_location(name, sys.argv[1])
sys.modules[name] = module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
from bnc2d.base import kernels
assert kernels.loops is module
"""
TESTED = """
import pytest
sys.exit(pytest.main(["-q", "-x", "-s", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""
COMPARED = """
from tests.long.agreement import check_mixed
from tests.long.outcome import run_seeds
found = run_seeds(check_mixed, 7000, 40)
assert found.compared > 1000 and not found.wrong, found
"""
BROKEN = "int beyond(const int *numbers, int at) { return numbers[at]; }"
TOUCHED = """
import ctypes, sys
ctypes.pythonapi.PyMem_RawMalloc.restype = ctypes.c_void_p
numbers = ctypes.pythonapi.PyMem_RawMalloc(ctypes.c_size_t(40))
library = ctypes.CDLL(sys.argv[1])
library.beyond(ctypes.c_void_p(numbers), int(sys.argv[2]))
print("nothing happened")
"""


def runtimes() -> list[str]:
    """Return the libraries of the sanitizers, or none where gcc is not there or has none."""
    if not sys.platform.startswith("linux") or shutil.which("gcc") is None:
        return []
    names = ("libasan.so", "libubsan.so")
    command = [["gcc", f"-print-file-name={name}"] for name in names]
    found = [
        subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip() for words in command
    ]
    return found if all(map(os.path.isabs, found)) else []


needs_sanitizers = pytest.mark.skipif(not runtimes(), reason="no gcc with its sanitizers")


def built(folder: Path, *words: str | Path) -> Path:
    made = folder / "sanitized.so"
    include = f"-I{sysconfig.get_path('include')}"
    subprocess.run(["gcc", *FLAGS, include, *words, "-o", made], check=True, cwd=folder)
    return made


def run(script: str, *words: str | Path) -> subprocess.CompletedProcess[str]:
    settings = {
        "LD_PRELOAD": ":".join(runtimes()),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself frees little at its end
        "PYTHONMALLOC": "malloc",  # else arrays could lie inside of what Python holds
    }
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    command = [sys.executable, "-c", script, *map(str, words)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env={**clean, **settings}
    )


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> Path:
    sources = sorted((ROOT / "bnc2d" / "base" / "kernels").glob("*.c"))
    return built(tmp_path_factory.mktemp("sanitized"), *sources)


@needs_sanitizers
@needs_loops
@pytest.mark.parametrize(
    "words",
    [
        (TESTED, "tests/base/test_kernels.py"),
        (TESTED, "tests/compile/test_both_ways.py", "tests/compile/formula/test_minimise_arrays.py"),
        (COMPARED,),
    ],
    ids=["tests", "formulas", "compilations"],
)
def test_no_loop_leaves_its_arrays(module: Path, words: tuple[str, ...]) -> None:
    script, *files = words
    done = run(INSTEAD + script, module, *files)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


@needs_sanitizers
def test_who_leaves_an_array_is_found(tmp_path: Path) -> None:
    """The test above can fail."""
    source = tmp_path / "broken.c"
    source.write_text(BROKEN, encoding="utf-8")
    library = built(tmp_path, source)
    inside, outside = run(TOUCHED, library, "9"), run(TOUCHED, library, "10")
    assert (inside.returncode, inside.stdout) == (0, "nothing happened\n")
    assert outside.returncode != 0
    assert "AddressSanitizer: heap-buffer-overflow" in outside.stderr
