"""The flow of data is one way: each folder imports only those below it, and nothing hides an import.

Imports inside functions and those for annotations count as well; imports by a text that names a module of
ours are refused, but for the table of public names in ``bnc2d/__init__.py``, which stands above everything.
"""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import bnc2d

PACKAGE = Path(bnc2d.__file__).parent

# What each part may import besides itself and the bottom modules.
BOTTOM = {"base", "errors", "version"}
LAYERS = (
    "draw",
    "model",
    "logic",
    "formats",
    "compile",
    "regions",
    "explain",
    "verify",
    "report",
    "api",
    "adapters",
    "data",
    "testing",
    "auditing",
)
ALLOWED: dict[str, set[str]] = {
    "base": set(),
    "draw": set(),
    "model": {"draw"},
    "logic": {"draw"},
    "formats": {"model"},
    "compile": {"draw", "model", "logic"},
    "regions": {"model", "logic", "compile"},
    "explain": {"model", "logic", "compile", "regions"},
    "verify": {"draw", "model", "logic", "compile", "explain"},
    "report": {"draw", "model", "logic", "compile", "explain", "verify"},
    "api": {"draw", "model", "logic", "regions", "compile", "explain", "verify", "report"},
    "adapters": {"model", "formats", "api"},
    "data": {"model", "api", "adapters"},
    "testing": {"model", "logic", "api"},
    "auditing": {"draw", "model", "logic", "formats", "compile", "explain", "verify", "report", "api"},
    "experiments": set(LAYERS),
    "cli": {*LAYERS, "experiments"},
    "__main__": {"cli"},
}

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")
by_path = pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))


def imported(source: str, *, annotations: bool = True) -> Iterator[str]:
    """Yield what a module imports of ours, wherever in its text; refuse what hides the direction."""
    tree = ast.parse(source)
    if not annotations:
        tree.body = [node for node in tree.body if "TYPE_CHECKING" not in ast.unparse(node).split(":")[0]]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("bnc2d."))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide the direction"
            assert node.module is not None
            if node.module.split(".")[0] == "bnc2d":
                yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] in IMPORTERS:
            name = node.args[0] if node.args else None
            foreign = isinstance(name, ast.Constant) and not str(name.value).startswith(("bnc2d", "."))
            assert foreign, f"line {node.lineno}: an import by a text hides the direction"


IMPORTERS = {"import_module", "__import__", "exec_module", "spec_from_file_location"}


def parts_of(path: Path) -> set[str]:
    return {name.split(".")[1] for name in imported(path.read_text(encoding="utf-8"))}


@by_path
def test_imports_point_downwards(path: Path) -> None:
    part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    assert parts_of(path) <= ALLOWED.get(part, set()) | BOTTOM | {part}


@pytest.mark.parametrize(
    "source",
    [
        "from . import model",
        "def f():\n    import_module('bnc2d.report')",
        "importlib.import_module(f'bnc2d.{x}')",
        "__import__(name)",
    ],
)
def test_hidden_imports_are_refused(source: str) -> None:
    with pytest.raises(AssertionError, match="hide"):
        list(imported(source))


def test_imports_inside_functions_and_for_annotations_count() -> None:
    source = (
        "if TYPE_CHECKING:\n    from bnc2d.api.files import load\ndef f():\n    import bnc2d.cli.main\n    "
        "from bnc2d import compile\n    import_module('pygraphviz')"
    )
    assert set(imported(source)) == {"bnc2d.api.files.load", "bnc2d.cli.main", "bnc2d.compile"}
    assert set(imported(source, annotations=False)) == {"bnc2d.cli.main", "bnc2d.compile"}


def test_no_module_needs_itself() -> None:
    """No chain of imports, those inside functions included, leads back to where it began."""
    names = {".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts): path for path in MODULES}
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        found = imported(path.read_text(encoding="utf-8"), annotations=False)
        graph[name] = {
            module for text in found for module in (text, text.rpartition(".")[0]) if module in names
        }
    try:
        order = list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))
    assert set(order) == set(names)


def test_every_part_is_ruled() -> None:
    found = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in MODULES}
    assert found <= ALLOWED.keys() | BOTTOM


def test_the_oracle_shares_no_code_with_the_compiler() -> None:
    assert parts_of(PACKAGE / "verify" / "oracle.py") <= BOTTOM | {"model"}


@by_path
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
