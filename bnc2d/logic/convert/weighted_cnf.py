"""DIMACS with weights, for weighted model counters: the weighted count of the file is that of the circuit.

Every instance is exactly one model of the clauses (see ``Tseitin``), so only the one-hot variables need
weights. Numbers are decimals of any length; where those of a feature have none (1/3), or are too large for
the convention, they are written times a number, and a comment ``c bnc2d factor F`` says by which factor to
multiply the count of the file.

``mcc`` is the convention of the model counting competitions since 2021 (d4, ganak, sharpSAT-TD): a weight for
each literal, ``c p weight LITERAL WEIGHT 0``, and 1 where none is given.

``cachet`` is that of Cachet: ``w VARIABLE WEIGHT``, where the negative literal weighs 1 less the weight, and
-1 says that both weigh 1. There a state has a variable more that carries its weight and must be true with it;
otherwise it is free, and its two literals weigh 1 together.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm
from typing import Literal, TypeAlias

from bnc2d.errors import LogicError
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.convert.cnf import to_cnf
from bnc2d.logic.convert.one_hot import OneHot
from bnc2d.logic.counting.weights import read_numbers

WeightFormat: TypeAlias = Literal["mcc", "cachet"]
WEIGHT_FORMATS = ("mcc", "cachet")


def to_weighted_dimacs(manager: Manager, root: NodeId, weights: object, form: WeightFormat) -> str:
    """Return the clauses of ``to_cnf`` with the weights of states, as DIMACS text."""
    domain = manager.domain
    numbers = read_numbers(domain, weights, "weights", 1)
    if form == "cachet":
        for name, row in zip(domain.names, numbers, strict=True):
            if min(row) < 0:
                remedy = "Cachet's lie in 0 to 1; weight_format='mcc' takes any"
                raise LogicError(f"weights of {name!r}: {min(row)} is negative, and {remedy}")
    factor = Fraction(1)
    for place, row in enumerate(numbers):
        scale = _scale(row, at_most_1=form == "cachet")
        numbers[place] = [number * scale for number in row]
        factor /= scale
    cnf, hot = to_cnf(manager, root), OneHot(domain)
    clauses, top = list(cnf.clauses), cnf.nv
    lines = []
    for variable in range(1, hot.count + 1):
        feature, state = hot.owner(variable)
        weight = numbers[feature][state]
        if weight == 1:
            continue
        if form == "mcc":
            lines += [f"c p weight {variable} {_decimal(weight)} 0", f"c p weight -{variable} 1 0"]
        else:
            top += 1
            clauses.append([-variable, top])
            lines.append(f"w {top} {_decimal(weight)}")
    if form == "cachet":
        lines = [f"w {variable} -1" for variable in range(1, cnf.nv + 1)] + lines
    return "\n".join(
        [
            *(["c t wmc"] if form == "mcc" else []),
            *([] if factor == 1 else [f"c bnc2d factor {factor}"]),
            *cnf.comments,
            f"p cnf {top} {len(clauses)}",
            *lines,
            *(" ".join(map(str, [*clause, 0])) for clause in clauses),
            "",
        ]
    )


def _scale(row: list[Fraction], *, at_most_1: bool) -> Fraction:
    """Return what to multiply numbers by so that all have finitely many decimals, and none exceeds 1."""
    denominator = lcm(*(number.denominator for number in row))
    while (common := gcd(denominator, 10)) > 1:
        denominator //= common
    scale, largest = Fraction(denominator), max(row) * denominator
    while at_most_1 and largest > 1:
        scale, largest = scale / 10, largest / 10
    return scale


def _decimal(number: Fraction) -> str:
    """Return a number of finitely many decimals as text."""
    places, unit = 0, 1
    while unit % number.denominator:
        places, unit = places + 1, unit * 10
    digits = str(abs(number.numerator) * (unit // number.denominator)).rjust(places + 1, "0")
    text = f"{digits[:-places]}.{digits[-places:]}" if places else digits
    return f"-{text}" if number < 0 else text
