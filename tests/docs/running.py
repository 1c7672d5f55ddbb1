"""Runs the blocks of a page, in order, in one folder and one Python namespace, and reports what differs.

- ``python`` blocks with ``>>>`` are doctests, others are scripts that must not raise.
- ``console`` blocks hold commands after ``$ ``, each with its output, standard error included. Known commands
  are ``bnc2d``, ``cat FILE`` and ``echo $?``; there is no shell, and no process for each, which would take
  most of the time. A command without output below it only has to end well. Exit codes other than 0 must be
  shown by ``echo $?`` right after.
- A block with a caption is a file: it is written under that name.
- ``...`` stands for any text in outputs.
"""

from __future__ import annotations

import doctest
import io
import os
import shlex
import sys
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bnc2d.cli.main import main
from tests.docs.blocks import Block

_PYTHON_OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
_PROMPT = "$ "
_LAST_CODE = "echo $?"


@dataclass(frozen=True)
class Command:
    """A line after ``$ ``, the line it stands on, and the output below it."""

    text: str
    line: int
    output: str


class Page:
    """Runs blocks one after another; ``failures`` collects what differs, each with ``page:line``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.failures: list[str] = []
        self._namespace: dict[str, Any] = {"__name__": "__main__"}
        self._code = 0

    def run(self, blocks: list[Block]) -> None:
        """Run what can be run; blocks of other languages are text."""
        for block in blocks:
            if block.caption is not None:
                path = self.folder / block.caption
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(block.text, encoding="utf-8")
            elif block.language == "python":
                self._run_python(block)
            elif block.language == "console":
                self._run_console(block)

    def _fail(self, block: Block, line: int, message: str) -> None:
        self.failures.append(f"{block.page}:{line}: {message}")

    def _run_python(self, block: Block) -> None:
        if ">>>" not in block.text:
            code = "\n" * (block.line - 1) + block.text  # so that a traceback names the line of the page
            try:
                with redirect_stdout(io.StringIO()):
                    exec(compile(code, block.page, "exec"), self._namespace)  # noqa: S102 - our own pages
            except Exception as error:
                self._fail(block, block.line, f"the script raised {type(error).__name__}: {error}")
            return
        test = doctest.DocTestParser().get_doctest(
            block.text, self._namespace, block.page, block.page, block.line - 1
        )
        test.globs = self._namespace  # not the copy, so that later blocks see the names
        _Doctests(self, block).run(test, clear_globs=False)

    def _run_console(self, block: Block) -> None:
        try:
            commands = list(commands_of(block))
        except ValueError as error:
            self._fail(block, block.line, str(error))
            return
        for number, command in enumerate(commands):
            try:
                output = self._output(command.text)
            except (OSError, ValueError) as error:
                self._fail(block, command.line, f"cannot run {command.text!r}: {error}")
                continue
            following = commands[number + 1].text if number + 1 < len(commands) else ""
            if self._code and following != _LAST_CODE:
                message = f"{command.text!r} ended with code {self._code}\n{output}"
                self._fail(block, command.line, message)
            elif command.output and not same_output(command.output, output):
                message = f"{command.text!r}\nexpected:\n{command.output}\ngot:\n{output}"
                self._fail(block, command.line, message)

    def _output(self, text: str) -> str:
        words = shlex.split(text)
        if text == _LAST_CODE:
            code, self._code = self._code, 0
            return f"{code}\n"
        if words[0] == "cat" and len(words) == 2:
            self._code = 0
            return (self.folder / words[1]).read_text(encoding="utf-8")
        if words[0] != "bnc2d":
            raise ValueError("known commands are bnc2d, cat FILE and echo $?")
        written = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with (
            chdir(self.folder),
            patch.dict(os.environ, COLUMNS="100", BNC2D_CACHE="cache"),
            patch.object(sys, "stdin", io.StringIO()),
            redirect_stdout(written),
            redirect_stderr(written),
        ):
            try:
                self._code = main(words[1:])
            except SystemExit as end:  # of --help and --version
                self._code = int(end.code or 0)
        written.seek(0)
        return written.read()


class _Doctests(doctest.DocTestRunner):
    """A runner that hands failures to the page instead of printing them."""

    def __init__(self, page: Page, block: Block) -> None:
        super().__init__(verbose=False, optionflags=_PYTHON_OPTIONS)
        self._page = page
        self._block = block

    def report_failure(self, _out: Any, _test: doctest.DocTest, example: doctest.Example, got: str) -> None:
        self._page._fail(
            self._block,
            self._block.line + example.lineno,
            f"{example.source}expected:\n{example.want}\ngot:\n{got}",
        )

    def report_unexpected_exception(
        self, _out: Any, _test: doctest.DocTest, example: doctest.Example, exc_info: Any
    ) -> None:
        kind, error, _ = exc_info
        message = f"{example.source}raised {kind.__name__}: {error}"
        self._page._fail(self._block, self._block.line + example.lineno, message)


def commands_of(block: Block) -> Iterator[Command]:
    """Yield the commands of a console block; text before the first one is an error."""
    command: Command | None = None
    for line, text in enumerate(block.text.splitlines(), block.line):
        if text.startswith(_PROMPT):
            if command is not None:
                yield command
            command = Command(text.removeprefix(_PROMPT).strip(), line, "")
        elif command is not None:
            command = Command(command.text, command.line, command.output + text + "\n")
        elif text.strip():
            raise ValueError("a console block begins with '$ ' and a command")
    if command is not None:
        yield command


def same_output(expected: str, got: str) -> bool:
    """Return whether the outputs are equal but for spaces at the ends and what ``...`` stands for."""
    return doctest.OutputChecker().check_output(_trimmed(expected), _trimmed(got), doctest.ELLIPSIS)


def _trimmed(text: str) -> str:
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    return "".join(line + "\n" for line in lines)
