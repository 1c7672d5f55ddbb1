"""Every code block of the documentation runs and gives what the page shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bnc2d
from tests.docs.blocks import Block, blocks_of
from tests.docs.running import Page

ROOT = Path(__file__).parent.parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(
    (path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.md")),
    key=lambda page: (-(ROOT / page).read_text(encoding="utf-8").count("\n$ bnc2d "), page),
)  # those that take longest come first, so that workers end together

RUN = {"python", "console"}
SHOWN = {"", "text", "bibtex", "toml", "json", "sh"}
DIRECTIVES = {"{toctree}", "{eval-rst}"}
# Lines of `sh` cannot run in a test: they install, call make, or need a shell.
SHELL_LINE = re.compile(
    r"(python3? -m )?pip install .*|make( [\w=.-]+)*( +#.*)?|bnc2d completion .* > .*|#.*|"
)
CODE = re.compile(r"^\s*(>>> |\$ |bnc2d \w|(import|from) bnc2d)|bnc2d\.\w+\(", re.MULTILINE)

# What libraries warn of when they are imported or used; not ours to mend.
LIBRARIES = (
    r"ignore:`pgmpy\.:FutureWarning",
    "ignore:builtin type swig:DeprecationWarning",
    "ignore:builtin type Swig:DeprecationWarning",
)


def misplaced(block: Block) -> str | None:
    """Return what is wrong with a block that is not run, if something is."""
    if block.language in RUN | DIRECTIVES:
        return None
    if block.language not in SHOWN:
        return f"{block.place}: the language {block.language!r} is not among {sorted(RUN | SHOWN)}"
    if block.caption is not None:
        return None
    if block.language == "sh":
        wrong = [line for line in block.text.splitlines() if not SHELL_LINE.fullmatch(line.strip())]
        return f"{block.place}: make it a console block: {wrong[0]}" if wrong else None
    if found := CODE.search(block.text):
        return f"{block.place}: {found[0].strip()!r} is code; make it a python or console block"
    return None


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.filterwarnings(*LIBRARIES)
def test_page_shows_what_happens(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    runner = Page(tmp_path)
    runner.run(blocks_of(ROOT / page, page))
    for picture in (DOCS / "_static").glob("*.svg"):
        drawn = tmp_path / picture.name
        if drawn.exists() and drawn.read_bytes() != picture.read_bytes():
            runner.failures.append(
                f"{page}: draws another {picture.name} than docs/_static; copy the new one"
            )
    assert not runner.failures, "\n\n".join(runner.failures)


@pytest.mark.parametrize("page", PAGES)
def test_blocks_that_do_not_run_hold_no_code(page: str) -> None:
    wrong = [message for block in blocks_of(ROOT / page, page) if (message := misplaced(block))]
    assert not wrong, "\n".join(wrong)


def test_every_picture_is_shown() -> None:
    text = "".join((ROOT / page).read_text(encoding="utf-8") for page in PAGES)
    assert [p.name for p in (DOCS / "_static").glob("*.svg") if f"_static/{p.name}" not in text] == []


def test_every_page_is_in_the_table_of_contents() -> None:
    listed = {"docs/index.md"}
    for index in ("docs/index.md", "docs/api/index.md"):
        for block in blocks_of(ROOT / index, index):
            if block.language == "{toctree}":
                names = [line for line in block.text.splitlines() if line and not line.startswith(":")]
                listed |= {f"{Path(index).parent}/{name}.md" for name in names}
    assert listed == set(PAGES)


def test_every_public_name_is_in_the_api_reference() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "api").glob("*.md"))
    documented = set(re.findall(r"^\.\. auto\w+:: (\w+)(?:\(\))?$", text, re.MULTILINE))
    missing = [name for name in bnc2d.__all__ if name not in documented and name != "__version__"]
    assert missing == []
    assert "`bnc2d.__version__`" in text


def test_every_command_is_on_the_command_line_page() -> None:
    from bnc2d.cli.main import COMMANDS

    text = (DOCS / "command-line.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"\n## {name}\n" not in text] == []
    assert [name for name in COMMANDS if f"\n$ bnc2d {name} " not in text and name != "demo"] == []
