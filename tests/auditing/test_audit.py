"""Audits: figures against their definition; tampering is seen, and what is not known is said."""

from __future__ import annotations

import json
from datetime import date
from functools import partial
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bnc2d
from bnc2d import (
    CPT,
    ArgumentError,
    Audit,
    AuditCheck,
    BayesianNetwork,
    Bnc2dError,
    Classifier,
    ClassifierError,
    CompiledModel,
    FormatError,
    InstanceError,
    LimitExceeded,
    LogicError,
    UnknownNameError,
    Variable,
    example,
)
from bnc2d.testing import random_classifier
from tests.auditing.by_definition import KINDS, check_audit, facts, reordered, tampered, verdicts

FEATURES = ["BP", "CT", "HR"]
audit = partial(bnc2d.audit, time_limit=None)  # SDDs of limited time take a process each


def diagnosis() -> CompiledModel:
    return Classifier(example("diagnosis"), "D", FEATURES).compile()


def check_of(found: Audit, name: str) -> AuditCheck:
    return next(check for check in found.checks if check.name == name)


@pytest.mark.parametrize("seed", range(8))
def test_every_figure_is_as_defined(seed: int) -> None:
    kind, found = check_audit(seed)
    assert kind == KINDS[seed % len(KINDS)]
    assert bool(found) == (found.verdict == "passed")


def test_a_sound_model_passes() -> None:
    model = diagnosis()
    rows = [{"BP": "High", "CT": "1", "HR": "Normal"}]
    rules = "if BP=Normal and HR=Low then class=0"
    found = audit(model, example("diagnosis"), rows, rules=rules, monotone=["CT", "HR"], date="2026-01-31")
    assert found
    assert found.summary[0] == f"Passed: all {sum(one.counts for one in found.checks)} checks."
    assert (found.passed, found.failed, found.holds, found.witness) == (True, False, True, None)
    assert {check.verdict for check in found.checks} == {"passed", "noted", "not asked"}
    again = audit(
        model, example("diagnosis"), rows, rules=rules, monotone=["CT", "HR"], date=date(2026, 1, 31)
    )
    assert (found.to_html(), found.to_json()) == (again.to_html(), again.to_json())


def test_a_table_that_was_tampered_with_is_seen(tmp_path: Path) -> None:
    """One instance of 18 is decided otherwise; the file is intact as far as its checksum tells."""
    path, network = tmp_path / "d.bnc2d", tmp_path / "d.bif"
    tampered(diagnosis(), Random(1)).save(path)  # noqa: S311 - reproducible
    bnc2d.write_network(example("diagnosis"), network)
    found = audit(path, network)
    said = verdicts(found)
    assert said["network: variables"] == said["network: tables"] == "passed"
    for name in ("network: decisions proved", "network: decisions by inference"):
        assert facts(found, name)["differ"] == 1
        (shown,) = check_of(found, name).instances
        theirs = Classifier(example("diagnosis"), "D", FEATURES).predict(dict(shown.instance))
        assert shown.decisions["the network brought"] == theirs != shown.decisions["the model"]
    assert said["file: second method"] == said["file: oracle"] == "failed"
    assert "1 instance of 18 (5.56 %) is decided otherwise" in " ".join(found.summary)
    own = audit(path)
    assert not own
    assert "in its own file" in own.limits[0]


def test_a_change_of_network_and_table_alike_is_seen_by_the_network_brought_alone() -> None:
    network = example("diagnosis")
    cpt = network.cpt("CT")
    turned = CPT(cpt.child, cpt.parents, cpt.exact[..., ::-1].reshape(-1).tolist())
    cpts = [turned if one is cpt else one for one in network.cpts]
    model = Classifier(BayesianNetwork(network.variables, cpts), "D", FEATURES).compile()
    assert audit(model)  # it agrees with itself
    found = audit(model, network)
    said = verdicts(found)
    assert said["network: tables"] == said["network: decisions proved"] == "failed"
    assert all(verdict == "passed" for name, verdict in said.items() if name.startswith("file"))
    tables = check_of(found, "network: tables")
    assert tables.detail == f"{cpt.exact.size} of {cpt.exact.size} entries differ in the table of 'CT'"
    first = tables.tables[0].rows[0]
    assert first[:2] == ("CT", "P(CT=0 | Y=0)")
    assert (first[2], first[3]) == (str(turned.exact[0, 0]), str(cpt.exact[0, 0]))


