"""A page to explore a model: one HTML file with the model and the logic in it, and nothing from outside.

The page's own script answers everything (decisions, reasons, what-if) from the circuits and the diagram in
the file.
"""

from __future__ import annotations

import json
import os

from bnc2d.base.atomic import atomic_write
from bnc2d.base.readers.arguments import instance_of
from bnc2d.compile.model import BaseCompiledModel
from bnc2d.draw.html import asset, digest, page
from bnc2d.report.data import page_data

_SCRIPTS = (
    "dom.js",
    "logic.js",
    "inference.js",
    "primes.js",
    "unknown.js",
    "reasons.js",
    "answers.js",
    "picture.js",
    "controls.js",
    "probabilities.js",
    "lists.js",
    "view.js",
)


def page_html(model: BaseCompiledModel) -> str:
    """Return the page; the same model always gives the same text.

    >>> import bnc2d
    >>> model = bnc2d.Classifier(bnc2d.example("running"), "A", ["D", "E", "F"]).compile()
    >>> "default-src 'none'" in page_html(model)
    True
    """
    logic = "\n".join(asset("bnc2d.report", name) for name in _SCRIPTS)
    script = f'\n"use strict";\n(() => {{\n{logic}}})();\n'
    # No HTML parser can take this for markup: it is in ASCII, without angle brackets or ampersands.
    packed = json.dumps(page_data(model), ensure_ascii=True, separators=(",", ":"))
    data = packed.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    fields = {"data": data, "script": script}
    title = f"{model.target}: explore the decisions"
    return page("bnc2d.report", title, f"script-src '{digest(script)}'", fields)


def write_page(model: BaseCompiledModel, path: str | os.PathLike[str]) -> None:
    """Write the page to explore a model; the file appears whole or not at all."""
    instance_of(BaseCompiledModel, model, "model", "; Classifier.compile() gives one")
    atomic_write(path, page_html(model).encode())
