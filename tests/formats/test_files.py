import gzip
import os
import warnings
from contextlib import suppress
from pathlib import Path

import pytest

from bnc2d.errors import FormatError, NormalisationWarning
from bnc2d.formats.io import FORMATS, read_network, write_network
from tests.formats.random_network import random_network
from tests.formats.reading import entries, read_text

ONE = """variable A { type discrete [ 2 ] { 0, 1 }; }
variable B { type discrete [ 2 ] { 0, 1 }; }
variable C { type discrete [ 2 ] { 0, 1 }; }
probability ( A ) { table 0.5, 0.5; }
probability ( B | A ) { (0) 0.3333333, 0.6666666; (1) 0.1, 0.9; }
probability ( C | A ) { (0) 0.5, 0.5000005; (1) 0.1, 0.9; }
"""


def test_small_misses_are_normalised_with_one_warning(tmp_path: Path) -> None:
    with pytest.warns(NormalisationWarning) as caught:
        net = read_text(tmp_path, "x.bif", ONE)
    assert len(caught) == 1
    expected = (
        "columns of 2 tables did not sum to exactly 1 and were normalised (off by at most 5e-07; first: 'B')"
    )
    assert str(caught[0].message) == f"{tmp_path / 'x.bif'}: {expected}"
    assert net.cpt("B").exact[0, 0] == net.cpt("B").exact[0, 1] / 2 * 3333333 / 3333333
    assert net.cpt("B").exact[0].sum() == 1


def test_large_misses_are_normalised_on_request(tmp_path: Path) -> None:
    text = ONE.replace("(0) 0.5, 0.5000005", "(0) 1, 3")
    with pytest.raises(
        FormatError, match=r"x\.bif:6: P\(C \| A=0\) sums to 4, not 1; correct it, or ask for normalise"
    ):
        read_text(tmp_path, "x.bif", text)
    with pytest.warns(NormalisationWarning, match="2 tables .* at most 3; first: 'B'"):
        net = read_text(tmp_path, "x.bif", text, normalise=True)
    assert entries(net, "C") == [0.25, 0.75, 0.1, 0.9]


def test_gzip_is_known_by_its_first_bytes_and_by_the_ending(tmp_path: Path) -> None:
    text = ONE.replace("0.3333333, 0.6666666", "0, 1").replace("0.5000005", "0.5").encode()
    assert read_text(tmp_path, "x.bif", gzip.compress(text)) == read_text(
        tmp_path, "y.BIF.GZ", gzip.compress(text)
    )
    packed = gzip.compress(text)
    for bad, message in [
        (packed[:-20], "truncated"),
        (packed[:-6] + b"xxxxxx", "corrupt"),
        (packed[:10] + b"\xff" * 9, "corrupt"),
        (text, "corrupt"),
        (b"", "empty"),
    ]:
        with pytest.raises(FormatError, match=message):
            read_text(tmp_path, "z.bif.gz", bad)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_max_bytes(pack: type[bytes], tmp_path: Path) -> None:
    (tmp_path / "x.bif").write_bytes(pack(b" " * 3_000_000))
    with pytest.raises(FormatError, match="more than 2000000 bytes; max_bytes raises the limit"):
        read_network(tmp_path / "x.bif", max_bytes=2_000_000)


