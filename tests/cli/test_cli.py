"""The command line as a person meets it: answers, one-line errors, exit codes, a quick start."""

import hashlib
import json
import re
import subprocess
import sys
from fractions import Fraction
from itertools import product
from pathlib import Path

import pysolvers  # type: ignore[import-not-found]
import pytest

from bnc2d import (
    CPT,
    BayesianNetwork,
    Classifier,
    Domain,
    Manager,
    Variable,
    example,
    read_network,
    write_network,
)
from bnc2d.cli.commands.demo import PRINTED, paper_formulas
from bnc2d.cli.main import COMMANDS, main
from tests.cli.running import run


def test_help_loads_nothing_heavy() -> None:
    script = (
        "import sys\nfrom bnc2d.cli.main import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "print(sorted({'numpy', 'rich', 'sympy', 'pysat', 'pysdd', 'pandas'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    assert all(name in done.stdout for name in COMMANDS)


@pytest.mark.parametrize(
    ("words", "unused"),
    [
        (["info", "diagnosis"], {"api", "compile", "draw", "explain", "logic", "report", "verify"}),
        (
            ["convert", "diagnosis", "d.bif"],
            {"api", "compile", "draw", "explain", "logic", "report", "verify"},
        ),
        (
            ["compile", "diagnosis", "--target=D", "-o", "d.bnc2d"],
            {"draw", "experiments", "report", "verify"},
        ),
        (
            ["predict", "diagnosis", "--target=D", "BP=Low", "CT=0", "HR=Low"],
            {"draw", "experiments", "verify"},
        ),
        (["draw", "diagnosis", "-o", "d.svg"], {"experiments", "explain", "report", "verify"}),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_commands_load_only_what_they_need(words: list[str], unused: set[str], tmp_path: Path) -> None:
    script = (
        "import sys\nfrom bnc2d.cli.main import main\nassert main(sys.argv[1:]) == 0\n"
        "print(*{name.split('.')[1] for name in sys.modules if name.startswith('bnc2d.')})"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert set(done.stdout.splitlines()[-1].split()) & unused == set()


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main([command, "--help"])
    assert stop.value.code == 0
    shown = capsys.readouterr().out
    last_paragraph = shown.rstrip().rpartition("\n\n")[2]
    assert last_paragraph.startswith(f"example:\n  bnc2d {command}")
    assert "--json" in shown


def test_info(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "info", "diagnosis", "asia")
    assert code == 0
    assert "diagnosis" in out
    assert "asia" in out
    code, out, _ = run(capsys, "info", "asia", "--json", "--variables")
    facts = json.loads(out)
    assert (facts["variables"], facts["edges"], facts["roots"], facts["leaves"]) == (8, 8, 2, 2)
    assert facts["list"][0] == {"name": "asia", "states": ["yes", "no"], "parents": []}


def test_info_of_a_compiled_model(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    model = Classifier(example("diagnosis"), "D", ["BP", "CT", "HR"], ties="none").compile(method="paper")
    for name in ("d.bnc2d", "no ending"):
        path = tmp_path / name
        model.save(path)
        code, out, _ = run(capsys, "info", str(path), "--json", "--variables")
        facts = json.loads(out)
        assert code == 0
        assert facts["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        assert facts["checksum"] == path.read_bytes().split(b"\n")[0].split()[2].decode()
        assert (facts["version"], facts["method"], facts["target"]) == (3, "paper", "D")
        assert facts["features"] == ["BP", "CT", "HR"]
        assert facts["rule"] == {"threshold": None, "positive": None, "ties": "none"}
        assert {name: sizes["models"] for name, sizes in facts["classes"].items()} == {"0": 6, "1": 3, "2": 9}
        assert facts["classes"]["2"]["nodes"] == model.formula("2").node_count
        assert (facts["in_no_class"], facts["instances"], facts["bytes"]) == (0, 18, path.stat().st_size)
        assert facts["diagram_nodes"] == model.diagram.node_count
        assert [variable["name"] for variable in facts["list"]] == list(model.classifier.network.names)
        code, out, _ = run(capsys, "info", str(path), "asia")
        assert facts["sha256"] in out
        assert "asia" in out
    (tmp_path / "d.bnc2d").write_bytes(path.read_bytes()[:-1])
    code, _, err = run(capsys, "info", str(tmp_path / "d.bnc2d"))
    assert code == 2
    assert "damaged" in err


def test_info_counts_tied_instances(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    y, x = Variable("y", ("a", "b")), Variable("x", ("a", "b"))
    half = [Fraction(1, 2)] * 2
    net = BayesianNetwork([y, x], [CPT(y, [], half), CPT(x, [y], [Fraction(1, 3), Fraction(2, 3)] * 2)])
    Classifier(net, "y", ["x"], ties="none").compile().save(tmp_path / "t.bnc2d")
    assert json.loads(run(capsys, "info", str(tmp_path / "t.bnc2d"), "--json")[1])["in_no_class"] == 2
    assert "(none: tied)" in run(capsys, "info", str(tmp_path / "t.bnc2d"))[1]


def test_a_missing_file_is_said_to_be_missing(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for command in (["info"], ["predict", "--target", "D"], ["compile", "--target", "D", "-o", "x"]):
        code, _, err = run(capsys, *command, str(tmp_path / "diagnosi"))
        assert code == 2
        assert "diagnosi: no such file, and no built-in network of this name" in err
    assert "did you mean 'diagnosis'" in run(capsys, "info", "diagnosi")[2]
    assert "x.txt: cannot read: no such file" in run(capsys, "info", str(tmp_path / "x.txt"))[2]


def test_predict(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["predict", "diagnosis", "--target", "D", "BP=High", "CT=1", "HR=Normal"]
    code, out, _ = run(capsys, *words)
    assert code == 0
    assert out.startswith("D = 2\n")
    code, out, _ = run(capsys, *words, "--json")
    answer = json.loads(out)
    assert answer["decision"] == "2"
    assert sum(map(Fraction, answer["posterior_exact"].values())) == 1
    assert answer["posterior"] == {s: float(Fraction(p)) for s, p in answer["posterior_exact"].items()}
    rule = ["--target=lung", "--features=smoke,xray", "--threshold=0.9", "--positive=yes"]
    code, out, _ = run(capsys, "predict", "asia", *rule, "smoke=yes", "xray=yes")
    assert out.startswith("lung = no\n")


def test_predict_says_that_an_instance_is_impossible(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["asia", "--target", "smoke", "--features", "tub,lung,either", "tub=yes", "lung=yes", "either=no"]
    code, out, _ = run(capsys, "predict", *words)
    assert code == 0
    assert "impossible" in out
    _, out, _ = run(capsys, "predict", *words, "--ties", "none")
    assert out.startswith("smoke: tied, no class")


def test_convert(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    target = tmp_path / "student.xdsl.gz"
    code, out, _ = run(capsys, "convert", "student", str(target))
    assert (code, out) == (0, f"wrote {target}: 5 variables\n")
    assert read_network(target) == example("student")
    code, out, _ = run(capsys, "convert", "student", str(target), "--json")
    assert json.loads(out) == {"file": str(target), "variables": 5}


def test_demo_explains(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, _ = run(capsys, "demo")
    assert code == 0
    assert "Decision: D is 2." in out
    assert "class 2: equivalent" in out
    assert "not class 0: equivalent" in out
    assert str(Path("bnc2d-demo", "class-2.svg")) in out
    assert "\x1b" not in out
    _, out, _ = run(capsys, "demo", "--json", "--out", "a/b")
    facts = json.loads(out)
    assert facts["instances_per_class"] == {"0": 6, "1": 3, "2": 9}
    assert facts["sufficient_reasons"] == [{"BP": ["High"], "CT": ["1"]}, {"BP": ["High"], "HR": ["Normal"]}]
    assert facts["necessary_reasons"] == [{"BP": ["High"]}, {"CT": ["1"], "HR": ["Normal"]}]
    assert facts["verified"]
    assert all(formula["equivalent"] for formula in facts["paper"].values())
    left = {str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()}
    assert left == {"bnc2d-demo/class-2.svg", "a/b/class-2.svg"}
    assert facts["picture"] in left
    assert (tmp_path / facts["picture"]).read_text(encoding="utf-8").lstrip().startswith("<svg")
    code, out, err = run(capsys, "demo", "--out", "a/b/class-2.svg")
    assert (code, out) == (2, "")
    assert "cannot make the folder" in err


def test_the_demo_builds_the_formulas_that_it_prints() -> None:
    """Evaluate the printed text on all patients, with nothing of ours but the state names."""
    domain = Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1"), "HR": ("Low", "Normal", "High")})
    built = paper_formulas(Manager(domain))
    assert built.keys() == PRINTED.keys()
    for name, text in PRINTED.items():
        python = re.sub(r"∈\{([^}]*)\}", lambda m: f" in {tuple(m[1].split(','))}", text)
        python = (
            re.sub(r"=(\w+)", r"=='\1'", python).replace("∧", "and").replace("∨", "or").replace("¬", "not ")
        )
        for bp, ct, hr in product(*domain.states):
            holds = eval(python, {}, {"BP": bp, "CT": ct == "1", "HR": hr})  # noqa: S307 - our own constant
            assert built[name].evaluate({"BP": bp, "CT": ct, "HR": hr}) == holds


def test_a_file_wins_over_a_built_in_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_network(example("student"), tmp_path / "asia", format="bif")
    code, _, err = run(capsys, "info", "asia")
    assert code == 2
    assert "asia" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["info", "nowhere.bif"], "nowhere.bif"),
        (["info", "setup.cfg"], "setup.cfg"),
        (["predict", "diagnosis", "--target", "D"], "an instance is missing"),
        (["predict", "diagnosis", "BP=High"], "--target NAME must say what to decide"),
        (["predict", "diagnosis", "--target", "d", "BP=High"], "unknown variable 'd'; did you mean 'D'?"),
        (["predict", "diagnosis", "--target", "D", "Bp=High"], "'Bp' is not a feature"),
        (["predict", "diagnosis", "--target", "D", "BP"], "'BP' is not of the form NAME=STATE"),
        (["predict", "diagnosis", "--target", "D", "BP=Low", "BP=Low"], "'BP' is set twice"),
        (["predict", "diagnosis", "--target", "D", "--features", "BP,HX", "BP=Low"], "unknown variable 'HX'"),
        (
            ["predict", "diagnosis", "--target", "D", "--threshold", "x", "BP=Low"],
            "needs a target with two states",
        ),
        (["predict", "asia", "--target", "lung", "--threshold", "2", "xray=yes"], "strictly between 0 and 1"),
        (["convert", "asia", "asia.xyz"], "asia.xyz"),
        (["convert", "asia", "no/such/folder/asia.bif"], "asia.bif"),
    ],
)
def test_errors_are_one_line_and_exit_two(
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, *words)
    assert (code, out) == (2, "")
    assert err.startswith("bnc2d: error: ")
    assert message in err
    assert err.count("\n") == 1


def test_warnings_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "third.bif"
    path.write_text(
        "network n { } variable x { type discrete [ 3 ] { a, b, c }; }\n"
        "probability ( x ) { table 0.333333, 0.333333, 0.333333; }",
        encoding="utf-8",
    )
    code, _, err = run(capsys, "info", str(path))
    assert code == 0
    assert err.startswith("bnc2d: warning: ")
    assert err.count("\n") == 1


def test_names_cannot_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "predict", "diagnosis", "--target", "\x1b[31mD\n", "BP=Low")
    assert code == 2
    assert "\x1b" not in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("error", [KeyboardInterrupt(), pysolvers.error("Caught keyboard interrupt")])
def test_ctrl_c_ends_quietly(
    error: BaseException, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise error

    monkeypatch.setattr("bnc2d.cli.commands.info.load_network", interrupt)
    assert run(capsys, "info", "asia") == (130, "", "bnc2d: interrupted\n")


def test_other_errors_are_not_taken_for_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise pysolvers.error("something else")

    monkeypatch.setattr("bnc2d.cli.commands.info.load_network", fail)
    with pytest.raises(pysolvers.error, match="something else"):
        main(["info", "asia"])


def test_no_command_prints_help(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys)
    assert code == 0
    assert out.startswith("usage: bnc2d")


def test_a_closed_pipe_is_no_error() -> None:
    shell = f"{sys.executable} -m bnc2d info asia --variables | head -c 1 >/dev/null"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {shell}"], capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize(
    ("redirected", "code", "said"),
    [(">/dev/full", 2, "bnc2d: error: cannot write the output: No space left on device"), (">&-", 0, "")],
)
def test_output_that_cannot_be_written(redirected: str, code: int, said: str) -> None:
    shell = f"{sys.executable} -m bnc2d info asia {redirected}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (code, bool(said))
    assert done.stderr.startswith(said)


@pytest.mark.parametrize(
    "words", [["nonsense"], ["compile", "diagnosis", "--method", "quick"], ["completion"]]
)
def test_a_wrong_option_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert err.startswith("bnc2d")
    assert "error: " in err


def test_a_foreign_file_with_the_ending_of_a_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    foreign = tmp_path / "foreign.bnc2d"
    foreign.write_text("hello\n", encoding="utf-8")
    assert main(["explain", str(foreign), "BP=High"]) == 2
    assert "foreign.bnc2d: not a compiled model" in capsys.readouterr().err


def test_a_file_name_that_is_no_text_can_be_answered(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = str(tmp_path / "a\udcff.bif")
    code, out, _ = run(capsys, "convert", "asia", output, "--json")
    assert (code, json.loads(out)["file"]) == (0, output)
    code, out, _ = run(capsys, "convert", "asia", output)
    assert (code, "a\ufffd.bif" in out) == (0, True)
