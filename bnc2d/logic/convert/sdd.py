"""Circuits as sentential decision diagrams (Darwiche 2011) over one-hot variables, by pysdd."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from fractions import Fraction
from math import inf, prod
from pathlib import Path
from signal import SIGALRM
from tempfile import TemporaryDirectory
from typing import Any, TypeVar, overload

from bnc2d.base.budget import Budget, OutOfTime
from bnc2d.base.checkpoints import checkpoint, pieces
from bnc2d.base.readers.arguments import flag, seconds
from bnc2d.errors import LimitExceeded, LogicError
from bnc2d.logic.circuit.fold import fold
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.circuit.restriction import features_as_met
from bnc2d.logic.convert import sdd_worker
from bnc2d.logic.convert.one_hot import OneHot
from bnc2d.logic.convert.sdd_worker import Operation
from bnc2d.logic.counting.weights import StateNumbers, Weights
from bnc2d.logic.domain import Domain, FeatureId

Value = TypeVar("Value")

_OPERATIONS_AT_ONCE = 1 << 12
_NODES_BETWEEN_CHECKS = 1 << 10
_DEEP_STATES = 48  # of a feature, from which on pysdd needs a larger stack than usual
_POLL = 0.05  # seconds between two looks at the worker
_NO_MEMORY = ("alloc failed in", "MemoryError")  # the last words of pysdd, or of Python
_BYTES_PER_SECOND = 5_000_000  # of a file that pysdd reads, at least
# With so few instances and states no diagram on the way is large, and so few operations end within a second.
_FEW_INSTANCES, _FEW_STATES, _FEW_OPERATIONS, _LONG_ENOUGH = 1 << 8, 24, 1 << 11, 1.0  # the last in seconds


class SddForm:
    """An SDD whose models are the one-hot codes of a circuit's models.

    ``manager`` and ``node`` are pysdd's; the node keeps its manager alive. Equal functions in one manager
    have equal nodes.
    """

    def __init__(self, domain: Domain, manager: Any, node: Any) -> None:
        self.domain = domain
        self.manager = manager
        self.node = node
        self._one_hot = OneHot(domain)

    @property
    def size(self) -> int:
        """The number of elements of the decision nodes."""
        return int(self.node.size())

    @overload
    def count(self, weights: None = None) -> int: ...
    @overload
    def count(self, weights: StateNumbers) -> Fraction: ...
    def count(self, weights: StateNumbers | None = None) -> int | Fraction:
        """Return the number of instances, exactly (pysdd's own overflows), or what they weigh together.

        ``weights`` as in ``NNF.model_count``.
        """
        weigh = Weights(self.domain, {} if weights is None else weights)

        def literal(number: int) -> int:
            feature, state = self._one_hot.owner(abs(number))
            return weigh.table[feature][state] if number > 0 else 1

        # All models are one-hot codes, so no variable is ever free: every element mentions all beside it.
        found = _fold_sdd(self.node, int, literal, lambda elements: sum(map(prod, elements)))
        return found if weights is None else weigh.exactly(found)

    def equivalent(self, other: SddForm) -> bool:
        """Return whether both have the same instances; another manager's SDD is first rebuilt in this one."""
        if self.domain != other.domain:
            raise LogicError("the SDDs are over different domains")
        if other.manager is self.manager:
            return bool(self.node == other.node)
        return bool(self.node == other._copy_into(self.manager))

    def _copy_into(self, manager: Any) -> Any:
        def decision(elements: list[tuple[Any, Any]]) -> Any:
            total = manager.false()
            for prime, sub in elements:
                total = manager.disjoin(total, manager.conjoin(prime, sub))
            return total

        constant = {True: manager.true(), False: manager.false()}
        return _fold_sdd(self.node, constant.__getitem__, manager.literal, decision)

    def to_nnf(self, target: Manager) -> NodeId:
        """Return a circuit with the same instances in another (or the original) circuit manager.

        It is deterministic, and AND-decomposable as long as the vtree keeps each feature's variables
        together, which ``minimize=True`` need not.
        """
        if target.domain != self.domain:
            raise LogicError("the SDD and the circuit manager are over different domains")

        def literal(number: int) -> NodeId:
            feature, state = self._one_hot.owner(abs(number))
            mask = 1 << state
            return target.add_literal(feature, mask if number > 0 else self.domain.full(feature) & ~mask)

        def decision(elements: list[tuple[NodeId, NodeId]]) -> NodeId:
            return target.add_or([target.add_and(element) for element in elements])

        # Inside a feature's subtree every result is a literal: the circuit manager merges them on the way.
        return _fold_sdd(self.node, lambda value: TRUE if value else FALSE, literal, decision)

    def __repr__(self) -> str:
        return f"<SddForm of size {self.size} over {len(self.domain)} features>"


def _fold_sdd(
    root: Any,
    constant: Callable[[bool], Value],
    literal: Callable[[int], Value],
    decision: Callable[[list[tuple[Value, Value]]], Value],
) -> Value:
    """Return the value of an SDD, bottom-up without recursion; elements with a false sub are left out.

    ``decision`` gets the values of primes and subs.
    """
    values: dict[int, Value] = {}
    pending: list[tuple[Any, list[tuple[Any, Any]] | None]] = [(root, None)]
    while pending:
        if len(values) % _NODES_BETWEEN_CHECKS == 0:
            checkpoint()
        node, elements = pending.pop()
        if elements is not None:
            pairs = [(values[prime.id], values[sub.id]) for prime, sub in elements]
            values[node.id] = decision(pairs)
        elif node.id in values:
            continue
        elif node.is_literal():
            values[node.id] = literal(node.literal)
        elif not node.is_decision():
            values[node.id] = constant(bool(node.is_true()))
        else:
            elements = [(prime, sub) for prime, sub in node.elements() if not sub.is_false()]
            pending.append((node, elements))
            pending.extend((part, None) for element in elements for part in element if part.id not in values)
    return values[root.id]


def to_sdd(
    manager: Manager,
    root: NodeId,
    minimize: bool = False,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    *,
    order: Sequence[str] | None = None,
    like: SddForm | None = None,
) -> SddForm:
    """Return the SDD of the circuit under the one-hot constraint.

    The vtree is balanced over the features and right-linear inside a feature. ``order`` names features from
    left to right; those it leaves out follow in the order in which the circuit mentions them.
    ``minimize`` lets pysdd search for a better vtree, which may tear a feature's variables apart.
    ``like`` builds in the pysdd manager of another form instead, so that equal functions are equal nodes.
    With ``time_limit`` (seconds) or ``memory_limit`` (bytes; with the former it is 4 GiB or half of the
    machine's memory by default) the work happens in a process of its own that is ended at the limit, unless
    it is so little that no limit of a second matters.
    """
    time_limit = seconds(time_limit)
    no_limit = time_limit is None and memory_limit is None
    flag(minimize, "minimize")
    domain = manager.domain
    if not len(domain):
        raise LogicError("an SDD needs at least one feature")
    if like is not None and (like.domain != domain or minimize or order is not None):
        raise LogicError("like= needs a form over the same domain, and its vtree stays as it is")
    from pysdd.sdd import SddManager, Vtree

    budget = Budget(time_limit, memory_limit)
    with budget.limiting("the SDD is not finished"), TemporaryDirectory(prefix="bnc2d-sdd-") as name:
        folder = Path(name)
        features = _feature_order(manager, root, order)
        program = _program(manager, root, features)
        if like is None:
            (folder / "in.vtree").write_text(_vtree_text(OneHot(domain), features), "ascii")
        else:
            like.manager.vtree().save(str(folder / "in.vtree").encode())
        left = budget.left()
        quick = (left is None or left >= _LONG_ENOUGH) and not minimize and _is_quick(domain, program)
        limited = not (no_limit or quick)
        if limited:
            _run_worker(folder, program, minimize, budget)
        vtree = Vtree.from_file(str(folder / ("out.vtree" if limited else "in.vtree")))
        sdds = SddManager.from_vtree(vtree) if like is None else like.manager
        if limited:
            return SddForm(domain, sdds, sdds.read_sdd_file(str(folder / "out.sdd").encode()))

        def work() -> SddForm:
            form = SddForm(domain, sdds, sdd_worker.build(sdds, program))
            if minimize:
                sdds.minimize()
            return form

        return sdd_worker.deeply(work) if max(domain.cardinalities) > _DEEP_STATES else work()


def _is_quick(domain: Domain, program: list[Operation]) -> bool:
    """Return whether the work is too little to start a process for it."""
    states = sum(domain.cardinalities)
    return (
        len(program) <= _FEW_OPERATIONS and states <= _FEW_STATES and domain.instance_count <= _FEW_INSTANCES
    )


def _run_worker(folder: Path, program: list[Operation], minimize: bool, budget: Budget) -> None:
    """Run the worker on the folder; what it wrote is complete, and is read in time, when this returns."""
    with (folder / "program.jsonl").open("w", encoding="ascii") as file:
        for piece in pieces(len(program), _OPERATIONS_AT_ONCE):
            file.write(json.dumps(program[piece]) + "\n")
    left = budget.left()
    words = [str(folder), str(int(minimize)), str(inf if left is None else left), str(budget.memory)]
    path = os.pathsep.join(entry for entry in sys.path if entry)
    with subprocess.Popen(  # noqa: S603 - our own file
        [sys.executable, "-P", str(Path(sdd_worker.__file__)), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    ) as process:
        try:
            while process.poll() is None:
                checkpoint()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL)
        finally:
            process.kill()
        errors = "" if process.stderr is None else process.stderr.read()
    if process.returncode == -SIGALRM:  # it keeps the limit by itself, too
        raise OutOfTime(budget)
    if process.returncode < 0:  # killed, most likely for want of memory
        raise LimitExceeded(f"the process that builds the SDD was ended by signal {-process.returncode}")
    if process.returncode > 0:
        reason = (errors.strip() or "no message").splitlines()[-1]
        if any(sign in reason for sign in _NO_MEMORY):
            raise budget.refused("the SDD")
        raise LogicError(f"the process that builds the SDD failed: {reason}")
    left = budget.left()
    if left is not None and (folder / "out.sdd").stat().st_size > (left + 0.5) * _BYTES_PER_SECOND:
        raise OutOfTime(budget)  # reading it, in one call of pysdd, would take longer


def _feature_order(manager: Manager, root: NodeId, order: Sequence[str] | None) -> list[FeatureId]:
    """Return all features: those ordered first, then as a depth-first walk meets them, then the rest."""
    domain = manager.domain
    wanted = [domain.index(name) for name in order or ()]
    if len(set(wanted)) != len(wanted):
        raise LogicError("order names a feature twice")
    return list(dict.fromkeys([*wanted, *features_as_met(manager, root)]))


def _vtree_text(hot: OneHot, features: Sequence[FeatureId]) -> str:
    """Return a vtree file: balanced over the features, right-linear over the variables of each."""
    lines: list[str] = []

    def add(line: str) -> int:
        lines.append(line.replace("#", str(len(lines))))
        return len(lines) - 1

    def feature_tree(feature: FeatureId) -> int:
        *others, last = hot.variables(feature)
        top = add(f"L # {last}")
        for variable in reversed(others):
            top = add(f"I # {add(f'L # {variable}')} {top}")
        return top

    level = [feature_tree(feature) for feature in features]
    while len(level) > 1:
        paired = [add(f"I # {level[i]} {level[i + 1]}") for i in range(0, len(level) - 1, 2)]
        level = paired + level[2 * len(paired) :]
    return "\n".join([f"vtree {len(lines)}", *lines, ""])


def _program(manager: Manager, root: NodeId, features: Sequence[FeatureId]) -> list[Operation]:
    """Return the operations that build the circuit, and last its conjunction with the constraints.

    A literal reads a feature's variables as "the first true one, else the last": away from the one-hot codes
    the circuit then takes no new values, so that the diagrams on the way stay as small as the circuit's
    own. (A disjunction of positive variables would tell 2^k codes of a feature apart instead of k.)
    """
    hot = OneHot(manager.domain)
    program: list[Operation] = []
    known: dict[tuple[str, tuple[int, ...]], int] = {}

    def add(kind: str, *parts: int) -> int:
        key = (kind, parts)
        if key not in known:
            known[key] = len(program)
            program.append((kind, list(parts)))
        return known[key]

    def literal(feature: FeatureId, mask: int) -> int:
        *others, last = range(manager.domain.cardinalities[feature])
        result = add("A") if mask >> last & 1 else add("O")
        for state in reversed(others):
            inside, variable = mask >> state & 1, hot.variable(feature, state)
            result = add("O", add("L", variable), result) if inside else add("A", add("L", -variable), result)
        return result

    def exactly_one(feature: FeatureId) -> int:
        none, one = add("A"), add("O")
        for variable in reversed(hot.variables(feature)):
            on, off = add("L", variable), add("L", -variable)
            none, one = add("A", off, none), add("O", add("A", on, none), add("A", off, one))
        return one

    circuit = fold(
        manager,
        root,
        lambda value: add("A") if value else add("O"),
        literal,
        lambda parts: add("A", *parts),
        lambda parts: add("O", *parts),
    )
    constraint = add("A", *map(exactly_one, features))
    program.append(("A", [circuit, constraint]))
    return program
