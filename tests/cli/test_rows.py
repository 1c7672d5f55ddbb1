"""Tables of instances: every good row is answered, every bad one is named, and equal ones cost once."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

import bnc2d
from bnc2d import NNF, Classifier, LimitExceeded, example
from bnc2d.api.compiled_model import CompiledModel
from bnc2d.cli.shared import output, tables
from bnc2d.cli.shared.tables import Record, read_table
from bnc2d.cli.shared.writers import CsvTable
from bnc2d.explain import listing
from tests.cli.running import run

explain = CompiledModel.explain

HEADER = "name,BP,CT,HR\n"
GOOD = ("High,1,Normal", "Low,0,Low", "Normal,0,High")
DECISIONS = {"High,1,Normal": "2", "Low,0,Low": "0", "Normal,0,High": "1"}
BAD = {
    "Hig,1,Normal": "variable 'BP' has no state 'Hig'; did you mean 'High'?",
    "High,1": "3 cells, but 4 columns",
    "High,1,Normal,more": "5 cells, but 4 columns",
    'High,1"Normal"x,"a"b': "not CSV: ',' expected after '\"'",
    "\udcff,1,Normal": "byte 0xff is not UTF-8; convert the file to UTF-8 (iconv -t utf-8)",
    "-,1,Normal": "variable 'BP' has no state '-'; valid: 'Low', 'Normal', 'High'",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has a compiled model in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    Classifier(example("diagnosis"), "D").compile().save("d.bnc2d")


def write_table(*rows: str, name: str = "p.csv") -> None:
    lines = [f"r{number},{row}\n" for number, row in enumerate(rows, 1)]
    Path(name).write_bytes((HEADER + "".join(lines)).encode("utf-8", "surrogateescape"))


def rows_of(text: str, form: str) -> list[dict[str, Any]]:
    """Read an answer back; CSV has text everywhere."""
    if form == "csv":
        return list(csv.DictReader(io.StringIO(text)))
    found: list[dict[str, Any]] = (
        json.loads(text) if form == "json" else [json.loads(line) for line in text.splitlines()]
    )
    return found


@pytest.mark.parametrize("form", ["json", "jsonl", "csv"])
@pytest.mark.parametrize("command", ["predict", "explain"])
def test_good_rows_are_answered_and_bad_ones_named(
    command: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [GOOD[0], *BAD, GOOD[1], GOOD[0], GOOD[2]]
    write_table(*rows)
    words = [command, "d.bnc2d", "--csv", "p.csv", "--id", "name", "--format", form]
    code, out, err = run(capsys, *words)
    assert code == 3
    found = rows_of(out, form)
    assert [str(row["row"]) for row in found] == [str(n) for n in range(1, len(rows) + 1)]
    assert [str(row["line"]) for row in found] == [str(n) for n in range(2, len(rows) + 2)]
    for row, source in zip(found, rows, strict=True):
        if source in BAD:
            assert row["error"] == BAD[source]
            assert not row.get("decision")
        else:
            assert row["id"] == f"r{row['row']}"
            assert row["decision"] == DECISIONS[source]
            assert not row.get("error")
            assert row["possible"] in (True, "true")
            assert row["decided_by"] == "posterior"
    named = [f"bnc2d: error: p.csv:{n}: {BAD[row]}" for n, row in enumerate(rows, 2) if row in BAD]
    assert err.splitlines() == [*named, f"bnc2d: error: {len(BAD)} of {len(rows)} rows were not answered"]


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_text_has_the_good_rows(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    write_table(GOOD[0], "Hig,1,Normal", GOOD[1])
    code, out, err = run(capsys, command, "d.bnc2d", "--csv", "p.csv")
    assert code == 3
    assert "p.csv:2" in out
    assert "p.csv:3" not in out
    assert "p.csv:4" in out
    assert "p.csv:3: variable 'BP' has no state 'Hig'" in err


def test_all_rows_bad(capsys: pytest.CaptureFixture[str]) -> None:
    write_table(*["Hig,1,Normal"] * 30)
    code, out, err = run(capsys, "predict", "d.bnc2d", "--csv", "p.csv", "--json")
    assert code == 3
    assert len(json.loads(out)) == 30
    lines = err.splitlines()
    assert len(lines) == 21
    assert lines[-1] == "bnc2d: error: 30 of 30 rows were not answered; the first 20 are named above"


def test_a_list_in_json_is_a_table_too(capsys: pytest.CaptureFixture[str]) -> None:
    good = {"BP": "High", "CT": 1, "HR": "Normal"}
    rows = [{**good, "key": 7}, 3, {**good, "BP": "Hig", "key": "b"}, {**good, "X": 1}]
    Path("p.json").write_text(json.dumps(rows), encoding="utf-8")
    code, out, err = run(capsys, "predict", "d.bnc2d", "--instance", "p.json", "--id", "key", "--json")
    assert code == 3
    found = json.loads(out)
    assert [(row["row"], row["id"], "error" in row) for row in found] == [
        (1, 7, False),
        (2, None, True),
        (3, "b", True),
        (4, None, True),
    ]
    assert "line" not in found[0]
    assert "p.json: instance 2: an instance is an object from feature to state, not int" in err
    assert "p.json: instance 4: 'X' is not a feature" in err


def test_a_pipe_is_read(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write_table(*GOOD, "Hig,1,Low")
    expected = run(capsys, "predict", "d.bnc2d", "--csv", "p.csv", "--json")
    pipe = SimpleNamespace(buffer=io.BytesIO(Path("p.csv").read_bytes()))
    monkeypatch.setattr(sys, "stdin", pipe)
    code, out, err = run(capsys, "predict", "d.bnc2d", "--csv", "-", "--json")
    assert (code, out) == expected[:2]
    assert "standard input:5: variable 'BP' has no state 'Hig'" in err
    pipe.buffer = io.BytesIO(b'[{"BP": "High", "CT": 1, "HR": "Normal"}]')
    code, out, _ = run(capsys, "predict", "d.bnc2d", "--instance", "-", "--json")
    assert [row["decision"] for row in json.loads(out)] == ["2"]
    pipe.buffer = io.BytesIO(b"x" * 1_000_000)
    code, out, err = run(capsys, "predict", "d.bnc2d", "--csv", "-", "--json", "--max-bytes", "400000")
    assert (code, out) == (2, "")
    assert "standard input: more than 400000 bytes; max_bytes raises the limit" in err


def test_no_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    code, out, err = run(capsys, "predict", "d.bnc2d", "--csv", "-")
    assert (code, out, err) == (2, "", "bnc2d: error: standard input: cannot read: it is closed\n")


def test_help_names_the_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("predict", "explain"):
        with pytest.raises(SystemExit):
            run(capsys, command, "--help")
        assert "Exit code 3" in capsys.readouterr().out


def test_cells_cannot_steer_a_terminal() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, mark in ((Terminal(), "\ufffd"), (io.StringIO(), "\x1b")):
        table = CsvTable(stream, ["id", "P(\x1bx)"])
        table.put({"id": "\x1b[31m"}, table.render({"P(\x1bx)": 0.5}))
        assert stream.getvalue() == f"id,P({mark}x)\n{mark}[31m,0.5\n"


def test_equal_rows_are_explained_once(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def counting(model: Any, instance: Any, fixed: Any) -> Any:
        asked.append(instance)
        return explain(model, instance, fixed)

    monkeypatch.setattr(CompiledModel, "explain", counting)
    write_table(*GOOD * 10, "Hig,1,Normal", *GOOD)
    for form in ("json", "csv", "text"):
        asked.clear()
        code, out, _ = run(capsys, "explain", "d.bnc2d", "--csv", "p.csv", "--format", form)
        assert code == 3
        assert len(asked) == 3
    monkeypatch.setattr(output, "_REMEMBERED_ANSWERS", 2)  # few enough to forget, the answers are the same
    asked.clear()
    _, again, _ = run(capsys, "explain", "d.bnc2d", "--csv", "p.csv", "--format", "text")
    assert again == out
    assert len(asked) > 25


def test_a_limit_passed_by_one_row_ends_no_other(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    predict = Classifier.predict

    def limited(self: Classifier, instances: Any) -> Any:
        if any(instance["BP"] == "Low" for instance in instances):
            raise LimitExceeded("too large")
        return predict(self, instances)

    monkeypatch.setattr(Classifier, "predict", limited)
    write_table(*GOOD)
    code, out, err = run(capsys, "predict", "d.bnc2d", "--csv", "p.csv", "--json")
    assert code == 3
    assert [row.get("error") for row in json.loads(out)] == [None, "too large", None]
    assert "p.csv:3: too large" in err
    assert run(capsys, "predict", "d.bnc2d", "BP=Low", "CT=1", "HR=Low")[0] == 2


def test_posteriors_without_exact_inference(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bnc2d.model.inference._MAX_EXACT_ENTRIES", 1)
    for command in ("predict", "explain"):
        code, out, _ = run(capsys, command, "d.bnc2d", "--json", "BP=High", "CT=1", "HR=Normal")
        assert code == 0
        found = json.loads(out)
        assert found["posterior"]["2"] == pytest.approx(33022 / 46757)
        assert found["posterior_exact"] is None


FILES = {"answers.json": "json", "answers.jsonl": "jsonl", "answers.csv": "csv", "answers.txt": "text"}


@pytest.mark.parametrize("command", ["predict", "explain"])
@pytest.mark.parametrize("name", FILES)
def test_a_file_gets_what_would_be_printed(
    command: str, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write_table(*GOOD)
    words = [command, "d.bnc2d", "--csv", "p.csv"]
    _, printed, _ = run(capsys, *words, "--format", FILES[name])
    assert run(capsys, *words, "-o", name) == (0, f"wrote {name}: 3 rows\n", "")
    assert Path(name).read_text(encoding="utf-8") == printed
    _, out, _ = run(capsys, *words, "--json", "-o", name)
    assert json.loads(out) == {"file": name, "rows": 3, "errors": 0}
    assert len(json.loads(Path(name).read_text(encoding="utf-8"))) == 3


def test_an_end_before_its_time_leaves_the_old_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(*GOOD)
    Path("answers.jsonl").write_text("old", encoding="utf-8")
    before = sorted(os.listdir())
    asked: list[object] = []

    def interrupted(*words: Any) -> Any:
        asked.append(words)
        if len(asked) == 3:
            raise KeyboardInterrupt
        return explain(*words)

    monkeypatch.setattr(CompiledModel, "explain", interrupted)
    code, out, err = run(capsys, "explain", "d.bnc2d", "--csv", "p.csv", "-o", "answers.jsonl")
    assert (code, out, err) == (130, "", "bnc2d: interrupted\n")
    assert Path("answers.jsonl").read_text(encoding="utf-8") == "old"
    assert sorted(os.listdir()) == before
    code, _, err = run(capsys, "predict", "d.bnc2d", "--csv", "p.csv", "-o", "none/answers.csv")
    assert code == 2
    assert "none/answers.csv: cannot write: No such file or directory" in err


def test_lines_come_as_they_are_made() -> None:
    """The second row waits until the first is read at the other end of the pipe."""
    write_table(*GOOD)
    script = (
        "import sys\n"
        "from bnc2d import CompiledModel\n"
        "from bnc2d.cli import main\n"
        "explain = CompiledModel.explain\n"
        "def waiting(model, instance, fixed):\n"
        "    if instance['BP'] != 'High': sys.stdin.readline()\n"
        "    return explain(model, instance, fixed)\n"
        "CompiledModel.explain = waiting\n"
        "sys.exit(main.main(['explain', 'd.bnc2d', '--csv', 'p.csv', '--format', 'jsonl']))\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert json.loads(process.stdout.readline())["row"] == 1
        process.stdin.write("go\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["row"] == 2
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == ""
        assert process.wait(10) == 130


def test_a_terminal_sees_how_far_it_is(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(*GOOD)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")

    def slow(*words: Any) -> Any:
        time.sleep(0.15)  # the sign of life is drawn eight times a second
        return explain(*words)

    monkeypatch.setattr(CompiledModel, "explain", slow)
    _, out, err = run(capsys, "explain", "d.bnc2d", "--csv", "p.csv", "--json")
    assert "explaining line 3 of 4" in err
    assert len(json.loads(out)) == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--json", "--format", "csv", "--csv", "p.csv"], "--json is --format json"),
        (["--id", "nam", "--csv", "p.csv"], "p.csv:1: no column 'nam'; did you mean 'name'?"),
        (["--id", "name", "BP=High", "CT=1", "HR=Low"], "--id names a column of --csv"),
    ],
)
def test_options_that_do_not_fit(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    write_table(*GOOD)
    for command in ("predict", "explain"):
        code, out, err = run(capsys, command, "d.bnc2d", *words)
        assert (code, out) == (2, "")
        assert message in err
        assert err.count("\n") == 1


def test_formulas_are_data(capsys: pytest.CaptureFixture[str]) -> None:
    model = bnc2d.load("d.bnc2d")
    words = ["explain", "d.bnc2d", "BP=High", "CT=1", "HR=Normal"]
    why = model.explain({"BP": "High", "CT": "1", "HR": "Normal"})
    _, out, _ = run(capsys, *words, "--json", "--formulas")
    found = json.loads(out)["formulas"]
    for name, formula in (("complete_reason", why.complete_reason), ("general_reason", why.general_reason)):
        assert NNF.from_dict(found[name], formula.manager) == formula
    code, out, err = run(capsys, *words, "--formulas")
    assert (code, out) == (2, "")
    assert "--formulas needs --format json or jsonl" in err


def test_a_large_answer_stays_small_and_says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A majority of 13: 1,716 sufficient reasons, formulas longer than a line, posteriors of many digits."""
    count = 13
    states = [bnc2d.Variable(f"x{n}", ("no", "yes")) for n in range(count)]
    target = bnc2d.Variable("Y", ("no", "yes"))
    half, high, low = (Fraction(text) for text in ("0.5", "0.7312131", "0.2687869"))
    tables_ = [bnc2d.CPT(target, (), [half, half])]
    tables_ += [bnc2d.CPT(x, (target,), [high, low, low, high]) for x in states]
    net = bnc2d.BayesianNetwork([target, *states], tables_)
    Classifier(net, "Y").compile().save("m.bnc2d")
    words = ["explain", "m.bnc2d", "--json", *(f"x{n}=yes" for n in range(count))]
    _, out, _ = run(capsys, *words)
    found = json.loads(out)
    assert len(out) < 10_000
    assert "<NNF" not in out
    assert found["complete_reason"] is None
    assert found["posterior_exact"] is None
    assert len(found["sufficient_reasons"]) == 5
    assert (found["cut"]["sufficient_reasons"], found["complete"]) == ("limit", False)
    assert found["contrastive"]["no"]["cut"] == "limit"
    _, out, _ = run(capsys, *words, "--all", "--exact")
    found = json.loads(out)
    assert len(found["sufficient_reasons"]) == 1716
    assert (found["cut"]["sufficient_reasons"], found["complete"]) == (None, True)
    assert len(found["posterior_exact"]["yes"]) > 80
    _, out, _ = run(capsys, *words[:2], *words[3:], "--format", "csv")
    (line,) = rows_of(out, "csv")
    assert line["sufficient_reason"] == "; ".join(f"x{n}=yes" for n in range(7))
    assert (line["sufficient_reasons"], line["distance"], line["changed_decision"]) == ("5", "7", "no")
    assert line["cut"] == "sufficient_reasons necessary_reasons"
    assert len(line["changes"].split("; ")) == 7


