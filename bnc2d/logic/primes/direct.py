"""Prime implicants and prime implicates of locally fixated OR-decomposable circuits, without SAT.

A circuit is locally fixated on an instance when every literal holds for it; complete and general reasons
are. Primes come bottom-up (Darwiche and Ji 2022; Ji and Darwiche 2023, "A new class of explanations for
classifiers with non-binary features"). Each rule in a sentence:

1. *Implicants of an OR: the union.* Disjuncts share no feature, so a term that implies none of them can be
   falsified in each one independently; hence it implies the OR only if a part of it implies a disjunct.
2. *Implicants of an AND: the weakest products.* A term implies an AND iff it implies each conjunct, that
   is, lies below a prime of each; the products are consistent because all hold for the instance.
3. *Implicates of an OR: pairwise unions.* Dual to rule 1, and minimal because the parts are disjoint.
4. *Implicates of an AND: the union, closed under resolution on shared features, then the strongest.*
   Resolving ``X∈A ∨ r`` and ``X∈B ∨ s`` gives ``X∈A∩B ∨ r ∨ s``. One pass per feature is enough, in any
   order (Tison's method): let c be an implicate and u falsify c on the features not yet processed; then
   some clause is falsified by u there and lies within c on the processed ones. Processing X resolves the
   clauses found for the states of X outside c, and the invariant holds for one feature more. It holds from
   the start for features of a single conjunct, because under u the conjuncts are independent and the
   conjuncts' own primes are complete.
5. *No resolution between comparable literals* (the resolvent is subsumed), so none in complete reasons.
6. *Variable-minimal implicates: resolution only within equal feature sets.* ``A∩B`` holds the instance's
   state, so a resolvent has the features of both parents; with fewer features on one side it is not
   variable-minimal. For the same reason clauses that are not variable-minimal can be dropped at each node.

When the families grow too large, primes are enumerated one after the other instead (lazy.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import combinations
from operator import or_
from typing import Literal, TypeAlias

from bnc2d.base.budget import Budget
from bnc2d.base.checkpoints import checked, checkpoint
from bnc2d.errors import LogicError
from bnc2d.logic.circuit.fold import fold
from bnc2d.logic.circuit.manager import TRUE, Manager, NodeId
from bnc2d.logic.circuit.queries import is_constant, is_or_decomposable
from bnc2d.logic.domain import Domain, FeatureId, StateMask
from bnc2d.logic.primes import by_sat
from bnc2d.logic.primes.cells import Cells, Field
from bnc2d.logic.primes.lazy import minimal_true_sets
from bnc2d.logic.primes.monotone import SetCircuit, Step
from bnc2d.logic.primes.stream import Primes
from bnc2d.logic.primes.subsumption import BitSet, Spend, disjoint_unions, minimal, minimal_unions
from bnc2d.logic.terms import Clause, TermOrClause

Mode: TypeAlias = Literal["auto", "sorted", "lazy"]
Family: TypeAlias = list[BitSet]

# Unions formed bottom-up, in a fraction of a second, before "auto" turns to the lazy enumeration. The number
# depends on no limit, so that a list that is cut is the beginning of the whole one.
_MOST_PAIRS = 500_000


class TooMany(Exception):  # noqa: N818 - a signal inside this module
    """The families have grown beyond what was allowed."""


def primes(
    kind: type[TermOrClause],
    manager: Manager,
    root: NodeId,
    *,
    positions: Sequence[int],
    limit: int | None = None,
    time_limit: float | None = None,
    variable_minimal: bool = False,
    mode: Mode = "auto",
) -> Primes[TermOrClause]:
    """Return the weakest terms that imply the circuit, or the strongest clauses that it implies.

    ``mode="sorted"`` computes all, then gives the shortest first, then by features in the order of the
    domain, then by state masks. ``"lazy"`` gives them as they are found: an order that is the same on every
    run, but otherwise arbitrary. ``"auto"`` tries the first with bounded work and turns to the second when
    there are too many. No order depends on a limit.

    The lazy enumeration of all implicates of a circuit with several literals of a feature is the one by SAT
    (by_sat.py): there the question "is this clause implied" is itself hard. For complete reasons, and
    for variable-minimal implicates, it is not.
    """
    if mode not in ("auto", "sorted", "lazy"):
        raise LogicError(f"mode must be 'auto', 'sorted' or 'lazy', not {mode!r}")
    sizes = manager.domain.cardinalities
    if len(positions) != len(sizes) or any(not 0 <= p < n for p, n in zip(positions, sizes, strict=True)):
        raise LogicError("positions must give a state position for every feature")
    if not is_or_decomposable(manager, root):
        raise LogicError("direct primes need an OR-decomposable circuit; use bnc2d.logic.primes.by_sat")
    cells = Cells(manager, root, positions, clauses=kind is Clause)
    # With one literal a feature, feature sets determine primes: all are variable-minimal.
    task = _Task(manager, root, cells, variable_minimal and not cells.one_bit_each)

    def make(budget: Budget) -> Iterator[TermOrClause]:
        found = budget.within(task.run(mode))
        return (_trusted(kind, manager.domain, masks) for masks in found)

    return Primes(make, limit, time_limit, lambda: task.ordered)


def _trusted(kind: type[TermOrClause], domain: Domain, masks: dict[FeatureId, StateMask]) -> TermOrClause:
    """Return the prime without the checks of from_masks: literals made of cells are proper and in order."""
    made = kind.__new__(kind)
    made.domain, made._masks = domain, masks
    return made


@dataclass
class _Task:
    """One enumeration: which circuit, which primes."""

    manager: Manager
    root: NodeId
    cells: Cells
    variable_minimal: bool
    ordered: bool = False  # whether they come shortest first, once that is known

    def run(self, mode: Mode) -> Iterator[dict[FeatureId, StateMask]]:
        if mode != "lazy":
            try:
                family = self._bottom_up(self._spender(mode))
            except TooMany:
                pass
            else:
                self.ordered = True
                yield from self._in_order(family)
                return
        yield from self._lazily()

    @staticmethod
    def _spender(mode: Mode) -> Spend:
        """Return the function that counts work and ends it; "sorted" ends only with the budget."""
        left = _MOST_PAIRS

        def spend(pairs: int) -> None:
            nonlocal left
            checkpoint()
            left -= pairs
            if left < 0 and mode != "sorted":
                raise TooMany

        return spend

    def _in_order(self, family: Family) -> Iterator[dict[FeatureId, StateMask]]:
        if self.cells.one_bit_each:
            # Equal sizes: the set with the earliest feature, hence the highest bit, comes first.
            family.sort(key=lambda bits: (bits.bit_count(), -bits))
            yield from self.cells.decode_all(family)
        else:
            decoded = list(self.cells.decode_all(family))
            decoded.sort(key=lambda masks: (len(masks), tuple(masks), tuple(masks.values())))
            yield from decoded

    def _bottom_up(self, spend: Spend, within: int | None = None) -> Family:
        """Return the primes; ``within`` keeps only the literals of some features, as a set of field bits."""
        cells = self.cells

        def literal(feature: FeatureId, mask: StateMask) -> Family:
            bits = cells.encode(feature, mask)
            return [bits] if within is None or bits & within else []

        if not self.cells.clauses:
            family = self._implicants(literal, spend)
            return self._only_variable_minimal(family) if self.variable_minimal else family
        return fold(
            self.manager,
            self.root,
            lambda value: [] if value else [0],
            literal,
            lambda families: self._implicates_of_and(families, spend),
            lambda families: reduce(partial(disjoint_unions, spend=spend), sorted(families, key=len)),
        )

    def _implicants(self, literal: Callable[[FeatureId, StateMask], Family], spend: Spend) -> Family:
        """Return rules 1 and 2 of the module.

        Whether a large product's members are minimal is told faster by dropping each of their bits, with the
        circuit read over bits, than by comparing them.
        """
        manager, root = self.manager, self.root
        if is_constant(root):
            return [0] if root == TRUE else []
        circuit = SetCircuit(manager, root, self.cells.encode)
        families = {node: literal(feature, mask) for node, feature, mask in manager.literals(root)}
        for node, is_or, children in checked(manager.gates(root)):
            parts = [(families[child], circuit.steps[child]) for child in children]
            families[node] = (
                _sum([family for family, _ in parts]) if is_or else _products(parts, spend, circuit)
            )
        return families[root]

    def _only_variable_minimal(self, family: Family) -> Family:
        features = [self.cells.features(bits) for bits in family]
        least = set(minimal(features))
        return [bits for bits, used in zip(family, features, strict=True) if used in least]

    def _implicates_of_and(self, families: Sequence[Family], spend: Spend) -> Family:
        """Return rule 4 (or 6) of the module."""
        family = _sum(families)
        spend(len(family))
        pivots = self._shared_crossing_fields(families) if self.cells.crossing else []
        if not self.variable_minimal:
            family = minimal(family, spend)
            for pivot in pivots:
                family = self._resolve(family, pivot, spend)
            return family
        family = self._only_variable_minimal(family)
        if not pivots:
            return minimal(family, spend)
        groups: dict[BitSet, Family] = {}
        for bits in family:
            groups.setdefault(self.cells.features(bits), []).append(bits)
        resolved: Family = []
        for features, group in groups.items():
            strongest = minimal(group, spend)
            for pivot in pivots:
                if len(strongest) > 1 and features & pivot.bits:
                    strongest = self._resolve(strongest, pivot, spend)
            resolved += strongest
        return resolved

    def _shared_crossing_fields(self, families: Sequence[Family]) -> list[Field]:
        once = twice = 0
        for family in families:
            used = reduce(or_, family, 0) & self.cells.own_bits
            twice |= once & used
            once |= used
        return [field for field in self.cells.crossing if field.own & twice]

    def _resolve(self, family: Family, pivot: Field, spend: Spend) -> Family:
        """Return the strongest clauses of the family closed under resolution on one feature.

        Clauses are grouped by their literal on the pivot. A resolvent's literal is smaller than both
        parents', so going from large literals to small ones meets every group complete.
        """
        rests: dict[BitSet, Family] = {}
        for bits in family:
            rests.setdefault(bits & pivot.bits, []).append(bits & ~pivot.bits)
        without = rests.pop(0, [])
        literals = set(rests)
        pending = list(literals)
        while pending:
            one = pending.pop()
            fresh = {one & other for other in literals} - literals
            literals |= fresh
            pending += fresh
        parents: dict[BitSet, list[tuple[BitSet, BitSet]]] = {}
        for one, other in combinations(literals, 2):
            if one & other not in (one, other):
                parents.setdefault(one & other, []).append((one, other))
        if not parents:
            return family
        for target in sorted(parents, key=int.bit_count, reverse=True):
            resolvents = [
                bits
                for one, other in parents[target]
                for bits in minimal_unions(rests.get(one, []), rests.get(other, []), spend)
                if not self.cells.is_valid_clause(bits)
            ]
            if resolvents:
                rests[target] = minimal(rests.get(target, []) + resolvents, spend)
        return minimal(without + [literal | rest for literal, family in rests.items() for rest in family])

    def _lazily(self) -> Iterator[dict[FeatureId, StateMask]]:
        if self.variable_minimal:
            yield from self._lazily_by_features()
        elif self.cells.clauses and not self.cells.one_bit_each:
            for clause in by_sat.primes(Clause, self.manager, self.root):
                yield dict(clause.masks)
        else:
            code = self.cells.encode
            for bits in minimal_true_sets(self.manager, self.root, code, dual=self.cells.clauses):
                yield self.cells.decode(bits)

    def _lazily_by_features(self) -> Iterator[dict[FeatureId, StateMask]]:
        """Enumerate feature sets, then the primes over each.

        Shrinking literals to the instance's state turns the variable-minimal primes into those of the
        complete reason, so these are the feature sets. The primes over such a set are those of the circuit
        whose other literals are false (implicants: they must hold whatever the others do) or true
        (implicates: the others may be as in the instance).
        """
        count = len(self.manager.domain)
        fields = self.cells.fields
        bits = [1 << count - 1 - feature for feature in range(count)]
        sets = minimal_true_sets(self.manager, self.root, lambda f, _: bits[f], dual=self.cells.clauses)
        for chosen in sets:
            features = [feature for feature in fields if chosen & bits[feature]]
            within = sum(fields[feature].bits for feature in features)
            yield from self._in_order(self._bottom_up(lambda _: checkpoint(), within))


def _sum(families: Sequence[Family]) -> Family:
    """Return the union; the empty set (a true disjunct, a false conjunct) subsumes everything."""
    family = [bits for family in families for bits in family]
    return [0] if 0 in family else family


def _products(parts: Sequence[tuple[Family, Step]], spend: Spend, circuit: SetCircuit) -> Family:
    """Return the minimal unions of one member of each family, small families first."""
    ordered = sorted(parts, key=lambda part: len(part[0]))
    product, first = ordered[0]
    steps = [first]
    used = reduce(or_, product, 0)
    for family, step in ordered[1:]:
        more = reduce(or_, family, 0)
        steps.append(step)
        if used & more:
            product = minimal_unions(
                product, family, spend, partial(circuit.minimality_test, tuple(steps), spend)
            )
        else:
            product = disjoint_unions(product, family, spend)
        used |= more
    return product
