"""How a classifier was trained, and how well it does on rows that it was not trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Structure: TypeAlias = Literal["naive", "tan"]
_STRUCTURE_WORDS = {"naive": "naive Bayes", "tan": "tree-augmented naive Bayes"}


@dataclass(frozen=True)
class Training:
    """What ``from_data`` did: rows, columns, and the accuracy on rows that were held out.

    ``rows`` were trained on, ``held_out`` were not; ``dropped_rows`` are in neither (their class is missing,
    or an entry is and ``missing="drop"``). ``accuracy`` is the share of held-out rows that the classifier
    itself decides rightly, ``baseline`` the share that the most frequent class of the rows trained on would;
    None where no row was held out. ``dropped`` says of columns that are no features why, ``cuts`` where the
    columns of numbers are cut. ``library`` is what trained it, with its version.
    """

    structure: Structure
    library: str
    rows: int
    held_out: int
    accuracy: float | None
    baseline: float | None
    dropped_rows: int = 0
    dropped: Mapping[str, str] = field(default_factory=dict)
    cuts: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    seed: int = 0

    def __str__(self) -> str:
        words = f"{_STRUCTURE_WORDS[self.structure]}, trained on {_rows(self.rows)} by {self.library}"
        return f"{words}; {self.held_out_words}"

    @property
    def held_out_words(self) -> str:
        """What is known of its accuracy, in words."""
        if self.accuracy is None or self.baseline is None:
            return "no row was held out, so its accuracy is not known"
        right = round(self.accuracy * self.held_out)
        share = f"right on {right} of {_rows(self.held_out)} held out ({100 * self.accuracy:.1f} %"
        return f"{share}; the most frequent class alone: {100 * self.baseline:.1f} %)"

    def to_data(self) -> dict[str, object]:
        """Return plain data for JSON."""
        cuts = {name: list(values) for name, values in self.cuts.items()}
        return {**self.__dict__, "dropped": dict(self.dropped), "cuts": cuts}

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Training:
        """Return what such plain data says; what does not fit is an error of any kind."""
        if data["structure"] not in _STRUCTURE_WORDS:
            raise ValueError("a training of an unknown structure")
        return cls(
            structure=data["structure"],
            library=str(data["library"]),
            rows=_count(data["rows"]),
            held_out=_count(data["held_out"]),
            accuracy=_share(data["accuracy"]),
            baseline=_share(data["baseline"]),
            dropped_rows=_count(data["dropped_rows"]),
            dropped={str(name): str(why) for name, why in data["dropped"].items()},
            cuts={str(name): tuple(map(float, values)) for name, values in data["cuts"].items()},
            seed=_count(data["seed"]),
        )


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _count(value: object) -> int:
    if type(value) is not int or value < 0:
        raise ValueError("a training has a count that is none")
    return value


def _share(value: object) -> float | None:
    if value is not None and not (isinstance(value, float | int) and 0 <= value <= 1):
        raise ValueError("a training has a share that is none")
    return None if value is None else float(value)
