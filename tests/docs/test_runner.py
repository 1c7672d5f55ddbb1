"""The runner of documentation finds what is wrong, and says where."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.blocks import Block, blocks_of
from tests.docs.running import Page, same_output
from tests.docs.test_pages import misplaced


def failures(tmp_path: Path, text: str) -> list[str]:
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    runner = Page(tmp_path)
    runner.run(blocks_of(tmp_path / "page.md", "page.md"))
    return runner.failures


def test_blocks_have_language_line_and_caption(tmp_path: Path) -> None:
    text = "# T\n\n```python\n1\n```\n\n- item\n\n  ```\n  x\n    y\n  ```\n\n````text\n```\n````\n"
    text += "```{code-block} json\n:caption: a.json\n\n{}\n```\n\n~~~{toctree}\nx\n~~~\n"
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    assert blocks_of(tmp_path / "page.md", "p") == [
        Block("p", 4, "python", "1\n"),
        Block("p", 10, "", "x\n  y\n"),
        Block("p", 15, "text", "```\n"),
        Block("p", 20, "json", "{}\n", "a.json"),
        Block("p", 24, "{toctree}", "x\n"),
    ]


def test_an_open_block_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("```python\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"page\.md:1: the block has no end"):
        blocks_of(tmp_path / "page.md", "page.md")


def test_right_pages_pass(tmp_path: Path) -> None:
    text = """
```python
>>> x = 1
>>> x + 1
2
```

```python
y = x + 2
```

```{code-block} text
:caption: note.txt

one
two
```

```console
$ cat note.txt
one
two
$ bnc2d --version
bnc2d ...
$ bnc2d info nowhere.bif
bnc2d: error: nowhere.bif: cannot read: No such file or directory
$ echo $?
2
$ bnc2d info asia
```

```python
>>> y
3
```
"""
    assert failures(tmp_path, text) == []


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("```python\n>>> 1\n1\n>>> 1 + 1\n3\n```", "page.md:4: 1 + 1\nexpected:\n3\n\ngot:\n2"),
        ("```python\n>>> 1\n```", "page.md:2: 1\nexpected:\n\ngot:\n1"),
        ("```python\n>>> 1 / 0\n```", "page.md:2: 1 / 0\nraised ZeroDivisionError"),
        ("```python\nx = 1\nassert x == 2\n```", "page.md:2: the script raised AssertionError"),
        ("```console\n$ bnc2d --version\nbnc3d\n```", "page.md:2: 'bnc2d --version'\nexpected:\nbnc3d"),
        (
            "```console\n$ bnc2d info nowhere.bif\n```",
            "page.md:2: 'bnc2d info nowhere.bif' ended with code 2",
        ),
        (
            "```console\n$ bnc2d --version\n$ bnc2d info nowhere.bif\n...\n$ echo $?\n1\n```",
            "page.md:5: 'echo $?'\nexpected:\n1\n\ngot:\n2",
        ),
        ("```console\n$ cat nothing\n```", "page.md:2: cannot run 'cat nothing'"),
        ("```console\n$ ls\n```", "page.md:2: cannot run 'ls': known commands are"),
        ("```console\nbnc2d --version\n```", "page.md:2: a console block begins with"),
    ],
)
def test_wrong_pages_fail_with_the_line(tmp_path: Path, block: str, message: str) -> None:
    found = failures(tmp_path, block + "\n")
    assert len(found) == 1
    assert found[0].startswith(message)


def test_one_failure_does_not_hide_another(tmp_path: Path) -> None:
    text = "```python\n>>> 1\n2\n>>> 3\n4\n```\n```console\n$ ls\n```\n"
    assert [message.split(":")[1] for message in failures(tmp_path, text)] == ["2", "4", "8"]


def test_ellipsis_stands_for_any_text() -> None:
    assert same_output("a\n...\nd", "a\nb\nc\nd\n")
    assert same_output("took ... s  \n", "took 0.1 s\n")
    assert not same_output("a\n...\nd", "a\nb\n")
    assert not same_output("a b", "a  b")


@pytest.mark.parametrize(
    ("language", "text", "fine"),
    [
        ("python", ">>> 1\n", True),
        ("text", "nodes task\n", True),
        ("", "0.1 s\n", True),
        ("sh", "pip install 'bnc2d[pandas]'\nmake test\n", True),
        ("sh", "bnc2d completion zsh > _bnc2d\n", True),
        ("sh", "bnc2d info asia\n", False),
        ("sh", "curl example.org\n", False),
        ("text", "bnc2d info asia\n", False),
        ("", ">>> import bnc2d\n", False),
        ("text", "net = bnc2d.example('asia')\n", False),
        ("toml", "import bnc2d\n", False),
        ("pycon", "1\n", False),
        ("{code}", "1\n", False),
    ],
)
def test_code_in_other_blocks_is_found(language: str, text: str, fine: bool) -> None:
    assert (misplaced(Block("p", 1, language, text)) is None) == fine
