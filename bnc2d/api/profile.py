"""``bnc2d.RobustnessProfile``: the robustness of a classifier as users hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bnc2d.draw.chart import WIDTH
from bnc2d.explain.whole.profile.result import BaseProfile

if TYPE_CHECKING:
    from bnc2d.draw.chart import Chart
    from bnc2d.draw.theme import Theme


class RobustnessProfile(BaseProfile):
    """How many instances of each class are how far from another decision, or from class ``towards``.

    ``classes`` has a ``ClassRobustness`` for each class, by its name, and for None where ties leave instances
    in no class. ``distribution`` is what instances weigh: ``"uniform"``, ``"network"``, ``"marginals"`` or
    ``"rows"``, of which ``rows`` count and ``violating`` do not satisfy the constraint. ``given`` is the
    constraint in words. Where a limit came before the end, ``cut`` says which; what is told up to
    ``known_to`` is exact all the same.
    """

    def figure(self, *, width: int = WIDTH, theme: Theme = "auto") -> Chart:
        """Return a picture: for all and for each class, bars of how much is at each distance."""
        from bnc2d.report.profile import profile_chart

        return profile_chart(self, width, theme)

    def _repr_html_(self) -> str:
        from bnc2d.report.profile import profile_html

        return profile_html(self)
