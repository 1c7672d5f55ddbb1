"""A compilation loads what its method needs and nothing else: each list is of a fresh process."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Rooms of bnc2d, and libraries, that no compilation needs.
NEVER = {
    *("bnc2d.draw", "bnc2d.explain", "bnc2d.verify", "bnc2d.report", "bnc2d.experiments", "bnc2d.cli"),
    *(
        "bnc2d.adapters",
        "bnc2d.logic.convert",
        "bnc2d.logic.circuit.picture",
        "bnc2d.logic.primes",
        "bnc2d.compile.store",
    ),
    *("bnc2d.formats.net", "bnc2d.formats.uai", "bnc2d.formats.xdsl", "bnc2d.formats.xmlbif"),
    *("asyncio", "concurrent", "email", "hashlib", "html", "http", "json", "logging", "socket", "ssl"),
    *("subprocess", "tempfile", "urllib.request", "xml", "zipfile"),
    *("matplotlib", "pandas", "pysat", "pysdd", "rich", "scipy", "sklearn", "sympy"),
}
METHODS = {
    "fast": "bnc2d.compile.meet.method",
    "paper": "bnc2d.compile.paper.method",
    "block-order": "bnc2d.compile.baselines.block_order.method",
    "enumerate": "bnc2d.compile.baselines.enumerate",
}


def loaded(program: str) -> set[str]:
    """Return the modules that a program loads, and all packages around them."""
    text = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", f"{program}\nimport sys\nprint(*sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return set(text.split())


def compiled(network: str, target: str, method: str = "fast") -> set[str]:
    return loaded(
        f"import bnc2d\nbnc2d.Classifier(bnc2d.example({network!r}), {target!r}).compile(method={method!r})"
    )


def test_importing_the_package_loads_nothing_but_its_names() -> None:
    before = loaded("")
    assert loaded("import bnc2d") - before <= {"bnc2d", "bnc2d.version", "__future__"}


def test_the_version_does_not_wait_for_numpy() -> None:
    """It says whether there are loops in C, which themselves need no numpy."""
    asked = "from bnc2d.cli.main import main\ntry: main(['--version'])\nexcept SystemExit: pass"
    modules = loaded(asked)
    assert "bnc2d.base.kernels" in modules
    assert "numpy" not in modules
    assert "bnc2d.base.kernels" not in loaded(asked.replace("version", "help"))


@pytest.mark.parametrize("method", METHODS)
def test_a_method_is_loaded_when_it_is_chosen(method: str) -> None:
    modules = compiled("running", "A", method)
    assert {module for module in METHODS.values() if module in modules} == {METHODS[method]}
    assert modules & NEVER == set()


def test_the_default_method_loads_the_half_that_it_needs() -> None:
    modules = compiled("diagnosis", "D")
    assert "bnc2d.compile.ratio.method" not in modules
    assert "bnc2d.compile.zeros.diagram" not in modules
    assert modules & NEVER == set()
    assert len(modules) < 330  # of which numpy has 170
    assert "bnc2d.compile.ratio.method" in compiled("cancer", "Cancer")


@pytest.mark.parametrize(("network", "target"), [("diagnosis", "D"), ("asia", "lung")])
def test_a_measured_compilation_loads_nothing(network: str, target: str) -> None:
    """The process that the suite is measured in has loaded all of it before the clock starts."""
    worker = "import bnc2d.experiments.running.worker as worker"
    make = f"worker.Classifier(bnc2d.example({network!r}), {target!r})"
    methods = ("fast", "paper", "enumerate")
    compilations = "\n".join(f"worker.compile_classifier({make}, method={method!r})" for method in methods)
    before = loaded(f"{worker}\nimport bnc2d\nbnc2d.example({network!r})")
    later = loaded(f"{worker}\nimport bnc2d\n{compilations}")
    assert {name for name in later - before if name.startswith("bnc2d.")} == set()
