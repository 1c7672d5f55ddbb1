"""Commands that ask about a model as a whole, ``share`` to ``compare``: answers, exit codes, wrong inputs."""

from __future__ import annotations

import csv
import io
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from bnc2d import Classifier, CompiledModel, LimitExceeded, example
from bnc2d.api.questions import Questions
from tests.cli.running import run
from tests.model.test_units import credit
from tests.model.test_units import rows as raw_rows

DIAGNOSIS = ["diagnosis", "--target", "D", "--features", "BP,CT,HR"]
PATIENT = {"BP": "High", "CT": "1", "HR": "Normal"}
WORDS = [f"{name}={state}" for name, state in PATIENT.items()]
PERSON = {"A": "young", "S": "F", "O": "self", "R": "small", "T": "car"}


def diagnosis(**options: Any) -> CompiledModel:
    return Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"], **options).compile()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    diagnosis().save("d.bnc2d")
    survey = Classifier(example("survey"), "E", ["A", "S", "O", "R", "T"], threshold="0.4", positive="uni")
    survey.compile().save("s.bnc2d")
    Path("good.csv").write_text("BP,CT,HR,x\nHigh,1,Normal,a\nLow,0,Low,b\nNormal,,Low,c\n", encoding="utf-8")
    Path("bad.csv").write_text("BP,CT,HR\nHigh,1,Normal\nHig,0,Low\nHigh,1\n", encoding="utf-8")


