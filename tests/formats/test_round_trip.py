import random
from fractions import Fraction
from math import prod
from pathlib import Path

import pytest

from bnc2d.base.readers.numbers import exact_from_text
from bnc2d.errors import FormatError, NormalisationWarning, UnsupportedError
from bnc2d.formats.io import FORMATS, read_network, write_network
from bnc2d.formats.parsing.decimals import column_decimals
from bnc2d.model.cpt import CPT
from bnc2d.model.network import BayesianNetwork
from bnc2d.model.variable import Variable
from tests.formats.random_network import random_network

ENDINGS = [ending + gz for endings in FORMATS.values() for ending in endings for gz in ("", ".gz", ".GZ")]


def without_names(net: BayesianNetwork) -> BayesianNetwork:
    renamed = {
        variable: Variable(f"var_{index}", tuple(map(str, range(len(variable)))))
        for index, variable in enumerate(net.variables)
    }
    cpts = [
        CPT(renamed[cpt.child], [renamed[p] for p in cpt.parents], cpt.exact.flatten().tolist())
        for cpt in net.cpts
    ]
    return BayesianNetwork(renamed.values(), cpts)


@pytest.mark.parametrize("ending", ENDINGS)
def test_what_is_written_reads_back_equal_and_in_silence(ending: str, tmp_path: Path) -> None:
    """Warnings are errors in these tests."""
    for seed in range(25):
        net = random_network(seed)
        path = tmp_path / f"{seed}{ending}"
        write_network(net, path)
        expected = without_names(net) if ".uai" in ending else net
        assert read_network(path) == expected, seed
        first = path.read_bytes()
        write_network(net, path)
        assert path.read_bytes() == first
    assert len(list(tmp_path.iterdir())) == 25


@pytest.mark.parametrize("chosen", ["bif", "net", "xmlbif", "xdsl"])
def test_the_network_name_is_kept_where_the_format_can(chosen: str, tmp_path: Path) -> None:
    write_network(random_network(3), tmp_path / "x", format=chosen)
    assert read_network(tmp_path / "x", format=chosen).name == ("net_3" if chosen == "xdsl" else "net 3")


@pytest.mark.parametrize("denominator", [3, 7, 10, 2**60, 3**100, 10**30 + 1])
def test_decimals_of_a_column_normalise_to_the_column(denominator: int) -> None:
    column = [Fraction(1, denominator), Fraction(0), Fraction(denominator - 1, denominator)]
    read = [exact_from_text(text) for text in column_decimals(column)]
    total = sum(read, Fraction(0))
    assert abs(total - 1) < Fraction(1, 10**20)
    assert [number / total for number in read] == column


def learnt(seed: int) -> BayesianNetwork:
    """Return a network with 17-digit entries, its columns normalised, as models learnt from data are."""
    rng = random.Random(seed)  # noqa: S311 - seeded tests
    variables = [Variable(name, tuple("abc"[: rng.randint(2, 3)])) for name in "XYZ"]
    cpts = []
    for position, child in enumerate(variables):
        numbers = []
        for _ in range(prod(len(parent) for parent in variables[:position])):
            weights = [rng.random() for _ in child.states]
            numbers += [weight / sum(weights) for weight in weights]
        cpts.append(CPT.from_numbers(child, variables[:position], numbers)[0])
    return BayesianNetwork(variables, cpts)


@pytest.mark.parametrize("chosen", FORMATS)
def test_seventeen_digits_read_back_equal_and_in_silence(chosen: str, tmp_path: Path) -> None:
    seen = set()
    for seed in range(10):
        net = learnt(seed)
        path = tmp_path / "x"
        write_network(net, path, format=chosen)
        assert read_network(path, format=chosen) == (without_names(net) if chosen == "uai" else net)
        seen |= {max(entry.denominator for entry in cpt.exact.reshape(-1).tolist()) for cpt in net.cpts}
    assert max(seen) > 10**15


THIRDS = "0.333333333333333333333"


@pytest.mark.parametrize("chosen", FORMATS)
def test_the_silence_covers_nothing_else(chosen: str, tmp_path: Path) -> None:
    """One column as bnc2d writes 1/3, 2/3, then edited, or beside one that misses 1 for another reason."""
    x, y = Variable("x", ("a", "b")), Variable("y", ("a", "b"))
    entries = [Fraction(1, 3), Fraction(2, 3), Fraction(3, 4), Fraction(1, 4)]
    net = BayesianNetwork([x, y], [CPT(x, [], [Fraction(1, 2)] * 2), CPT(y, [x], entries)])
    path = tmp_path / "x"
    write_network(net, path, format=chosen)
    text = path.read_text()
    for old, new in (
        (THIRDS, THIRDS + "0"),  # the same number, in other words
        (THIRDS, THIRDS[:-1] + "5"),  # a digit changed, the sum still within 1e-20
        (THIRDS, THIRDS[:-8]),  # as a float is printed
        ("0.75", "0.7500001"),  # another column of the same table
        ("0.75", "0.74999999999999999999999"),  # so near that its proportional decimals are its own
    ):
        path.write_text(text.replace(old, new))
        assert path.read_text() != text
        with pytest.warns(NormalisationWarning, match="columns of 1 table"):
            read_network(path, format=chosen)


def test_numbers_too_long_for_the_readers_are_refused_by_name(tmp_path: Path) -> None:
    for denominator in (7**2500, 2**2100, 2**9000):
        tiny = Fraction(1, denominator)
        net = BayesianNetwork([x := Variable("x", ("a", "b"))], [CPT(x, [], [tiny, 1 - tiny])])
        with pytest.raises(FormatError, match=r"t\.bif: the table of 'x' needs numbers of more than 2000"):
            write_network(net, tmp_path / "t.bif")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("ending", "name"),
    [
        (".bif", 'a"b'),
        (".bif", "a\nb"),
        (".xml", " a"),
        (".xml", "a\0"),
        (".xml", "\ufffe"),
        (".xdsl", "a\x1b"),
    ]
    + [
        (ending, name)
        for ending in (".bif", ".net", ".uai", ".xml", ".xdsl")
        for name in ("\ud800", "n" * 1001)
    ],
)
def test_names_a_format_cannot_hold_are_refused(ending: str, name: str, tmp_path: Path) -> None:
    net = BayesianNetwork([x := Variable(name, ("a",))], [CPT(x, [], [Fraction(1)])])
    with pytest.raises(UnsupportedError, match="the name '"):
        write_network(net, tmp_path / f"x{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ['a"b', "a\\b", 'a\\"', "a\nb", "a\rb", " a ", "%", "\\"])
@pytest.mark.parametrize("ending", [".net", ".xdsl"])
def test_names_that_need_escapes(ending: str, name: str, tmp_path: Path) -> None:
    net = BayesianNetwork([x := Variable(name, (name, "a"))], [CPT(x, [], [Fraction(1), Fraction(0)])])
    write_network(net, tmp_path / f"x{ending}")
    assert read_network(tmp_path / f"x{ending}") == net
