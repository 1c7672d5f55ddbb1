"""Whether arrays are a circuit: what every producer of ``CircuitArrays`` must keep to."""

from __future__ import annotations

import numpy as np

from bnc2d.errors import LogicError
from bnc2d.logic.circuit.arrays import CircuitArrays
from bnc2d.logic.circuit.manager import Manager


def checked_for(arrays: CircuitArrays, manager: Manager) -> CircuitArrays:
    """Return the circuit itself where it is one over the manager's domain; raise LogicError else."""
    literals, gates, domain = len(arrays.masks), len(arrays.is_or), manager.domain
    columns = (arrays.features, arrays.starts, arrays.children, arrays.roots)
    if any(column.ndim != 1 or column.dtype.kind not in "iu" for column in columns):
        raise LogicError("the columns of a circuit must be lists of integers")
    if arrays.is_or.ndim != 1 or arrays.is_or.dtype != np.bool_ or len(arrays.features) != literals:
        raise LogicError("the columns of a circuit do not fit together")
    if len(arrays.starts) != gates + 1 or arrays.starts[0] != 0 or arrays.starts[-1] != len(arrays.children):
        raise LogicError("the children of the gates are not where the circuit says")
    if (np.diff(arrays.starts) < 0).any():
        raise LogicError("the children of a gate end before they begin")
    for feature, mask in zip(arrays.features.tolist(), arrays.masks, strict=True):
        if not 0 <= feature < len(domain) or type(mask) is not int or not 0 < mask < domain.full(feature):
            raise LogicError("a literal has no feature of the domain, or no proper set of its states")
    owners = np.repeat(np.arange(gates) + arrays.first_gate, np.diff(arrays.starts))
    if ((arrays.children < 0) | (arrays.children >= owners)).any():
        raise LogicError("a child does not come before its gate")
    if ((arrays.roots < 0) | (arrays.roots >= arrays.first_gate + gates)).any():
        raise LogicError("a root is no node of the circuit")
    return arrays
