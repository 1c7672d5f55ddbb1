"""Sections as Markdown, HTML and CSV: nothing that a file calls itself is taken for markup."""

from __future__ import annotations

import base64
import csv
import io
import re
from html.parser import HTMLParser
from pathlib import Path

from bnc2d.experiments.report.plots import Picture
from bnc2d.experiments.report.sections import (
    Figure,
    Section,
    Table,
    page_html,
    to_csv,
    to_html,
    to_markdown,
    write_report,
)

EVIL = "<img src=x onerror=alert(1)> | \"'&`*_\x1b \ud800"
PICTURE = Picture(b"<svg/>", b"png")
SECTION = Section(
    "A title",
    f"First {EVIL}\n\nSecond",
    (Table(("name", "s"), ((EVIL, 0.5), ("b", None))),),
    (Figure("plot", EVIL, PICTURE),),
)


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def test_html_is_escaped() -> None:
    tags = Tags(to_html([SECTION])).found
    (image,) = [attributes for tag, attributes in tags if tag == "img"]
    assert image.keys() == {"alt", "src"}
    prefix, _, data = str(image["src"]).partition(",")
    assert prefix == "data:image/svg+xml;base64"
    assert base64.b64decode(data) == PICTURE.svg
    assert [tag for tag, _ in tags].count("p") == 2
    assert [tag for tag, _ in tags].count("td") == 4


def test_markdown_is_escaped() -> None:
    text = to_markdown([SECTION])
    assert r"\<img src=x" in text
    (row,) = [line for line in text.splitlines() if line.endswith("| 0.5 |")]
    assert len(re.findall(r"(?<!\\)\|", row)) == 3
    assert "](figures/plot.svg)" in text
    assert "| --- | ---: |" in text


def test_a_column_without_any_value_is_not_shown() -> None:
    table = Table(("name", "message", "s", "none"), (("a", None, 0.0, None), ("b", None, None, None)))
    section = Section("Some", "", (table, Table(("alone",), ())))
    for text in (to_html([section]), to_markdown([section])):
        assert "message" not in text
        assert "none" not in text
        assert "alone" in text  # there are no rows that could fill it
    assert to_html([section]).count("<td") == 4
    assert to_csv(table).splitlines()[0] == "name,message,s,none"


def test_short_texts_stay_in_one_line_and_long_ones_do_not() -> None:
    table = Table(("name", "message", "s"), (("naive Bayes", "word " * 20, 1),))
    assert [
        attributes.get("class")
        for tag, attributes in Tags(to_html([Section("Some", "", (table,))])).found
        if tag == "td"
    ] == ["short", None, "number"]


def test_csv_has_full_numbers() -> None:
    table = Table(("a,b", "n"), (('x"y\n', 1234567.125), (None, 10**20)))
    assert list(csv.reader(io.StringIO(to_csv(table)))) == [
        ["a,b", "n"],
        ['x"y\n', "1234567.125"],
        ["", str(10**20)],
    ]


def test_the_page_asks_for_nothing_from_outside() -> None:
    page = page_html(EVIL, [SECTION])
    tags = Tags(page).found
    (policy,) = [a["content"] for tag, a in tags if tag == "meta" and "http-equiv" in a]
    assert str(policy).startswith("default-src 'none'; img-src data:; style-src 'sha256-")
    assert {tag for tag, _ in tags}.isdisjoint({"script", "link", "iframe", "object", "form", "base"})
    links = [a["href"] for tag, a in tags if tag == "a"]
    anchors = [f"#{a['id']}" for tag, a in tags if "id" in a]
    assert links == anchors == ["#a-title"]


def test_the_report_is_a_folder(tmp_path: Path) -> None:
    page = write_report(tmp_path / "new" / "out", "Title", [SECTION])
    assert page == tmp_path / "new" / "out" / "index.html"
    files = sorted(str(path.relative_to(page.parent)) for path in page.parent.rglob("*") if path.is_file())
    assert files == ["figures/plot.png", "figures/plot.svg", "index.html", "report.md", "tables/a-title.csv"]
    assert (page.parent / "report.md").read_text(encoding="utf-8").startswith("# Title\n\n## A title\n")
