"""Ctrl-C at any line leaves a manager in which every known node is what its number says."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from bnc2d import Domain, Manager
from bnc2d.logic.circuit import manager as module


def interrupt_at(line: int) -> Callable[[FrameType, str, Any], Any]:
    """Return a trace function that presses Ctrl-C at the n-th line run in the module."""
    left = line

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        if frame.f_code.co_filename != module.__file__:
            return None
        if event == "line":
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        return trace

    return trace


def in_bulk(manager: Manager) -> None:
    images = [0, 1, *(manager.add_literal(feature, 2) for feature in range(3)), 0, 0]
    manager.add_gates(images, [5, 6], [True, False], [2, 4], [2, 3, 5, 4])


def one_by_one(manager: Manager) -> None:
    first, second, third = (manager.add_literal(feature, 1) for feature in range(3))
    manager.add_and([manager.add_or([first, second]), third])


@pytest.mark.parametrize("work", [in_bulk, one_by_one])
def test_no_number_stands_for_another_node(work: Callable[[Manager], None]) -> None:
    line = 0
    interrupted = True
    before = sys.gettrace()
    while interrupted:
        line += 1
        manager = Manager(Domain(dict.fromkeys("ABC", ("0", "1"))))
        try:
            sys.settrace(interrupt_at(line))
            work(manager)
            interrupted = False
        except KeyboardInterrupt:
            pass
        finally:
            sys.settrace(before)
        for again in (work, in_bulk, one_by_one):
            again(manager)
            assert len(manager.kinds) == len(manager.payloads)
            for kind, table in manager._unique.items():
                for payload, node in table.items():
                    assert (manager.kinds[node], manager.payloads[node]) == (kind, payload)
    assert line > 20
