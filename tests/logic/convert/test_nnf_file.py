"""Circuit files: exact round trips in both forms, foreign files, and a named line for every fault."""

from __future__ import annotations

import gzip
import tempfile
import time
from pathlib import Path

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from bnc2d.errors import Bnc2dError, FormatError, UnsupportedError
from bnc2d.logic.circuit.fold import rewrite
from bnc2d.logic.circuit.manager import FALSE, TRUE, Manager, NodeId
from bnc2d.logic.convert.nnf_file import MAX_STATES, read_nnf, write_nnf
from bnc2d.logic.domain import Domain
from tests.cases import cases
from tests.logic.strategies import Circuit, circuits, models

LEVELS = ("Low", "Normal", "High")


def assert_round_trip(manager: Manager, root: NodeId, path: Path) -> None:
    write_nnf(manager, root, path)
    first = path.read_bytes()
    copy, copied_root = read_nnf(path)
    assert copy.domain == manager.domain
    copy.assert_consistent()
    assert rewrite(copy, copied_root, manager.add_literal, into=manager) == root
    assert len(copy.reachable(copied_root)) == len(manager.reachable(root))
    write_nnf(copy, copied_root, path)
    assert path.read_bytes() == first


def written(tmp_path: Path, text: str | bytes) -> Path:
    path = tmp_path / "circuit.nnf"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_writing_keeps_links_and_permissions(tmp_path: Path) -> None:
    path = written(tmp_path, "old")
    path.chmod(0o640)
    link = tmp_path / "link.nnf"
    link.symlink_to(path)
    write_nnf(Manager(Domain({})), TRUE, link)
    assert link.is_symlink()
    assert path.read_text() == "nnf 1 0 0\nA 0\n"
    assert path.stat().st_mode & 0o777 == 0o640


@given(circuits())
def test_round_trip(circuit: Circuit) -> None:
    boolean = all(size == 2 for size in circuit[0].domain.cardinalities)
    event("c2d form" if boolean else "multi-valued form")
    with tempfile.TemporaryDirectory() as folder:
        assert_round_trip(*circuit, Path(folder, "x.nnf"))


@given(circuits(max_states=2))
def test_round_trip_of_boolean_circuits(circuit: Circuit) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert_round_trip(*circuit, Path(folder, "x.nnf.gz"))


NAMES = st.text(min_size=1, max_size=8)


@given(
    st.dictionaries(NAMES, st.lists(NAMES, min_size=1, max_size=4, unique=True), max_size=4), st.booleans()
)
def test_any_names_and_states_survive(features: dict[str, list[str]], value: bool) -> None:
    manager = Manager(Domain(features))
    literals = [manager.add_literal(feature, 1) for feature in range(len(manager.domain))]
    root = manager.add_and(literals) if literals else int(value)
    with tempfile.TemporaryDirectory() as folder:
        assert_round_trip(manager, root, Path(folder, "x.nnf"))


@pytest.mark.parametrize("root", [FALSE, TRUE])
@pytest.mark.parametrize("states", [("0", "1"), LEVELS])
def test_constants(tmp_path: Path, root: NodeId, states: tuple[str, ...]) -> None:
    assert_round_trip(Manager(Domain({"X": states})), root, tmp_path / "x.nnf")


def test_the_text_of_both_forms(tmp_path: Path) -> None:
    path = tmp_path / "x.nnf"
    manager = Manager(Domain({"v1": ("0", "1"), "v2": ("0", "1")}))
    write_nnf(manager, manager.add_or([manager.add_literal(0, 0b10), manager.add_literal(1, 0b01)]), path)
    assert path.read_text() == "nnf 3 2 2\nL 1\nL -2\nO 0 2 0 1\n"
    manager = Manager(Domain({"BP": LEVELS, "CT": ("no", "yes"), "é": ("a", "b")}))
    write_nnf(manager, manager.add_and([manager.add_literal(0, 0b101), manager.add_literal(1, 0b10)]), path)
    assert path.read_text() == (
        "nnf 3 3 2\n3 2 2\n"
        'c feature "BP" ["Low", "Normal", "High"]\n'
        'c feature "CT" ["no", "yes"]\nc feature "\\u00e9" ["a", "b"]\n'
        "L 1 5\nL 2 2\nA 2 0 1\n"
    )


