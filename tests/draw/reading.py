"""What a picture shows, read back from its SVG, and the law that no box stands over another."""

from __future__ import annotations

from itertools import combinations
from xml.etree import ElementTree

from bnc2d.draw.graph import Picture
from bnc2d.draw.text import SMALL_FONT, text_width

SVG = "{http://www.w3.org/2000/svg}"
_STRING = r'"(?:[^"\\\n]|\\.)*"'
# A box or an edge in Graphviz text, with quotes that only close where they should.
DOT_LINE = rf"  n\d+( (->|--) n\d+)? \[label={_STRING}, tooltip={_STRING}[^\n]*\];"


def elements(svg: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(svg).iter())  # noqa: S314 - our own output


def texts(svg: str) -> list[str]:
    return [str(element.text) for element in elements(svg) if element.tag == f"{SVG}text"]


def titles(svg: str) -> list[str]:
    return [str(element.text) for element in elements(svg) if element.tag == f"{SVG}title"]


def size(svg: str) -> tuple[float, float]:
    root = elements(svg)[0]
    return float(root.attrib["width"]), float(root.attrib["height"])


def assert_no_overlap(picture: Picture) -> None:
    for box in picture.boxes:
        assert box.x - box.width / 2 > 0
        assert box.x + box.width / 2 < picture.width
        assert box.y - box.height / 2 > 0
        assert box.y + box.height / 2 < picture.height
        font = SMALL_FONT if box.label.small else 13
        assert all(text_width(line, font) < box.width for line in box.label.lines)
    for first, second in combinations(picture.boxes, 2):
        beside = abs(first.x - second.x) >= (first.width + second.width) / 2 + 5
        assert beside or abs(first.y - second.y) >= (first.height + second.height) / 2 + 5


def text_boxes(svg: str) -> list[tuple[str, float, float, float, float, float]]:
    """Return every text of a chart with its left, top, right and bottom, and the size of its font."""
    found = []
    for element in elements(svg):
        if element.tag != f"{SVG}text":
            continue
        text, font = str(element.text), float(element.attrib.get("font-size", 13))
        width = text_width(text, font) * (1.08 if "font-weight" in element.attrib else 1.0)
        left = (
            float(element.attrib["x"])
            - width * {"start": 0, "middle": 0.5, "end": 1}[element.attrib.get("text-anchor", "start")]
        )
        y = float(element.attrib["y"])
        found.append((text, left, y - 0.75 * font, left + width, y + 0.2 * font, font))
    return found
