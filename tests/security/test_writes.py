"""A command writes the file it was told to write and no other, and leaves no temporary file behind."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from bnc2d import Classifier, FormatError, example, write_network
from bnc2d.base.atomic import atomic_write

PATIENT = ["BP=High", "CT=1", "HR=Normal"]
# Each command line with the files that it may write.
COMMANDS: dict[str, tuple[list[str], set[str]]] = {
    "help": (["--help"], set()),
    "info": (["info", "d.bif", "--variables"], set()),
    "predict": (["predict", "d.bif", "--target=D", *PATIENT], set()),
    "predict from CSV": (["predict", "d.bnc2d", "--csv=p.csv"], set()),
    "predict to a file": (["predict", "d.bnc2d", "--csv=p.csv", "-o", "out.csv"], {"out.csv"}),
    "explain": (["explain", "d.bnc2d", *PATIENT, "--all"], set()),
    "explain to a file": (["explain", "d.bnc2d", "--csv=p.csv", "-o", "out.jsonl"], {"out.jsonl"}),
    "verify": (["verify", "d.bnc2d"], set()),
    "share": (["share", "d.bnc2d", "--csv=p.csv"], set()),
    "compare": (["compare", "d.bnc2d", "d.bnc2d"], set()),
    "nearest to a file": (["nearest", "d.bnc2d", "--csv=p.csv", "-o", "out.json"], {"out.json"}),
    "completion": (["completion", "bash"], set()),
    "compile": (["compile", "d.bif", "--target=D", "-o", "out.bnc2d"], {"out.bnc2d"}),
    "compile as the paper": (["compile", "d.bif", "--target=D", "--method=paper", "-o", "o"], {"o"}),
    "convert": (["convert", "d.bif", "out.xdsl.gz"], {"out.xdsl.gz"}),
    "draw": (["draw", "d.bif", "-o", "out.svg"], {"out.svg"}),
    "draw a circuit": (["draw", "d.bnc2d", "--class=2", "-o", "out.dot"], {"out.dot"}),
    "explore": (["explore", "d.bnc2d", "-o", "out.html"], {"out.html"}),
    "demo": (["demo", "--out=pictures"], {"pictures", "pictures/class-2.svg"}),
    "a failed compile": (["compile", "d.bif", "--target=none", "-o", "out.bnc2d"], set()),
    "a failed draw": (["draw", "d.bif", "-o", "out.pdf"], set()),
    "a failed convert": (["convert", "d.bif", "none/out.xdsl"], set()),
}


def listing(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("name", COMMANDS)
def test_only_the_named_file_is_written(name: str, tmp_path: Path) -> None:
    work, home, temporary = (tmp_path / part for part in ("work", "home", "temporary"))
    for folder in (work, home, temporary):
        folder.mkdir()
    write_network(example("diagnosis"), work / "d.bif")
    Classifier(example("diagnosis"), "D").compile().save(work / "d.bnc2d")
    (work / "p.csv").write_text("BP,CT,HR\nHigh,1,Normal\n", encoding="utf-8")
    before = listing(work)
    words, written = COMMANDS[name]
    done = subprocess.run(
        [sys.executable, "-m", "bnc2d", *words],
        capture_output=True,
        text=True,
        cwd=work,
        env={**os.environ, "HOME": str(home), "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(home / "c")},
        check=False,
    )
    assert done.returncode == (2 if name.startswith("a failed") else 0), done.stderr
    after = listing(work)
    assert after.keys() == before.keys() | written
    assert {path: after[path] for path in before} == before
    assert listing(home) == listing(temporary) == {}


def test_a_link_is_followed_and_a_device_refused(tmp_path: Path) -> None:
    target, link = tmp_path / "real", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    atomic_write(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path(os.devnull)):
        with pytest.raises(FormatError, match="not a regular file"):
            atomic_write(path, b"x")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_temporary_name_cannot_be_foreseen_or_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another user's file or link under the temporary name is not written through."""
    monkeypatch.setattr("os.urandom", lambda length: b"\xab" * length)
    trap, victim = tmp_path / f".out.{'ab' * 8}.tmp", tmp_path / "victim"
    victim.write_bytes(b"precious")
    trap.symlink_to(victim)
    with pytest.raises(FormatError, match="cannot write"):
        atomic_write(tmp_path / "out", b"x")
    assert victim.read_bytes() == b"precious"
    assert not (tmp_path / "out").exists()
