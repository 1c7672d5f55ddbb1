"""The features of a circuit and their states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any, TypeAlias

import numpy as np

from bnc2d.base.arguments import as_text, count, is_series, items, mapping, named, one_row, shown, wrong
from bnc2d.base.arrays import Rows
from bnc2d.base.truth_words import false_true
from bnc2d.errors import LogicError, UnknownNameError, did_you_mean

# What an int means in this package.
FeatureId: TypeAlias = int  # position of a feature in its domain
StateMask: TypeAlias = int  # set of states: bit i stands for state i
Instance: TypeAlias = Mapping[str, object]


class Domain:
    """Named features, each with its states, in order; immutable.

    >>> domain = Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1")})
    >>> domain.show_literal(0, 0b101), domain.show_literal(1, 0b01)
    ('BP∈{Low,High}', '¬CT')
    """

    def __init__(self, features: Mapping[str, Sequence[str]]) -> None:
        given = mapping(features, "the features of a domain", "a mapping from name to states", LogicError)
        self.names = tuple(given)
        for name in self.names:
            if not isinstance(name, str) or not name:
                raise LogicError(f"a feature's name must be a non-empty string, not {shown(name)}")
        self.states = tuple(
            tuple(items(states, f"the states of {name!r}", "a list of names", LogicError))
            for name, states in given.items()
        )
        for name, states in zip(self.names, self.states, strict=True):
            if not states or any(not isinstance(state, str) or not state for state in states):
                raise LogicError(f"feature {name!r}: states must be non-empty strings")
            if len(set(states)) != len(states):
                raise LogicError(f"feature {name!r} has a state twice")

    @cached_property
    def _index(self) -> dict[str, FeatureId]:
        return {name: position for position, name in enumerate(self.names)}

    @cached_property
    def _positions(self) -> tuple[tuple[str, dict[str, int]], ...]:
        return tuple(
            (name, {state: position for position, state in enumerate(states)})
            for name, states in zip(self.names, self.states, strict=True)
        )

    @cached_property
    def cardinalities(self) -> tuple[int, ...]:
        """The number of states of each feature."""
        return tuple(len(states) for states in self.states)

    @property
    def instance_count(self) -> int:
        """The number of instances."""
        return prod(self.cardinalities)

    def index(self, name: str) -> FeatureId:
        """Return the position of a feature."""
        try:
            return self._index[name]
        except (KeyError, TypeError):
            raise UnknownNameError(f"unknown feature {named(name)}{did_you_mean(name, self.names)}") from None

    def state_index(self, feature: FeatureId, state: object) -> int:
        """Return the position of a state; bools fit features that read as false and true."""
        try:
            states = self.states[feature]
        except (IndexError, TypeError):
            raise self._no_feature(feature) from None
        reading = false_true(states)
        text = reading[int(state)] if isinstance(state, bool) and reading else as_text(state)
        try:
            return states.index(text)
        except ValueError:
            hint = did_you_mean(text, states)
            raise UnknownNameError(f"feature {self.names[feature]!r} has no state {text!r}{hint}") from None

    def full(self, feature: FeatureId) -> StateMask:
        """Return the mask of all states."""
        try:
            return (1 << len(self.states[feature])) - 1
        except (IndexError, TypeError):
            raise self._no_feature(feature) from None

    def mask(self, feature: FeatureId, states: object) -> StateMask:
        """Return the mask of one state or of an iterable of states."""
        if isinstance(states, Iterable) and not isinstance(states, str):
            chosen = items(states, "states", "a state or a list of states", LogicError)
            return sum(1 << position for position in {self.state_index(feature, state) for state in chosen})
        return 1 << self.state_index(feature, states)

    def states_of(self, feature: FeatureId, mask: StateMask) -> tuple[str, ...]:
        """Return the states in a mask, in order."""
        bits = count(mask, "mask", most=self.full(feature), error=LogicError)
        return tuple(state for position, state in enumerate(self.states[feature]) if bits >> position & 1)

    def _no_feature(self, position: object) -> LogicError:
        return LogicError(
            f"a feature's position must be a number from 0 to {len(self.names) - 1}, not {shown(position)}"
        )

    def encode(self, instance: Instance) -> list[int]:
        """Return the state position of every feature; a missing or unknown feature is an error."""
        if type(instance) is dict and len(instance) == len(self.names):
            try:  # the plain case, many times faster: every feature by name, every state by name
                return [table[instance[name]] for name, table in self._positions]
            except (KeyError, TypeError):
                pass  # to find out what is wrong, or what a number or bool stands for
        instance = one_row(instance, self.names, LogicError)
        for name in instance:
            self.index(name)
        missing = [name for name in self.names if name not in instance]
        if missing:
            raise LogicError(f"the instance sets no state for {', '.join(map(repr, missing[:8]))}")
        return [self.state_index(feature, instance[name]) for feature, name in enumerate(self.names)]

    def encode_rows(self, instances: Any) -> Rows:
        """Return the state positions ``[instance, feature]`` of one instance, a list of them or an array.

        An integer array holds state positions; one without rows is one instance.
        """
        if isinstance(instances, Mapping) or is_series(instances):
            instances = [instances]
        if not isinstance(instances, np.ndarray):
            given = items(instances, "instances", "an instance, a list of them or an array", LogicError)
            rows = [self.encode(instance) for instance in given]
            return np.array(rows, dtype=np.intp).reshape(len(rows), len(self))
        if instances.shape == (len(self),):
            instances = instances.reshape(1, -1)
        if instances.ndim != 2 or instances.shape[1] != len(self) or instances.dtype.kind not in "iu":
            raise LogicError(f"expected an integer array of shape (instances, {len(self)})")
        if instances.size and (instances.min() < 0 or (instances >= np.array(self.cardinalities)).any()):
            raise LogicError("a row holds a number that is no state position of its feature")
        checked: Rows = instances.astype(np.intp, copy=False)
        return checked

    def decode(self, positions: Sequence[int]) -> dict[str, str]:
        """Return the instance with these state positions."""
        try:
            return {n: s[p] for n, s, p in zip(self.names, self.states, positions, strict=True)}
        except (IndexError, TypeError, ValueError):
            expected = f"a list of {len(self.names)} positions of states"
            raise wrong("positions", positions, expected, LogicError) from None

    def show_literal(self, feature: FeatureId, mask: StateMask) -> str:
        """Return a literal as the paper prints it: ``BP∈{Low,High}``, ``HR=Normal``, ``CT``, ``¬CT``."""
        chosen = self.states_of(feature, mask)
        name = self.names[feature]
        if len(chosen) != 1:
            return f"{name}∈{{{','.join(chosen)}}}"
        reading = false_true(self.states[feature])
        if reading is None:
            return f"{name}={chosen[0]}"
        return name if chosen[0] == reading[1] else f"¬{name}"

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Domain):
            return NotImplemented
        return self.names == other.names and self.states == other.states

    def __hash__(self) -> int:
        return hash((self.names, self.states))

    def __repr__(self) -> str:
        return f"<Domain of {len(self.names)} features, {self.instance_count} instances>"
