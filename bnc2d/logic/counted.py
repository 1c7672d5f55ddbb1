"""What users ask a circuit about the number, the weight and the cost of its models."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import TYPE_CHECKING, overload

from bnc2d.base.budget import Budget
from bnc2d.base.readers.arguments import flag
from bnc2d.base.readers.arguments import limit as checked_limit
from bnc2d.errors import LogicError
from bnc2d.logic.circuit.manager import Manager, NodeId
from bnc2d.logic.domain import Domain

if TYPE_CHECKING:
    from bnc2d.logic.counting.cheapest import PricedInstance
    from bnc2d.logic.counting.weights import StateNumbers


class CountedCircuit:
    """A root in a manager, with its models."""

    __slots__ = ("manager", "root")

    manager: Manager
    root: NodeId

    @property
    def domain(self) -> Domain:
        """The features and their states."""
        return self.manager.domain

    @overload
    def model_count(
        self, weights: None = None, *, deterministic: bool = False, time_limit: float | None = None
    ) -> int: ...
    @overload
    def model_count(
        self, weights: StateNumbers, *, deterministic: bool = False, time_limit: float | None = None
    ) -> Fraction: ...
    def model_count(
        self,
        weights: StateNumbers | None = None,
        *,
        deterministic: bool = False,
        time_limit: float | None = None,
    ) -> int | Fraction:
        """Return the exact number of instances that satisfy the circuit, or what they weigh together.

        ``weights`` maps features to numbers by state, of any sign; what it leaves out weighs 1. An instance
        weighs the product over its states. One pass suffices for decision diagrams and the like. Where ORs
        are not seen to be deterministic it may take long, or raise ``LimitExceeded``: ``deterministic=True``
        says that they are, as those are that c2d and d4 write, and is believed.
        """
        from bnc2d.logic.circuit.count import weighted_count
        from bnc2d.logic.counting.weights import Weights

        weigh = Weights(self.domain, {} if weights is None else weights)
        certain = flag(deterministic, "deterministic")
        with Budget(time_limit).limiting("the models are not counted"):
            units = weighted_count(self.manager, self.root, weigh, certain)
        return units if weights is None else weigh.exactly(units)

    def models(
        self, limit: int | None = None, *, time_limit: float | None = None
    ) -> Iterator[dict[str, str]]:
        """Return an iterator over the instances that satisfy the circuit, each once.

        They come as words over the features of the domain, the last one varying fastest, and are made as they
        are asked for. When the time is up, the next one raises ``TimeLimitExceeded``.
        """
        from bnc2d.logic.counting import circuits

        most, budget = checked_limit(limit, LogicError), Budget(time_limit)
        found = circuits.within(budget, circuits.models(self.manager, self.root), "not all models are listed")
        return (self.domain.decode(positions) for positions in islice(found, most))

    def cheapest_model(
        self, costs: StateNumbers, *, time_limit: float | None = None
    ) -> PricedInstance | None:
        """Return the model of least cost, with its cost; None where the circuit has no model.

        See ``cheapest_models``, of which it is the first.
        """
        return next(self.cheapest_models(costs, limit=1, time_limit=time_limit), None)

    def cheapest_models(
        self, costs: StateNumbers, limit: int | None = None, *, time_limit: float | None = None
    ) -> Iterator[PricedInstance]:
        """Return an iterator over the models, cheapest first, with their costs.

        An instance costs the sum over its states of the numbers in ``costs``, a mapping from feature to
        numbers by state, of any sign; what it leaves out costs nothing. Equal costs come in the order of
        ``models``. A circuit that is not AND-decomposable is expanded first, feature after feature as a
        diagram is, which can be too large and then raises ``LimitExceeded``.
        """
        from bnc2d.logic.counting import circuits
        from bnc2d.logic.counting.cheapest import Costs, PricedInstance

        prices, most, budget = Costs(self.domain, costs), checked_limit(limit, LogicError), Budget(time_limit)
        models = circuits.cheapest_models(self.manager, self.root, prices)
        found = circuits.within(budget, models, "the cheapest models are not found")
        return (
            PricedInstance(self.domain.decode(positions), prices.exactly(units))
            for positions, units in islice(found, most)
        )
