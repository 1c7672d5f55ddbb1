"""``predict`` of whatever decides classes: answers by name, in the form in which the instances came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.readers.arguments import named
from bnc2d.base.readers.instances import Encoded, Instance, Instances, StateArray, in_the_same_form
from bnc2d.base.readers.states import find_state
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
    def predict(self, instances: Instance) -> str | None: ...
    @overload
    def predict(self, instances: Instances) -> list[str | None]: ...
    @overload
    def predict(self, instances: StateArray) -> NDArray[np.object_]: ...
    @overload
    def predict(self, instances: pd.DataFrame) -> pd.Series[str]: ...
    @overload
    def predict(self, instances: pd.Series[Any]) -> str | None: ...
    def predict(self, instances: object) -> object:
        """Return the class of each instance by name, or None where a tie leaves it in no class.

        One instance, a dict or a pandas Series, gives a name; a list of them gives a list, an integer array
        an object array, a data frame a series with its index. An array of one axis is one instance. Where a
        partial instance leaves features missing, what is known decides: the largest ``P(class | known)``.
        """
        encoded, labels = self._decided(instances)
        target, classes = self._target()
        names = np.array([*classes, None], dtype=object)[labels]
        return in_the_same_form(names, encoded.form, instances, target)
