"""Pictures: well-formed, escaped, no label over another, a summary where a drawing would be a tangle."""

from __future__ import annotations

import random
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from bnc2d.draw.graph import Picture
from bnc2d.draw.rows import longest_paths
from bnc2d.draw.text import text_width
from bnc2d.errors import FormatError, LogicError, MissingExtraError
from bnc2d.logic.circuit.manager import FALSE, TRUE, Kind, Manager, NodeId
from bnc2d.logic.circuit.picture import canonical_order, circuit_graph, draw_circuit, to_dot, to_svg
from bnc2d.logic.circuit.queries import evaluate, node_count
from bnc2d.logic.domain import Domain
from tests.cases import cases
from tests.draw.reading import SVG, assert_no_overlap, elements, texts, titles
from tests.logic.strategies import Circuit, circuits

LEVELS = ("Low", "Normal", "High")
ACCENT = "#e8590c"


def diagnosis() -> Circuit:
    """The paper's formula of class 2."""
    manager = Manager(Domain({"BP": LEVELS, "CT": ("0", "1"), "HR": LEVELS}))
    high_rate = manager.add_literal(2, 0b110)
    treated = manager.add_and([manager.add_literal(1, 0b10), manager.add_literal(0, 0b100)])
    second = manager.add_or([manager.add_literal(0, 0b101), manager.add_literal(2, 0b001)])
    return manager, manager.add_and([manager.add_or([high_rate, treated]), second])


def chain(gates: int) -> Circuit:
    manager = Manager(Domain({f"X{number}": LEVELS for number in range(10)}))
    literals = [manager.add_literal(feature, 1) for feature in range(10)]
    root = literals[0]
    for gate in range(1, gates + 1):
        root = (manager.add_and if gate % 2 else manager.add_or)([root, literals[gate % 10]])
    return manager, root


def drawn(manager: Manager, root: NodeId) -> Picture:
    figure = draw_circuit(manager, root)
    return figure.layout(figure.graph())


def test_the_paper_s_formula() -> None:
    manager, root = diagnosis()
    svg = to_svg(manager, root)
    assert sorted(texts(svg)) == ["BP=High", "BP∈{Low,High}", "CT", "HR=Low", "HR∈{Normal,High}"]
    assert sorted(titles(svg)).count("∧ (and)") == sorted(titles(svg)).count("∨ (or)") == 2
    assert "Circuit with 9 nodes, 8 edges, depth 3" in titles(svg)
    assert ACCENT not in svg
    assert svg == to_svg(manager, root)


def tangled(rng: random.Random, gates: int) -> Circuit:
    """A circuit with shared gates, long edges and labels of many widths."""
    names = ["A", "Blood pressure", "CT", "Dyspnoea", "E" * 40, "血圧"]
    manager = Manager(Domain({name: LEVELS[: rng.randint(2, 3)] for name in names}))
    nodes = [manager.add_literal(f, rng.choice([1, 2])) for f in range(len(names))]
    for _ in range(gates):
        near = rng.sample(nodes[-12:], 2) + rng.sample(nodes, rng.randint(0, 2))
        nodes.append(rng.choice([manager.add_and, manager.add_or])(near))
    return manager, manager.add_and(nodes[-3:])


@settings(max_examples=cases(22, 40))
@given(st.randoms(use_true_random=False), st.integers(0, 60))
def test_no_label_over_another(rng: random.Random, gates: int) -> None:
    manager, root = tangled(rng, gates)
    event(f"about {node_count(manager, root) // 10 * 10} nodes")
    assert_no_overlap(drawn(manager, root))


@given(circuits(max_gates=25), st.data())
def test_drawings_of_random_circuits(circuit: Circuit, data: st.DataObject) -> None:
    manager, root = circuit
    positions = [data.draw(st.integers(0, size - 1)) for size in manager.domain.cardinalities]
    drawing = drawn(manager, root)
    nodes = canonical_order(manager, root)
    assert_no_overlap(drawing)
    assert {nodes[box.node] for box in drawing.boxes} == set(manager.reachable(root))
    gates = [box.node for box in drawing.boxes if manager.kind(nodes[box.node]) != Kind.LITERAL]
    assert len(gates) == len(set(gates))
    shown = texts(to_svg(manager, root))
    boxes = zip(nodes, circuit_graph(manager, root).boxes, strict=True)
    literals = {box.label.lines[0] for node, box in boxes if manager.kind(node) == Kind.LITERAL}
    assert literals <= set(shown)
    lit = to_svg(manager, root, highlight=positions)
    assert len(texts(lit)) == len(shown)
    if evaluate(manager, root, positions):
        assert ACCENT in lit


