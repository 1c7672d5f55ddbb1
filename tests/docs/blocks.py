"""The fenced blocks of a Markdown page: their language, text and place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>.*)")
_DIRECTIVE = re.compile(r"\{(?P<name>[\w-]+)\}\s*(?P<argument>.*)")
_OPTION = re.compile(r":(?P<name>[\w-]+):\s*(?P<value>.*)")


@dataclass(frozen=True)
class Block:
    """A block; ``line`` is that of its first line of text, counted from 1.

    ``language`` of a directive such as ``{toctree}`` keeps its braces; ``{code-block} LANGUAGE`` counts as a
    plain block, and its caption, if it has one, names the file that the block is.
    """

    page: str
    line: int
    language: str
    text: str
    caption: str | None = None

    @property
    def place(self) -> str:
        """Where the block begins, as ``page:line``."""
        return f"{self.page}:{self.line}"


def blocks_of(path: Path, page: str) -> list[Block]:
    """Return the fenced blocks of a file in order; ``page`` is its name in messages."""
    found = []
    lines = path.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        opened = _FENCE.fullmatch(lines[at])
        at += 1
        if opened is None:
            continue
        first, end = at, re.compile(rf" *{opened['fence'][0]}{{{len(opened['fence'])},}}\s*")
        while at < len(lines) and not end.fullmatch(lines[at]):
            at += 1
        if at == len(lines):
            raise ValueError(f"{page}:{first}: the block has no end")
        inside = [line.removeprefix(opened["indent"]) for line in lines[first:at]]
        found.append(_block(page, first + 1, opened["info"].strip(), inside))
        at += 1
    return found


def _block(page: str, line: int, info: str, inside: list[str]) -> Block:
    directive = _DIRECTIVE.fullmatch(info)
    if directive is None or directive["name"] != "code-block":
        language = info if directive is None else f"{{{directive['name']}}}"
        return Block(page, line, language, _text(inside))
    options = {}
    while inside and (option := _OPTION.fullmatch(inside[0])):
        options[option["name"]] = option["value"]
        inside, line = inside[1:], line + 1
    while inside and not inside[0].strip():
        inside, line = inside[1:], line + 1
    return Block(page, line, directive["argument"], _text(inside), options.get("caption"))


def _text(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)
