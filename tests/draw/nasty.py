"""Networks whose names would break out of a picture that did not escape them."""

from __future__ import annotations

from fractions import Fraction

from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable
from bnc2d.testing import random_network

NASTY = ['<script>alert("1")</script>', "a&b\"'", "]]>", "tab\tnew\nline\x00\x1b\ud800", "W" * 3000, "back\\"]


def named(names: list[str]) -> BayesianNetwork:
    """A naive Bayes network whose variables have these names."""
    variables = [Variable(name, ("0", "1")) for name in names]
    root = variables[0]
    entries = [Fraction(entry, 10) for entry in (1, 9, 8, 2)]
    cpts = [CPT(root, (), [Fraction(1, 2)] * 2)]
    cpts += [CPT(child, (root,), entries) for child in variables[1:]]
    return BayesianNetwork(variables, cpts, names[0])


def large() -> BayesianNetwork:
    """A network of 701 variables, with a name that is markup and a variable that has a control character."""
    network = random_network(3, variables=700, max_parents=1)
    bad = Variable("bad\x00 <target>", ("0", "1"))
    cpts = [*network.cpts, CPT(bad, (), [Fraction(1, 2)] * 2)]
    return BayesianNetwork([*network.variables, bad], cpts, "<b>large</b>")
