"""Every public callable with foreign values in every parameter: an answer or a ``Bnc2dError``, nothing else.

The walk finds classes, functions, methods and parameters by itself; ``valid`` knows a value for every
parameter that has no default.
"""

from __future__ import annotations

import inspect
import math
import warnings
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnc2d
from bnc2d.errors import Bnc2dError
from bnc2d.explain.batch import explain_many
from bnc2d.explain.routes import CompiledRoute, NetworkRoute
from bnc2d.explain.scores.many import scores_many
from bnc2d.verify import checks
from bnc2d.verify.report import Check

INSTANCE = {"D": "1", "E": "0", "F": "1"}
FOREIGN: dict[str, Any] = {
    "None": None,
    "3": 3,
    "-1": -1,
    "2.5": 2.5,
    "nan": math.nan,
    "inf": math.inf,
    "text": "x",
    "no text": "",
    "surrogate": "\ud800",
    "nul": "a\0b",
    "bytes": b"x",
    "[]": [],
    "[1]": [1],
    "[None]": [None],
    "['x']": ["x"],
    "[[1], [2]]": [[1], [2]],
    "(1, 2)": (1, 2),
    "{}": {},
    "{1: 2}": {1: 2},
    "{'D': []}": {"D": []},
    "{'D': None}": {"D": None},
    "set": {1},
    "object": object(),
    "type": int,
    "function": len,
    "complex": 1j,
    "array without axes": np.array(3),
    "row": np.array([1, 0, 1]),
    "rows": np.array([[1, 0, 1]]),
    "array of texts": np.array(["a"]),
    "array of floats": np.array([[0.5]]),
    "array of objects": np.array([None, {}], dtype=object),
    "Series": pd.Series([1, 2]),
    "twice": pd.Series([1, 2], index=["D", "D"]),
    "DataFrame": pd.DataFrame({"a": [1]}),
    "NaT": pd.NaT,
    "NA": pd.NA,
    "True": True,
    "Fraction": Fraction(1, 3),
    "Decimal": Decimal("sNaN"),
    "huge": 10**400,
    "more digits than str takes": 10**5000,
    "int64": np.int64(2),
    "float64": np.float64(0.5),
    "bool_": np.bool_(True),
}
NO_LIMIT = ["-1", "nan", "inf", "text", "bytes", "[1]", "True", "object", "row", "NA"]
LIMITS = {"time_limit", "limit", "memory_limit", "max_bytes", "samples", "chunk_size", "size"}

# For loops of the package, "this is not checked", as they say, and for its files.
INNER = {
    "Manager.add_gates",
    "Manager.add_levels",
    "Manager.add_one",
    "Manager.add_level",
    "Manager.assert_consistent",
    "Manager.remember_below",
    "CompiledModel.set_formula_size",
    "GivenModel.set_formula_size",
}
OPERATORS = ("__and__", "__or__", "__rand__", "__ror__", "__contains__", "__eq__")
# What a function of the caller raises is the caller's.
CALLED = {"progress", "check", "source"}


