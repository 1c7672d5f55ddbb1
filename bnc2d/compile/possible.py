"""Which instances are possible, as a decision diagram.

A coin that nothing depends on, with more chance of one side, is decided for that side wherever an instance
has a positive probability, and by the tie rule where it has none. So the diagram of a classifier of such a
coin is that of the possible instances. Only which entries are zero matters: the others are made equal.
"""

from __future__ import annotations

from fractions import Fraction

from bnc2d.compile.compiler import compile_classifier
from bnc2d.compile.diagram import Diagram
from bnc2d.model.classifier import Classifier
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable


def possible_instances(
    classifier: Classifier, time_limit: float | None = None, memory_limit: int | None = None
) -> Diagram:
    """Return the diagram over the features that leads possible instances to 1 and the others to 0.

    Beyond a limit, as for ``compile_classifier``, ``LimitExceeded`` is raised.
    """
    network = classifier.network
    relevant = network.ancestors([classifier.target, *classifier.features])
    cpts = [_support(network.cpt(name)) for name in network.names if name in relevant]
    coin = Variable("".join(relevant) + "!", ("impossible", "possible"))  # a name that no other has
    cpts.append(CPT(coin, (), [Fraction(1, 4), Fraction(3, 4)]))
    wide = BayesianNetwork([cpt.child for cpt in cpts], cpts)
    tossed = Classifier(wide, coin.name, classifier.features)
    return compile_classifier(tossed, time_limit=time_limit, memory_limit=memory_limit).diagram


def _support(cpt: CPT) -> CPT:
    """Return a table with the same zeros; the other entries of each column are equal."""
    *parents, child = cpt.scope
    columns = (cpt.exact != 0).reshape(-1, len(child)).tolist()
    return CPT(child, parents, [Fraction(entry, sum(column)) for column in columns for entry in column])
