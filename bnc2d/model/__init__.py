"""Networks and classifiers: exact tables, exact answers.

``variable``, ``cpt`` and ``network`` hold what a file says; ``classifier`` and ``decision`` what is asked.
Below them is the arithmetic that inference and every compiler share: ``factors`` (products, sums and
quotients; ``products`` of their tables), ``accounts`` (how far float64 may be off in them), ``elimination``
and ``min_fill`` (in which order variables are summed out), ``inference`` (all of it, for rows of instances).
"""
