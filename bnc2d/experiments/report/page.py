"""The report in a folder: a page, the same as Markdown, its figures and its tables as files.

The page holds its pictures and asks for nothing from outside; a content security policy allows its style by
its digest, pictures in the page, and nothing else, so that names from files are shown, never run.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from bnc2d.base.atomic import atomic_write
from bnc2d.draw.html import asset, digest, fill
from bnc2d.experiments.report.sections import Section, slug, to_csv, to_html, to_markdown
from bnc2d.formats.files import make_folder
from bnc2d.version import __version__


def page_html(title: str, sections: Sequence[Section]) -> str:
    """Return the report as one page; the same sections always give the same text."""
    style = "\n" + asset("bnc2d.experiments.report", "page.css")
    fields = {
        "policy": f"default-src 'none'; img-src data:; style-src '{digest(style)}'; "
        "base-uri 'none'; form-action 'none'",
        "title": escape(title),
        "style": style,
        "links": "\n".join(
            f'<li><a href="#{escape(slug(section.title))}">{escape(section.title)}</a></li>'
            for section in sections
        ),
        "sections": to_html(sections),
        "version": __version__,
    }
    return fill(asset("bnc2d.experiments.report", "page.html"), fields)


def write_report(folder: Path, title: str, sections: Sequence[Section]) -> Path:
    """Write ``index.html``, ``report.md``, ``figures/`` and ``tables/``; return the path of the page."""
    for part in ("figures", "tables"):
        make_folder(folder / part)
    for section in sections:
        for figure in section.figures:
            atomic_write(folder / "figures" / f"{figure.name}.svg", figure.picture.svg)
            atomic_write(folder / "figures" / f"{figure.name}.png", figure.picture.png)
        for number, table in enumerate(section.tables, start=1):
            name = slug(section.title) + (f"-{number}" if len(section.tables) > 1 else "")
            atomic_write(folder / "tables" / f"{name}.csv", _encoded(to_csv(table)))
    atomic_write(folder / "report.md", _encoded(f"# {title}\n\n{to_markdown(sections)}"))
    page = folder / "index.html"
    atomic_write(page, _encoded(page_html(title, sections)))
    return page


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")  # half a surrogate pair, in a file's name say, is no text
