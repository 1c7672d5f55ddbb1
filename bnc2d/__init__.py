"""bnc2d: Bayesian network classifiers as logic, explained with guarantees.

Public names are loaded on first use, so that ``import bnc2d`` and the command line start at once.
"""

from __future__ import annotations

from bnc2d.version import __version__

TYPE_CHECKING = False  # typing itself takes a while to load
if TYPE_CHECKING:
    from bnc2d.adapters.agreement import Agreement as Agreement
    from bnc2d.adapters.agreement import Difference as Difference
    from bnc2d.adapters.agreement import agreement as agreement
    from bnc2d.adapters.from_pgmpy import from_pgmpy as from_pgmpy
    from bnc2d.adapters.from_pyagrum import from_pyagrum as from_pyagrum
    from bnc2d.adapters.from_sklearn import from_sklearn as from_sklearn
    from bnc2d.api.classifier import Classifier as Classifier
    from bnc2d.api.compiled_model import CompiledModel as CompiledModel
    from bnc2d.api.compiled_model import GivenModel as GivenModel
    from bnc2d.api.explanation import Explanation as Explanation
    from bnc2d.api.files import load as load
    from bnc2d.api.profile import RobustnessProfile as RobustnessProfile
    from bnc2d.auditing.audit import audit as audit
    from bnc2d.auditing.findings import AuditCheck as AuditCheck
    from bnc2d.auditing.result import Audit as Audit
    from bnc2d.base.finding import Finding as Finding
    from bnc2d.base.finding import Status as Status
    from bnc2d.base.readers.choices import Arithmetic as Arithmetic
    from bnc2d.base.readers.choices import Early as Early
    from bnc2d.base.readers.choices import ExplainKind as ExplainKind
    from bnc2d.base.readers.choices import Method as Method
    from bnc2d.base.readers.choices import ReasonKind as ReasonKind
    from bnc2d.base.readers.choices import ScoreKind as ScoreKind
    from bnc2d.base.readers.choices import Ties as Ties
    from bnc2d.base.readers.instances import Instance as Instance
    from bnc2d.base.readers.numbers import Number as Number
    from bnc2d.base.scales import Intervals as Intervals
    from bnc2d.base.scales import Label as Label
    from bnc2d.base.scales import Labels as Labels
    from bnc2d.base.scales import States as States
    from bnc2d.compile.model import Stats as Stats
    from bnc2d.compile.shares.weighing import Weighed as Weighed
    from bnc2d.data.train import from_data as from_data
    from bnc2d.draw.chart import Chart as Chart
    from bnc2d.errors import ArgumentError as ArgumentError
    from bnc2d.errors import Bnc2dError as Bnc2dError
    from bnc2d.errors import Bnc2dWarning as Bnc2dWarning
    from bnc2d.errors import ClassifierError as ClassifierError
    from bnc2d.errors import DataWarning as DataWarning
    from bnc2d.errors import FeaturesWarning as FeaturesWarning
    from bnc2d.errors import FormatError as FormatError
    from bnc2d.errors import InstanceError as InstanceError
    from bnc2d.errors import LimitExceeded as LimitExceeded
    from bnc2d.errors import LogicError as LogicError
    from bnc2d.errors import MissingExtraError as MissingExtraError
    from bnc2d.errors import NetworkError as NetworkError
    from bnc2d.errors import NormalisationWarning as NormalisationWarning
    from bnc2d.errors import NotCompiledError as NotCompiledError
    from bnc2d.errors import TimeLimitExceeded as TimeLimitExceeded
    from bnc2d.errors import UnknownNameError as UnknownNameError
    from bnc2d.errors import UnsupportedError as UnsupportedError
    from bnc2d.explain.batch import Row as Row
    from bnc2d.explain.changes.nearest import Nearest as Nearest
    from bnc2d.explain.checks import Verdict as Verdict
    from bnc2d.explain.contrast import Contrast as Contrast
    from bnc2d.explain.contrast import Robustness as Robustness
    from bnc2d.explain.missing.if_known import IfKnown as IfKnown
    from bnc2d.explain.probable.reason import ProbableReason as ProbableReason
    from bnc2d.explain.scores.scores import Scores as Scores
    from bnc2d.explain.whole.bias import Bias as Bias
    from bnc2d.explain.whole.compare import Comparison as Comparison
    from bnc2d.explain.whole.compare import Equivalence as Equivalence
    from bnc2d.explain.whole.compare import compare as compare
    from bnc2d.explain.whole.compare import equivalent as equivalent
    from bnc2d.explain.whole.monotone import Monotone as Monotone
    from bnc2d.explain.whole.profile.result import ClassRobustness as ClassRobustness
    from bnc2d.explain.whole.rules.results import RuleCheck as RuleCheck
    from bnc2d.explain.whole.rules.results import RuleResult as RuleResult
    from bnc2d.explain.whole.sensitivity.results import EntryInterval as EntryInterval
    from bnc2d.explain.whole.sensitivity.results import Sensitivity as Sensitivity
    from bnc2d.explain.whole.sensitivity.results import ThresholdInterval as ThresholdInterval
    from bnc2d.formats.builtin import example as example
    from bnc2d.formats.builtin import examples as examples
    from bnc2d.formats.io import read_network as read_network
    from bnc2d.formats.io import write_network as write_network
    from bnc2d.logic.circuit.manager import Manager as Manager
    from bnc2d.logic.convert.sat import Answer as Answer
    from bnc2d.logic.convert.sdd import SddForm as SddForm
    from bnc2d.logic.counting.cheapest import PricedInstance as PricedInstance
    from bnc2d.logic.counting.weights import StateNumbers as StateNumbers
    from bnc2d.logic.diagram.diagram import Diagram as Diagram
    from bnc2d.logic.domain import Domain as Domain
    from bnc2d.logic.nnf import NNF as NNF
    from bnc2d.logic.primes.stream import Primes as Primes
    from bnc2d.logic.terms import Clause as Clause
    from bnc2d.logic.terms import Term as Term
    from bnc2d.model.cpt import CPT as CPT
    from bnc2d.model.decision import Basis as Basis
    from bnc2d.model.network import BayesianNetwork as BayesianNetwork
    from bnc2d.model.training import Training as Training
    from bnc2d.model.variable import Variable as Variable
    from bnc2d.regions.decides import Decided as Decided
    from bnc2d.report.explore import write_page as write_page
    from bnc2d.report.heat_map import heat_map as heat_map
    from bnc2d.report.score_chart import score_chart as score_chart
    from bnc2d.verify.report import Check as Check
    from bnc2d.verify.report import Report as Report

