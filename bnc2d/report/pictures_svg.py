"""Boxes, edges and a legend as an SVG document, the same for networks and trees.

Every look differs in outline as well as in colour, so that a picture reads in grey; boxes are opaque and
edges a middle grey, so that it reads on light and dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias
from xml.sax.saxutils import escape

from bnc2d.logic.pictures.labels import FONT_SIZE, clean, shorten, text_width
from bnc2d.logic.pictures.svg import number

Look: TypeAlias = Literal[
    "target", "feature", "inner", "dropped", "cluster", "holder", "spine", "last", "separator", "splitting"
]
EdgeLook: TypeAlias = Literal["plain", "spine", "splitting", "spine splitting"]

LINE_HEIGHT = 16.0
PADDING = 10.0
MARGIN = 16.0
SMALL_FONT = 11
_MIN_WIDTH = 420.0
_EDGE, _INK, _TARGET, _FEATURE, _ACCENT = "#8c96a3", "#1f2328", "#4c5fd5", "#0b8276", "#e8590c"
_EDGE_GROUP = f'fill="none" stroke="{_EDGE}" stroke-width="1.4"'


@dataclass(frozen=True)
class _Style:
    fill: str
    stroke: str
    width: float = 1.2
    ink: str = _INK
    radius: float = 4.0  # at most half the height: a pill
    dash: str = ""
    double: bool = False


_STYLES: dict[Look, _Style] = {
    "target": _Style(_TARGET, "#26338f", 1.5, "#fff", 2.0, double=True),
    "feature": _Style("#d3f0ec", _FEATURE, 1.8, radius=99.0),
    "inner": _Style("#f6f8fa", _EDGE),
    "dropped": _Style("#fff", _EDGE, ink="#6b7480", dash="4 3"),
    "cluster": _Style("#f6f8fa", _EDGE, radius=5.0),
    "holder": _Style("#dfe3fb", _TARGET, 1.8, radius=5.0, double=True),
    "spine": _Style("#dfe3fb", _TARGET, 2.6, radius=5.0),
    "last": _Style("#d3f0ec", _TARGET, 2.6, radius=99.0),
    "separator": _Style("#fff", _EDGE, 1.0, radius=0.0),
    "splitting": _Style("#ffe8d6", _ACCENT, 1.8, radius=0.0, dash="5 3"),
}
_EDGE_STYLES: dict[EdgeLook, str] = {
    "plain": "",
    "spine": f' stroke="{_TARGET}" stroke-width="3.2"',
    "splitting": f' stroke="{_ACCENT}" stroke-width="2" stroke-dasharray="5 3"',
    "spine splitting": f' stroke="{_ACCENT}" stroke-width="3.6" stroke-dasharray="7 3"',
}


@dataclass(frozen=True)
class Label:
    """What a box shows: lines that fit it, the full text, and how large the box must be."""

    lines: tuple[str, ...]
    title: str
    small: bool = False

    @cached_property
    def width(self) -> float:
        """The width of a box around the lines."""
        size = SMALL_FONT if self.small else FONT_SIZE
        return max(30.0, 2 * PADDING + max(text_width(line, size) for line in self.lines))

    @cached_property
    def height(self) -> float:
        """The height of a box around the lines."""
        return (6.0 if self.small else 12.0) + (13.0 if self.small else LINE_HEIGHT) * len(self.lines)


@dataclass(frozen=True)
class Box:
    """A label at a place, by its centre."""

    label: Label
    look: Look
    x: float
    y: float

    @property
    def width(self) -> float:
        """The width of the label's box."""
        return self.label.width

    @property
    def height(self) -> float:
        """The height of the label's box."""
        return self.label.height


@dataclass(frozen=True)
class Edge:
    """A path in SVG's notation, what it is, where its arrow ends, if it has one, and a colour of its own."""

    path: str
    title: str
    look: EdgeLook = "plain"
    tip: tuple[float, float] | None = None
    colour: str = ""


@dataclass(frozen=True)
class Picture:
    """Boxes over edges in a rectangle that starts at (0, 0), and what the looks mean."""

    title: str
    boxes: tuple[Box, ...]
    edges: tuple[Edge, ...]
    width: float
    height: float
    legend: tuple[tuple[Look, str], ...] = ()
    edge_legend: tuple[tuple[EdgeLook, str], ...] = ()


def one_line(text: str) -> Label:
    """Return a label of one line, cut where it is too long."""
    return Label((shorten(clean(text)),), clean(text))


def name_list(
    names: Sequence[str], *, width: float = 150.0, max_lines: int = 4, small: bool = False, prefix: str = ""
) -> Label:
    """Return a label that lists names over a few lines, and says how many it leaves out.

    >>> name_list(["A", "B"]).lines
    ('A, B',)
    >>> name_list(["first", "second", "third", "fourth"], width=80.0, max_lines=2).lines
    ('first,', 'second, +2')
    """
    size = SMALL_FONT if small else FONT_SIZE
    scale = FONT_SIZE / size  # ``shorten`` measures at the full size
    full = [clean(name) for name in names]
    title = f"{prefix}{{{', '.join(full)}}}"
    if not full:
        return Label(("∅",), title, small)
    lines = [""]
    for position, name in enumerate(full):
        last = position == len(full) - 1
        word = shorten(name, (width - 12.0) * scale) + ("" if last else ",")
        longer = f"{lines[-1]} {word}".strip()
        # The last line keeps room for the count of what is left out.
        rest = f" +{len(full) - position - 1}" if len(lines) == max_lines and not last else ""
        if text_width(longer + rest, size) <= width or not lines[-1]:
            lines[-1] = longer
        elif len(lines) < max_lines:
            lines.append(word)
        else:
            lines[-1] += f" +{len(full) - position}"
            break
    return Label(tuple(lines), title, small)