def test_a_positive_literal_is_the_state_that_reads_as_true(tmp_path: Path) -> None:
    manager = Manager(Domain({"CT": ("yes", "no")}))
    write_nnf(manager, manager.add_literal(0, 0b01), tmp_path / "x.nnf")
    assert (tmp_path / "x.nnf").read_text().endswith("\nL 1\n")
    copy, root = read_nnf(tmp_path / "x.nnf")
    assert copy.literal_of(root) == (0, 0b01)


# (v1 and not v2) or (not v1 and v3), as c2d writes it: with decision variable 1, and unused variable 4.
C2D = "nnf 7 6 4\nL 1\nL -2\nA 2 0 1\nL -1\nL 3\nA 2 3 4\nO 1 2 2 5\n"


def test_a_file_of_c2d(tmp_path: Path) -> None:
    manager, root = read_nnf(written(tmp_path, C2D))
    assert manager.domain == Domain({f"v{number}": ("0", "1") for number in range(1, 5)})
    expected = {
        (a, b, c, d) for a in (0, 1) for b in (0, 1) for c in (0, 1) for d in (0, 1) if (not b if a else c)
    }
    assert models(manager, root) == expected


def test_constants_below_gates_and_repeated_nodes_of_other_writers(tmp_path: Path) -> None:
    text = "c made by hand\r\n\r\nnnf 6 5 1\r\nA 0\r\nO 0 0\r\nL 1\r\nL 1\r\nA 2 0 2\r\nO 0 3 1 3 4\r\n"
    manager, root = read_nnf(written(tmp_path, text))
    assert models(manager, root) == {(1,)}


def test_a_multi_valued_file_without_names(tmp_path: Path) -> None:
    manager, root = read_nnf(written(tmp_path, "nnf 5 2 4\n3 2\nL 1 5\nL 2 1\nT\nA 2 0 2\nO 2 1 3\n"))
    assert manager.domain == Domain({"v1": ("0", "1", "2"), "v2": ("0", "1")})
    assert models(manager, root) == {(0, 0), (0, 1), (1, 0), (2, 0), (2, 1)}


def test_a_domain_gives_the_names(tmp_path: Path) -> None:
    path = written(tmp_path, "nnf 1 2 0\n3 2\nL 1 5\n")
    domain = Domain({"BP": LEVELS, "CT": ("no", "yes")})
    manager, root = read_nnf(path, domain)
    assert manager.domain is domain
    assert manager.literal_of(root) == (0, 5)
    for other in (Domain({"BP": LEVELS}), Domain({"CT": ("no", "yes"), "BP": LEVELS})):
        with pytest.raises(FormatError, match="domain") as caught:
            read_nnf(path, other)
        assert caught.value.line == 1