_HOME = {
    "bnc2d.errors": (
        "ArgumentError Bnc2dError Bnc2dWarning ClassifierError DataWarning FeaturesWarning FormatError "
        "InstanceError LimitExceeded LogicError MissingExtraError NetworkError NormalisationWarning "
        "NotCompiledError TimeLimitExceeded UnknownNameError UnsupportedError"
    ),
    "bnc2d.api.compiled_model": "CompiledModel GivenModel",
    "bnc2d.api.files": "load",
    "bnc2d.api.profile": "RobustnessProfile",
    "bnc2d.auditing.audit": "audit",
    "bnc2d.auditing.findings": "AuditCheck",
    "bnc2d.auditing.result": "Audit",
    "bnc2d.base.readers.choices": "Arithmetic Early ExplainKind Method ReasonKind ScoreKind Ties",
    "bnc2d.base.finding": "Finding Status",
    "bnc2d.base.readers.instances": "Instance",
    "bnc2d.base.readers.numbers": "Number",
    "bnc2d.base.scales": "Intervals Label Labels States",
    "bnc2d.compile.model": "Stats",
    "bnc2d.compile.shares.weighing": "Weighed",
    "bnc2d.draw.chart": "Chart",
    "bnc2d.explain.batch": "Row",
    "bnc2d.explain.scores.scores": "Scores",
    "bnc2d.explain.whole.bias": "Bias",
    "bnc2d.explain.checks": "Verdict",
    "bnc2d.explain.whole.compare": "Comparison Equivalence compare equivalent",
    "bnc2d.explain.contrast": "Contrast Robustness",
    "bnc2d.explain.missing.if_known": "IfKnown",
    "bnc2d.explain.probable.reason": "ProbableReason",
    "bnc2d.api.explanation": "Explanation",
    "bnc2d.explain.whole.monotone": "Monotone",
    "bnc2d.explain.changes.nearest": "Nearest",
    "bnc2d.explain.whole.profile.result": "ClassRobustness",
    "bnc2d.explain.whole.rules.results": "RuleCheck RuleResult",
    "bnc2d.explain.whole.sensitivity.results": "EntryInterval Sensitivity ThresholdInterval",
    "bnc2d.formats.builtin": "example examples",
    "bnc2d.adapters.agreement": "Agreement Difference agreement",
    "bnc2d.adapters.from_pgmpy": "from_pgmpy",
    "bnc2d.adapters.from_pyagrum": "from_pyagrum",
    "bnc2d.adapters.from_sklearn": "from_sklearn",
    "bnc2d.data.train": "from_data",
    "bnc2d.formats.io": "read_network write_network",
    "bnc2d.logic.convert.sat": "Answer",
    "bnc2d.logic.convert.sdd": "SddForm",
    "bnc2d.logic.counting.cheapest": "PricedInstance",
    "bnc2d.logic.counting.weights": "StateNumbers",
    "bnc2d.logic.diagram.diagram": "Diagram",
    "bnc2d.logic.domain": "Domain",
    "bnc2d.logic.circuit.manager": "Manager",
    "bnc2d.logic.nnf": "NNF",
    "bnc2d.logic.primes.stream": "Primes",
    "bnc2d.logic.terms": "Clause Term",
    "bnc2d.api.classifier": "Classifier",
    "bnc2d.model.cpt": "CPT",
    "bnc2d.model.decision": "Basis",
    "bnc2d.model.network": "BayesianNetwork",
    "bnc2d.model.training": "Training",
    "bnc2d.model.variable": "Variable",
    "bnc2d.regions.decides": "Decided",
    "bnc2d.report.explore": "write_page",
    "bnc2d.report.heat_map": "heat_map",
    "bnc2d.report.score_chart": "score_chart",
    "bnc2d.verify.report": "Check Report",
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names.split()}

__all__ = ["__version__", *_MODULE_OF]


if not TYPE_CHECKING:  # so that type checkers see which names there are

    def __getattr__(name: str) -> object:
        if name not in _MODULE_OF:
            raise AttributeError(f"module 'bnc2d' has no attribute {name!r}")
        from importlib import import_module

        return getattr(import_module(_MODULE_OF[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
