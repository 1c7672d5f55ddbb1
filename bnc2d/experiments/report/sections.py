"""What a report is made of: sections with text, tables and figures, written as Markdown, HTML and CSV.

Names come from files, so every text is escaped where it is written.
"""

from __future__ import annotations

import base64
import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TypeAlias

from bnc2d.draw.html import text
from bnc2d.draw.text import clean
from bnc2d.experiments.report.plots import Picture

Cell: TypeAlias = str | int | float | None

_MARKDOWN_SIGNS = re.compile(r"([\\`*_\[\]<>|#~$&])")
_DIGITS = 4


@dataclass(frozen=True)
class Table:
    """Rows below the names of their columns; None is an empty cell."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]

    @classmethod
    def of(cls, rows: Sequence[Mapping[str, Cell]]) -> Table:
        """Return a table of at least one row; the first names the columns, the others may lack some."""
        return cls(tuple(rows[0]), tuple(tuple(row.get(name) for name in rows[0]) for row in rows))


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


def to_markdown(sections: Iterable[Section], figure_folder: str = "figures") -> str:
    """Return sections as Markdown that refers to its figures by their files."""
    return "\n".join(line for section in sections for line in _markdown_lines(section, figure_folder))


def to_html(sections: Iterable[Section]) -> str:
    """Return sections as the inside of a page's body, with the pictures in it."""
    return "\n".join(_html(section) for section in sections)


def _markdown_lines(section: Section, figure_folder: str) -> list[str]:
    lines = [f"## {_marked(section.title)}", ""]
    for paragraph in _paragraphs(section.text):
        lines += [_marked(paragraph), ""]
    for table in section.tables:
        lines.append(_markdown_row(table.columns))
        lines.append("| " + " | ".join("---:" if right else "---" for right in is_numeric(table)) + " |")
        lines += [_markdown_row([shown(cell) for cell in row]) for row in table.rows]
        lines.append("")
    for figure in section.figures:
        lines += [f"![{_marked(figure.caption)}]({figure_folder}/{figure.name}.svg)", ""]
    return lines


def _markdown_row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(_marked(cell) for cell in cells) + " |"


def _marked(value: str) -> str:
    return _MARKDOWN_SIGNS.sub(r"\\\1", clean(value))


def _html(section: Section) -> str:
    parts = [f'<section id="{escape(slug(section.title))}">', f"<h2>{text(section.title)}</h2>"]
    parts += [f"<p>{text(paragraph)}</p>" for paragraph in _paragraphs(section.text)]
    parts += [_html_table(table) for table in section.tables]
    for figure in section.figures:
        data = base64.b64encode(figure.picture.svg).decode()
        caption = text(figure.caption)
        parts.append(
            f'<figure><img alt="{caption}" src="data:image/svg+xml;base64,{data}">'
            f"<figcaption>{caption}</figcaption></figure>"
        )
    return "\n".join([*parts, "</section>"])


def _html_table(table: Table) -> str:
    marks = [' class="number"' if right else "" for right in is_numeric(table)]
    head = "".join(
        f'<th scope="col"{mark}>{text(name)}</th>' for name, mark in zip(table.columns, marks, strict=True)
    )
    rows = [
        "<tr>"
        + "".join(f"<td{mark}>{text(shown(cell))}</td>" for cell, mark in zip(row, marks, strict=True))
        + "</tr>"
        for row in table.rows
    ]
    body = "\n".join(rows)
    return (
        '<div class="scroll" tabindex="0"><table>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def is_numeric(table: Table) -> list[bool]:
    """Return for each column whether it holds numbers, to be set to the right."""
    return [
        any(isinstance(row[column], int | float) for row in table.rows)
        for column in range(len(table.columns))
    ]


def _paragraphs(content: str) -> list[str]:
    return [" ".join(part.split()) for part in content.split("\n\n") if part.strip()]
