"""Ctrl-C at any line leaves a manager in which every node is what its number says, and is there once."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

from bnc2d import Domain, Manager
from bnc2d.logic.circuit import manager as module
from bnc2d.logic.circuit.manager import TRUE
from tests.logic.strategies import contents

ROOM = str(Path(module.__file__).parent)


def interrupt_at(line: int) -> Callable[[FrameType, str, Any], Any]:
    """Return a trace function that presses Ctrl-C at the n-th line run in the room of circuits."""
    left = line

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if not frame.f_code.co_filename.startswith(ROOM):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    return trace


def in_bulk(manager: Manager) -> None:
    nodes = [0, 1, *(manager.add_literal(feature, 2) for feature in range(3))]
    first = manager.add_gates(
        np.array([True, False, True]),
        np.array([2, 2, 2]),
        np.array([nodes[2], nodes[3], nodes[4], nodes[3], 2, 3]),
    )
    manager.add_gates(
        np.array([False, True]), np.array([2, 2]), np.array([first[0], nodes[4], first[1], nodes[2]])
    )


def merging(manager: Manager) -> None:
    first, second, third = (manager.add_literal(0, mask) for mask in (0b001, 0b010, 0b110))
    other = manager.add_literal(1, 1)
    children = np.array([first, second, other, second, third, other, TRUE, other])
    manager.add_gates(np.array([True, False, False]), np.array([3, 3, 2]), children)


def one_by_one(manager: Manager) -> None:
    first, second, third = (manager.add_literal(feature, 1) for feature in range(3))
    manager.add_and([manager.add_or([first, second]), third])


def levels(manager: Manager) -> None:
    ids = np.array([0, 1, *(manager.add_literal(feature, 2) for feature in range(3)), 0, 0, 0])
    kinds, starts = np.array([3, 2, 3], dtype=np.uint8), np.array([0, 2, 4, 7])
    children = np.array([3, 2, 4, 5, 6, 3, 2])
    manager.add_levels(ids, kinds, starts, children, [1, 2, 3], simplify=False)


def growing(manager: Manager) -> None:
    """Enough gates that every column and the table grow."""
    literals = [manager.add_literal(feature, 1 + turn) for turn in range(2) for feature in range(3)]
    level = literals
    for turn in range(4):
        pairs = [(one, other) for one in level for other in literals if one != other][:40]
        is_or = np.full(len(pairs), turn % 2 == 0)
        level = manager.add_gates(is_or, np.full(len(pairs), 2), np.array(pairs).reshape(-1)).tolist()


@pytest.mark.parametrize("few", [0, 12])
@pytest.mark.parametrize("work", [in_bulk, merging, one_by_one, levels, growing])
def test_no_number_stands_for_another_node(
    work: Callable[[Manager], None], few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_FEW", few)
    monkeypatch.setattr(module, "_FEW_GATES", few)
    line = 0
    interrupted = True
    before = sys.gettrace()
    while interrupted:
        line += 1 if line < 400 else 17
        manager = Manager(Domain(dict.fromkeys("ABC", ("0", "1", "2"))))
        known: list[tuple[int, tuple[int, ...]]] = []
        try:
            sys.settrace(interrupt_at(line))
            work(manager)
            interrupted = False
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        for again in (work, in_bulk, merging, one_by_one):
            assert contents(manager)[: len(known)] == known
            again(manager)
            manager.assert_consistent()
            known = contents(manager)
    assert line > 20
