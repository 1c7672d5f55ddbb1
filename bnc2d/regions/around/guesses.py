"""Which features may be given up, by guesses, where hidden variables are in the way.

Features that cost least are given up first, one after another, while no change of those given up is found
that leads to another label. What is found is true: it shows that a feature is needed. What is not found may
be there all the same, so that the set that is left is yet to be proved.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import inf
from typing import TypeAlias

from bnc2d.base.checkpoints import checkpoint
from bnc2d.regions.hidden import HiddenBounds
from bnc2d.regions.messages.passes import Question
from bnc2d.regions.region import Region, States
from bnc2d.regions.search import asking

Instance: TypeAlias = list[int]
# Whether an instance has another label.
IsOther: TypeAlias = Callable[[Instance], bool]

_NEAR = 1e-9


class Guesses:
    """Gives up features of an instance of one class; ``states`` has its own state and all that it may have.

    ``rivals`` are the other labels as bounds have them; ``witnesses`` are instances with one of them.
    """

    def __init__(
        self,
        bounds: HiddenBounds,
        label: int,
        rivals: Collection[int],
        positions: Sequence[int],
        states: Sequence[tuple[States, States]],
        is_other: IsOther,
    ) -> None:
        self._bounds = bounds
        self._positions = list(positions)
        self._states = states
        self._is_other = is_other
        self._rivals = rivals
        classes = [rival for rival in sorted(rivals) if 0 <= rival < bounds.classes]
        self._worst = {Question(label, rival): self._positions for rival in classes}
        self.witnesses: list[Instance] = []

    def add_witness(self, instance: Instance) -> None:
        """Note an instance with another label."""
        self.witnesses.append(instance)

    def needed(self, feature: int, freed: Collection[int]) -> bool:
        """Return whether a witness shows that a feature is needed, with others given up."""
        return any(
            all(
                state == own or column == feature or column in freed
                for column, (state, own) in enumerate(zip(witness, self._positions, strict=True))
            )
            for witness in self.witnesses
        )

    def give_up(self, kept: Collection[int], freed: list[int]) -> None:
        """Move features from those kept to those freed, as long as no witness is found."""
        waiting = set(kept) - set(freed)
        self._worst = {question: self._within(worst, freed) for question, worst in self._worst.items()}
        while True:
            checkpoint()
            waiting = {feature for feature in waiting if not self.needed(feature, freed)}
            if not waiting:
                return
            left = self._left(waiting)
            feature = max(waiting, key=lambda one: (left[one], one))
            if self._try(feature, freed):
                freed.append(feature)
                waiting.discard(feature)
            elif not self.needed(feature, freed):
                waiting.discard(feature)  # the worst is near, but no witness

    def _within(self, instance: Instance, freed: Collection[int]) -> Instance:
        pairs = enumerate(zip(instance, self._positions, strict=True))
        return [state if column in freed else own for column, (state, own) in pairs]

    def _left(self, features: Collection[int]) -> dict[int, float]:
        """Return what the class weighs at least, beside its rivals, after a change of one feature more."""
        region = [every for _, every in self._states]
        left = dict.fromkeys(features, inf)
        for question, worst in self._worst.items():
            with asking(self._bounds):
                changes = self._bounds.changes(worst, question, region)
            for column, ratios in changes.items():
                if column in left:
                    left[column] = min(left[column], float(ratios.min()))
        return left

    def _try(self, feature: int, freed: Sequence[int]) -> bool:
        """Return whether a feature can be given up too, as far as is found."""
        region = self._region({*freed, feature})
        with asking(self._bounds):
            impossible = self._bounds.impossible(region, self._rivals)
        if impossible is not None and self._is_other(impossible):
            self.add_witness(impossible)
            return False
        found = {}
        for question, worst in self._worst.items():
            least, where = inf, worst
            for state in region[feature].tolist():
                checkpoint()
                start = [*worst[:feature], state, *worst[feature + 1 :]]
                with asking(self._bounds):
                    instance, ratio = self._bounds.worst(region, question, start)
                if ratio < least:
                    least, where = ratio, instance
                if ratio <= 1.0 + _NEAR:
                    break
            found[question] = where
            if least <= 1.0 + _NEAR:
                if self._is_other(where):
                    self.add_witness(where)
                return False
        self._worst = found
        return True

    def _region(self, free: Collection[int]) -> Region:
        return [every if column in free else own for column, (own, every) in enumerate(self._states)]
