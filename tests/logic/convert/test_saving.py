"""Circuits in files: the ending of the name chooses the form."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from pysat.formula import CNF
from pysat.solvers import Solver

from bnc2d import NNF, Domain, FormatError, Manager


def circuit() -> NNF:
    manager = Manager(Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1"), "a\nname": ("x", "y")}))
    high, ct = NNF.literal(manager, "BP", ["Low", "High"]), NNF.literal(manager, "CT", "1")
    return (high & ct) | NNF.literal(manager, "a\nname", "y")


@pytest.mark.parametrize("ending", [".cnf", ".CNF", ".dimacs"])
def test_dimacs(ending: str, tmp_path: Path) -> None:
    formula = circuit()
    formula.save(tmp_path / f"x{ending}")
    read = CNF(from_file=str(tmp_path / f"x{ending}"))
    assert (read.clauses, read.nv) == (formula.to_cnf().clauses, formula.to_cnf().nv)
    with Solver(bootstrap_with=read) as solver:
        assert sum(1 for _ in solver.enum_models()) == formula.model_count() == 8
    assert "c 1 BP=Low\n" in (tmp_path / f"x{ending}").read_text()


def test_other_forms(tmp_path: Path) -> None:
    formula = circuit()
    for name in ("x.nnf", "x.nnf.gz", "x.NNF"):
        formula.save(tmp_path / name)
        assert NNF.load(tmp_path / name).copy_to(formula.manager) == formula
    assert gzip.decompress((tmp_path / "x.nnf.gz").read_bytes()) == (tmp_path / "x.nnf").read_bytes()
    for name, text in (("x.dot", formula.to_dot()), ("x.gv", formula.to_dot()), ("x.svg", formula.to_svg())):
        formula.save(str(tmp_path / name))
        assert (tmp_path / name).read_text() == text
    formula.save(tmp_path / "x.json")
    assert NNF.from_dict(json.loads((tmp_path / "x.json").read_text()), formula.manager) == formula


@pytest.mark.parametrize("name", ["x", "x.txt", "x.sdd", "x.cnf.gz", "nnf", ".gz", "x.bnc2d"])
def test_an_unknown_ending_names_the_known_ones(name: str, tmp_path: Path) -> None:
    with pytest.raises(
        FormatError, match=r"unknown ending; a circuit is saved as \.nnf \.nnf\.gz \.cnf \.dimacs"
    ):
        circuit().save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_name_without_bytes(tmp_path: Path) -> None:
    formula = NNF.literal(Manager(Domain({"\ud800": ("x", "y")})), "\ud800", "x")
    with pytest.raises(FormatError, match=r"x\.cnf: a name in the circuit has no UTF-8 form"):
        formula.save(tmp_path / "x.cnf")
