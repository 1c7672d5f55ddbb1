"""The network that the compilers work on: pruned, with every feature a leaf.

Step 1 of Zhang and Darwiche (2026), and the copy of inner features that lets the rest of the paper assume
leaves.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from bnc2d.base.masks import Mask, StateCounts, VariableId
from bnc2d.compile.graph.jointree import families
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable


@dataclass(frozen=True)
class Prepared:
    """A classifier's pruned network; ``features`` are leaves of it, in the classifier's order.

    Compilers know a variable, and the table of which it is the child, by its position in the network.
    """

    network: BayesianNetwork
    target: str
    features: tuple[str, ...]

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
