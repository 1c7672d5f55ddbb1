"""Regions: whether every instance of a set of instances is in one class, and if not, which is not.

A region allows a set of states for each feature; no model is compiled to ask about it.

- ``decides`` is the question as users ask it, ``search`` how it is answered: bounds exclude labels from a
  region, instances are tried, regions are split.
- No hidden variable in the way: ``observed`` compares classes over all of a region at once. ``pairs`` are the
  comparisons that a decision rests on, ``tables`` what the network says of the classes as tables over
  features, ``margins`` the least logarithm of a ratio by elimination, ``questions`` the same for many regions
  at once, ``exact`` in fractions. ``around`` is what they say around one instance.
- Hidden variables: ``hidden`` excludes labels by bounds on what ``messages`` of the network say, and on the
  ``odds`` that they leave.
"""
