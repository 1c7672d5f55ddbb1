"""Charts: pictures that are laid out for a width, on light and on dark pages, with all they say in words."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

from bnc2d.base.atomic import atomic_write
from bnc2d.base.readers.arguments import one_of, path_name, wrong
from bnc2d.draw.png import to_png
from bnc2d.draw.svg import number
from bnc2d.draw.text import FONT_SIZE, clean, text_width
from bnc2d.draw.theme import THEMES, Theme, ground, paint, style_sheet
from bnc2d.errors import FormatError

CHART_FORMATS = (".svg", ".png")
WIDTH, PHONE_WIDTH = 680, 360
LEAST_WIDTH, MOST_WIDTH = 240, 4000
_NARROW = 520  # below this the layout of a phone is shown
_FONT = "Helvetica,Arial,'DejaVu Sans',sans-serif"


class Sheet:
    """A drawing that grows downwards: elements, and ``y``, where the next ones start."""

    def __init__(self, width: float, theme: Theme, margin: float = 16.0) -> None:
        self.width, self.theme, self.margin = width, theme, margin
        self.y = margin
        self._parts: list[str] = []

    @property
    def inner(self) -> float:
        """The width between the margins."""
        return self.width - 2 * self.margin

    def add(self, element: str) -> None:
        """Add an element."""
        self._parts.append(element)

    def open(self, title: str = "") -> None:
        """Start a group, with a tooltip where there is a title; ``close`` ends it."""
        self._parts.append(f"<g>{_tooltip(title)}")

    def close(self) -> None:
        """End a group."""
        self._parts.append("</g>\n")

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = FONT_SIZE,
        colour: str = "ink",
        bold: bool = False,
        anchor: str = "start",
        title: str = "",
    ) -> None:
        """Add a line of text, the left end (or ``anchor``) of whose baseline is at a place."""
        look = paint(self.theme, colour)
        look += f' font-size="{size:g}"' if size != FONT_SIZE else ""
        look += ' font-weight="600"' if bold else ""
        look += f' text-anchor="{anchor}"' if anchor != "start" else ""
        shown = escape(clean(text)) + _tooltip(title if title != text else "")
        self._parts.append(f'<text x="{number(x)}" y="{number(y)}" {look}>{shown}</text>\n')

    def paragraph(
        self, text: str, *, size: float = FONT_SIZE, colour: str = "ink", bold: bool = False, lines: int = 8
    ) -> None:
        """Add text over the whole width, on as many lines as it takes but for ``lines`` at most."""
        # Bold letters are wider.
        found = wrapped(clean(text), self.inner / (1.08 if bold else 1.0), size, lines)
        for line in found:
            self.y += round(size * 1.35, 1)
            cut = text if line is found[-1] and line.endswith("…") else ""
            self.text(self.margin, self.y - size * 0.3, line, size=size, colour=colour, bold=bold, title=cut)

    def box(
        self,
        left: float,
        top: float,
        width: float,
        height: float,
        *,
        fill: str = "none",
        stroke: str = "none",
        look: str = "",
    ) -> None:
        """Add a rectangle."""
        size = f'width="{number(width)}" height="{number(height)}"'
        place = f'x="{number(left)}" y="{number(top)}"'
        self._parts.append(f"<rect {place} {size} {paint(self.theme, fill, stroke)}{look}/>\n")

    def path(self, d: str, *, fill: str = "none", stroke: str = "none", look: str = "") -> None:
        """Add a path."""
        self._parts.append(f'<path d="{d}" {paint(self.theme, fill, stroke)}{look}/>\n')

    def dot(self, x: float, y: float, radius: float = 4.5) -> None:
        """Add a dot with a rim."""
        place = f'cx="{number(x)}" cy="{number(y)}" r="{radius:g}"'
        self._parts.append(f'<circle {place} {paint(self.theme, "ink", "ground")} stroke-width="1.5"/>\n')

    def document(self, title: str, description: str) -> str:
        """Return the SVG document, as high as the drawing is by now."""
        w, h = number(self.width), number(self.y + self.margin)
        style = f"<style>{style_sheet()}</style>\n" if self.theme == "auto" else ""
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" class="b2d-chart" width="{w}" '
            f'height="{h}" viewBox="0 0 {w} {h}" style="max-width:100%;height:auto">\n'
            f"<title>{escape(clean(title))}</title>\n<desc>{escape(clean(description))}</desc>\n{style}"
            f'<rect width="{w}" height="{h}" rx="10" {paint(self.theme, "ground")}/>\n'
            f'<g font-family="{_FONT}" font-size="{FONT_SIZE}">\n{"".join(self._parts)}</g>\n</svg>\n'
        )


def _tooltip(title: str) -> str:
    return f"<title>{escape(clean(title))}</title>" if title else ""


def wrapped(text: str, width: float, size: float = FONT_SIZE, most: int = 1000) -> list[str]:
    """Return the text in lines of a width; long words are broken, and an ellipsis ends what is cut.

    >>> wrapped("one two three", 60.0)
    ['one two', 'three']
    """
    lines, room = [""], width
    for word in text.split():
        word_width = text_width(word, size)
        space = text_width(" ", size) if lines[-1] else 0.0
        if space + word_width > room and lines[-1]:
            lines.append("")
            room, space = width, 0.0
        if word_width <= room:
            lines[-1] += (" " if lines[-1] else "") + word
            room -= space + word_width
            continue
        for char in word:  # longer than a line
            if text_width(char, size) > room and lines[-1]:
                lines.append("")
                room = width
            lines[-1] += char
            room -= text_width(char, size)
    if len(lines) > most:
        last = lines[most - 1]
        while last and text_width(last + " …", size) > width:
            last = last[:-1]
        lines[most - 1 :] = [f"{last} …"]
    return lines


@dataclass(frozen=True)
class Chart:
    """A picture for people: ``svg``, ``png``, ``save``, and in a notebook as it is.

    ``title`` and ``text`` say all that it shows in words (they are in the SVG, too, for those who hear it).
    ``width`` is the width that it is laid out for, in pixels: text keeps its size. In a notebook or by
    ``html`` it has a second layout, for phones.
    """

    title: str
    text: str
    width: int = WIDTH
    theme: Theme = "auto"
    _draw: Callable[[float, Theme], str] = field(repr=False, kw_only=True)

    def __post_init__(self) -> None:
        chart_width(self.width)
        one_of(self.theme, THEMES, "theme")

    def svg(self, width: int | None = None, theme: Theme | None = None) -> str:
        """Return an SVG document; with the theme ``auto`` its colours follow its surroundings."""
        chosen = self.theme if theme is None else theme
        one_of(chosen, THEMES, "theme")
        return self._draw(self.width if width is None else chart_width(width), chosen)

    def png(self, width: int | None = None, theme: Theme | None = None) -> bytes:
        """Return a PNG at twice the size, light unless the theme is ``dark``."""
        chosen: Theme = "dark" if (self.theme if theme is None else theme) == "dark" else "light"
        return to_png(self.svg(width, chosen), ground(chosen))

    def html(self) -> str:
        """Return a piece of HTML that is laid out for the room it has: as wide as asked, or for a phone."""
        if self.width <= _NARROW:
            return self.svg()
        return (
            f'<div style="container-type:inline-size;max-width:{self.width}px">'
            f"<style>@container(max-width:{_NARROW - 1}px){{.b2d-wide{{display:none}}"
            f'.b2d-narrow{{display:block!important}}}}</style><div class="b2d-wide">{self.svg()}</div>'
            f'<div class="b2d-narrow" style="display:none">{self.svg(PHONE_WIDTH)}</div></div>\n'
        )

    _repr_html_ = html

    def _repr_svg_(self) -> str:
        return self.svg()

    def save(self, path: str | os.PathLike[str], width: int | None = None, theme: Theme | None = None) -> int:
        """Write a ``.svg`` or ``.png`` file, whole or not at all; return its size in bytes."""
        suffix = Path(path_name(path)).suffix.lower()
        if suffix not in CHART_FORMATS:
            raise FormatError("the name of a chart must end in .svg or .png", os.fspath(path))
        data = self.png(width, theme) if suffix == ".png" else self.svg(width, theme).encode()
        atomic_write(path, data)
        return len(data)


def chart_width(value: object) -> int:
    """Return a width in pixels."""
    fits = isinstance(value, int | float) and not isinstance(value, bool)
    if not fits or not LEAST_WIDTH <= value <= MOST_WIDTH:  # type: ignore[operator]
        raise wrong("width", value, f"a number of pixels from {LEAST_WIDTH} to {MOST_WIDTH}")
    return int(value)  # type: ignore[call-overload,no-any-return]
