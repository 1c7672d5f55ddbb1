"""Where columns of numbers are cut: by scikit-learn's quantiles, moved to numbers that read well."""

from __future__ import annotations

import warnings
from fractions import Fraction
from math import ceil, floor, log10
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnc2d.errors import MissingExtraError

_USUAL_BINS, _ROWS_A_BIN = 5, 20
_MOST_DIGITS = 20  # neighbouring floats differ before


def usual_bins(rows: int) -> int:
    """Return into how many bins a column is cut where nobody says: five, fewer where there are few rows."""
    return max(2, min(_USUAL_BINS, rows // _ROWS_A_BIN))


def quantile_cuts(values: NDArray[np.float64], bins: int, whole: bool) -> list[float]:
    """Return cuts that part numbers into bins of about equal size, at most so many; each reads well.

    The edges are those of ``KBinsDiscretizer(strategy="quantile")``. Each is moved, within the gap between
    the two values around it, so that all of these values stay in their bins.
    """
    distinct = np.unique(values)
    if len(distinct) <= bins:
        uppers = np.arange(1, len(distinct))
    else:
        uppers = np.unique(np.searchsorted(distinct, _edges(values, bins), side="left"))
        uppers = uppers[(uppers > 0) & (uppers < len(distinct))]
    return [nice_between(float(distinct[at - 1]), float(distinct[at]), whole) for at in uppers.tolist()]


def _edges(values: NDArray[np.float64], bins: int) -> NDArray[np.float64]:
    """Return the inner edges that scikit-learn chooses."""
    try:
        from sklearn.preprocessing import KBinsDiscretizer
    except ImportError:
        raise MissingExtraError("scikit-learn", "data") from None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of equal edges, and of defaults that change between releases
        maker: Any = KBinsDiscretizer(bins, encode="ordinal", strategy="quantile", subsample=None)
        maker.fit(values.reshape(-1, 1))
    return np.asarray(maker.bin_edges_[0][1:-1], dtype=np.float64)


def nice_between(low: float, high: float, whole: bool = False) -> float:
    """Return the number of fewest digits between two, the one nearest their middle; whole where asked.

    It lies strictly between. Of whole numbers it may be the upper one, which is itself above the cut, so
    that ages are cut at 38 and not at 37.5. Where floats leave no room it is the upper number as well.

    >>> nice_between(37.46, 37.53), nice_between(17, 24), nice_between(37, 38, whole=True)
    (37.5, 20.0, 38.0)
    """
    below, above = Fraction(low), Fraction(high)
    first = floor(log10(max(abs(low), abs(high)))) + 1
    for exponent in range(first, -1 if whole else first - _MOST_DIGITS, -1):
        found = _multiple(below, above, Fraction(10) ** exponent, whole)
        if found is not None and low < float(found) and (float(found) < high or whole):
            return float(found)
    return high


def _multiple(below: Fraction, above: Fraction, step: Fraction, with_above: bool) -> Fraction | None:
    """Return the multiple of a step in the gap that is nearest to its middle, if there is any."""
    first = floor(below / step) + 1
    last = floor(above / step) if with_above else ceil(above / step) - 1
    if first > last:
        return None
    return min(max(round((below + above) / 2 / step), first), last) * step
