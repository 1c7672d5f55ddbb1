"""The circuit as users hold it: a root in a manager, with every query and conversion as a method.

What needs a solver, a file or a picture is loaded when it is asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import NDArray

from bnc2d.base.readers.arguments import as_text, flag, instance_of, items, mapping
from bnc2d.base.readers.arguments import count as whole_number
from bnc2d.base.readers.instances import AnyInstances, Form, Instances, StateArray
from bnc2d.errors import LogicError
from bnc2d.logic.circuit import queries, show, transforms
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.counted import CountedCircuit
from bnc2d.logic.domain import Domain, Instance
from bnc2d.logic.terms import Clause, Term, TermOrClause

if TYPE_CHECKING:
    import pandas as pd
    from pysat.formula import CNF
    from sympy.logic.boolalg import Boolean

    from bnc2d.logic.convert.data import CircuitData
    from bnc2d.logic.convert.sat import Answer, Circuit
    from bnc2d.logic.convert.sdd import SddForm
    from bnc2d.logic.convert.variables import Variables
    from bnc2d.logic.convert.weighted_cnf import WeightFormat
    from bnc2d.logic.counting.weights import StateNumbers
    from bnc2d.logic.primes.stream import Primes


class NNF(CountedCircuit):
    """A multi-valued circuit in negation normal form; immutable.

    Build circuits with ``literal``, ``true`` and ``false`` and combine them with ``&``, ``|`` and ``~``. A
    literal is a feature with some of its states. Circuits of one manager share nodes; equal structure means
    equal circuits (``==``), while ``equivalent`` asks whether they have the same models.

    >>> domain = Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1")})
    >>> manager = Manager(domain)
    >>> high, ct = NNF.literal(manager, "BP", "High"), NNF.literal(manager, "CT", "1")
    >>> print(high | (ct & ~high))
    BP=High ∨ (BP∈{Low,Normal} ∧ CT)
    >>> (high | ct).model_count()
    4
    """

    __slots__ = ()

    def __init__(self, manager: Manager, root: NodeId) -> None:
        instance_of(Manager, manager, "manager")
        self.root = whole_number(root, "root", error=LogicError)
        if self.root >= len(manager):
            raise LogicError(f"the manager has no node {as_text(root)[:60]}")
        self.manager = manager

    @classmethod
    def true(cls, manager: Manager) -> NNF:
        """Return the circuit that every instance satisfies."""
        return cls(manager, TRUE)

    @classmethod
    def false(cls, manager: Manager) -> NNF:
        """Return the circuit that no instance satisfies."""
        return cls(manager, FALSE)

    @classmethod
    def literal(cls, manager: Manager, feature: str, states: object) -> NNF:
        """Return the circuit ``feature ∈ states``, for one state or several."""
        position = instance_of(Manager, manager, "manager").domain.index(feature)
        return cls(manager, manager.add_literal(position, manager.domain.mask(position, states)))

    @classmethod
    def all_of(cls, parts: Iterable[NNF]) -> NNF:
        """Return the conjunction of one or more circuits of one manager."""
        manager, roots = _common_manager(parts)
        return cls(manager, manager.add_and(roots))

    @classmethod
    def any_of(cls, parts: Iterable[NNF]) -> NNF:
        """Return the disjunction of one or more circuits of one manager."""
        manager, roots = _common_manager(parts)
        return cls(manager, manager.add_or(roots))

    def __and__(self, other: NNF) -> NNF:
        return NNF.all_of([self, other])

    def __or__(self, other: NNF) -> NNF:
        return NNF.any_of([self, other])

    # A foreign left side comes here, and is refused in the same words; so are numpy's arrays.
    __rand__ = __and__
    __ror__ = __or__
    __array_ufunc__ = None

    def __bool__(self) -> bool:
        """Return the truth of a constant; any other circuit has none."""
        if self.root not in (FALSE, TRUE):
            raise LogicError(
                "a circuit is neither true nor false by itself; ask circuit.satisfiable(), or compare it "
                "with NNF.true(manager) or NNF.false(manager)"
            )
        return self.root == TRUE

    def __invert__(self) -> NNF:
        return self.negate()

    @property
    def features(self) -> tuple[str, ...]:
        """The features that occur, in the order of the domain."""
        below = queries.features_below(self.manager, self.root)
        return tuple(name for position, name in enumerate(self.domain.names) if below >> position & 1)

    @property
    def node_count(self) -> int:
        """The number of distinct nodes, literals and constants included."""
        return queries.node_count(self.manager, self.root)

    @property
    def edge_count(self) -> int:
        """The number of edges."""
        return queries.edge_count(self.manager, self.root)

    @property
    def depth(self) -> int:
        """The length of the longest path from the root."""
        return queries.depth(self.manager, self.root)

    @overload
    def evaluate(self, instances: Instance) -> bool: ...
    @overload
    def evaluate(self, instances: Instances | StateArray | pd.DataFrame) -> NDArray[np.bool_]: ...
    @overload
    def evaluate(self, instances: pd.Series[Any]) -> bool: ...
    def evaluate(self, instances: AnyInstances) -> bool | NDArray[np.bool_]:
        """Return the value for one instance, or an array for many, in all forms of ``Classifier.predict``."""
        if isinstance(instances, Mapping):
            return queries.evaluate(self.manager, self.root, self.domain.encode(instances))
        encoded = self.domain.read(instances)
        values = queries.evaluate_rows(self.manager, self.root, encoded.rows)
        return bool(values[0]) if encoded.form is Form.ONE else values

    def is_or_decomposable(self) -> bool:
        """Return whether no two disjuncts of an OR share a feature."""
        return queries.is_or_decomposable(self.manager, self.root)

    def is_and_decomposable(self) -> bool:
        """Return whether no two conjuncts of an AND share a feature."""
        return queries.is_and_decomposable(self.manager, self.root)

    def is_deterministic(self, time_limit: float | None = None) -> Answer:
        """Return whether no two disjuncts of an OR have a common model; a witness where they have."""
        from bnc2d.logic.convert import sat

        return sat.is_deterministic(self.manager, self.root, time_limit)

    def is_monotone_towards(self, instance: Instance) -> bool:
        """Return whether every literal holds for the instance."""
        return queries.is_monotone_towards(self.manager, self.root, self.domain.encode(instance))

    def negate(self) -> NNF:
        """Return the complement; AND-decomposable becomes OR-decomposable and back."""
        return NNF(self.manager, transforms.negate(self.manager, self.root))

    def condition(self, literals: Mapping[str, object]) -> NNF:
        """Return the circuit where features take given states, one or several each."""
        allowed = {}
        given = mapping(literals, "literals", "a mapping from feature to states", LogicError)
        for name, states in given.items():
            feature = self.domain.index(name)
            allowed[feature] = self.domain.mask(feature, states)
            if not allowed[feature]:
                raise LogicError(f"condition leaves no state for {name!r}")
        return NNF(self.manager, transforms.condition(self.manager, self.root, allowed))

    def complete_reason(self, instance: Instance) -> NNF:
        """Return the complete reason why the instance satisfies this OR-decomposable circuit."""
        return NNF(
            self.manager, transforms.complete_reason(self.manager, self.root, self.domain.encode(instance))
        )

    def general_reason(self, instance: Instance) -> NNF:
        """Return the general reason why the instance satisfies this OR-decomposable circuit."""
        return NNF(
            self.manager, transforms.general_reason(self.manager, self.root, self.domain.encode(instance))
        )

    def satisfiable(self, time_limit: float | None = None) -> Answer:
        """Return whether some instance satisfies the circuit, with such an instance."""
        from bnc2d.logic.convert import sat

        return sat.satisfiable(self.manager, self.root, time_limit)

    def implies(self, other: NNF, time_limit: float | None = None) -> Answer:
        """Return whether every model is a model of ``other``; a witness that is not."""
        from bnc2d.logic.convert import sat

        return sat.implies(self.manager, self.root, _circuit(other), time_limit)

    def equivalent(self, other: NNF, time_limit: float | None = None) -> Answer:
        """Return whether both circuits have the same models; a witness where they differ."""
        from bnc2d.logic.convert import sat

        return sat.equivalent(self.manager, self.root, _circuit(other), time_limit)

    def disjoint(self, other: NNF, time_limit: float | None = None) -> Answer:
        """Return whether the circuits have no common model; a witness that is one."""
        from bnc2d.logic.convert import sat

        return sat.disjoint(self.manager, self.root, _circuit(other), time_limit)

    def prime_implicants(
        self,
        *,
        towards: Instance | None = None,
        limit: int | None = None,
        time_limit: float | None = None,
        variable_minimal: bool = False,
    ) -> Primes[Term]:
        """Return the weakest terms that imply the circuit, one after another.

        With ``towards``, an instance that the literals of this OR-decomposable circuit all hold for, they are
        read off the circuit, shortest first; otherwise SAT finds them, for any circuit. Cut short, the
        iterator says so in ``complete`` and ``cut``.
        """
        options = {"limit": limit, "time_limit": time_limit, "variable_minimal": variable_minimal}
        return self._primes(Term, towards, **options)

    def prime_implicates(
        self,
        *,
        towards: Instance | None = None,
        limit: int | None = None,
        time_limit: float | None = None,
        variable_minimal: bool = False,
    ) -> Primes[Clause]:
        """Return the strongest clauses that the circuit implies; see ``prime_implicants``."""
        options = {"limit": limit, "time_limit": time_limit, "variable_minimal": variable_minimal}
        return self._primes(Clause, towards, **options)

    def _primes(
        self, kind: type[TermOrClause], towards: Instance | None, **options: Any
    ) -> Primes[TermOrClause]:
        from bnc2d.logic.primes import by_sat, direct

        flag(options["variable_minimal"], "variable_minimal")
        if towards is None:
            return by_sat.primes(kind, self.manager, self.root, **options)
        return direct.primes(kind, self.manager, self.root, positions=self.domain.encode(towards), **options)

    def copy_to(self, manager: Manager) -> NNF:
        """Return the same circuit in another manager over an equal domain."""
        if instance_of(Manager, manager, "manager").domain != self.domain:
            raise LogicError("the other manager has another domain")
        return NNF(
            manager, rewrite(self.manager, self.root, manager.add_literal, into=manager, simplify=False)
        )

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        weights: StateNumbers | None = None,
        weight_format: WeightFormat = "mcc",
    ) -> None:
        """Write the circuit in the form that the ending of the name says; the file appears in one step.

        ``.nnf`` (also ``.nnf.gz``) is what ``load`` reads; ``.cnf`` and ``.dimacs`` are DIMACS, as ``to_cnf``
        makes it; ``.dot`` and ``.gv`` Graphviz; ``.svg`` a picture; ``.json`` the data of ``to_dict``.
        Another ending is an error. DIMACS may have the ``weights`` of ``model_count``, written for model
        counters in the form of the competitions (``"mcc"``) or of Cachet (``"cachet"``).
        """
        from bnc2d.logic.convert.saving import save_circuit

        save_circuit(self.manager, self.root, path, weights, weight_format)

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], domain: Domain | None = None, *, variables: Variables = None
    ) -> NNF:
        """Read a ``.nnf`` file, in c2d's form, the multi-valued one or that of d4.

        Of a file over Boolean variables, ``variables`` lists the one of each feature of the domain, or is
        ``"one-hot"``, one for each state as in ``to_cnf``; all others are projected away.
        """
        from bnc2d.logic.convert import nnf_file

        return cls(*nnf_file.read_nnf(path, domain, variables=variables))

    def to_text(self, limit: int | None = None) -> str:
        """Return the circuit as text in the paper's notation, whole however large it is.

        Where one formula would be longer than 2,000 characters, parts that are shared or long have lines of
        their own, ``[1] = …``, after the line of the root. With ``limit``, the text ends after so many
        characters and says so; ``print`` shows it with a limit of 2,000.
        """
        return show.to_text(self.manager, self.root, limit)

    def to_dict(self) -> CircuitData:
        """Return the circuit as plain data, ready for JSON.

        ``features`` maps each feature of the domain to its states; ``nodes`` lists the nodes, children before
        parents and the root last: ``{"kind": "literal", "feature": …, "states": […]}``, ``{"kind": "and",
        "children": [positions]}``, the same with ``"or"``, ``{"kind": "true"}`` or ``{"kind": "false"}``.
        """
        from bnc2d.logic.convert.data import to_dict

        return to_dict(self.manager, self.root)

    @classmethod
    def from_dict(cls, data: Mapping[str, object], manager: Manager | None = None) -> NNF:
        """Return the circuit of such data, in a manager over the same domain or in a new one."""
        from bnc2d.logic.convert.data import from_dict

        return cls(*from_dict(data, manager))

    def to_cnf(self) -> CNF:
        """Return a python-sat CNF over one-hot variables: exactly-one constraints and Tseitin clauses."""
        from bnc2d.logic.convert import cnf

        return cnf.to_cnf(self.manager, self.root)

    def to_sdd(
        self, *, minimize: bool = False, time_limit: float | None = None, memory_limit: int | None = None
    ) -> SddForm:
        """Return the SDD under the one-hot constraint; see ``sdd.to_sdd``."""
        from bnc2d.logic.convert import sdd

        return sdd.to_sdd(self.manager, self.root, minimize, time_limit, memory_limit)

    def to_sympy(self) -> Boolean:
        """Return a sympy expression: a symbol per false/true feature, else one ``name=state`` per state."""
        from bnc2d.logic.convert import sympy_form

        return sympy_form.to_sympy(self.manager, self.root)

    @classmethod
    def from_sympy(cls, manager: Manager, expression: object) -> NNF:
        """Return the circuit of a sympy expression over the symbols that ``to_sympy`` uses."""
        from bnc2d.logic.convert import sympy_form

        return cls(manager, sympy_form.from_sympy(manager, expression))

    def to_dot(self) -> str:
        """Return the circuit as Graphviz text."""
        from bnc2d.logic.circuit.picture import to_dot

        return to_dot(self.manager, self.root)

    def to_svg(self, highlight: Instance | None = None) -> str:
        """Return a picture; with ``highlight``, the part that holds for an instance stands out."""
        from bnc2d.logic.circuit.picture import to_svg

        positions = None if highlight is None else self.domain.encode(highlight)
        return to_svg(self.manager, self.root, highlight=positions)

    def _repr_svg_(self) -> str:
        return self.to_svg()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NNF):
            return NotImplemented
        return self.manager is other.manager and self.root == other.root

    def __hash__(self) -> int:
        return hash((id(self.manager), self.root))

    def __str__(self) -> str:
        return show.to_text(self.manager, self.root, show.MAX_CHARACTERS)

    def __repr__(self) -> str:
        return f"<NNF: {self.node_count} nodes, {self.edge_count} edges>"


def _common_manager(parts: Iterable[NNF]) -> tuple[Manager, list[NodeId]]:
    circuits = [
        instance_of(
            NNF, part, "each of the circuits", "; NNF.true(manager) and NNF.false(manager) are constants"
        )
        for part in items(parts, "the circuits to combine", "a list", LogicError)
    ]
    if not circuits:
        raise LogicError("nothing to combine; NNF.true(manager) and NNF.false(manager) are the constants")
    manager = circuits[0].manager
    if any(circuit.manager is not manager for circuit in circuits):
        raise LogicError("circuits of different managers; copy_to(manager) brings one over")
    return manager, [circuit.root for circuit in circuits]


def _circuit(other: NNF) -> Circuit:
    instance_of(NNF, other, "the other circuit")
    return other.manager, other.root
