from __future__ import annotations

import ast
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

import bnc2d.logic.constraints
from bnc2d.base.checkpoints import ending
from bnc2d.errors import LogicError
from bnc2d.logic.constraints.formula import Atom, Constant, Formula, Gate, Not, Operator
from bnc2d.logic.constraints.syntax import MOST_BYTES, Name, Values, parse_statements
from bnc2d.logic.constraints.tokens import Position, error_at
from tests.cases import cases
from tests.logic.constraints.random_texts import Tree, as_text, seeded, trees

Parsed = tuple[str, tuple[str, ...] | None]


def resolve(name: Name, states: Values | None) -> Parsed:
    return name.text, None if states is None else tuple(state.text for state in states)


def parse(text: str) -> Formula[Parsed]:
    (statement,) = parse_statements(text, resolve)
    return statement.formula


def same(one: str, other: str) -> bool:
    return parse(one) == parse(other)


def test_the_tree() -> None:
    a: Formula[Parsed] = Atom(("A", None), Position(1, 1))
    x: Formula[Parsed] = Atom(("B", ("x",)), Position(1, 1))
    xy: Formula[Parsed] = Atom(("B", ("x", "y")), Position(1, 1))
    assert parse("A") == a
    assert parse("not A") == parse("not not not A") == Not(a)
    assert parse("!!A") == a
    assert parse("B != x") == Not(x)
    assert parse("B not in {x, y}") == parse("B ∉ {x,y}") == Not(xy)
    assert parse("true xor A & FALSE") == Gate(
        Operator.XOR, (Constant(True), Gate(Operator.AND, (a, Constant(False))))
    )
    assert parse("if A then B in {x,y}") == Gate(Operator.IMPLIES, (a, xy))
    with pytest.raises(AttributeError):
        a.meaning = 1  # type: ignore[misc, union-attr]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("not A and B", "(not A) and B"),
        ("not A = 1 and B", "(not (A = 1)) and B"),
        ("A and B xor C and D", "(A and B) xor (C and D)"),
        ("A xor B or C xor D", "(A xor B) or (C xor D)"),
        ("A or B -> C or D", "(A or B) -> (C or D)"),
        ("A -> B <-> C -> D", "(A -> B) <-> (C -> D)"),
        ("A <-> B or C and not D", "A <-> (B or (C and (not D)))"),
        ("A and B or C and D or E", "(A and B) or (C and D) or E"),
        ("A or B and C or D", "A or (B and C) or D"),
        ("if A or B then C <-> D", "(A or B) -> (C <-> D)"),
        ("if A <-> B then C", "(A <-> B) -> C"),
        ("if A then if B then C", "A -> (B -> C)"),
        ("if if A then B then C", "(A -> B) -> C"),
        ("(if A then B) and C", "(A -> B) and C"),
        ("A and (if B then C or D)", "A and (B -> (C or D))"),
        ("not (if A then B)", "not (A -> B)"),
        ("if\nA\nthen\nB", "if A then B"),
        ("(A\nand B\n\n)", "A and B"),
        ("A and # more\n\n  B", "A and B"),
        ("(if A then B\n or C)", "A -> (B or C)"),
        ("A in {\n x,\n y\n}", "A in {x, y}"),
        ("A->B", "A -> B"),
        ("A-->B", "'A-' -> B"),
        ("A=-1->B=+2", "(A = '-1') -> (B = '+2')"),
        ("A=>B", "A -> B"),
        ("A<->B<=>C iff D ↔ E", "A <-> B <-> C <-> D <-> E"),
        ("'A'and\"B\"", "A and B"),
        ("a.b-c_d+1=é", "'a.b-c_d+1' = 'é'"),
        (r"'it\'s' = 'a\\b'", r'''"it's" = "a\\b"'''),
        ("'and' = true", "\"and\" = 'true'"),
        ("A in {false, TRUE}", "A in {'false', 'TRUE'}"),
        ("A in {'in'}", 'A∈{"in"}'),
        ("A = 'x#y' # = 'z'", "A = 'x#y'"),
    ],
)
def test_how_it_is_read(text: str, meaning: str) -> None:
    assert same(text, meaning)


def test_what_is_not_the_same() -> None:
    assert not same("A -> B -> C", "(A -> B) -> C")
    assert not same("A or B and C", "(A or B) and C")
    assert not same("a = 1", "A = 1")
    assert parse("A -> B -> C") == parse("A implies B → C")
    assert isinstance(gate := parse("A -> B -> C"), Gate)
    assert len(gate.operands) == 3


def test_statements() -> None:
    text = "# all of these\nA; B = x\n\n;if A\n then B;; \r\n  not A\r B"
    found = parse_statements(text, resolve)
    assert [statement.position for statement in found] == [(2, 1), (2, 4), (4, 2), (6, 3), (7, 2)]
    assert [statement.formula for statement in found] == list(map(parse, ("A", "B=x", "A -> B", "!A", "B")))
    assert parse_statements("", resolve) == parse_statements(" \n;# nothing", resolve) == ()


