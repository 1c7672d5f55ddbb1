"""``Classifier.compile``: options in, compiled model out."""

from __future__ import annotations

from concurrent.futures import Executor
from typing import Literal, TypeAlias

from bnc2d.compile.fast import compile_diagram
from bnc2d.compile.limits import ProgressCallback, Watch, default_memory_limit, reporting
from bnc2d.compile.model import CompiledModel, Stats
from bnc2d.errors import ClassifierError
from bnc2d.model.classifier import Classifier

Arithmetic: TypeAlias = Literal["certified", "float"]


def compile_classifier(
    classifier: Classifier,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    arithmetic: Arithmetic = "certified",
    progress: ProgressCallback | bool | None = None,
    executor: Executor | None = None,
) -> CompiledModel:
    """Compile every class of a classifier.

    ``time_limit`` (seconds) and ``memory_limit`` (bytes; default 4 GiB or half of the machine) end with
    ``LimitExceeded``. ``arithmetic="certified"`` proves or exactly decides every instance; ``"float"`` skips
    the exact part. ``progress`` is called with the phase and the share of it that is done; True shows a bar
    on standard error. ``executor`` is reserved for spreading the work and refused until it does.
    """
    if arithmetic not in ("certified", "float"):
        raise ClassifierError(f"arithmetic must be 'certified' or 'float', not {arithmetic!r}")
    if executor is not None:
        raise ClassifierError("compiling over an executor is not supported yet; leave executor=None")
    with reporting(progress) as report:
        return _compile(classifier, Watch(time_limit, report), memory_limit, arithmetic == "certified")


def _compile(
    classifier: Classifier, watch: Watch, memory_limit: int | None, certified: bool
) -> CompiledModel:
    limit = default_memory_limit() if memory_limit is None else memory_limit
    result = compile_diagram(classifier, watch, limit, certified)
    stats = Stats(
        method="fast",
        seconds=watch.seconds,
        omega=result.widths.omega,
        omega_right=result.widths.omega_right,
        omega_left=result.widths.omega_left,
        omega_total=result.widths.omega_total,
        log2_work=result.log_work,
        frontier=result.frontier,
        cells=result.labels.cells,
        exact_calls=result.labels.exact_calls,
        diagram_nodes=result.diagram.node_count,
    )
    model = CompiledModel(classifier, result.diagram, stats)
    with watch.phase("formulas"):  # those of the classes; negations are made when asked for
        for done, name in enumerate(model.classes):
            watch.check(done / len(model.classes))
            model.formula(name)
    return model
