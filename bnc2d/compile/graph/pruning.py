"""What the compilers work on: the part of a classifier that decides, pruned, with every feature a leaf.

With every feature observed, tables are connected only through unobserved variables, and ``P(y, x)`` is a
product of independent parts. Only the target's part depends on ``y``. Where the others are positive they
cancel in every comparison, so features that only they mention cannot matter: exactly those that the other
features d-separate from the target (Lauritzen, Dawid, Larsen and Leimer 1990: separation in the moral graph
of the ancestors). Where they are zero the instance is impossible and the tie rule decides; so of the other
parts, only the tables with zeros are kept (``zeros``).

Step 1 of Zhang and Darwiche (2026) drops leaves of that part; copies of inner features let the rest of the
paper assume that features are leaves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.masks import Mask, StateCounts, VariableId
from bnc2d.base.records import record
from bnc2d.compile.graph.jointree import families
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.inference import independent_parts
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

StateIds: TypeAlias = NDArray[np.intp]  # by state of a variable: the state that stands for it


@record
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


@record
class Prepared:
    """A classifier's pruned network; ``features`` are leaves of it, in the classifier's order.

    Compilers know a variable, and the table of which it is the child, by its position in the network. Where
    its states were merged (``alike_states``), ``merged`` says what each old state has become.
    """

    network: BayesianNetwork
    target: str
    features: tuple[str, ...]
    merged: Mapping[VariableId, StateIds] = field(default_factory=dict)

    @cached_property
    def ids(self) -> dict[str, VariableId]:
        """The position of each variable, by its name."""
        return {name: position for position, name in enumerate(self.network.names)}

    @cached_property
    def target_id(self) -> VariableId:
        """The position of the target."""
        return self.ids[self.target]

    @cached_property
    def feature_ids(self) -> tuple[VariableId, ...]:
        """The positions of the features."""
        return tuple(self.ids[name] for name in self.features)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of states of each variable."""
        return tuple(len(variable) for variable in self.network.variables)

    @cached_property
    def counts(self) -> StateCounts:
        """The number of instances of sets of variables."""
        return StateCounts(self.sizes)

    @cached_property
    def scopes(self) -> list[Mask]:
        """What each table mentions."""
        return families(self.network)


def prepare(classifier: BaseClassifier) -> Prepared:
    """Drop leaves that are neither feature nor target again and again, then copy inner features to leaves.

    A copy has one parent, the feature, and repeats its state, so ``P(target, copies)`` is
    ``P(target, features)``.
    """
    network = classifier.network
    kept = network.ancestors([classifier.target, *classifier.features])
    variables = [variable for variable in network.variables if variable.name in kept]
    cpts = [network.cpt(variable) for variable in variables]
    inner = {parent.name for cpt in cpts for parent in cpt.parents}
    features = []
    for name in classifier.features:
        if name in inner:
            original = network.variable(name)
            copy = Variable(_fresh_name(name, kept), original.states)
            kept.add(copy.name)
            variables.append(copy)
            cpts.append(CPT(copy, (original,), _identity(len(original))))
            features.append(copy.name)
        else:
            features.append(name)
    return Prepared(BayesianNetwork(variables, cpts, network.name), classifier.target, tuple(features))


def _fresh_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "′"
    return name


def _identity(size: int) -> list[Fraction]:
    return [Fraction(int(row == column)) for row in range(size) for column in range(size)]
