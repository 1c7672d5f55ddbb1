"""Files of d4: random ones by a small compiler of our own, the other ways to read variables, faults."""

from __future__ import annotations

import gzip
import tempfile
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d import NNF, Bnc2dError, Domain, FormatError, LogicError
from tests.cases import cases
from tests.logic.strategies import Circuit, circuits

Clauses = list[tuple[int, ...]]
EXAMPLE = "o 1 0\no 2 0\no 3 0\nt 4 0\n3 4 -2 3 0\n3 4 2 0\n2 3 -1 0\n2 4 1 0\n1 2 0\n"


class Compiler:
    """Decides variable after variable, propagates units and shares what is left, as d4 does."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.nodes: list[str] = []
        self.arcs: list[str] = []
        self.known: dict[frozenset[tuple[int, ...]], int] = {}

    def text(self, clauses: Clauses) -> str:
        root = self.node("o")
        self.below(root, clauses)
        lines = [*self.nodes, *self.arcs]
        if self.random.random() < 0.5:
            self.random.shuffle(lines)
        return "\n".join(lines) + "\n"

    def node(self, kind: str) -> int:
        self.nodes.append(f"{kind} {len(self.nodes) + 1} 0")
        return len(self.nodes)

    def below(self, parent: int, clauses: Clauses) -> None:
        """Add an arc to what the clauses say; contradictions sometimes get an arc to false."""
        literals = []
        while unit := next((clause[0] for clause in clauses if len(clause) == 1), 0):
            literals.append(unit)
            clauses = [tuple(set(clause) - {-unit}) for clause in clauses if unit not in clause]
        if () not in clauses:
            self.arcs.append(" ".join(map(str, [parent, self.rest(clauses), *literals, 0])))
        elif self.random.random() < 0.3:
            self.arcs.append(f"{parent} {self.node('f')} 0")

    def rest(self, clauses: Clauses) -> int:
        key = frozenset(clauses)
        if key not in self.known:
            parts = _components(clauses)
            kind = "t" if not clauses else "a" if len(parts) > 1 else "o"
            number = self.known[key] = self.node(kind)
            if kind == "a":
                for part in parts:
                    self.below(number, part)
            elif kind == "o":
                variable = self.random.choice(sorted({abs(literal) for c in clauses for literal in c}))
                for literal in (variable, -variable):
                    self.below(number, [*clauses, (literal,)])
        return self.known[key]


def _components(clauses: Clauses) -> list[Clauses]:
    parts: list[tuple[set[int], Clauses]] = []
    for clause in clauses:
        variables, part = set(map(abs, clause)), [clause]
        for other in [p for p in parts if p[0] & variables]:
            parts.remove(other)
            variables, part = variables | other[0], part + other[1]
        parts.append((variables, part))
    return [part for _, part in parts]


def written(text: str | bytes, folder: str | Path) -> Path:
    path = Path(folder, "x.nnf")
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def states(circuit: NNF) -> list[tuple[int, ...]]:
    return [tuple(map(int, model.values())) for model in circuit.models()]


@settings(max_examples=cases(16, 30))
@given(
    st.lists(
        st.lists(st.sampled_from([-5, -4, -3, -2, -1, 1, 2, 3, 4, 5]), min_size=1, max_size=3), max_size=8
    ),
    st.permutations(range(1, 6)),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
def test_boolean_files(lists: list[list[int]], shuffled: list[int], kept: int, random: Random) -> None:
    clauses = [tuple(set(clause)) for clause in lists if not any(-literal in clause for literal in clause)]
    expected = [
        row
        for row in product((0, 1), repeat=5)
        if all(any(row[abs(literal) - 1] == (literal > 0) for literal in clause) for clause in clauses)
    ]
    domain = Domain(dict.fromkeys("abcde", ("no", "yes")))
    with tempfile.TemporaryDirectory() as folder:
        path = written(Compiler(random).text(clauses), folder)
        event("satisfiable" if expected else "unsatisfiable")
        found = NNF.load(path, domain)
        assert found.domain == domain
        assert sorted(found.models(), key=str) == sorted((domain.decode(row) for row in expected), key=str)
        assert found.model_count(deterministic=True) == len(expected)
        assert found.is_and_decomposable()
        some = shuffled[:kept]  # the others are projected away
        projected = NNF.load(path, variables=some)
        assert projected.domain.names == tuple(f"v{number}" for number in some)
        assert states(projected) == sorted({tuple(row[number - 1] for number in some) for row in expected})


@settings(max_examples=20)
@given(circuits(max_features=3, max_states=5, max_gates=8), st.randoms(use_true_random=False))
def test_what_a_compiler_makes_of_our_cnf(circuit: Circuit, random: Random) -> None:
    formula = NNF(*circuit)
    with tempfile.TemporaryDirectory() as folder:
        text = Compiler(random).text([tuple(clause) for clause in formula.to_cnf().clauses])
        back = NNF.load(written(text, folder), formula.domain, variables="one-hot")
        gzipped = NNF.load(written(gzip.compress(text.encode()), folder), formula.domain, variables="one-hot")
    assert back.domain == formula.domain
    assert list(back.models()) == list(formula.models()) == list(gzipped.models())
    assert back.is_and_decomposable()  # over features, not only over their variables
    assert back.model_count(deterministic=True) == formula.model_count()


def test_a_one_hot_file_that_is_not_of_our_cnf_keeps_its_negative_literals(tmp_path: Path) -> None:
    domain = Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1")})
    path = written("o 1 0\nt 2 0\n1 2 -1 9 0\n1 2 5 -9 0\n", tmp_path)
    assert str(NNF.load(path, domain, variables="one-hot")) == "BP∈{Normal,High} ∨ CT"


def test_files_of_c2d_by_variables(tmp_path: Path) -> None:
    path = written("nnf 7 6 4\nL 1\nL -2\nA 2 0 1\nL -1\nL 3\nA 2 3 4\nO 1 2 2 5\n", tmp_path)
    assert states(NNF.load(path, variables=[3, 2])) == [(0, 0), (1, 0), (1, 1)]
    domain = Domain({"x": ("0", "1"), "y": ("0", "1")})
    assert states(NNF.load(path, domain, variables="one-hot")) == [(0, 0), (0, 1), (1, 0)]
    shared = written("nnf 5 4 2\nL 1\nL 2\nO 0 2 0 1\nL -1\nA 2 2 3\n", tmp_path)
    with pytest.raises(FormatError, match="variable 1 stands for no feature, and only an AND-decomposable"):
        NNF.load(shared, variables=[2])
    with pytest.raises(FormatError, match="files over Boolean variables"):
        NNF.load(written("nnf 1 1 0\n3\nL 1 5\n", tmp_path), variables=[1])


def test_the_example_of_d4(tmp_path: Path) -> None:
    formula = NNF.load(written("c made by d4\n\n" + EXAMPLE, tmp_path))
    assert formula.domain.names == ("v1", "v2", "v3")
    assert formula.model_count() == 7
    assert states(NNF.load(written("t 1 0\n", tmp_path))) == [()]
    assert not states(NNF.load(written("o 1 0\nf 2 0\n1 2 3 0\n", tmp_path)))
    assert NNF.load(written("o 1 0\nt 2 0\n1 2 1 0\no 3 0\n3 2 0\n", tmp_path)).model_count() == 1


@pytest.mark.parametrize(
    ("domain", "variables", "message"),
    [
        (None, "one-hot", "needs the domain"),
        (None, "x", "variables must be a list of numbers"),
        (None, [1, 1], "different numbers"),
        (None, [0], "must be at least 1"),
        (None, [1.5], "a whole number"),
        (Domain({"a": ("0", "1")}), [1, 2], "2 variables for 1 features"),
        (Domain({"a": ("0", "1")}), None, "3 variables, the domain 1 features; variables= says"),
        (Domain({"a": ("0", "1", "2")}), [1], "'a' has 3 states, a variable has two; variables='one-hot'"),
    ],
)
def test_wrong_variables(domain: Domain, variables: list[int], message: str, tmp_path: Path) -> None:
    with pytest.raises((LogicError, FormatError), match=message):
        NNF.load(written(EXAMPLE, tmp_path), domain, variables=variables)


MALFORMED = [
    ("o 1\n", 1, "expected a node"),
    ("o 1 0\n1 2 3\n", 2, "expected a node"),
    ("o 1 2 0\n", 1, "expected one number between 'o' and 0"),
    ("o x 0\n", 1, "a node must be a number"),
    ("o 0 0\n", 1, "a node must be a number from 1 on"),
    ("o 1 0\no 1 0\n", 2, "node 1 is declared twice"),
    ("o 1 0\n1 2 0\n", 2, "node 2 is not declared"),
    ("o 1 0\nt 2 0\n2 1 0\n", 3, "starts at node 2, which is a constant"),
    ("o 1 0\nt 2 0\n1 2 +3 0\n", 3, "a variable must be a number"),
    ("o 1 0\nt 2 0\n1 2 0 0\n", 3, "a variable must be a number from 1 on"),
    ("o 1 0\nt 2 0\n1 2 2000000 0\n", 3, "beyond the limit"),
    ("o 1 0\nt 2 0\n1 2 " + "9" * 5000 + " 0\n", 3, "a variable must be a number"),
    ("o 1 0\no 2 0\n1 2 0\n2 1 0\n", 4, "every node has an arc"),
    ("o 1 0\no 2 0\no 3 0\n1 2 0\n2 3 0\n3 2 0\n", 6, "the arc to node 2 closes a cycle"),
    ("o 2 0\no 3 0\n", 2, "nodes 2 and 3, so that the root is not clear"),
    ("o 1 0\n\xff\xfe 0 0\n", 2, "the start of an arc"),
    ("1 2 0\n", 1, "no node is declared"),
]


@pytest.mark.parametrize(("text", "line", "message"), MALFORMED, ids=range(len(MALFORMED)))
def test_malformed_files_name_the_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = written(text.encode("latin-1"), tmp_path)
    with pytest.raises(FormatError, match=message) as caught:
        NNF.load(path)
    assert (caught.value.path, caught.value.line) == (str(path), line)
    assert len(str(caught.value)) < 300


@settings(max_examples=cases(16, 30))
@given(st.binary(max_size=20), st.integers(0, 60), st.integers(0, 8))
def test_damaged_files_raise_only_our_errors(noise: bytes, at: int, dropped: int) -> None:
    sound = EXAMPLE.encode()
    with tempfile.TemporaryDirectory() as folder:
        path = written(sound[:at] + noise + sound[at + dropped :], folder)
        try:
            NNF.load(path)
            event("read")
        except Bnc2dError:
            event("refused")


def test_a_chain_of_5_000_nodes(tmp_path: Path) -> None:
    nodes = [f"o {number} 0" for number in range(1, 5_001)]
    arcs = [f"{number} {number + 1} {number % 50 + 1} 0" for number in range(1, 5_001)]
    text = "\n".join([*nodes, "t 5001 0", *arcs])
    assert NNF.load(written(text, tmp_path)).evaluate({f"v{number}": "1" for number in range(1, 51)})
    larger = written(gzip.compress(b"c x\n" * 10**6), tmp_path)
    with pytest.raises(FormatError, match="header"):
        NNF.load(larger)