@given(circuits(max_gates=25), st.randoms(use_true_random=False))
def test_pictures_do_not_depend_on_the_manager_s_history(circuit: Circuit, rng: random.Random) -> None:
    manager, root = circuit
    other = Manager(manager.domain)
    copies = {FALSE: FALSE, TRUE: TRUE}
    pending = rng.sample(manager.reachable(root), node_count(manager, root))
    while pending:
        node = pending[-1]
        below = [child for child in manager.children(node) if child not in copies]
        if below:
            pending += rng.sample(below, len(below))
            continue
        pending.pop()
        if node not in copies:
            kind, parts = manager.kind(node), [copies[child] for child in manager.children(node)]
            if kind == Kind.LITERAL:
                copies[node] = other.add_literal(*manager.literal_of(node))
            else:
                copies[node] = (other.add_and if kind == Kind.AND else other.add_or)(parts)
            event(f"the same id: {copies[node] == node}")
    assert to_svg(other, copies[root]) == to_svg(manager, root)
    assert to_dot(other, copies[root]) == to_dot(manager, root)


@given(circuits(max_gates=25))
def test_rows_go_down_and_edges_join_them(circuit: Circuit) -> None:
    manager, root = circuit
    nodes = canonical_order(manager, root)
    level = dict(zip(nodes, longest_paths(circuit_graph(manager, root).parents), strict=True))
    assert level[root] == 0
    for node in manager.reachable(root):
        assert all(level[child] > level[node] for child in manager.children(node))
    drawing = drawn(manager, root)
    ends = {line.points[-1] for line in drawing.lines}
    starts = {line.points[0] for line in drawing.lines}
    for box in drawing.boxes:
        assert (nodes[box.node] == root) == ((box.x, box.y) not in ends)
        assert bool(manager.children(nodes[box.node])) == ((box.x, box.y) in starts)


def test_a_long_edge_passes_labels_at_a_distance() -> None:
    manager = Manager(Domain({f"A long feature name {number}": LEVELS for number in range(5)}))
    literals = [manager.add_literal(feature, 1) for feature in range(5)]
    shared = manager.add_or(literals[3:])
    root = shared
    for literal in literals[:3]:
        root = manager.add_or([manager.add_and([root, literal]), manager.add_and([shared, literal])])
    drawing = drawn(manager, root)
    assert_no_overlap(drawing)
    for line in drawing.lines:
        x, y = line.points[-1]
        for box in drawing.boxes:
            if box.y == y and box.x != x:
                assert abs(box.x - x) > box.width / 2


def test_highlight_marks_what_fires() -> None:
    manager, root = diagnosis()
    everything = to_svg(manager, root, highlight=[2, 1, 1])
    nothing = to_svg(manager, root, highlight=[1, 0, 1])
    assert everything.count(f'<circle r="15" fill="{ACCENT}"/>') == 4
    # BP=Normal, not CT, HR=Normal: only the first OR and its literal hold.
    assert nothing.count(f'<circle r="15" fill="{ACCENT}"/>') == 1
    assert nothing.count('<path d="M') == everything.count('<path d="M')
    assert len(re.findall(f'<path [^>]*stroke="{ACCENT}"', nothing)) == 1
    assert f'color="{ACCENT}"' in to_dot(manager, root, highlight=[2, 1, 1])
    for wrong in ([0], [0, 0, 3], [0, -1, 0]):
        with pytest.raises(LogicError, match="highlight"):
            to_svg(manager, root, highlight=wrong)


@pytest.mark.parametrize(("root", "sign"), [(TRUE, "⊤"), (FALSE, "⊥")])
def test_constants(root: NodeId, sign: str) -> None:
    manager = Manager(Domain({"X": LEVELS}))
    assert texts(to_svg(manager, root)) == [sign]
    assert f'label="{sign}"' in to_dot(manager, root)


NASTY = [
    "<script>alert(1)</script>",
    "\"quotes\" & 'more' &amp; ]]>",
    "血圧 ∧ ∨",
    "tab\tnew\nline\x00\x1b\ud800\ufffe",
    "back\\slash\\",
    "W" * 3000,
]


