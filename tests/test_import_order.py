"""The flow of data is one way: each folder imports only those below it."""

import ast
from pathlib import Path

import pytest

import bnc2d

PACKAGE = Path(bnc2d.__file__).parent

# What each part may import besides itself and the bottom modules.
BOTTOM = {"base", "errors", "version"}
LAYERS = (
    *("draw", "model", "logic", "formats", "compile", "explain", "verify", "report", "api"),
    *("adapters", "testing"),
)
ALLOWED: dict[str, set[str]] = {
    "base": set(),
    "draw": set(),
    "model": {"draw"},
    "logic": {"draw"},
    "formats": {"model"},
    "compile": {"draw", "model", "logic"},
    "explain": {"model", "logic", "compile"},
    "verify": {"draw", "model", "logic", "compile", "explain"},
    "report": {"draw", "model", "logic", "compile", "explain", "verify"},
    "api": {"model", "logic", "compile", "explain", "verify", "report"},
    "adapters": {"model", "formats", "api"},
    "testing": {"model", "logic", "api"},
    "experiments": set(LAYERS),
    "cli": {*LAYERS, "experiments"},
    "__main__": {"cli"},
}

MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def is_type_checking(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def imported_parts(path: Path) -> set[str]:
    """Return the parts that a module imports when it runs, annotations aside."""
    parts = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [node for node in tree.body if not is_type_checking(node)]
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative imports hide the direction"
            names = (
                [f"{node.module}.{alias.name}" for alias in node.names]
                if node.module == "bnc2d"
                else [str(node.module)]
            )
        parts |= {name.split(".")[1] for name in names if name.startswith("bnc2d.")}
    return parts


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_downwards(path: Path) -> None:
    part = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    assert imported_parts(path) <= ALLOWED.get(part, set()) | BOTTOM | {part}


def test_every_part_is_ruled() -> None:
    assert {
        path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in MODULES
    } <= ALLOWED.keys() | BOTTOM


def test_the_oracle_shares_no_code_with_the_compiler() -> None:
    assert imported_parts(PACKAGE / "verify" / "oracle.py") <= BOTTOM | {"model"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_stay_small(path: Path) -> None:
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 400