def test_the_order_of_a_file_says_nothing_but_that_of_states_does() -> None:
    model, rng = diagnosis(), Random(3)  # noqa: S311 - reproducible
    assert audit(model, reordered(example("diagnosis"), rng))
    found = audit(model, reordered(example("diagnosis"), rng, states_too=True))
    assert [check.name for check in found.checks if check.verdict == "failed"] == [
        "network: variables",
        "network: tables",
    ]
    assert "states in the order" in check_of(found, "network: variables").detail
    assert facts(found, "network: tables")["entries"] == 0


def renamed(old: str, new: str, state: str | None = None) -> BayesianNetwork:
    """Return the diagnosis network with a variable, or a state of it, under another name."""
    network = example("diagnosis")

    def other(variable: Variable) -> Variable:
        if variable.name != old:
            return variable
        if state is None:
            return Variable(new, variable.states)
        return Variable(old, tuple(new if one == state else one for one in variable.states))

    cpts = [CPT(other(one.child), map(other, one.parents), one.exact.reshape(-1)) for one in network.cpts]
    return BayesianNetwork(map(other, network.variables), cpts)


@pytest.mark.parametrize(
    ("network", "words"),
    [
        (renamed("BP", "bp"), "unknown variable 'BP'; did you mean 'bp'?"),
        (renamed("D", "Disease"), "unknown variable 'D'"),
        (renamed("HR", "Hihg", "High"), "variable 'HR' has no state 'High'; did you mean 'Hihg'?"),
        (renamed("D", "3", "2"), "variable 'D' has no state '2'"),
        (example("running"), "unknown variable 'BP'"),
    ],
)
def test_a_network_that_the_question_cannot_be_put_to(network: BayesianNetwork, words: str) -> None:
    rows = [{"BP": "High", "CT": "1", "HR": "Normal"}]
    found = audit(diagnosis(), network, rows)
    assert words in check_of(found, "network: question").detail
    said = verdicts(found)
    assert (said["network: question"], said["network: variables"]) == ("failed", "failed")
    assert said["network: decisions proved"] == said["network: decisions by inference"] == "open"
    assert "rows: network" not in said


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.bnc2d"
    diagnosis().save(path)
    data = bytearray(path.read_bytes())
    data[-20] ^= 1
    path.write_bytes(bytes(data))
    with pytest.raises(FormatError, match=r"d\.bnc2d"):
        audit(path)


def test_a_file_that_changes_meanwhile_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "d.bnc2d"
    diagnosis().save(path)

    def overwrite(_: str) -> None:
        path.write_bytes(b"something else")

    with pytest.raises(FormatError, match="changed while it was audited"):
        audit(path, progress=overwrite)