MALFORMED = [
    ("cnf 1 1 1\n", 1, "expected the header"),
    ("nnf 1 1\nL 1\n", 1, "expected the header"),
    ("nnf 1 x 1\nL 1\n", 1, "a count in the header"),
    ("nnf 1 -1 1\nL 1\n", 1, "a count in the header"),
    ("nnf " + "9" * 5000 + " 1 1\nL 1\n", 1, "a count in the header"),
    ("c only comments\n", 1, "header .* is missing"),
    ("nnf 0 0 0\n", 1, "no node"),
    ("nnf 2 0 1\nL 1\n", 1, "counts 2 nodes, the file has 1"),
    ("nnf 4000000000 0 1\nL 1\n", 1, "counts 4000000000 nodes"),
    ("nnf 1 0 4000000000\nL 1\n", 1, "variables"),
    ("nnf 1 0 1\nL 1\nL -1\n", 3, "counts 1 nodes, the file has more"),
    ("nnf 2 5 1\nL 1\nA 1 0\n", 1, "counts 5 edges, the file has 1"),
    ("nnf 2 0 1\nL 1\nA 1 0\n", 3, "counts 0 edges, the file has more"),
    ("nnf 1 0 1\nL 0\n", 2, "variable 0"),
    ("nnf 1 0 1\nL 2\n", 2, "variable 2 does not lie in 1 to 1"),
    ("nnf 1 0 1\nL --1\n", 2, "a variable"),
    ("nnf 1 0 1\nL +1\n", 2, "a variable"),
    ("nnf 1 0 1\nL 1 1\n", 2, "one signed variable"),
    ("nnf 1 0 1\nL\n", 2, "one signed variable"),
    ("nnf 1 0 1\nX 1\n", 2, "expected a node"),
    ("nnf 1 0 1\nT 1\n", 2, "expected a node"),
    ("nnf 1 0 1\n\n\xff\n", 3, "expected a node"),
    ("nnf 2 2 1\nL 1\nA 2 0 2\n", 3, "node 1 refers to node 2"),
    ("nnf 2 2 1\nL 1\nA 2 0 1\n", 3, "node 1 refers to node 1"),
    ("nnf 2 2 1\nL 1\nA 2 0\n", 3, "2 children announced, 1 listed"),
    ("nnf 2 2 1\nL 1\nA 4000000000 0\n", 3, "4000000000 children announced"),
    ("nnf 2 2 1\nL 1\nA\n", 3, "count of children"),
    ("nnf 2 1 1\nL 1\nO 0\n", 3, "count of children"),
    ("nnf 2 1 1\nL 1\nO 2 1 0\n", 3, "variable 2 does not lie in 0 to 1"),
    ("nnf 2 1 1\nL 1\nA 1 -1\n", 3, "a child"),
    ("nnf 1 2 0\n3\nL 1 5\n", 2, "counts 2 variables, this line has 1"),
    ("nnf 1 1 0\n0\nT\n", 2, "number of states"),
    ("nnf 1 1 0\n4000000000\nT\n", 2, "number of states"),
    ("nnf 1 1 0\n3x\nT\n", 2, "expected a node"),
    ("nnf 1 2 0\n3 x\nT\n", 2, "a number of states"),
    ("nnf 1 1 0\n3\nL 1 8\n", 3, "must be a number from 0 to"),
    ("nnf 1 1 0\n3\nL 1 -1\n", 3, "must be a number from 0 to"),
    ("nnf 1 1 0\n3\nL 1 " + "1" * 5000 + "\n", 3, "must be a number from 0 to"),
    ("nnf 1 1 0\n3\nL 1\n", 3, "a variable and a number"),
    ("nnf 1 1 0\n3\nL 2 1\n", 3, "variable 2"),
    ("nnf 1 1 0\n3\n3\nL 1 1\n", 3, "expected a node"),
    ('nnf 1 0 1\nc feature "X"\nL 1\n', 2, "in JSON"),
    ('nnf 1 0 1\nc feature "X" {"a": 1}\nL 1\n', 2, "in JSON"),
    ('nnf 1 0 1\nc feature "X" ["a", "b"] more\nL 1\n', 2, "in JSON"),
    ('nnf 1 0 1\nc feature "X" ' + "[" * 100_000 + "\nL 1\n", 2, "in JSON"),
    ('nnf 1 0 1\nc feature "X" ["a", 1]\nL 1\n', 2, "non-empty strings"),
    ('nnf 1 0 1\nc feature "X" ["a", "a"]\nL 1\n', 2, "twice"),
    ('nnf 1 0 1\nc feature "" ["a", "b"]\nL 1\n', 2, "non-empty string"),
    ('nnf 1 0 2\nc feature "X" ["a", "b"]\nc feature "X" ["a", "b"]\nL 1\n', 3, "named twice"),
    ('nnf 1 0 2\nc feature "X" ["a", "b"]\nL 1\n', 1, "the file names 1"),
    ('nnf 1 0 1\nc feature "X" ["a", "b", "c"]\nL 1\n', 2, "has 2 states, 3 are named"),
    ('nnf 2 0 1\nL 1\nc feature "X" ["a", "b"]\nL 1\n', 3, "before the first node"),
]