@pytest.mark.parametrize("name", NASTY, ids=range(len(NASTY)))
def test_names_are_escaped(name: str) -> None:
    manager = Manager(Domain({name: (name, name + "2", name + "3"), "other": ("no", "yes")}))
    literals = [manager.add_literal(0, 0b011), manager.add_literal(0, 0b100), manager.add_literal(1, 1)]
    root = manager.add_or([manager.add_and(literals[::2]), manager.add_and(literals[1:])])
    svg = to_svg(manager, root)
    svg.encode("utf-8")
    assert {element.tag for element in elements(svg)} <= {
        SVG + tag for tag in ("svg", "title", "g", "path", "rect", "circle", "text")
    }
    assert max(map(text_width, texts(svg))) <= 170
    if name.isprintable():
        assert f"{name}={name}3" in titles(svg)
    assert_no_overlap(drawn(manager, root))
    dot = to_dot(manager, root)
    dot.encode("utf-8")
    strings = r'"(?:[^"\\\n]|\\.)*"'
    for line in dot.splitlines()[4:-1]:
        assert re.fullmatch(rf"  n\d+ (\[label={strings}, tooltip={strings}, [^\n]*\]|-> n\d+);", line)


@given(st.text(min_size=1), st.lists(st.text(min_size=1), min_size=3, max_size=6, unique=True))
def test_any_text_gives_well_formed_pictures(name: str, states: list[str]) -> None:
    manager = Manager(Domain({name: states}))
    root = manager.add_literal(0, 0b11)
    assert len(texts(to_svg(manager, root))) == 1
    assert text_width(texts(to_svg(manager, root))[0]) <= 170


def test_long_sets_are_shortened() -> None:
    manager = Manager(Domain({"Region": [f"district {number}" for number in range(20)]}))
    svg = to_svg(manager, manager.add_literal(0, (1 << 19) - 1))
    assert texts(svg) == ["Region∈{district 0,…}"]
    assert any("district 18}" in title for title in titles(svg))


def test_dot_lists_every_node_and_edge() -> None:
    manager, root = diagnosis()
    dot = to_dot(manager, root)
    assert dot.count("label=") == 9
    assert dot.count("->") == 8
    assert 'label="BP∈{Low,High}"' in dot


def test_a_summary_above_500_nodes() -> None:
    manager, root = chain(480)
    assert not draw_circuit(manager, root).is_summary
    assert "Nodes by level" not in to_svg(manager, root)
    manager, root = chain(495)
    assert draw_circuit(manager, root).is_summary
    svg = to_svg(manager, root, highlight=[0] * 10)
    shown = texts(svg)
    assert "505 nodes · 990 edges · depth 495 · 10 of 10 features" in shown
    assert (
        "OR-decomposable: no · AND-decomposable: no · 505 nodes true for the instance, the root true" in shown
    )
    assert {"248 AND", "247 OR", "10 literals", "0–30", "X0", "X9"} <= set(shown)


def test_a_summary_of_a_tangle() -> None:
    manager = Manager(Domain({f"X{number}": LEVELS for number in range(120)}))
    gates = [manager.add_literal(0, 1)]
    for feature in range(1, 120):
        gates.append(
            (manager.add_and if feature % 2 else manager.add_or)([*gates, manager.add_literal(feature, 1)])
        )
    assert node_count(manager, gates[-1]) < 500
    shown = texts(to_svg(manager, gates[-1]))
    assert "Nodes by level, root first" in shown
    assert "and 105 more" in shown


def test_a_summary_of_many_gates_with_nasty_names() -> None:
    gates = cases(20_000, 200_000)
    manager = Manager(Domain(dict.fromkeys(NASTY, LEVELS)))
    literals = [manager.add_literal(feature, 1) for feature in range(len(NASTY))]
    root = literals[0]
    for gate in range(1, gates + 1):
        root = (manager.add_and if gate % 2 else manager.add_or)([root, literals[gate % len(NASTY)]])
    svg = to_svg(manager, root)
    svg.encode("utf-8")
    assert any(text.startswith(f"{gates + 6:,} nodes") for text in texts(svg))
    assert len(svg) < 100_000


def test_a_figure_in_files(tmp_path: Path) -> None:
    manager, root = diagnosis()
    figure = draw_circuit(manager, root, [2, 1, 1])
    assert ACCENT in figure.svg()
    assert ACCENT in figure.dot()
    assert figure.nodes == node_count(manager, root)
    assert figure.save(tmp_path / "c.svg") == (tmp_path / "c.svg").stat().st_size
    assert figure._repr_svg_() == figure.svg()
    with pytest.raises(FormatError, match="must end in"):
        figure.save(tmp_path / "c.gif")


def test_the_graphviz_engine_is_optional() -> None:
    manager, root = diagnosis()
    if find_spec("pygraphviz") is None:
        with pytest.raises(MissingExtraError, match="pygraphviz"):
            to_svg(manager, root, engine="graphviz")
    else:
        assert "BP∈{Low,High}" in to_svg(manager, root, engine="graphviz")
    with pytest.raises(LogicError, match="engine"):
        to_svg(manager, root, engine="neato")
