"""Colours of charts, on light and on dark pages: blue and orange, which colour-blind people tell apart.

A chart has an opaque ground of its own, so it can be read wherever it is put. Elements have light colours as
attributes, and classes by which a style sheet of the document turns them dark where the reader, or the
notebook or page around it, is dark. Names of classes and variables are ours alone, since the style of an SVG
inside a page is a style of the page.
"""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

Theme: TypeAlias = Literal["auto", "light", "dark"]
THEMES: tuple[Theme, ...] = get_args(Theme)

COLOURS: dict[str, tuple[str, str]] = {
    "ground": ("#ffffff", "#151a21"),
    "ink": ("#1c2330", "#e8ebf1"),
    "soft": ("#566072", "#a4aebf"),
    "track": ("#f1f3f6", "#222935"),
    "edge": ("#b9c1cd", "#4b5567"),
    "keep": ("#cfdcff", "#22408c"),
    "kept": ("#2f4fc4", "#8fabff"),
    "out": ("#b4450a", "#ffa866"),
    "heat": ("#2f4fc4", "#8fabff"),
}
# Pages that are dark or light whatever the reader's system is: Jupyter, Furo and others, VS Code.
_DARK = ('[data-jp-theme-light="false"]', '[data-theme="dark"]', ".vscode-dark", 'html[theme="dark"]')
_LIGHT = ('[data-jp-theme-light="true"]', '[data-theme="light"]', ".vscode-light")


def paint(theme: Theme, fill: str = "none", stroke: str = "none") -> str:
    """Return the attributes that fill an element, and stroke its outline, in named colours."""
    classes, attributes = [], ""
    for attribute, letter, name in (("fill", "f", fill), ("stroke", "s", stroke)):
        if name == "none":
            attributes += ' fill="none"' if attribute == "fill" else ""
            continue
        classes.append(f"b2d-{letter}-{name}")
        attributes += f' {attribute}="{COLOURS[name][theme == "dark"]}"'
    named = f'class="{" ".join(classes)}"' if classes and theme == "auto" else ""
    return (named + attributes).strip()


def ground(theme: Theme) -> str:
    """Return the colour of the ground."""
    return COLOURS["ground"][theme == "dark"]


def style_sheet() -> str:
    """Return the style of charts that follow their surroundings."""
    light, dark = (";".join(f"--b2d-{name}:{both[at]}" for name, both in COLOURS.items()) for at in range(2))
    rules = [
        f".b2d-chart{{{light}}}",
        f"@media(prefers-color-scheme:dark){{.b2d-chart{{{dark}}}}}",
        f"{','.join(f'{page} .b2d-chart' for page in _LIGHT)}{{{light}}}",
        f"{','.join(f'{page} .b2d-chart' for page in _DARK)}{{{dark}}}",
        *(
            f".b2d-f-{name}{{fill:var(--b2d-{name})}}.b2d-s-{name}{{stroke:var(--b2d-{name})}}"
            for name in COLOURS
        ),
    ]
    return "\n".join(rules)
