"""SVG as PNG, inside this process: by resvg, with a font of our own.

A bare machine has no fonts, so the package brings one for Latin, Greek, Cyrillic and mathematics
(``assets/font``). It is used before the machine's, so that a picture is the same everywhere; letters that it
lacks come from the machine's fonts, and where these lack them too they are drawn as empty boxes.
"""

from __future__ import annotations

import re
from importlib.resources import as_file, files
from math import sqrt

from bnc2d.errors import Bnc2dError

# Twice the size for sharp text, less for large pictures: image viewers take at most 32,767 pixels a side, and
# Ctrl-C waits for resvg, which takes about a second for so many pixels.
_ZOOM = 2.0
_MAX_SIDE = 32_000.0
_MAX_PIXELS = 12e6
_SIZE = re.compile(r'<svg [^>]*\bwidth="([\d.]+)" height="([\d.]+)"')
_FAMILY = "bnc2d Sans"
_STYLE = f"g, text {{ font-family: '{_FAMILY}', sans-serif }}"


def to_png(svg: str, ground: str = "white") -> bytes:
    """Return an SVG document as PNG on a ground, at twice the size unless that is too large."""
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise Bnc2dError(
            "PNG is drawn by resvg-py, which is not installed; run: pip install resvg-py (SVG needs nothing)"
        ) from None
    found = _SIZE.search(svg)
    width, height = map(float, found.groups()) if found else (1.0, 1.0)
    zoom = min(_ZOOM, _MAX_SIDE / max(width, height), sqrt(_MAX_PIXELS / (width * height)))
    with as_file(files("bnc2d.draw").joinpath("assets", "font", "bnc2d-sans.ttf")) as font:
        try:
            return svg_to_bytes(
                svg_string=svg,
                zoom=zoom,
                background=ground,
                style_sheet=_STYLE,
                font_files=[str(font)],
                sans_serif_family=_FAMILY,
            )
        except ValueError as error:
            raise Bnc2dError(f"resvg made no picture: {error}") from None
