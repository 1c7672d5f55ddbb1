"""What the package never does, read off its source: run data as code, unpickle, or start a shell."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import bnc2d

PACKAGE = Path(bnc2d.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))

# These rebuild objects from data, and data may then run code; or they are code from data outright.
UNSAFE_MODULES = {
    *("pickle", "cPickle", "_pickle", "dill", "cloudpickle", "joblib", "marshal", "shelve", "yaml"),
    *("code", "codeop", "runpy", "ctypes", "pty", "xml.etree", "xml.dom", "xml.sax", "lxml"),
}
UNSAFE_CALLS = {"eval", "exec", "compile", "__import__", "breakpoint", "input"}
UNSAFE_OS = {"system", "popen", "startfile", *(f"spawn{end}" for end in ("l", "lp", "v", "vp", "ve", "vpe"))}
# Who starts programs: the SDD worker, the jobs of `bench`, the fetching of networks.
STARTS_PROGRAMS = {
    "experiments/running/jobs.py",
    "experiments/wheels.py",
    "logic/convert/sdd.py",
}


def imports(tree: ast.AST) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def unsafe(tree: ast.AST) -> list[str]:
    """Return every unsafe import, call and argument, with its line."""
    named = {name for name in imports(tree) if not name.startswith("xml.sax.saxutils")}  # which only escapes
    found = [name for name in named for bad in UNSAFE_MODULES if f"{name}.".startswith(f"{bad}.")]
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id in UNSAFE_CALLS:
            found.append(f"{called.id} in line {node.lineno}")
        if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name):
            home = called.value.id
            if home == "os" and called.attr in UNSAFE_OS:
                found.append(f"os.{called.attr} in line {node.lineno}")
            if home in ("np", "numpy") and called.attr in ("load", "fromfile", "memmap"):
                found.append(f"numpy.{called.attr} in line {node.lineno}")
        for word in node.keywords:
            safe = isinstance(word.value, ast.Constant) and not word.value.value
            if word.arg in ("shell", "allow_pickle") and not safe:
                found.append(f"{word.arg}= in line {node.lineno}")
    return found


def evaluates_text_with_sympy(tree: ast.AST) -> bool:
    """sympy's ``sympify`` and ``parse_expr`` evaluate text as Python."""
    names = {"sympify", "parse_expr", "lambdify", "S"}
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name)
        and (node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id) in names
        for node in ast.walk(tree)
    )  # fmt: skip


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_no_module_runs_data(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert unsafe(tree) == []
    assert not evaluates_text_with_sympy(tree)
    if "subprocess" in imports(tree):
        assert path.relative_to(PACKAGE).as_posix() in STARTS_PROGRAMS


def test_the_scan_sees_what_it_looks_for() -> None:
    for bad in (
        "import pickle",
        "from marshal import loads",
        "import xml.etree.ElementTree as et",
        "from xml import dom",
        "eval('1')",
        "import os\nos.system('x')",
        "run('x', shell=True)",
        "run('x', shell=flag)",
        "np.load('x')",
    ):
        assert unsafe(ast.parse(bad)), bad
    assert unsafe(ast.parse("import json\nre.compile('x')\nrun(['x'], shell=False)")) == []
    assert evaluates_text_with_sympy(ast.parse("sympy.sympify(text)"))
