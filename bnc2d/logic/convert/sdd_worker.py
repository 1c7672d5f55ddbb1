"""Build an SDD from a list of operations; also a program of its own, because pysdd cannot be interrupted.

``python sdd_worker.py FOLDER MINIMIZE SECONDS BYTES`` reads ``program.jsonl`` (lists of operations) and
``in.vtree`` there and writes ``out.vtree`` and ``out.sdd``. A timer of the system ends it soon after its
time (inf: there is none), even where nobody waits for it any more; pysdd ends it where memory is refused. It
imports nothing of bnc2d, so that it starts fast.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from math import inf
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

Result = TypeVar("Result")

# An operation, on the results of earlier ones: ["L", [literal]], ["A", positions] or ["O", positions]. The
# empty conjunction is true, the empty disjunction false. The last operation gives the result.
Operation: TypeAlias = tuple[str, list[int]]

# Dead nodes are collected when there are so many and more than live ones.
_DEAD_NODES = 500_000
_STACK = 1 << 29  # bytes of addresses, of which memory is taken as they are used
_GRACE = 0.3  # seconds past the limit, in which whoever waits ends the process


def deeply(work: Callable[[], Result]) -> Result:
    """Return what ``work`` returns, done in a thread with much room on its stack.

    pysdd calls itself for every variable of a right-linear vtree several times over, and would end the whole
    process where a feature has hundreds of states.
    """
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # whoever waits gets it
            errors.append(error)

    before = threading.stack_size(_STACK)
    try:
        thread = threading.Thread(target=run, daemon=True)
        thread.start()
    finally:
        threading.stack_size(before)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


def build(manager: Any, program: list[Operation]) -> Any:
    """Return the SDD node of the program in a pysdd manager; results are let go after their last use."""
    last_use = {p: here for here, (kind, parts) in enumerate(program) if kind != "L" for p in parts}
    results: dict[int, Any] = {}
    for here, (kind, parts) in enumerate(program):
        if kind == "L":
            results[here] = manager.literal(parts[0])
            continue
        combine = manager.conjoin if kind == "A" else manager.disjoin
        pieces = [results[part] for part in parts]
        while len(pieces) > 1:  # neighbours first, so that wide gates meet in the middle
            paired = [combine(pieces[i], pieces[i + 1]) for i in range(0, len(pieces) - 1, 2)]
            pieces = paired + pieces[2 * len(paired) :]
        results[here] = pieces[0] if pieces else manager.true() if kind == "A" else manager.false()
        for part in parts:
            if last_use[part] == here:
                results.pop(part, None)
        del pieces
        dead = manager.dead_count()
        if dead > _DEAD_NODES and dead > manager.live_count():
            manager.garbage_collect()
    return results[len(program) - 1]


def main(folder: Path, minimize: bool, seconds: float, memory: int) -> None:
    """Do the work described by the files in the folder."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # it ends the process, even inside a call of pysdd
    if seconds < inf:
        signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE)
    from pysdd.sdd import SddManager, Vtree

    program: list[Operation] = []
    with (folder / "program.jsonl").open(encoding="ascii") as lines:
        for line in lines:
            program += json.loads(line)
    manager = SddManager.from_vtree(Vtree.from_file(str(folder / "in.vtree")))

    def work() -> None:
        _bound_growth(memory)
        node = build(manager, program)
        if minimize:
            manager.minimize()
        manager.vtree().save(str(folder / "out.vtree").encode())
        manager.save(str(folder / "out.sdd").encode(), node)

    deeply(work)


def _bound_growth(memory: int) -> None:
    """Let the system refuse what is more than so many bytes, if it is Linux."""
    with suppress(OSError, ValueError, IndexError):
        pages = Path("/proc/self/statm").read_text("ascii").split()[5]
        size = min(int(pages) * resource.getpagesize() + memory, sys.maxsize)
        most = resource.getrlimit(resource.RLIMIT_DATA)[1]
        if most == resource.RLIM_INFINITY or size < most:
            resource.setrlimit(resource.RLIMIT_DATA, (size, most))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2] == "1", float(sys.argv[3]), int(sys.argv[4]))
