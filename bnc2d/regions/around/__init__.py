"""Around one instance: which of its features keep its label, and what is nearest that has another one.

For classifiers whose features leave no hidden variable in the way (``bnc2d.regions.observed``); exact.

- ``instance``: whether features are enough, for many sets of them at once; the sets that are, one by one.
- ``greedy``: one such set for each of many instances, by giving up features; ``many``: of any labels.
- ``least``: the lightest such set, by rows that each of them covers (``covers``).
- ``nearest``: the cheapest change that leads to another label, by elimination with prices (``changes``).
"""
