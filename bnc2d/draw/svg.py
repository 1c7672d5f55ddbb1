"""Pictures as SVG documents, without a background, readable on light and dark pages."""

from __future__ import annotations

from math import hypot
from xml.sax.saxutils import escape

from bnc2d.draw import palette
from bnc2d.draw.graph import DISC, MARGIN, PLAIN_LINE, Line, LineStyle, Picture, PlacedBox, Style
from bnc2d.draw.layered import ROW_HEIGHT
from bnc2d.draw.text import FONT_SIZE, clean, text_width

_MIN_WIDTH = 420.0
_LINES = f'fill="none" stroke="{PLAIN_LINE.colour}" stroke-width="{PLAIN_LINE.width}"'


def document(title: str, width: float, height: float, body: str, *, style: str = "", text: str = "") -> str:
    """Return an SVG document; ``text`` are further attributes of all text in it."""
    w, h = number(width), number(height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{w}" height="{h}" '
        f'viewBox="0 0 {w} {h}" style="max-width:100%;height:auto">\n<title>{escape(clean(title))}</title>\n'
        + (f"<style>{style}</style>\n" if style else "")
        + f'<g font-family="Helvetica,Arial,\'DejaVu Sans\',sans-serif" font-size="{FONT_SIZE}"{text}>\n'
        f"{body}</g>\n</svg>\n"
    )


def number(value: float) -> str:
    """Return a coordinate with at most one decimal."""
    return f"{value:.1f}".removesuffix(".0")


def to_svg(picture: Picture) -> str:
    """Return the document, with the legend on top."""
    legend, legend_height, legend_width = _legend(picture)
    width = max(picture.width, legend_width + 2 * MARGIN)
    left = (width - picture.width) / 2
    tips = sorted({_tip(line) for line in picture.lines if line.tip})
    parts = [
        legend,
        f'<g transform="translate({number(left)} {number(legend_height)})" text-anchor="middle">\n'
        f"<g {_LINES}>\n",
        *map(_line, sorted(picture.lines, key=lambda line: line.style.width)),
        "</g>\n",
        *(f'<path d="{tip}" fill="{palette.GREY}"/>\n' for _, _, tip in tips),
        *map(_box, picture.boxes),
        "</g>\n",
    ]
    return document(picture.graph.title, width, picture.height + legend_height, "".join(parts))


def _line(line: Line) -> str:
    points = [(number(x), number(y)) for x, y in line.points]
    (x1, y1), (x2, y2) = points[0], points[-1]
    # Upright inside the rows, so that an edge passes boxes at the distance its way point keeps.
    high, low = line.points[0][1], line.points[-1][1]
    top, middle = number(high + ROW_HEIGHT / 2), number((high + low) / 2)
    # A line ends inside its arrow, which ends at the box.
    bottom = number(low - ROW_HEIGHT / 2 - (4 if line.tip else 0))
    if not line.is_curved:
        path = f"M{x1} {y1}" + "".join(f"L{x} {y}" for x, y in points[1:])
    elif x1 == x2:
        path = f"M{x1} {y1}V{bottom if line.tip else y2}"
    else:
        path = f"M{x1} {y1}V{top}C{x1} {middle} {x2} {middle} {x2} {bottom}{'' if line.tip else f'V{y2}'}"
    title = f"><title>{escape(line.title)}</title></path>" if line.title else "/>"
    return f'<path d="{path}"{_stroke(line.style)}{title}\n'


def _tip(line: Line) -> tuple[float, float, str]:
    """Return where a line ends, and the path of the arrow there: downwards in rows, else as the line goes."""
    (x1, y1), (x2, y2) = line.points[-2:]
    if line.is_curved:
        return x2, y2, f"M{number(x2)} {number(y2 - ROW_HEIGHT / 2)}l-4.5 -8h9z"
    length = hypot(x2 - x1, y2 - y1) or 1.0
    dx, dy = (x2 - x1) / length, (y2 - y1) / length
    corners = ((x2 - 8 * dx + side * 4.5 * dy, y2 - 8 * dy - side * 4.5 * dx) for side in (1, -1))
    return (
        x2,
        y2,
        f"M{number(x2)} {number(y2)}" + "".join(f"L{number(x)} {number(y)}" for x, y in corners) + "z",
    )


def _stroke(style: LineStyle) -> str:
    dash = f' stroke-dasharray="{style.dash}"' if style.dash else ""
    colour = f' stroke="{style.colour}"' if style.colour != PLAIN_LINE.colour else ""
    width = f' stroke-width="{style.width:g}"' if style.width != PLAIN_LINE.width else ""
    return colour + width + dash


def _box(placed: PlacedBox) -> str:
    label, style = placed.label, placed.style
    if style.sign:
        inside = (
            f'<path d="{style.sign}" fill="none" stroke="{style.ink}" stroke-width="2" '
            'stroke-linecap="round" stroke-linejoin="round"/>'
        )
    else:
        paint = f'fill="{style.ink}"' + (f' font-size="{label.font}"' if label.small else "")
        first = (4.0 if label.small else 4.5) - label.line_height * (len(label.lines) - 1) / 2
        inside = "".join(
            f'<text y="{number(first + label.line_height * row)}" {paint}>{escape(line)}</text>'
            for row, line in enumerate(label.lines)
        )
    outline = _outline(style, placed.width, placed.height)
    return (
        f'<g transform="translate({number(placed.x)} {number(placed.y)})">'
        f"<title>{escape(label.title)}</title>{outline}{inside}</g>\n"
    )


def _outline(style: Style, width: float, height: float) -> str:
    if style.is_round:
        return f'<circle r="{number(min(DISC, height) / 2)}" fill="{style.fill}"/>'
    dash = f' stroke-dasharray="{style.dash}"' if style.dash else ""
    paint = f'fill="{style.fill}" stroke="{style.stroke}" stroke-width="{style.width:g}"{dash}'
    shape = _rectangle(width, height, style.radius, paint)
    if style.inner:
        shape += _rectangle(width - 6, height - 6, style.radius - 2, f'fill="none" stroke="{style.inner}"')
    return shape


def _rectangle(width: float, height: float, radius: float, paint: str) -> str:
    rounded = f' rx="{number(min(radius, height / 2))}"' if radius > 0 else ""
    return (
        f'<rect x="{number(-width / 2)}" y="{number(-height / 2)}" '
        f'width="{number(width)}" height="{number(height)}"{rounded} {paint}/>'
    )


def _legend(picture: Picture) -> tuple[str, float, float]:
    """Return the legend, its height and its width; it takes as many lines as the picture's width asks for."""
    room = max(picture.width, _MIN_WIDTH) - 2 * MARGIN
    parts = []
    x, y, widest = 0.0, MARGIN + 10.0, 0.0
    for style, text in picture.graph.legend:
        if isinstance(style, Style):
            sample = _outline(style, 30.0, 16.0)
        else:
            sample = f'<g {_LINES}><path d="M-15 0H15"{_stroke(style)}/></g>'
        width = 38.0 + text_width(text) + 20.0
        if x > 0 and x + width > room:
            x, y = 0.0, y + 24.0
        parts.append(
            f'<g transform="translate({number(MARGIN + x + 15)} {number(y)})">{sample}'
            f'<text x="23" y="4.5" fill="{palette.DARK_GREY}">{escape(text)}</text></g>\n'
        )
        x += width
        widest = max(widest, x)
    return ("".join(parts), y + 14.0, widest) if parts else ("", 0.0, 0.0)