def test_rows_are_read_one_by_one_and_wrong_ones_named() -> None:
    rows: list[dict[str, object]] = [
        {"BP": "High", "CT": 1, "HR": "Normal", "Sex": "m"},
        {"BP": "Hihg", "CT": 1, "HR": "Normal", "Sex": "f"},
        {"BP": "High", "CT": None, "HR": "Normal", "Sex": "f"},
        {"BP": "Low", "CT": 0, "HR": "Low", "Sex": None},
    ]
    listed = audit(diagnosis(), rows=rows, protected="Sex", towards="2", date="2026-01-31")
    framed = audit(diagnosis(), rows=pd.DataFrame(rows), protected="Sex", towards="2", date="2026-01-31")
    assert listed.to_dict()["checks"] == framed.to_dict()["checks"]
    read = check_of(listed, "rows: read")
    assert read.facts == {"rows": 4, "wrong": 1, "wrong_rows": [2], "missing": 1, "missing_rows": [3]}
    assert read.tables[0].rows == ((2, None, "variable 'BP' has no state 'Hihg'; did you mean 'High'?"),)
    decided = check_of(listed, "rows: decisions")
    groups = {row[0]: row[1:] for row in decided.tables[1].rows}
    assert groups["Sex=m"] == (1, "0 %", "0 %", "100 %")
    assert groups["(unknown)"] == (1, "100 %", "0 %", "0 %")
    (rates,) = decided.facts["rates"]
    assert (rates["class"], rates["lowest"]["rate"], rates["ratio"]) == ("2", 0.0, 0.0)
    assert "rows: protected" not in verdicts(listed)  # no feature of the model
    assert verdicts(listed)["protected: Sex"] == "passed"
    array = audit(diagnosis(), rows=np.array([[2, 1, 1]]))
    assert facts(array, "rows: read")["rows"] == 1


def test_a_constraint_cannot_hide_dependence_unseen(tmp_path: Path) -> None:
    """Under "CT is 1" no decision depends on CT: the audit passes that, and says why."""
    path = tmp_path / "d.bnc2d"
    diagnosis().given("CT").save(path)
    rows = [{"BP": "High", "CT": "1", "HR": "Normal"}, {"BP": "High", "CT": "0", "HR": "Normal"}]
    found = audit(path, example("diagnosis"), rows, protected="CT")
    check = check_of(found, "protected: CT")
    assert check.verdict == "passed"
    assert check.detail.endswith("without it, they do depend on CT")
    assert any("9 instances of 18 do not count" in limit for limit in found.limits)
    assert found.subject["constraint"] == "CT"
    assert facts(found, "rows: read")["wrong_rows"] == [2]
    assert verdicts(found)["network: decisions proved"] == "passed"
    assert verdicts(found)["file: constraint: implied"] == "passed"
    sound = diagnosis()
    bad = tampered(sound, Random(1), 6)  # noqa: S311 - reproducible
    known = facts(audit(bad.given("CT"), example("diagnosis")), "network: decisions proved")
    with_ct = [{"BP": bp, "CT": "1", "HR": hr} for bp, hr in product(*sound.domain.states[::2])]
    inside = sum(bad.predict(row) != sound.predict(row) for row in with_ct)
    assert (known["differ"], known["differ_among_allowed"]) == (6, inside)


def test_monotonicity_in_both_directions() -> None:
    model = diagnosis()
    found = audit(model, monotone={"CT": "up", "HR": "down"}, towards="2")
    assert verdicts(found)["monotone: CT up"] == "passed"
    check = check_of(found, "monotone: HR down")
    assert check.verdict == "failed"
    before, after = (shown.instance for shown in check.instances)
    states = model.domain.states[2]
    assert states.index(before["HR"]) > states.index(after["HR"])
    assert (model.predict(dict(before)), model.predict(dict(after)) != "2") == ("2", True)
    told = check_of(audit(model), "monotone: directions")
    assert dict(told.tables[0].rows) == {  # type: ignore[arg-type] # two columns
        "BP": "up or down, as the case may be",
        "CT": "only up",
        "HR": "only up",
    }


def test_an_order_of_classes_has_no_place_for_no_class() -> None:
    network = example("running")
    table = CPT(network.variable("A"), (), ["0.5", "0.5"])
    alone = Variable("Z", ("0", "1"))
    tied = BayesianNetwork([table.child, alone], [table, CPT(alone, (), ["0.5", "0.5"])])
    model = Classifier(tied, "A", ["Z"], ties="none").compile()
    with pytest.raises(ClassifierError, match="name a class towards="):
        audit(model, monotone="Z")
    assert verdicts(audit(model))["monotone: directions"] == "noted"  # no feature matters
    assert verdicts(audit(model, monotone="Z", towards="1"))["monotone: Z up"] == "passed"


