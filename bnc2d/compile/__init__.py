"""From a classifier to its class formulas.

Before any method: ``target_part`` prunes features that the others separate from the target; after it,
``impossible`` puts back the zeros of what was pruned, with ``impossible_relations`` and ``impossible_order``.

Where the steps of Zhang and Darwiche (2026) are:

- pruning: ``prepare``; jointree: ``jointree`` (``min_fill``); feature tree and widths: ``feature_tree``;
- their compiler as published: ``paper`` with ``decide``, ``spine``, ``potential``; run by ``paper_method``.

The default method is in ``fast``, which lists its steps:

- the cut: ``cut``, ``cut_search``, ``cut_model``, ``summation``;
- tables: ``tables``, ``parts``, ``patterns``; what float64 loses in them: ``underflow``;
- labels: ``meeting``, ``join``, ``labels``, ``rows``; close calls: ``settle``, ``resolve``;
- the diagram: ``reduce``, ``diagram``; where one dimension decides: ``intervals`` with
  ``intervals_levels``, ``intervals_order`` and ``intervals_products``.

Two more to compare it with: ``block_order`` (Shih, Choi and Darwiche 2019) with ``block_order_search``,
``block_order_tables``, ``block_order_descent`` and ``block_order_intervals``; and brute force,
``enumerate_method``. Both leave the diagram as it is (``circuit``).

From the diagram to small formulas: ``minimise`` with ``state_groups``, ``plan``, ``blocks``, ``guards``,
``implication``, ``netlist``, ``sift``. What comes out is in ``model``, saved by ``store``; options and limits
are in ``compiler`` and ``limits``. ``possible`` compiles which instances are possible.
"""
