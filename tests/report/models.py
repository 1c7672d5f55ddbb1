"""Models whose pages are tested."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import bnc2d
from bnc2d.api.compiled_model import CompiledModel
from tests.explain.learnt import learnt_tan, some_rows

# The first states are never met together.
FEW_ROWS = [row for row in some_rows(1, 60, 8, 3, 3) if row["X0"] != "0"]


def diagnosis() -> CompiledModel:
    """Return the example of the paper."""
    model: CompiledModel = bnc2d.Classifier(bnc2d.example("diagnosis"), "D", ["BP", "CT", "HR"]).compile()
    return model


def hostile() -> CompiledModel:
    """Return a model whose names try to leave the place they are put in."""
    first = bnc2d.Variable("<script>window.x=1</script>", ("</script><script>window.x=2</script>", "\"';--"))
    second = bnc2d.Variable(
        "\u2028🦉 é &lt; {{script}} \u202e", ("<!--", "]]>", "<img src=x onerror=window.x=3>")
    )
    target = bnc2d.Variable("<title>T</title>", ("<b>no</b>", "__proto__"))
    half = [Fraction(1, 2)] * 2
    cpts = [
        bnc2d.CPT(target, (), half),
        bnc2d.CPT(first, (target,), [Fraction(n, 10) for n in (2, 8, 7, 3)]),
        bnc2d.CPT(second, (target,), [Fraction(n, 10) for n in (1, 1, 8, 4, 5, 1)]),
    ]
    network = bnc2d.BayesianNetwork([target, first, second], cpts, "</script><!-- --><svg onload=window.x=4>")
    model: CompiledModel = bnc2d.Classifier(network, target.name, [first.name, second.name]).compile()
    return model


def learnt(**options: Any) -> CompiledModel:
    """Return a model of three classes, learnt from few rows: most instances are impossible."""
    model: CompiledModel = learnt_tan(FEW_ROWS, 3, 3, **options).compile()
    return model


def many_states() -> CompiledModel:
    """Return a model with a feature of 60 states, of which every other one changes the decision."""
    feature, target = bnc2d.Variable("X", tuple(f"s{n}" for n in range(60))), bnc2d.Variable("Y", ("0", "1"))
    entries = [Fraction(1, 60)] * 60 + [Fraction(2 if number % 2 else 1, 90) for number in range(60)]
    cpts = [bnc2d.CPT(target, (), [Fraction(1, 2)] * 2), bnc2d.CPT(feature, (target,), entries)]
    model: CompiledModel = bnc2d.Classifier(bnc2d.BayesianNetwork([target, feature], cpts), "Y").compile()
    return model
