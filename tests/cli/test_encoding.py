"""What is printed in any locale: the same bytes into files, and something to read on every terminal."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from bnc2d import CPT, BayesianNetwork, Variable, write_network
from tests.cli.running import sent_to

NAME, STATES = "Größe", ("groß", "klein 😀")
# The locale of a machine that was never told one; Python would see to it that this is UTF-8.
PLAIN = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
UTF8 = {"PYTHONIOENCODING": "utf-8"}


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    size, other = Variable(NAME, STATES), Variable("Y", ("ja", "∨"))
    third = Variable("Z", ("0", "1", "2"))
    tables = [
        CPT(other, (), ["0.4", "0.6"]),
        CPT(size, (other,), ["0.2", "0.8", "0.7", "0.3"]),
        CPT(third, (other,), ["0.2", "0.3", "0.5", "0.1", "0.3", "0.6"]),
    ]
    path = tmp_path_factory.mktemp("encoding") / "n.bif"
    write_network(BayesianNetwork([other, size, third], tables), path)
    asked = json.dumps({NAME: STATES[1], "Z": "0"})
    path.with_suffix(".json").write_text(asked, encoding="utf-8")
    return path


def environment(settings: dict[str, str]) -> dict[str, str]:
    kept = {
        name: value for name, value in os.environ.items() if not name.startswith(("LC_", "PYTHON", "LANG"))
    }
    return {**kept, "COLUMNS": "100", **settings}


def printed(settings: dict[str, str], *words: str | Path) -> bytes:
    """Return what goes into a pipe."""
    command = [sys.executable, "-m", "bnc2d", *map(str, words)]
    done = subprocess.run(command, capture_output=True, env=environment(settings), check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def commands(network: Path) -> list[list[str | Path]]:
    asked: list[str | Path] = [network, "--target", "Y", "--instance", network.with_suffix(".json")]
    return [
        ["explain", *asked],
        ["explain", *asked, "--json"],
        ["predict", *asked, "--json"],
        ["info", network, "--variables"],
        ["nearest", *asked],
        ["explain", "diagnosis", "--target", "D", "BP=High", "CT=1", "HR=Normal", "--all"],
    ]


@pytest.mark.parametrize("number", range(6))
def test_pipes_get_the_same_bytes_in_every_locale(network: Path, number: int) -> None:
    words = commands(network)[number]
    wanted = printed(UTF8, *words)
    assert any(byte > 127 for byte in wanted)
    assert printed(PLAIN, *words) == wanted


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_who_asks_for_an_encoding_gets_it(network: Path, encoding: str) -> None:
    """With the escapes of JSON for what it lacks, so that JSON says the same."""
    settings = {"PYTHONIOENCODING": encoding}
    for words in commands(network):
        wanted, found = printed(UTF8, *words).decode(), printed(settings, *words).decode(encoding)
        if "--json" in words:
            assert json.loads(found) == json.loads(wanted)
            assert "∨" in str(json.loads(found))
        elif words[0] == "info":  # its tables have other lines then
            assert "".join(readable(sign, encoding) for sign in NAME) in found
        else:
            assert found == "".join(readable(sign, encoding) for sign in wanted)


def readable(sign: str, encoding: str) -> str:
    with suppress(UnicodeEncodeError):
        return sign.encode(encoding).decode(encoding)
    return json.dumps(sign)[1:-1]


def shown(*words: str | Path) -> str:
    """Return what a terminal is sent whose encoding is ASCII."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "bnc2d", *map(str, words)]
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.PIPE, env=environment(PLAIN))
    os.close(theirs)
    sent = sent_to(ours)
    assert (process.communicate(timeout=60)[1], process.returncode) == (b"", 0)
    return sent.decode("ascii")


def test_a_terminal_shows_stand_ins(network: Path) -> None:
    instance, *_, logic = commands(network)
    assert r"Gr\u00f6\u00dfe is klein \ud83d\ude00" in shown(*instance)
    text = shown(*logic)
    assert "BP=High & CT" in text
    assert "BP in {Low,High}" in text
    assert "\\u" not in text
