"""``predict`` of whatever decides classes: answers by name, in the form in which the instances came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.readers.arguments import items, named, wrong
from bnc2d.base.readers.instances import (
    AnyInstances,
    Encoded,
    Form,
    Instance,
    Instances,
    StateArray,
    in_the_same_form,
)
from bnc2d.base.readers.numbers import exact
from bnc2d.base.readers.states import find_state
from bnc2d.base.scales import Label, labels_of, scale_of
from bnc2d.errors import ClassifierError, did_you_mean

if TYPE_CHECKING:
    import pandas as pd


class Predicting:
    """What decides rows of state positions, and so instances in every form."""

    def _target(self) -> tuple[str, tuple[str, ...]]:
        """Return the name of the target and the names of the classes."""
        raise NotImplementedError

    def _decided(self, instances: object) -> tuple[Encoded, NDArray[np.signedinteger[Any]]]:
        """Return rows, and the position of the class of each, -1 or the number of classes for none."""
        raise NotImplementedError

    def label(self, name: object) -> int:
        """Return the position of a class; an unknown one is an error."""
        target, classes = self._target()
        position = find_state(classes, name)
        if position is None:
            hint = did_you_mean(name, classes)
            raise ClassifierError(f"the target {target!r} has no class {named(name)}{hint}")
        return position

    @overload
    def predict(self, instances: Instance) -> Label | None: ...
    @overload
    def predict(self, instances: Instances) -> list[Label | None]: ...
    @overload
    def predict(self, instances: StateArray) -> NDArray[np.generic]: ...
    @overload
    def predict(self, instances: pd.DataFrame) -> pd.Series: ...
    @overload
    def predict(self, instances: pd.Series[Any]) -> Label | None: ...
    def predict(self, instances: object) -> object:
        """Return the class of each instance, or None where a tie leaves it in no class.

        A class is its name; where the target was made from a column of labels, the label in its own type.

        One instance, a dict or a pandas Series, gives a name; a list of them gives a list, an integer array
        an object array, a data frame a series with its index. An array of one axis is one instance. Where a
        partial instance leaves features missing, what is known decides: the largest ``P(class | known)``.
        """
        encoded, labels = self._decided(instances)
        target, classes = self._target()
        own = labels_of(classes)
        answers = in_the_same_form(decision_array(own)[labels], encoded.form, instances, target)
        if scale_of(classes) is None or encoded.form not in (Form.ARRAY, Form.FRAME):
            return answers
        return answers.infer_objects() if encoded.form is Form.FRAME else np.array(answers.tolist())

    @property
    def classes_(self) -> NDArray[np.generic]:
        """The classes, in the order of ``predict_proba``'s columns, as scikit-learn has them."""
        return np.array(list(labels_of(self._target()[1])))

    def predict_proba(self, instances: AnyInstances) -> NDArray[np.float64]:
        """Return ``P(class | instance)`` as an array ``[instance, class]``, classes as in ``classes_``.

        An impossible instance gives zeros (see ``Classifier.posterior``, which also gives fractions).
        """
        raise NotImplementedError

    def score(self, instances: AnyInstances, y: object, sample_weight: object = None) -> float:
        """Return the accuracy on instances with known classes ``y``, each a label or the name of a class.

        ``sample_weight`` has a number for each instance. An instance in no class is not decided rightly.
        """
        _, labels = self._decided(instances)
        truth = [self.label(one) for one in items(y, "y", "a list of classes")]
        if len(truth) != len(labels):
            raise ClassifierError(f"y has {len(truth)} classes for {len(labels)} instances")
        if not truth:
            raise ClassifierError("there is no instance to score")
        weights = _sample_weights(sample_weight, len(truth))
        return float(weights[labels == np.array(truth)].sum() / weights.sum())


def _sample_weights(given: object, size: int) -> NDArray[np.float64]:
    if given is None:
        return np.ones(size)
    expected = f"a list of {size} numbers, none negative and not all 0"
    try:
        found = np.array([float(exact(one)) for one in items(given, "sample_weight", expected)])
    except (ValueError, OverflowError):
        raise wrong("sample_weight", given, expected) from None
    if len(found) != size or found.min() < 0 or not found.sum() > 0:
        raise wrong("sample_weight", given, expected)
    return found


def decision_array(decisions: Sequence[object]) -> NDArray[np.object_]:
    """Return classes by position, and None at the end, for no class."""
    found = np.empty(len(decisions) + 1, dtype=object)
    found[:-1] = decisions
    return found
