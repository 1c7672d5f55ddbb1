"""SVG as PNG, by whichever renderer the machine has."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib import import_module
from importlib.util import find_spec
from math import sqrt

from bnc2d.errors import Bnc2dError, LimitExceeded

_SECONDS = 120
# Twice the size for sharp text, less for large pictures; image libraries take at most 32,767 pixels a side.
_ZOOM = 2.0
_MAX_SIDE = 32_000.0
_MAX_PIXELS = 40e6
_SIZE = re.compile(r'<svg [^>]*\bwidth="([\d.]+)" height="([\d.]+)"')

_COMMANDS = {
    "rsvg-convert": ("--format=png", "--unlimited", "--background-color=white", "--zoom={zoom}"),
    "inkscape": (
        "--pipe",
        "--export-type=png",
        "--export-filename=-",
        "--export-background=white",
        "--export-dpi={dpi}",
    ),
}


def renderer() -> str | None:
    """Return what makes PNGs here: ``cairosvg`` (a package), ``rsvg-convert`` or ``inkscape``, or None."""
    if find_spec("cairosvg") is not None:
        return "cairosvg"
    return next((command for command in _COMMANDS if shutil.which(command)), None)


def to_png(svg: str) -> bytes:
    """Return an SVG document as PNG on white, at twice the size unless that is too large."""
    name = renderer()
    if name is None:
        raise Bnc2dError(
            "no program to make a PNG with: install rsvg-convert (package librsvg2-bin), Inkscape, or "
            "the Python package cairosvg; SVG needs none"
        )
    found = _SIZE.search(svg)
    width, height = map(float, found.groups()) if found else (1.0, 1.0)
    zoom = min(_ZOOM, _MAX_SIDE / max(width, height), sqrt(_MAX_PIXELS / (width * height)))
    data = svg.encode("utf-8")
    if name == "cairosvg":
        drawn: bytes = import_module("cairosvg").svg2png(
            bytestring=data, scale=zoom, background_color="white", unsafe=False
        )
        return drawn
    options = [option.format(zoom=zoom, dpi=96 * zoom) for option in _COMMANDS[name]]
    try:
        done = subprocess.run(  # noqa: S603 - a fixed program, the document by a pipe
            [shutil.which(name) or name, *options],
            input=data,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise LimitExceeded(f"{name} took more than {_SECONDS} seconds for the picture") from None
    except OSError as error:
        raise Bnc2dError(f"{name} cannot be run: {error.strerror or error}") from None
    if done.returncode or not done.stdout.startswith(b"\x89PNG"):
        reason = done.stderr.decode("utf-8", "replace").strip() or f"it ended with code {done.returncode}"
        raise Bnc2dError(f"{name} made no picture: {reason}")
    return done.stdout
