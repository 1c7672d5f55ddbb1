"""Which instances are possible, as a decision diagram.

A coin that nothing depends on, with more chance of one side, is decided for that side wherever an instance
has a positive probability, and by the tie rule where it has none. So the diagram of a classifier of such a
coin is that of the possible instances. Only which entries are zero matters: the others are made equal. Where
too many hidden variables have a say, and instances are few, each is asked instead.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from bnc2d.base.budget import Budget
from bnc2d.base.readers.instances import all_rows, of_positions
from bnc2d.compile.compiler import compile_classifier
from bnc2d.compile.result import diagram_of_list
from bnc2d.errors import LimitExceeded
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

_MOST_ASKED = 1 << 16


def possible_instances(
    classifier: BaseClassifier, time_limit: float | None = None, memory_limit: int | None = None
) -> Diagram:
    """Return the diagram over the features that leads possible instances to 1 and the others to 0.

    Beyond a limit, as for ``compile_classifier``, ``LimitExceeded`` is raised.
    """
    network = classifier.network
    relevant = network.ancestors([classifier.target, *classifier.features])
    cpts = [_support(network.cpt(name)) for name in network.names if name in relevant]
    coin = Variable(max(network.names, key=len) + "!", ("impossible", "possible"))  # longer than all names
    cpts.append(CPT(coin, (), [Fraction(1, 4), Fraction(3, 4)]))
    wide = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    tossed = BaseClassifier(wide, coin.name, classifier.features)
    with Budget(time_limit).limiting("which instances are possible is not known"):
        try:
            return compile_classifier(tossed, memory_limit=memory_limit).diagram
        except LimitExceeded:
            if classifier.instance_count > _MOST_ASKED:
                raise
            every = all_rows(classifier.feature_variables)
            asked = [classifier.is_possible(of_positions(rows)) for rows in every]
            return diagram_of_list(classifier, np.concatenate(asked).astype(np.int64), 2)


def _support(cpt: CPT) -> CPT:
    """Return a table with the same zeros; the other entries of each column are equal."""
    *parents, child = cpt.scope
    columns = (cpt.exact != 0).reshape(-1, len(child)).tolist()
    return CPT(child, parents, [Fraction(entry, sum(column)) for column in columns for entry in column])