def test_impossible_rows_are_marked(capsys: pytest.CaptureFixture[str]) -> None:
    rule = ["asia", "--target=smoke", "--features=tub,lung,either"]
    Path("a.csv").write_text("tub,lung,either\nyes,yes,no\nno,no,no\n", encoding="utf-8")
    for command in ("predict", "explain"):
        for form in ("json", "csv"):
            _, out, _ = run(capsys, command, *rule, "--csv", "a.csv", "--format", form)
            impossible, possible = rows_of(out, form)
            assert impossible["possible"] in (False, "false")
            assert impossible["decided_by"] == "tie rule"
            assert possible["possible"] in (True, "true")
            assert possible["decided_by"] == "posterior"
    _, out, _ = run(capsys, "predict", *rule, "--csv", "a.csv")
    assert out.count("impossible: its probability is zero and the tie rule decides") == 1


def test_an_impossible_way_out_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    """The nearest other decision is on an instance that cannot be met."""
    rule = ["asia", "--target=smoke", "--features=tub,lung,either"]
    words = ["explain", *rule, "tub=no", "lung=no", "either=no"]
    _, out, _ = run(capsys, *words, "--json")
    nearest = json.loads(out)["robustness"]
    model = Classifier(example("asia"), "smoke", ["tub", "lung", "either"])
    assert nearest["possible"] is model.is_possible(nearest["witness"])
    assert not nearest["possible"]
    _, out, _ = run(capsys, *words, "--format", "csv")
    assert rows_of(out, "csv")[0]["changed_possible"] == "false"