class World(SimpleNamespace):
    """One of everything, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        network = bnc2d.example("running")
        classifier = bnc2d.Classifier(network, "A", ["D", "E", "F"])
        model = classifier.compile()
        explanation = model.explain(INSTANCE)
        formula = model.formula("1")
        model.save(folder / "model.bnc2d")
        bnc2d.write_network(network, folder / "network.bif")
        formula.save(folder / "formula.nnf")
        super().__init__(
            Classifier=classifier,
            CompiledModel=model,
            Explanation=explanation,
            NNF=formula,
            Domain=model.domain,
            Manager=bnc2d.Manager(model.domain),
            Term=next(explanation.sufficient_reasons()),
            Clause=next(explanation.necessary_reasons()),
            CPT=network.cpt("A"),
            Variable=network.variable("A"),
            BayesianNetwork=network,
            GivenModel=model.given("D or not D"),
            Intervals=bnc2d.Intervals([1, 2]),
            Labels=bnc2d.Labels([0, 1]),
            literal=bnc2d.NNF.literal(formula.manager, "D", "1"),
            folder=folder,
        )


def valid(world: World, label: str, parameter: str) -> Any:
    """Return a value that a parameter without a default takes."""
    network, entries = world.BayesianNetwork, world.CPT.exact.reshape(-1).tolist()
    special = {
        ("load", "path"): world.folder / "model.bnc2d",
        ("read_network", "path"): world.folder / "network.bif",
        ("write_network", "path"): world.folder / "out.bif",
        ("NNF.load", "path"): world.folder / "formula.nnf",
        ("NNF", "manager"): world.NNF.manager,
        ("NNF.literal", "feature"): "D",
        ("Domain", "features"): {"a": ("x", "y")},
        ("Domain.index", "name"): "D",
        ("example", "name"): "running",
        ("compare", "other"): world.CompiledModel,
        ("equivalent", "other"): world.CompiledModel,
        ("CompiledModel.compare", "other"): world.CompiledModel,
        ("CompiledModel.equivalent", "other"): world.CompiledModel,
        ("NNF.from_sympy", "expression"): None,
    }
    by_name = {
        "child": world.Variable,
        "cost": Fraction(1),
        "costs": {"D": {"1": 2}},
        "column": np.array([1.0]),
        "cut": world.Intervals.cuts[0],
        "cuts": [1, 2],
        "children": [1],
        "clause": world.Clause,
        "constraint": "D or E",
        "d": 0.5,
        "cpts": network.cpts,
        "data": world.NNF.to_dict(),
        "domain": world.Domain,
        "entries": entries,
        "estimator": None,
        "frame": pd.DataFrame({"A": [0, 1] * 3, "D": list("xyzzyx"), "E": [0.5, 2.5, 4.0] * 2}),
        "feature": 0,
        "features": ["D"],
        "instance": INSTANCE,
        "instances": INSTANCE,
        "key": "D",
        "kind": "shapley",
        "literals": {"D": "1"},
        "manager": world.Manager,
        "mask": 1,
        "masks": {0: 1},
        "model": world.CompiledModel,
        "classifier": world.Classifier,
        "name": "A" if label.startswith("BayesianNetwork") else "1",
        "names": ["A"],
        "net": network,
        "network": network,
        "node": 1,
        "numbers": entries,
        "one": world.CompiledModel,
        "other": world.literal,
        "parents": (),
        "parts": [world.literal],
        "partial": {"D": "1"},
        "path": world.folder / "out.nnf",
        "position": 0,
        "positions": [0, 0, 1],
        "protected": ["D"],
        "region": {"D": "1"},
        "root": 1,
        "rows": [INSTANCE],
        "scores": world.Explanation.scores("shapley"),
        "scale": world.Labels,
        "rules": "D or class=1",
        "source": ["1"],
        "state": "1",
        "states": ("0", "1"),
        "target": "A",
        "term": world.Term,
        "terminals": [0],
        "towards": "0",
        "value": "1",
        "values": [0, 1],
        "variables": network.variables,
        "units": {},
        "variable": "A",
        "y": ["1"],
    }
    if (label, parameter) in special:
        return special[label, parameter]
    assert parameter in by_name, (
        f"give a valid value for {parameter!r} of {label} here, so that it is walked too"
    )
    return by_name[parameter]


def callables(world: World) -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield what ``bnc2d`` exports and the methods of its objects, by name."""
    # The methods hand their options down.
    yield "explain_many", partial(explain_many, CompiledRoute(world.CompiledModel))
    yield "explain_many by the network", partial(explain_many, NetworkRoute(world.Classifier))
    yield "scores_many", partial(scores_many, CompiledRoute(world.CompiledModel))
    yield "scores_many by the network", partial(scores_many, NetworkRoute(world.Classifier))
    for name in bnc2d.__all__:
        found = getattr(bnc2d, name)
        if inspect.isfunction(found):
            yield name, found
        if not inspect.isclass(found) or not hasattr(world, name):
            continue
        if name not in ("CompiledModel", "Explanation", "GivenModel"):  # made by compile, explain, given
            yield name, found
        for attribute in dir(found):
            public = not attribute.startswith("_") or attribute in OPERATORS
            static = inspect.getattr_static(found, attribute)
            if public and not isinstance(static, property) and callable(getattr(found, attribute)):
                method = getattr(getattr(world, name), attribute)
                if f"{name}.{attribute}" not in INNER and not inspect.isbuiltin(method):
                    yield f"{name}.{attribute}", method


def call(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Call with arguments by name, by place where that is the only way; use up what is lazy."""
    places, names = [], {}
    for name, parameter in inspect.signature(function).parameters.items():
        if name in arguments and parameter.kind is parameter.POSITIONAL_ONLY:
            places.append(arguments[name])
        elif name in arguments:
            names[name] = arguments[name]
    answer = function(*places, **names)
    if hasattr(answer, "__next__"):
        list(islice(answer, 3))


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    made = World(tmp_path)
    monkeypatch.chdir(tmp_path)
    # The checks themselves take long and get nothing that verify_model has not looked at.
    monkeypatch.setattr(checks, "_run", lambda name, *_: Check(name, True, 0.0, ""))
    return made


def test_nothing_foreign_gets_past_the_door(world: World) -> None:
    calls, failures, let_in = 0, [], []
    for label, function in callables(world):
        parameters = {
            name: parameter
            for name, parameter in inspect.signature(function).parameters.items()
            if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        }
        usual = {
            name: valid(world, label, name)
            for name, parameter in parameters.items()
            if parameter.default is parameter.empty
        }
        for name in parameters:
            for which, value in FOREIGN.items():
                if name in CALLED and callable(value):
                    continue
                calls += 1
                told = f"{label}({name}={which})"
                try:
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore")
                        call(function, {**usual, name: value})
                except Bnc2dError as error:
                    if len(str(error)) > 1500 or "\n" in str(error):
                        failures.append(f"{told}: a message of {len(str(error))} characters")
                except Exception as error:
                    failures.append(f"{told}: {type(error).__name__}: {error}"[:200])
                else:
                    if name in LIMITS and which in NO_LIMIT:
                        let_in.append(told)
    assert not failures, f"{len(failures)} of {calls} calls:\n" + "\n".join(failures[:40])
    assert not let_in, "limits that are none:\n" + "\n".join(let_in)
    assert calls > 5000


def test_the_walk_reaches_what_was_seen_to_fail(world: World) -> None:
    walked = {label for label, _ in callables(world)}
    assert walked >= {"Domain", "NNF.__and__", "NNF.__rand__", "CPT", "read_network", "write_page", "compare"}
    assert walked >= {
        "CompiledModel.verify",
        "Classifier.compile",
        "Explanation.sufficient_reasons",
        "NNF.to_sdd",
    }
