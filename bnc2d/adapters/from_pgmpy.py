"""Convert a pgmpy model in memory; the object is read by its attributes, so pgmpy is never imported here."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np

from bnc2d.base.scales import Intervals, Labels, States
from bnc2d.errors import NetworkError, UnsupportedError
from bnc2d.formats.parsing.assemble import warn_of_misses
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

_DISCRETE = {"DiscreteBayesianNetwork", "BayesianNetwork", "BayesianModel"}
# Some of these derive from a discrete network, in this or an earlier release, and yet hold no tables.
_NOT_DISCRETE = {"DynamicBayesianNetwork", "FunctionalBayesianNetwork", "LinearGaussianBayesianNetwork"}


def from_pgmpy(model: Any, *, normalise: bool = False) -> BayesianNetwork:
    """Return the network of a pgmpy ``DiscreteBayesianNetwork``, with exact entries.

    Its subclasses are such networks too, ``NaiveBayes`` among them: ``Classifier(net, model.dependent,
    "all")`` is its classifier. Variables come in the order of the model's nodes, states and parents in the
    order of the tables; names and states that are no strings become ``str(name)``. Such states keep their
    values: instances may have these, and a class is predicted in its own type. States that are the intervals
    of ``pandas.cut``, one after the other without a gap, stand for the numbers in them.

    A float counts as its shortest decimal text. Columns that miss 1 by at most 1e-6, as estimated ones do,
    are normalised exactly with one ``NormalisationWarning``; a larger miss raises ``NetworkError`` unless
    ``normalise``.
    """
    class_names = {one.__name__ for one in type(model).__mro__ if one.__module__.split(".")[0] == "pgmpy"}
    if not class_names & _DISCRETE or class_names & _NOT_DISCRETE:
        found = f"{type(model).__module__}.{type(model).__qualname__}"
        raise UnsupportedError(f"from_pgmpy converts a pgmpy DiscreteBayesianNetwork, not {found}")
    nodes = list(model.nodes())
    tables = {cpd.variable: cpd for cpd in model.get_cpds()}
    missing = [repr(node) for node in nodes if node not in tables]
    if missing:
        raise NetworkError(f"the model has no CPD for {', '.join(missing)}; add_cpds() or fit() it first")
    variables = {
        node: Variable(name, _states(name, tables[node]))
        for node, name in zip(nodes, _texts(nodes, "the model's nodes"), strict=True)
    }
    cpts = []
    misses: dict[str, Fraction] = {}
    for node in nodes:
        cpd = tables[node]
        _check_scope(cpd, variables, set(model.predecessors(node)))
        parents = [variables[parent] for parent in cpd.variables[1:]]  # get_evidence() lists them backwards
        child = variables[node]
        cpt, misses[child.name] = CPT.from_numbers(child, parents, _numbers(cpd), normalise=normalise)
        cpts.append(cpt)
    warn_of_misses(misses)
    return BayesianNetwork(variables.values(), cpts, name=str(getattr(model, "name", None) or ""))


def _check_scope(cpd: Any, variables: dict[Any, Variable], graph_parents: set[Any]) -> None:
    """Raise where the table's parents, or their states, are not those of the model; pgmpy need not notice."""
    name = variables[cpd.variable].name
    if set(cpd.variables[1:]) != graph_parents:
        shown = [sorted(map(str, parents)) for parents in (cpd.variables[1:], graph_parents)]
        raise NetworkError(f"the CPD of {name!r} has the parents {shown[0]}, but the graph has {shown[1]}")
    for parent, size in zip(cpd.variables[1:], cpd.cardinality[1:], strict=True):
        declared = variables[parent]
        if size != len(declared):
            expected = f"{size} states, not {len(declared)} as its own CPD does"
            raise NetworkError(f"the CPD of {name!r} gives {declared.name!r} {expected}")
        states = cpd.state_names.get(parent)
        if states is not None and tuple(map(str, states)) != declared.states:
            raise NetworkError(
                f"the CPD of {name!r} gives {declared.name!r} the states {list(states)}, "
                f"but its own CPD has {list(declared.states)}; use the same states in the same order"
            )


def _states(name: str, cpd: Any) -> tuple[str, ...]:
    """Return the states of the table's variable: their names where it has any, otherwise 0, 1, ..."""
    if all(kind.__name__ != "TabularCPD" for kind in type(cpd).__mro__):
        raise UnsupportedError(f"the CPD of {name!r} is a {type(cpd).__name__}; only TabularCPD is supported")
    states = cpd.state_names.get(cpd.variable)
    values: list[object] = list(range(cpd.variable_card) if states is None else states)
    texts = _texts(values, f"the states of {name!r}")
    if all(isinstance(value, str) for value in values):
        return texts
    return States(_intervals(values) or Labels([(value,) for value in values], names=texts), texts)


def _intervals(values: list[object]) -> Intervals | None:
    """Return the scale of the intervals that pandas cuts numbers into, None for other states."""
    if len(values) < 2 or any(
        type(value).__name__ != "Interval" or type(value).__module__.split(".")[0] != "pandas"
        for value in values
    ):
        return None
    intervals: list[Any] = list(values)
    ends = [bound for one in intervals for bound in (one.left, one.right)]
    is_half_open = all(one.closed in ("left", "right") for one in intervals)
    if not is_half_open or any(isinstance(bound, bool) or not isinstance(bound, Real) for bound in ends):
        return None
    if any(one.right != two.left or one.closed != two.closed for one, two in pairwise(intervals)):
        return None  # an interval that the data never had is no state
    return Intervals([(float(one.right), one.closed == "right") for one in intervals[:-1]])


def _texts(values: Iterable[object], what: str) -> tuple[str, ...]:
    """Return ``str`` of each value, after checking that they stay distinct."""
    found: dict[str, object] = {}
    for value in values:
        text = str(value)
        if text in found:
            raise NetworkError(f"{what} {found[text]!r} and {value!r} are both written {text!r}; rename one")
        found[text] = value
    return tuple(found)


def _numbers(cpd: Any) -> list[object]:
    """Return the entries with the child's state varying fastest; pgmpy has the child's axis first."""
    entries = np.moveaxis(np.asarray(cpd.values), 0, -1).ravel()
    if entries.dtype == np.float32:  # its shortest text is the number that was meant; as a float64 it is not
        return [str(entry) for entry in entries]
    return list(entries.tolist())