def test_lists_share_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    model = bnc2d.load("d.bnc2d")
    asked: list[float] = []
    original = listing.reasons

    def noted(*words: Any) -> Any:
        asked.append(words[4])  # the time limit
        return original(*words)

    monkeypatch.setattr(listing, "reasons", noted)
    model.explain({"BP": "High", "CT": "1", "HR": "Normal"}).to_dict(time_limit=60)
    assert len(asked) == 6
    for number, seconds in enumerate(asked):
        assert seconds <= 60 / (6 - number)


def test_fractions_of_any_length(capsys: pytest.CaptureFixture[str]) -> None:
    """More digits than Python converts by default."""
    share = Fraction(1, 10**2501)
    rest = 1 - share
    target, x = bnc2d.Variable("Y", ("no", "yes")), bnc2d.Variable("x", ("no", "yes"))
    tables_ = [bnc2d.CPT(target, (), [share, rest]), bnc2d.CPT(x, (target,), [share, rest, rest, share])]
    Classifier(bnc2d.BayesianNetwork([target, x], tables_), "Y").compile().save("long.bnc2d")
    _, out, _ = run(capsys, "predict", "long.bnc2d", "x=no", "--json", "--exact")
    found = json.loads(out)
    assert max(map(len, found["posterior_exact"].values())) > 5000
    assert found["posterior"] == {"no": 0.0, "yes": 1.0}
    _, out, _ = run(capsys, "predict", "long.bnc2d", "x=no", "--json")
    assert json.loads(out)["posterior_exact"] is None