def data(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> Any:
    found, out, err = run(capsys, *words, "--json")
    assert (found, err) == (code, "")
    return json.loads(out)


@pytest.mark.parametrize("model", [["d.bnc2d"], DIAGNOSIS], ids=["model", "network"])
def test_shares(model: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    compiled = diagnosis()
    asked: list[tuple[list[str], Any]] = [
        ([], None),
        (["--distribution", "uniform"], None),
        (["--distribution", "network"], "network"),
        (
            ["--marginals", "BP=Low:0.25,High:0.75; CT = 1 : 1"],
            {"BP": {"Low": 0.25, "High": 0.75}, "CT": {1: 1}},
        ),
        (
            ["--csv", "good.csv"],
            [PATIENT, {"BP": "Low", "CT": "0", "HR": "Low"}, {"BP": "Normal", "HR": "Low"}],
        ),
    ]
    for words, distribution in asked:
        weighed = compiled.weigh(distribution)
        found = data(capsys, "share", *model, *words)
        assert (found["distribution"], found["rows"]) == (weighed.distribution, weighed.rows)
        assert {one["class"]: Fraction(one["share_exact"]) for one in found["shares"]} == weighed.shares
        assert [one["share"] for one in found["shares"]] == [float(one) for one in weighed.shares.values()]
        code, out, err = run(capsys, "share", *model, *words, "--class", "2")
        assert (code, err) == (0, "")
        assert f"{float(weighed.shares['2']):.4%}" in out
        assert str(weighed.shares["2"]) in out


def test_shares_under_a_constraint_and_in_no_class(capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, "share", "d.bnc2d", "--given", "BP != Low", "--distribution", "network")
    expected = diagnosis().given("BP != Low").weigh("network")
    assert (found["given"], found["allowed"]) == ("BP∈{Normal,High}", float(expected.allowed))
    assert {one["class"]: Fraction(one["share_exact"]) for one in found["shares"]} == expected.shares
    _, out, _ = run(capsys, "share", "d.bnc2d", "--given", "BP != Low", "--distribution", "network")
    assert f"{float(expected.allowed):.4%} of it satisfies the constraint" in out
    code, out, err = run(capsys, "share", "d.bnc2d", "--given", "BP != Low", "--csv", "good.csv")
    assert (code, "of 2 rows" in out) == (0, True)
    assert err == "bnc2d: warning: 1 of 3 rows violate the constraint and do not count in the shares\n"
    found = data(capsys, "share", *DIAGNOSIS, "--ties", "none", "--class", "none")
    assert found["shares"] == [{"class": None, "share": 0.0, "share_exact": "0"}]


def test_rows_that_cannot_be_used(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "share", "d.bnc2d", "--csv", "bad.csv", "--json")
    found = json.loads(out)
    assert (code, found["rows"], found["errors"]) == (3, 1, 2)
    assert err.splitlines() == [
        "bnc2d: error: bad.csv:3: variable 'BP' has no state 'Hig'; did you mean 'High'?",
        "bnc2d: error: bad.csv:4: 2 cells, but 3 columns",
    ]
    code, _, err = run(capsys, "bias", "d.bnc2d", "--protected", "CT", "--csv", "good.csv")
    assert (code, err) == (1, "bnc2d: error: good.csv:4: the feature 'CT' is missing\n")


def test_bias(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "bias", "s.bnc2d", "--protected", "S")
    assert (code, err) == (1, "")
    assert out.splitlines()[0] == "S: M → F alone changes the decision from high to uni"
    assert out.splitlines()[-1] == "12 of 72 instances (16.6667%) have a decision that depends on S"
    found = data(capsys, "bias", "s.bnc2d", "--protected", "S", code=1)
    assert (found["biased"], found["count"], found["share_exact"]) == (True, 12, "1/6")
    one, other = found["pair"]
    assert {name for name in PERSON if one["instance"][name] != other["instance"][name]} == {"S"}
    assert (one["decision"], other["decision"]) == ("high", "uni")
    code, out, _ = run(capsys, "bias", "s.bnc2d", "--protected", "S", "--distribution", "network")
    assert (code, out.splitlines()[-1]) == (1, "weighed by P(x), 0.9393% of the decisions depend on S")
    assert data(capsys, "bias", "s.bnc2d", "--protected", "T")["biased"] is False
    code, out, _ = run(capsys, "bias", "s.bnc2d", "--protected", "T")
    assert (code, out) == (0, "no change of T alone changes the decision\n")
    Path("people.csv").write_text("A,S,O,R,T\nyoung,F,self,small,car\nold,M,emp,big,car\n", encoding="utf-8")
    code, out, _ = run(capsys, "bias", "s.bnc2d", "--protected", "S", "--csv", "people.csv")
    assert (code, out.splitlines()[-1]) == (1, "1 of 2 rows (50.0000%) has a decision that depends on S")
    Path("people.csv").write_text("A,S,O,R,T\nold,M,emp,big,car\n", encoding="utf-8")
    code, out, _ = run(capsys, "bias", "s.bnc2d", "--protected", "S", "--csv", "people.csv")
    assert (code, out.splitlines()[-1]) == (1, "none of the rows has a decision that depends on S")
    person = [f"{name}={state}" for name, state in PERSON.items()]
    found = data(capsys, "bias", "s.bnc2d", *person, "--protected", "A,S", code=1)
    assert (found["pair"][0]["instance"], found["count"], found["distribution"]) == (PERSON, None, None)


def test_bias_is_told_where_counting_takes_too_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_long(*_: object, **__: object) -> None:
        raise LimitExceeded("too many")

    monkeypatch.setattr(Questions, "is_biased", too_long)
    code, out, err = run(capsys, "bias", "s.bnc2d", "--protected", "S")
    assert (code, err) == (1, "bnc2d: note: the share of such decisions is not known: too many\n")
    assert out.startswith("S: M → F alone changes the decision from high to uni\n")
    code, out, err = run(capsys, "bias", "s.bnc2d", "--protected", "T", "--json")
    assert (code, json.loads(out)["biased"], json.loads(out)["share"]) == (0, False, None)
    code, out, err = run(capsys, "bias", "s.bnc2d", "--protected", "S", "--time-limit", "0")
    assert (code, out, err) == (2, "", "bnc2d: error: too many\n")


def test_monotone(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "monotone", "s.bnc2d", "--towards", "uni")
    assert (code, err) == (1, "")
    assert out.splitlines()[-1] == "3 proved, 1 refuted"
    assert "raising A from adult to old can change the decision from uni to high\n" in out
    found = data(capsys, "monotone", "s.bnc2d", "--towards", "uni", code=1)
    assert [(one["raising"], one["status"]) for one in found["features"]] == [
        (["A"], "refuted"),
        (["S"], "proved"),
        (["O"], "proved"),
        (["R"], "proved"),
    ]
    turned = ["--raising", "A,R", "--towards", "uni", "--order", "A=old,adult,young"]
    assert data(capsys, "monotone", "s.bnc2d", *turned)["status"] == "proved"
    code, out, _ = run(capsys, "monotone", "s.bnc2d", "--time-limit", "0")
    assert (code, out.splitlines()[-1]) == (2, "4 open")
    together = ["--raising", "A,R", "--towards", "uni", "--given", "A=adult <-> R=small"]
    found = data(capsys, "monotone", "s.bnc2d", *together, code=1)
    assert [one["raising"] for one in found["features"]] == [["A"], ["R"], ["A", "R"]]


def test_sensitivity(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "sensitivity", "s.bnc2d", "--limit", "1")
    assert (code, err) == (0, "")
    assert out.startswith("threshold of uni = 0.4: no decision changes in [0.3835616438, 0.406779661)\n")
    assert out.count("no decision changes in") == 2
    found = data(capsys, "sensitivity", "s.bnc2d", "--limit", "2")
    assert (found["threshold"]["low_exact"], found["threshold"]["parents"]) == ("28/73", None)
    assert [one["variable"] for one in found["entries"]] == ["O", "O"]
    first = found["entries"][0]["first_above"]
    assert (first["decision"], first["becomes"]) == ("uni", "high")
    entries = ["O=self | E=high", "O=self|E=high", "P(O=self | E=high)", " O = self | E = high "]
    for entry in entries:
        code, out, _ = run(capsys, "sensitivity", "s.bnc2d", "--entry", entry)
        assert (code, out.splitlines()[0][:18]) == (0, "P(O=self | E=high)")
    for entry, words in (
        ("O", "--entry takes 'X=x | A=a, B=b', with a state of each parent, not 'O'"),
        ("O=sef | E=high", "variable 'O' has no state 'sef'; did you mean 'self'?"),
        ("O=self | E=high, E=uni", "--entry has two states of 'E'"),
        ("O=self", "given must have a state of every parent of 'O': 'E' is missing"),
        ("Q=1", "unknown variable 'Q'"),
    ):
        code, out, err = run(capsys, "sensitivity", "s.bnc2d", "--entry", entry)
        assert (code, out) == (2, "")
        assert err.startswith(f"bnc2d: error: {words}")
    code, out, _ = run(capsys, "sensitivity", "s.bnc2d", "--entry", entries[0], "--time-limit", "0")
    assert (code, "a limit came" in out) == (2, True)


def test_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    model = diagnosis()
    code, out, err = run(capsys, "nearest", "d.bnc2d", *WORDS)
    assert (code, out, err) == (0, "D is 2\n  BP: High → Normal gives 1\n", "")
    found = data(capsys, "nearest", "d.bnc2d", *WORDS, "--towards", "0", "--limit", "3")
    ways = model.nearest(PATIENT, "0", limit=3)
    assert [one["instance"] for one in found["ways"]] == [way.instance for way in ways]
    assert all(one["decision"] == "0" and one["distance"] == 2 for one in found["ways"])
    words = ["--costs", "BP=High>Normal:5,Low:1.5; HR=Low:0.25,High:9; CT=2"]
    costs: Any = {"BP": {("High", "Normal"): 5, "Low": 1.5}, "HR": {"Low": 0.25, "High": 9}, "CT": 2}
    found = data(capsys, "nearest", "d.bnc2d", *WORDS, *words)
    expected = model.nearest(PATIENT, costs=costs)
    assert found["ways"][0]["distance_exact"] == str(expected.distance) == "7/4"
    assert found["ways"][0]["instance"] == expected.instance
    _, out, _ = run(capsys, "nearest", "d.bnc2d", *WORDS, *words)
    assert out.endswith(", at a cost of 1.75\n")
    allowed = ["--allowed", "BP=up", "--order", "BP=High,Low,Normal", "--fixed", "CT,HR"]
    found = data(capsys, "nearest", "d.bnc2d", *WORDS, *allowed)
    assert found["ways"][0]["changes"] == {"BP": ["High", "Normal"]}
    code, out, err = run(capsys, "nearest", "d.bnc2d", *WORDS, "--fixed", "BP,HR", "--towards", "1")
    assert (code, out, err) == (1, "D is 2\n  no allowed change leads to 1\n", "")
    assert data(capsys, "nearest", "d.bnc2d", *WORDS, "--fixed", "BP,CT,HR", code=1)["ways"] == []


def test_nearest_of_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "nearest", "d.bnc2d", "--csv", "good.csv", "--id", "x", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert (code, [row["id"] for row in rows]) == (3, ["a", "b", "c"])
    assert rows[0]["changes"] == "BP=Normal"
    assert rows[2]["error"] == "the instance sets no state for 'CT'"
    assert err.startswith("bnc2d: error: good.csv:4: the instance sets no state for 'CT'\n")


def test_compare(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "compare", "d.bnc2d", *DIAGNOSIS)
    assert (code, out, err) == (0, "both decide all 18 instances alike\n", "")
    assert data(capsys, "compare", *DIAGNOSIS, "d.bnc2d")["same"] is True
    other = Classifier(
        example("survey"), "E", ["A", "S", "O", "R", "T"], threshold="0.3", positive="uni"
    ).compile()
    other.save("t.bnc2d")
    found = data(capsys, "compare", "s.bnc2d", "t.bnc2d", code=1)
    code, out, _ = run(capsys, "compare", "s.bnc2d", "t.bnc2d")
    assert f"{found['count']} of 72 instances ({found['share']:.4%}) are decided differently\n" in out
    changed = [one for one in found["table"] if one["first"] != one["second"]]
    assert sum(one["count"] for one in changed) == found["count"] > 0
    assert sum(one["count"] for one in found["table"]) == found["total"] == 72
    for one in changed:
        assert other.predict(one["witness"]) == one["second"]


def test_classes_keep_their_type_and_intervals_their_commas(capsys: pytest.CaptureFixture[str]) -> None:
    model, frame = credit().compile(), raw_rows()
    model.save("c.bnc2d")
    frame.to_csv("c.csv", index=False)
    found = data(capsys, "share", "c.bnc2d", "--csv", "c.csv")
    expected = {int(str(name)): share for name, share in model.shares(frame).items()}
    assert {one["class"]: Fraction(one["share_exact"]) for one in found["shares"]} == expected
    found = data(capsys, "share", "c.bnc2d", "--marginals", "age=[37.5, 50):0.5,<37.5:0.5")
    by_number = model.shares({"age": {40: 0.5, 30: 0.5}})
    assert [Fraction(one["share_exact"]) for one in found["shares"]] == list(by_number.values())
    words = ["age=30", "income=100", "grade=1"]
    order = ["--order", "age=≥50,[37.5, 50),<37.5", "--allowed", "age=down"]
    found = data(capsys, "nearest", "c.bnc2d", *words, *order, "--fixed", "grade")
    assert found["ways"][0]["changes"] == {"age": ["<37.5", "[37.5, 50)"], "income": ["<20k", ">50k"]}
    assert (found["decision"], found["ways"][0]["decision"]) == (0, 1)
    costs = ["--costs", "age=[37.5, 50):1,≥50:9; income=<20k>>50k:5"]
    found = data(capsys, "nearest", "c.bnc2d", *words, *costs, "--limit", "5")
    by_pair: Any = {"age": {"[37.5, 50)": 1, "≥50": 9}, "income": {("<20k", ">50k"): 5}}
    ways = model.nearest({"age": 30, "income": 100, "grade": 1}, costs=by_pair, limit=5)
    assert [one["instance"] for one in found["ways"]] == [way.instance for way in ways]
    assert 6 in [one["distance"] for one in found["ways"]]
    code, out, _ = run(capsys, "bias", "c.bnc2d", "--protected", "age")
    assert (code, "age in [37.5, 50), income in [20k, 50k], grade=2.5 is 1" in out) == (1, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["share", "d.bnc2d", "--class", "3"], "the target 'D' has no class '3'"),
        (["share", "d.bnc2d", "--class", "none"], "no instance is in no class"),
        (
            ["share", "d.bnc2d", "--csv", "good.csv", "--distribution", "network"],
            "only one of these at a time",
        ),
        (["share", "d.bnc2d", "--csv", "no.csv"], "no.csv: cannot read"),
        (["share", "d.bnc2d", "--distribution", "netwrok"], "invalid choice: 'netwrok'"),
        (["share", "d.bnc2d", "--marginals", "BP"], "--marginals takes entries such as A=x:0.2,y:0.8"),
        (["share", "d.bnc2d", "--marginals", "BP=High"], "'High' of 'BP' is not of the form STATE:NUMBER"),
        (["share", "d.bnc2d", "--marginals", "BP=Hi:1"], "no state 'Hi'; did you mean 'High'"),
        (["share", "d.bnc2d", "--marginals", "BP=High:0.5"], "distribution of 'BP' sums to 0.5, not 1"),
        (["share", "d.bnc2d", "--marginals", "BP=High:.5,High:.5"], "two numbers for 'High' of 'BP'"),
        (["share", "d.bnc2d", "--time-limit", "0"], "within the time limit of 0 s"),
        (["share", "d.bnc2d", "--target", "D"], "is compiled already, so --target does not apply"),
        (["bias", "d.bnc2d"], "the following arguments are required: --protected"),
        (["bias", "d.bnc2d", "--protected", "bp"], "unknown feature 'bp'; did you mean 'BP'"),
        (["bias", "d.bnc2d", "--protected", ","], "the list of protected features is empty"),
        (["bias", "d.bnc2d", "--protected", "BP", "BP=High"], "sets no state for 'CT', 'HR'"),
        (["bias", "d.bnc2d", "--protected", "BP", *WORDS, "--csv", "good.csv"], "nothing is to be weighed"),
        (["monotone", "d.bnc2d", "--raising", "XX"], "unknown feature 'XX'"),
        (
            ["monotone", "d.bnc2d", "--order", "BP=Low,High"],
            "order of 'BP' must list each of its states once",
        ),
        (["monotone", "d.bnc2d", "--raising", "HR", "--order", "BP=Low,Normal,High"], "--order names 'BP'"),
        (["monotone", "d.bnc2d", "--towards", "5"], "the target 'D' has no class '5'"),
        (["nearest", "d.bnc2d"], "an instance is missing"),
        (["nearest", "d.bnc2d", "BP=High"], "the instance sets no state for 'CT', 'HR'"),
        (["nearest", "d.bnc2d", *WORDS, "--costs", "BP=x"], "a cost of 'BP' must be a number from 0 on"),
        (["nearest", "d.bnc2d", *WORDS, "--costs", "BP=Low>Hi:2"], "no state 'Hi'"),
        (["nearest", "d.bnc2d", *WORDS, "--costs", "XX=2"], "unknown feature 'XX'"),
        (["nearest", "d.bnc2d", *WORDS, "--fixed", "XX"], "unknown feature 'XX'"),
        (["nearest", "d.bnc2d", *WORDS, "--given", "BP=Low"], "the instance violates the constraint"),
        (["nearest", "d.bnc2d", *WORDS, "--limit", "0"], "'0' is no number from 1 on"),
        (["compare", "d.bnc2d", "s.bnc2d"], "the second model has no feature 'BP'"),
        (
            ["compare", "d.bnc2d", "d.bnc2d", "--target", "D"],
            "is compiled already, so --target does not apply",
        ),
        (["compare", "d.bnc2d"], "the following arguments are required: MODEL"),
        (["compare", "d.bnc2d", "no.bnc2d"], "no.bnc2d: "),
    ],
    ids=lambda value: " ".join(value[:1] + value[2:6]) if isinstance(value, list) else "",
)
def test_wrong_inputs_have_one_line(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code, out, err = run(capsys, *words)
    except SystemExit as stop:  # what argparse sees itself
        code, (out, err) = int(str(stop.code)), capsys.readouterr()
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert message in err
