"""What a report is made of: sections with text, tables and figures, written as Markdown, HTML and CSV.

Names come from files, so every text is escaped where it is written. The report is a folder: a page that holds
its pictures, the same as Markdown, its figures and its tables as files.
"""

from __future__ import annotations

import base64
import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TypeAlias

from bnc2d.base.atomic import atomic_write
from bnc2d.draw.html import page, text
from bnc2d.draw.text import clean
from bnc2d.experiments.report.plots import Picture
from bnc2d.formats.files import make_folder

Cell: TypeAlias = str | int | float | None

_MARKDOWN_SIGNS = re.compile(r"([\\`*_\[\]<>|#~$&])")
_DIGITS = 4
_SHORT = 20  # characters of a text that is not broken into lines


@dataclass(frozen=True)
class Table:
    """Rows below the names of their columns; None is an empty cell."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Cell]]) -> Table:
        """Return a table of at least one row; the first names the columns, the others may lack some."""
        return cls(tuple(rows[0]), tuple(tuple(row.get(name) for name in rows[0]) for row in rows))

    def without_empty_columns(self) -> Table:
        """Return the table as people read it; a table without rows keeps its columns.

        >>> Table(("name", "message", "s"), (("a", None, None), ("b", None, 2.5))).without_empty_columns()
        Table(columns=('name', 's'), rows=(('a', None), ('b', 2.5)))
        """
        filled = [
            at
            for at in range(len(self.columns))
            if not self.rows or any(row[at] is not None for row in self.rows)
        ]
        rows = tuple(tuple(row[at] for at in filled) for row in self.rows)
        return Table(tuple(self.columns[at] for at in filled), rows)


@dataclass(frozen=True)
class Figure:
    """A picture; ``name`` is that of its files, without an ending."""

    name: str
    caption: str
    picture: Picture


@dataclass(frozen=True)
class Section:
    """A title, paragraphs (set apart by empty lines), tables, then figures."""

    title: str
    text: str
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()


def shown(cell: Cell) -> str:
    """Return a cell as people read it.

    >>> [shown(cell) for cell in (None, "andes", 1719892, 0.016349, 2894.4)]
    ['', 'andes', '1,719,892', '0.01635', '2,894']
    """
    if cell is None:
        return ""
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 10 ** (_DIGITS - 1) else f"{cell:.{_DIGITS}g}"
    return clean(cell)


def slug(title: str) -> str:
    """Return a title as the name of a file or an anchor.

    >>> slug("Widths: ω and ω^T")
    'widths-ω-and-ω-t'
    """
    return re.sub(r"\W+", "-", title.lower()).strip("-") or "section"


def to_csv(table: Table) -> str:
    """Return a table as CSV with full numbers."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows(table.rows)
    return stream.getvalue()


def to_markdown(sections: Iterable[Section]) -> str:
    """Return sections as Markdown that refers to its figures by their files."""
    return "\n".join(line for section in sections for line in _markdown_lines(section))


def to_html(sections: Iterable[Section]) -> str:
    """Return sections as the inside of a page's body, with the pictures in it."""
    return "\n".join(_html(section) for section in sections)


def page_html(title: str, sections: Sequence[Section]) -> str:
    """Return the report as one page; the same sections always give the same text."""
    links = [f'<li><a href="#{escape(slug(one.title))}">{escape(one.title)}</a></li>' for one in sections]
    fields = {"links": "\n".join(links), "sections": to_html(sections)}
    return page("bnc2d.experiments.report", title, "img-src data:", fields)


def write_report(folder: Path, title: str, sections: Sequence[Section]) -> Path:
    """Write ``index.html``, ``report.md``, ``figures/`` and ``tables/``; return the path of the page."""
    for kind in ("figures", "tables"):
        make_folder(folder / kind)
    for section in sections:
        for figure in section.figures:
            atomic_write(folder / "figures" / f"{figure.name}.svg", figure.picture.svg)
            atomic_write(folder / "figures" / f"{figure.name}.png", figure.picture.png)
        for number, table in enumerate(section.tables, start=1):
            name = slug(section.title) + (f"-{number}" if len(section.tables) > 1 else "")
            atomic_write(folder / "tables" / f"{name}.csv", _encoded(to_csv(table)))
    atomic_write(folder / "report.md", _encoded(f"# {title}\n\n{to_markdown(sections)}"))
    atomic_write(folder / "index.html", _encoded(page_html(title, sections)))
    return folder / "index.html"


def _encoded(text: str) -> bytes:
    return text.encode(errors="replace")  # half a surrogate pair, in a file's name say, is no text


def _markdown_lines(section: Section) -> list[str]:
    lines = [f"## {_marked(section.title)}", ""]
    for paragraph in _paragraphs(section.text):
        lines += [_marked(paragraph), ""]
    for table in _shown_tables(section):
        sides = ["---:" if right else "---" for right in is_numeric(table)]
        cells = [[_marked(shown(cell)) for cell in row] for row in (table.columns, *table.rows)]
        lines += [f"| {' | '.join(row)} |" for row in (cells[0], sides, *cells[1:])] + [""]
    for figure in section.figures:
        lines += [f"![{_marked(figure.caption)}](figures/{figure.name}.svg)", ""]
    return lines


def _marked(value: str) -> str:
    return _MARKDOWN_SIGNS.sub(r"\\\1", clean(value))


def _html(section: Section) -> str:
    lines = [f'<section id="{escape(slug(section.title))}">', f"<h2>{text(section.title)}</h2>"]
    lines += [f"<p>{text(paragraph)}</p>" for paragraph in _paragraphs(section.text)]
    for table in _shown_tables(section):
        marks = [f' class="{name}"' if name else "" for name in _column_classes(table)]
        head, *rows = [
            [(mark, text(shown(cell))) for cell, mark in zip(row, marks, strict=True)]
            for row in (table.columns, *table.rows)
        ]
        names = "".join(f'<th scope="col"{mark}>{name}</th>' for mark, name in head)
        label = f'role="region" aria-label="{text(section.title)}"'
        lines += [
            f'<div class="scroll" tabindex="0" {label}><table>',
            f"<thead><tr>{names}</tr></thead>",
            "<tbody>",
        ]
        lines += [f"<tr>{''.join(f'<td{mark}>{cell}</td>' for mark, cell in row)}</tr>" for row in rows]
        lines += ["</tbody>", "</table></div>"]
    for figure in section.figures:
        data, caption = base64.b64encode(figure.picture.svg).decode(), text(figure.caption)
        picture = f'<img alt="{caption}" src="data:image/svg+xml;base64,{data}">'
        picture = f'<div class="wide">{picture}</div>'
        lines.append(f"<figure>{picture}<figcaption>{caption}</figcaption></figure>")
    return "\n".join([*lines, "</section>"])


def _shown_tables(section: Section) -> list[Table]:
    return [table.without_empty_columns() for table in section.tables]


def _column_classes(table: Table) -> list[str]:
    """Return how the cells of each column are set: numbers to the right, short texts in one line."""
    found = []
    for at, numeric in enumerate(is_numeric(table)):
        longest = max((len(shown(row[at])) for row in table.rows), default=0)
        found.append("number" if numeric else "short" if longest <= _SHORT else "")
    return found


def is_numeric(table: Table) -> list[bool]:
    """Return for each column whether it holds numbers, to be set to the right."""
    columns = zip(*table.rows, strict=True) if table.rows else [()] * len(table.columns)
    return [any(isinstance(cell, int | float) for cell in column) for column in columns]


def _paragraphs(content: str) -> list[str]:
    return [" ".join(part.split()) for part in content.split("\n\n") if part.strip()]