def test_what_cannot_be_read_or_written(tmp_path: Path) -> None:
    net = random_network(1)
    (tmp_path / "dir.bif").mkdir()
    for path in (
        tmp_path / "none.bif",
        tmp_path / "dir.bif",
        f"{tmp_path}/nul\0.bif",
        tmp_path / "x" / "y.bif",
    ):
        with pytest.raises(FormatError, match="cannot read: "):
            read_network(path)
    for path in (tmp_path / "dir.bif", f"{tmp_path}/nul\0.bif", tmp_path / "x" / "y.bif", "/dev/null"):
        with pytest.raises(FormatError, match="cannot write: "):
            write_network(net, path, format="bif")
    for path in ("x.txt", "x", "bif", "x.bif.bz2"):
        with pytest.raises(FormatError, match=f"{path}: cannot read: no such file"):
            read_network(tmp_path / path)
        with pytest.raises(FormatError, match="unknown ending"):
            write_network(net, tmp_path / path)
    with pytest.raises(FormatError, match="cannot read: it is a folder"):
        read_network(tmp_path)
    for path in ("x.txt", "x", "bif", "x.bif.bz2"):
        (tmp_path / path).touch()
        with pytest.raises(
            FormatError, match=r"unknown ending; known: \.bif \.net \.uai \.xml \.xmlbif \.xdsl"
        ):
            read_network(tmp_path / path)
        (tmp_path / path).unlink()
    with pytest.raises(FormatError, match="unknown format 'biff'; did you mean 'bif'"):
        read_network(tmp_path / "x.bif", format="biff")
    assert [path.name for path in tmp_path.iterdir()] == ["dir.bif"]


def test_a_failed_write_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.bif"
    path.write_text("precious")

    def interrupted(source: str, target: str) -> None:
        assert Path(source).parent == tmp_path
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_network(random_network(1), path)
    assert path.read_text() == "precious"
    assert list(tmp_path.iterdir()) == [path]


def test_writing_keeps_the_mode_and_follows_links(tmp_path: Path) -> None:
    path, link = tmp_path / "x.bif", tmp_path / "link.bif"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_network(random_network(1), link)
    assert link.is_symlink()
    assert path.read_text().startswith("network")
    assert path.stat().st_mode & 0o777 == 0o640
    write_network(random_network(1), tmp_path / "new.bif")
    umask = os.umask(0)
    os.umask(umask)
    assert (tmp_path / "new.bif").stat().st_mode & 0o777 == 0o666 & ~umask


@pytest.mark.parametrize("name", FORMATS)
def test_damaged_files_raise_only_our_errors(name: str, tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_network(random_network(7), path, format=name)
    good = path.read_bytes()
    pieces = [b"", b"(", b"}", b'"', b"\xff", b"\0", b"-1", b"9" * 30, b"/*", b"%", b"<!", b"&x;"]
    for step in range(200):
        cut = step * 7919 % len(good)
        path.write_bytes(good[:cut] + pieces[step % len(pieces)] + good[cut + step % 5 :])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", NormalisationWarning)
            with suppress(FormatError):
                read_network(path, format=name)


def test_messages_are_one_short_line(tmp_path: Path) -> None:
    name = '"' + "a\n\x1b" * 300 + '"'
    text = f"variable {name} {{ type discrete {{ 0, 1 }}; }}\nprobability ( {name} ) {{ table 1, 1; }}"
    with pytest.raises(FormatError) as caught:
        read_text(tmp_path, "x.bif", text)
    assert len(caught.value.message) <= 500
    assert caught.value.message.isprintable()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x.bif", "variable v{0} {{ type discrete {{ 0 }}; }}\n"),
        ("x.net", "node v{0} {{ states = (0); }}\n"),
        ("x.xdsl", '<cpt id="v{0}"><state id="a"/></cpt>\n'),
        ("x.xml", "<VARIABLE><NAME>v{0}</NAME><OUTCOME>a</OUTCOME></VARIABLE>\n"),
        ("x.uai", "1 "),
    ],
)
def test_the_number_of_variables_is_bounded(name: str, text: str, tmp_path: Path) -> None:
    around = {"x.xdsl": "<smile><nodes>{}</nodes></smile>", "x.xml": "<BIF><NETWORK>{}</NETWORK></BIF>"}
    many = "".join(text.format(number) for number in range(2**15 + 1))
    many = f"BAYES {2**15 + 1} {many}" if name == "x.uai" else around.get(name, "{}").format(many)
    with pytest.raises(FormatError, match="more than 32768 variables, the limit"):
        read_text(tmp_path, name, many)
