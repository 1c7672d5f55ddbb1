"""Terms and clauses: conjunctions and disjunctions of literals, each a feature with a set of states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar, Self, TypeVar

from bnc2d.base.readers.arguments import count, instance_of, mapping, names, one_row
from bnc2d.errors import InstanceError, LogicError
from bnc2d.logic.domain import Domain, FeatureId, Instance, StateMask


class _Literals(Mapping[str, frozenset[str]]):
    """An immutable, hashable mapping from feature to states, in the order of the domain."""

    __slots__ = ("_masks", "domain")

    _joint: ClassVar[str]
    _empty: ClassVar[str]
    _unproved: tuple[str, ...] = ()

    def __init__(self, domain: Domain, literals: Mapping[str, object] | None = None) -> None:
        instance_of(Domain, domain, "domain")
        given = {} if literals is None else mapping(literals, "literals", "a mapping from feature to states")
        masks = {}
        for name, states in given.items():
            feature = domain.index(name)
            masks[feature] = domain.mask(feature, states)
        self._set(domain, masks)

    @classmethod
    def from_masks(
        cls, domain: Domain, masks: Mapping[FeatureId, StateMask], unproved: Iterable[str] = ()
    ) -> Self:
        """Return the literals with these masks, each neither empty nor full."""
        made = cls.__new__(cls)
        made._unproved = tuple(names(unproved, "unproved"))
        instance_of(Domain, domain, "domain")
        made._set(domain, mapping(masks, "masks", "a mapping from feature to states, by number"))
        return made

    def _set(self, domain: Domain, masks: Mapping[FeatureId, StateMask]) -> None:
        for feature, mask in masks.items():
            if not 0 < count(mask, "a mask", error=LogicError) < domain.full(feature):
                raise LogicError(f"a literal of {domain.names[feature]!r} must hold some states and not all")
        self.domain = domain
        self._masks = dict(sorted(masks.items()))

    @property
    def masks(self) -> Mapping[FeatureId, StateMask]:
        """The literals as feature positions and state masks."""
        return self._masks

    @property
    def features(self) -> tuple[str, ...]:
        """The features that occur, in the order of the domain."""
        return tuple(self.domain.names[feature] for feature in self._masks)

    @property
    def unproved(self) -> tuple[str, ...]:
        """Of a reason that time cut short, the features that are not proved to be needed; else none."""
        return self._unproved

    @property
    def proved_minimal(self) -> bool:
        """Whether, as a reason, every feature is proved to be needed."""
        return not self._unproved

    def __getitem__(self, name: str) -> frozenset[str]:
        known = isinstance(name, str) and name in self.domain.names
        feature = self.domain.names.index(name) if known else -1
        if feature not in self._masks:
            raise KeyError(name)
        return frozenset(self.domain.states_of(feature, self._masks[feature]))

    def __iter__(self) -> Iterator[str]:
        return iter(self.features)

    def __len__(self) -> int:
        return len(self._masks)

    def _satisfied(self, instance: Instance) -> Iterator[bool]:
        instance = one_row(instance, self.features, InstanceError)
        for feature, mask in self._masks.items():
            name = self.domain.names[feature]
            if name not in instance:
                raise InstanceError(f"the instance sets no state for {name!r}")
            yield bool(mask >> self.domain.state_index(feature, instance[name]) & 1)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Literals):
            return NotImplemented
        return type(self) is type(other) and self._masks == other._masks and self.domain == other.domain

    def __hash__(self) -> int:
        return hash((type(self).__name__, tuple(self._masks.items())))

    def __str__(self) -> str:
        shown = [self.domain.show_literal(feature, mask) for feature, mask in self._masks.items()]
        return self._joint.join(shown) or self._empty

    def _repr_html_(self) -> str:
        """Return the literals on one line that breaks between them only."""
        from bnc2d.draw.html import text

        literals = (text(self.domain.show_literal(feature, mask)) for feature, mask in self._masks.items())
        shown = self._joint.join(f'<span style="white-space:nowrap">{literal}</span>' for literal in literals)
        return f"<span>{shown or self._empty}</span>"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"


class Term(_Literals):
    """A conjunction of literals; the empty term is true.

    >>> domain = Domain({"BP": ("Low", "Normal", "High"), "HR": ("Low", "Normal", "High")})
    >>> print(Term(domain, {"HR": "Normal", "BP": {"Low", "High"}}))
    BP∈{Low,High} ∧ HR=Normal
    """

    _joint = " ∧ "
    _empty = "⊤"

    def holds(self, instance: Instance) -> bool:
        """Return whether the instance satisfies every literal."""
        return all(self._satisfied(instance))


class Clause(_Literals):
    """A disjunction of literals; the empty clause is false.

    >>> print(Clause(Domain({"CT": ("0", "1"), "X": ("a", "b")}), {"CT": "0", "X": "b"}))
    ¬CT ∨ X=b
    """

    _joint = " ∨ "
    _empty = "⊥"

    def holds(self, instance: Instance) -> bool:
        """Return whether the instance satisfies some literal."""
        return any(self._satisfied(instance))


TermOrClause = TypeVar("TermOrClause", Term, Clause)
