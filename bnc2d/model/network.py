"""Discrete Bayesian networks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from graphlib import CycleError, TopologicalSorter

from bnc2d.base.readers.arguments import instance_of, items, named
from bnc2d.base.readers.arguments import names as as_names
from bnc2d.errors import NetworkError, UnknownNameError, did_you_mean
from bnc2d.model.cpt import CPT
from bnc2d.model.variable import Variable


class BayesianNetwork:
    """An immutable discrete Bayesian network: variables in file order, one table for each.

    The constructor runs ``check()``, so every network that exists is valid. Two networks are equal when
    their variables, states, parents (in order) and exact entries are; the name does not count.
    """

    variables: tuple[Variable, ...]
    cpts: tuple[CPT, ...]
    name: str

    def __init__(self, variables: Iterable[Variable], cpts: Iterable[CPT], name: str = "") -> None:
        nodes = items(variables, "variables", "a list of variables", NetworkError)
        tables = items(cpts, "cpts", "a list of tables", NetworkError)
        self.__dict__.update(
            variables=tuple(instance_of(Variable, node, "each of the variables") for node in nodes),
            cpts=tuple(instance_of(CPT, table, "each of the cpts") for table in tables),
            name=instance_of(str, name, "name"),
        )
        self.check()
        by_child = {cpt.child.name: cpt for cpt in self.cpts}
        self.__dict__["cpts"] = tuple(by_child[variable.name] for variable in self.variables)

    def check(self) -> None:
        """Raise ``NetworkError`` for the first thing that makes this no Bayesian network.

        In order: no variable, duplicate name, table of an unknown variable or with other states,
        duplicate table, missing table, cycle. Sizes, signs and sums are checked by ``CPT`` itself.
        """
        if not self.variables:
            raise NetworkError("the network has no variables")
        known: dict[str, Variable] = {}
        for variable in self.variables:
            if variable.name in known:
                raise NetworkError(f"two variables have the name {variable.name!r}")
            known[variable.name] = variable
        tables: dict[str, CPT] = {}
        for cpt in self.cpts:
            for variable in cpt.scope:
                declared = known.get(variable.name)
                if declared is None:
                    hint = did_you_mean(variable.name, known)
                    raise NetworkError(
                        f"table of {cpt.child.name!r}: unknown variable {variable.name!r}{hint}"
                    )
                if declared.states != variable.states:
                    raise NetworkError(
                        f"table of {cpt.child.name!r}: {variable.name!r} has other states there"
                    )
            if cpt.child.name in tables:
                raise NetworkError(f"variable {cpt.child.name!r} has two tables")
            tables[cpt.child.name] = cpt
        for variable in self.variables:
            if variable.name not in tables:
                raise NetworkError(f"variable {variable.name!r} has no table")
        self._check_acyclic({name: [p.name for p in cpt.parents] for name, cpt in tables.items()})

    @staticmethod
    def _check_acyclic(parents: dict[str, list[str]]) -> None:
        try:
            TopologicalSorter(parents).prepare()
        except CycleError as error:
            cycle = error.args[1]
            shown = cycle if len(cycle) <= 12 else [*cycle[:10], "…", cycle[-1]]
            raise NetworkError(f"the network has a cycle: {' → '.join(shown)}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a BayesianNetwork is immutable; cannot set {name!r}")

    @cached_property
    def _index(self) -> dict[str, int]:
        return {variable.name: position for position, variable in enumerate(self.variables)}

    @cached_property
    def _children(self) -> tuple[tuple[str, ...], ...]:
        children: list[list[str]] = [[] for _ in self.variables]
        for cpt in self.cpts:
            for parent in cpt.parents:
                children[self._index[parent.name]].append(cpt.child.name)
        return tuple(tuple(names) for names in children)

    def index(self, name: str | Variable) -> int:
        """Return the position of a variable; an unknown name raises with the nearest valid one."""
        key = name.name if isinstance(name, Variable) else name
        try:
            return self._index[key]
        except (KeyError, TypeError):
            raise UnknownNameError(f"unknown variable {named(key)}{did_you_mean(key, self._index)}") from None

    def variable(self, name: str | Variable) -> Variable:
        """Return the variable with this name."""
        return self.variables[self.index(name)]

    def cpt(self, name: str | Variable) -> CPT:
        """Return ``P(name | parents)``."""
        return self.cpts[self.index(name)]

    def parents(self, name: str | Variable) -> tuple[str, ...]:
        """Return the names of the parents, in the order of the table."""
        return tuple(parent.name for parent in self.cpt(name).parents)

    def children(self, name: str | Variable) -> tuple[str, ...]:
        """Return the names of the children, in file order."""
        return self._children[self.index(name)]

    @property
    def names(self) -> tuple[str, ...]:
        """All variable names, in file order."""
        return tuple(variable.name for variable in self.variables)

    @property
    def roots(self) -> tuple[str, ...]:
        """The variables without parents."""
        return tuple(cpt.child.name for cpt in self.cpts if not cpt.parents)

    @property
    def leaves(self) -> tuple[str, ...]:
        """The variables without children."""
        return tuple(name for name, children in zip(self.names, self._children, strict=True) if not children)

    @property
    def edges(self) -> tuple[tuple[str, str], ...]:
        """All (parent, child) pairs."""
        return tuple((parent.name, cpt.child.name) for cpt in self.cpts for parent in cpt.parents)

    def ancestors(self, names: Iterable[str]) -> set[str]:
        """Return these variables and everything above them."""
        found: set[str] = set()
        pending = [self.variable(name).name for name in as_names(names, "names")]
        while pending:
            name = pending.pop()
            if name not in found:
                found.add(name)
                pending.extend(self.parents(name))
        return found

    def markov_blanket(self, name: str | Variable) -> tuple[str, ...]:
        """Return the parents, the children and their other parents, in file order.

        Given the states of these, a variable is independent of all others.
        """
        families = [self.cpt(name), *(self.cpt(child) for child in self.children(name))]
        near = {variable.name for family in families for variable in family.scope}
        return tuple(other for other in self.names if other in near and other != self.variable(name).name)

    def __len__(self) -> int:
        return len(self.variables)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, BayesianNetwork):
            return NotImplemented
        return self.variables == other.variables and self.cpts == other.cpts

    def __hash__(self) -> int:
        return hash((self.variables, self.cpts))

    def _repr_svg_(self) -> str:
        from bnc2d.model.picture import draw_network

        return draw_network(self).svg()

    def __repr__(self) -> str:
        size = f"{len(self.variables)} variables, {len(self.edges)} edges"
        return f"<BayesianNetwork {self.name or 'unnamed'}: {size}>"
