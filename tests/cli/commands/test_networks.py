"""``bnc2d networks`` as a person meets it."""

import json
from pathlib import Path

import pytest

from bnc2d import read_network
from bnc2d.experiments.networks import PUBLIC
from tests.cli.running import run
from tests.experiments.test_networks import cache, wheel

__all__ = ["cache", "wheel"]  # fixtures


def test_list(capsys: pytest.CaptureFixture[str], cache: Path, wheel: Path) -> None:
    code, out, _ = run(capsys, "networks")
    assert code == 0
    assert all(name in out for name in PUBLIC)
    assert "yes" not in out
    assert run(capsys, "networks", "--list")[1] == out
    run(capsys, "networks", "--get", "asia", "--wheel", str(wheel))
    facts = {fact["name"]: fact for fact in json.loads(run(capsys, "networks", "--json")[1])}
    assert list(facts) == list(PUBLIC)
    assert facts["child"] == {
        "name": "child",
        "variables": 20,
        "edges": 25,
        "states": 6,
        "roots": 1,
        "leaves": 7,
        "log2_instances": 10.1,
        "path": None,
    }
    assert facts["asia"]["path"] == str(cache / "asia.bif.gz")
    assert run(capsys, "networks")[1].count("yes") == 1


def test_get_prints_the_file_that_other_commands_take(
    capsys: pytest.CaptureFixture[str], cache: Path, wheel: Path
) -> None:
    code, out, err = run(capsys, "networks", "--get", "asia", "cancer", "--wheel", str(wheel))
    assert (code, err) == (0, "")
    assert out == f"{cache / 'asia.bif.gz'}\n{cache / 'cancer.bif.gz'}\n"
    code, out, _ = run(capsys, "networks", "--get", "cancer")
    assert (code, out) == (0, f"{cache / 'cancer.bif.gz'}\n")
    assert '"variables": 5' in run(capsys, "info", out.strip(), "--json")[1]


def test_copies_go_to_a_folder(
    capsys: pytest.CaptureFixture[str], cache: Path, wheel: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "folder"
    words = ["networks", "--get", "asia", "--wheel", str(wheel), "--json"]
    code, out, _ = run(capsys, *words, "-o", str(folder))
    assert (code, json.loads(out)) == (0, {"asia": str(folder / "asia.bif.gz")})
    assert len(read_network(folder / "asia.bif.gz")) == 8
    assert (cache / "asia.bif.gz").is_file()
    code, _, err = run(capsys, *words, "-o", str(wheel))
    assert (code, len(err.splitlines())) == (2, 1)
    assert "cannot copy" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--get", "chid"], "did you mean 'child'?"),
        (["--all", "--wheel", "missing.whl"], "missing.whl: cannot read"),
        (["-o", "folder"], "name networks with --get NAME, or give --all"),
    ],
)
def test_errors(
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run(capsys, "networks", *words)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert message in err
    assert list(tmp_path.iterdir()) == []
