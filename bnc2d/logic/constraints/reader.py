"""A constraint over features, in any form that users may give, as a circuit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from bnc2d.base.checkpoints import checked
from bnc2d.base.readers.arguments import instance_of, wrong
from bnc2d.base.readers.states import false_true
from bnc2d.errors import LogicError, UnknownNameError, did_you_mean
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.constraints.formula import build
from bnc2d.logic.constraints.from_cnf import from_cnf, is_cnf
from bnc2d.logic.constraints.ranges import Range, range_mask
from bnc2d.logic.constraints.syntax import Name, Resolver, Values, parse_statements
from bnc2d.logic.constraints.tokens import error_at, quoted
from bnc2d.logic.domain import Domain, FeatureId, StateMask
from bnc2d.logic.nnf import NNF
from bnc2d.logic.terms import Clause, Term


class Literal(NamedTuple):
    """A feature and the set of states that it may have."""

    feature: FeatureId
    mask: StateMask


def read_constraint(given: object, manager: Manager) -> NNF:
    """Return the circuit of the instances that a constraint allows.

    ``given`` is

    - a circuit, of this manager or another; the features that it mentions must have the same states in both
      domains, by name and in any order;
    - a sympy expression over the symbols that ``NNF.to_sympy`` uses;
    - a CNF of python-sat, or a list of lists of numbers, over the one-hot variables that ``NNF.to_cnf`` uses
      (see ``from_cnf``);
    - a text (see ``syntax``), such as ``"if BP in {Low, High} then CT"``;
    - a list or tuple whose items all hold: a mapping from feature to state or states, or a ``Term``, is a
      *forbidden* combination; a pair of those is an implied one (if the first holds, so does the second); a
      ``Clause`` must hold; so must a circuit, an expression or a text. A tuple of two mappings that is not
      itself in a list is a list: it forbids two combinations.

    What cannot be read is a ``Bnc2dError``; one in a list says in which item.

    >>> manager = Manager(Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1")}))
    >>> print(read_constraint("if BP in {Low, High} then CT", manager))
    BP=Normal ∨ CT
    >>> print(read_constraint([{"BP": ("Low", "High"), "CT": 0}, ({"CT": 1}, {"BP": "High"})], manager))
    (BP=High ∨ ¬CT) ∧ (BP=Normal ∨ CT)
    """
    instance_of(Manager, manager, "manager")
    if not isinstance(given, list | tuple) or is_cnf(given):
        return NNF(manager, _read_single(given, manager))
    nodes = []
    for number, item in enumerate(checked(given), start=1):
        try:
            nodes.append(_read_item(item, manager))
        except (LogicError, UnknownNameError) as error:
            raise LogicError(f"item {number} of the constraints: {error}") from None
    return NNF(manager, manager.add_and(nodes))


def literal_resolver(domain: Domain) -> Resolver[Literal]:
    """Return what reads the features and states of a text as literals of the domain."""

    def resolve(name: Name, states: Values | None) -> Literal:
        try:
            feature = domain.index(name.text)
        except UnknownNameError:
            hint = did_you_mean(name.text, domain.names)
            raise error_at(name.position, f"found {quoted(name.text)}, expected a feature{hint}") from None
        if states is None:
            return Literal(feature, _true_state(domain, feature, name))
        mask = 0
        for state in states:
            if isinstance(state, Range):
                mask |= range_mask(name.text, domain.states[feature], state)
            else:
                mask |= 1 << _state_index(domain, feature, state)
        return Literal(feature, mask)

    return resolve


def _true_state(domain: Domain, feature: FeatureId, name: Name) -> StateMask:
    """Return the state that a feature has where it stands alone."""
    states = domain.states[feature]
    reading = false_true(states)
    if reading is None:
        raise error_at(
            name.position,
            f"found {quoted(name.text)} alone, expected '=', '!=', 'in' or 'not in' after it, since its "
            f"states do not read as false and true{did_you_mean('', states)}",
        )
    return 1 << states.index(reading[1])


def _state_index(domain: Domain, feature: FeatureId, state: Name) -> int:
    try:
        return domain.state_index(feature, state.text)
    except UnknownNameError:
        hint = did_you_mean(state.text, domain.states[feature])
    is_feature = (
        "; that is a feature, and two features cannot be compared" if state.text in domain.names else ""
    )
    raise error_at(
        state.position,
        f"found {quoted(state.text)}, expected a state of {quoted(domain.names[feature])}{is_feature}{hint}",
    )


def literal_node(manager: Manager, literal: Literal, positive: bool) -> NodeId:
    """Return the node of a literal, or of its negation."""
    feature, mask = literal
    return manager.add_literal(feature, mask if positive else manager.domain.full(feature) & ~mask)


def _read_single(given: object, manager: Manager) -> NodeId:
    """Return the node of a constraint that is no list."""
    if isinstance(given, str):
        return _read_text(given, manager)
    if isinstance(given, NNF):
        return _copied(given, manager)
    if any(base.__module__.partition(".")[0] == "sympy" for base in type(given).__mro__):
        from bnc2d.logic.convert.sympy_form import from_sympy

        return from_sympy(manager, given)
    if is_cnf(given):
        return from_cnf(manager, given)
    expected = "a text, a circuit, a sympy expression, a CNF or a list of combinations"
    if isinstance(given, Mapping):
        raise LogicError(f"a constraint must be {expected}; put a single {type(given).__name__} in a list")
    raise wrong("a constraint", given, expected, LogicError)


def _read_text(text: str, manager: Manager) -> NodeId:
    literal = partial(literal_node, manager)
    statements = parse_statements(text, literal_resolver(manager.domain))
    return manager.add_and([build(statement.formula, manager, literal) for statement in checked(statements)])


def _read_item(item: object, manager: Manager) -> NodeId:
    """Return the node of what an item of a list demands."""
    if isinstance(item, list | tuple):
        if len(item) != 2 or not all(isinstance(part, Mapping) for part in item):
            raise wrong("a list inside the list", item, "a pair of mappings, (if, then)", LogicError)
        condition, conclusion = item
        return manager.add_or(
            [_combination(condition, manager, positive=False), _combination(conclusion, manager)]
        )
    if isinstance(item, Mapping):
        return _combination(item, manager, positive=isinstance(item, Clause))
    return _read_single(item, manager)


def _combination(given: Mapping[str, object], manager: Manager, positive: bool = True) -> NodeId:
    """Return the node of "all of it holds" (of a clause: some of it), or of the negation."""
    literals = [literal_node(manager, literal, positive) for literal in _literals(given, manager.domain)]
    is_and = isinstance(given, Clause) != positive
    return manager.add_and(literals) if is_and else manager.add_or(literals)


def _literals(given: Mapping[str, object], domain: Domain) -> list[Literal]:
    if isinstance(given, Term | Clause):
        return [_translated(given.domain, domain, *literal) for literal in given.masks.items()]
    literals = []
    for name, states in given.items():
        feature = domain.index(name)
        mask = domain.mask(feature, states)
        if not mask:
            raise LogicError(
                f"the combination has no state for {name!r}; leave the feature out or name a state"
            )
        literals.append(Literal(feature, mask))
    return literals


def _copied(circuit: NNF, manager: Manager) -> NodeId:
    """Return the node of a circuit that may be of another manager."""
    if circuit.manager is manager:
        return circuit.root

    def literal(feature: FeatureId, mask: StateMask) -> NodeId:
        return manager.add_literal(*_translated(circuit.domain, manager.domain, feature, mask))

    # Features and states that occur are only renumbered, so no gate becomes simpler.
    return rewrite(circuit.manager, circuit.root, literal, into=manager, simplify=False)


def _translated(source: Domain, target: Domain, feature: FeatureId, mask: StateMask) -> Literal:
    """Return a literal of one domain as one of another that has the same feature and states by name."""
    if source is target:
        return Literal(feature, mask)
    name, states = source.names[feature], source.states[feature]
    image = target.index(name)
    bits = [1 << target.state_index(image, state) for state in states]
    lacking = target.full(image) & ~sum(bits)
    if lacking:
        state = target.states_of(image, lacking)[0]
        raise LogicError(
            f"feature {name!r} has a state {state!r} that the domain of the given constraint lacks, so what "
            "holds there is not said; build the constraint over all states"
        )
    return Literal(image, sum(bit for position, bit in enumerate(bits) if mask >> position & 1))
