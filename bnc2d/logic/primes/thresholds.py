"""Minimal sets of members that together give enough: the prime implicants of a threshold function.

Members are taken in the order of what they give, the most first. A set that would be enough with all that
follow is extended by the next one, or does without it; as soon as it is enough it is minimal, since its last
member gives least. So it is never far to the next one, however many there are (Marques-Silva, Gerspacher,
Cooper, Ignatiev and Narodytska 2020 list the explanations of naive Bayes classifiers so).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from bnc2d.base.checkpoints import checkpoint


def threshold_sets(
    gives: Sequence[float], needs: float, error: float, is_enough: Callable[[list[int]], bool]
) -> Iterator[list[int]]:
    """Yield the minimal sets of members that give enough, each ascending; members that give nothing aside.

    Sums of floats may be off by ``error``; where that is not enough to tell, ``is_enough`` is asked.

    >>> list(threshold_sets([3.0, 1.0, 2.0], 3.0, 0.0, lambda members: True))
    [[0], [1, 2]]
    """
    order = sorted((member for member, gift in enumerate(gives) if gift > 0), key=lambda m: (-gives[m], m))
    rest = [0.0]  # what all members from a place on give, from the last place backwards
    for member in reversed(order):
        rest.append(rest[-1] + gives[member])
    rest.reverse()

    def reaches(total: float, members: list[int]) -> bool:
        return total > needs + error or (total >= needs - error and is_enough(members))

    if needs + error < 0 or (needs <= error and is_enough([])):
        yield []
        return
    chosen: list[int] = []  # places
    sums = [0.0]
    place = 0
    while True:
        checkpoint()
        taken = [order[at] for at in chosen]
        if not reaches(sums[-1] + rest[place], taken + order[place:]):
            if not chosen:
                return
            place = chosen.pop() + 1
            sums.pop()
            continue
        member = order[place]
        if reaches(sums[-1] + gives[member], [*taken, member]):
            if needs - sums[-1] > 4 * error or _is_minimal([*taken, member], is_enough):
                yield sorted([*taken, member])
        else:
            chosen.append(place)
            sums.append(sums[-1] + gives[member])
        place += 1


def _is_minimal(members: list[int], is_enough: Callable[[list[int]], bool]) -> bool:
    """Return whether no member can be left out; for members that floats cannot tell apart."""
    return not any(is_enough([other for other in members if other != member]) for member in members)
