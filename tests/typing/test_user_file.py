"""Types as users see them: a file of theirs passes mypy and runs, uses every public name, and gets no Any."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_overloads

import pytest

import bnc2d
from tests.typing import user_file

FILE = Path(user_file.__file__)
ROOT = Path(bnc2d.__file__).parent.parent
WRONG = """
import bnc2d
model = bnc2d.Classifier(bnc2d.example("diagnosis"), "D").compile(method="slow")
model.predict(3)
model.explain_many([{"BP": "Low"}], kinds=["enough"])
bnc2d.no_such_name
reveal_type(model.predict({"BP": "Low"}))
"""
# For the package's own loops and files: "this is not checked", as they say, or of no use outside.
INNER = {
    "CompiledModel.set_formula_size",
    "GivenModel.set_formula_size",
    *("Diagram." + name for name in ("assert_consistent", "flaw", "over", "two_terminal", "walk")),
    *("Manager." + name for name in dir(bnc2d.Manager) if name not in ("add_and", "add_literal", "add_or")),
}


def mypy(path: Path, cache: Path) -> subprocess.CompletedProcess[str]:
    """Check one file as in a project of its own; what it imports is as good as installed."""
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--follow-imports=silent"]
    return subprocess.run(
        [*command, f"--cache-dir={cache}", str(path)],
        cwd=path.parent,
        env={**os.environ, "MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )


def test_mypy_is_content_with_it_and_sees_mistakes(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    mine = tmp_path / "mine.py"
    mine.write_text(FILE.read_text(encoding="utf-8"), encoding="utf-8")
    done = mypy(mine, tmp_path / "cache")
    assert done.returncode == 0, done.stdout + done.stderr
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG, encoding="utf-8")
    found = mypy(wrong, tmp_path / "cache").stdout
    assert len(re.findall(r"error: ", found)) == 4, found
    for words in ("Literal['slow']", 'argument type "int"', "Literal['enough']", "no_such_name"):
        assert words in found
    assert 'Revealed type is "str | int | float | None"' in found


def test_it_runs(tmp_path: Path) -> None:
    answers = user_file.main(tmp_path)
    assert "no such file" in answers[0].lower()
    assert answers[-9:] == ["proved", "proved", "proved", "refuted", *["proved"] * 5]


def public_names() -> Iterator[str]:
    """Yield what ``bnc2d`` exports, and the public attributes of its classes after a dot."""
    for name in bnc2d.__all__:
        yield name
        found = getattr(bnc2d, name)
        if inspect.isclass(found) and not issubclass(found, Exception):
            mapping = set(dir(dict))
            for attribute in dir(found):
                inherited = attribute in mapping and issubclass(found, bnc2d.Term | bnc2d.Clause)
                if not attribute.startswith("_") and not inherited and f"{name}.{attribute}" not in INNER:
                    yield f".{attribute}"


def test_it_uses_every_public_name() -> None:
    text = FILE.read_text(encoding="utf-8")
    missing = {
        name for name in public_names() if not re.search(rf"{re.escape('.' + name.lstrip('.'))}\b", text)
    }
    assert not missing, f"use these in {FILE.name}, with the type of what they give"


def returns(found: Any) -> Iterator[str]:
    """Yield what a function is said to return, by each of its overloads."""
    for variant in get_overloads(found) or [found]:
        yield str(inspect.signature(variant).return_annotation)


def signatures() -> Iterator[tuple[str, str]]:
    """Yield every public function, method and property with what it returns."""
    for name in bnc2d.__all__:
        found = getattr(bnc2d, name)
        if inspect.isfunction(found):
            yield from ((name, text) for text in returns(found))
        if not inspect.isclass(found):
            continue
        for attribute in dir(found):
            member = inspect.getattr_static(found, attribute)
            function = getattr(member, "fget", None) or getattr(member, "func", None)
            function = function or getattr(member, "__func__", member)
            ours = (getattr(function, "__module__", None) or "").startswith("bnc2d")
            if inspect.isfunction(function) and ours and not attribute.startswith("_"):
                yield from ((f"{name}.{attribute}", text) for text in returns(function))


def test_no_public_signature_returns_any() -> None:
    found = list(signatures())
    assert len(found) > 200
    untyped = [(name, text) for name, text in found if "_empty" in text or text in ("Any", "object")]
    assert not untyped
    nested = {name for name, text in found if re.search(r"\bAny\b", text)}
    assert not nested
