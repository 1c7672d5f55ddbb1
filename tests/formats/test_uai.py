from pathlib import Path

import pytest

from bnc2d.errors import FormatError, UnsupportedError
from tests.formats.reading import entries, read_text

GOOD = "BAYES\n3\n2 3 2\n3\n1 0\n1 1\n3 1 0 2\n\n2 0.5 0.5\n3\n .2 0.3 5e-1\n12\n"
EXPECTED = [0.01, 0.99, 0.02, 0.98, 0.03, 0.97, 0.04, 0.96, 0.05, 0.95, 0.06, 0.94]


def test_the_last_variable_is_the_child_and_fastest(tmp_path: Path) -> None:
    net = read_text(tmp_path, "x.uai", GOOD + " ".join(map(str, EXPECTED)))
    assert net.names == ("var_0", "var_1", "var_2")
    assert net.variable("var_1").states == ("0", "1", "2")
    assert net.parents("var_2") == ("var_1", "var_0")
    assert entries(net, "var_2") == EXPECTED


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("BAYES", 1, "the file ends before the number of variables"),
        ("BAYES\n" + "9" * 5000, 2, "expected the number of variables, a whole number, but found '9999"),
        ("BAYES\n-1", 2, "but found '-1'"),
        ("BAYES\n٣ 1 1 1", 2, "but found '٣'"),
        ("BAYES\n999999999999 2", 2, "999999999999 variables cannot follow: the file has 1 more words"),
        ("BAYES 1\nx 1 1 0 2 1 0", 2, "expected a number of states, a whole number, but found 'x'"),
        ("BAYES 1\n0 1 1 0 2 1 0", 2, "variable 0 has no states"),
        ("BAYES 1 2\n2 1 0 2 1 0", 2, "2 tables for 1 variables"),
        ("BAYES 1 2 1\n0 2 1 0", 2, "table 0 has no variables"),
        ("BAYES 1 2 1\n1 1 2 1 0", 2, "table 0 names variable 1; the last one is 0"),
        ("BAYES 1 2 1\n1 0\n3 1 0 0", 3, "claims 3 entries; its variables need 2"),
        (
            "BAYES 1 1000000000 1\n1 0\n1000000000 1 0",
            3,
            "1000000000 entries of the table of 'var_0' cannot follow",
        ),
        ("BAYES 1 1000000000 1\n1 0\n2 1 0", 3, "its variables need more than the file has words"),
        ("BAYES 2 2 2 2 1 0\n1 0 2 1 0 2 1 0", 2, "variable 'var_0' has two tables"),
        ("BAYES 1 2 1 1 0\n2 1 0\n0.5", 3, "the last table ends before '0.5'"),
        ("BAYES 1 2 1 1 0\n2 1\nx", 3, "'x' is not a finite decimal number"),
        ("BAYES 1 2 1 1 0\n2 1 1", 1, "P(var_0) sums to 2, not 1"),
        ("BAYES 1 2 1\n65 " + "0 " * 65 + "2 1 0", 2, "more than 63 parents"),
        ("BAYES 2 2 2 2\n2 0 1\n2 1 0 4 1 0 1 0 4 1 0 1 0", None, "the network has a cycle"),
        ("BAYES 0 0", None, "the network has no variables"),
    ],
)
def test_what_is_wrong_and_where(text: str, line: int | None, message: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError) as caught:
        read_text(tmp_path, "x.uai", text)
    assert message in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize("kind", ["MARKOV", "ID", "bayes"])
def test_other_kinds_are_refused_by_name(kind: str, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match=rf"x\.uai:1: the file starts with '{kind}'"):
        read_text(tmp_path, "x.uai", f"{kind} 1 2 1 1 0 2 1 0")
