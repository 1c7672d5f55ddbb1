"""The part of a classifier that decides: what the features leave connected to the target.

With every feature observed, tables are connected only through unobserved variables, and ``P(y, x)`` is a
product of independent parts. Only the target's part depends on ``y``. Where the others are positive they
cancel in every comparison, so features that only they mention cannot matter: exactly those that the other
features d-separate from the target (Lauritzen, Dawid, Larsen and Leimer 1990: separation in the moral graph
of the ancestors). Where they are zero the instance is impossible and the tie rule decides; so of the other
parts, only the tables with zeros are kept (``zeros``).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.inference import independent_parts
from bnc2d.model.network import BayesianNetwork


@dataclass(frozen=True)
class TargetPart:
    """A classifier with fewer features that decides every possible instance as the ``whole`` one does.

    An instance that the ``zero_tables`` make impossible is decided by the tie rule. Without them and with all
    features, ``classifier`` is the whole one.
    """

    whole: BaseClassifier
    classifier: BaseClassifier
    zero_tables: tuple[CPT, ...]


def target_part(whole: BaseClassifier) -> TargetPart:
    """Return the target's part of a classifier."""
    network = whole.network
    own, *others = independent_parts(network, whole.target, whole.features)
    if not others:
        return TargetPart(whole, whole, ())
    with_zeros = [cpt for part in others for cpt in part if 0 in cpt.exact]
    zero_tables = tuple(sorted(with_zeros, key=lambda cpt: network.index(cpt.child)))
    tables = {cpt.child.name: cpt for cpt in own}
    mentioned = {variable.name for cpt in tables.values() for variable in cpt.scope}
    features = [name for name in whole.features if name in mentioned] or [whole.features[0]]
    variables = [v for v in network.variables if v.name in mentioned or v.name == features[0]]
    for variable in variables:
        if variable.name not in tables:  # a feature whose own table is in another part
            tables[variable.name] = CPT(variable, (), [Fraction(1, len(variable))] * len(variable))
    part = BayesianNetwork(variables, [tables[variable.name] for variable in variables], network.name)
    classifier = BaseClassifier(part, whole.target, features, whole.threshold, whole.positive, whole.ties)
    return TargetPart(whole, classifier, zero_tables)
