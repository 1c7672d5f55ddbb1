"""The features of a circuit and their states."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import TypeAlias

from bnc2d.base.readers.arguments import count, items, mapping, named, shown, wrong
from bnc2d.base.readers.instances import AnyInstances, Encoded, InstanceReader, OneInstance
from bnc2d.base.readers.instances import Instance as Instance
from bnc2d.base.readers.states import false_true, state_position
from bnc2d.base.scales import Intervals, States, scale_of
from bnc2d.errors import LogicError, UnknownNameError, did_you_mean

# What an int means in this package.
FeatureId: TypeAlias = int  # position of a feature in its domain
StateMask: TypeAlias = int  # set of states: bit i stands for state i


class Domain:
    """Named features, each with its states, in order; immutable.

    >>> domain = Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1")})
    >>> domain.show_literal(0, 0b101), domain.show_literal(1, 0b01)
    ('BP∈{Low,High}', '¬CT')
    """

    def __init__(self, features: Mapping[str, Sequence[str]]) -> None:
        given = mapping(features, "the features of a domain", "a mapping from name to states", LogicError)
        self.names: tuple[str, ...] = tuple(given)
        for name in self.names:
            if not isinstance(name, str) or not name:
                raise LogicError(f"a feature's name must be a non-empty string, not {shown(name)}")
        self.states: tuple[tuple[str, ...], ...] = tuple(
            states
            if isinstance(states, States)
            else tuple(items(states, f"the states of {name!r}", "a list of names", LogicError))
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
    def _reader(self) -> InstanceReader:
        return InstanceReader(self.names, self.states, "domain")

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
        """Return the position of a state, given by name, or as a number or bool that reads as one."""
        try:
            states = self.states[feature]
        except (IndexError, TypeError):
            raise self._no_feature(feature) from None
        return state_position(self.names[feature], states, state)

    def full(self, feature: FeatureId) -> StateMask:
        """Return the mask of all states."""
        try:
            return (1 << len(self.states[feature])) - 1
        except (IndexError, TypeError):
            raise self._no_feature(feature) from None

    def mask(self, feature: FeatureId, states: object) -> StateMask:
        """Return the mask of one state or of an iterable of states."""
        if isinstance(states, Iterable) and not isinstance(states, str | bytes):
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

    def encode(self, instance: OneInstance) -> list[int]:
        """Return the state position of every feature; a missing or unknown feature is an error."""
        return self._reader.one(instance)

    def read(self, instances: AnyInstances) -> Encoded:
        """Return one instance or many, in any form that ``predict`` takes, as rows of state positions."""
        return self._reader.read(instances)

    def decode(self, positions: Sequence[int]) -> dict[str, str]:
        """Return the instance with these state positions."""
        try:
            return {n: s[p] for n, s, p in zip(self.names, self.states, positions, strict=True)}
        except (IndexError, TypeError, ValueError):
            expected = f"a list of {len(self.names)} positions of states"
            raise wrong("positions", positions, expected, LogicError) from None

    def show_literal(self, feature: FeatureId, mask: StateMask) -> str:
        """Return a literal as the paper prints it: ``BP∈{Low,High}``, ``HR=Normal``, ``CT``, ``¬CT``.

        Of a numeric column it is an interval: ``age < 37.5``.
        """
        chosen = self.states_of(feature, mask)
        name, scale = self.names[feature], scale_of(self.states[feature])
        if isinstance(scale, Intervals) and chosen:
            return scale.symbols(name, mask)
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
