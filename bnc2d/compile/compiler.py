"""``Classifier.compile``: options in, compiled model out, by one of several methods, loaded when chosen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bnc2d.base.budget import Budget, Progress, default_memory
from bnc2d.base.readers.arguments import check_executor, one_of
from bnc2d.base.readers.choices import ARITHMETICS, Arithmetic, Method, read_method
from bnc2d.base.threads import one_thread
from bnc2d.compile.graph.feature_tree import Widths
from bnc2d.compile.graph.target_part import TargetPart, target_part
from bnc2d.compile.model import BaseCompiledModel, Stats
from bnc2d.errors import ClassifierError
from bnc2d.logic.circuit.manager import NodeId
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.domain import FeatureId
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import BaseClassifier

if TYPE_CHECKING:
    from concurrent.futures import Executor


@one_thread
def compile_classifier(
    classifier: BaseClassifier,
    *,
    method: Method = "fast",
    time_limit: float | None = None,
    memory_limit: int | None = None,
    arithmetic: Arithmetic = "certified",
    progress: Progress = None,
    executor: Executor | None = None,
) -> BaseCompiledModel:
    """Compile every class of a classifier.

    ``method`` is ``"fast"``, one pass for all classes, or one to compare it with: ``"paper"``, the compiler
    of Zhang and Darwiche (2026) as published, one class at a time; ``"block-order"``, that of Shih, Choi and
    Darwiche (2019), for binary targets and features; ``"enumerate"``, brute force. All decide every instance
    alike, their formulas differ in form: the last two give the nodes of an ordered diagram as they are.
    ``time_limit`` (seconds) and ``memory_limit`` (bytes that the process may grow by; default 4 GiB or half
    of the machine) end with ``LimitExceeded``. ``arithmetic="certified"`` proves or exactly decides every
    instance; ``"float"`` skips the exact part, where the method can. ``progress`` is called with the phase
    and the share of it that is done, and what it raises ends the compilation; True shows a bar on standard
    error. Where the method can, ``executor`` spreads the work; the result is the same.
    """
    method = read_method(method)
    one_of(arithmetic, ARITHMETICS, "arithmetic", ClassifierError)
    check_executor(executor)
    budget = Budget(time_limit, default_memory() if memory_limit is None else memory_limit, progress)
    with budget.limiting():
        with budget.timed("order"):
            part = target_part(classifier)
        return METHODS[method](_Job(part, budget, arithmetic == "certified", executor))


@dataclass(frozen=True)
class _Job:
    """What to compile, under which limits and with whose help."""

    part: TargetPart
    budget: Budget
    certified: bool
    executor: Executor | None

    @property
    def classifier(self) -> BaseClassifier:
        """What a method compiles."""
        return self.part.classifier

    def whole(self, diagram: Diagram) -> Diagram:
        """Return the diagram of the whole classifier, given what a method made of the target's part."""
        if self.part.classifier is self.part.whole:
            return diagram
        from bnc2d.compile.zeros.diagram import with_impossible

        return with_impossible(self.part, diagram, self.budget)


def _widths(widths: Widths) -> dict[str, int]:
    return {
        "omega": widths.omega,
        "omega_right": widths.omega_right,
        "omega_left": widths.omega_left,
        "omega_total": widths.omega_total,
    }


def _fast(job: _Job) -> BaseCompiledModel:
    from bnc2d.compile.meet.method import compile_diagram

    result = compile_diagram(job.classifier, job.budget, job.certified, job.executor)
    diagram = job.whole(result.diagram)
    stats = Stats(
        method="fast",
        seconds=job.budget.seconds,
        **_widths(result.widths),
        log2_work=result.log_work,
        frontier=result.frontier,
        cells=result.labels.cells,
        exact_calls=result.labels.exact_calls,
        diagram_nodes=diagram.node_count,
    )
    model = BaseCompiledModel(job.part.whole, diagram, stats)
    with job.budget.phase("formulas"):
        for made, name in enumerate(model.classes):
            job.budget.progress(made / len(model.classes))
            model.formula(name)
    return model


def _paper(job: _Job) -> BaseCompiledModel:
    from bnc2d.compile.paper.method import compile_by_paper
    from bnc2d.logic.circuit.fold import rewrite

    _refuse_options(job, "paper")
    result = compile_by_paper(job.classifier, job.budget)
    if job.part.zero_tables:  # its formulas do not know of all impossible instances
        return _plain_model(job, "paper", result.diagram, result.cells, result.exact_calls, result.widths)
    diagram = job.whole(result.diagram)
    stats = Stats(
        method="paper",
        seconds=job.budget.seconds,
        **_widths(result.widths),
        cells=result.cells,
        exact_calls=result.exact_calls,
        diagram_nodes=diagram.node_count,
    )
    model = BaseCompiledModel(job.part.whole, diagram, stats)
    position = [model.features.index(name) for name in job.classifier.features]

    def literal(feature: FeatureId, mask: int) -> NodeId:
        return model.manager.add_literal(position[feature], mask)

    for key in sorted(result.formulas):  # the order of files, so that a loaded model is saved as it was
        formula = result.formulas[key]
        root = rewrite(formula.manager, formula.root, literal, into=model.manager)
        model.formulas[key] = NNF(model.manager, root)
    return model


def _block_order(job: _Job) -> BaseCompiledModel:
    from bnc2d.compile.baselines.block_order.method import compile_by_block_order

    _refuse_options(job, "block-order")
    result = compile_by_block_order(job.classifier, job.budget)
    return _plain_model(job, "block-order", result.diagram, result.cells, result.exact_calls)


def _enumerate(job: _Job) -> BaseCompiledModel:
    from bnc2d.compile.baselines.enumerate import compile_by_enumeration

    _refuse_options(job, "enumerate")
    result = compile_by_enumeration(job.classifier, job.budget)
    return _plain_model(job, "enumerate", result.diagram, result.cells, result.exact_calls)


def _refuse_options(job: _Job, method: Method) -> None:
    """Refuse what a method for comparison cannot do."""
    if not job.certified:
        raise ClassifierError(
            f"the method {method!r} decides close calls exactly; use arithmetic='certified'"
        )
    if job.executor is not None:
        raise ClassifierError(f"the method {method!r} does not spread its work; leave executor=None")


def _plain_model(
    job: _Job, method: Method, decided: Diagram, cells: int, exact_calls: int, widths: Widths | None = None
) -> BaseCompiledModel:
    """Return a model whose formulas are the diagram itself, clauses for each node, not made smaller."""
    from bnc2d.logic.diagram.to_circuit import class_formula

    diagram = job.whole(decided)
    stats = Stats(
        method=method,
        seconds=job.budget.seconds,
        **({} if widths is None else _widths(widths)),
        cells=cells,
        exact_calls=exact_calls,
        diagram_nodes=diagram.node_count,
    )
    model = BaseCompiledModel(job.part.whole, diagram, stats)
    with job.budget.phase("formulas"):
        for label in range(len(model.classes)):
            job.budget.progress(label / len(model.classes))
            for negated in (False, True):
                root = class_formula(diagram, model.manager, label, negated)
                model.formulas[label, negated] = NNF(model.manager, root)
    return model


METHODS: Mapping[Method, Callable[[_Job], BaseCompiledModel]] = {
    "fast": _fast,
    "paper": _paper,
    "block-order": _block_order,
    "enumerate": _enumerate,
}
