from pathlib import Path

import pytest

from bnc2d.errors import FormatError, UnsupportedError
from bnc2d.formats import bif
from tests.formats.reading import entries, read_text

AB = """network "two words" { property "author = x; y"; property url = http://x; }
variable A { type discrete [ 2 ] { a0, a1 }; property position = (1, 2); }
variable B { type discrete[3] { "b 0" b1 , b2 }; }
variable X { type discrete [ 2 ] { x0, x1 } }
probability ( A ) { table 0.5, 0.5; }
probability ( B ) { table 0.2 0.3 0.5; }
"""
TABLE = "table 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.99, 0.98, 0.97, 0.96, 0.95, 0.94;"
ROWS = """  // rows in any order
(a1, b1) 0.05, 0.95; (a0, "b 0") 0.01 0.99; property x = "}"; (a0 b1) .02, 0.98;
/* (a0, b1) 0.5, 0.5; } */
( a1 , b2 ) 0.06, // why (not)
   0.94;
(a0, b2) 3e-2, 97E-2; ("a1" "b 0") 0.04, 0.96; """
DEFAULT = """(a0, "b 0") 0.01 0.99; default 0.1, 0.9; (a1, b2) 0.06, 0.94;"""
EXPECTED = [0.01, 0.99, 0.02, 0.98, 0.03, 0.97, 0.04, 0.96, 0.05, 0.95, 0.06, 0.94]


@pytest.mark.parametrize("header", ["( X | A, B )", "(X|A B)", '( "X" "A" "B" )', "( X , | A , B , )"])
@pytest.mark.parametrize("body", [TABLE, ROWS])
def test_rows_and_table_agree(header: str, body: str, tmp_path: Path) -> None:
    net = read_text(tmp_path, "x.bif", f"{AB}probability {header} {{ {body} }}")
    assert net.name == "two words"
    assert net.variable("B").states == ("b 0", "b1", "b2")
    assert net.parents("X") == ("A", "B")
    assert entries(net, "X") == EXPECTED


def test_default_fills_the_rows_left_out(tmp_path: Path) -> None:
    net = read_text(tmp_path, "x.bif", f"{AB}probability ( X | A, B ) {{ {DEFAULT} }}")
    assert entries(net, "X") == [0.01, 0.99, *[0.1, 0.9] * 4, 0.06, 0.94]


def test_odd_names_keywords_and_order(tmp_path: Path) -> None:
    text = """probability ( variable | table ) { (default) 0.25, 0.75; (<5) 1, 0; }
    probability ( table ) { () 1, 0; }
    variable variable { type discrete [ 2 ] { Asy/Patch, >=7.5 }; }
    variable table { property p; type discrete [ 2 ] { default, <5 }; }"""
    net = read_text(tmp_path, "x.bif", "\ufeff" + text)
    assert net.names == ("variable", "table")
    assert net.variable("variable").states == ("Asy/Patch", ">=7.5")
    assert entries(net, "variable") == [0.25, 0.75, 1, 0]


