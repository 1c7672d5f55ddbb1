"""How Sphinx builds these pages: `make docs`."""

from __future__ import annotations

from typing import Any

from sphinx.addnodes import pending_xref
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

import bnc2d

project = "bnc2d"
author = "The bnc2d maintainers"
version = release = bnc2d.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = f"bnc2d {release}"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_show_copyright = False
html_copy_source = False

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
myst_dmath_double_inline = True

autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False

# Types of Python, numpy and the solvers have no page here, and neither do these inner ones of signatures.
nitpick_ignore_regex = [
    ("py:.*", r"(?!bnc2d\.).*"),
    ("py:class", r"bnc2d\..*\.(AnyBNClassifier|Base\w+|\w+Data|Budget|Case|Item|Kind|Level|Preferences)"),
    ("py:class", r"bnc2d\..*\.(Run|Source|_Literals)"),
]


def _exported(app: Sphinx, env: BuildEnvironment, node: pending_xref, content: Any) -> Any:
    """Find what a module deep inside defines and ``bnc2d`` exports, under the name that it has here."""
    name = node.get("reftarget", "").rpartition(".")[2]
    if node.get("refdomain") != "py" or name not in bnc2d.__all__:
        return None
    domain = env.domains["py"]
    found = domain.resolve_any_xref(env, node["refdoc"], app.builder, f"bnc2d.{name}", node, content)
    return found[0][1] if found else None


def setup(app: Sphinx) -> None:
    """Register what is above."""
    app.connect("missing-reference", _exported)
