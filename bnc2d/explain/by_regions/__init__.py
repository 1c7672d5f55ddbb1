"""Cases answered by questions about regions, whoever answers them: the network itself, or a diagram.

- ``case``: one instance and the labels that it is explained for.
- ``observed``: the same where no hidden variable is in the way, which has quicker ways. ``hidden``: where one
  is; a first reason is guessed there, and then proved. ``given``: under a constraint.
- ``feature_sets`` gives the features of reasons one after another, ``boxes`` the literals of general ones.
"""