@pytest.mark.parametrize(("text", "line", "message"), MALFORMED, ids=range(len(MALFORMED)))
def test_malformed_files_name_the_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = written(tmp_path, text.encode("latin-1"))
    with pytest.raises(FormatError, match=message) as caught:
        read_nnf(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert "\n" not in str(caught.value)
    assert len(caught.value.message) < 200


@given(st.binary(max_size=60), st.integers(0, 60), st.integers(0, 8))
def test_damaged_files_raise_only_our_errors(noise: bytes, at: int, dropped: int) -> None:
    names = b'c feature "A" ["a", "b", "c"]\nc feature "B" ["0", "1"]\n'
    multi = b"nnf 4 2 3\n3 2\n" + names + b"L 1 5\nL 2 1\nT\nA 3 0 1 2\n"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.nnf")
        for sound in (C2D.encode(), multi, gzip.compress(multi, mtime=0), b""):
            path.write_bytes(sound[:at] + noise + sound[at + dropped :])
            try:
                manager, root = read_nnf(path)
            except Bnc2dError:
                event("refused")
            else:
                event("read")
                models(manager, root)


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path, message in (
        (tmp_path / "missing.nnf", "cannot read"),
        (tmp_path, "cannot read"),
        (written(tmp_path, ""), "empty"),
    ):
        with pytest.raises(FormatError, match=message):
            read_nnf(path)
    with pytest.raises(FormatError, match="cannot read"):
        read_nnf("a\0b")
    with pytest.raises(FormatError, match="truncated"):
        read_nnf(written(tmp_path, gzip.compress(C2D.encode())[:-9]))
    with pytest.raises(FormatError, match="max_bytes"):
        read_nnf(written(tmp_path, gzip.compress(C2D.encode() + b"\n" * 10**6)), max_bytes=1000)


def test_claims_that_cost_memory_are_refused(tmp_path: Path) -> None:
    many = f"nnf 1 2000 0\n{' '.join([str(MAX_STATES)] * 2000)}\nT\n"
    with pytest.raises(FormatError, match="states in all"):
        read_nnf(written(tmp_path, many))
    manager = Manager(Domain({"X": [str(state) for state in range(MAX_STATES + 1)]}))
    with pytest.raises(UnsupportedError, match="states"):
        write_nnf(manager, TRUE, tmp_path / "x.nnf")


def test_as_many_states_as_allowed(tmp_path: Path) -> None:
    manager = Manager(Domain({"X": [str(state) for state in range(MAX_STATES)]}))
    assert_round_trip(manager, manager.add_literal(0, (1 << MAX_STATES) - 2), tmp_path / "x.nnf")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    manager = Manager(Domain({"X": ("0", "1")}))
    with pytest.raises(FormatError, match="not a regular file"):
        write_nnf(manager, TRUE, folder)
    with pytest.raises(FormatError, match="cannot write"):
        write_nnf(manager, TRUE, tmp_path / "nowhere" / "x.nnf")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]


def test_a_long_chain_of_gates(tmp_path: Path) -> None:
    manager = Manager(Domain({f"X{number}": LEVELS for number in range(10)}))
    literals = [manager.add_literal(feature, 1) for feature in range(10)]
    root = literals[0]
    for gate in range(1, cases(20_000, 200_000) + 1):
        root = (manager.add_and if gate % 2 else manager.add_or)([root, literals[gate % 10]])
    path = tmp_path / "x.nnf"
    start = time.perf_counter()
    write_nnf(manager, root, path)
    copy, copied_root = read_nnf(path)
    assert time.perf_counter() - start < 20
    assert rewrite(copy, copied_root, manager.add_literal, into=manager) == root