def test_the_caller_says_what_names_mean() -> None:
    """As for rules: one name is the target's, and may stand in one place only."""

    def rule(name: Name, states: Values | None) -> str | int:
        if name.text == "Z":
            raise error_at(name.position, "never Z")
        return len(states or ()) if name.text == "class" else name.text

    (statement,) = parse_statements("if A and B = x then class in {a, b}", rule)
    assert isinstance(statement.formula, Gate)
    conclusion = statement.formula.operands[1]
    assert conclusion == Atom(2, Position(1, 21))
    assert isinstance(conclusion, Atom)
    assert conclusion.position == (1, 21)
    with pytest.raises(LogicError, match=r"^line 2, column 3: never Z$"):
        parse_statements("A\n !Z", rule)


OPERAND = "a feature, 'not', '(', 'true' or 'false'"
QUOTES = "; a name that is also a keyword is written in quotes"
REST = "an operator, ';' or the end of the line"
SIGNS = (
    "a name, a sign or a keyword; names with other characters than letters, digits and _ . - + / % are "
    "written in quotes"
)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("A and", 1, 6, f"found the end of the text, expected {OPERAND}"),
        ("A and\n\n", 3, 1, f"found the end of the text, expected {OPERAND}"),
        ("A and\n or B", 2, 2, f"found 'or', expected {OPERAND}{QUOTES}"),
        ("&A", 1, 1, f"found '&', expected {OPERAND}"),
        ("A & )", 1, 5, f"found ')', expected {OPERAND}"),
        ("()", 1, 2, f"found ')', expected {OPERAND}"),
        ("in = 3", 1, 1, f"found 'in', expected {OPERAND}{QUOTES}"),
        ("A and if B then C", 1, 7, f"found 'if', expected {OPERAND}; put this 'if … then …' in parentheses"),
        ("not if B then C", 1, 5, f"found 'if', expected {OPERAND}; put this 'if … then …' in parentheses"),
        ("A\nB C", 2, 3, f"found 'C', expected {REST}"),
        ("A !B", 1, 3, f"found '!', expected {REST}"),
        ("A 'in' {x}", 1, 3, f"found 'in', expected {REST}"),
        ("A)", 1, 2, f"found ')', expected {REST}"),
        ("A=1=2", 1, 4, f"found '=', expected {REST}"),
        ("A then B", 1, 3, f"found 'then', expected {REST}"),
        ("if A then B then C", 1, 13, f"found 'then', expected {REST}"),
        ("(A", 1, 3, "found the end of the text, expected an operator or ')'"),
        ("(A;B)", 1, 3, "found ';', expected an operator or ')'"),
        ("(if A then B; C)", 1, 13, "found ';', expected an operator or ')'"),
        ("if A", 1, 5, "found the end of the text, expected an operator or 'then'"),
        ("if A\n B", 2, 2, "found 'B', expected an operator or 'then'"),
        ("if (A then B)", 1, 7, "found 'then', expected an operator or ')'"),
        ("A =", 1, 4, "found the end of the text, expected a state"),
        ("A =\n1", 1, 4, "found the end of the line, expected a state"),
        ("A == 1", 1, 4, "found '=', expected a state"),
        ("A = not", 1, 5, f"found 'not', expected a state{QUOTES}"),
        ("A = ⊤", 1, 5, "found '⊤', expected a state"),
        ("A in x", 1, 6, "found 'x', expected '{', '[' or '('"),
        ("A in {}", 1, 7, "found '}', expected a state"),
        ("A in {x,}", 1, 9, "found '}', expected a state"),
        ("A in {x y}", 1, 9, "found 'y', expected ',' or '}'"),
        ("A not x", 1, 7, "found 'x', expected 'in'"),
        ("A = 'x\nB", 1, 5, "found ' without the same quote later on its line, which is expected"),
        ("A = \"x'", 1, 5, 'found " without the same quote later on its line, which is expected'),
        ("A = ''", 1, 5, "found '', expected a name between the quotes"),
        (r"A = 'a\nb'", 1, 7, r"found '\\n', expected \\, \' or \" after a backslash in quotes"),
        ("A @ B", 1, 3, f"found '@', expected {SIGNS}"),
        ("A < B", 1, 5, "found 'B', expected a number"),
        ("A < ", 1, 5, "found the end of the text, expected a number"),
        ("3 < A > 4", 1, 7, "found '>', expected '<' or '<=', as before"),
        ("A < 3 < 4", 1, 7, f"found '<', expected {REST}"),
        ("A in [3]", 1, 8, "found ']', expected ','"),
        ("A in [3, 4}", 1, 11, "found '}', expected ']' or ')'"),
        ("A in [x, 4]", 1, 7, "found 'x', expected a number"),
        ("A in [3, 4] ∪ 5", 1, 15, "found '5', expected '{', '[' or '('"),
        ("\t\ud800", 1, 2, f"found '\\ud800', expected {SIGNS}"),
        ("A " + "b" * 99, 1, 3, f"found '{'b' * 59}…', expected {REST}"),
        ("# é\r\n\r A B", 3, 4, f"found 'B', expected {REST}"),
    ],
)
def test_errors_say_where_and_what(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(LogicError) as raised:
        parse_statements(text, resolve)
    assert str(raised.value) == f"line {line}, column {column}: {message}"


WORDS = (
    "A",
    "B",
    "x",
    "=",
    "!=",
    "in",
    "not",
    "(",
    ")",
    "{",
    "}",
    ",",
    ";",
    "&",
    "->",
    "if",
    "then",
    "'",
    "\n",
)


@settings(max_examples=cases(33, 200))
@given(st.one_of(st.text(), st.lists(st.sampled_from(WORDS)).map(" ".join)))
def test_any_text_is_read_or_refused_in_one_line(text: str) -> None:
    message = "line "
    try:
        event(f"{min(len(parse_statements(text, resolve)), 2)} statements")
    except LogicError as error:
        event("refused")
        message = str(error)
    assert message.startswith("line ")
    assert len(message.splitlines()) == 1


@settings(max_examples=cases(22, 40))
@given(trees(), st.integers(0, 2**32))
def test_spelling_and_spaces_do_not_matter(tree: Tree, seed: int) -> None:
    """Parentheses and comments around the whole change nothing; the reader's tests see to the meaning."""
    text = as_text(tree, seeded(seed))
    event(tree[0])
    assert same(text, f"# first\n;( {text}\n) # and last")


@pytest.mark.parametrize(
    ("opening", "closing"), [("(", ")"), ("if A then ", ""), ("if ", " then A"), ("!(", ")")]
)
def test_nesting_has_a_limit(opening: str, closing: str) -> None:
    deepest, depth = parse(opening * 200 + "A" + closing * 200), 0
    while not isinstance(deepest, Atom):
        assert isinstance(deepest, Not | Gate)
        deepest = deepest.operand if isinstance(deepest, Not) else deepest.operands[closing == ""]
        depth += 1
    assert depth == (0 if opening == "(" else 200)
    with pytest.raises(LogicError) as raised:
        parse(opening * 201 + "A" + closing * 201)
    column = len(opening) * 200 + 1 + (opening[0] == "!")
    sign = opening[:2].strip("!")
    expected = (
        f"line 1, column {column}: found '{sign}' inside 200 open parentheses and 'if', which is the limit"
    )
    assert str(raised.value) == expected


def test_the_limit_is_of_what_is_open() -> None:
    assert len(parse_statements("((A))\n" * 500, resolve)) == 500
    assert isinstance(gate := parse(" and ".join(["(A)"] * 500)), Gate)
    assert len(gate.operands) == 500


@pytest.mark.parametrize(
    ("joint", "operator"),
    [
        ("&", Operator.AND),
        ("or", Operator.OR),
        ("^", Operator.XOR),
        ("->", Operator.IMPLIES),
        ("<->", Operator.IFF),
    ],
)
def test_long_chains_are_one_gate(joint: str, operator: Operator) -> None:
    gate = parse(joint.join([" A "] * 10_000))
    assert isinstance(gate, Gate)
    assert (gate.operator, len(gate.operands)) == (operator, 10_000)


def test_many_negations() -> None:
    assert same("!" * 10_001 + "A", "!A")
    assert same("not " * 10_000 + "A", "A")


def test_length_has_a_limit() -> None:
    at_most = "A" + "#" * (MOST_BYTES - 1)
    assert same(at_most, "A")
    for text in (at_most + "#", "A#" + "é" * (MOST_BYTES // 2)):
        with pytest.raises(LogicError, match=r"more than 1048576 bytes \(1 MiB\)"):
            parse_statements(text, resolve)


def test_only_texts() -> None:
    for wrong in (None, b"A", 3):
        with pytest.raises(LogicError, match="a formula must be a text, not"):
            parse_statements(wrong, resolve)  # type: ignore[arg-type]


def test_long_texts_can_be_ended() -> None:
    class EndedError(Exception):
        pass

    def check() -> None:
        raise EndedError

    with ending(check), pytest.raises(EndedError):
        parse_statements("A;" * 5000, resolve)


def test_nothing_is_evaluated() -> None:
    folder = Path(bnc2d.logic.constraints.__file__).parent
    for path in folder.glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        assert not names & {"eval", "exec", "compile", "__import__", "getattr"}
    for text in ("__import__('os')", "os.system('true')", "[x for x in y]", "A if B else C", "lambda: 0"):
        with pytest.raises(LogicError):
            parse_statements(text, resolve)
