"""Shares of decisions under a distribution of the instances: uniform, by rows, by marginals, by the network.

``distribution.py`` reads what users give; ``masses.py`` sums a product of tables over a decision diagram, in
the order that ``turns.py`` chooses; ``weighing.py`` makes shares of it.
"""
