"""Units of columns of numbers: what texts show behind their cuts."""

from __future__ import annotations

from collections.abc import Mapping

from bnc2d.base.readers.arguments import mapping, named, shown
from bnc2d.base.scales import Intervals, States, scale_of
from bnc2d.errors import ClassifierError, did_you_mean
from bnc2d.model.classifier import BaseClassifier
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable


def with_units(classifier: BaseClassifier, units: Mapping[str, str]) -> BaseClassifier:
    """Return the same classifier whose features of numbers have these units, the others those they had."""
    given = mapping(
        units, "units", "a mapping from feature to unit, such as {'age': 'years'}", ClassifierError
    )
    made = {variable.name: variable for variable in classifier.network.variables}
    for name, unit in given.items():
        if name not in classifier.features:
            hint = did_you_mean(name, classifier.features)
            raise ClassifierError(f"units: {named(name)} is not a feature{hint}")
        if not isinstance(unit, str):
            raise ClassifierError(f"the unit of {name!r} must be a text, not {shown(unit)}")
        states = made[name].states
        scale = scale_of(states)
        if not isinstance(scale, Intervals):
            raise ClassifierError(f"the states of {name!r} are no intervals of numbers, so it has no unit")
        made[name] = Variable(name, States(Intervals(scale.cuts, unit=unit, missing=scale.missing), states))
    network = classifier.network
    cpts = []
    for cpt in network.cpts:
        *parents, child = (made[variable.name] for variable in cpt.scope)
        cpts.append(CPT(child, parents, cpt.exact.reshape(-1).tolist()))
    return BaseClassifier(
        BayesianNetwork(made.values(), cpts, network.name),
        classifier.target,
        classifier.features,
        classifier.threshold,
        classifier.positive,
        classifier.ties,
    )