def test_columns_without_a_name_may_repeat() -> None:
    """Spreadsheets write such columns behind the last one."""
    assert list(read_table(b"a,b,,\n1,2,,\n", "f", ["b"])) == [Record(2, ("2",))]


def test_an_open_quote_costs_its_own_row() -> None:
    text = b'a,b\n1,2\n3,"4\n5,6\n"7,8\n9,10\n'
    assert list(read_table(text, "f", ["b", "a"])) == [
        Record(2, ("2", "1")),
        Record(3, (), "not CSV: ',' expected after '\"' (lines 3 to 5)"),
        Record(4, ("6", "5")),
        Record(5, (), "not CSV: unexpected end of data (lines 5 to 6)"),
        Record(6, ("10", "9")),
    ]


@pytest.mark.parametrize("most", [0, 3])
def test_open_quotes_without_end(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_MOST_REREAD", most)
    text = b"a\n" + b'"y\n' * 20
    lines = [record.line for record in read_table(text, "f", ["a"])]
    assert lines == [*range(2, 2 + most), *range(2 + most, 22, 2)]


CELLS = st.sampled_from(["1", "2", "", '"3"', '"a,b"', '"a\nb"', '"', '"x"y', "\udcff", " 4"])
LINES = st.lists(st.lists(CELLS, min_size=0, max_size=3).map(",".join), max_size=8)


@given(LINES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_csv_reads_is_read_so(lines: list[str]) -> None:
    """A table that Python's reader takes whole gives the same cells; any other gives rows or errors."""
    text = "\n".join(["a,b", *lines]) + "\n"
    found = list(read_table(text.encode("utf-8", "surrogateescape"), "f", ["a", "b"]))
    assert all(record.cells if not record.error else not record.cells for record in found)
    numbers = [record.line for record in found]
    assert numbers == sorted(set(numbers))
    try:
        expected = list(csv.reader(io.StringIO(text, newline=""), skipinitialspace=True, strict=True))[1:]
    except csv.Error:
        event("damaged")
        assert any("not CSV" in record.error for record in found)
        return
    whole = [tuple(cells) for cells in expected if len(cells) == 2 and "\udcff" not in "".join(cells)]
    event(f"{min(len(whole), 3)} rows")
    assert [record.cells for record in found if not record.error] == whole
    assert len(found) == sum(bool(cells) for cells in expected)


def test_missing_values_in_words_tables_and_files(capsys: pytest.CaptureFixture[str]) -> None:
    """Words that are left out, empty cells, ``?`` and null are all one thing."""
    asked = ["predict", "d.bnc2d", "--format", "jsonl"]
    code, out, _ = run(capsys, *asked, "BP=High")
    wanted = json.loads(out)
    assert (code, wanted["decision"], wanted["missing"]) == (0, "2", ["CT", "HR"])
    write_table("High,,", "High,?,?", "High, ,?", "High,1,Normal", ",1,", "?,?,?")
    code, out, _ = run(capsys, *asked, "--csv", "p.csv")
    assert code == 0
    rows = rows_of(out, "jsonl")
    assert all({**row, **wanted} == row for row in rows[:3])
    assert "missing" not in rows[3]
    assert [row.get("missing") for row in rows[4:]] == [["BP", "HR"], ["BP", "CT", "HR"]]
    Path("p.json").write_text('[{"BP": "High", "CT": null}, {}, {"CT": 1, "HR": "?"}]', encoding="utf-8")
    code, out, _ = run(capsys, *asked, "--instance", "p.json")
    found = rows_of(out, "jsonl")
    assert code == 0
    assert {**found[0], **wanted} == found[0]
    assert [row["decision"] for row in found[1:]] == [rows[5]["decision"], rows[4]["decision"]]


def test_equal_states_of_different_features_are_not_equal_rows(capsys: pytest.CaptureFixture[str]) -> None:
    """Answers are kept by instance: High blood pressure alone is not a high heart rate alone."""
    write_table("High,,", ",,High")
    _, out, _ = run(capsys, "predict", "d.bnc2d", "--csv", "p.csv", "--format", "jsonl")
    rows = rows_of(out, "jsonl")
    assert [row["missing"] for row in rows] == [["CT", "HR"], ["BP", "CT"]]
    assert rows[0]["posterior"] != rows[1]["posterior"]


def test_what_is_unknown_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "predict", "d.bnc2d", "BP=High")
    assert out.splitlines()[:3] == ["D = 2", "  not known: CT, HR", "  P(D=0 | what is known) = 0.241708"]
    _, out, _ = run(capsys, "explain", "d.bnc2d", "BP=High", "CT=?")
    assert "\nNot known: CT and HR. What is known decides, and is explained.\n" in out
    assert "\nWhat could CT and HR do?\n" in out
    Path("p.csv").write_text("BP,CT\nHigh,1\n", encoding="utf-8")
    code, _, err = run(capsys, "predict", "d.bnc2d", "--csv", "p.csv")
    assert code == 2
    assert "p.csv:1: no column 'HR'; valid: 'BP', 'CT'; a column of ? says that it is unknown" in err


def test_a_feature_that_is_fixed_may_be_missing_in_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    write_table("High,1,Low", "High,1,")
    code, out, _ = run(capsys, "explain", "d.bnc2d", "--csv", "p.csv", "--fixed", "HR", "--format", "jsonl")
    assert code == 0
    assert [row["fixed"] for row in rows_of(out, "jsonl")] == [["HR"], []]


@pytest.mark.parametrize("command", ["predict", "explain"])
def test_tables_say_what_is_missing(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "some.csv"
    table.write_text("BP,CT,HR\nHigh,?,\nHigh,1,Normal\n")
    code, out, err = run(capsys, command, "d.bnc2d", "--csv", str(table), "--format", "csv")
    assert (code, err) == (0, "")
    assert [row["missing"] for row in rows_of(out, "csv")] == ["CT; HR", ""]
