"""A circuit in a file, in the form that the ending of its name asks for."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import partial
from io import StringIO
from typing import TypeAlias

from bnc2d.base.atomic import atomic_write
from bnc2d.base.readers.arguments import one_of, path_name
from bnc2d.errors import FormatError
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.circuit.picture import to_dot, to_svg
from bnc2d.logic.convert.cnf import to_cnf
from bnc2d.logic.convert.data import to_dict
from bnc2d.logic.convert.nnf_file import write_nnf
from bnc2d.logic.convert.weighted_cnf import WEIGHT_FORMATS, WeightFormat, to_weighted_dimacs

Render: TypeAlias = Callable[[Manager, NodeId], str]


def to_dimacs(manager: Manager, root: NodeId) -> str:
    """Return the clauses of ``to_cnf`` as DIMACS text; comments name the one-hot variables."""
    text = StringIO()
    to_cnf(manager, root).to_fp(text)
    return text.getvalue()


def to_json(manager: Manager, root: NodeId) -> str:
    """Return the data of ``to_dict`` as JSON."""
    return json.dumps(to_dict(manager, root)) + "\n"


_TEXTS: dict[str, Render] = {
    ".cnf": to_dimacs,
    ".dimacs": to_dimacs,
    ".dot": to_dot,
    ".gv": to_dot,
    ".json": to_json,
    ".svg": to_svg,
}
_NNF = (".nnf", ".nnf.gz")


def save_circuit(
    manager: Manager,
    root: NodeId,
    path: str | os.PathLike[str],
    weights: object = None,
    weight_format: WeightFormat = "mcc",
) -> None:
    """Write the circuit in one step; an ending that no form has is an error that names those there are."""
    name = path_name(path)
    one_of(weight_format, WEIGHT_FORMATS, "weight_format")
    lower = name.lower()
    is_nnf = lower.endswith(_NNF)
    render = None if is_nnf else _TEXTS.get(os.path.splitext(lower)[1])
    if render is None and not is_nnf:
        known = " ".join((*_NNF, *_TEXTS))
        raise FormatError(f"unknown ending; a circuit is saved as {known}", name)
    if weights is not None:
        if render is not to_dimacs:
            raise FormatError("weights go into .cnf and .dimacs files only", name)
        render = partial(to_weighted_dimacs, weights=weights, form=weight_format)
    if render is None:
        write_nnf(manager, root, name)
        return
    try:
        data = render(manager, root).encode()
    except UnicodeEncodeError:
        raise FormatError("a name in the circuit has no UTF-8 form", name) from None
    atomic_write(name, data)
