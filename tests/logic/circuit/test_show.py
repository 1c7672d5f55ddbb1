"""Circuits as text and as data: whole, of a size in proportion, and true to the circuit."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest
from hypothesis import event, given, settings

from bnc2d import Domain, LogicError, Manager
from bnc2d.logic.circuit import show
from bnc2d.logic.nnf import NNF
from tests.cases import cases
from tests.logic.strategies import Circuit, circuits, models

_TOKEN = re.compile(r"(?P<name>F\d+)(∈\{(?P<states>[^}]*)\}|=(?P<state>\w+))|\[(?P<part>\d+)\]")


def holds(text: str, instance: Mapping[str, str]) -> bool:
    """Evaluate a text of several lines on one instance, with nothing of ours."""
    root, *parts = text.split("\n")
    lines = {str(number): line.removeprefix(f"[{number}] = ") for number, line in enumerate(parts, 1)}
    assert all(line != parts[int(number) - 1] for number, line in lines.items())

    def python(token: re.Match[str]) -> str:
        if token["part"]:
            return str(value(lines[token["part"]]))
        return str(instance[token["name"]] in (token["states"] or token["state"]).split(","))

    def value(line: str) -> bool:
        source = _TOKEN.sub(python, line).replace("∧", "and").replace("∨", "or")
        return bool(eval(source.replace("⊤", "True").replace("⊥", "False")))  # noqa: S307 - our own text

    return value(root)


@pytest.mark.parametrize(("characters", "line"), [(0, 0), (0, 15), (0, 100), (2000, 100)])
@given(circuit=circuits())
@settings(max_examples=cases(22, 40))
def test_the_text_says_what_the_circuit_says(characters: int, line: int, circuit: Circuit) -> None:
    manager, root = circuit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(show, "MAX_CHARACTERS", characters)
        patch.setattr(show, "_LINE", line)
        text = NNF(manager, root).to_text()
    event(f"{min(text.count(chr(10)), 3)} parts")
    domain = manager.domain
    found = {
        positions
        for positions in product(*(range(size) for size in domain.cardinalities))
        if holds(text, domain.decode(positions))
    }
    assert found == models(manager, root)


def ladder(length: int) -> NNF:
    """A chain of exclusive ors: spelled out, each link doubles the formula."""
    m = Manager(Domain({f"x{i}": ("0", "1") for i in range(length)}))
    odd = NNF.literal(m, "x0", "1")
    for i in range(1, length):
        one = NNF.literal(m, f"x{i}", "1")
        odd = (one & ~odd) | (~one & odd)
    return odd


def test_a_formula_of_exponential_length_has_a_short_text() -> None:
    formula = ladder(200)
    text = formula.to_text()
    assert len(text) < 100 * formula.node_count
    lines = text.split("\n")
    assert lines[0] == ("(x199 ∧ ((x198 ∨ [1]) ∧ (¬x198 ∨ [2]))) ∨ (¬x199 ∧ ((x198 ∧ [1]) ∨ (¬x198 ∧ [2])))")
    assert lines[1].startswith("[1] = ")
    assert formula.to_text(10**7) == text


def test_parts_come_in_the_order_of_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(show, "MAX_CHARACTERS", 0)
    m = Manager(Domain(dict.fromkeys(["z", "a", *(f"x{i}" for i in range(12))], ("0", "1"))))
    z, a = NNF.literal(m, "z", "1"), NNF.literal(m, "a", "1")
    parts = [a | NNF.literal(m, f"x{i}", "1") for i in range(12)]
    formula = NNF.all_of([z, *parts]) | NNF.all_of([~z, *parts])
    root = formula.to_text().split("\n")[0]
    for part in root.split("∨"):
        assert [int(number) for number in re.findall(r"\[(\d+)\]", part)] == list(range(1, 13))


def test_print_elides_and_names_the_way_to_the_rest() -> None:
    formula = ladder(200)
    *shown, last = str(formula).split("\n")
    assert last == (
        f"({formula.node_count} nodes, {formula.edge_count} edges; "
        "to_text() gives the whole text, to_dict() data)"
    )
    assert shown[-1].endswith("…")
    assert formula.to_text().startswith("\n".join(shown).removesuffix("…"))
    assert 1800 < len(str(formula)) < 2200
    assert repr(formula) == f"<NNF: {formula.node_count} nodes, {formula.edge_count} edges>"
    assert len(formula.to_text(300)) < 420


def test_short_texts_and_limits() -> None:
    m = Manager(Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1")}))
    high, ct = NNF.literal(m, "BP", "High"), NNF.literal(m, "CT", "1")
    assert (high & ct).to_text() == str(high & ct) == (high & ct).to_text(100) == "BP=High ∧ CT"
    assert high.to_text(0).startswith("…\n(1 nodes")
    assert NNF.true(m).to_text() == "⊤"
    assert NNF.false(m).to_text(0).startswith("…\n")
    with pytest.raises(LogicError, match="limit must not be negative, but is -1"):
        high.to_text(-1)


def test_a_deep_circuit_is_written_without_recursion() -> None:
    m = Manager(Domain({f"x{i}": ("0", "1") for i in range(3000)}))
    deep = NNF.literal(m, "x0", "1")
    for i in range(1, 3000):
        one = NNF.literal(m, f"x{i}", "1")
        deep = one & deep if i % 2 else one | deep
    assert max(map(len, deep.to_text().split("\n"))) < 2 * show._LINE
    assert NNF.from_dict(deep.to_dict(), m) == deep


@given(circuits())
def test_data_come_back_node_by_node(circuit: Circuit) -> None:
    manager, root = circuit
    formula = NNF(manager, root)
    data = json.loads(json.dumps(formula.to_dict()))
    event(data["nodes"][-1]["kind"])
    assert NNF.from_dict(data, manager) == formula
    again = NNF.from_dict(data)
    assert again.domain == manager.domain
    assert again.to_dict() == data
    assert models(again.manager, again.root) == models(manager, root)
    assert len(data["nodes"]) == formula.node_count


def test_data_are_plain() -> None:
    m = Manager(Domain({"BP": ("Low", "Normal", "High"), "CT": ("0", "1")}))
    formula = NNF.literal(m, "BP", ["High", "Low"]) | NNF.literal(m, "CT", "1")
    assert formula.to_dict() == {
        "features": {"BP": ["Low", "Normal", "High"], "CT": ["0", "1"]},
        "nodes": [
            {"kind": "literal", "feature": "BP", "states": ["Low", "High"]},
            {"kind": "literal", "feature": "CT", "states": ["1"]},
            {"kind": "or", "children": [0, 1]},
        ],
    }


FEATURES = {"CT": ["0", "1"]}
LITERAL = {"kind": "literal", "feature": "CT", "states": ["1"]}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "an object with 'features' and 'nodes'"),
        ({"nodes": [LITERAL]}, "an object with 'features' and 'nodes'"),
        ({"features": FEATURES, "nodes": []}, "a list of one or more nodes"),
        ({"features": {"CT": "01"}, "nodes": [LITERAL]}, "the list of its states"),
        ({"features": {"CT": ["0", 1]}, "nodes": [LITERAL]}, "states must be non-empty strings"),
        ({"features": FEATURES, "nodes": [3]}, "node 0: expected an object whose 'kind'"),
        ({"features": FEATURES, "nodes": [{"kind": ["and"]}]}, "node 0: expected an object whose 'kind'"),
        ({"features": FEATURES, "nodes": [{**LITERAL, "feature": "Ct"}]}, "node 0: unknown feature 'Ct'"),
        ({"features": FEATURES, "nodes": [{**LITERAL, "states": ["2"]}]}, "node 0: .* has no state '2'"),
        ({"features": FEATURES, "nodes": [{**LITERAL, "states": "1"}]}, "must be a list of names"),
        ({"features": FEATURES, "nodes": [LITERAL, {"kind": "or"}]}, "node 1: the 'children'"),
        ({"features": FEATURES, "nodes": [LITERAL, {"kind": "or", "children": [1]}]}, "node 1: the child 1 "),
        ({"features": FEATURES, "nodes": [LITERAL, {"kind": "or", "children": [True]}]}, "the child True"),
        ({"features": FEATURES, "nodes": [LITERAL, {"kind": "or", "children": [-1]}]}, "the child -1 "),
    ],
)
def test_wrong_data_are_named(data: Any, message: str) -> None:
    with pytest.raises(LogicError, match=message):
        NNF.from_dict(data)


def test_data_for_another_manager_are_refused() -> None:
    other = Manager(Domain({"HR": ("0", "1")}))
    with pytest.raises(LogicError, match="other features or states than the manager"):
        NNF.from_dict({"features": FEATURES, "nodes": [LITERAL]}, other)
