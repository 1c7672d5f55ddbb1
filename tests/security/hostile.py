"""A network whose names try everything: markup, quotes, templates, and codes that steer a terminal."""

from __future__ import annotations

from fractions import Fraction

from bnc2d import CPT, BayesianNetwork, Variable

# Escape sequences in both forms (ESC [ and the one character CSI), a bell, a reversed reading order.
STEERING = "\x1b[31m\x1b]0;title\x07\x9b2J\u202e\x7f\r"
MARKUP = "</script><script>alert(1)</script><img src=x onerror='alert(2)'>\"'&amp;]]><!--[bold]{{title}}\\"
HOSTILE = MARKUP + STEERING


def hostile_network() -> BayesianNetwork:
    """Return a target with three states and two features, every name hostile in full."""

    def variable(name: str, *states: str) -> Variable:
        return Variable(name + HOSTILE, tuple(state + HOSTILE for state in states))

    def table(text: str) -> list[Fraction]:
        return [Fraction(word) for word in text.split()]

    target, first, second = (
        variable("T", "a", "b", "c"),
        variable("A", "0", "1", "2"),
        variable("B", "x", "y"),
    )
    cpts = [
        CPT(target, [], table("0.4 0.3 0.3")),
        CPT(first, [target], table("0.1 0.2 0.7 0.6 0.3 0.1 0.2 0.5 0.3")),
        CPT(second, [target], table("0.1 0.9 0.8 0.2 0.4 0.6")),
    ]
    return BayesianNetwork([target, first, second], cpts, "net" + HOSTILE)


def instance(network: BayesianNetwork) -> dict[str, str]:
    """Return the first states of the features."""
    return {variable.name: variable.states[0] for variable in network.variables[1:]}
