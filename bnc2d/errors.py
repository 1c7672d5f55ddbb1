"""Every error and warning of bnc2d, and the sentence that suggests the nearest valid name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path


class Bnc2dError(Exception):
    """Base of all errors raised on purpose; its text is one line that names the value and the remedy."""


class ArgumentError(Bnc2dError):
    """A value of a kind or size that a parameter does not take."""


class NetworkError(Bnc2dError):
    """A network, table or variable that is not a valid discrete Bayesian network."""


class FormatError(Bnc2dError):
    """A file that cannot be read or written; names the file and, where there is one, the line."""

    def __init__(self, message: str, path: str | Path | None = None, line: int | None = None) -> None:
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(where + message)
        self.message = message
        self.path = path
        self.line = line

    def __reduce__(self) -> tuple[type[FormatError], tuple[str, str | Path | None, int | None]]:
        return type(self), (self.message, self.path, self.line)


class UnsupportedError(FormatError):
    """A file asks for something that the format or bnc2d cannot express (a decision node, say)."""


class UnknownNameError(Bnc2dError):
    """A variable or state that does not exist."""


class ClassifierError(Bnc2dError):
    """Target, features, threshold or tie rule that do not make a classifier."""


class LogicError(Bnc2dError):
    """A circuit, literal or domain that does not allow what was asked."""


class InstanceError(LogicError):
    """An instance, or a list of them, in no form that is read, or not as it must be here."""


class LimitExceeded(Bnc2dError):  # noqa: N818 - a public name of the design
    """Work stopped because it would pass a time, memory or size limit."""


class NotCompiledError(Bnc2dError):
    """What was asked needs the formulas of a compiled model, and nothing was compiled."""

    def __init__(self, what: str) -> None:
        super().__init__(f"{what} needs a compiled model: use classifier.compile().explain(instance)")
        self.what = what

    def __reduce__(self) -> tuple[type[NotCompiledError], tuple[str]]:
        return type(self), (self.what,)


class TimeLimitExceeded(LimitExceeded):
    """Work stopped because its time was up."""


class MissingExtraError(Bnc2dError):
    """An optional library is needed and not installed."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"{library} is not installed; run: pip install 'bnc2d[{extra}]'")


class Bnc2dWarning(UserWarning):
    """Base of all warnings."""


class NormalisationWarning(Bnc2dWarning):
    """Columns that missed 1 by a little were normalised exactly."""


class DataWarning(Bnc2dWarning):
    """Columns of data that were left out, or labels that were taken together."""


class FeaturesWarning(Bnc2dWarning):
    """The default features leave out variables that touch the target."""


def did_you_mean(name: object, candidates: Iterable[str]) -> str:
    """Return ``; did you mean 'x'?`` for the nearest candidate, or a short list of the valid names.

    >>> did_you_mean("bp", ["BP", "HR"])
    "; did you mean 'BP'?"
    >>> did_you_mean("zzz", ["BP", "HR"])
    "; valid: 'BP', 'HR'"
    """
    valid = list(candidates)
    try:
        text = str(name)
    except Exception:  # a foreign __str__, or an integer of too many digits
        text = ""
    from difflib import get_close_matches  # only who errs needs it

    by_lower = {candidate.lower(): candidate for candidate in reversed(valid)}
    close = get_close_matches(text.lower()[:200], by_lower, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {by_lower[close[0]]!r}?"
    if not valid:
        return ""
    shown = ", ".join(repr(candidate) for candidate in valid[:8])
    return f"; valid: {shown}" + (f" and {len(valid) - 8} more" if len(valid) > 8 else "")
