"""From a classifier to its class formulas.

The steps, each in a folder whose docstring says more:

- ``graph``: before any method, what the features leave connected to the target; pruning, jointrees, f-trees;
- ``paper``: the published algorithm, each step in a file of its name;
- ``meet``: the default method, whose ``method`` lists its steps; ``ratio`` where one dimension decides;
- ``zeros``: after any method, the impossible instances of what was pruned;
- ``formula``: from the diagram to small formulas;
- ``baselines``: the compiler of Shih, Choi and Darwiche (2019), and brute force, to compare with.

What a method returns is in ``result``, what users get in ``model``; ``store`` saves it, ``file_content`` says
what is in a file. Options are in ``compiler``; ``estimate`` says how long it is going to take.
"""
