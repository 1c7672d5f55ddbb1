"""Explanations of decisions: reasons, contrasts, robustness, and checks of them by other means.

- ``explanation`` holds what can be asked about one decision; ``case`` is an instance and the labels that it
  is explained for, and ``routes`` says who answers: a compiled diagram (``by_diagram``) or the network itself
  (``by_regions``).
- ``listing`` gives the reasons of a case one after another, ``hitting_sets`` the least one; ``tiers`` says
  which features are liked better than others.
- ``changes``: what features may change to, what that costs, and the nearest ways out.
- ``contrast``: why not another class; ``checks``: whether something is a reason, by SAT.
- ``text`` says it in sentences, ``batch`` for many rows; ``whole`` asks about the model as a whole.
"""
