"""From circuits to a diagram: the other way round than ``to_circuit.py``."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bnc2d.errors import LimitExceeded
from bnc2d.logic.circuit.manager import TRUE, Manager, NodeId
from bnc2d.logic.circuit.restriction import Restriction
from bnc2d.logic.diagram.diagram import Diagram, DiagramBuilder

_KEYS_BETWEEN_CHECKS = 4096
# Restrictions of one circuit that differ at a level.
_MOST_OF_A_CIRCUIT = 1 << 17


def diagram_of_classes(
    manager: Manager,
    formulas: Sequence[NodeId],
    terminals: int,
    order: Sequence[int],
    check: Callable[[float], None],
    most: int | None = None,
) -> Diagram:
    """Return the reduced diagram that leads every instance to the position of the formula that it satisfies.

    No two formulas may have a common model; an instance of none leads to the last terminal. Level by level,
    the formulas are restricted to the states of one feature, and equal restrictions of all of them are
    merged. That is fast for circuits that decide the features in this very order, and right for all.
    ``check`` is called now and then with the share that is done. More than ``most`` restrictions that differ
    at a level are refused with ``LimitExceeded``.
    """
    restrict = Restriction(manager, order)
    levels: list[NDArray[np.int64]] = []
    keys: dict[tuple[NodeId, ...], int] = {tuple(formulas): 0}
    for rank, feature in enumerate(order):
        size = manager.domain.cardinalities[feature]
        children = np.empty((len(keys), size), dtype=np.int64)
        following: dict[tuple[NodeId, ...], int] = {}
        for number, key in enumerate(keys):
            if number % _KEYS_BETWEEN_CHECKS == 0:
                check((rank + number / len(keys)) / len(order))
            for state, fixed in enumerate(zip(*(restrict(node, rank) for node in key), strict=True)):
                children[number, state] = following.setdefault(fixed, len(following))
            if most is not None and len(following) > most:
                feature_name = manager.domain.names[feature]
                raise LimitExceeded(
                    f"the formula has more than {most} diagram nodes below {feature_name!r}, in this order"
                )
        levels.append(children)
        keys = following
    nodes = np.array([key.index(TRUE) if TRUE in key else terminals - 1 for key in keys], dtype=np.int64)
    builder = DiagramBuilder(terminals)
    for children in reversed(levels):
        nodes = builder.add_level(nodes[children])
    return builder.finish(manager.domain, order, int(nodes[0]))


def diagram_of_circuit(
    manager: Manager, root: NodeId, order: Sequence[int], check: Callable[[float], None]
) -> Diagram:
    """Return the reduced diagram that leads the models of a circuit to 1, and all other instances to 0."""
    return diagram_of_classes(manager, [root], 2, order, check, _MOST_OF_A_CIRCUIT).two_terminal(0)
