"""Audits of models whose states were made from columns of data: raw rows, labels, and cuts that lie."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import bnc2d
from bnc2d import CPT, Audit, AuditCheck, BayesianNetwork, Classifier, Intervals, Labels, States, Variable
from tests.auditing.by_definition import verdicts
from tests.cli.running import run

AGE = Intervals([37.5, 50], unit="years")


def network(age: States | tuple[str, ...] = States(AGE)) -> BayesianNetwork:  # noqa: B008 - does not change
    target = Variable("y", States(Labels([0, 1])))
    sex = Variable("sex", ("f", "m"))
    ages = Variable("age", age)
    return BayesianNetwork(
        [target, ages, sex],
        [
            CPT(target, (), ["0.5", "0.5"]),
            CPT(ages, (target,), ["0.6", "0.3", "0.1", "0.2", "0.3", "0.5"]),
            CPT(sex, (target,), ["0.45", "0.55", "0.5", "0.5"]),
        ],
    )


def check_of(found: Audit, name: str) -> AuditCheck:
    return next(check for check in found.checks if check.name == name)


def test_raw_rows_and_a_network_file_that_knows_no_numbers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = Classifier(network(), "y", ["age", "sex"]).compile()
    plain = network(tuple(AGE.names))
    frame = pd.DataFrame({"age": [20.5, 41, 70, None], "sex": ["f", "f", "m", "m"]})
    found = bnc2d.audit(model, plain, frame, protected="sex", time_limit=None)
    said = verdicts(found)
    assert all(
        said[name] == "passed" for name in said if name.startswith(("network", "file", "rows: network"))
    )
    assert check_of(found, "rows: read").facts["missing_rows"] == [4]
    assert check_of(found, "rows: decisions").detail.startswith("4 rows: 2 in class 0, 2 in class 1")
    change = check_of(found, "protected: sex")
    assert [shown.decisions["the model"] for shown in change.instances] == ["1", "0"]
    assert check_of(found, "rows: protected").facts["depending_rows"] == [2]
    near = check_of(found, "rows: robustness").tables[1]
    assert near.rows[0][3] == "age < 37.5 years → age ∈ [37.5, 50) years"
    assert "numbers, cut at 37.5, 50.0 years" in found.to_html()
    assert found.subject["scales"]["age"]["cuts"] == [[37.5, False], [50.0, False]]
    model.save(tmp_path / "m.bnc2d")
    (tmp_path / "r.csv").write_text("age,sex\n20.5,f\n41,f\nold,m\n", encoding="utf-8")
    words = ["audit", str(tmp_path / "m.bnc2d"), "--csv", str(tmp_path / "r.csv"), "--time-limit", "0.5"]
    code, out, _ = run(capsys, *words)
    assert code == 1
    assert "no: 1 of 3 rows cannot be decided: row 3" in out


def test_a_cut_that_was_moved_is_seen() -> None:
    """The states keep their names, and other numbers read as them."""
    moved = Intervals([37.5, 65], unit="years")
    model = Classifier(network(States(moved, AGE.names)), "y", ["age", "sex"]).compile()
    found = bnc2d.audit(model, network(tuple(AGE.names)), time_limit=None)
    check = check_of(found, "file: scales")
    assert check.verdict == "failed"
    assert "the state '≥50' of 'age' is read from '≥65'" in check.detail
    with_scales = bnc2d.audit(model, network(), time_limit=None)
    assert "reads values of its column as other states" in check_of(with_scales, "network: variables").detail
    named = States(moved, ["young", "middle", "old"])
    fine = bnc2d.audit(Classifier(network(named), "y", ["age", "sex"]).compile(), time_limit=None)
    assert check_of(fine, "file: scales").verdict == "passed"
