"""``bnc2d.Classifier``: what a network decides, and the way from there to its compiled model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from bnc2d.api.compiled_model import CompiledModel
from bnc2d.base.readers.arguments import instance_of
from bnc2d.base.readers.choices import Arithmetic, Method
from bnc2d.model.classifier import BaseClassifier

if TYPE_CHECKING:
    from concurrent.futures import Executor


class Classifier(BaseClassifier):
    """Decides the class of an instance ``x`` of the features: ``argmax_y P(y | x)``, or a threshold.

    ``features`` default to all leaves but the target, with a ``FeaturesWarning`` where these leave out
    variables that touch the target; ``"all"`` takes every variable but the target, a list those it names.
    With a ``threshold`` (binary targets), ``x`` is in class ``positive`` (default: the state listed second)
    iff ``P(positive | x) > threshold``, else in the other class. ``ties="lowest"`` gives a tied instance to
    the tied state listed first, ``ties="none"`` to no class (``predict`` returns None). An impossible
    instance (``P(x) = 0``) ties all classes at zero.

    Decisions are exact: float64 answers only where a rigorous error bound proves them right.
    """

    @classmethod
    def of(cls, classifier: BaseClassifier) -> Classifier:
        """Return the same classifier as users hold it."""
        if isinstance(classifier, cls):
            return classifier
        made = cls.__new__(cls)
        made.__dict__.update(instance_of(BaseClassifier, classifier, "classifier").__dict__)
        return made

    def compile(
        self,
        *,
        method: Method = "fast",
        time_limit: float | None = None,
        memory_limit: int | None = None,
        arithmetic: Arithmetic = "certified",
        progress: Callable[[str, float], object] | bool | None = None,
        executor: Executor | None = None,
    ) -> CompiledModel:
        """Return the model with every class as an OR-decomposable formula (see ``compile_classifier``)."""
        from bnc2d.compile.compiler import compile_classifier

        compiled = compile_classifier(
            self,
            method=method,
            time_limit=time_limit,
            memory_limit=memory_limit,
            arithmetic=arithmetic,
            progress=progress,
            executor=executor,
        )
        return CompiledModel.of(compiled)

    def _repr_html_(self) -> str:
        from bnc2d.report.notebook import classifier_html

        return classifier_html(self)
