"""Decision diagrams with several terminals: ``diagram`` is the structure, the rest are passes over levels.

``counting`` (numbers of instances, instances by position), ``nearest``, ``walks`` (paths and pairs of nodes),
``sifting`` (other orders of features), ``parts``; circuits ``from_circuits`` and ``to_circuit``.
"""
