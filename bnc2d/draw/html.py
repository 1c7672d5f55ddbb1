"""Small pieces of HTML for notebooks and pages, every name escaped."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files

from bnc2d.draw.text import clean
from bnc2d.version import __version__

_CAPTION = ' style="text-align:left;font-weight:600;caption-side:top;white-space:nowrap"'
_CELL = ' style="text-align:left;vertical-align:top;padding:1px 12px 1px 0"'
_NUMBER = ' style="text-align:right;vertical-align:top;padding:1px 12px 1px 0"'

Cell = str | int | float  # text is HTML already; numbers are set flush right


def text(value: object) -> str:
    """Return text for HTML: escaped, without control characters."""
    return escape(clean(str(value)))


def table(caption: str, headings: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return a table; caption and headings are HTML already."""
    parts = [f"<table>\n<caption{_CAPTION}>{caption}</caption>\n"]
    if headings:
        parts.append(f"<tr>{''.join(f'<th{_CELL}>{heading}</th>' for heading in headings)}</tr>\n")
    for row in rows:
        cells = (
            f"<td{_CELL}>{cell}</td>" if isinstance(cell, str) else f"<td{_NUMBER}>{cell:,}</td>"
            for cell in row
        )
        parts.append(f"<tr>{''.join(cells)}</tr>\n")
    return "".join([*parts, "</table>\n"])


def asset(package: str, name: str) -> str:
    """Return a text from the folder ``assets`` of a package."""
    return files(package).joinpath("assets", name).read_text(encoding="utf-8")


def fill(template: str, fields: Mapping[str, str]) -> str:
    """Return a template with each ``{{name}}`` replaced by its field; nothing inserted is searched again."""
    return re.sub(r"\{\{(\w+)\}\}", lambda found: fields[found[1]], template)


def page(package: str, title: str, sources: str, fields: Mapping[str, str], style: str = "") -> str:
    """Return a page of the assets ``page.html`` and ``page.css`` of a package, filled with ``fields``.

    ``style`` is a further one.

    It asks for nothing from outside: a content security policy allows its style by its digest, the
    ``sources`` of scripts and pictures, and nothing else. So whatever names say, they are shown, never run.
    """
    style = "\n" + asset(package, "page.css") + style
    policy = (
        f"default-src 'none'; {sources}; style-src '{digest(style)}'; base-uri 'none'; form-action 'none'"
    )
    known = {"policy": policy, "title": text(title), "style": style, "version": __version__}
    body = fill(asset(package, "page.html"), {**known, **fields})
    return fill(asset("bnc2d.draw", "page.html"), {**known, "body": body})


def digest(content: str) -> str:
    """Return how a content security policy names a script or style that it allows."""
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
