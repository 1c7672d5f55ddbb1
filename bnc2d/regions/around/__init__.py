"""Around one instance: which of its features keep its label, and what is nearest that has another one.

For classifiers whose features leave no hidden variable in the way (``bnc2d.regions.observed``); exact:

- ``instance``: whether features are enough, for many sets of them at once. ``listing``: all minimal sets that
  are. ``greedy``: one of them for each of many instances, by giving up features.
- ``least``: the lightest set that is enough, by ``rows`` that each of them must cover (``covers``).
- ``nearest``: the cheapest change that leads to another label, by elimination with prices (``changes``).

Where hidden variables are in the way, ``guesses`` says which features may be given up, as far as is found.
"""
