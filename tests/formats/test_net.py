from pathlib import Path

import pytest

from bnc2d.errors import FormatError, UnsupportedError
from tests.formats.reading import entries, read_text

AB = r"""net { name = "say \"hi\""; node_size = (76 36); data = "x;}"; }  % comment " {
node A { label = "a } \" ; \\"; position = (1 2); states = ("a0" "a1"); HR_x = "y"; }
discrete node B { states = ( "b \"0\"" b1, "b;2" ); bnc2d_name = "the B"; subtype = label; }
node X.1 { states = ("x0" "x1"); }
potential ( A | ) { data = (0.5 0.5); }
potential ( B ) { data = ( 0.2 0.3, 0.5 ); experience = (1); fading = ((1)); }
"""
NESTED = """(((0.01 0.99)  % ( A=a0; B=b0 )
   (0.02 0.98) (0.03 0.97)) ((0.04 0.96)(0.05 0.95)(.06 94e-2)) )"""
COLUMNS = "((0.01 0.99)(0.02 0.98)(0.03 0.97)(0.04 0.96)(0.05 0.95)(0.06 0.94))"
EXPECTED = [0.01, 0.99, 0.02, 0.98, 0.03, 0.97, 0.04, 0.96, 0.05, 0.95, 0.06, 0.94]
FLAT = f"({' '.join(map(str, EXPECTED))})"


@pytest.mark.parametrize("data", [NESTED, COLUMNS, FLAT])
@pytest.mark.parametrize("shape", ["{}", "class C {{ inputs = (); {} outputs = (A); }}"])
def test_nested_and_flat_data_agree(data: str, shape: str, tmp_path: Path) -> None:
    head, rest = AB.split("\n", 1)
    text = f"{rest}potential ( X.1 | A B ) {{ samples = 3; data = {data}; }}\n"
    net = read_text(tmp_path, "x.net", f"{head}\n{shape.format(text)}")
    assert net.name == ("C" if "class" in shape else 'say "hi"')
    assert net.names == ("A", "the B", "X.1")
    assert net.variable("the B").states == ('b "0"', "b1", "b;2")
    assert net.parents("X.1") == ("A", "the B")
    assert entries(net, "the B") == [0.2, 0.3, 0.5]
    assert entries(net, "X.1") == EXPECTED


A = 'node A { states = ("a0" "a1"); }\n'


def potential(data: str, scope: str = "A") -> str:
    other = "node B { states = (0 1 2); }\npotential (B) { data = (1 0 0); }\n"
    return f"{A}{other}potential ({scope}) {{ {data} }}"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("net {\n x = 1 }", 2, "expected ';' after the attribute 'x', but found '}'"),
        ("net {\n x }", 2, "expected '=' after the attribute 'x'"),
        ("net { x = (1;", 1, "expected an attribute or '}' in the net block, but the file ends"),
        ('net { x = "1;}', 1, "a quoted string is opened here"),
        ("net", 1, "expected '{' after 'net', but the file ends"),
        ("foo {}", 1, "expected 'node' or 'potential', but found 'foo'"),
        ("; {}", 1, "expected 'node' or 'potential', but found ';'"),
        ("discrete foo", 1, "expected 'node' after 'discrete'"),
        ("class C { node A { states = (a); }", 1, "expected 'node' or 'potential', but the file ends"),
        ("node A { }", 1, "node 'A' has no states"),
        ("node A { states = a; }", 1, "expected '(' before the states"),
        ("node A { states = (a; }", 1, "expected ')' after the states"),
        ("node A { states = (a a); }", 1, "has the state 'a' twice"),
        (A + A, 2, "node 'A' is declared twice"),
        (A, 1, "variable 'A' has no table"),
        (A + "potential (a) { data = (1 0); }", 2, "potential of the unknown node 'a'; did you mean 'A'?"),
        (potential("data = (1 0);") + "potential (A) { data = (1 0); }", 4, "variable 'A' has two tables"),
        (potential(""), 4, "the potential of 'A' has no 'data'"),
        (potential("data = (1 0); data = (1 0);"), 4, "has two 'data'"),
        (potential("data (1 0);"), 4, "expected '=' after 'data'"),
        (potential("data = (1 0)\n % ; }"), 4, "has no ';'"),
        (potential("data = ;"), 4, "has no numbers in parentheses"),
        (potential("data = 1 0;"), 4, "has something outside the parentheses"),
        (potential("data = (1 0;"), 4, "has a '(' that is never closed"),
        (potential("data = (1 0));"), 4, "has a ')' too many"),
        (potential("data = (1 0) (1 0);"), 4, "has a second list after the first"),
        (potential("data = (\n()1 0);"), 5, "has an empty pair of parentheses"),
        (potential("data = (1 0 1);"), 4, "has more than the 2 numbers that the table needs"),
        (potential("data = (1);"), 4, "table of 'A' has 1 entries, expected 2 (2)"),
        (potential("data = (1\n x);"), 5, "'x' is not a finite decimal number"),
        (potential('data = ("1" 0);'), 4, "is not a finite decimal number"),
        (potential("data = ((1 0)\n(1 0));", "A | B"), 4, "a group of 2 where the shape"),
        (potential("data = ((1 0)\n(1 0 0) (1));", "A | B"), 5, "a group of 3 where the shape"),
        (potential("data = ((1 0) 1 0 1 0);", "A | B"), 4, "numbers at unequal depths of parentheses"),
        (potential("data = " + "(" * 300 + ";"), 4, "parentheses nested more than 200 deep"),
        (A + "potential (A", 2, "expected a node's name or ')', but the file ends"),
        (A + f"potential (A | {'A ' * 64})", 2, "more than 63 parents"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(text: str, line: int, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        read_text(tmp_path, "x.net", text)
    assert message in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize(
    "kind", ["continuous node", "decision", "utility", "function", "temporal node", "instance"]
)
def test_other_kinds_of_nodes_are_refused_by_name(kind: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=f"x.net:2: {kind.split()[0]} node 'Z'"):
        read_text(tmp_path, "x.net", f"net {{}}\n{kind} Z {{ states = (a); }}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (potential("model_nodes = (B); model_data = (Normal (1, 2));"), "'model_nodes', an expression"),
        (potential("model_data = (1);"), "'model_data', an expression"),
        (potential("data = (1);", "A B | "), "a potential of 2 nodes"),
        (potential("data = (1);", "| A"), "a potential of 0 nodes"),
    ],
)
def test_other_kinds_of_potentials_are_refused_by_name(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=message):
        read_text(tmp_path, "x.net", text)
