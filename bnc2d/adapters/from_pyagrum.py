"""Convert a pyAgrum model in memory; the object is read by its methods, so pyAgrum is never imported here."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from bnc2d.errors import UnsupportedError
from bnc2d.formats.parsing.assemble import warn_of_misses
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable


def from_pyagrum(bn: Any, *, normalise: bool = False) -> BayesianNetwork:
    """Return the network of a ``pyagrum.BayesNet``, with exact entries.

    Variables come in the order of their node ids, states in that of ``labels()`` (whatever the kind of
    variable), parents in the order in which pyAgrum's table names them. Noisy-or gates, logits and
    aggregators become full tables. A float counts as its shortest decimal text. Columns that miss 1 by at
    most 1e-6, as learnt ones do, are normalised exactly with one ``NormalisationWarning``; a larger miss
    raises ``NetworkError`` unless ``normalise``.
    """
    class_names = {one.__name__ for one in type(bn).__mro__ if one.__module__.split(".")[0] == "pyagrum"}
    if "IBayesNet" not in class_names:  # the base of BayesNet and BayesNetFragment
        found = f"{type(bn).__module__}.{type(bn).__qualname__}"
        raise UnsupportedError(f"from_pyagrum converts a pyagrum.BayesNet, not {found}")
    cpts = []
    misses: dict[str, Fraction] = {}
    for node in sorted(bn.nodes()):
        table = bn.cpt(node)
        # The child is the first variable. [:] and not toarray(), which reads noise for gates and aggregators.
        child, *parents = [Variable(axis.name(), axis.labels()) for axis in table.variablesSequence()]
        entries = np.moveaxis(np.transpose(table[:]), 0, -1).ravel().tolist()  # its axes are in reverse order
        cpt, misses[child.name] = CPT.from_numbers(child, parents, entries, normalise=normalise)
        cpts.append(cpt)
    warn_of_misses(misses)
    return BayesianNetwork([cpt.child for cpt in cpts], cpts, name=bn.propertyWithDefault("name", ""))
