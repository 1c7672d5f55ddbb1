"""Cases answered from the decision diagram of a compiled model.

- ``case``: one instance and the labels that it is explained for, which asks the others.
- ``surroundings``: what the diagram says around the instance.
- ``feature_sets`` gives the features of all reasons in one order, and those that are relevant; ``boxes``
  the literals of general ones; ``counting`` says how many there are; ``single`` gives one of each kind, at
  once or the least.
"""
