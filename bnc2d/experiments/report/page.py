"""The report in a folder: a page, the same as Markdown, its figures and its tables as files.

The page holds its pictures and asks for nothing from outside; a content security policy allows its style by
its digest, pictures in the page, and nothing else, so that names from files are shown, never run.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path

from bnc2d.base.atomic import atomic_write
from bnc2d.draw.html import digest
from bnc2d.experiments.report.sections import Section, slug, to_csv, to_html, to_markdown
from bnc2d.formats.files import make_folder
from bnc2d.version import __version__

_STYLE = """
:root { --page: #f6f7f9; --card: #fff; --ink: #1c2330; --soft: #566072; --line: #d6dbe3; --accent: #4338ca; }
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12151c; --card: #1b202a; --ink: #e8ebf1; --soft: #a4aebf; --line: #343c4b; --accent: #a5a0ff;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; padding: 0 1rem; background: var(--page); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif;
}
header, nav, main, footer { max-width: 75rem; margin-inline: auto; }
h1 { margin: 1.25rem 0 0.5rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 0 0 0.5rem; font-size: 1.125rem; }
p { margin: 0 0 0.75rem; max-width: 70ch; overflow-wrap: anywhere; }
a { color: var(--accent); }
nav ul {
  display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; margin: 0 0 1rem; padding: 0; list-style: none;
}
nav a { display: inline-block; padding: 0.25rem 0; }
section {
  margin-bottom: 1rem; padding: 1rem; background: var(--card);
  border: 1px solid var(--line); border-radius: 0.75rem;
}
.scroll { max-width: 100%; max-height: 34rem; overflow: auto; margin-bottom: 0.75rem; }
.scroll:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; font-size: 0.9375rem; }
th, td {
  padding: 0.25rem 0.75rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line);
}
td { max-width: 40rem; overflow-wrap: break-word; }
th { position: sticky; top: 0; background: var(--card); }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: 0 0 0.75rem; }
img { display: block; width: 100%; max-width: 50rem; height: auto; background: #fff; border-radius: 0.5rem; }
figcaption, footer { color: var(--soft); font-size: 0.875rem; }
footer { padding: 0.5rem 0 2rem; }
"""


def page_html(title: str, sections: Sequence[Section]) -> str:
    """Return the report as one page; the same sections always give the same text."""
    style = f"style-src '{digest(_STYLE)}'"
    policy = f"default-src 'none'; img-src data:; {style}; base-uri 'none'; form-action 'none'"
    links = "\n".join(
        f'<li><a href="#{escape(slug(section.title))}">{escape(section.title)}</a></li>'
        for section in sections
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="bnc2d {__version__}">
<title>{escape(title)}</title>
<style>{_STYLE}</style>
</head>
<body>
<header><h1>{escape(title)}</h1></header>
<nav aria-label="Sections"><ul>
{links}
</ul></nav>
<main>
{to_html(sections)}
</main>
<footer>Made by bnc2d {__version__}. Every run is a line of runs.jsonl beside this page.</footer>
</body>
</html>
"""


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
