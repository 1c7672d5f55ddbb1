"""Tree-augmented naive Bayes by pyAgrum: ``BNClassifier`` finds the tree, ``BNLearner`` the tables."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from fractions import Fraction
from math import isclose
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.readers.numbers import exact
from bnc2d.errors import ClassifierError, MissingExtraError
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable

if TYPE_CHECKING:
    import pandas as pd

_TARGET = "y"
_FLOAT_NOISE = 1e-9


def train_tan(
    features: Sequence[Variable],
    target: Variable,
    codes: NDArray[np.intp],
    classes: NDArray[np.intp],
    alpha: float,
) -> tuple[BayesianNetwork, str]:
    """Return the network in which each feature has the target and at most one feature as parents.

    The tables are the counts plus ``alpha``, exactly; they are compared with those of pyAgrum.
    """
    if (codes < 0).any():
        remedy = "missing='state' makes one of what is missing, missing='drop' drops rows"
        raise ClassifierError(f"structure='tan' needs a value in every row: {remedy}")
    pyagrum, skbn = _libraries()
    import pandas as pd

    names = [f"x{position}" for position in range(len(features))]
    whole = np.column_stack([codes, classes])
    # Texts that read as no numbers, so that pyAgrum takes them as labels.
    frame = pd.DataFrame(np.char.add("s", whole.astype(str)), columns=[*names, _TARGET], dtype=object)
    parents = _parents(skbn, frame, names, alpha)
    variables = dict(zip([*names, _TARGET], [*features, target], strict=True))
    template = pyagrum.BayesNet()
    for name, variable in variables.items():  # a state that no row has is one all the same
        states = [f"s{position}" for position in range(len(variable))]
        template.add(pyagrum.LabelizedVariable(name, name, states))
    for name, above in parents.items():
        for parent in above:
            template.addArc(parent, name)
    learner = pyagrum.BNLearner(frame, template)
    learner.useSmoothingPrior(alpha)
    learnt = learner.learnParameters(template.dag())
    columns = {name: whole[:, position] for position, name in enumerate(variables)}
    cpts = [
        _table(name, [*above, name], variables, columns, exact(alpha), learnt)
        for name, above in parents.items()
    ]
    network = BayesianNetwork([target, *features], cpts, name="TAN")
    return network, f"pyAgrum {pyagrum.__version__}"


def _libraries() -> tuple[Any, Any]:
    """Return pyAgrum and its part for scikit-learn; their types differ between releases."""
    with warnings.catch_warnings():
        # Where warnings are errors, one while pyAgrum is loaded ends the process.
        warnings.simplefilter("ignore")
        try:
            import pyagrum
            from pyagrum import skbn
        except ImportError:
            raise MissingExtraError("pyAgrum", "data") from None
    return pyagrum, skbn


def _parents(skbn: Any, frame: pd.DataFrame, names: Sequence[str], alpha: float) -> dict[str, list[str]]:
    """Return the parents of each variable, the target first, then the feature that pyAgrum chose."""
    found: dict[str, list[str]] = {_TARGET: [], **{name: [_TARGET] for name in names}}
    if len(names) == 1:  # which pyAgrum does not take
        return found
    network = fitted_tree(skbn, frame[list(names)], frame[_TARGET], prior="Smoothing", priorWeight=alpha)
    for name in names:
        above = (network.variable(node).name() for node in network.parents(name))
        found[name] += [parent for parent in above if parent != _TARGET]
    return found


def fitted_tree(skbn: Any, frame: pd.DataFrame, classes: pd.Series[Any], **options: object) -> Any:
    """Return the network of the TAN that pyAgrum fits, in any of its releases."""
    make = getattr(skbn, "createBNClassifier", skbn.BNClassifier)  # until pyAgrum 3 the latter alone
    fitted = make(learningMethod="TAN", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of many classes
        fitted.fit(frame, classes)
    return fitted.bn_ if hasattr(fitted, "bn_") else fitted.bn


def _table(
    name: str,
    scope: Sequence[str],
    variables: dict[str, Variable],
    columns: dict[str, NDArray[np.intp]],
    alpha: Fraction,
    learnt: Any,
) -> CPT:
    """Return the table of counts plus alpha, once it is known to be the one that was learnt."""
    shape = tuple(len(variables[one]) for one in scope)
    flat = np.ravel_multi_index([columns[one] for one in scope], shape)
    counts = np.bincount(flat, minlength=int(np.prod(shape))).reshape(-1, shape[-1])
    entries: list[Fraction] = []
    for row in counts.tolist():
        total = sum(row) + alpha * len(row)
        entries += [(count + alpha) / total for count in row]
    table = learnt.cpt(name)
    order = [table.names.index(one) for one in scope]  # numpy's axes are in reverse order of the names
    theirs = np.transpose(np.transpose(table[:]), order).ravel().tolist()
    if not all(isclose(ours, one, rel_tol=_FLOAT_NOISE) for ours, one in zip(entries, theirs, strict=True)):
        raise ClassifierError(
            f"the table of {variables[name].name!r} that pyAgrum learnt is not that of its counts"
        )
    return CPT(variables[name], [variables[one] for one in scope[:-1]], entries)
