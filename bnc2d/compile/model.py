"""What a compilation gives: every class as a formula, with decisions and counts read off a diagram."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from bnc2d.base.arguments import as_text, flag, named
from bnc2d.compile.formula.minimise import Minimiser
from bnc2d.errors import ClassifierError, did_you_mean
from bnc2d.logic.diagram.diagram import Diagram
from bnc2d.logic.domain import Domain
from bnc2d.logic.nnf import NNF
from bnc2d.model.classifier import Classifier
from bnc2d.model.instances import encode, in_the_same_form
from bnc2d.model.numbers import Number

if TYPE_CHECKING:  # for annotations: explanations and checks stand above this package
    from bnc2d.explain.explanation import Explanation
    from bnc2d.explain.whole.bias import Bias
    from bnc2d.explain.whole.compare import Comparison, Equivalence
    from bnc2d.explain.whole.monotone import Monotone
    from bnc2d.explain.whole.questions import Nearest
    from bnc2d.verify.report import Report

# Diagrams of at most so many nodes are worth every effort: people read their formulas.
_TINY = 64
# Figures of Stats that time, threads or the kind of processor may change.
_OF_THE_RUN = frozenset(["seconds", "log2_work", "frontier", "cells", "exact_calls"])


@dataclass(frozen=True)
class Stats:
    """How a compilation went.

    What the compilation gives, on every machine: ``method`` by its name, the paper's widths, the size of the
    diagram. How this run of it went: ``seconds`` per phase; ``log2_work`` multiplications and ``frontier``,
    the distinct sub-functions where the two tables meet (None where the method has neither); ``cells``
    decided and ``exact_calls`` among them that float64 could not prove. The run leaves no trace in files, so
    a loaded model has no ``seconds`` and None for the others.
    """

    method: str
    seconds: Mapping[str, float] = field(default_factory=dict)
    omega: int = 0
    omega_right: int = 0
    omega_left: int = 0
    omega_total: int = 0
    log2_work: float | None = None
    frontier: int | None = None
    cells: int | None = None
    exact_calls: int | None = None
    diagram_nodes: int = 0

    def as_dict(self) -> dict[str, Any]:
        """Return plain data, for JSON."""
        return asdict(self)

    def of_any_run(self) -> dict[str, Any]:
        """Return as plain data what does not depend on the machine or the moment, for files."""
        return {name: value for name, value in asdict(self).items() if name not in _OF_THE_RUN}


class CompiledModel:
    """A classifier whose class formulas are known.

    ``formula(c)`` is the OR-decomposable circuit of class ``c``; ``predict`` and ``count`` read the decision
    diagram behind it. Under ``ties="none"`` some instances are in no class.
    """

    def __init__(
        self,
        classifier: Classifier,
        diagram: Diagram,
        stats: Stats,
    ) -> None:
        self.classifier = classifier
        self.diagram = diagram
        self.stats = stats
        self.domain = Domain({v.name: v.states for v in classifier.feature_variables})
        effort = 1.0 if diagram.node_count <= _TINY else 0.0
        self._minimiser = Minimiser(diagram, self.domain, effort)
        self.manager = self._minimiser.manager
        self.formulas: dict[tuple[int, bool], NNF] = {}  # by label and negation: what a file holds
        self._requested: dict[
            tuple[int, bool], NNF
        ] = {}  # negations made later, which do not change the file

    @property
    def classes(self) -> tuple[str, ...]:
        """The states of the target."""
        return self.classifier.classes

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features."""
        return self.classifier.features

    @property
    def mentioned_features(self) -> tuple[str, ...]:
        """The features on which some decision depends; the others never matter."""
        decided = zip(self.diagram.order, self.diagram.levels, strict=True)
        return tuple(self.features[feature] for feature in sorted(f for f, level in decided if len(level)))

    @property
    def target(self) -> str:
        """The name of the target."""
        return self.classifier.target

    def formula(self, name: str, negated: bool = False) -> NNF:
        """Return the OR-decomposable formula of a class, or of "not this class"."""
        key = (self.label(name), flag(negated, "negated"))
        kept = self._requested if negated and key not in self.formulas else self.formulas
        if key not in kept:
            kept[key] = NNF(self.manager, self._minimiser.formula(*key))
        return kept[key]

    def predict(self, instances: Any) -> Any:
        """Return the class of one instance, or of many in the form they came (see ``Classifier.predict``)."""
        encoded = encode(self.classifier.feature_variables, instances)
        names = np.array([*self.classes, None], dtype=object)[self.diagram.labels(encoded.rows)]
        return in_the_same_form(names, encoded.kind, instances, self.target)

    def count(self, name: str) -> int:
        """Return the exact number of instances in a class."""
        return self.diagram.counts(self.domain.cardinalities)[self.label(name)]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``.bnc2d`` file that ``bnc2d.load`` reads; it appears whole or not at all.

        The same compilation always gives the same bytes (see ``store``).
        """
        import_module("bnc2d.compile.store").save_model(self, path)

    def verify(
        self,
        *,
        time_limit: float | None = 60.0,
        samples: int = 200,
        seed: int = 0,
        second_method: bool = True,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> Report:
        """Check the model by independent means and return a report (see ``verify_model``)."""
        report: Report = import_module("bnc2d.verify.checks").verify_model(
            self,
            time_limit=time_limit,
            samples=samples,
            seed=seed,
            second_method=second_method,
            progress=progress,
        )
        return report

    def explain(self, instance: Any, fixed: Iterable[str] = ()) -> Explanation:
        """Return the explanation of the decision on one instance (see ``explanation.explain``)."""
        answer: Explanation = self._ask("explanation", "explain", instance, fixed)
        return answer

    def shares(self) -> dict[str | None, Fraction]:
        """Return which share of all instances is in each class (under the key None: in no class)."""
        answer: dict[str | None, Fraction] = self._ask("whole.questions", "shares")
        return answer

    def share(self, name: str | None) -> Fraction:
        """Return which share of all instances is in a class."""
        answer: Fraction = self._ask("whole.questions", "share", name)
        return answer

    def sample(self, name: str | None, seed: int = 0, size: int | None = None) -> Any:
        """Return an instance of a class drawn uniformly, or a list of ``size`` (see ``questions.sample``)."""
        return self._ask("whole.questions", "sample", name, seed, size)

    def nearest(
        self,
        instance: Mapping[str, object],
        towards: str | None = None,
        *,
        fixed: str | Iterable[str] = (),
        weights: Mapping[str, Number] | None = None,
    ) -> Nearest:
        """Return the nearest instance decided otherwise, or as ``towards`` (see ``questions.nearest``)."""
        answer: Nearest = self._ask(
            "whole.questions", "nearest", instance, towards, fixed=fixed, weights=weights
        )
        return answer

    def is_biased(
        self,
        protected: str | Iterable[str],
        instance: Mapping[str, object] | None = None,
        *,
        time_limit: float | None = None,
    ) -> Bias:
        """Return whether decisions depend on protected features, with a pair (see ``bias.is_biased``)."""
        answer: Bias = self._ask("whole.bias", "is_biased", protected, instance, time_limit=time_limit)
        return answer

    def is_monotone(
        self,
        features: str | Iterable[str],
        order: Sequence[str] | Mapping[str, Sequence[str]] | None = None,
        *,
        towards: str | None = None,
        time_limit: float | None = None,
    ) -> Monotone:
        """Return whether raising features only raises decisions (see ``monotone.is_monotone``)."""
        limits = {"towards": towards, "time_limit": time_limit}
        answer: Monotone = self._ask("whole.monotone", "is_monotone", features, order, **limits)
        return answer

    def equivalent(self, other: CompiledModel, *, time_limit: float | None = None) -> Equivalence:
        """Return whether another model decides alike, with a witness (see ``compare.equivalent``)."""
        answer: Equivalence = self._ask("whole.compare", "equivalent", other, time_limit=time_limit)
        return answer

    def compare(self, other: CompiledModel, *, time_limit: float | None = None) -> Comparison:
        """Return what another model decides differently, in exact numbers (see ``compare.compare``)."""
        answer: Comparison = self._ask("whole.compare", "compare", other, time_limit=time_limit)
        return answer

    def explain_many(self, rows: Any, executor: Executor | None = None, **options: Any) -> Any:
        """Return the reasons for many decisions, spread over an executor (see ``batch.explain_many``)."""
        return self._ask("batch", "explain_many", rows, executor, **options)

    def _ask(self, module: str, question: str, *arguments: Any, **options: Any) -> Any:
        """Ask a module of the explain package, which stands above this one and is loaded when needed."""
        return getattr(import_module(f"bnc2d.explain.{module}"), question)(self, *arguments, **options)

    def label(self, name: object) -> int:
        """Return the position of a class; an unknown one is an error."""
        try:
            return self.classes.index(as_text(name))
        except ValueError:
            hint = did_you_mean(name, self.classes)
            raise ClassifierError(f"the target {self.target!r} has no class {named(name)}{hint}") from None

    def _repr_html_(self) -> str:
        html: str = import_module("bnc2d.report.notebook").model_html(self)
        return html

    def __repr__(self) -> str:
        return (
            f"<CompiledModel of {self.target}: {len(self.classes)} classes, {len(self.features)} features, "
            f"{self.diagram.node_count} diagram nodes>"
        )
