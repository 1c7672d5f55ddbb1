"""``Classifier.compile``: options in, compiled model out, by one of several methods, loaded when chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnc2d.base.allocation import kept_memory
from bnc2d.base.budget import Budget, Progress, default_memory
from bnc2d.base.readers.arguments import check_executor, count, one_of
from bnc2d.base.readers.choices import ARITHMETICS, EARLY, Arithmetic, Early, Method, read_method
from bnc2d.base.threads import one_thread
from bnc2d.base.workers import working
from bnc2d.compile.graph.pruning import TargetPart, target_part
from bnc2d.compile.model import BaseCompiledModel, Stats, prepare_formulas
from bnc2d.compile.result import Compiled, Formulas
from bnc2d.errors import ClassifierError
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import NodeId
from bnc2d.logic.diagram.to_circuit import class_formula
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
    jobs: int = 1,
    early: Early | None = None,
    formulas: bool = True,
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
    error. The fast method uses ``jobs`` threads, and ``executor``, where one is given, for what is worth
    sending to other machines; the result is the same, byte by byte. ``early`` is for the paper's method: what
    decides a partial instance for all its completions, ``"signs"`` as published, or also ``"intervals"`` of
    ratios, or also ``"rays"``, the vectors that completions make, where they are few. Without ``formulas``
    the fast method leaves them until they are asked for, where decisions are all that is wanted.
    """
    method = read_method(method)
    one_of(arithmetic, ARITHMETICS, "arithmetic", ClassifierError)
    check_executor(executor)
    _check_early(early, method)
    jobs = count(jobs, "jobs", least=1)
    budget = Budget(time_limit, default_memory() if memory_limit is None else memory_limit, progress)
    with kept_memory(), budget.limiting(), working(jobs) as threads:
        with budget.timed("order"):
            part = target_part(classifier)
        compiled = _run(
            method, part.classifier, budget, arithmetic == "certified", executor or threads, early
        )
        model = _model(method, part, compiled, budget)
        if compiled.formulas and not part.zero_tables:  # else they do not know of all impossible instances
            _add_formulas(model, part.classifier, compiled.formulas)
        elif formulas or method != "fast":
            with budget.phase("formulas"):
                if method == "fast" and threads is not None:
                    prepare_formulas(model)
                for label, name in enumerate(model.classes):
                    budget.progress(label / len(model.classes))
                    if method == "fast":
                        model.formula(name)
                    else:  # the diagram itself, clauses for each node, not made smaller
                        for negated in (False, True):
                            root = class_formula(model.diagram, model.manager, label, negated)
                            model.formulas[label, negated] = NNF(model.manager, root)
        return model


def _check_early(early: object, method: Method) -> None:
    if early is None:
        return
    one_of(early, EARLY, "early", ClassifierError)
    if method != "paper":
        raise ClassifierError(
            f"early={early!r} is for the paper's method, not for {method!r}; "
            "use method='paper' or leave early=None"
        )


def _run(
    method: Method,
    classifier: BaseClassifier,
    budget: Budget,
    certified: bool,
    executor: Executor | None,
    early: Early | None,
) -> Compiled:
    if method == "fast":
        from bnc2d.compile.meet.method import compile_diagram

        return compile_diagram(classifier, budget, certified, executor)
    if not certified:
        raise ClassifierError(
            f"the method {method!r} decides close calls exactly; use arithmetic='certified'"
        )
    if executor is not None:
        raise ClassifierError(
            f"the method {method!r} does not spread its work; leave executor=None and jobs=1"
        )
    if method == "paper":
        from bnc2d.compile.paper.method import compile_by_paper

        return compile_by_paper(classifier, budget, early or "signs")
    if method == "block-order":
        from bnc2d.compile.baselines.block_order.method import compile_by_block_order

        return compile_by_block_order(classifier, budget)
    from bnc2d.compile.baselines.enumerate import compile_by_enumeration

    return compile_by_enumeration(classifier, budget)


def _model(method: Method, part: TargetPart, compiled: Compiled, budget: Budget) -> BaseCompiledModel:
    """Return the model of the whole classifier, given what a method made of the target's part."""
    diagram = compiled.diagram
    if part.classifier is not part.whole:
        from bnc2d.compile.zeros.diagram import with_impossible

        diagram = with_impossible(part, diagram, budget)
    widths = compiled.widths
    stats = Stats(
        method=method,
        seconds=budget.seconds,
        omega=widths.omega,
        omega_right=widths.omega_right,
        omega_left=widths.omega_left,
        omega_total=widths.omega_total,
        log2_work=compiled.log_work,
        frontier=compiled.frontier,
        cells=compiled.cells,
        exact_calls=compiled.exact_calls,
        diagram_nodes=diagram.node_count,
    )
    return BaseCompiledModel(part.whole, diagram, stats)


def _add_formulas(model: BaseCompiledModel, part: BaseClassifier, formulas: Formulas) -> None:
    """Give a model the formulas that a method made in its own way, over the features of a part."""
    position = [model.features.index(name) for name in part.features]

    def literal(feature: FeatureId, mask: int) -> NodeId:
        return model.manager.add_literal(position[feature], mask)

    for key in sorted(formulas):  # the order of files, so that a loaded model is saved as it was
        formula = formulas[key]
        root = rewrite(formula.manager, formula.root, literal, into=model.manager)
        model.formulas[key] = NNF(model.manager, root)