A = "variable A { type discrete [ 2 ] { a0, a1 }; }\n"
PA = "probability ( A ) { table 0.5, 0.5; }\n"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", None, "the file is empty"),
        (" ", None, "the network has no variables"),
        (A + PA + "stray", 3, "expected a 'variable' or 'probability' block, but found 'stray'"),
        (A + PA + "}", 3, "but found '}'"),
        ("network a {}\nnetwork b {}", 2, "but found 'network'"),
        ("network a { foo }", 1, "expected 'property' or '}' in the network block, but found 'foo'"),
        ("network a { property x", 1, "a property without ';'"),
        ('network "a', 1, "a quoted string is opened here and never closed"),
        (A + "\n/* x", 3, "a comment is opened here and never closed"),
        (A + PA + "/* x\n" + A, 3, "a comment is opened here and never closed"),
        (A + "probability ( A ) {\n table 1, /* 0; }", 3, "a comment is opened here and never closed"),
        (A + "probability ( A ) {\n table 1, \"0; }", 3, "a quoted string is opened here and never closed"),
        (A + 'network n { property x "; }', 2, "a property without ';'"),
        ("variable", 1, "expected a variable's name, but the file ends"),
        ("variable {", 1, "expected a variable's name, but found '{'"),
        ("variable A }", 1, "expected '{' to open the block of variable 'A'"),
        ("variable A { }", 1, "variable 'A' has no type"),
        ("variable A { type discrete [ x ] { a }; }", 1, "'x' is not a number of states"),
        ("variable A { type discrete [ 2 { a }; }", 1, "expected ']' after the number of states"),
        ("variable A { type discrete [ 1 ] a; }", 1, "expected '{' before the states"),
        ("variable A { type discrete { a ; }", 1, "expected '}' after the states, but found ';'"),
        ("variable A { type discrete { a }; type discrete { b }; }", 1, "has two types"),
        ("\nvariable A { type discrete [ 3 ] { a, b }; }", 2, "declared with 3 states and lists 2"),
        ("variable A { type discrete [ 0 ] { }; }", 1, "variable 'A' has no states"),
        ("variable A { type discrete { a, a }; }", 1, "has the state 'a' twice"),
        ('variable "" { type discrete { a }; }', 1, "non-empty"),
        (A + A + PA, 2, "variable 'A' is declared twice"),
        (A, 1, "variable 'A' has no table"),
        (A + PA + PA, 3, "variable 'A' has two tables"),
        (A + "probability ( a ) { table 1, 0; }", 2, "table of the unknown variable 'a'; did you mean 'A'?"),
        (A + "probability ( A | AA ) { table 1, 0; }", 2, "unknown variable 'AA'; did you mean 'A'?"),
        (A + "probability ( A | A ) { default 1, 0; }", 2, "names the variable 'A' twice"),
        (A + "probability ( ) { table 1, 0; }", 2, "a probability block without a variable"),
        (A + "probability A { table 1, 0; }", 2, "expected '(' after 'probability'"),
        (A + "probability ( A ", 2, "expected a variable's name or ')', but the file ends"),
        (A + "probability ( A ) table", 2, "expected '{' to open the table of 'A'"),
        (A + "probability ( A ) {\n table 1, 0;", 2, "the table of 'A' is opened here and never closed"),
        (A + "probability ( A ) {\n table 1, 0; { }", 3, "expected '}' to close the table of 'A'"),
        (A + "probability ( A ) {\n table 1, 0 }", 3, "after the numbers in the table of 'A', but the block"),
        (A + "probability ( A ) {\n table 1 | 0; }", 3, "but found '|'"),
        (A + "probability ( A ) { table 1; }", 2, "has 1 entries, expected 2 (2)"),
        (A + "probability ( A ) { table 1, 0;\n table 1, 0; }", 3, "has two 'table' lines"),
        (A + "probability ( A ) { table 1, 0; default 1, 0; }", 2, "mixes 'table' with rows"),
        (A + "probability ( A ) { foo }", 2, "expected a row, 'table', 'default' or 'property'"),
        (A + "probability ( A ) {\n table 1,\n zero; }", 4, "'zero' is not a finite decimal number"),
        (A + "probability ( A ) {\n table nan, 1; }", 3, "'nan' is not a finite decimal number"),
        (A + "probability ( A ) {\n table 0.5, 1e999999; }", 3, "the exponent of '1e999999' is beyond"),
        (A + "probability ( A ) {\n table 1.5,\n -0.5; }", 4, "has a negative entry (-0.5) for 'a1'"),
        (A + "probability ( A ) { table 0.5, 0.6; }", 2, "P(A) sums to 1.1, not 1"),
        (A + "probability ( A ) { table 0, 0; }", 2, "P(A) sums to 0, not 1"),
        (A + "probability ( A ) { table " + "9" * 3000 + ", 0; }", 2, "a number of 3000 characters"),
        (AB + "probability ( X | A ) {\n(a0) 1, 0; }", 7, "and no default; P(X | A=a1) is missing"),
        (AB + "probability ( X | A ) {\n(a0) 1, 0;\n(a0) 1, 0; }", 9, "P(X | A=a0) has two rows"),
        (AB + "probability ( X | A ) {\n(a0) 1, 0;\n(a2) 1, 0; }", 9, "no state 'a2'; valid: 'a0', 'a1'"),
        (AB + "probability ( X | A ) {\n(a0, b1) 1, 0; }", 8, "this row of 'X' names 2 states for 1 parents"),
        (AB + "probability ( X | A ) {\n(a0) 1; }", 8, "this row of 'X' has 1 numbers for 2 states"),
        (AB + "probability ( X | A ) {\n(a0 1, 0; }", 8, "expected ')' after the states of a row"),
        (AB + "probability ( X | A ) {\n(a0) 1, 0 (a1) 1, 0; }", 8, "expected ';' after a row"),
        (AB + "probability ( X | A ) {\n default 1; }", 8, "this row of 'X' has 1 numbers for 2 states"),
        (b"network n {}\nvariable \xe9 {}", 2, "byte 0xe9 is not UTF-8; convert the file to UTF-8"),
        ("variable " + "n" * 2000 + " { type discrete { a }; }", 1, "has 2000 characters; the limit is 1000"),
        ("\0", 1, r"found '\x00'"),
    ],
)  # fmt: skip
def test_what_is_wrong_and_where(text: str | bytes, line: int | None, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        read_text(tmp_path, "x.bif", text)
    assert message in str(caught.value)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{tmp_path / 'x.bif'}:{'' if line is None else f'{line}:'} ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("variable A { type continuous; }", "variable 'A' has type 'continuous'"),
        (AB + "probability ( A, B | X ) { default 1; }", "only tables of one child"),
    ],
)
def test_what_has_no_meaning_here(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=message):
        read_text(tmp_path, "x.bif", text)


def test_sizes_are_bounded_before_anything_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"v{index}" for index in range(61)]
    declared = "".join(f"variable {name} {{ type discrete [ 2 ] {{ 0, 1 }}; }}\n" for name in names)
    tables = "".join(f"probability ( {name} ) {{ table 1, 0; }}\n" for name in names[1:])
    text = f"{declared}{tables}probability ( v0 | {', '.join(names[1:])} ) {{ default 1, 0; }}"
    with pytest.raises(FormatError, match="more than 16777216 entries"):
        read_text(tmp_path, "x.bif", text)
    with pytest.raises(FormatError, match="more than 63 parents"):
        read_text(tmp_path, "x.bif", text.replace("| v1", "| v1, v1, v1, v1, v1"))
    monkeypatch.setattr(bif, "MAX_DEFAULT_ENTRIES", 9)
    with pytest.raises(FormatError, match="'default' stands for more than 9 entries"):
        read_text(tmp_path, "x.bif", f"{AB}probability ( X | A, B ) {{ default 1, 0; }}")
