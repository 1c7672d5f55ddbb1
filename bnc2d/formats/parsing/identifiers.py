"""Identifiers for formats that allow no other names."""

from __future__ import annotations

import re
from collections.abc import Iterable

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OTHER = re.compile(r"[^A-Za-z0-9_]")


def identifiers(names: Iterable[str], reserved: frozenset[str] = frozenset()) -> dict[str, str]:
    """Return a unique identifier for each name: itself where it is one and not reserved.

    >>> identifiers(["a", "a b", "a-b", "5"])
    {'a': 'a', 'a b': 'a_b', 'a-b': 'a_b_2', '5': '_5'}
    """
    listed = list(names)
    taken = {name for name in listed if _IDENTIFIER.fullmatch(name)} | reserved
    counts: dict[str, int] = {}
    result = {}
    for name in listed:
        if _IDENTIFIER.fullmatch(name) and name not in reserved:
            result[name] = name
            continue
        base = _OTHER.sub("_", name)
        base = base if _IDENTIFIER.fullmatch(base) else "_" + base
        candidate = base
        while candidate in taken:
            counts[base] = counts.get(base, 1) + 1
            candidate = f"{base}_{counts[base]}"
        taken.add(candidate)
        result[name] = candidate
    return result
