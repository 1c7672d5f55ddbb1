"""What every yes-or-no question answers: whether it holds, how well that is known, and what shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from bnc2d.base.readers.arguments import as_text
from bnc2d.base.scales import state_words

Status: TypeAlias = Literal["proved", "refuted", "open"]
# An instance, or two that differ, by the names of features and states.
Witness: TypeAlias = Mapping[str, str] | tuple[Mapping[str, str], Mapping[str, str]]


class Finding:
    """The answer to a yes-or-no question.

    ``holds`` is True or False, or None where a limit came before the answer. ``status`` says the same in a
    word: ``"proved"``, ``"refuted"`` or ``"open"``. ``witness`` is an instance, or a pair of them, that shows
    the answer, where one can; else None. ``str()`` says it in words.

    A finding is true exactly where it is proved: an open one is false, as a refuted one is, since neither may
    be relied on. ``status`` or ``holds is None`` tells the two apart.
    """

    __slots__ = ()

    if TYPE_CHECKING:  # fields of some findings, properties of others

        @property
        def holds(self) -> bool | None:
            """Whether it holds; None where that is open."""

        @property
        def witness(self) -> Witness | None:
            """What shows the answer."""

    @property
    def status(self) -> Status:
        """How well the answer is known: ``"proved"``, ``"refuted"`` or ``"open"``."""
        return "open" if self.holds is None else "proved" if self.holds else "refuted"

    def __bool__(self) -> bool:
        return self.holds is True


def decision_words(decision: Any) -> str:
    """Return a decision as sentences name it."""
    return "no class" if decision is None else as_text(decision)


def answer_words(holds: bool, reason: str, witness: Mapping[str, str] | None) -> str:
    """Return a yes or no with its reason and the instance that shows it.

    >>> answer_words(True, "an instance satisfies the circuit", {"BP": "High"})
    'yes, an instance satisfies the circuit: BP=High'
    """
    shown = "" if witness is None else f": {instance_words(witness)}"
    return f"{'yes' if holds else 'no'}, {reason}{shown}"


def instance_words(instance: Mapping[str, str]) -> str:
    """Return an instance as sentences name it.

    >>> instance_words({"BP": "High", "CT": "1"})
    'BP=High CT=1'
    """
    parts = [state_words(name, state) for name, state in instance.items()]
    return (", " if any(" " in part for part in parts) else " ").join(parts)