def test_without_time_all_is_open_and_said() -> None:
    found = audit(diagnosis(), example("diagnosis"), time_limit=0.0)
    assert (found.verdict, found.holds, bool(found)) == ("open", None, False)
    assert check_of(found, "network: decisions proved").verdict == "open"
    assert any(limit.startswith("Open, neither passed nor failed") for limit in found.limits)


def test_large_models_are_sampled_and_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bnc2d.verify.checks.MAX_ALL_INSTANCES", 10)
    model = random_classifier(4, variables=9, features=7, zero_share=0.0).compile()
    found = audit(model, model.classifier.network, samples=20, seed=7)
    check = check_of(found, "network: decisions by inference")
    assert check.facts == {"asked": 20, "all": False, "differ": 0, "seed": 7}
    assert "a sample (seed 7)" in check.method
    assert any("sample (seed 7)" in limit for limit in found.limits)


def test_names_are_escaped_and_nothing_is_asked_from_outside(tmp_path: Path) -> None:
    evil = "<script>alert(1)</script>"
    variables = [Variable("Y", ("no", evil)), Variable(evil, ("a", "<b>"))]
    cpts = [
        CPT(variables[0], (), ["0.5", "0.5"]),
        CPT(variables[1], variables[:1], ["0.9", "0.1", "0.2", "0.8"]),
    ]
    model = Classifier(BayesianNetwork(variables, cpts, evil), "Y", [evil]).compile()
    found = audit(model, rows=[{evil: "<i>"}, {evil: "a"}], protected=evil, command=evil)
    page = found.to_html()
    assert evil not in page
    assert "&lt;script&gt;" in page
    assert "default-src 'none'" in page
    assert "src=" not in page.replace("-src", "")
    assert "http" not in page.replace("http-equiv", "")
    found.write(tmp_path / "a.html")
    found.write(tmp_path / "a.json")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == found.to_dict()
    assert evil not in found._repr_html_()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"protected": "Sxe", "rows": [{"Sex": "m"}]}, UnknownNameError, "did you mean 'Sex'"),
        ({"protected": "D"}, ArgumentError, "the target 'D' cannot be protected"),
        ({"monotone": "bp"}, UnknownNameError, "did you mean 'BP'"),
        ({"monotone": {"BP": "sideways"}}, ArgumentError, "direction of 'BP'"),
        ({"towards": "9"}, Bnc2dError, "no class '9'"),
        ({"rules": "if BP=High then"}, LogicError, "line 1, column 16"),
        ({"rules": []}, LogicError, "there is no rule"),
        ({"rules": 3}, ArgumentError, "rules"),
        ({"rows": "rows.csv"}, InstanceError, "a list of instances or a data frame"),
        ({"rows": pd.DataFrame({"bp": ["High"]})}, InstanceError, "no column for the feature 'BP'"),
        ({"date": "31.1.2026"}, ArgumentError, "date"),
        ({"network": 3}, ArgumentError, "network"),
        ({"files": {"rows": "missing.csv"}}, FormatError, "missing.csv"),
    ],
)
def test_wrong_arguments_are_refused_by_name(arguments: dict[str, Any], error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        audit(diagnosis(), **arguments)


def test_what_is_found_before_a_limit_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting may take too long; that decisions depend on a feature, or differ, is known all the same."""

    def too_long(*_: object, **__: object) -> None:
        raise LimitExceeded("too long")

    monkeypatch.setattr(CompiledModel, "is_biased", too_long)
    monkeypatch.setattr("bnc2d.auditing.against_network.compare", too_long)
    bad = tampered(diagnosis(), Random(1))  # noqa: S311 - reproducible
    found = audit(bad, example("diagnosis"), protected="CT")
    for name in ("network: decisions proved", "protected: CT"):
        check = check_of(found, name)
        assert check.verdict == "failed"
        assert check.instances
