"""Convert a pyAgrum model in memory, read by its methods: pyAgrum is never loaded by this module."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from importlib import import_module
from math import ceil, inf, isnan, nextafter
from typing import Any, NamedTuple, Protocol, overload

import numpy as np

from bnc2d.api.classifier import Classifier
from bnc2d.base.readers.arguments import shown
from bnc2d.base.scales import Intervals, Labels, Scale, States
from bnc2d.errors import ClassifierError, UnsupportedError
from bnc2d.formats.parsing.assemble import warn_of_misses
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

_FLOAT_NOISE = Fraction(1, 10**12)  # what learning leaves a column away from 1


class AnyBNClassifier(Protocol):
    """What tells a ``pyagrum.skbn.BNClassifier`` from a network."""

    @property
    def threshold_(self) -> Any:
        """The learnt threshold."""


@overload  # what follows is for all the rest
def from_pyagrum(model: AnyBNClassifier, *, normalise: bool = False) -> Classifier: ...  # type: ignore[overload-overlap]
@overload
def from_pyagrum(model: object, *, normalise: bool = False) -> BayesianNetwork: ...
def from_pyagrum(model: Any, *, normalise: bool = False) -> BayesianNetwork | Classifier:
    """Return the network of a ``pyagrum.BayesNet``, or the classifier of a fitted ``skbn.BNClassifier``.

    **A network** has exact entries; a float counts as its shortest decimal text. Variables come in the order
    of their node ids, states are named as in ``labels()``, parents come in the order in which pyAgrum's table
    names them. Noisy-or gates, logits and aggregators become full tables. States of discretized, integer,
    range and numerical variables also stand for their numbers: raw values go in, and intervals come out.
    Columns that miss 1 by at most 1e-6 are normalised exactly with one ``NormalisationWarning``; a larger
    miss raises ``NetworkError`` unless ``normalise``.

    **A classifier** decides complete rows as the ``BNClassifier`` does. Its features are the Markov blanket
    of the target, which is all that pyAgrum looks at (all columns where the blanket is empty), in the order
    of the columns; its classes are the labels that ``predict`` gives, integers as integers. pyAgrum decides
    for ``label_`` where ``round(P, significant_digit) >= threshold_``; ``threshold`` is the number that P
    must exceed for that. With more classes than two the most probable one wins, the first of equals. What
    pyAgrum refuses may have an answer: missing values are summed out, numbers outside the ticks belong to
    the first or last interval, and an impossible row is decided by the tie rule. The network is the whole
    one. Only where tables besides those of the target and its children have zeros, which pyAgrum does not
    look at, such variables become uniform, as they are in its Markov blanket.

    Raises ``ClassifierError`` for a classifier that is not fitted, and ``UnsupportedError`` for one that
    gives every row the same class whatever its probabilities, for one of a trained model with more than two
    classes that only says whether a row is in one of them, and for any other object.
    """
    names = {one.__name__ for one in type(model).__mro__ if one.__module__.split(".")[0] == "pyagrum"}
    if "BNClassifier" in names:
        read = _FittedClassifier(model)
        network, misses = _network(read.bn, read.states, normalise)
        warn_of_misses({name: miss for name, miss in misses.items() if miss > _FLOAT_NOISE})
        return read.classifier(network)
    if "IBayesNet" not in names:  # the base of BayesNet and BayesNetFragment
        found = f"{type(model).__module__}.{type(model).__qualname__}"
        expected = "a pyagrum.BayesNet or a fitted pyagrum.skbn.BNClassifier"
        raise UnsupportedError(f"from_pyagrum converts {expected}, not {found}")
    network, misses = _network(model, _named_states, normalise)
    warn_of_misses(misses)
    return network


def _network(
    bn: Any, states_of: Callable[[Any], tuple[str, ...]], normalise: bool
) -> tuple[BayesianNetwork, dict[str, Fraction]]:
    """Return the network, and by how much the columns of each table missed 1."""
    cpts = []
    misses: dict[str, Fraction] = {}
    variables: dict[str, Variable] = {}

    def variable(axis: Any) -> Variable:
        name = axis.name()
        if name not in variables:
            variables[name] = Variable(name, states_of(axis))
        return variables[name]

    for node in sorted(bn.nodes()):
        table = bn.cpt(node)
        # The child is the first variable. [:] and not toarray(), which reads noise for gates and aggregators.
        child, *parents = [variable(axis) for axis in table.variablesSequence()]
        entries = np.moveaxis(np.transpose(table[:]), 0, -1).ravel().tolist()  # its axes are in reverse order
        cpt, misses[child.name] = CPT.from_numbers(child, parents, entries, normalise=normalise)
        cpts.append(cpt)
    network = BayesianNetwork([cpt.child for cpt in cpts], cpts, name=bn.propertyWithDefault("name", ""))
    return network, misses


def _named_states(axis: Any) -> tuple[str, ...]:
    """Return the states of a variable as pyAgrum names them, with its numbers where it has some."""
    labels = tuple(axis.labels())
    scale = _scale(axis, labels)
    return labels if scale is None else States(scale, labels)


def _scale(axis: Any, labels: Sequence[str]) -> Scale | None:
    """Return what numbers mean to a variable; None where it has labels alone."""
    gum = import_module("pyagrum")  # loaded long since: the variable is of it
    kind = axis.varType()
    if kind == gum.VarType_DISCRETIZED:
        return Intervals(axis.ticks()[1:-1])  # a tick is the first number of the interval after it
    if kind == gum.VarType_LABELIZED:
        return None
    numbers = [axis.numerical(position) for position in range(len(labels))]
    whole = kind != gum.VarType_NUMERICAL
    return Labels([int(number) if whole else number for number in numbers], names=labels)


class _Rule(NamedTuple):
    """How a binary classifier decides: ``positive`` where its probability exceeds the threshold."""

    threshold: Fraction
    positive: str


class _FittedClassifier:
    """What a fitted ``BNClassifier`` knows, under the names of any release."""

    def __init__(self, fitted: Any) -> None:
        self._fitted = fitted
        self.bn = self._attribute("bn")
        blanket = self._attribute("MarkovBlanket")
        if self.bn is None or blanket is None:
            raise ClassifierError(
                "the BNClassifier is not fitted; call its fit() or fromTrainedModel() first"
            )
        self.target = str(self._attribute("target"))
        is_binary = getattr(fitted, "isBinaryClassifier", True)  # until pyAgrum 3; then its label says so
        self._label = str(self._attribute("label") or "") if is_binary else ""
        self._labels = tuple(self.bn.variable(self.target).labels())
        columns = self._attribute("variableNameIndexDictionary")
        in_order = sorted(columns, key=columns.__getitem__)
        self.features = [name for name in in_order if name in blanket.names()] or in_order
        self.class_values = self._class_values()
        self.rule = self._rule()

    def _attribute(self, name: str) -> Any:
        """Return what ``fit`` found; until pyAgrum 3 such names had no underscore at the end."""
        return getattr(self._fitted, f"{name}_", getattr(self._fitted, name, None))

    def states(self, axis: Any) -> tuple[str, ...]:
        """Return the states of a variable: classes by their labels, intervals by their numbers."""
        labels = tuple(axis.labels())
        if axis.name() == self.target:
            return States(Labels(self.class_values, names=labels))
        return States(_scale(axis, labels) or Labels(labels))

    def classifier(self, network: BayesianNetwork) -> Classifier:
        """Return the classifier over the network, or over what pyAgrum looks at of it."""
        if any(
            not network.cpt(name).exact.all() for name in network.names if not self._counts(network, name)
        ):
            network = self._blanket(network)
        threshold, positive = self.rule if self.rule is not None else (None, None)
        return Classifier(network, self.target, self.features, threshold=threshold, positive=positive)

    def _counts(self, network: BayesianNetwork, name: str) -> bool:
        """Return whether pyAgrum looks at the table of a variable when it decides."""
        return name == self.target or self.target in network.parents(name)

    def _blanket(self, network: BayesianNetwork) -> BayesianNetwork:
        """Return the target, its children with their tables and all other features, uniform."""
        parents = network.parents(self.target)
        names = {self.target, *parents, *self.features}
        cpts = []
        for variable in network.variables:
            if self._counts(network, variable.name):
                cpts.append(network.cpt(variable))
            elif variable.name in names:
                cpts.append(CPT(variable, (), [Fraction(1, len(variable))] * len(variable)))
        return BayesianNetwork([cpt.child for cpt in cpts], cpts, name=network.name)

    def _class_values(self) -> list[object]:
        """Return the classes as ``predict`` gives them, in the order of the target's labels."""
        dtype = np.dtype(self._attribute("targetType") or object)
        if dtype.kind in "iuf":
            return [dtype.type(label).item() for label in self._labels]
        if self._attribute("fromModel") and self._label:
            if len(self._labels) > 2:
                says = f"only says whether a row is {self._label!r}, out of {len(self._labels)} classes"
                remedy = f"fromTrainedModel(bn, {self.target!r}) without targetModality names the class"
                raise UnsupportedError(f"this BNClassifier {says}; {remedy}")
            return [label == self._label for label in self._labels]
        return [label == "True" for label in self._labels] if dtype.kind == "b" else list(self._labels)

    def _rule(self) -> _Rule | None:
        """Return the threshold on the positive class, or None where the most probable class wins."""
        if len(self._labels) != 2 or not self._label:
            return None
        if self._label not in self._labels:  # pyAgrum's pickles rename float classes, but not label_
            raise UnsupportedError(
                f"label_={self._label!r} of the BNClassifier is none of its target's labels "
                f"{shown(list(self._labels))}, so its own predictions are at odds with its network; "
                f"fit it again, or convert its network bn_"
            )
        threshold = float(self._attribute("threshold"))
        least = least_probability(threshold, int(self._fitted.significant_digit or 0))
        if least is None or not 0 < least < 1:
            other = next(label for label in self._labels if label != self._label)
            always = other if least is None or least > 0 else self._label
            raise UnsupportedError(
                f"the BNClassifier's threshold {threshold:g} is never crossed: it decides {always!r} "
                f"for every row; set its threshold_ between 0 and 1, or convert its network bn_"
            )
        return _Rule(least, self._label)


def least_probability(threshold: float, digits: int) -> Fraction | None:
    """Return what a probability must exceed for ``round(probability, digits) >= threshold``; None: nothing.

    Rounded to so many digits, a probability is a multiple of ``10**-digits``: it reaches the first multiple
    from the threshold on where it is half a step below, or above that. Which of the two Python says for the
    float next to that half decides whether the half itself counts.

    >>> least_probability(0.5, 2), float(least_probability(0.375, 10))
    (Fraction(99, 200), 0.37499999995)
    """
    if isnan(threshold) or threshold > 1:
        return None
    if threshold <= 0:
        return Fraction(-1)
    step = Fraction(10) ** -digits
    # A multiple reaches the threshold where its float does: half a float below it, or above that.
    multiple = ceil(_half_below(threshold) / step)
    multiple += float(multiple * step) < threshold
    half = (multiple - Fraction(1, 2)) * step
    nearest = float(half)
    # What is nearer to that float than to the one below goes with it.
    return _half_below(nearest) if round(nearest, digits) >= threshold else half


def _half_below(number: float) -> Fraction:
    return (Fraction(number) + Fraction(nextafter(number, -inf))) / 2