def to_svg(picture: Picture) -> str:
    """Return the document, with the legend on top."""
    legend, legend_height, legend_width = _legend(picture)
    width = max(picture.width, legend_width + 2 * MARGIN)
    height = picture.height + legend_height
    left = (width - picture.width) / 2
    shown = f"{number(width)} {number(height)}"
    ordered = sorted(picture.edges, key=lambda edge: len(edge.look) if edge.look != "plain" else 0)
    tips = sorted({edge.tip for edge in picture.edges if edge.tip is not None})
    return "".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{number(width)}" '
            f'height="{number(height)}" viewBox="0 0 {shown}" style="max-width:100%;height:auto">\n'
            f"<title>{escape(clean(picture.title))}</title>\n"
            f'<g font-family="Helvetica,Arial,\'DejaVu Sans\',sans-serif" font-size="{FONT_SIZE}">\n',
            legend,
            f'<g transform="translate({number(left)} {number(legend_height)})" text-anchor="middle">\n'
            f"<g {_EDGE_GROUP}>\n",
            *map(_edge, ordered),
            f'</g>\n<g fill="{_EDGE}">\n',
            *(f'<path d="M{number(x)} {number(y)}l-4.5 -8h9z"/>\n' for x, y in tips),
            "</g>\n",
            *map(_box, picture.boxes),
            "</g>\n</g>\n</svg>\n",
        ]
    )


def _edge(edge: Edge) -> str:
    style = f' stroke="{edge.colour}"' if edge.colour else _EDGE_STYLES[edge.look]
    return f'<path d="{edge.path}"{style}><title>{escape(edge.title)}</title></path>\n'


def _box(box: Box) -> str:
    style = _STYLES[box.look]
    label = box.label
    size, step, drop = (SMALL_FONT, 13.0, 4.0) if label.small else (FONT_SIZE, LINE_HEIGHT, 4.5)
    attributes = f' font-size="{size}"' if label.small else ""
    first = drop - step * (len(label.lines) - 1) / 2
    texts = (
        f'<text y="{number(first + step * row)}" fill="{style.ink}"{attributes}>{escape(line)}</text>'
        for row, line in enumerate(label.lines)
    )
    return (
        f'<g transform="translate({number(box.x)} {number(box.y)})"><title>{escape(label.title)}</title>'
        f"{_outline(box.look, box.width, box.height)}{''.join(texts)}</g>\n"
    )


def _outline(look: Look, width: float, height: float) -> str:
    style = _STYLES[look]
    dash = f' stroke-dasharray="{style.dash}"' if style.dash else ""
    shape = (
        f"{_rectangle(width, height, style.radius)} "
        f'fill="{style.fill}" stroke="{style.stroke}" stroke-width="{style.width:g}"{dash}/>'
    )
    if style.double:
        inner = _rectangle(width - 6, height - 6, style.radius - 2)
        shape += f'{inner} fill="none" stroke="{style.ink if look == "target" else style.stroke}"/>'
    return shape


def _rectangle(width: float, height: float, radius: float) -> str:
    rounded = f' rx="{number(min(radius, height / 2))}"' if radius > 0 else ""
    return (
        f'<rect x="{number(-width / 2)}" y="{number(-height / 2)}" '
        f'width="{number(width)}" height="{number(height)}"{rounded}'
    )


def _legend(picture: Picture) -> tuple[str, float, float]:
    """Return the legend, its height and its width; it takes as many lines as the picture's width asks for."""
    samples: list[tuple[str, str]] = [(_outline(look, 30.0, 16.0), text) for look, text in picture.legend]
    samples += [
        (f'<g {_EDGE_GROUP}><path d="M-15 0H15"{_EDGE_STYLES[look]}/></g>', text)
        for look, text in picture.edge_legend
    ]
    if not samples:
        return "", 0.0, 0.0
    room = max(picture.width, _MIN_WIDTH) - 2 * MARGIN
    parts = []
    x, y, widest = 0.0, MARGIN + 10.0, 0.0
    for sample, text in samples:
        width = 38.0 + text_width(text) + 20.0
        if x > 0 and x + width > room:
            x, y = 0.0, y + 24.0
        parts.append(
            f'<g transform="translate({number(MARGIN + x + 15)} {number(y)})">{sample}'
            f'<text x="23" y="4.5" fill="#6b7480">{escape(text)}</text></g>\n'
        )
        x += width
        widest = max(widest, x)
    return "".join(parts), y + 14.0, widest


def bounds(boxes: Iterable[Box]) -> tuple[float, float]:
    """Return the right and the lower end of the boxes, with a margin."""
    ends = [(box.x + box.width / 2, box.y + box.height / 2) for box in boxes]
    return max(x for x, _ in ends) + MARGIN, max(y for _, y in ends) + MARGIN
