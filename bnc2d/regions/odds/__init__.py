"""Odds: how much likelier one state of a hidden variable can be than another, all over a region.

Features that a region leaves free say something of the hidden variables, and what they say is not known. But
it has bounds: ``m(t) <= R * m(s)`` for all that they can say ``m``, where ``t`` and ``s`` are two states of a
separator that differ in one variable. The target is such a variable too, so at the end there is a bound on
the ratio of two classes at every instance of the region.

- ``grid``: the states of a separator and the moves between them; how two grids are joined.
- ``few``: what few features say, way by way.
- ``join``: bounds of products and of sums.
- ``passes``: bounds through the tree of tables (``messages.tree``), for many regions at once.
- ``branching``: regions that bounds leave open are split, until they are settled.

Bounds on the odds of each variable given the others are the opposite of bounds on each entry: where the
evidence is strong, entries range over many orders of magnitude, while odds that do not matter any more
cancel. Without zeros the bounds are exact where all features are known; with zeros they may say less.
"""
