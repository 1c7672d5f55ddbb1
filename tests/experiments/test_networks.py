"""The cache of public networks: what goes in is checked, what is in needs nothing from outside."""

import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bnc2d import FormatError, example, read_network, write_network
from bnc2d.errors import UnknownNameError
from bnc2d.experiments import networks
from bnc2d.experiments.networks import cached, facts_of, network_path, network_paths

MEMBERS = "pgmpy/utils/example_models"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no way to reach pip but by mistake."""
    monkeypatch.setenv("BNC2D_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(networks, "WHEEL", "no-such-package-for-bnc2d==0")
    return tmp_path / "cache" / "networks"


@pytest.fixture
def wheel(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small wheel that takes the place of the real one, with two of the networks."""
    content = {}
    for name in ("asia", "cancer"):
        write_network(example(name), tmp_path / f"{name}.bif.gz")
        content[name] = (tmp_path / f"{name}.bif.gz").read_bytes()
    return make_wheel(tmp_path, monkeypatch, content)


def make_wheel(folder: Path, monkeypatch: pytest.MonkeyPatch, content: dict[str, bytes]) -> Path:
    path = folder / "fake.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("pgmpy/__init__.py", "raise SystemExit('nothing of the wheel may run')")
        for name, data in content.items():
            archive.writestr(f"{MEMBERS}/{name}.bif.gz", data)
    monkeypatch.setattr(networks, "WHEEL_SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
    return path


def test_networks_come_out_of_a_wheel_and_stay(cache: Path, wheel: Path) -> None:
    assert cached("asia") is None
    paths = network_paths(["cancer", "asia", "cancer"], wheel)
    assert list(paths) == ["cancer", "asia"]
    assert {path.name for path in cache.iterdir()} == {"asia.bif.gz", "cancer.bif.gz"}
    wheel.unlink()
    assert network_path("asia") == cached("asia") == paths["asia"] == cache / "asia.bif.gz"
    assert read_network(paths["asia"]) == example("asia")


def test_after_one_fetch_all_are_at_hand(cache: Path, wheel: Path) -> None:
    network_paths(["asia"], wheel)
    wheel.unlink()
    assert cached("cancer") is None
    assert read_network(network_path("cancer")) == example("cancer")


def test_a_damaged_kept_wheel_is_as_good_as_none(cache: Path, wheel: Path) -> None:
    network_paths(["asia"], wheel)
    (cache.parent / "networks.whl").write_bytes(b"half of it")
    with pytest.raises(FormatError, match="cannot fetch the networks, pip says"):
        network_path("cancer")
    assert network_paths(["cancer"], wheel)["cancer"].is_file()


def test_names_are_checked_before_anything_is_fetched(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="unknown public network 'chid'; did you mean 'child'"):
        network_paths(["asia", "chid"], tmp_path / "missing.whl")
    with pytest.raises(UnknownNameError):
        network_path("../asia")
    assert not cache.exists()


def test_another_wheel_is_refused(cache: Path, wheel: Path) -> None:
    wheel.write_bytes(wheel.read_bytes() + b"x")
    with pytest.raises(FormatError, match=r"fake.whl: not the wheel of .*--wheel FILE"):
        network_paths(["asia"], wheel)
    with pytest.raises(FormatError, match="cannot read: No such file"):
        network_paths(["asia"], wheel.with_name("missing.whl"))
    assert not cache.exists()


Spoil = Callable[[bytes], bytes]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda data: data[: len(data) // 2], "truncated"),
        (lambda data: data[5:], "gzip"),
        (lambda data: data + bytes(5 * 2**20), "more than"),
    ],
)
def test_a_broken_network_never_reaches_the_cache(
    cache: Path, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spoil: Spoil, message: str
) -> None:
    good = (tmp_path / "asia.bif.gz").read_bytes()
    spoiled = make_wheel(tmp_path, monkeypatch, {"cancer": spoil(good)})
    with pytest.raises(FormatError, match=message):
        network_paths(["cancer"], spoiled)
    assert list(cache.iterdir()) == []


def test_a_network_of_another_size_or_none_is_refused(
    cache: Path, wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    swapped = make_wheel(tmp_path, monkeypatch, {"cancer": (tmp_path / "asia.bif.gz").read_bytes()})
    with pytest.raises(FormatError, match="cancer has 8 variables and 8 edges, not those expected"):
        network_paths(["cancer"], swapped)
    with pytest.raises(FormatError, match=r"damaged wheel: .*survey"):
        network_paths(["survey"], swapped)
    assert list(cache.iterdir()) == []


def test_an_interrupted_fetch_leaves_no_file(
    cache: Path, wheel: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(source: str, target: str) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("bnc2d.base.atomic.os.replace", interrupted)
        with pytest.raises(KeyboardInterrupt):
            network_paths(["asia"], wheel)
    assert list(cache.iterdir()) == []
    assert network_paths(["asia"], wheel)["asia"].is_file()


def test_a_failing_pip_is_one_line_with_a_remedy(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    with pytest.raises(FormatError, match=r"pip says: No matching .*--wheel FILE") as caught:
        network_path("asia")
    assert "\n" not in str(caught.value)
    silent = subprocess.CompletedProcess([], 1, "", "")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: silent)
    with pytest.raises(FormatError, match="pip says: nothing;"):
        network_path("asia")


@pytest.mark.parametrize(
    ("platform", "given", "expected"),
    [
        ("linux", {}, "HOME/.cache/bnc2d/networks"),
        ("linux", {"XDG_CACHE_HOME": "/elsewhere"}, "/elsewhere/bnc2d/networks"),
        ("linux", {"XDG_CACHE_HOME": "relative"}, "HOME/.cache/bnc2d/networks"),
        ("darwin", {}, "HOME/Library/Caches/bnc2d/networks"),
        ("win32", {}, "HOME/AppData/Local/bnc2d/networks"),
        ("win32", {"LOCALAPPDATA": "/local"}, "/local/bnc2d/networks"),
        ("linux", {"XDG_CACHE_HOME": "/elsewhere", "BNC2D_CACHE": "/own"}, "/own/networks"),
    ],
)
def test_where_the_cache_is(
    platform: str, given: dict[str, str], expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BNC2D_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert networks.cache_folder().as_posix() == expected.replace("HOME", tmp_path.as_posix())


def test_facts_agree_with_the_networks_that_are_built_in() -> None:
    for name in ("asia", "cancer", "earthquake", "survey"):
        assert facts_of(example(name)) == networks.PUBLIC[name]


@pytest.mark.filterwarnings("ignore::bnc2d.errors.NormalisationWarning")
def test_the_real_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fetches for real where pip can; a machine without a network skips it."""
    quick = {"PIP_RETRIES": "0", "PIP_TIMEOUT": "3", "BNC2D_CACHE": str(tmp_path)}
    for name, value in quick.items():
        monkeypatch.setenv(name, value)
    some = [name for name, facts in networks.PUBLIC.items() if facts.variables <= 250 and facts.states <= 6]
    script = f"from bnc2d.experiments.networks import network_paths as p; p({some!r})"
    try:
        done = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=False
        )
    except subprocess.TimeoutExpired:
        pytest.skip("pip takes too long to fetch")
    if "pip says" in done.stderr:
        pytest.skip(done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stderr
    assert len(some) > 10
    for name in some:
        path = cached(name)
        assert path is not None
        assert facts_of(read_network(path)) == networks.PUBLIC[name]
