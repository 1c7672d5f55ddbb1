"""Explanations of decisions: reasons, contrasts, robustness, and checks of them by other means.

- ``explanation`` holds what can be asked about one decision; ``reasons`` one case: an instance and the labels
  of the diagram that it is explained for, with its complete and its general reason.
- Lists: ``feature_sets`` gives the features of all reasons in one order, and those that are relevant;
  ``boxes`` the literals of general ones, ``listing`` the reasons and how many there are; ``single`` one of
  each kind, at once or the least.
- ``contrast``: why not another class; ``checks``: whether something is a reason, by SAT.
- ``text`` says it in sentences, ``batch`` for many rows; ``whole`` asks about the model as a whole.
"""
